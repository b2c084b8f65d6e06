"""Rule texts in words: the one way into this room for texts and declarations.

Enters: a written ruleset and a language. Leaves: sentences for the rule text of a piece or a declaration, phrases for
values in the YAML.
"""

from __future__ import annotations

from rulelang.diagnostics import Diagnostics
from rulelang.prose.context import ProseContext
from rulelang.prose.declarations import declaration, of_piece, of_rules
from rulelang.prose.rows import worth
from rulelang.prose.sorts import Nouns, Sort
from rulelang.ruleset.model import PieceDecl, Text, WrittenRuleset
from rulelang.syntax import ast, parse_expression, parse_piece_text
from rulelang.syntax.scan import Place
from rulelang.words.lexicon import Lexicon


class RuleWriter:
    """Says in one language what a ruleset's rules say."""

    def __init__(
        self, ruleset: WrittenRuleset, lang: str, lexicon: Lexicon | None = None, nouns: Nouns | None = None
    ) -> None:
        self.lexicon = lexicon or Lexicon(ruleset, lang)
        self._at = of_rules(ProseContext(nouns or Nouns(ruleset), self.lexicon))

    @property
    def declarations(self) -> tuple[ast.Declaration, ...]:
        """The declarations of all rule files; of equal names only that of the highest layer."""
        return self._at.nouns.declarations

    def declaration(self, node: ast.Declaration, kind: str = "") -> str:
        """Word a declaration; `kind` says that it is in the rule text of a piece of that kind."""
        return declaration(self._at, node, kind)

    def piece(self, row: PieceDecl) -> tuple[str, ...]:
        """Word the rule text of a piece, one text for each declaration."""
        return tuple(self.declaration(d, row.kind) for d in declarations_of(row))

    def value(self, text: Text, kind: str = "") -> str:
        """Word an expression of the YAML, such as an attribute or count; as digits if it is a known number."""
        node = expression_of(text)
        if node is None:
            return text.text
        number = worth(node, {})
        return str(number) if type(number) is int else self.phrase(node, kind)

    def phrase(self, node: ast.Expr, kind: str = "") -> str:
        """Word an expression as a noun phrase; `kind` says that it is in the row of a piece of that kind."""
        return (of_piece(self._at, kind) if kind else self._at).value(node).text

    def joined(self, parts: list[str], word: str = "and") -> str:
        """Return parts as a list in the language: `a, b and c`."""
        return self._at.joined(parts, word)

    def condition(self, node: ast.Expr) -> str:
        """Word a condition as a clause."""
        return self._at.clause(node)

    def attribute(self, kind: str, name: str) -> str:
        """Return the noun of an attribute of a kind."""
        return self._at.attribute_noun(Sort("piece", kind), name).one

    def say(self, template: str, **fields: str | int) -> str:
        """Fill a template of the language."""
        return self._at.say(template, **fields)


def declarations_of(row: PieceDecl) -> tuple[ast.Declaration, ...]:
    """Parse the rule text of a piece; errors are ignored."""
    if row.rules is None:
        return ()
    return parse_piece_text(Place.of(row.rules.span, row.rules.indent), row.rules.text, Diagnostics())


def expression_of(text: Text) -> ast.Expr | None:
    """Parse an expression of the YAML; None if it has errors."""
    return parse_expression(Place.of(text.span, text.indent), text.text, Diagnostics())
