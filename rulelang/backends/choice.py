"""Which backend runs a ruleset.

Enters: a name, how many games are to be played to their end, machines to try. Leaves: a `Choice`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from rulelang.backends.interpreter import Machine
from rulelang.diagnostics import RuleError, UsageError

BACKENDS = ("auto", "interpreter", "python", "native")

GAMES = 20
"""From so many random games on, generated Python has paid for itself: with the shipped rulesets after 6 to 10."""

FASTER = 5
"""Generated Python plays some 4 to 15 times as fast as the interpreter; native code takes next to no time then."""

Make = Callable[[str], Machine]


class Choice(NamedTuple):
    """A backend and, where nobody asked for it by name, why it is this one."""

    backend: str
    why: str = ""


def choose(backend: str, playouts: int, make: Make) -> Choice:
    """The backend that a name means where about so many games are played to their end at random.

    `auto` takes the interpreter for single steps and few games. For more it takes native code where that is built
    already or saves more time than building it takes, else generated Python.

    Args:
        make: gives the machine of a backend.
    """
    if backend != "auto":
        return Choice(backend)
    if playouts < GAMES:
        return Choice("interpreter")
    from rulelang.backends.native import BuildError, NativeMachine, build_cost, cached, find_compiler

    compiler = find_compiler()
    if compiler is None:
        return Choice("python", "there is no C compiler for native code")
    try:
        native = make("native")
        assert isinstance(native, NativeMachine)
        if cached(native.c, compiler):
            return Choice("native", "its library is there already")
        saved, cost = playouts * _seconds(make("interpreter")) / FASTER, build_cost(native.c)
        if saved <= cost:
            return Choice("python", f"compiling native code would take {cost:.1f} s, and save less")
        native.prepare()
    except (UsageError, BuildError) as error:
        return Choice("python", str(error).partition("\n")[0])
    return Choice("native", f"compiling took about {cost:.1f} s, and saves {saved:.0f} s or more")


def _seconds(machine: Machine) -> float:
    """How long a random game takes: the second one, as making closures is a part of the first."""
    found = 0.0
    for seed in range(2):
        start = time.perf_counter()
        try:
            machine.random_playout(machine.new_state(seed, logging=False))
        except RuleError:
            return 0.0  # whoever plays the games will say what is wrong
        found = time.perf_counter() - start
    return found


def machine_class(backend: str) -> type[Machine]:
    """The class of a backend's machines; the generator is loaded when it is wanted."""
    if backend == "python":
        from rulelang.backends.python import PythonMachine

        return PythonMachine
    if backend == "native":
        from rulelang.backends.native import NativeMachine

        return NativeMachine
    return Machine
