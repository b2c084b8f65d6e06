"""How deep procedures call each other, and how often, so that no ruleset takes native code too far; and which
functions are not to be inlined.

Enters: a program. Leaves: for each procedure the depth of the calls that it leads to, and how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from graphlib import CycleError, TopologicalSorter

from rulelang.ir.nodes import Return
from rulelang.ir.program import Program
from rulelang.ir.walk import callees, index, operands

MOST = 1 << 40
"""Calls are not counted beyond."""
SEVERAL = 4
"""So many functions of which another one calls just one are not inlined."""


def call_heights(program: Program) -> list[int]:
    """Return how many procedures run within each other at most while each runs, itself among them."""
    return _summed(program, lambda heights: 1 + max(heights, default=0))


def most_at_once(program: Program) -> int:
    """Return an upper bound of the procedures that run within each other, lookahead left out: those that may call
    themselves do so only so often, and between two of these the others stand in a row that does not lead back."""
    called = [[] if code.depth else [*callees(code, program.decisions, ("call",))] for code in program.procedures]
    depth_of: dict[int, int] = {}
    try:
        for number in TopologicalSorter(dict(enumerate(called))).static_order():
            depth_of[number] = 1 + max((depth_of[callee] for callee in called[number]), default=0)
    except CycleError:
        return MOST
    return (sum(code.depth + 1 for code in program.procedures if code.depth) + 1) * max(depth_of.values())


def call_weights(program: Program, freely: int = MOST) -> list[int]:
    """Return how many procedures run at most while each runs once, those in loops once too, itself among them.

    Args:
        freely: where there are more, they are counted for this procedure only, not for those that call it.
    """
    return _summed(program, lambda weights: min(MOST, 1 + sum(n for n in weights if n <= freely)))


def _summed(program: Program, add: Callable[[Iterable[int]], int]) -> list[int]:
    """Return a number for each procedure, made of those of the procedures that it calls, each as often as it stands
    there; one that may call itself is looked at as if it called nothing, and so is one that is being looked at: rules
    may be tried by what they lead to."""
    called = [[] if code.depth else [*callees(code, program.decisions)] for code in program.procedures]
    sums = [0] * len(called)
    for start in range(len(called)):
        path, begun = [start], set[int]()
        while path:
            number = path[-1]
            if sums[number]:
                path.pop()
                continue
            begun.add(number)
            missing = {callee for callee in called[number] if not sums[callee]} - begun
            path += missing
            if not missing:
                sums[number] = add([sums[callee] for callee in called[number]])
                path.pop()
    return sums


def chosen_among(program: Program) -> set[int]:
    """Find the functions of which another one calls just one, by its arguments: inlined there, all of them together
    would make it save all registers."""
    chosen: set[int] = set()
    for code in program.procedures:
        end = code.blocks[0].terminator
        value = end.value if isinstance(end, Return) else None
        called = []
        while value is not None and value.op == "if":
            _, then, value = operands(value)
            called += [index(then)] if then.op == "call" else []
        if len(called) >= SEVERAL:
            chosen.update(called)
    return chosen
