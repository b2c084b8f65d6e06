"""What a search came to: the action, what else it looked at, and how often.

Enters: visits and values of a seat's options. Leaves: a `Finding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.game import Action


@dataclass(frozen=True)
class Look:
    """What was found of the option at an index: how often it was taken, and the mean utility after it, from 0 to 1."""

    index: int
    visits: int
    value: float


@dataclass(frozen=True)
class Move:
    """An action that was looked at.

    Attributes:
        visits: how many iterations took it. value: the mean utility of the seat after it: 0 the worst, 1 the best.
    """

    action: Action
    visits: int
    value: float


@dataclass(frozen=True)
class Finding:
    """The result of a search.

    Attributes:
        seat: who is asked. moves: from the most visited to the least; options that no iteration took are left out.
        iterations: how many were made. rejected: how many worlds that were proposed did not fit what the seat saw.
        native: whether native code searched.
        blind: whether no world was found that fits what the seat saw; then the action was drawn at random.
        line: what was most often done from here on, in one of the worlds: ids of actions with their seats.
    """

    seat: int
    moves: tuple[Move, ...]
    iterations: int
    rejected: int
    native: bool
    line: tuple[tuple[int, str], ...] = ()
    blind: bool = False

    @property
    def action(self) -> Action:
        """The action that was found best: the most visited one."""
        return self.moves[0].action

    def to_json(self, lang: str = "en") -> dict[str, Any]:
        """All of it as JSON-able values; each move with the rule that offers it."""
        return {
            "seat": self.seat,
            "iterations": self.iterations,
            "native": self.native,
            "blind": self.blind,
            "moves": [
                {
                    "id": move.action.id,
                    "text": move.action.text(lang),
                    "visits": move.visits,
                    "value": round(move.value, 4),
                    "file": move.action.file,
                    "line": move.action.line,
                    "cites": list(move.action.cites),
                }
                for move in self.moves
            ],
            "line": [{"seat": seat, "id": id_} for seat, id_ in self.line],
        }


def ordered(looks: Sequence[Look]) -> list[Look]:
    """The options from the most visited to the least; of equal ones the better, then the first."""
    return sorted(looks, key=lambda look: (-look.visits, -look.value, look.index))
