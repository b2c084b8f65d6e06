"""A search from a state of the engine: by native code, or by the interpreter where there is none.

Enters: an executor, a state, a seat. Leaves: for each option how often it was taken and what it is worth.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.native.search import ONE, POLICIES, SearchLibrary, Tree, UnsearchableError
from rulelang.runtime.log import Log
from rulelang.runtime.names import option_ids
from rulelang.runtime.replay import Dice
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.search.finding import Look, ordered
from rulelang.search.options import UNTIL_MOST_EDGES, SearchOptions
from rulelang.search.plain import PlainTree
from rulelang.search.worlds import played

FEW_VISITS = 8
"""An action that was taken less often is no part of an expected line."""
CHUNK = 256
"""So many iterations are made between two looks at the clock."""


class Core:
    """Searches in the games of one executor, for whichever seat is asked.

    Attributes:
        native: whether the last search was native. rejected: how many worlds did not fit in it. iterations: how many
            were made.
    """

    def __init__(self, executor: Executor, options: SearchOptions) -> None:
        self.executor, self.options = executor, options
        self.secrets = has_secrets(executor.program)
        decisions = executor.program.decisions
        several = any(decision.secret or decision.together for decision in decisions)
        multiple = options.trees == "multiple" or (options.trees == "auto" and several)
        self.observers = executor.layout.players if multiple else 1
        self.native, self.iterations, self.rejected = False, 0, 0
        self._library: SearchLibrary | None = None
        self._trees: dict[int, tuple[int, Tree]] = {}
        self._told: dict[int, tuple[Log, int]] = {}

    def library(self) -> SearchLibrary | None:
        """What searches in native code; None where there is no compiler and it need not be."""
        if self.options.backend == "interpreter":
            return None
        if self._library is None:
            try:
                self._library = self.executor.search_library()
            except UsageError:
                if self.options.backend == "native":
                    raise
        return self._library

    def look(self, state: State, seat: int, seed: int, iterations: int, seconds: float | None = None) -> list[Look]:
        """Return the seat's options that were taken, the best one first; the state stays as it is.

        Args:
            seed: the same seed gives the same answer, whatever lies behind what the seat sees, if it is not for
                `seconds`, after which no more iterations are begun.
        """
        library = self.library()
        looks = None
        if library is not None:
            try:
                looks = self._natively(library, state, seat, seed, iterations, seconds)
            except UnsearchableError:
                if self.options.backend == "native":
                    raise UsageError("native code can't search from this state") from None
        if looks is None:
            looks = self._plainly(state, seat, seed, iterations, seconds)
        return ordered(looks) or [Look(0, 0, 0.5)]

    def _natively(
        self, library: SearchLibrary, state: State, seat: int, seed: int, iterations: int, seconds: float | None
    ) -> list[Look] | None:
        tree = self._tree(library, seat, iterations, seconds)
        since = self._since(state, seat)
        tree.stand(state, seat, self.secrets, since is not None)
        kept = since is not None and self.observers == 1
        if not (kept and tree.descend(0, library.record(state, since or 0)[0][2::3])):
            tree.clear()
        tree.seed(seed)
        before = tree.counts()
        self.iterations = within(tree.run, iterations, seconds)
        if not self.iterations:
            return None  # no world was found: see docs/decisions/017-search.md
        self.native, self.rejected = True, tree.counts()[1] - before[1]
        waiting = self.executor.waiting(state)
        assert waiting is not None
        found = {child.key: child for child in tree.children(seat if self.observers > 1 else 0)}
        looks = []
        for index, option in enumerate(self.executor.options(state, seat)):
            child = found.get(library.root_key(waiting.decision, seat, option, state))
            if child is not None and child.visits:
                looks.append(Look(index, child.visits, child.value / child.visits / ONE))
        return looks

    def _tree(self, library: SearchLibrary, seat: int, iterations: int, seconds: float | None) -> Tree:
        """The trees of a seat, with room for a search."""
        wanted = UNTIL_MOST_EDGES if seconds is not None else 16 * self.observers * (iterations + 64)
        room = 1024
        while room < min(wanted, UNTIL_MOST_EDGES):
            room *= 2
        kept = self._trees.get(seat)
        if kept is None or kept[0] < room:
            options = self.options
            share, exploration = int(options.score_share * 256), int(options.exploration * ONE)
            tree = Tree(library, self.observers, POLICIES.index(options.rollout), exploration, share, room, 0)
            kept = self._trees[seat] = room, tree
            self._told.pop(seat, None)
        return kept[1]

    def _since(self, state: State, seat: int) -> int | None:
        """How much of the log the seat's last search knew, if its trees and worlds are to be gone on from."""
        if not self.options.reuse or not state.logging:
            return None
        last, self._told[seat] = self._told.get(seat), (state.log, len(state.log))
        if last is None:
            return None
        node: Log | None = state.log
        while node is not None and node.length > last[1]:
            node = node.previous
        return last[1] if node is last[0] else None

    def line(self, state: State, seat: int, looks: list[Look], most: int) -> tuple[tuple[int, str], ...]:
        """Return what seats took most often from a state on, in a world of the last search: ids of options with their
        seats, the first one the best of `looks`. Empty where there is one tree for each seat, or no native code."""
        if not self.native or self.observers > 1:
            return ()
        tree, machine = self._trees[seat][1], self.executor.interpreter
        if self.secrets:
            tree.traced()
            if not tree.deals(1):
                return ()
            live = played(self.executor, tree.trace(), state, seat, Dice(0))
        else:
            live = state.clone()
        live.logging = live.explicit = False
        library, node = self.library(), -1
        assert library is not None
        found: list[tuple[int, str]] = []
        while len(found) < most and (waiting := machine.waiting(live)) is not None:
            decision = self.executor.program.decisions[waiting.decision]
            if decision.together:
                break
            options = machine.options(live, waiting.seats[0])
            taken = {child.key: child for child in tree.children(0, node)}
            below = [taken.get(library.key(waiting.decision, option, live)) for option in options]
            best = (
                looks[0].index
                if not found
                else max(range(len(options)), key=lambda place: child.visits if (child := below[place]) else 0)
            )
            child = below[best]
            if child is None or child.visits < FEW_VISITS:
                break
            found.append((waiting.seats[0], option_ids(live, decision, options)[best]))
            machine.choose(live, waiting.seats[0], options[best])
            node = child.node
        return tuple(found)

    def _plainly(self, state: State, seat: int, seed: int, iterations: int, seconds: float | None) -> list[Look]:
        tree = PlainTree(self.executor, state, seat, seed, self.options, self.secrets)
        self.iterations = within(tree.run, iterations, seconds)
        self.native, self.rejected = False, 0
        return tree.looks()


def within(run: Callable[[int], int], iterations: int, seconds: float | None) -> int:
    """Make so many iterations, but begin no more after so many seconds; return how many were made."""
    if seconds is None:
        return run(iterations)
    end, made = time.monotonic() + seconds, 0
    while made < iterations and (not made or time.monotonic() < end):
        more = run(min(CHUNK, iterations - made))
        if not more:
            break
        made += more
    return made
