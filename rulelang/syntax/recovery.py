"""Further mistakes of a declaration: panic-mode recovery by logical lines.

Enters: the first `Failure` of a declaration. Leaves: the failures in later lines that stand by themselves. The line at
fault is replaced by one that is right, with its block where it opens one of statements and without it otherwise, and
the declaration is parsed again; where no replacement carries the parser beyond it, nothing further is told, since it
might only follow from the first mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulelang.syntax.grammar import Failure, load_grammar
from rulelang.syntax.lexemes import Kind, Lexeme
from rulelang.syntax.words import OPENING_WORDS

MOST = 20
"""Most further mistakes that are reported for one declaration."""
_HEADS = frozenset({"setup", "play", "rule", "event", "function", "quantity"})
_ITEMS = frozenset({"choose", "anyway", "together", "secretly", "trade"})
_BREAKS = frozenset({"newline", "indent", "dedent"})


def further(failure: Failure, start: str) -> Iterator[Failure]:
    """Yield the parse failures in later lines of the declaration, after a first failure; at most `MOST`."""
    for _ in range(MOST):
        following = _next_failure(failure, start)
        if following is None:
            return
        yield following
        failure = following


def _next_failure(failure: Failure, start: str) -> Failure | None:
    """Replace the faulty line by a correct one and parse again; return the next failure, None if it cannot be
    trusted."""
    lexemes = failure.lexemes
    if "_INDENT" in failure.accepts and failure.at < len(lexemes):  # what stands below a `:` as deep as that is read on
        at = lexemes[failure.at]
        passing: tuple[tuple[Kind, str], ...] = (("indent", ""), ("word", "pass"), ("newline", ""), ("dedent", ""))
        block = [Lexeme(kind, text, at.line, at.column) for kind, text in passing]
        parsed = load_grammar().parse([*lexemes[: failure.at], *block, *lexemes[failure.at :]], start)
        if not isinstance(parsed, Failure) or not failure.at + len(block) < parsed.at < len(parsed.lexemes):
            return None
        return parsed if parsed.lexemes[parsed.at].kind != "indent" else None
    first, end = _logical_line(lexemes, failure.at)
    if first == end:
        return None
    past = _past_block(lexemes, end)
    head = start != "block_text" and all(lexeme.kind in ("cites", "newline") for lexeme in lexemes[:first])
    for keeps_block, words in _replacements(lexemes[first:end], past > end + 1, head):
        fault_start = lexemes[first]
        line = [
            Lexeme("word" if word.isalpha() else "sign", word, fault_start.line, fault_start.column)
            for word in words.split()
        ]
        if line and not keeps_block:
            line.append(Lexeme("newline", "", fault_start.line, fault_start.column))
        rest = end if keeps_block else past
        parsed = load_grammar().parse([*lexemes[:first], *line, *lexemes[rest:]], start)
        if not isinstance(parsed, Failure):
            return None
        if not parsed.lexemes:
            return None
        wrong = parsed.lexemes[min(parsed.at, len(parsed.lexemes) - 1)]
        if wrong.line > lexemes[rest - 1].line and wrong.text != "else":
            return parsed
    return None


def _logical_line(lexemes: Sequence[Lexeme], at: int) -> tuple[int, int]:
    """Return start and end index of the logical line that contains a lexeme, line break excluded.

    Line breaks, indents and dedents count to the line before them.
    """
    end = min(at, len(lexemes) - 1)
    while end > 0 and lexemes[end].kind in _BREAKS and lexemes[end - 1].kind in _BREAKS:
        end -= 1
    while end < len(lexemes) and lexemes[end].kind not in _BREAKS:
        end += 1
    first = end
    while first > 0 and lexemes[first - 1].kind not in _BREAKS:
        first -= 1
    return first, end


def _past_block(lexemes: Sequence[Lexeme], end: int) -> int:
    """Return the index after a line that ends at index `end` and the block below it."""
    past = end + (end < len(lexemes) and lexemes[end].kind == "newline")
    depth = 0
    while past < len(lexemes) and (depth or lexemes[past].kind == "indent"):
        depth += {"indent": 1, "dedent": -1}.get(lexemes[past].kind, 0)
        past += 1
    return past


def _replacements(line: Sequence[Lexeme], block: bool, head: bool) -> list[tuple[bool, str]]:
    """Return (keeps block, text) replacements for a faulty line, the likeliest first."""
    words = [lexeme.text for lexeme in line]
    opens = block and not _ITEMS & set(words)
    if head:
        # Below `function … -> T` without its `=` stands a value and no block.
        gives = words[0] in ("function", "quantity") and words[-1] != ":"
        return [(True, "rule r :")] if opens and words[0] in _HEADS and not gives else []
    if words[0] == "else":
        form = "else if true :" if words[1:2] == ["if"] else "else :"
    else:
        form = "if true :" if words[0] in OPENING_WORDS - {"choose"} else ""
    with_block = [(True, form)] if form and opens else []
    if form:
        return [*with_block, (False, f"{form} pass")]
    return [(False, ""), (False, "pass"), (False, "x : pass")]
