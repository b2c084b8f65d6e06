"""The result of a search: the action, and visits and values of those it tried.

Enters: visits and values of a seat's options. Leaves: a `SearchResult`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.game import Action
from rulelang.languages import DEFAULT
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.waiting import LongOptions, Option


@dataclass(frozen=True)
class OptionStats:
    """The statistics of one option at the root.

    Attributes:
        index: of the option. visits: iterations that took it. value: mean utility after it, from 0 to 1.
        share: sum of the probabilities that regret matching gave it; 0 without. proven: 1 where the seat wins for sure,
            -1 where it loses, else 0.
    """

    index: int
    visits: int
    value: float
    share: int = 0
    proven: int = 0


@dataclass(frozen=True)
class SearchedAction:
    """An action that at least one iteration took.

    Attributes:
        visits: how many iterations took it. value: the seat's mean utility after it: 0 the worst, 1 the best.
        policy: the probability to take it with: its part of all visits, with regret matching the average strategy's.
    """

    action: Action
    visits: int
    value: float
    policy: float = 1.0


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        seat: the acting player. moves: from the most visited to the least; options that no iteration took are left out.
            With regret matching at a simultaneous choice the move drawn from the average strategy comes first.
        iterations: how many were run. rejected: proposed worlds that did not fit what the seat saw.
        native: whether native code searched.
        line: principal variation in one of the worlds: seats with the ids of the actions that they took most often.
        expected: the actions of `line`, as a table tells them.
        blind: whether no world was found that fits what the seat saw; then the action was drawn at random.
    """

    seat: int
    moves: tuple[SearchedAction, ...]
    iterations: int
    rejected: int
    native: bool
    line: tuple[tuple[int, str], ...] = ()
    blind: bool = False
    expected: tuple[Action, ...] = ()

    @property
    def action(self) -> Action:
        """The best action: that of the first move."""
        return self.moves[0].action

    def to_json(self, lang: str = DEFAULT) -> dict[str, Any]:
        """Return the result as JSON-able values, each move with the source and citations of its rule."""
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
    """Return the options: those that surely win, then by falling visits, value and index, those that surely lose last;
    with shares, one drawn by those comes first.

    Args:
        seed: of that draw.
    """
    ranked = sorted(stats, key=lambda option: (-option.proven, -option.visits, -option.value, option.index))
    total = sum(option.share for option in ranked)
    point = uniform(output(seeded(seed))[0], total)[0] if total else -1
    for place, option in enumerate(ranked if total else ()):
        point -= option.share
        if point < 0:
            return [option, *ranked[:place], *ranked[place + 1 :]]
    return ranked


def hinted(
    options: Sequence[Option], hints: Sequence[tuple[int, Hashable]], key: Callable[[int], Hashable]
) -> Sequence[int]:
    """Return the indices of options among which all are that a search took; of many those where they were offered last,
    if they still stand there.

    Args:
        hints: index where an option was offered last, and its key; key: returns the key of the option at an index.
    """
    if isinstance(options, LongOptions) and all(
        0 <= index < len(options) and key(index) == expected for index, expected in hints
    ):
        return sorted({index for index, _ in hints})
    return range(len(options))


def policy(stats: Sequence[OptionStats]) -> list[float]:
    """Return the probability to take each option with: by shares, else by visits, else uniform."""
    shares = [option.share for option in stats]
    return normalised(shares if any(shares) else [option.visits for option in stats])


def normalised(weights: Sequence[float]) -> list[float]:
    """Return weights scaled to probabilities; uniform where all are 0."""
    total = sum(weights)
    return [weight / total if total else 1 / len(weights) for weight in weights]
