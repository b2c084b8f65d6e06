"""Which backend runs a ruleset.

Enters: a name, and how many games are to be played to their end. Leaves: the machine's class.
"""

from __future__ import annotations

from rulelang.backends.interpreter import Machine

BACKENDS = ("auto", "interpreter", "python")

GAMES = 20
"""From so many random games on, generated Python has paid for itself: with the shipped rulesets after 6 to 10."""


def chosen(backend: str, playouts: int) -> str:
    """The backend that a name means where about so many games are played to their end at random.

    `auto` takes the interpreter for single steps, and generated Python where what it saves is more than what making it
    takes. Both grow with the size of the program, so that it comes down to a number of games.
    """
    if backend != "auto":
        return backend
    return "python" if playouts >= GAMES else "interpreter"


def machine_class(backend: str) -> type[Machine]:
    """The class of a backend's machines; the generator is loaded when it is wanted."""
    if backend == "python":
        from rulelang.backends.python import PythonMachine

        return PythonMachine
    return Machine
