"""Worlds that a seat can't tell from the true one, from native code: what `State.resample` gives, far faster.

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
from rulelang.native.search import Tree, UnsearchableError
from rulelang.runtime.history import recorded_steps
from rulelang.runtime.replay import Dice
from rulelang.runtime.rng import output, seeded
from rulelang.runtime.state import State as RuntimeState
from rulelang.runtime.waiting import Option


class Worlds:
    """Deals of what a seat does not know at a state.

    Args:
        seat: whose knowledge is kept.

    Raises:
        UsageError: there is no compiler, or native code can't play the recorded game again.
    """

    def __init__(self, state: State, seat: int, seed: int = 0) -> None:
        executor, position = state.engine
        self._ruleset, self._executor, self._true = state.ruleset, executor, position
        self._tree = Tree(executor.search_library(), 1, 0, 0, 0, 1, seed)
        self._seat, self._dice = seat, Dice(output(seeded(seed))[0])
        try:
            self._tree.stand(position, seat, secrets=True)
        except UnsearchableError as error:
            raise UsageError(f"there are no worlds of this state in native code: {error}") from None

    def skip(self, count: int) -> int:
        """Deal so many worlds, of which no states are made; return how many were found: fewer if there is none."""
        return self._tree.deals(count)

    def deal(self) -> State:
        """Another world, as a state in which the game can be played on.

        Raises:
            UsageError: none was found.
        """
        if not self._tree.deals(1, tracing=True):
            raise UsageError("no world was found that fits what the seat saw")
        found = played(self._executor, self._tree.trace(), self._true, self._seat, self._dice)
        found.rng, _ = output(self._dice.rng)
        return State(self._ruleset, self._executor, self._executor.immutable(found))


def played(executor: Executor, trace: list[tuple[int, int]], like: RuntimeState, seat: int, dice: Dice) -> RuntimeState:
    """The state that a world leads to, played by the interpreter.

    Args:
        like: the true state, of which only what the seat knows is read. dice: for what others chose of a decision
            that is not complete.
    """
    machine, decisions = executor.interpreter, executor.program.decisions
    live = machine.new_state(0, True)
    machine.advance(live)
    order = [entry[2] for entry in like.log if entry[0] == "commit"]  # seats that choose at once do so in any order
    at = done = 0
    while at < len(trace):
        waiting = machine.waiting(live)
        assert waiting is not None
        is_choice, value = trace[at]
        if not is_choice:
            machine.take_outcome(live, value)
            at += 1
            continue
        group = len(waiting.seats) if decisions[waiting.decision].together else 1
        chosen = {seat: index for seat, (_, index) in zip(waiting.seats, trace[at : at + group], strict=True)}
        for who in order[done : done + group] if decisions[waiting.decision].together else waiting.seats:
            machine.choose(live, who, machine.options(live, who)[chosen[who]])
        done += group if decisions[waiting.decision].together else 0
        at += group
    for step in recorded_steps(like) if done < len(order) else ():
        if not step.told:
            options = machine.options(live, step.seat)
            known = options.index(Option(*step.choice)) if step.seat == seat else dice.below(len(options))
            machine.choose(live, step.seat, options[known])
    live.explicit = like.explicit
    return live
