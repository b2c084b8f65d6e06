"""Determinization by native code: states that a seat can't tell from the true one.

Enters: an interpreter and its library of searches; a state, a seat, a seed. Leaves: another state, or None where native
code has none: then `rulelang.runtime.rejection` is asked.

A world is a function of what the seat saw and of the seed, never of what is hidden from it (c/pilot.h, c/search.h). It
comes as a block of bytes and frames; what a log of it would tell is played by the interpreter when somebody reads that.
"""

from __future__ import annotations

import threading

from rulelang.ismcts.library import SearchLibrary, Tree, UnsearchableError
from rulelang.native.flat import BlockDecoder, FlatState, Tape, joined
from rulelang.runtime.definition import Definition
from rulelang.runtime.history import Ply, recorded_steps
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import Log
from rulelang.runtime.rejection import choice_entry
from rulelang.runtime.rng import Dice, output, seeded
from rulelang.runtime.state import State
from rulelang.runtime.views import plain_event
from rulelang.runtime.waiting import Option, Waiting

CACHED_TREES = 8
"""Trees that are reused when further worlds of the same state are asked for."""


class NativeWorlds:
    """Samples worlds of the games of one layout; safe to share between threads."""

    def __init__(self, interpreter: Definition, library: SearchLibrary) -> None:
        self._interpreter, self._library = interpreter, library
        self._trees: dict[tuple[int, int], tuple[Log, Tree]] = {}
        self._lock = threading.Lock()

    def deal(
        self, state: State, seat: int, seed: int, waiting: Waiting | None, form: BlockDecoder | None
    ) -> State | None:
        """Return a state that the seat can't tell from this one; None where native code finds none.

        Args:
            seed: the same one gives the same state. waiting: the pending node of the state. form: decoder of the new
                state; None for that of the search library.
        """
        machine = self._interpreter
        if waiting is None or waiting.kind != "decision":
            return None
        with self._lock:
            try:
                tree = self._tree(state, seat)
            except UnsearchableError:
                return None
            world = tree.sample_state(seed)
            trace = tree.trace() if world is not None else []
        if world is None:
            return None
        rng = output(seeded(seed))[0]

        def follow() -> State:
            """Replay the world in a fresh game, for its log."""
            live = machine.new_state(0, True)
            replay_trace(machine, trace, live, state, seat, Dice(rng))
            live.rng, live.explicit = rng, state.explicit
            return live

        if machine.layout.program.decisions[waiting.decision].together:
            return follow()
        block = rng.to_bytes(8, "little") + world[0][8:]
        return FlatState(form or self._library, joined(block, world[1], state), Tape(follow), waiting)

    def _tree(self, state: State, seat: int) -> Tree:
        """Return the tree that samples worlds of a state for a seat, cached by log and seat."""
        key = id(state.log), seat
        if key not in self._trees:
            tree = Tree(self._library)
            tree.set_root(state, seat, secrets=True)
            tree.record_traces()
            self._trees[key] = state.log, tree
            while len(self._trees) > CACHED_TREES:
                del self._trees[next(iter(self._trees))]
        return self._trees[key][1]


def replay_trace(
    machine: Definition, trace: list[tuple[int, int]], live: State, like: State, seat: int, dice: Dice
) -> None:
    """Replay a world by the interpreter, from before the setup of a game.

    Args:
        trace: its steps, see `Tree.trace`. live: the fresh game that is played. like: the true state, of which only
            what the seat knows is read. dice: draws the others' choices of an incomplete simultaneous decision.
    """
    decisions = machine.layout.program.decisions
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
            if step.seat == seat:
                options = [option for option in options if _is_told_as(machine.layout, step, option)]
            machine.choose(live, step.seat, options[dice.below(len(options))])


def _is_told_as(layout: Layout, step: Ply, option: Option) -> bool:
    """Return whether the seat that made a choice is told of it as of this option: individuals that are interchangeable
    may have other numbers in a world."""
    if not any(layout.interchangeable):
        return option == step.choice
    told, other = (plain_event(layout, choice_entry(step, choice), 0) for choice in (step.choice, option))
    return bool(told == other)
