"""Which expressions may be read before it is known that they are needed, by the table of operations.

Enters: expressions of a program. Leaves: yes or no.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.walk import operands
from rulelang.mir.bits import unwraps
from rulelang.runtime.bounds import WHOLE, interval
from rulelang.vocabulary.operations import EXPRESSIONS, having

LENIENT = having("lenient")


def is_total(program: Program, expr: Expr) -> bool:
    """Return whether an operation cannot fail where its operands do not: by the table, or as its number stays small."""
    failures = EXPRESSIONS[expr.op].failures
    return not failures or (failures == {"overflow"} and expr.type == "int" and interval(program, expr) != WHOLE)


def is_early(program: Program, expr: Expr) -> bool:
    """Return whether an expression may be read where it would not have been: nothing in it fails, nor takes an absent
    value as a present one."""
    return (
        is_total(program, expr)
        and "decision" not in EXPRESSIONS[expr.op].reads
        and all(is_early(program, part) for part in operands(expr))
        and (expr.op in LENIENT or not any(map(unwraps, operands(expr))))
    )
