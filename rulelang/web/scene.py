"""What lies on a table and can be chosen there.

Enters: a `View`. Leaves: `Scene`: names and looks of the game, and which pick stands for which thing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rulelang.runtime.names import Part
from rulelang.table.names import Names
from rulelang.table.view import Piece
from rulelang.web.cards import Look, Looks, looks
from rulelang.web.choosing import Choosing
from rulelang.web.view import View


@dataclass(frozen=True)
class Lit:
    """Something on the table that can be chosen: the pick it stands for (empty: it can't), how often it is picked."""

    pick: str = ""
    picked: int = 0


@dataclass(frozen=True)
class Card:
    """Pieces that look the same and lie together: their front (None: face down), how many, whose, what they carry."""

    look: Look | None
    count: int
    owner: str
    whose: str
    carried: tuple[str, ...]
    lit: Lit


class Scene:
    """What a reader sees, and what of it can be chosen.

    Attributes:
        seen: the observation. choosing: the decision in the middle of being made. placed: the picks that lie somewhere.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.seen: Mapping[str, Any] = view.observation
        self.names = Names(view, view.lang, view.seat)
        self.looks: Looks = looks(view.ruleset, view.lang)
        self.choosing = Choosing(view.decision.choices if view.decision else (), view.picks)
        self.written = view.ruleset.written
        self.names.colour(dict(self.seen))
        self.placed: set[str] = set()
        self._where: dict[tuple[str, str, str], str] = {}
        for pick, part in self._offered():
            self._where.setdefault(_target(part), pick)

    def _offered(self) -> Iterable[tuple[str, Part]]:
        """Yield what is picked and what could be: what is picked stays lit."""
        for choice in self.choosing.left:
            for pick, part in choice.parts:
                if pick in self.choosing.open or pick in self.choosing.picks:
                    yield pick, part

    def lit(self, sort: str, name: str, place: str = "") -> Lit:
        """Return whether a thing on the table can be chosen; it is then not asked for elsewhere."""
        pick = self._where.get((sort, name, place), "")
        if not pick:
            return Lit()
        self.placed.add(pick)
        return Lit(pick if pick in self.choosing.open else "", self.choosing.picks.count(pick))

    def card(self, piece: Piece, count: int, zone: str) -> Card:
        """Return the card of pieces that are seen, with whose they are; they can be chosen if the decision names
        them there."""
        name = f"{piece.id}@{piece.owner}" if piece.owner else piece.id
        whose = self.names.party_named(piece.owner) if piece.owner else ""
        style = self.names.style(piece.owner) if piece.owner else ""
        carried = tuple(self.names.carried(piece))
        return Card(self.looks.look(piece.id), count, style, whose, carried, self.lit("piece", name, zone))


def _target(part: Part) -> tuple[str, str, str]:
    """Return where a part lies on the table: sort of thing, name, zone."""
    core = part.type.core
    if core.kind == "payment":
        return "goods", part.value, ""
    if core.kind == "piece":
        return "piece", part.value.partition(".")[0], part.zone
    if core.kind == "enum":
        return "value", f"{core.name}.{part.value}", ""
    return core.kind, part.value, ""
