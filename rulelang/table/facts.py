"""The text of a piece's face in brief: the attributes that its kind declares as `shown`.

Enters: a ruleset as written, a language. Leaves: texts such as `cost 1 coal and 2 tools · gain 2 coins · 5 points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from rulelang.game import Ruleset as Loaded
from rulelang.prose import RuleWriter
from rulelang.ruleset.model import PieceDecl, WrittenRuleset
from rulelang.words.lexicon import Lexicon

BETWEEN = " · "
HARD_SPACE = "\u00a0"
NOTHING = ("0", "false", "none", "[]")
"""Values that say nothing on a card."""


class ShownAttributes:
    """The shown attributes of the pieces of one ruleset."""

    def __init__(self, ruleset: WrittenRuleset, lang: str) -> None:
        self.ruleset = ruleset
        self.lang = lang
        self._shown = {kind.name: [name for name, _ in kind.shown] for kind in ruleset.kinds}
        self._texts: dict[str, str] = {}
        self._effects: dict[str, str] = {}

    @cached_property
    def lexicon(self) -> Lexicon:
        """Return the ruleset's short words."""
        return Lexicon(self.ruleset, self.lang, short=True)

    @cached_property
    def _writer(self) -> RuleWriter:
        return RuleWriter(self.ruleset, self.lang, self.lexicon)

    @cached_property
    def _rows(self) -> dict[str, PieceDecl]:
        return {row.id: row for row in self.ruleset.pieces}

    def of(self, id_: str) -> str:
        """Return the shown attributes of a row in words; empty if there are none."""
        if id_ not in self._texts:
            row = self._rows[id_]
            parts = [self._fact_text(row, name) for name in self._shown[row.kind] if name in row.attributes]
            self._texts[id_] = BETWEEN.join(filter(None, parts))
        return self._texts[id_]

    def effect(self, id_: str) -> str:
        """Return what a row does: its author's text, else its rules in words; empty if it does nothing."""
        if id_ not in self._effects:
            row = self._rows[id_]
            own = row.text.get(self.lang) or row.text.get(self.lang.partition("-")[0], "")
            self._effects[id_] = own or " ".join(self._writer.piece(row))
        return self._effects[id_]

    def _fact_text(self, row: PieceDecl, name: str) -> str:
        """Return an attribute in words: `5 points`, `level 2`, a value of its type by its name, a truth value by the
        attribute's."""
        text = row.attributes[name]
        value, lexicon = text.text.strip(), self.lexicon
        if not (value.isidentifier() or value.isdecimal()):
            value = self._writer.value(text, row.kind)
        if value in NOTHING:
            return ""
        noun = lexicon.noun(f"{row.kind}.{name}", name)
        if value == "true":
            return noun.one
        if value.isdecimal():
            form, counted = lexicon.tally(int(value), f"{row.kind}.{name}", name)
            return f"{value}{HARD_SPACE}{form}" if counted else f"{form} {value}"
        return lexicon.name(value) if value == text.text.strip() and value.isidentifier() else f"{noun.one} {value}"


def cited(ruleset: Loaded, cites: Sequence[str], lang: str) -> list[str]:
    """Return each citation, with the title of its passage if the ruleset has an index of its sources."""
    citations = []
    for cite in cites:
        titles = "; ".join(ruleset.cite(cite, lang))
        citations.append(f"{cite} ({titles})" if titles else cite)
    return citations
