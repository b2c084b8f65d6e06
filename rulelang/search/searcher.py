"""The agent that searches, on the public API.

Enters: games as `rulelang.State`. Leaves: actions, and a `SearchResult` with what speaks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulelang.diagnostics import UsageError
from rulelang.game import Action, State
from rulelang.runtime.rng import output, seeded
from rulelang.search.core import Core
from rulelang.search.evaluation import Evaluation
from rulelang.search.finding import SearchedAction, SearchResult, policy
from rulelang.search.options import MOST_BATCH, MOST_ITERATIONS, SearchOptions


class Searcher:
    """An `Agent` that chooses by determinized tree search.

    Args:
        iterations: games played for a move; the same seed then gives the same move on every machine.
        seconds: time limit for a move; with it the move depends on the speed of the machine.
        options: see `SearchOptions`; None for its defaults.
        evaluate: replaces rollouts: maps a list of leaf states to the value of each to each seat, 0 the worst, 1 the
            best. The states are worlds sampled for the seat, never the true one, and have no history: `observation`
            tells what a seat sees, `information_state` knows of no event.
        batch: leaves evaluated at once; all of them are selected before their values are known.

    Attributes:
        position: state of its random generator.

    Raises:
        UsageError: `iterations` or `batch` is out of range.
    """

    def __init__(
        self,
        iterations: int = 1000,
        seed: int = 0,
        seat: int = 0,
        seconds: float | None = None,
        options: SearchOptions | None = None,
        evaluate: Callable[[list[State]], Sequence[Sequence[float]]] | None = None,
        batch: int = 32,
    ) -> None:
        if not 1 <= iterations <= MOST_ITERATIONS:
            raise UsageError(f"a search makes 1 to {MOST_ITERATIONS} iterations")
        if not 1 <= batch <= MOST_BATCH:
            raise UsageError(f"`batch` lies between 1 and {MOST_BATCH}")
        self.iterations, self.seconds = iterations, seconds
        self.evaluate, self.batch = evaluate, batch
        self.options = options or SearchOptions()
        self.position, _ = output(seeded(seed + seat))
        self._core: Core | None = None

    def _evaluation(self, state: State) -> Evaluation | None:
        """Wrap `evaluate` for the engine's states; None where rollouts value leaves."""
        evaluate, ruleset, (executor, _) = self.evaluate, state.ruleset, state.engine
        if evaluate is None:
            return None
        return Evaluation(
            executor, lambda leaves: evaluate([State(ruleset, executor, leaf) for leaf in leaves]), self.batch
        )

    def choose(self, state: State, seat: int) -> Action:
        """Return the best of the seat's legal actions."""
        actions = state.legal_actions(seat)
        return actions[0] if len(actions) == 1 else self.search(state, seat).action

    def search(self, state: State, seat: int | None = None, line: int = 0) -> SearchResult:
        """Search for a seat's best action; the state is not changed.

        Args:
            seat: a pending one; None for the lowest. line: longest expected line (principal variation) to return.

        Raises:
            UsageError: the seat has nothing to choose.
        """
        pending = state.current_players()
        seat = pending[0] if seat is None and pending else seat
        if seat is None or seat not in pending:
            raise UsageError("a search is for a seat that is to choose")
        executor, position = state.engine
        if self._core is None or self._core.executor is not executor:
            self._core = Core(executor, self.options, self._evaluation(state))
        core = self._core
        drawn, self.position = output(self.position)
        stats = core.search(position, seat, drawn, self.iterations, self.seconds)
        actions = state.legal_actions(seat)
        rows = zip(stats, policy(stats), strict=True)
        moves = tuple(SearchedAction(actions[option.index], option.visits, option.value, part) for option, part in rows)
        steps = core.line(position, seat, stats, line) if line else ()
        ids = tuple((step.seat, step.id) for step in steps)
        expected = tuple(
            State(state.ruleset, executor, step.state).named(state.names, state.first).legal(step.id, step.seat)
            for step in steps
        )
        return SearchResult(seat, moves, core.iterations, core.rejected, core.native, ids, core.blind, expected)
