"""What is made of whole collections: sums, counts, extremes, and questions asked of each element."""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.semantics.base import const, element_type, least_size, number
from rulelang.semantics.context import Context
from rulelang.semantics.core import CExpr, conjunction
from rulelang.semantics.places import Place, Places, all_values, finish, paths
from rulelang.semantics.symbols import ZoneSym
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    INT_MAX,
    INT_MIN,
    NUMBER,
    PLAYER,
    BagT,
    CellT,
    CostT,
    EmptyT,
    EnumT,
    ErrorT,
    GroupT,
    NumberT,
    PieceT,
    PlayerT,
    SetT,
    Type,
    ZoneT,
    is_scalar,
    optional,
)
from rulelang.syntax import ast
from rulelang.syntax.comprehensions import outermost

AGGREGATES = ("sum", "count", "any", "all", "max", "min", "distinct", "each")
MAX_SIZE = 1_000_000
FINITE = (EnumT, CellT, PlayerT)
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
    if isinstance(value.type, ErrorT):
        return value
    collection = c.as_set(value, f"the argument of `{name}`")
    if isinstance(collection.type, ErrorT):
        return const(0, ERROR, node.span)
    local = c.new_local("it", element_type(collection), node.span)
    return _folded(c, name, local, collection, c.read(local, argument.span), node.span)


def _comprehended(c: Context, name: str, node: ast.Comprehension, span: Span) -> CExpr:
    """Return an aggregate over a comprehension; nested `for`s become one flattened collection."""
    name, node = outermost(name, node)
    collection = c.collection(node.collection, "what stands after `in`")
    with c.scope(), c.pure(), c.within(facts=c.facts):
        local = c.declare(node.name, element_type(collection))
        if node.condition is not None:
            condition = c.condition(node.condition)
            c.facts = [*c.facts, *conjunction(condition)]
            collection = CExpr("filter", SetT(element_type(collection)), (local, collection, condition), span)
        inner = node.body if isinstance(node.body, ast.Comprehension) else None
        body = c.expr(node.body) if inner is None else _comprehended(c, "each", inner, span)
    if inner is not None and isinstance(body.type, SetT):
        least = min(1, least_size(collection), body.type.least)
        collection = CExpr("flatten", SetT(body.type.element, least), (local, collection, body), span)
        local = c.new_local("it", body.type.element, span)
        body = c.read(local, span)
    if name == "count":
        return CExpr("count", NumberT(0, MAX_SIZE), (collection,), span)
    return _folded(c, name, local, collection, body, span)


def _folded(c: Context, name: str, local: object, collection: CExpr, body: CExpr, span: Span) -> CExpr:
    """Return the fold `name` of `body` over a collection: `sum`, `any`, `all`, `max`, `min`, `distinct`, else a map."""
    t = body.type
    if isinstance(t, ErrorT):
        return body
    if name == "sum":
        if isinstance(t, BagT | CostT):
            return CExpr("sum", t, (local, collection, body), span)
        if isinstance(t, PieceT):
            numbers = [name for name, of in c.shared.kind(t.kind).attributes.items() if isinstance(of, NumberT)]
            hint = f"name an attribute: `.{numbers[0]}`" if numbers else ""
            return c.error("type-mismatch", f"what is summed must be a number, but this is a {t}", body.span, hint)
        body = c.fit(body, NUMBER, "what is summed")
        low = 0 if isinstance(t, NumberT) and t.low >= 0 else INT_MIN
        high = 0 if isinstance(t, NumberT) and t.high <= 0 else INT_MAX
        return CExpr("sum", NumberT(low, high), (local, collection, body), span)
    if name in ("any", "all"):
        return CExpr(name, BOOL, (local, collection, c.fit(body, BOOL, f"what `{name}` asks")), span)
    if name in ("max", "min"):
        body = c.fit(body, NUMBER, "what is compared")
        result = body.type if isinstance(body.type, NumberT) else NUMBER
        extreme = CExpr(name, optional(result), (local, collection, body), span)
        return CExpr("otherwise", result, (extreme, number(0, span)), span) if least_size(collection) else extreme
    mapped = CExpr("map", SetT(t), (local, collection, body), span)
    if name != "distinct":
        return mapped
    if not is_scalar(t):
        return c.error("type-mismatch", f"`distinct` counts single values, not a {t}", span)
    values = SetT(t, min(1, least_size(collection)))
    if isinstance(t, PieceT):
        piece = c.new_local("it", t, span)
        return CExpr("distinct_by", values, (piece, mapped, _key(c, c.read(piece, span))), span)
    return CExpr("distinct", values, (mapped,), span)


def _distinct_by(c: Context, node: ast.Call) -> CExpr:
    """`distinct(C by x, y)`: of the elements of which `x` and `y` are the same, the first."""
    collection = c.collection(node.arguments[0], "the argument of `distinct`")
    local = c.new_local("it", element_type(collection), node.span)
    with c.element(local):
        keys = [_key(c, c.expr(key)) for key in node.arguments[1:]]
    if any(isinstance(key.type, ErrorT) for key in keys) or isinstance(collection.type, ErrorT):
        return const(0, ERROR, node.span)
    numbers = SetT(NUMBER)
    sets = [key for key in keys if isinstance(key.type, SetT)]
    row = [CExpr("count", NUMBER, (key,), key.span) if key in sets else key for key in keys]
    key = row[0] if len(keys) == 1 and not sets else CExpr("list", numbers, tuple(_number(k) for k in row), node.span)
    for members in sets:
        member = c.new_local("it", element_type(members), members.span)
        each = CExpr("map", numbers, (member, members, _number(_key(c, c.read(member)))), members.span)
        key = CExpr("union", numbers, (key, each), node.span)
    return CExpr("distinct_by", SetT(local.type, min(1, least_size(collection))), (local, collection, key), node.span)


def reachable(c: Context, node: ast.Call) -> CExpr:
    """`reachable(X by E)`: X, or all of it, and what E leads to from any of these."""
    first, step = node.arguments
    start = c.expr(first)
    if isinstance(start.type, FINITE):
        start = CExpr("list", SetT(start.type, 1), (start,), start.span)
    start = c.as_set(start, "where `reachable` starts")
    element = element_type(start)
    if not isinstance(element, (*FINITE, ErrorT)):
        message = "`reachable` starts at a cell, a player or a value of a type, not at a {}"
        return c.error("type-mismatch", message.format(element), first.span)
    local = c.new_local("it", element, node.span)
    with c.element(local):
        steps = c.fit(c.collection(step, "what stands after `by`"), SetT(element), "what stands after `by`")
    return CExpr("reachable", SetT(element, least_size(start)), (local, start, steps), node.span)


def _key(c: Context, value: CExpr) -> CExpr:
    """Return the key by which `distinct` compares values: of a piece its sort."""
    if isinstance(value.type, ZoneT | GroupT):
        value = c.as_set(value)
    if not is_scalar(value.type.element if isinstance(value.type, SetT) else value.type):
        return c.error("type-mismatch", f"`distinct` compares single values, not a {value.type}", value.span)
    return CExpr("sort_of", NUMBER, (value,), value.span) if isinstance(value.type, PieceT) else value


def _number(value: CExpr) -> CExpr:
    return CExpr("cast", NUMBER, (value,), value.span)


def count_of(c: Context, node: ast.Expr) -> CExpr:
    """Return the count of a collection; of a zone without its indices, over all its instances, seen or not."""
    if isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
        target = paths(c, node)
        place = target.place if isinstance(target, Places) else target
        if isinstance(place, Place) and isinstance(place.symbol, ZoneSym) and not (place is target and place.complete):
            size = _size_everywhere(c, place.symbol, place.indices, node.span)
            if isinstance(target, Places):
                size = CExpr("sum", size.type, (target.element, target.collection, size), node.span)
            return size
        return size_of(c, finish(c, target), node.span)
    return size_of(c, c.expr(node), node.span)


def _size_everywhere(c: Context, zone: ZoneSym, indices: tuple[CExpr, ...], span: Span) -> CExpr:
    """The sizes of all instances whose first indices are given."""
    if len(indices) == len(zone.per):
        place = CExpr("zone", ZoneT(zone.kind), (zone, *indices), span)
        return CExpr("size", NumberT(0, MAX_SIZE), (place,), span)
    index = zone.per[len(indices)]
    local = c.new_local("it", index, span)
    sym = c.shared.values_of(index)
    values = all_values(sym, span) if sym is not None else CExpr("parties", SetT(PLAYER, 1), (), span)
    rest = _size_everywhere(c, zone, (*indices, c.read(local, span)), span)
    return CExpr("sum", NumberT(0, MAX_SIZE), (local, values, rest), span)


def size_of(c: Context, value: CExpr, span: Span) -> CExpr:
    """`count(x)`: how many there are in a zone, a collection, a bag or a cost."""
    sizes: list[tuple[type[Type], str]] = [(ZoneT, "size"), (BagT, "bag_size"), (CostT, "cost_size")]
    for kind, op in sizes:
        if isinstance(value.type, kind):
            return CExpr(op, NumberT(0, MAX_SIZE), (value,), span)
    if isinstance(value.type, ErrorT):
        return value
    if isinstance(value.type, EmptyT):
        return number(0, span)
    if c.constant and value.op in ("players", "everyone"):
        return CExpr("player_count", NumberT(1, max(c.checked.ruleset.players)), (), span)
    counted = c.as_set(value, "what is counted")
    return CExpr("count", NumberT(int(isinstance(value.type, GroupT)), MAX_SIZE), (counted,), span)


def _extreme_of_two(c: Context, node: ast.Call) -> CExpr:
    name = node.function.text
    if any(isinstance(x, ast.Comprehension) for x in node.arguments):
        return const(0, ERROR, node.span)
    a, b = (c.value(x, NUMBER, f"an argument of `{name}`") for x in node.arguments)
    result = NUMBER
    if isinstance(a.type, NumberT) and isinstance(b.type, NumberT):
        pick = min if name == "min" else max
        result = NumberT(pick(a.type.low, b.type.low), pick(a.type.high, b.type.high))
    return CExpr(f"{name}2", result, (a, b), node.span)
