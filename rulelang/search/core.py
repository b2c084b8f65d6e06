"""Tree search from a state of the engine: by native code, or by the interpreter where there is none.

Enters: an executor, a state, a seat. Leaves: visits and mean utility of each of the seat's options.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from typing import NamedTuple

from rulelang.diagnostics import RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.ismcts.library import ONE, POLICIES, SearchLibrary, Tree, UnsearchableError
from rulelang.native.steps import NoMemoryError
from rulelang.runtime.log import Log
from rulelang.runtime.names import ids_of
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.search.evaluation import Evaluation
from rulelang.search.finding import OptionStats, hinted, ordered
from rulelang.search.options import UNTIL_MOST_EDGES, SearchOptions
from rulelang.search.plain import WORLD_ITERATIONS, PlainTree
from rulelang.search.worlds import replayed_world

LINE_VISITS = 8
"""Fewest visits of an action in a principal variation."""
CHUNK = 256
"""Most iterations between two looks at the clock; native code has WORLD_ITERATIONS before the first one."""
CHUNK_SECONDS = 0.05
"""A chunk that took less is followed by one of twice as many iterations."""
FIRST_GAMES, MORE_GAMES = 2000, 50
"""Most games played for the first world and for each further one, where worlds come by rejection."""


class Expected(NamedTuple):
    """A choice of a principal variation: who makes it, its id, the position before it."""

    seat: int
    id: str
    state: State


class BlindWarning(RuntimeWarning):
    """No world was found that fits what a seat saw: its action is drawn at random."""


class Core:
    """Searches in the games of one executor, for any seat; its trees are reused if the options say so.

    Args:
        evaluation: values leaves; None: by rollouts.

    Attributes:
        secrets: whether seats have any. observers: number of trees: 1 or one for each seat.
        native, iterations, rejected, blind: of the last search, see `Finding`.
    """

    def __init__(self, executor: Executor, options: SearchOptions, evaluation: Evaluation | None = None) -> None:
        self.executor, self.options, self.evaluation = executor, options, evaluation
        self.secrets = has_secrets(executor.program)
        decisions = executor.program.decisions
        several = any(decision.secret or decision.together for decision in decisions)
        multiple = options.trees == "multiple" or (options.trees == "auto" and several)
        self.observers = executor.layout.players if multiple else 1
        self.native, self.iterations, self.rejected, self.blind = False, 0, 0, False
        self._world: State | None = None
        self._library: SearchLibrary | None = None
        self._trees: dict[int, tuple[int, Tree]] = {}
        self._logs: dict[int, Log] = {}

    def library(self) -> SearchLibrary | None:
        """Return the native search library; None on the backend `interpreter`, or on `auto` where it can't be built.

        Raises:
            UsageError: the backend is `native` and there is none.
        """
        if self.options.backend == "interpreter":
            return None
        if self._library is None:
            only_native = self.options.backend == "native"
            executor = self.executor
            self._library = executor.search_library() if only_native else executor.search_library_or_none()
        return self._library

    def search(
        self, state: State, seat: int, seed: int, iterations: int, seconds: float | None = None
    ) -> list[OptionStats]:
        """Return the statistics of the seat's options that were taken, the best one first; the state is not changed.

        Args:
            seed: the same one gives the same answer, whatever the seat does not see, unless `seconds` cut it short.
            iterations: most iterations. seconds: after these no more iterations begin.

        Raises:
            UsageError: the backend is `native`, and native code can't search from this state.
        """
        library = self.library()
        stats = None
        self._world, self.blind = None, False
        if library is not None:
            try:
                stats = self._search_natively(library, state, seat, seed, iterations, seconds)
            except UnsearchableError:
                if self.options.backend == "native" and not self.secrets:
                    raise UsageError("native code can't search from this state") from None
            except NoMemoryError as error:
                if self.options.backend == "native":
                    raise
                warnings.warn(f"search uses the interpreter: {error}", RuntimeWarning, stacklevel=2)
                library = None
        if stats is None and self.secrets:
            stats = self._search_sampled_worlds(library, state, seat, seed, iterations, seconds)
        elif stats is None:
            stats = self._search_by_interpreter(state, seat, seed, iterations, seconds)
        return ordered(stats, seed) or [OptionStats(0, 0, 0.5)]

    def _search_natively(
        self, library: SearchLibrary, state: State, seat: int, seed: int, iterations: int, seconds: float | None
    ) -> list[OptionStats] | None:
        """Search in native code; None if no world was found."""
        tree = self._tree(library, seat, iterations)
        since = self._reusable_entries(state, seat)
        tree.set_root(state, seat, self.secrets, since is not None)
        continues = since is not None and self.observers == 1
        if not (continues and tree.descend(0, library.record(state, since or 0)[0][2::3])):
            tree.clear()
        tree.seed(seed)
        before = tree.counts()
        self.iterations = within(partial(self._run, tree), iterations, seconds)
        if not self.iterations:
            return None  # no world was found: see docs/decisions/017-search.md
        self.native, self.rejected = True, tree.counts()[1] - before[1]
        return self._stats(library, tree, state, seat)

    def _run(self, tree: Tree, iterations: int) -> int:
        """Run iterations with rollouts or evaluated leaves; return how many."""
        return tree.run(iterations) if self.evaluation is None else self.evaluation.run(tree, iterations)

    def _stats(self, library: SearchLibrary, tree: Tree, state: State, seat: int) -> list[OptionStats]:
        """Return the statistics of the seat's options in a native tree."""
        waiting = self.executor.waiting(state)
        assert waiting is not None
        taken = [child for child in tree.children(seat if self.observers > 1 else 0) if child.visits]
        children = {child.key: child for child in taken}
        options = self.executor.options(state, seat)

        def key(index: int) -> int:
            return library.root_key(waiting.decision, seat, options[index], state)

        indices = hinted(options, [(child.hint, child.key) for child in taken], key)
        by_index = ((index, children.get(key(index))) for index in indices)
        return [
            OptionStats(index, child.visits, child.value / child.visits / ONE, child.share, child.proven)
            for index, child in by_index
            if child is not None
        ]

    def _tree(self, library: SearchLibrary, seat: int, iterations: int) -> Tree:
        """Return the seat's trees, with room for a search of so many iterations."""
        edges = 16 * self.observers * (iterations + 64)
        room = 1024
        while room < min(edges, UNTIL_MOST_EDGES):
            room *= 2
        entry = self._trees.get(seat)
        if entry is None or entry[0] < room:
            options = self.options
            share, exploration = int(options.score_share * 256), int(options.exploration * ONE)
            rollout = options.rollout if self.evaluation is None else "evaluate"
            policy, regret = POLICIES.index(rollout), options.simultaneous == "regret"
            tree = Tree(library, self.observers, policy, exploration, share, room, regret=regret)
            entry = self._trees[seat] = room, tree
            self._logs.pop(seat, None)
        return entry[1]

    def _reusable_entries(self, state: State, seat: int) -> int | None:
        """Return how many log entries the seat's last search knew; None if its trees and worlds can't be reused."""
        if not self.options.reuse or not state.logging:
            return None
        last, self._logs[seat] = self._logs.get(seat), state.log
        return len(last) if last is not None and state.log.begins_with(last) else None

    def line(self, state: State, seat: int, stats: list[OptionStats], most: int) -> tuple[Expected, ...]:
        """Return the principal variation from a state on, in a world of the last search.

        Args:
            stats: result of that search, of which the best option comes first. most: choices at most.

        Returns:
            The options that seats took most often, each with the position before it; empty if each seat has a tree of
            its own, or the search was not native.
        """
        if not self.native or self.observers > 1:
            return ()
        tree = self._trees[seat][1]
        if self._world is not None:
            live = self._world.clone()
        elif self.secrets:
            tree.record_traces()
            if not tree.sample_worlds(1):
                return ()
            live = replayed_world(self.executor, tree.trace(), state, seat, Dice(0))
        else:
            live = state.clone()
        live.logging = live.explicit = False
        return tuple(self._most_visited(tree, live, stats[0].index, most))

    def _most_visited(self, tree: Tree, live: State, first: int, most: int) -> Iterator[Expected]:
        """Yield the most visited options from the root on, playing them in `live`; `first`: index of the first one."""
        machine, library, node = self.executor.interpreter, self.library(), -1
        assert library is not None
        for length in range(most):
            waiting = machine.waiting(live)
            if waiting is None or (decision := self.executor.program.decisions[waiting.decision]).together:
                return
            seat = waiting.seats[0]
            options = machine.options(live, seat)
            by_key = {child.key: child for child in tree.children(0, node)}
            children = [by_key.get(library.key(waiting.decision, option, live)) for option in options]
            visits = [child.visits if child else 0 for child in children]
            best = visits.index(max(visits)) if length else first
            child = children[best]
            if child is None or child.visits < LINE_VISITS:
                return
            yield Expected(seat, ids_of(live, decision, options)[best], live.clone())
            machine.choose(live, seat, options[best])
            node = child.node

    def _search_sampled_worlds(
        self, library: SearchLibrary | None, state: State, seat: int, seed: int, iterations: int, seconds: float | None
    ) -> list[OptionStats]:
        """Search in worlds by rejection sampling; where none is found, draw an option, with a BlindWarning."""
        dice, end = Dice(output(seeded(seed))[0]), inf if seconds is None else time.monotonic() + seconds
        self._logs.pop(seat, None)
        try:
            sampler = Sampler(self.executor.interpreter, state, seat)
            self._world = sampler.world(dice, FIRST_GAMES, end=end)
        except RuleError:
            self._world = None
        if self._world is None:
            self.native, self.blind, self.iterations, self.rejected = False, True, 0, 0
            warnings.warn("no world fits what the seat saw: its action is drawn at random", BlindWarning, stacklevel=4)
            return [OptionStats(dice.below(len(self.executor.options(state, seat))), 0, 0.5)]

        def world() -> State:
            """Sample the next world; return the last one if none is found."""
            self._world = sampler.world(dice, MORE_GAMES, end=end) or self._world
            assert self._world is not None
            return self._world

        if library is None:
            return self._search_by_interpreter(state, seat, seed, iterations, seconds, world)
        tree = self._tree(library, seat, iterations)
        tree.clear()
        tree.seed(seed)

        def run(count: int) -> int:
            """Run iterations, WORLD_ITERATIONS in each world."""
            for done in range(0, count, WORLD_ITERATIONS):
                tree.set_root(world(), seat, False)
                self._run(tree, min(WORLD_ITERATIONS, count - done))
            return count

        try:
            self.iterations = within(run, iterations, seconds)
        except UnsearchableError:
            return self._search_by_interpreter(state, seat, seed, iterations, seconds, world)
        self.native, self.rejected = True, 0
        return self._stats(library, tree, state, seat)

    def _search_by_interpreter(
        self,
        state: State,
        seat: int,
        seed: int,
        iterations: int,
        seconds: float | None,
        world: Callable[[], State] | None = None,
    ) -> list[OptionStats]:
        """Search by the interpreter, in worlds that `world` samples (None: nobody has secrets)."""
        tree = PlainTree(self.executor, state, seat, seed, self.options, world, self.evaluation)
        self.iterations = within(tree.run, iterations, seconds, first=1)
        self.native, self.rejected = False, 0
        return tree.stats()


def within(run: Callable[[int], int], iterations: int, seconds: float | None, first: int = WORLD_ITERATIONS) -> int:
    """Run iterations in chunks until `seconds` have passed; return how many were run.

    Args:
        run: takes a number of iterations and returns how many it ran, 0 if it can't go on. first: iterations of the
            first chunk.
    """
    if seconds is None:
        return run(iterations)
    begun, done, chunk = time.monotonic(), 0, first
    now, end = begun, begun + seconds
    while done < iterations and (not done or now < end):
        more = run(min(chunk, iterations - done))
        if not more:
            break
        done += more
        before, now = now, time.monotonic()
        if now - before < CHUNK_SECONDS:
            chunk = min(2 * chunk, CHUNK)
    return done
