"""A stream of worlds that a seat can't tell from the true one, by native code (`State.resample` gives a single one).

Enters: a state, a seat, a seed. Leaves: states.

A world is a function of what the seat saw and of the seed alone, never of what is hidden from it. The first is found by
repairing random ones where the seat would notice a difference. Each further one deals anew, from the last one that
fitted, all hidden draws that the seat has not learnt since (rejection sampling, exact), or where that fails a part of
them (Metropolis), and changes hidden choices. See docs/decisions/017-search.md.
"""

from __future__ import annotations

from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.game import State
from rulelang.ismcts.library import Tree, UnsearchableError
from rulelang.ismcts.worlds import replay_trace
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.state import State as RuntimeState


class Worlds:
    """Samples of what a seat does not know at a state.

    Args:
        state: the true one. seat: whose knowledge all worlds share. seed: of the samples.

    Raises:
        UsageError: there is no compiler, or native code can't play the recorded game again.
    """

    def __init__(self, state: State, seat: int, seed: int = 0) -> None:
        executor, position = state.engine
        self._ruleset, self._executor, self._true = state.ruleset, executor, position
        self._tree = Tree(executor.search_library(), seed=seed)
        self._tree.record_traces()
        self._seat, self._dice = seat, Dice(output(seeded(seed))[0])
        try:
            self._tree.set_root(position, seat, secrets=True)
        except UnsearchableError as error:
            raise UsageError(f"there are no worlds of this state in native code: {error}") from None

    def skip(self, count: int) -> int:
        """Sample worlds without making states of them; return how many: fewer if none was found."""
        return self._tree.sample_worlds(count)

    def deal(self) -> State:
        """Sample the next world; return it as a state in which the game can be played on.

        Raises:
            UsageError: none was found.
        """
        if not self._tree.sample_worlds(1):
            raise UsageError("no world was found that fits what the seat saw")
        world = replayed_world(self._executor, self._tree.trace(), self._true, self._seat, self._dice)
        world.rng, _ = output(self._dice.rng)
        return State(self._ruleset, self._executor, self._executor.immutable(world))


def replayed_world(
    executor: Executor, trace: list[tuple[int, int]], like: RuntimeState, seat: int, dice: Dice
) -> RuntimeState:
    """Return the state that a traced world leads to; arguments as `replay_trace`."""
    live = executor.interpreter.new_state(0, True)
    replay_trace(executor.interpreter, trace, live, like, seat, dice)
    live.explicit = like.explicit
    return live
