"""What a search came to: the action, what else it looked at, and how often.

Enters: visits and values of a seat's options. Leaves: a `Finding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.game import Action
from rulelang.runtime.rng import output, seeded, uniform


@dataclass(frozen=True)
class OptionStats:
    """What was found of the option at an index: how often it was taken, the mean utility after it, from 0 to 1, and
    the sum of the probabilities that regret matching gave it (0 without)."""

    index: int
    visits: int
    value: float
    share: int = 0


@dataclass(frozen=True)
class Move:
    """An action that was looked at.

    Attributes:
        visits: how many iterations took it. value: the mean utility of the seat after it: 0 the worst, 1 the best.
        policy: how often it should be taken: its part of all visits, with regret matching of the average strategy.
    """

    action: Action
    visits: int
    value: float
    policy: float = 1.0


@dataclass(frozen=True)
class Finding:
    """The result of a search.

    Attributes:
        seat: who is asked. moves: from the most visited to the least; options that no iteration took are left out. With
            regret matching at a choice of several at once the one that was drawn from the average strategy comes first.
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
        """The action that was found best: the first of the moves."""
        return self.moves[0].action

    def to_json(self, lang: str = "en") -> dict[str, Any]:
        """Return the finding as JSON-able values; each move with the rule that offers it."""
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
                    "policy": round(move.policy, 4),
                    "file": move.action.file,
                    "line": move.action.line,
                    "cites": list(move.action.cites),
                }
                for move in self.moves
            ],
            "line": [{"seat": seat, "id": id_} for seat, id_ in self.line],
        }


def ordered(stats: Sequence[OptionStats], seed: int) -> list[OptionStats]:
    """Return the options from the most visited to the least; of equal ones the better, then the first. Where they
    have shares, one drawn by them comes first."""
    ranked = sorted(stats, key=lambda option: (-option.visits, -option.value, option.index))
    total = sum(option.share for option in ranked)
    point = uniform(output(seeded(seed))[0], total)[0] if total else -1
    for place, option in enumerate(ranked if total else ()):
        point -= option.share
        if point < 0:
            return [option, *ranked[:place], *ranked[place + 1 :]]
    return ranked


def policy(stats: Sequence[OptionStats]) -> list[float]:
    """Return how often each of the options should be taken."""
    weights = [option.share for option in stats]
    if not any(weights):
        weights = [option.visits for option in stats]
    total = sum(weights)
    return [weight / total if total else 1 / len(weights) for weight in weights]
