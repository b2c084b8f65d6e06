"""Counts histories by length: how many ways a game can go on, chance and decisions alike; to the end also what comes of
them.

Enters: a ruleset, players, options, a depth. Leaves: one `HistoryCounts` for each length from 0 on; to the end a
`HistoryTree`.

Row d counts the histories of exactly d edges by what they end in. Terminal ones are not carried on. Equal states (by
hash and number of decisions, which the cap reads) are merged at each length with their multiplicity, and with their
probability under random play; seats asked together are asked in seat order. Up to a length the states of the last
length are made and not kept; once those before it would take more than LAYER bytes, what follows each is counted depth
first, with a transposition table of TABLE entries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import UsageError, counted
from rulelang.execution.choice import FEWEST_GAMES, choose
from rulelang.execution.executor import Executor
from rulelang.runtime.log import EMPTY
from rulelang.runtime.state import State

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

MOST = 250_000
"""To the end so many states are gone on from, one at several lengths counted for each: a minute or less."""

LONG = 1.0
"""Seconds for the next row by the interpreter, as estimated, from which on `auto` asks whether native code pays."""

LAYER = 32 << 20
"""The bytes that the states of one length may take, as estimated."""
TABLE = 100_000
"""Entries of each of the two halves of the transposition table: some 25 MB together. The older half is dropped when the
younger one is full."""
KINDS = ("chance", "decision", "terminal")

Progress = Callable[["HistoryCounts"], None] | None
_Below = tuple[str | bytes, int, int]
_Outcome = tuple[bool, tuple[int, ...], tuple[int, ...], tuple[Fraction, ...]]


@dataclass(slots=True)
class _Node:
    """A state of one length: how many histories lead to it, and their probability (0 where it is not asked for)."""

    state: State
    histories: int
    probability: Fraction


@dataclass(frozen=True)
class HistoryCounts:
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
class HistoryTree:
    """All histories of a game.

    Attributes:
        rows: by length. positions: how many distinct hashes there are. endings: by outcome. returns: the expected
            payoff of each seat under uniformly random play; None where it was not asked for.
    """

    rows: list[HistoryCounts]
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
    scenario: str | None = None,
) -> list[HistoryCounts]:
    """Count the histories of each length from 0 to `depth`, with chance nodes explicit.

    Args:
        progress: called with each row as it is ready. scenario: the name of one of the ruleset's, which they begin
            from; it has its own players and options. None: the start of the game.

    Raises:
        UsageError: there is no such scenario.
    """
    start = partial(_start, ruleset, players, options, scenario=scenario, make=ruleset.executor)
    walk = _Walk(*start(backend), progress)
    rows, counting = list[HistoryCounts](), _counts(walk, depth)
    undecided = backend == "auto"
    for length in range(depth + 1):
        begun = time.perf_counter()
        rows.append(walk.shown(HistoryCounts(length, *next(counting))))
        if undecided and length and length < depth:
            # The next row takes longer than this one as this one has more histories than the one before.
            seconds = (time.perf_counter() - begun) * rows[-1].histories / max(1, rows[-2].histories)
            if seconds > LONG:
                undecided = False
                chosen = choose(backend, FEWEST_GAMES, lambda name: start(name)[0], steps=True, seconds=seconds)
                if chosen.backend != walk.executor.backend:
                    counting = _counts(_Walk(*start(chosen.backend), progress), depth)
                    for _ in rows:
                        next(counting)
    return rows


def _counts(walk: _Walk, depth: int) -> Iterator[Sequence[int]]:
    """Yield, for each length from 0 to `depth`, how many histories are of each kind, as `KINDS` has them."""
    layer, base = walk.first(), 0
    yield walk.kinds(layer)
    for length in range(1, depth + 1):
        after = walk.layer_after(layer) if base == length - 1 and length < depth else None
        if after is None:
            yield walk.kinds_below(layer, length - base)
        else:
            layer, base = after, length
            yield walk.kinds(layer)


def perft_to_end(
    ruleset: Ruleset,
    players: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    progress: Progress = None,
    backend: str = "auto",
    exact: bool = False,
    most: int = MOST,
    scenario: str | None = None,
) -> HistoryTree:
    """Expand the whole game tree and return its rows, endings and expected returns.

    Args:
        exact: whether probabilities and returns under uniformly random play are worked out. most: so many states are
            gone on from, one at several lengths counted for each. scenario: as for `perft`.

    Raises:
        UsageError: there are more, or there is no such scenario.
    """
    make = partial(ruleset.executor, playouts=FEWEST_GAMES, steps=True)
    walk = _Walk(*_start(ruleset, players, options, backend, scenario, make), progress, exact, most)
    layer = walk.first()
    rows: list[HistoryCounts] = []
    while layer:
        row, layer = walk.row(layer, len(rows))
        rows.append(row)
    endings = [
        Ending(*outcome, histories, probability if exact else None)
        for outcome, (histories, probability) in sorted(walk.endings.items())
    ]
    expected = [
        sum((ending.returns[seat] * (ending.probability or 0) for ending in endings), Fraction(0))
        for seat in range(walk.executor.layout.players)
    ]
    return HistoryTree(rows, len(walk.positions), endings, expected if exact else None)


def _start(
    ruleset: Ruleset,
    players: int | None,
    options: Mapping[str, OptionValue] | None,
    backend: str,
    scenario: str | None,
    make: Callable[..., Executor],
) -> tuple[Executor, State]:
    """Return an executor and the state that histories begin at; `make` makes the executor of a start of the game."""
    if scenario is None:
        executor = make(players, options, backend)
        executor.prepare_steps()
        return executor, executor.initial_state(0, True, logging=False)
    if players is not None or options:
        raise UsageError("a scenario has its own players and options: leave --players and --option out")
    executor, state = ruleset.scenario(scenario, backend, "explicit").engine
    copy = state.clone()
    copy.logging, copy.log = False, EMPTY
    return executor, executor.immutable(copy)


class _Walk:
    """Breadth-first enumeration of a game tree, one layer for each length of history.

    Attributes:
        positions: keys of all states that were met. endings: outcome -> histories, probability.
    """

    def __init__(
        self, executor: Executor, start: State, progress: Progress, exact: bool = False, most: int | None = None
    ) -> None:
        self.start = start
        self.executor, self.progress, self.exact, self.most = executor, progress, exact, most
        self.positions: set[str | bytes] = set()
        self.endings: dict[_Outcome, tuple[int, Fraction]] = {}
        self._left = most or 0
        layout = executor.layout
        self._most_kept = LAYER // (2000 + 8 * len(layout.cell_place) + 16 * layout.items + 64 * len(layout.inst_zone))
        self._young: dict[_Below, list[int]] = {}
        self._old: dict[_Below, list[int]] = {}

    def first(self) -> Sequence[_Node]:
        """Return the layer of length 0: the initial state alone."""
        self.positions.add(self.executor.search_key(self.start)[0])
        return [_Node(self.start, 1, Fraction(1))]

    def shown(self, row: HistoryCounts) -> HistoryCounts:
        """Return a row that is complete, after telling of it."""
        if self.progress is not None:
            self.progress(row)
        return row

    # ---- up to a length

    def kinds(self, layer: Sequence[_Node]) -> list[int]:
        """Return how many histories lead to nodes of each kind, as `KINDS` has them."""
        counts = [0, 0, 0]
        for node in layer:
            counts[self._kind(node.state)] += node.histories
        return counts

    def _kind(self, state: State) -> int:
        """Return the index of a state's kind in `KINDS`."""
        waiting = self.executor.waiting(state)
        return KINDS.index(waiting.kind if waiting is not None else "terminal")

    def layer_after(self, layer: Sequence[_Node]) -> Sequence[_Node] | None:
        """Return the states that come next, merged; None where there are too many to be kept."""
        after: dict[tuple[str | bytes, int], _Node] = {}
        for node in layer:
            waiting = self.executor.waiting(node.state)
            if waiting is not None:
                self._expand(node, waiting.seats, after)
            if len(after) > self._most_kept:
                return None
        return list(after.values())

    def kinds_below(self, layer: Sequence[_Node], edges: int) -> list[int]:
        """Return how many histories lead to nodes of each kind, so many edges below a layer."""
        counts = [0, 0, 0]
        for node in layer:
            for kind, count in enumerate(self._below(node.state, edges)):
                counts[kind] += node.histories * count
        return counts

    def _below(self, state: State, edges: int) -> list[int]:
        """Return how many histories lead from a state to nodes of each kind, so many edges below it: depth first."""
        counts = [0, 0, 0]
        stack: list[tuple[_Below | None, Iterator[State], int, list[int]]] = [
            (None, self._children(state), edges, counts)
        ]
        while stack:
            key, children, left, sums = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                if key is not None:
                    self._keep(key, sums)
                    _add(stack[-1][3], sums)
            elif left == 1:
                sums[self._kind(child)] += 1
            elif self.executor.waiting(child) is not None:
                own = *self.executor.search_key(child), left - 1
                known = self._young.get(own) or self._old.get(own)
                if known is None:
                    stack.append((own, self._children(child), left - 1, [0, 0, 0]))
                else:
                    _add(sums, known)
        return counts

    def _children(self, state: State) -> Iterator[State]:
        """Yield the child states of a state."""
        waiting = self.executor.waiting(state)
        if waiting is not None:
            yield from (child for child, _, _ in _children(self.executor, state, waiting.seats))

    def _keep(self, key: _Below, counts: list[int]) -> None:
        """Put counts into the transposition table."""
        if len(self._young) >= TABLE:
            self._young, self._old = {}, self._young
        self._young[key] = counts

    # ---- to the end

    def row(self, layer: Sequence[_Node], length: int) -> tuple[HistoryCounts, Sequence[_Node]]:
        """Count the nodes of a layer by kind and return the row with the next layer; note what ends in it."""
        counts = dict.fromkeys(KINDS, 0)
        after: dict[tuple[str | bytes, int], _Node] = {}
        for node in layer:
            waiting = self.executor.waiting(node.state)
            counts[waiting.kind if waiting is not None else "terminal"] += node.histories
            if waiting is None:
                self._end(node)
            else:
                self._expand(node, waiting.seats, after)
        return self.shown(HistoryCounts(length, **counts)), list(after.values())

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
                    message = f"the game has more than {counted(self.most, 'position')} at all lengths"
                    raise UsageError(f"{message}: name a length (--depth D), or let more of them be counted (--most N)")

    def _end(self, node: _Node) -> None:
        """Add the multiplicity and probability of a terminal node to those of its outcome."""
        game, returns = self.executor.outcome(node.state)
        # a part of a win or a loss: no payoff has a larger divisor than there are seats
        payoffs = tuple(Fraction(payoff).limit_denominator(max(len(returns), len(game.scores))) for payoff in returns)
        outcome = game.drawn, tuple(game.winners), tuple(game.scores), payoffs
        histories, probability = self.endings.get(outcome, (0, Fraction(0)))
        self.endings[outcome] = histories + node.histories, probability + node.probability


def _add(sums: list[int], more: list[int]) -> None:
    """Add counts to sums."""
    for kind, count in enumerate(more):
        sums[kind] += count


def _children(executor: Executor, state: State, seats: tuple[int, ...]) -> Iterator[tuple[State, int, int]]:
    """Yield the child states of a state, each with its weight and the sum of weights.

    Children follow the options of the lowest pending seat, weighted equally, or the outcomes of chance.
    """
    if seats:
        options = executor.options(state, seats[0])
        for place in range(len(options)):
            yield executor.after_choice(state, seats[0], place, options), 1, len(options)
        return
    outcomes = executor.outcomes(state)
    *draws, total = accumulate((weight for _, weight in outcomes), initial=0)
    for (value, weight), draw in zip(outcomes, draws, strict=True):
        yield executor.after_chance(state, value, draw), weight, total
