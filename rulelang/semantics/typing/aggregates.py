"""What is made of whole collections: sums, counts, extremes, and questions asked of each element."""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, conjunction
from rulelang.semantics.tree.shared import const, element_type, least_size, number
from rulelang.semantics.tree.symbols import ZoneSym
from rulelang.semantics.typing.asked import known_of_element
from rulelang.semantics.typing.context import Context
from rulelang.semantics.typing.orders import best, is_ordered, number_of
from rulelang.semantics.typing.paths import IndexedPath, Places, all_values, finish, paths
from rulelang.syntax import ast
from rulelang.syntax.comprehensions import outermost

AGGREGATES = ("sum", "count", "any", "all", "max", "min", "distinct", "each")
MAX_SIZE = 1_000_000
FINITE = (ty.EnumT, ty.CellT, ty.PlayerT)
"""Types whose values are places of a graph."""


def aggregate(c: Context, node: ast.Call) -> CExpr:
    """`sum(…)`, `count(…)` and the others: of a collection, or of what is said `for x in` one."""
    name = node.function.text
    argument = node.arguments[0]
    if name in ("min", "max") and len(node.arguments) == 2:
        return _extreme_of_two(c, node)
    if name == "distinct" and len(node.arguments) > 1:
        return _distinct_by(c, node)
    if len(node.arguments) != 1:
        return c.error("call-arguments", f"`{name}` takes one argument", node.span)
    if isinstance(argument, ast.Comprehension):
        return _comprehended(c, name, argument, node.span)
    if name == "count":
        return count_of(c, argument)
    value = c.expr(argument)
    if isinstance(value.type, ty.ErrorT):
        return value
    collection = c.as_set(value, f"the argument of `{name}`")
    if isinstance(collection.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    local = c.new_local("it", element_type(collection), node.span)
    return _folded(c, name, local, collection, c.read(local, argument.span), node.span)


def _comprehended(c: Context, name: str, node: ast.Comprehension, span: Span) -> CExpr:
    """Return an aggregate over a comprehension; nested `for`s become one flattened collection."""
    name, node = outermost(name, node)
    collection = c.collection(node.collection, "what stands after `in`")
    with c.nested(), c.pure(), c.within(facts=c.facts):
        local = c.declare(node.name, element_type(collection))
        c.facts = [*c.facts, *known_of_element(c, local, collection)]
        if node.condition is not None:
            condition = c.condition(node.condition)
            c.facts = [*c.facts, *conjunction(condition)]
            collection = CExpr("filter", ty.SetT(element_type(collection)), (local, collection, condition), span)
        inner = node.body if isinstance(node.body, ast.Comprehension) else None
        body = c.expr(node.body) if inner is None else _comprehended(c, "each", inner, span)
    if inner is not None and isinstance(body.type, ty.SetT):
        collection = set_of(c.shared, "flatten", body.type.element, (local, collection, body), span)
        local = c.new_local("it", body.type.element, span)
        body = c.read(local, span)
    if name == "count":
        return CExpr("count", ty.NumberT(0, MAX_SIZE), (collection,), span)
    return _folded(c, name, local, collection, body, span)


def _folded(c: Context, name: str, local: object, collection: CExpr, body: CExpr, span: Span) -> CExpr:
    """Return the fold `name` of `body` over a collection: `sum`, `any`, `all`, `max`, `min`, `distinct`, else a map."""
    t = body.type
    if isinstance(t, ty.ErrorT):
        return body
    if name in ("sum", "max", "min") and isinstance(t, ty.PieceT):
        numbers = [name for name, of in c.shared.kind(t.kind).attributes.items() if isinstance(of, ty.NumberT)]
        hint = f"name an attribute: `.{numbers[0]}`" if numbers else ""
        what = "summed" if name == "sum" else "compared"
        return c.error("type-mismatch", f"what is {what} must be a number, but this is a {t}", body.span, hint)
    if name == "sum":
        if isinstance(t, ty.BagT | ty.CostT):
            return CExpr("sum", t, (local, collection, body), span)
        body = c.fit(body, ty.NUMBER, "what is summed")
        low = 0 if isinstance(t, ty.NumberT) and t.low >= 0 else ty.INT_MIN
        high = 0 if isinstance(t, ty.NumberT) and t.high <= 0 else ty.INT_MAX
        return CExpr("sum", ty.NumberT(low, high), (local, collection, body), span)
    if name in ("any", "all"):
        return CExpr(name, ty.BOOL, (local, collection, c.fit(body, ty.BOOL, f"what `{name}` asks")), span)
    if name in ("max", "min"):
        if (found := best(c, name, local, collection, body, span)) is not None:
            return found
        body = c.fit(body, ty.NUMBER, "what is compared")
        result = body.type if isinstance(body.type, ty.NumberT) else ty.NUMBER
        extreme = CExpr(name, ty.optional(result), (local, collection, body), span)
        return CExpr("otherwise", result, (extreme, number(0, span)), span) if least_size(collection) else extreme
    mapped = set_of(c.shared, "map", t, (local, collection, body), span)
    if name != "distinct":
        return mapped
    if not ty.is_scalar(t):
        return c.error("type-mismatch", f"`distinct` counts single values, not a {t}", span)
    if isinstance(t, ty.PieceT):
        piece = c.new_local("it", t, span)
        return set_of(c.shared, "distinct_by", t, (piece, mapped, _key(c, c.read(piece, span))), span)
    return set_of(c.shared, "distinct", t, (mapped,), span)


def _distinct_by(c: Context, node: ast.Call) -> CExpr:
    """`distinct(C by x, y)`: of the elements of which `x` and `y` are the same, the first."""
    collection = c.collection(node.arguments[0], "the argument of `distinct`")
    local = c.new_local("it", element_type(collection), node.span)
    with c.element(local, collection):
        keys = [_key(c, c.expr(key)) for key in node.arguments[1:]]
    if any(isinstance(key.type, ty.ErrorT) for key in keys) or isinstance(collection.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    numbers = ty.SetT(ty.NUMBER)
    sets = [key for key in keys if isinstance(key.type, ty.SetT)]
    row = [CExpr("count", ty.NUMBER, (key,), key.span) if key in sets else key for key in keys]
    key = row[0] if len(keys) == 1 and not sets else CExpr("list", numbers, tuple(_number(k) for k in row), node.span)
    for members in sets:
        member = c.new_local("it", element_type(members), members.span)
        each = CExpr("map", numbers, (member, members, _number(_key(c, c.read(member)))), members.span)
        key = CExpr("union", numbers, (key, each), node.span)
    return set_of(c.shared, "distinct_by", local.type, (local, collection, key), node.span)


def reachable(c: Context, node: ast.Call) -> CExpr:
    """`reachable(X by E)`: X, or all of it, and what E leads to from any of these."""
    first, step = node.arguments
    start = c.expr(first)
    if isinstance(start.type, FINITE):
        start = set_of(c.shared, "list", start.type, (start,), start.span)
    start = c.as_set(start, "where `reachable` starts")
    element = element_type(start)
    if not isinstance(element, (*FINITE, ty.ErrorT)):
        message = "`reachable` starts at a cell, a player or a value of a type, not at a {}"
        return c.error("type-mismatch", message.format(element), first.span)
    local = c.new_local("it", element, node.span)
    with c.element(local):
        steps = c.fit(c.collection(step, "what stands after `by`"), ty.SetT(element), "what stands after `by`")
    return set_of(c.shared, "reachable", element, (local, start, steps), node.span)


def _key(c: Context, value: CExpr) -> CExpr:
    """Return the key by which `distinct` compares values: of a piece its sort."""
    if isinstance(value.type, ty.ZoneT | ty.GroupT):
        value = c.as_set(value)
    if not ty.is_scalar(value.type.element if isinstance(value.type, ty.SetT) else value.type):
        return c.error("type-mismatch", f"`distinct` compares single values, not a {value.type}", value.span)
    return CExpr("sort_of", ty.NUMBER, (value,), value.span) if isinstance(value.type, ty.PieceT) else value


def _number(value: CExpr) -> CExpr:
    return CExpr("cast", ty.NUMBER, (value,), value.span)


def count_of(c: Context, node: ast.Expr) -> CExpr:
    """Return the count of a collection; of a zone without its indices, over all its instances, seen or not."""
    if isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
        target = paths(c, node)
        place = target.place if isinstance(target, Places) else target
        if (
            isinstance(place, IndexedPath)
            and isinstance(place.symbol, ZoneSym)
            and not (place is target and place.complete)
        ):
            size = _size_everywhere(c, place.symbol, place.indices, node.span)
            if isinstance(target, Places):
                size = CExpr("sum", size.type, (target.element, target.collection, size), node.span)
            return size
        return size_of(c, finish(c, target), node.span)
    return size_of(c, c.expr(node), node.span)


def _size_everywhere(c: Context, zone: ZoneSym, indices: tuple[CExpr, ...], span: Span) -> CExpr:
    """Return the sizes of all instances whose first indices are given."""
    if len(indices) == len(zone.per):
        place = CExpr("zone", ty.ZoneT(zone.kind), (zone, *indices), span)
        return CExpr("size", ty.NumberT(0, MAX_SIZE), (place,), span)
    index = zone.per[len(indices)]
    local = c.new_local("it", index, span)
    sym = c.shared.values_of(index)
    values = all_values(c, sym, span) if sym is not None else set_of(c.shared, "parties", ty.PLAYER, (), span)
    rest = _size_everywhere(c, zone, (*indices, c.read(local, span)), span)
    return CExpr("sum", ty.NumberT(0, MAX_SIZE), (local, values, rest), span)


def size_of(c: Context, value: CExpr, span: Span) -> CExpr:
    """`count(x)`: how many there are in a zone, a collection, a bag or a cost."""
    if isinstance(value.type, ty.ZoneT):
        return c.by_place(value, lambda zone: CExpr("size", ty.NumberT(0, MAX_SIZE), (zone,), span))
    sizes: list[tuple[type[ty.Type], str]] = [(ty.BagT, "bag_size"), (ty.CostT, "cost_size")]
    for kind, op in sizes:
        if isinstance(value.type, kind):
            return CExpr(op, ty.NumberT(0, MAX_SIZE), (value,), span)
    if isinstance(value.type, ty.ErrorT):
        return value
    if isinstance(value.type, ty.EmptyT):
        return number(0, span)
    if c.constant and value.op in ("players", "everyone"):
        return CExpr("player_count", ty.NumberT(1, max(c.checked.ruleset.players)), (), span)
    counted = c.as_set(value, "what is counted")
    return CExpr("count", ty.NumberT(int(isinstance(value.type, ty.GroupT)), MAX_SIZE), (counted,), span)


def _extreme_of_two(c: Context, node: ast.Call) -> CExpr:
    """Check `max(a, b)` or `min(a, b)` of two numbers."""
    name = node.function.text
    if any(isinstance(x, ast.Comprehension) for x in node.arguments):
        return const(0, ty.ERROR, node.span)
    first = c.expr(node.arguments[0])
    ordered = first.type if is_ordered(c, first.type) else None
    a = c.fit(first, ordered or ty.NUMBER, f"an argument of `{name}`")
    b = c.value(node.arguments[1], ordered or ty.NUMBER, f"an argument of `{name}`")
    if ordered is not None:
        numbers = tuple(number_of(c, x, "this") for x in (a, b))
        return CExpr("cast", ordered, (CExpr(f"{name}2", numbers[0].type, numbers, node.span),), node.span)
    result = ty.NUMBER
    if isinstance(a.type, ty.ErrorT) or isinstance(b.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    if isinstance(a.type, ty.NumberT) and isinstance(b.type, ty.NumberT):
        pick = min if name == "min" else max
        result = ty.NumberT(pick(a.type.low, b.type.low), pick(a.type.high, b.type.high))
    return CExpr(f"{name}2", result, (a, b), node.span)
