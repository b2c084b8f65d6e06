"""The colours of rules, for documentation, editors and messages: two lexers for Pygments.

Enters: a `.rule` file, or a YAML file of a ruleset. Leaves: tokens. The lexers refuse nothing: a text with mistakes is
coloured too. Pygments finds them by the names `rule` and `ruleset` once the package is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pygments.lexer import Lexer, RegexLexer, bygroups, words
from pygments.lexers.data import YamlLexer
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, Text, Whitespace, _TokenType

from rulelang.syntax.words import DECLARATION_WORDS, OPERATORS, RESERVED_RULES, alternatives

Tokens = Iterator[tuple[int, _TokenType, str]]

# Words that belong to a form of the language but may be names elsewhere.
PARTS = (
    "to from by in at once per times until after before most fewest shared least plus minus list the game won drawn "
    "lost weighted sorted paying identical number empty priority deep"
).split()
NAMED = "rule function quantity event ability exchanges exchange score step phase on offer modify".split()
"""Words before the name of what is declared."""
SIGNS = rf"{alternatives(OPERATORS)}|\.\.|\?"
CONSTANTS = "true false none you this owner it".split()

_SAID = (
    (Comment, "comment"),
    (Keyword, "word"),
    (Literal, "value"),
    (Name.Tag, "key"),
    (Name.Function, "call"),
)

_BLOCK = re.compile(r"^(?P<head>(?P<indent>[ ]*(?:-[ ]+)*)rules:[ ]*\|[+-]?[0-9]?[ ]*)\n", re.MULTILINE)


def coloured(text: str, rules: bool) -> list[list[tuple[str, str]]]:
    """Split a file into lines of (text, class) pairs for syntax colouring.

    Classes are `word`, `value`, `key`, `call`, `comment` or empty.

    Args:
        text: a `.rule` file (`rules`) or a YAML file of a ruleset.
    """
    lexer: Lexer = RuleLexer() if rules else RulesetLexer()
    lines: list[list[tuple[str, str]]] = [[]]
    for _, token, value in lexer.get_tokens_unprocessed(text):
        said = next((name for kind, name in _SAID if token[: len(kind)] == kind), "")
        first, *others = value.split("\n")
        lines[-1].append((first, said))
        lines += [[(line, said)] for line in others]
    return lines


def _groups(*tokens: _TokenType) -> object:
    """Return a lexer action that gives each group of a match its token; types Pygments' untyped `bygroups`."""
    return bygroups(*tokens)  # type: ignore[no-untyped-call]


class RuleLexer(RegexLexer):
    """`.rule` files, and any part of one."""

    name = "RuleLang rules"
    aliases = ["rule", "rulelang"]  # noqa: RUF012 - as Pygments asks for it
    filenames = ["*.rule"]  # noqa: RUF012
    tokens = {  # noqa: RUF012 - as Pygments asks for it
        "root": [
            (r"#[^\n]*", Comment.Single),
            (r"\[[ \t]*[a-z][a-z0-9-]*:\d[^\]\n]*\]|(?<!\S)\[invented\]", Comment.Special),  # a citation
            (
                rf"(\b(?:{'|'.join(NAMED)})\b)([ \t]+)([A-Za-z_]\w*)",
                _groups(Keyword.Declaration, Whitespace, Name.Function),
            ),
            (words(CONSTANTS, prefix=r"\b", suffix=r"\b"), Keyword.Constant),
            (words(sorted(RESERVED_RULES | DECLARATION_WORDS), prefix=r"(?<!\.)\b", suffix=r"\b"), Keyword),
            (words(PARTS, prefix=r"(?<!\.)\b", suffix=r"\b(?!\s*[.=(\[,)])"), Keyword),
            (r"(\.)([A-Za-z_]\w*)", _groups(Punctuation, Name.Attribute)),
            (r"[A-Z]\w*", Name.Class),
            (r"[A-Za-z_]\w*(?=\()", Name.Function),
            (r"[A-Za-z_]\w*", Name),
            (r"\d+", Number.Integer),
            (SIGNS, Operator),
            (r"[:,.()\[\]{}]", Punctuation),
            (r"\s+", Whitespace),
            (r".", Text),
        ]
    }


class RulesetLexer(Lexer):
    """YAML files of a ruleset: YAML, and rules in the blocks after `rules: |`."""

    name = "RuleLang ruleset"
    aliases = ["ruleset"]  # noqa: RUF012 - as Pygments asks for it

    def get_tokens_unprocessed(self, text: str) -> Tokens:
        """Yield (offset, token, text) for a whole YAML file, with rule blocks tokenised by `RuleLexer`."""
        done = 0
        for start, end in _blocks(text):
            yield from _tokens(YamlLexer(), text, done, start)
            yield from _tokens(RuleLexer(), text, start, end)
            done = end
        yield from _tokens(YamlLexer(), text, done, len(text))


def _tokens(lexer: Lexer, text: str, start: int, end: int) -> Tokens:
    """Yield a lexer's tokens for `text[start:end]` with offsets into the whole text."""
    return ((place + start, token, value) for place, token, value in lexer.get_tokens_unprocessed(text[start:end]))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end offsets of the rule blocks in YAML: the lines after `rules: |` that are empty or indented
    deeper."""
    end = 0
    for head in _BLOCK.finditer(text):
        if head.start() < end:
            continue
        end = head.end()
        deeper = " " * (len(head["indent"]) + 1)
        for line in text[end:].splitlines(keepends=True):
            if line.strip() and not line.startswith(deeper):
                break
            end += len(line)
        yield head.end(), end
