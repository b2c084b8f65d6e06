"""Change bag variables in place: `x += bag` and `x -= bag` touch only the cells of the resources that change.

Enters: a statement that sets a bag variable to its own value plus or minus a bag. Leaves: its lines; none for others.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr, Statement
from rulelang.ir.program import VariableTable
from rulelang.ir.walk import number, operands
from rulelang.native.analysis import same
from rulelang.native.expressions import Environment, Writer
from rulelang.native.text import literal, numeral
from rulelang.runtime.constants import UNKNOWN
from rulelang.vocabulary.types import INT

FEW = 3
"""Most resources that are changed one by one."""


def changed_in_place(
    w: Writer, node: Statement, table: VariableTable, target: Expr, cell: str, value: Expr, s: Environment
) -> bool:
    """Emit an in-place addition to, or subtraction from, a bag variable; return False for any other statement."""
    if value.op not in ("bag_add", "bag_sub") or w.known(value) is not UNKNOWN:
        return False
    old, change = operands(value)
    if not same(old, target) or (value.op == "bag_sub" and table.low < 0):
        return False
    sparse = _sparse_change(w, change, s)
    if sparse is None:
        return False
    times, kinds = sparse
    line, fresh = w.source.line, w.source.fresh
    with w.source.block(""):
        # The first resource that changes may be one that the words for the variable's place read.
        (before, count), (before_cell, cell) = w.temporary(times, "times"), w.temporary(cell, "cell")
        line(before + before_cell)
        for kind, amount in kinds:
            at, new = fresh("at"), fresh("new")
            text = count if amount == 1 else f"mul_(g, {count}, {w.constant(amount, INT)}, {change.site})"
            if literal(count) == 1:
                text = w.constant(amount, INT)
            line(f"W *const {at} = &g->s.v[{cell} + {kind}];")
            how = "add_" if value.op == "bag_add" else "beyond"
            line(f"const W {new} = {how}(g, *{at}, {text}, {value.site});")
            low, high = w.constant(table.low, INT), w.constant(table.high, INT)
            line(f"if (UNLIKELY({new} < {low} || {new} > {high})) fail(g, {node.site});")
            line(f"*{at} = {new};")
    return True


def _sparse_change(w: Writer, change: Expr, s: Environment) -> tuple[str, list[tuple[str, int]]] | None:
    """Return the factor and the (resource, amount) pairs of a bag with few resources; None for other bags."""
    known = w.known(change)
    if known is not UNKNOWN:
        kinds = [(str(kind), amount) for kind, amount in enumerate(known) if amount]
        return (numeral(1), kinds) if len(kinds) <= FEW else None
    if change.op == "bag_scale":
        times, bag = operands(change)
        sparse = _sparse_change(w, bag, s)
        return None if sparse is None or sparse[0] != "1" else (w.text(times, s), sparse[1])
    if change.op == "bag_one":
        (kind,) = operands(change)
        return numeral(1), [(f"resource_(g, {w.text(kind, s)}, {number(change)}, {change.site})", 1)]
    return None
