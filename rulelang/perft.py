"""Counts histories by length: how many ways a game can go on, chance and decisions alike; to the end also what comes of
them.

Enters: a ruleset, players, options, a depth. Leaves: one `Row` for each length from 0 on; to the end a `Tree`.

Row d counts the histories of exactly d edges by what they end in. Terminal ones are not carried on. Equal states (by
hash and number of decisions, which the cap reads) are merged at each length with their multiplicity, and with their
probability under random play; seats asked together are asked in seat order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import UsageError
from rulelang.execution.choice import FEWEST_GAMES
from rulelang.execution.executor import Executor
from rulelang.runtime.state import State

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

MOST = 250_000
"""To the end so many states are gone on from, one at several lengths counted for each: a minute or less."""

Progress = Callable[["Row"], None] | None
_Outcome = tuple[bool, tuple[int, ...], tuple[int, ...], tuple[Fraction, ...]]


@dataclass(slots=True)
class _Node:
    """A state of one length: how many histories lead to it, and their probability (0 where it is not asked for)."""

    state: State
    histories: int
    probability: Fraction


@dataclass(frozen=True)
class Row:
    """How many histories of one length wait for chance, wait for a decision, or are over."""

    depth: int
    chance: int
    decision: int
    terminal: int

    @property
    def histories(self) -> int:
        """The number of histories of this length, of all three kinds."""
        return self.chance + self.decision + self.terminal

    def to_json(self) -> dict[str, int]:
        """Return the row as a dictionary with the keys of `rulelang perft --format json`."""
        return {**asdict(self), "histories": self.histories}


@dataclass(frozen=True)
class Ending:
    """The terminal histories of one outcome.

    Attributes:
        winners: the parties that have won, seats first. scores: of each party. drawn: whether the game was drawn.
        returns: the payoff of each seat. probability: under uniformly random play; None where it was not asked for.
    """

    drawn: bool
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    returns: tuple[Fraction, ...]
    histories: int
    probability: Fraction | None

    def to_json(self) -> dict[str, Any]:
        """Return the ending as a dictionary with the keys of `rulelang perft --format json`."""
        result = {"winners": list(self.winners), "scores": list(self.scores), "drawn": self.drawn}
        payoffs = {"returns": [str(payoff) for payoff in self.returns]}
        share = {} if self.probability is None else fraction_json(self.probability, "probability")
        return {**result, **payoffs, "histories": self.histories, **share}


@dataclass(frozen=True)
class Tree:
    """All histories of a game.

    Attributes:
        rows: by length. positions: how many distinct hashes there are. endings: by outcome. returns: the expected
            payoff of each seat under uniformly random play; None where it was not asked for.
    """

    rows: list[Row]
    positions: int
    endings: list[Ending]
    returns: list[Fraction] | None

    def to_json(self) -> dict[str, Any]:
        """Return the tree as a dictionary with the keys of `rulelang perft --format json`."""
        result = {
            "depths": [row.to_json() for row in self.rows],
            "positions": self.positions,
            "outcomes": [ending.to_json() for ending in self.endings],
        }
        if self.returns is not None:
            result["expected_returns"] = [fraction_json(value, "exact") for value in self.returns]
        return result


def fraction_json(value: Fraction, name: str) -> dict[str, Any]:
    """Return a fraction as JSON: exact, as text under `name`, and rounded under `decimal`."""
    return {name: str(value), "decimal": float(value)}


def perft(
    ruleset: Ruleset,
    depth: int,
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    progress: Progress = None,
    backend: str = "auto",
) -> list[Row]:
    """Count the histories of each length from 0 to `depth`, with chance nodes explicit.

    Args:
        progress: called with each row as it is ready.
    """
    walk = _Walk(ruleset.executor(players, options, backend), progress)
    layer = walk.first()
    rows: list[Row] = []
    for length in range(depth + 1):
        row, layer = walk.row(layer, length, length < depth)
        rows.append(row)
    return rows


def perft_to_end(
    ruleset: Ruleset,
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    progress: Progress = None,
    backend: str = "auto",
    exact: bool = False,
    most: int = MOST,
) -> Tree:
    """Expand the whole game tree and return its rows, endings and expected returns.

    Args:
        exact: whether probabilities and returns under uniformly random play are worked out. most: so many states are
            gone on from, one at several lengths counted for each.

    Raises:
        UsageError: there are more.
    """
    walk = _Walk(ruleset.executor(players, options, backend, FEWEST_GAMES, steps=True), progress, exact, most)
    layer = walk.first()
    rows: list[Row] = []
    while layer:
        row, layer = walk.row(layer, len(rows), True)
        rows.append(row)
    endings = [
        Ending(*outcome, histories, probability if exact else None)
        for outcome, (histories, probability) in sorted(walk.endings.items())
    ]
    expected = [
        sum((ending.returns[seat] * (ending.probability or 0) for ending in endings), Fraction(0))
        for seat in range(walk.executor.layout.players)
    ]
    return Tree(rows, len(walk.positions), endings, expected if exact else None)


class _Walk:
    """Breadth-first enumeration of a game tree, one layer for each length of history.

    Attributes:
        positions: keys of all states that were met. endings: outcome -> histories, probability.
    """

    def __init__(self, executor: Executor, progress: Progress, exact: bool = False, most: int | None = None) -> None:
        executor.prepare_steps()
        self.executor, self.progress, self.exact, self.most = executor, progress, exact, most
        self.positions: set[str | bytes] = set()
        self.endings: dict[_Outcome, tuple[int, Fraction]] = {}
        self._left = most or 0

    def first(self) -> Sequence[_Node]:
        """Return the layer of length 0: the initial state alone."""
        state = self.executor.initial_state(0, True, logging=False)
        self.positions.add(self.executor.search_key(state)[0])
        return [_Node(state, 1, Fraction(1))]

    def row(self, layer: Sequence[_Node], length: int, expand: bool) -> tuple[Row, Sequence[_Node]]:
        """Count the nodes of a layer by kind and return the row with the next layer.

        The next layer is empty unless `expand`.
        """
        counts = {"chance": 0, "decision": 0, "terminal": 0}
        after: dict[tuple[str | bytes, int], _Node] = {}
        for node in layer:
            waiting = self.executor.waiting(node.state)
            counts[waiting.kind if waiting is not None else "terminal"] += node.histories
            if waiting is None:
                if self.most is not None:
                    self._end(node)
            elif expand:
                self._expand(node, waiting.seats, after)
        row = Row(length, **counts)
        if self.progress is not None:
            self.progress(row)
        return row, list(after.values())

    def _expand(self, node: _Node, seats: tuple[int, ...], after: dict[tuple[str | bytes, int], _Node]) -> None:
        """Expand a node: merge its children into the next layer, `after`, by search key."""
        probability, weight_before = node.probability, 0
        for child, weight, total in _children(self.executor, node.state, seats):
            key = self.executor.search_key(child)
            if self.exact and weight != weight_before:
                probability, weight_before = node.probability * Fraction(weight, total), weight
            known = after.get(key)
            if known is not None:
                known.histories += node.histories
                if self.exact:
                    known.probability += probability
                continue
            after[key] = _Node(child, node.histories, probability)
            if self.most is not None:
                self.positions.add(key[0])
                self._left -= 1
                if self._left < 0:
                    message = f"the game has more than {self.most} positions at all lengths"
                    raise UsageError(f"{message}: name a length (--depth D), or let more of them be counted (--most N)")

    def _end(self, node: _Node) -> None:
        """Add the multiplicity and probability of a terminal node to those of its outcome."""
        game, returns = self.executor.outcome(node.state)
        # a part of a win or a loss: no payoff has a larger divisor than there are seats
        payoffs = tuple(Fraction(payoff).limit_denominator(len(returns)) for payoff in returns)
        outcome = game.drawn, tuple(game.winners), tuple(game.scores), payoffs
        histories, probability = self.endings.get(outcome, (0, Fraction(0)))
        self.endings[outcome] = histories + node.histories, probability + node.probability


def _children(executor: Executor, state: State, seats: tuple[int, ...]) -> Iterator[tuple[State, int, int]]:
    """Yield the child states of a state, each with its weight and the sum of weights.

    Children follow the options of the lowest pending seat, weighted equally, or the outcomes of chance.
    """
    if seats:
        options = executor.options(state, seats[0])
        for place in range(len(options)):
            yield executor.after_choice(state, seats[0], options, place), 1, len(options)
        return
    outcomes = executor.outcomes(state)
    *draws, total = accumulate((weight for _, weight in outcomes), initial=0)
    for (value, weight), draw in zip(outcomes, draws, strict=True):
        yield executor.after_chance(state, value, draw), weight, total
