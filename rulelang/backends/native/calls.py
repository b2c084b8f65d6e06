"""How deep procedures call each other, and how often: what must be known so that no ruleset takes native code too far.

Enters: a program. Leaves: for each procedure the depth of the calls that it leads to, and how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulelang.ir.program import Program
from rulelang.ir.walk import callees

MOST = 1 << 40
"""Calls are not counted beyond."""


def call_heights(program: Program) -> list[int]:
    """How many procedures run within each other at most while each runs, itself among them."""
    return _summed(program, lambda heights: 1 + max(heights, default=0))


def most_at_once(program: Program, heights: list[int]) -> int:
    """No more procedures run within each other: those that may call themselves do so only so often, and of the others
    there are no more than their height after each of these."""
    again = sum(code.depth + 1 for code in program.procedures if code.depth)
    return (again + 1) * max(heights)


def call_weights(program: Program, freely: int = MOST) -> list[int]:
    """How many procedures run at most while each runs once, those in loops once too, itself among them.

    Args:
        freely: where there are more, they are counted for this procedure only, not for those that call it.
    """
    return _summed(program, lambda weights: min(MOST, 1 + sum(n for n in weights if n <= freely)))


def _summed(program: Program, add: Callable[[Iterable[int]], int]) -> list[int]:
    """A number for each procedure, made of those of the procedures that it calls, each as often as it stands there; one
    that may call itself is looked at as if it called nothing, and so is one that is being looked at: rules may be
    tried by what they lead to."""
    called = [[] if code.depth else [*callees(code, program.decisions)] for code in program.procedures]
    found = [0] * len(called)
    for start in range(len(called)):
        path, begun = [start], set[int]()
        while path:
            number = path[-1]
            if found[number]:
                path.pop()
                continue
            begun.add(number)
            missing = {other for other in called[number] if not found[other]} - begun
            path += missing
            if not missing:
                found[number] = add([found[other] for other in called[number]])
                path.pop()
    return found
