"""A search from a state of the engine: by native code, or by the interpreter where there is none.

Enters: an executor, a state, a seat. Leaves: for each option how often it was taken and what it is worth.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial

from rulelang.diagnostics import RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.ismcts.library import ONE, POLICIES, SearchLibrary, Tree, UnsearchableError
from rulelang.runtime.log import Log
from rulelang.runtime.names import option_ids
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.search.evaluation import Evaluation
from rulelang.search.finding import OptionStats, ordered
from rulelang.search.options import UNTIL_MOST_EDGES, SearchOptions
from rulelang.search.plain import EVERY, PlainTree
from rulelang.search.worlds import played

FEW_VISITS = 8
"""An action that was taken less often is no part of an expected line."""
CHUNK = 256
"""So many iterations are made between two looks at the clock."""
FIRST_GAMES, MORE_GAMES = 2000, 50
"""Games that may be played for the first world and for each further one, where worlds come by rejection."""


class BlindWarning(RuntimeWarning):
    """No world was found that fits what a seat saw: its action is drawn at random."""


class Core:
    """Searches in the games of one executor, for whichever seat is asked.

    Args:
        evaluation: says what leaves are worth; None: what rollouts come to.

    Attributes:
        native: whether the last search was native. rejected: how many worlds did not fit in it. iterations: how many
            were made. blind: whether no world was found, so that an option was drawn at random.
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
        """Return what searches in native code; None where there is no compiler and it need not be."""
        if self.options.backend == "interpreter":
            return None
        if self._library is None:
            try:
                self._library = self.executor.search_library()
            except UsageError:
                if self.options.backend == "native":
                    raise
        return self._library

    def search(
        self, state: State, seat: int, seed: int, iterations: int, seconds: float | None = None
    ) -> list[OptionStats]:
        """Return the statistics of the seat's options that were taken, the best one first; the state stays as it is.

        Args:
            seed: the same seed gives the same answer, whatever lies behind what the seat sees, if it is not for
                `seconds`, after which no more iterations are begun.
        """
        library = self.library()
        stats = None
        self._world, self.blind = None, False
        if library is not None:
            try:
                stats = self._natively(library, state, seat, seed, iterations, seconds)
            except UnsearchableError:
                if self.options.backend == "native" and not self.secrets:
                    raise UsageError("native code can't search from this state") from None
        if stats is None and self.secrets:
            stats = self._over_worlds(library, state, seat, seed, iterations, seconds)
        elif stats is None:
            stats = self._plainly(state, seat, seed, iterations, seconds)
        return ordered(stats, seed) or [OptionStats(0, 0, 0.5)]

    def _natively(
        self, library: SearchLibrary, state: State, seat: int, seed: int, iterations: int, seconds: float | None
    ) -> list[OptionStats] | None:
        """Search in native code; None if no world was found."""
        tree = self._tree(library, seat, iterations, seconds)
        since = self._since(state, seat)
        tree.stand(state, seat, self.secrets, since is not None)
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
        return tree.run(iterations) if self.evaluation is None else self.evaluation.run(tree, iterations)

    def _stats(self, library: SearchLibrary, tree: Tree, state: State, seat: int) -> list[OptionStats]:
        """Return the statistics of the seat's options in a native tree."""
        waiting = self.executor.waiting(state)
        assert waiting is not None
        children = {child.key: child for child in tree.children(seat if self.observers > 1 else 0)}
        stats = []
        for index, option in enumerate(self.executor.options(state, seat)):
            child = children.get(library.root_key(waiting.decision, seat, option, state))
            if child is not None and child.visits:
                stats.append(OptionStats(index, child.visits, child.value / child.visits / ONE, child.share))
        return stats

    def _tree(self, library: SearchLibrary, seat: int, iterations: int, seconds: float | None) -> Tree:
        """Return the seat's trees, with room for a search of so many iterations."""
        edges = UNTIL_MOST_EDGES if seconds is not None else 16 * self.observers * (iterations + 64)
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

    def _since(self, state: State, seat: int) -> int | None:
        """Return how many entries of the log the seat's last search knew; None if its trees and worlds are not
        reused."""
        if not self.options.reuse or not state.logging:
            return None
        last, self._logs[seat] = self._logs.get(seat), state.log
        return len(last) if last is not None and state.log.begins_with(last) else None

    def line(self, state: State, seat: int, stats: list[OptionStats], most: int) -> tuple[tuple[int, str], ...]:
        """Return the expected line (principal variation) from a state on, in a world of the last search: seats with
        the ids of the options that they took most often, the first one the best of `stats`. Empty where there is one
        tree for each seat, or no native code."""
        if not self.native or self.observers > 1:
            return ()
        tree, machine = self._trees[seat][1], self.executor.interpreter
        if self._world is not None:
            live = self._world.clone()
        elif self.secrets:
            tree.traced()
            if not tree.deals(1):
                return ()
            live = played(self.executor, tree.trace(), state, seat, Dice(0))
        else:
            live = state.clone()
        live.logging = live.explicit = False
        library, node = self.library(), -1
        assert library is not None
        line: list[tuple[int, str]] = []
        while len(line) < most and (waiting := machine.waiting(live)) is not None:
            decision = self.executor.program.decisions[waiting.decision]
            if decision.together:
                break
            options = machine.options(live, waiting.seats[0])
            taken = {child.key: child for child in tree.children(0, node)}
            below = [taken.get(library.key(waiting.decision, option, live)) for option in options]
            best = (
                stats[0].index
                if not line
                else max(range(len(options)), key=lambda place: child.visits if (child := below[place]) else 0)
            )
            child = below[best]
            if child is None or child.visits < FEW_VISITS:
                break
            line.append((waiting.seats[0], option_ids(live, decision, options)[best]))
            machine.choose(live, waiting.seats[0], options[best])
            node = child.node
        return tuple(line)

    def _over_worlds(
        self, library: SearchLibrary | None, state: State, seat: int, seed: int, iterations: int, seconds: float | None
    ) -> list[OptionStats]:
        """Search worlds by rejection sampling, which know no more than the seat does; where none was found, draw one
        of the options."""
        dice = Dice(output(seeded(seed))[0])
        self._logs.pop(seat, None)
        try:
            sampler = Sampler(self.executor.interpreter, state, seat)
            self._world = sampler.world(dice, FIRST_GAMES)
        except RuleError:
            self._world = None
        if self._world is None:
            self.native, self.blind, self.iterations, self.rejected = False, True, 0, 0
            warnings.warn("no world fits what the seat saw: its action is drawn at random", BlindWarning, stacklevel=4)
            return [OptionStats(dice.below(len(self.executor.options(state, seat))), 0, 0.5)]

        def world() -> State:
            self._world = sampler.world(dice, MORE_GAMES) or self._world
            assert self._world is not None
            return self._world

        if library is None:
            return self._plainly(state, seat, seed, iterations, seconds, world)
        tree = self._tree(library, seat, iterations, seconds)
        tree.clear()
        tree.seed(seed)

        def run(count: int) -> int:
            for done in range(0, count, EVERY):
                tree.stand(world(), seat, False)
                self._run(tree, min(EVERY, count - done))
            return count

        try:
            self.iterations = within(run, iterations, seconds)
        except UnsearchableError:
            return self._plainly(state, seat, seed, iterations, seconds, world)
        self.native, self.rejected = True, 0
        return self._stats(library, tree, state, seat)

    def _plainly(
        self,
        state: State,
        seat: int,
        seed: int,
        iterations: int,
        seconds: float | None,
        world: Callable[[], State] | None = None,
    ) -> list[OptionStats]:
        """Search with the interpreter."""
        tree = PlainTree(self.executor, state, seat, seed, self.options, world, self.evaluation)
        self.iterations = within(tree.run, iterations, seconds)
        self.native, self.rejected = False, 0
        return tree.stats()


def within(run: Callable[[int], int], iterations: int, seconds: float | None) -> int:
    """Make so many iterations, but begin no more after so many seconds; return how many were done."""
    if seconds is None:
        return run(iterations)
    end, done = time.monotonic() + seconds, 0
    while done < iterations and (not done or time.monotonic() < end):
        more = run(min(CHUNK, iterations - done))
        if not more:
            break
        done += more
    return done
