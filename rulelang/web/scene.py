"""The things on a table that can be picked for a choice.

Enters: a `View`. Leaves: `Scene`: names and looks of the game, and thing on the table -> pick.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rulelang.runtime.names import NamedValue
from rulelang.table.board import Spot, Target, target
from rulelang.table.choosing import Choosing, ChoosingOfMany
from rulelang.table.names import Names
from rulelang.table.view import Piece
from rulelang.web.cards import Look, Looks, looks
from rulelang.web.view import View


@dataclass(frozen=True)
class PickState:
    """Whether something on the table can be picked for the choice, and whether it is.

    Attributes:
        pick: its pick, empty if it can't be picked (any more). picked: how often it is.
    """

    pick: str = ""
    picked: int = 0


@dataclass(frozen=True)
class Card:
    """Equal pieces that lie together.

    Attributes:
        look: their front, None if face down. owner: class of the owner's colour; whose: the owner in words.
        carried: their variables in words.
    """

    look: Look | None
    count: int
    owner: str
    whose: str
    carried: tuple[str, ...]
    pick_state: PickState


class Scene:
    """A reader's view, and what of it can be picked.

    Attributes:
        observation: what the reader sees of the state. choosing: the partial choice. placed: the picks that have a
            thing on the table.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.observation: Mapping[str, Any] = view.observation
        self.names = Names(view, view.lang, view.seat)
        self.looks: Looks = looks(view.ruleset, view.lang)
        choices = view.decision.choices if view.decision else ()
        self.choosing = ChoosingOfMany.of(choices, view.picks) or Choosing(choices, view.picks)
        self.written = view.ruleset.written
        self.names.colour(dict(self.observation))
        self.placed: set[str] = set()
        self._pick_of: dict[Target, str] = {}
        for pick, part in self._offered():
            self._pick_of.setdefault(_target(part), pick)

    def _offered(self) -> Iterable[tuple[str, NamedValue]]:
        """Yield the picks made and the open ones, with their parts."""
        for pick, part in self.choosing.parts:
            if pick in self.choosing.open or pick in self.choosing.picks:
                yield pick, part

    def pick_state(self, sort: str, name: str, place: str = "") -> PickState:
        """Return how a thing on the table can be picked; its pick is then not listed elsewhere.

        Args:
            sort, name, place: see `Target`.
        """
        pick = self._pick_of.get((sort, name, place), "")
        if not pick:
            return PickState()
        self.placed.add(pick)
        return PickState(pick if pick in self.choosing.open else "", self.choosing.picks.count(pick))

    def picked_there(self, spot: Spot) -> PickState:
        """Return how a spot can be picked: by the first group of its targets that offers anything or is picked."""
        for group in spot.targets:
            states = [self.pick_state(*target) for target in group]
            best = max(states, key=lambda state: (bool(state.pick), bool(state.picked)), default=PickState())
            if best.pick or best.picked:
                return best
        return PickState()

    def card(self, piece: Piece, count: int, zone: str) -> Card:
        """Return the card of visible pieces in a zone."""
        whose = self.names.party_named(piece.owner) if piece.owner else ""
        style = self.names.style(piece.owner) if piece.owner else ""
        carried = tuple(self.names.carried(piece))
        return Card(self.looks.look(piece.id), count, style, whose, carried, self.pick_state(*target(piece, zone)))


def _target(part: NamedValue) -> Target:
    """Return where a part lies on the table: sort of thing, name, zone."""
    core = part.type.core
    if core.kind == "payment":
        return "goods", part.value, ""
    if core.kind == "piece":
        return "piece", part.value.partition(".")[0], part.zone
    if core.kind == "enum":
        return "value", f"{core.name}.{part.value}", ""
    return core.kind, part.value, ""
