"""Replace loops over small sets of constants: a filter by equality is one range test, membership a bit test.

Enters: loops over constants, tables of constant sets. Leaves: text without a loop.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, local_reads, number, operands
from rulelang.mir.bits import conjuncts
from rulelang.native.expressions import Environment, Writer
from rulelang.runtime.constants import UNKNOWN, WORD


def equal_constant(w: Writer, e: Expr, s: Environment) -> tuple[str, str, str, Environment, list[Expr]] | None:
    """Rewrite a filter of constants `x` by `x == value`: return a declaration of `value`, its name, the test that it is
    among the constants, the environment in which `x` is that name, the remaining conditions; None for other filters."""
    source, condition = operands(e)
    fixed, slot = w.known(source), number(e)
    if fixed is UNKNOWN or len(fixed) < 2 or not all(isinstance(value, int) for value in fixed):
        return None
    test, *others = conjuncts(condition)
    low, high = min(fixed), max(fixed)
    if test.op != "eq" or high - low >= WORD or len(set(fixed)) < len(fixed):
        return None
    left, right = operands(test)
    value = right if slot in local_reads(left) else left
    own = left if value is right else right
    if slot in local_reads(value):
        return None
    x = w.name(s, slot)
    if own.op != "local" or index(own) != slot or not own.type.scalar:
        return None
    at = f"((U){x} - {low})" if low > 0 else f"((U){x} + {-low})"
    among = f"{at} < {high - low + 1}"
    if len(fixed) <= high - low:
        among += f" && UINT64_C({sum(1 << constant - low for constant in fixed)}) >> {at} & 1"
    return f"const W {x} = {w.text(value, s)}; ", x, among, s.bind(slot, x), others
