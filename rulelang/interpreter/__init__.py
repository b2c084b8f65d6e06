"""The interpreter: the definition of what a rule means.

Enters: a `Program`, a number of players, option values. Leaves: `Machine`, which runs states from one decision or
chance node to the next by closures built once from the intermediate representation.
"""

from rulelang.interpreter.machine import Machine

__all__ = ["Machine"]
