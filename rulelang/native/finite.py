"""Sets of few constants that need not be gone through: those with one value, and what is in which.

Enters: loops over constants, tables of constant sets. Leaves: text without a loop.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.types import INT
from rulelang.ir.walk import index, local_reads, number, operands
from rulelang.native.expressions import Scope, Writer, compound, conjuncts
from rulelang.native.pieces import column, item
from rulelang.runtime.constants import UNKNOWN, WORD


def only_one(w: Writer, e: Expr, s: Scope) -> tuple[str, str, str, Scope, list[Expr]] | None:
    """Of constants that are filtered by being equal to something: what comes before, the name of that, the condition
    that it is one of them, where the other conditions stand, and these."""
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
        among += f" && UINT64_C({sum(1 << one - low for one in fixed)}) >> {at} & 1"
    return f"const W {x} = {w.text(value, s)}; ", x, among, s.bind(slot, x), others


def masks_of(w: Writer, e: Expr, s: Scope) -> str | None:
    """A table's set of small numbers as a word with a bit for each."""
    if e.op not in ("attr", "eattr", "gattr") or w.known(e) is not UNKNOWN or e.type.kind != "set":
        return None
    if compound(e.type.inner):
        return None
    layout = w.layout
    columns = {"attr": layout.columns, "eattr": layout.enum_columns, "gattr": layout.grid_columns}[e.op]
    values = columns[number(e)][number(e, 1)]
    if not all(isinstance(row, int) or all(0 <= one < WORD - 1 for one in row) for row in values):
        return None
    (place,) = operands(e)
    at = item(w, place, s) if e.op == "attr" else w.text(place, s)
    rows = [0 if isinstance(row, int) else sum(1 << one for one in set(row)) for row in values]
    return column(w, rows, INT, at)
