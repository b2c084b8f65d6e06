"""Counts histories by length: how many ways a game can go on, chance and decisions alike.

Enters: a ruleset, players, options, a depth. Leaves: one `Row` for each length from 0 on.

Row d counts the histories of exactly d edges by what they end in. Terminal ones are not carried on. Equal states (by
hash and number of decisions, which the cap reads) are merged with their multiplicity; seats asked together are asked
in seat order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rulelang.execution.executor import Executor
from rulelang.runtime.canonical import search_key
from rulelang.runtime.state import State

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

Layer = dict[tuple[str, int], tuple[State, int]]


@dataclass(frozen=True)
class Row:
    """How many histories of one length wait for chance, wait for a decision, or are over."""

    depth: int
    chance: int
    decision: int
    terminal: int

    @property
    def histories(self) -> int:
        """All of them."""
        return self.chance + self.decision + self.terminal

    def to_json(self) -> dict[str, int]:
        """With the keys of `rulelang perft --format json`."""
        return {**asdict(self), "histories": self.histories}


def perft(
    ruleset: Ruleset,
    depth: int,
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    progress: Callable[[Row], None] | None = None,
    backend: str = "auto",
) -> list[Row]:
    """The rows 0 to `depth`, from the start of the game with chance explicit.

    Args:
        progress: called with each row as it is ready.
    """
    executor = ruleset.executor(players, options, backend)
    executor.prepare_steps()
    layer: Layer = {("", 0): (executor.initial_state(0, True, logging=False), 1)}
    rows = []
    for length in range(depth + 1):
        row, layer = _next(executor, layer, length, length < depth)
        rows.append(row)
        if progress is not None:
            progress(row)
    return rows


def _next(executor: Executor, layer: Layer, length: int, goes_on: bool) -> tuple[Row, Layer]:
    """The row of a layer, and the layer after it."""
    counts = {"chance": 0, "decision": 0, "terminal": 0}
    after: Layer = {}
    for state, ways in layer.values():
        waiting = executor.waiting(state)
        counts[waiting.kind if waiting is not None else "terminal"] += ways
        if waiting is None or not goes_on:
            continue
        for child in _children(executor, state, waiting.seats):
            key = search_key(child)
            _, before = after.get(key, (child, 0))
            after[key] = (child, before + ways)
    return Row(length, **counts), after


def _children(executor: Executor, state: State, seats: tuple[int, ...]) -> list[State]:
    """The states after each option of the lowest pending seat, or after each outcome."""
    if seats:
        options = executor.options(state, seats[0])
        return [executor.after_choice(state, seats[0], options, place) for place in range(len(options))]
    outcomes = executor.outcomes(state)
    draws = accumulate((weight for _, weight in outcomes), initial=0)
    return [executor.after_chance(state, value, draw) for (value, _), draw in zip(outcomes, draws, strict=False)]
