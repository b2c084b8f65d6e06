"""Random games of made-up rulesets on all backends, from their start and from positions on the way.

Enters: the text of a ruleset. Leaves: nothing, if all backends play the same.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import rulelang
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.state import State

from .sanitized import Watched, generators, outcome

GAMES, STEPS, EVERY = 3, 40, 7
"""So many games are gone through for so many decisions; from each seventh on all play to the end."""


def load(folder: Path, text: str) -> rulelang.Ruleset:
    """A ruleset of one file."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def ended(executor: Executor, state: State) -> tuple[Any, ...] | str:
    """All that matters of a game that is played to its end."""
    try:
        executor.random_playout(state)
    except RuleError as error:
        return str(error)
    return state_hash(state), state.rng, state.decisions, state.turns, state.v, state.z, state.where, state.pools


def never_interpreted(executor: Executor) -> None:
    """From now on a game that native code can play and gives up fails its test."""
    native, play = executor.native, executor.interpreter.random_playout
    assert native is not None

    def refuse(state: State) -> None:
        assert native.frames_of(state) is None, "native code gave a game up"
        play(state)

    executor.interpreter.random_playout = refuse  # type: ignore[method-assign]


def same_games(ruleset: rulelang.Ruleset, players: int = 2) -> None:
    """Both backends play the same games, native code all of them itself."""
    executor, native = (ruleset.executor(players, {}, backend) for backend in ("interpreter", "native"))
    never_interpreted(native)
    one = executor.interpreter
    for game in range(GAMES):
        picker = random.Random(game)
        state = one.new_state(game, logging=False)
        for step in range(STEPS):
            if step % EVERY == 0:
                assert ended(native, state.clone()) == ended(executor, state.clone()), (game, step)
            one.advance(state)
            waiting = one.waiting(state)
            if waiting is None:
                break
            seat = picker.choice(waiting.seats)
            one.choose(state, seat, picker.choice(one.options(state, seat)))


def watched_games(ruleset: rulelang.Ruleset, folder: Path) -> None:
    """Under the eyes of the sanitizers games of two end as in the interpreter."""
    machine, native = (ruleset.executor(2, {}, backend) for backend in ("interpreter", "native"))
    assert native.native is not None
    start = machine.new_state(logging=False)
    rngs = generators(200)
    (found,) = Watched(native.native, folder).play([(start, rngs)])
    assert found[:20] == [outcome(machine, start, rng) for rng in rngs[:20]]
