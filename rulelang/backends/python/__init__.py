"""Generated Python: the same answers as the interpreter, sooner.

Enters: a `Program`, a number of players, option values. Leaves: `PythonMachine`.
"""

from rulelang.backends.python.machine import PythonMachine

__all__ = ["PythonMachine"]
