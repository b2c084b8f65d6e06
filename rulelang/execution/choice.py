"""Choice of the backend that runs a ruleset.

Enters: a backend's name, the number of games to be played out, executors to try. Leaves: a `BackendChoice`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from rulelang.diagnostics import RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.resources import installing

BACKENDS = ("auto", "interpreter", "native")

FEWEST_GAMES = 10
"""For fewer random games finding out whether native code pays takes about as long as playing them; compiling does not
pay for any of the shipped rulesets."""

HESITATION = 0.5
"""Seconds at most, besides what would be worth while, that a first game tries out the interpreter."""

NO_COMPILER = f"there is no C compiler for native code; {installing('native')} brings one"


class BackendChoice(NamedTuple):
    """A backend and, where `auto` chose it, the reason in words."""

    backend: str
    why: str = ""


def check_backend(name: str) -> None:
    """Check the name of a backend.

    Raises:
        UsageError: there is no such backend; the message lists those that there are.
    """
    if name not in BACKENDS:
        removed = "generated Python was removed; `native` is faster, `interpreter` needs no compiler; "
        raise UsageError(
            f"there is no backend `{name}`: {removed if name == 'python' else ''}there are {', '.join(BACKENDS)}"
        )


def choose(
    backend: str,
    playouts: int,
    make: Callable[[str], Executor],
    steps: bool = False,
    seconds: float | None = None,
) -> BackendChoice:
    """Choose a backend for about `playouts` random games.

    `auto` takes the interpreter for single steps and few games. For more it takes native code where its library is in
    the cache, or compiling it takes less time than the interpreter takes for the games; native code needs next to none.

    Args:
        backend: a name of `BACKENDS`; other than `auto` it is taken as it is.
        make: returns the executor of a backend.
        steps: whether games are played choice by choice, not in one go.
        seconds: what the interpreter takes for all of them; None: some are played to find out.
    """
    if backend != "auto":
        return BackendChoice(backend)
    if playouts < FEWEST_GAMES:
        return BackendChoice("interpreter")
    from rulelang.native import BuildError, build_cost, cached, find_compiler

    try:
        compiler = find_compiler()
        if compiler is None:
            return BackendChoice("interpreter", NO_COMPILER)
        executor = make("native")
        assert executor.native is not None
        text = executor.native.emitted(steps)
        why = "its library is there already"
        if not cached(text, compiler):
            cost = build_cost(text)
            if seconds is None:
                seconds = playouts * _game_seconds(executor, cost / playouts)
            if seconds <= cost:
                return BackendChoice("interpreter", f"compiling native code would take {cost:.1f} s, and save less")
            why = f"compiling it took about {cost:.1f} s, and saves more"
        if steps:
            executor.prepare_steps()
        else:
            executor.prepare()
    except (UsageError, BuildError) as error:
        return BackendChoice("interpreter", str(error).partition("\n")[0])
    return BackendChoice("native", why)


def _game_seconds(executor: Executor, enough: float) -> float:
    """Return the seconds that the interpreter takes for a random game: the second one, as the first one makes closures.

    The first one is given up after HESITATION and `enough`, which are then returned. It is 0 where a rule goes wrong:
    that error is raised where the games are played.
    """
    interpreter, random, enough = executor.interpreter, Random(0), HESITATION + enough
    state = executor.new_state(0, logging=False)
    end = time.perf_counter() + enough
    try:
        interpreter.advance(state)
        while (waiting := interpreter.waiting(state)) is not None:
            if time.perf_counter() > end:
                return enough
            seat = waiting.seats[0]
            interpreter.choose(state, seat, random.choice(interpreter.options(state, seat)))
        start = time.perf_counter()
        interpreter.random_playout(executor.new_state(1, logging=False))
    except RuleError:
        return 0.0
    return time.perf_counter() - start
