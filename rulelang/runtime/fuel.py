"""Fuel costs: static estimates, made when closures are built.

Enters: blocks and expressions. Leaves: numbers of units for the machine and for the operations that loop. A unit is
about a microsecond, so that fuel bounds time and, with it, memory. Operations that loop charge for their rounds
themselves.
"""

from __future__ import annotations

from rulelang.ir.nodes import Block, Chance, Expr
from rulelang.ir.walk import operands, outermost
from rulelang.runtime.layout import Layout

NODES = 8
"""Operations on single values for one unit of fuel."""
STATEMENT = 4
"""The fuel of a statement that has none of its own."""
CALL_WORK = 3
"""The fuel of a call within an expression."""
TRIAL, CELLS = 24, 8
"""The fuel of trying one choice in `possible`: a fixed part, and one unit for each so many cells of the state."""


def size(layout: Layout, *exprs: Expr) -> int:
    """Return the number of operations on single values in the expressions; one on bags counts once per resource."""
    total = 0
    waiting = list(exprs)
    while waiting:
        expr = waiting.pop()
        total += layout.operations(expr.type)
        waiting += operands(expr)
    return total


def round_work(layout: Layout, *exprs: Expr) -> int:
    """Return the fuel of evaluating the expressions once, as in one round of a loop."""
    return 1 + size(layout, *exprs) // NODES


def block_work(layout: Layout, block: Block) -> int:
    """Return the fuel of one execution of a block."""
    exprs = [arg for statement in block.statements for arg in statement.args if isinstance(arg, Expr)]
    exprs += () if isinstance(block.terminator, Chance) else outermost(block.terminator)
    return STATEMENT * len(block.statements) + round_work(layout, *exprs)
