"""What a ruleset calls things that most games have, for hints that show what to write.

Enters: a ruleset's own names, and what its nouns are called. Leaves: hints in which the own names stand for the usual
ones (`deck`, `hand`, `coins`), and lines in which usual nouns (`card`) stand for the own ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

USUAL_ZONES = ("deck", "hand", "tableau", "discard", "market")
"""What examples call the pile that is drawn from, what a player holds, what lies before a player, where pieces end, and
what lies open for all."""
USUAL_AMOUNTS = ("coins", "points", "goods", "resting")
"""What examples call a number of a player, the same for scores, a bag, a mark of a player."""
PIECE = "card"
"""What sentences call a piece."""

_CODE = re.compile(r"`[^`]*`")
_NAME = re.compile(
    rf"\b(?:{'|'.join((*USUAL_ZONES, *USUAL_AMOUNTS))})\b(?![(:])|(?<=\.)value\b|(?<=\.)colour\b(?: = red\b)?"
)
"""Such a name in an example."""
YOURS = ", with your names"
"""What a hint ends with that shows a name for which the ruleset has none."""


@dataclass(frozen=True)
class OwnNames:
    """A ruleset's names.

    Attributes:
        declared: all that it declares; no hint puts another name in the place of one of them.
        usual: usual name -> the ruleset's name for such a thing. `value` is an attribute that is a number, `colour` one
            that is none, `red` a value of that.
        nouns: what people call a thing of the ruleset, in small letters -> its declared name, or `PIECE` for a piece.
        values: a value that pieces have -> the attribute which has it.
        zones, numbers, resources: the names of zones, of variables that are numbers, of what bags hold.
        answers: what the rule text of a piece may answer -> its sort (`event`, `quantity`, `ability`, `menu`,
            `exchanges`) and the names of what it is given, in parentheses.
        of_players: such a name -> which of these are players.
    """

    declared: frozenset[str] = frozenset()
    usual: Mapping[str, str] = field(default_factory=dict)
    nouns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    zones: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    of_players: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def told(self, hint: str) -> str:
        """Return a hint with the ruleset's names in its examples; idempotent."""
        if not self.declared or "`" not in hint:
            return hint
        said = _CODE.sub(lambda code: self._mended(_NAME.sub(self._own, code[0])), hint)
        left = {match[0].split(" ")[0] for code in _CODE.findall(said) for match in _NAME.finditer(code)}
        return said if left <= self.declared or said.endswith(YOURS) else f"{said}{YOURS}"

    def _mended(self, code: str) -> str:
        """Return an example with what is plain to whoever knows the declarations: whose something is, what is in a bag,
        that pieces are counted."""
        code = re.sub(r"\bself\.", "", code) if "self" not in self.declared else code
        code = re.sub(r"\b(\w+\.)?(\w+) ([+-]=) (\w+)", self._amount, code)
        code = re.sub(r"\b(\w+)\.(\w+)\.(\w+)(?=\))", self._of_attribute, code)
        return re.sub(r"\b(most|fewest) (\w+)(?=`|,)", self._counted, code)

    def _of_attribute(self, path: re.Match[str]) -> str:
        """Return the attribute of what lies in a zone, of which an example has another attribute."""
        attributes = self.declared - self.zones - self.numbers
        return f"{path[1]}.{path[2]}" if path[1] in self.zones and {path[2], path[3]} <= attributes else path[0]

    def _amount(self, change: re.Match[str]) -> str:
        """Return the change of a bag where what changes is something that bags hold."""
        owner, name, sign, number = change.groups(default="")
        if name not in self.resources or "goods" not in self.usual:
            return change[0]
        return f"{owner}{self.usual['goods']} {sign} {number} {name}"

    def _counted(self, rank: re.Match[str]) -> str:
        """Return `most count(hand)` for most of what is no number but pieces."""
        if rank[2] in self.zones:
            return f"{rank[1]} count({rank[2]})"
        is_piece = self.nouns.get(rank[2]) == PIECE and rank[2] not in self.declared and "hand" in self.usual
        return f"{rank[1]} count({self.usual['hand']})" if is_piece else rank[0]

    def _own(self, match: re.Match[str]) -> str:
        """Return what stands in the place of a name in an example."""
        name, _, value = match[0].partition(" = ")
        if name in self.declared or name not in self.usual:
            return match[0]
        return f"{self.usual[name]} = {self.usual['red']}" if value else self.usual[name]

    def read(self, line: str) -> str:
        """Return a line with the nouns of its author as sentences are read: `the bees in my comb` -> `the cards in my
        comb`. OwnNames that stand as they are declared stay, but for those of pieces."""
        for name in self.declared:
            if "_" in name:
                line = re.sub(rf"\b{name.removesuffix('s').replace('_', ' ')}s?\b", name, line)
        if not self.nouns:
            return line

        def noun(word: re.Match[str]) -> str:
            """Return the noun for a word that no dot or parenthesis makes a name."""
            meant = self.nouns.get(word[0].lower(), "")
            plural = "s" if meant == PIECE and word[0].lower().endswith(("s", "x")) else ""
            return f"{meant}{plural}" if meant else word[0]

        return re.sub(r"(?<![\w.])[^\W\d]\w*(?![\w.(])", noun, line)

    def as_declared(self, said: str) -> str:
        """Return what a sentence means, with names as they are declared: `honey` for `honeys`, and of `colour` the
        attribute that has the value."""
        said = re.sub(r"\b([a-z]\w*)s\b", self._singular, said)
        said = re.sub(r"\bcolour = (\w+)", lambda test: f"{self.values.get(test[1], 'colour')} = {test[1]}", said)
        return self.compared(said)

    def compared(self, said: str) -> str:
        """Return what a line means, with a comparison of an attribute for `card is red`."""
        return re.sub(r"\b(\w+) is (\w+)", self._is_value, said)

    def _singular(self, word: re.Match[str]) -> str:
        """Return a name for its plural."""
        return word[1] if word[1] in self.declared and word[0] not in self.declared else word[0]

    def _is_value(self, test: re.Match[str]) -> str:
        """Return a comparison of an attribute for `card is red`."""
        attribute = self.values.get(test[2], "")
        of = "" if test[1] == attribute else f".{attribute}"
        return f"{test[1]}{of} = {test[2]}" if attribute else test[0]

    def piece(self, line: str) -> str:
        """Return the word by which a line speaks of one piece; `PIECE` if it has none."""
        words = re.findall(r"[A-Za-z]\w*", line)
        return next((w for w in words if self.nouns.get(w) == PIECE and not w.endswith(("s", "x"))), PIECE)


EVERYBODY = OwnNames()
"""Of no ruleset: hints stay as they are."""
