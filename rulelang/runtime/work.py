"""How much fuel running something takes: an estimate of its size, made once when closures are built.

Enters: blocks and expressions. Leaves: numbers for the machine and for the operations that loop. A unit is about a
millionth of a second, so that fuel bounds time and, with it, memory. What loops charges its rounds itself.
"""

from __future__ import annotations

from rulelang.ir.nodes import Block, Chance, Expr
from rulelang.ir.walk import operands, terminator_expressions
from rulelang.runtime.layout import Layout

NODES = 8
"""So many operations on single values are one unit."""
STATEMENT = 4
"""The fuel of a statement that has none of its own."""
CALL_WORK = 3
"""The fuel of a call within an expression."""
TRIAL, CELLS = 24, 8
"""The fuel of trying one choice in `possible`: of any, and one more for so many cells of the state."""


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
    """Return the fuel of reading the expressions once, as in a round of a loop."""
    return 1 + size(layout, *exprs) // NODES


def block_work(layout: Layout, block: Block) -> int:
    """Return the fuel of a block."""
    exprs = [arg for statement in block.statements for arg in statement.args if isinstance(arg, Expr)]
    exprs += () if isinstance(block.terminator, Chance) else terminator_expressions(block.terminator)
    return STATEMENT * len(block.statements) + round_work(layout, *exprs)
