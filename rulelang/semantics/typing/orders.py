"""What has an order: keys by which elements are compared, lists element by element, values of ordered types."""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, Local, negated
from rulelang.semantics.tree.shared import const, element_type
from rulelang.semantics.typing.context import Context, as_there, expression
from rulelang.syntax import ast
from rulelang.vocabulary.operations import WRITTEN

NUMBERS = ty.SetT(ty.NUMBER)
LISTS = (ty.SetT, ty.ZoneT, ty.GroupT)


def is_ordered(c: Context, t: ty.Type) -> bool:
    """Return whether a type is an enumeration whose values have an order."""
    sym = c.shared.values_of(t) if isinstance(t, ty.EnumT) else None
    return sym is not None and sym.ordered


def number_of(c: Context, value: CExpr, what: str) -> CExpr:
    """Return a number, truth or value of an ordered type as the number that stands for it; report any other value."""
    if isinstance(value.type, ty.BoolT) or is_ordered(c, value.type):
        return CExpr("cast", _range(c, value.type), (value,), value.span)
    if isinstance(value.type, ty.EnumT):
        hint = f"give the type its order: `{value.type}: {{ordered: […]}}`"
        return c.error(
            "type-mismatch", f"{what} must be a number, but the values of {value.type} have no order", value.span, hint
        )
    return c.fit(value, ty.NUMBER, what)


def _range(c: Context, t: ty.Type) -> ty.NumberT:
    sym = c.shared.values_of(t)
    return ty.NumberT(0, len(sym.values) - 1 if sym is not None else 1)


def key_of(c: Context, value: CExpr, what: str = "what is compared") -> CExpr:
    """Return what stands for a value where values are compared: a number, or a list of them for a collection."""
    if not isinstance(value.type, LISTS):
        return number_of(c, value, what)
    members = c.as_set(value)
    if element_type(members) == ty.NUMBER or isinstance(members.type, ty.ErrorT):
        return members
    local = c.new_local("it", element_type(members), members.span)
    each = number_of(c, c.read(local, members.span), f"an element of {what}")
    if each.op == "local":
        return members
    return set_of(c.shared, "map", each.type, (local, members, each), members.span)


def compared(c: Context, node: ast.Compare, left: CExpr, right: CExpr) -> CExpr | None:
    """Return a comparison of lists element by element, or of two values of an ordered type; None for others."""
    if isinstance(left.type, LISTS) and isinstance(right.type, (*LISTS, ty.EmptyT)):
        if ty.join(left.type, right.type) is None:
            return None
        a, b = (
            key_of(c, left),
            key_of(c, c.fit(right, left.type, "this") if isinstance(right.type, ty.EmptyT) else right),
        )
        first, second = (a, b) if node.op in ("<", ">=") else (b, a)
        less = CExpr("precedes", ty.BOOL, (first, second), node.span)
        return less if node.op in "<>" else negated(less)
    if is_ordered(c, left.type) and left.type == right.type:
        return CExpr(WRITTEN[node.op], ty.BOOL, tuple(number_of(c, x, "this") for x in (left, right)), node.span)
    return None


def best(c: Context, name: str, local: object, collection: CExpr, body: CExpr, span: Span) -> CExpr | None:
    """Return the greatest or least of lists (`[]` of none) or of values of an ordered type; None for other bodies."""
    which = "most" if name == "max" else "fewest"
    if isinstance(body.type, LISTS):
        lists = CExpr("map", ty.SetT(NUMBERS), (local, collection, key_of(c, body)), span)
        list_ = c.new_local("it", NUMBERS, span)
        bests = CExpr(which, ty.SetT(NUMBERS), (list_, lists, c.read(list_, span)), span)
        one = CExpr("firsts", ty.SetT(NUMBERS), (bests, const(1, ty.NumberT(1, 1), span)), span)
        own = c.new_local("it", NUMBERS, span)
        return CExpr("flatten", NUMBERS, (own, one, c.read(own, span)), span)
    if is_ordered(c, body.type):
        values = set_of(c.shared, "map", body.type, (local, collection, body), span)
        value = c.new_local("it", body.type, span)
        key = number_of(c, c.read(value, span), "this")
        bests = set_of(c.shared, which, body.type, (value, values, key), span)
        found = CExpr("first", ty.optional(body.type), (bests,), span)
        return as_there(found) if isinstance(values.type, ty.SetT) and values.type.least else found
    return None


def _keys(c: Context, keys: tuple[ast.SortKey, ...], collection: CExpr) -> list[tuple[str, Local, CExpr]]:
    """Return for each key in turn `most` or `fewest`, the local `it`, and what is compared; of what may be absent
    first whether it is there."""
    found = []
    for key in keys:
        local = c.new_local("it", element_type(collection), key.span)
        with c.element(local, collection):
            value = c.expr(key.value)
            if isinstance(value.type, ty.OptionalT):
                is_there = CExpr("not", ty.BOOL, (CExpr("is_none", ty.BOOL, (value,), key.span),), key.span)
                found.append(("most", local, number_of(c, is_there, "this")))
                local = c.new_local("it", local.type, key.span)
                with c.element(local, collection):
                    value = as_there(c.expr(key.value))
            found.append((key.ranking, local, key_of(c, value)))
    return found


@expression(ast.Ranked)
def _ranked(c: Context, node: ast.Ranked) -> CExpr:
    """Check `SET with most KEY then …`: the elements with the largest (or least) keys, all that are tied."""
    collection = c.collection(node.collection, "what stands before `with`")
    for ranking, local, key in _keys(c, node.keys, collection):
        collection = set_of(c.shared, ranking, local.type, (local, collection, key), node.span)
    return collection


@expression(ast.Sorted)
def _sorted(c: Context, node: ast.Sorted) -> CExpr:
    """Check `SET sorted by most KEY then …`: its elements in order, those that tie as they were."""
    collection = c.collection(node.collection, "what is sorted")
    for ranking, local, key in reversed(_keys(c, node.keys, collection)):
        op = "descending" if ranking == "most" else "ascending"
        collection = set_of(c.shared, op, local.type, (local, collection, key), node.span)
    return collection


def runs(c: Context, node: ast.Call) -> CExpr:
    """`runs(C by E)`: the groups of elements of which E is consecutive, those with equal E together."""
    collection = c.collection(node.arguments[0], "the argument of `runs`")
    local = c.new_local("it", element_type(collection), node.span)
    with c.element(local, collection):
        key = number_of(c, c.expr(node.arguments[1]), "what stands after `by`")
    return CExpr("runs", ty.SetT(ty.SetT(local.type, 1)), (local, collection, key), node.span)


def subsets(c: Context, node: ast.Call) -> CExpr:
    """`subsets(C, n)`: all different collections of n elements of C."""
    collection = c.collection(node.arguments[0], "the argument of `subsets`")
    amount = c.value(node.arguments[1], ty.NUMBER, "how many")
    element = element_type(collection)
    if not ty.is_scalar(element):
        return c.error("type-mismatch", f"`subsets` takes single values, not a {element} each", node.span)
    least = int(str(amount.args[0])) if amount.op == "const" else 0
    return CExpr("subsets", ty.SetT(ty.SetT(element, max(least, 0))), (collection, amount), node.span)
