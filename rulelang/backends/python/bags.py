"""Operations on bags, costs and purses as Python text.

Enters: expressions over resources. Leaves: the text of Python expressions.
"""

from __future__ import annotations

from rulelang.backends.facts import SMALL
from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.python.expressions import Writer, writes
from rulelang.backends.python.scope import Scope
from rulelang.ir.nodes import Expr
from rulelang.runtime.payments import cost_size, expansions

FEW = 8
"""A fixed cost of no more resources is expanded once, if that makes a short list."""


@writes(
    "bag_sub", "bag_scale", "bag_has", "bag_pick", "bag_size", "bag_clamp", "bag_add",
    "cost", "cost_add", "cost_sub", "cost_scale", "cost_fixed", "cost_size", "bag_kinds", "opposite",
)  # fmt: skip
def _pure(w: Writer, e: Expr, s: Scope) -> str:
    return f"pure_{e.op}({', '.join(w.texts(e, s))})"


@writes("bag")
def _bag(w: Writer, e: Expr, s: Scope) -> str:
    return f"({''.join(f'{count}, ' for count in w.texts(e, s))})"


@writes("bag_get")
def _bag_get(w: Writer, e: Expr, s: Scope) -> str:
    (source,) = operands(e)
    kind = number(e, 1)
    if source.op == "var":
        variable = number(source)
        layout = w.layout
        base = layout.var_base[variable] + kind
        return f"v[{w.instance(base, layout.var_strides[variable], operands(source), s)}]"
    return f"{w.text(source, s)}[{kind}]"


@writes("bag_one")
def _bag_one(w: Writer, e: Expr, s: Scope) -> str:
    size = number(e)
    ones = [tuple(int(kind == value) for kind in range(size)) for value in range(size)]
    (value,) = w.texts(e, s)
    return f"{w.source.constant(ones)}[{value}]"


@writes("wild")
def _wild(w: Writer, e: Expr, s: Scope) -> str:
    count, mask = w.texts(e, s)
    return f"make_wild({number(e)}, {count}, {mask}, {number(e, 3)})"


@writes("expansions")
def _expansions(w: Writer, e: Expr, s: Scope) -> str:
    cost = w.compiler.known(operands(e)[0])
    if cost is not UNKNOWN and cost_size(cost) <= FEW:
        found = expansions(cost)
        if len(found) <= SMALL:
            return w.source.constant(found)
    (text,) = w.texts(e, s)
    return f"expanded(S, {text}, {e.site})"


@writes("sub_bags")
def _sub_bags(w: Writer, e: Expr, s: Scope) -> str:
    arguments = ", ".join(w.texts(e, s))
    return f"listed(S, lambda most: listed_sub_bags({arguments}, most), {e.site})"


@writes("placements")
def _placements(w: Writer, e: Expr, s: Scope) -> str:
    present, added, total, each, *limits = w.texts(e, s)
    is_bag = operands(e)[1].type.startswith("bag:")
    price = f"({added}, ())" if is_bag else added
    return f"placed(S, ({present}, {price}, {total}, {each}, ({''.join(f'{limit}, ' for limit in limits)})), {e.site})"


# ---- purses -----------------------------------------------------------------------------------------


@writes("purse")
def _purse(w: Writer, e: Expr, s: Scope) -> str:
    variable = number(e)
    return w.variable_cell(variable, operands(e), s)


@writes("purses_of")
def _purses_of(w: Writer, e: Expr, s: Scope) -> str:
    variable = number(e)
    layout = w.layout
    width = layout.pvar_width[variable]
    base = w.piece_variable_base(variable)
    (items,) = w.texts(e, s)
    item = w.source.fresh("item")
    return f"[{base} + {item} * {width} for {item} in {items}]"


def cells(w: Writer, expr: Expr, s: Scope) -> str:
    """The first cells of one purse or a set of them."""
    text = w.text(expr, s)
    return f"[{text}]" if expr.type.startswith("purse:") else text


@writes("purses")
def _purses(w: Writer, e: Expr, s: Scope) -> str:
    parts = [cells(w, part, s) for part in operands(e)]
    if len(parts) == 1:
        return parts[0]
    return f"list(dict.fromkeys([{', '.join(f'*{part}' for part in parts)}]))"


@writes("can_pay")
def _can_pay(w: Writer, e: Expr, s: Scope) -> str:
    cost, purses = operands(e)
    return f"can_pay(v, {w.text(cost, s)}, {cells(w, purses, s)})"


@writes("payments")
def _payments(w: Writer, e: Expr, s: Scope) -> str:
    cost, purses = operands(e)
    return f"payable(S, {w.text(cost, s)}, {cells(w, purses, s)}, {e.site})"


@writes("holdings")
def _holdings(w: Writer, e: Expr, s: Scope) -> str:
    (purses,) = operands(e)
    width = w.layout.width(e.type)
    return f"holdings({width}, purse_bags(v, {cells(w, purses, s)}, {width}))"
