"""Bags of resources and costs."""

from __future__ import annotations

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import const, number, source_text
from rulelang.semantics.tree.symbols import ClassSym, TypeSym, ValueSym
from rulelang.semantics.tree.types import BOOL, ERROR, NUMBER, BagT, CostT, ErrorT, NumberT, PurseT, bare
from rulelang.semantics.typing.context import Context, expression
from rulelang.semantics.typing.paths import purses_at
from rulelang.syntax import ast

NO_UNIT = (
    "before a resource stands how many (`2 gold`); other things have no unit: `coins += 2`, `count(hand) >= 3`, "
    "`draw 4 from deck to hand`, `move (choose 1 of hand) to …`"
)


def bag_arithmetic(c: Context, node: ast.Arithmetic, left: CExpr, right: CExpr) -> CExpr | None:
    """Return the sum or difference of two bags or costs; None if they are none."""
    a, b = left.type, right.type
    if not (isinstance(a, BagT | CostT) and isinstance(b, BagT | CostT)):
        return None
    if a.resource != b.resource:
        return c.error("type-mismatch", f"a {a} and a {b} are different resources", node.span)
    if isinstance(a, BagT) and isinstance(b, BagT):
        return CExpr("bag_add" if node.op == "+" else "bag_sub", a, (left, right), node.span)
    cost = CostT(a.resource)
    if node.op == "+":
        return CExpr("cost_add", cost, (c.fit(left, cost, "this"), c.fit(right, cost, "this")), node.span)
    if isinstance(b, CostT):
        return c.error("type-mismatch", "a cost with free parts can't be subtracted", right.span)
    return CExpr("cost_sub", cost, (left, right), node.span)


@expression(ast.CanPay)
def _can_pay(c: Context, node: ast.CanPay) -> CExpr:
    """Check `can pay`; where the purses are wrong, false stands for it, as the finding has been reported."""
    cost = c.expr(node.cost)
    purses = purses_at(c, node.purses)
    if not isinstance(purses.type, PurseT):
        return const(0, BOOL, node.span)
    cost = c.fit(cost, CostT(purses.type.resource), "what is paid")
    return CExpr("can_pay", BOOL, (cost, purses), node.span)


@expression(ast.Amount)
def _amount(c: Context, node: ast.Amount) -> CExpr:
    """Return the bag or cost of `2 gold`, `2 any metal`, `1 (gold or tin)`, or `1 kind` with a local `kind`."""
    count = c.value(node.count, NUMBER, "how many")
    if node.goods:
        return _of_goods(c, node, count)
    local = c.find_local(node.names[0].text)
    if (
        local is not None
        and node.mode == "plain"
        and (resource_sym := c.shared.resource(local.type))
        and resource_sym.type == local.type
    ):
        c.names.note(node.names[0].span, local)
        bag = BagT(resource_sym.name)
        unit = CExpr("bag_one", bag, (len(resource_sym.values), c.read(local, node.span)), node.span)
        return CExpr("bag_scale", bag, (count, unit), node.span)
    values: set[int] = set()
    res: TypeSym | None = None
    several = node.mode in ("any", "identical")
    for name in node.names:
        sym = c.names.get(name.text, name.span)
        if isinstance(sym, ValueSym) and (found := c.shared.resource(sym.type)):
            values.add(sym.index)
        elif isinstance(sym, ClassSym) and several and (found := c.shared.resource(sym.type)):
            values.update(sym.members)
        elif isinstance(sym, TypeSym) and several and (found := c.shared.resource(sym.type)):
            values.update(range(len(sym.values)))
        else:
            return _no_goods(c, node, name.span)
        if res not in (None, found):
            return c.error("type-mismatch", f"`{name.text}` is a {found.name}, not a {res.name}", name.span)
        res = found
    assert res is not None
    unit = bag_literal(c, res.name, dict.fromkeys(values, 1), node.span)
    if node.mode != "plain":
        return CExpr("wild", CostT(res.name), (len(res.values), count, unit, int(node.mode == "identical")), node.span)
    if count.op == "const":
        return bag_literal(c, res.name, dict.fromkeys(values, int(str(count.args[0]))), node.span)
    return CExpr("bag_scale", unit.type, (count, unit), node.span)


def _no_goods(c: Context, node: ast.Amount, span: Span) -> CExpr:
    """Report what is no resource in an amount."""
    known = [
        s.name
        for s in c.names.values()
        if isinstance(s, ClassSym) or (isinstance(s, ValueSym) and c.shared.resource(s.type))
    ]
    text, count = source_text(span), source_text(node.count.span)
    local = c.find_local(text)
    if local is not None and isinstance(bare(local.type), ErrorT):
        return const(0, ERROR, span)  # what it is one of was said to be unknown
    hint = suggest(text, known) or NO_UNIT
    symbol = local or c.names.get(text)
    if not c.constant and isinstance(getattr(symbol, "type", None), NumberT):
        return c.error("resource-unknown", "numbers are multiplied with `*`", node.span, f"write `{count} * {text}`")
    if c.constant and not hint.startswith("did"):
        hint = f"write `{count}`; numbers have no unit"
    if isinstance(c.names.get(text), ClassSym):
        hint = f"write `{count} any {text}`"
    return c.error("resource-unknown", f"`{text}` is not a resource", span, hint)


def _of_goods(c: Context, node: ast.Amount, count: CExpr) -> CExpr:
    """Return the bag of `2 (c.bonus)`, or the cost of `3 (g or gold)`, whose goods may be known in play alone."""
    goods: list[CExpr] = []
    for good in node.goods:
        named = c.find_local(good.name) or c.names.get(good.name, good.span) if isinstance(good, ast.NameExpr) else good
        value = c.expr(good) if named is not None and not isinstance(named, ClassSym | TypeSym) else None
        res = c.shared.resource(value.type) if value is not None else None
        if value is None or (not isinstance(value.type, ErrorT) and (res is None or bare(value.type) != res.type)):
            return _no_goods(c, node, good.span)
        goods.append(value if res is None else c.fit(value, res.type, "what is counted"))
    first = c.shared.resource(goods[0].type)
    for value in goods:
        res = c.shared.resource(value.type)
        if res is None or first is None:
            return const(0, ERROR, node.span)
        if res is not first:
            message = f"`{source_text(value.span)}` is a {res.name}, not a {first.name}"
            return c.error("type-mismatch", message, value.span)
    assert first is not None
    bag, size = BagT(first.name), len(first.values)
    if all(value.op == "const" for value in goods):
        units = bag_literal(c, first.name, {int(str(value.args[0])): 1 for value in goods}, node.span)
    else:
        units, *rest = (CExpr("bag_one", bag, (size, value), node.span) for value in goods)
        for unit in rest:
            units = CExpr("bag_add", bag, (units, unit), node.span)
    if len(goods) == 1:
        return CExpr("bag_scale", bag, (count, units), node.span)
    return CExpr("wild", CostT(first.name), (size, count, units, 0), node.span)


def bag_literal(c: Context, resource: str, counts: dict[int, int], span: Span) -> CExpr:
    """Return the bag with so many of each resource, by its index."""
    res = c.shared.type_sym(resource)
    assert res is not None
    none = number(0, span)
    parts = [number(counts[i], span) if i in counts else none for i in range(len(res.values))]
    return CExpr("bag", BagT(resource), tuple(parts), span)
