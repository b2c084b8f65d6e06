"""Choosing and chance: expressions at which the game waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from math import comb
from typing import Any

from rulelang.diagnostics import Span
from rulelang.limits import OPTIONS
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.analysis.nonempty import of_each_player
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions
from rulelang.semantics.tree.shared import conjuncts, const, element_type, least_size, number, source_text
from rulelang.semantics.tree.symbols import ZoneSym
from rulelang.semantics.typing.aggregates import size_of
from rulelang.semantics.typing.asked import asks_all, known_of_element
from rulelang.semantics.typing.context import Context, expression
from rulelang.syntax import ast
from rulelang.vocabulary.computing import COMPUTES

LOOKED_THROUGH = 100


@dataclass(frozen=True)
class BinderDraft:
    """A binder under construction: its expressions, guards and whether it may have no value at all."""

    binder: core.CBinder
    guards: tuple[core.CGuard, ...]
    may_be_empty: bool


def _waits(check: Callable[[Context, Any], CExpr]) -> Callable[[Context, Any], CExpr]:
    """Decorate the check of an expression that is valid only where the game may wait."""

    def checked(c: Context, node: ast.Expr) -> CExpr:
        """Return the checked expression, or an error where the game may not wait."""
        if c.waits:
            return check(c, node)
        hint = "put it in a statement of its own: `let x = …`"
        if c.only_gives:
            hint = "what only gives a value asks nobody: make it a `rule`, or let the caller choose"
        return c.error("choice-misplaced", "a choice or chance can't stand here", node.span, hint)

    return checked


@expression(ast.Roll)
@_waits
def _roll(c: Context, node: ast.Roll) -> CExpr:
    """Check `roll low to high`: emit a chance node and return the local that has its outcome."""
    low, high = c.value(node.low, ty.NUMBER, "the lowest number"), c.value(node.high, ty.NUMBER, "the highest number")
    result = c.new_local(c.choice_name, _number_between(c, low, high, node.span), node.span)
    c.emit(core.CRandom(node.span, "number", _chance_name(c, "roll"), (low, high), result))
    return c.read(result, node.span)


def _chance_name(c: Context, default: str) -> str:
    return default if c.choice_name == "choice" else c.choice_name


def _number_between(c: Context, low: CExpr, high: CExpr, span: Span) -> ty.Type:
    """Return the type of a number between two bounds; report bounds that no number lies between."""
    if isinstance(low.type, ty.NumberT) and isinstance(high.type, ty.NumberT):
        if high.type.high < low.type.low:
            message = f"there is no number from {low.type.low} to {high.type.high}"
            c.error("range-empty", message, span, "the lower one comes first")
        return ty.NumberT(low.type.low, max(high.type.high, low.type.low))
    return ty.NUMBER


@expression(ast.RandomOf)
@_waits
def _random_of(c: Context, node: ast.RandomOf) -> CExpr:
    """Emit the draw of one element or of several, from a bag of units; return the local that holds them."""
    source = c.expr(node.collection)
    units = isinstance(source.type, ty.BagT)
    source = source if units else c.as_set(source, "what is drawn from")
    element = ty.EnumT(source.type.resource) if isinstance(source.type, ty.BagT) else element_type(source)
    if not ty.is_scalar(element):
        return c.error("type-mismatch", f"one can't draw from a collection of {element}", node.span)
    at_once = source.type if units and node.at_once else None
    if node.weight is not None:
        source, units = _weighted(c, source, element, node.weight), False
    elif at_once is not None:
        source, units = _units(c, source, element), False
    name = _chance_name(c, "random")
    if node.count is None:
        t = element if least_size(source) else ty.optional(element)
        result = c.new_local(c.choice_name, t, node.span)
        c.emit(core.CRandom(node.span, "unit" if units else "element", name, (source,), result))
    else:
        count = c.value(node.count, ty.NUMBER, "how many")
        result = c.new_local(c.choice_name, source.type if units else ty.SetT(element), node.span)
        c.emit(core.CRandom(node.span, "some", name, (source, count), result, node.at_once))
        if at_once is not None:
            return _bag_of(c, c.read(result, node.span), element, at_once)
    return c.read(result, node.span)


def _units(c: Context, bag: CExpr, element: ty.Type) -> CExpr:
    """Return the units of a bag as a collection, with each of its goods as often as it is there."""
    local = c.new_local("it", element, bag.span)
    units = CExpr("bag_pick", ty.NumberT(0), (bag, c.read(local, bag.span)), bag.span)
    return _copied(c, c.as_set(bag), local, units)


def _bag_of(c: Context, units: CExpr, element: ty.Type, bag: ty.Type) -> CExpr:
    """Return the bag of a collection of goods."""
    local, goods = c.new_local("it", element, units.span), c.shared.resource(bag)
    assert goods is not None
    one = CExpr("bag_one", bag, (len(goods.values), c.read(local, units.span)), units.span)
    return CExpr("sum", bag, (local, units, one), units.span)


def _weighted(c: Context, source: CExpr, element: ty.Type, weight: ast.Expr) -> CExpr:
    """Return a collection with each element, or kind of goods of a bag, as often as its weight says."""
    source, span = c.as_set(source), weight.span
    local = c.new_local("it", element, span)
    with c.element(local, source):
        times = c.value(weight, ty.NUMBER, "a weight")
    if isinstance(times.type, ty.NumberT) and times.type.high < 0:
        c.error("range-outside", f"a weight is a number from 0 on, not {times.type}", span)
    return _copied(c, source, local, times)


def _copied(c: Context, source: CExpr, local: Local, times: CExpr) -> CExpr:
    """Return a collection with each element of another, which is called `local`, so many times."""
    span, surely = times.span, isinstance(times.type, ty.NumberT) and times.type.low > 0
    copy = c.new_local("copy", ty.NUMBER, span)
    copies = CExpr("numbers", ty.SetT(ty.NUMBER, int(surely)), (number(1, span), times), span)
    copied = set_of(c.shared, "map", local.type, (copy, copies, c.read(local, span)), span)
    return set_of(c.shared, "flatten", local.type, (local, source, copied), span)


@expression(ast.Choose)
@_waits
def _choose(c: Context, node: ast.Choose) -> CExpr:
    """Emit a decision of one binder, of one seat or of all together; return the chosen value (or one a seat)."""
    you: Local | None = None
    if node.together:
        if node.by is not None:
            message = "`together` asks every player, so `by` can't name one"
            c.error("choice-together", message, node.by.span, "take one of the two away")
        seat = set_of(c.shared, "players", ty.PLAYER, (), node.span)
        you = c.new_local("you", ty.PLAYER, node.span)
    elif node.by is not None:
        seat = c.seat(node.by, "who chooses")
    else:
        seat = c.seat_here(node.span, "a choice")
    name = node.name.text if node.name is not None else c.choice_name
    with _each(c, you, seat) if you is not None else nullcontext():
        asked = asked_of(c, node.domain, name, inline=you is not None, named=False)
    if asked is None:
        return const(0, ty.ERROR, node.span)
    local = asked.binder.local
    if node.together and isinstance(local.type, ty.GroupT):
        return c.error("choice-together", "all together choose single values or pieces, not groups", node.span)
    bag = asked.binder.kind == "some" or isinstance(local.type, ty.BagT)
    if asked.may_be_empty and not bag:
        local.type = ty.optional(local.type)
    of_each = ty.SeatsT(local.type, asks_all(c.shared))
    result = c.new_local(name, of_each, node.span) if you is not None else None
    otherwise: tuple[CStatement, ...] | None = None
    if asked.may_be_empty and not bag and not node.together:
        otherwise = (core.CSet(node.span, local, const(-1, local.type, node.span)),)
    rule, ask = c.procedure.name, "some" if bag else "author"
    if node.anyway and (bag or asked.may_be_empty):  # else there is always something to choose
        ask = "anyway"
    item = core.CItem(rule, (asked.binder,), asked.guards, (), node.span)
    c.emit(core.CChoose(node.span, rule, seat, (item,), otherwise, ask, node.together, node.secretly, you, result))
    return c.read(result if result is not None else local, node.span)


def _each(c: Context, you: Local, players: CExpr) -> AbstractContextManager[None]:
    """Return the context in which each player is asked."""
    known = [*of_each_player(c.facts, c.read(you), c.body), *known_of_element(c, you, players)]
    return c.within(you=c.read(you), prelude=None, facts=[*c.facts, *known])


def asked_of(
    c: Context, node: ast.Domain | ast.BindEach | ast.BindNumber | ast.BindAmount, name: str, inline: bool, named: bool
) -> BinderDraft | None:
    """Return what a choice, or a binder of a menu's item, asks.

    Args:
        inline: whether its expressions are read anew for each seat or earlier argument.
        named: whether its condition may call what is chosen by its name.
    """
    match node:
        case ast.OneOf() | ast.BindEach():
            return _one_of(c, node.collection, name, node.span, named)
        case ast.OneNumber() | ast.BindNumber():
            return _numbers_asked(c, node, name, named)
        case ast.SomeOf() | ast.BindAmount():
            return _some_of(c, node.amount, node.collection, name, node.span, inline)


def _one_of(c: Context, node: ast.Expr, name: str, span: Span, named: bool) -> BinderDraft | None:
    """Return a binder for one element of a collection, which may have a condition."""
    inner, condition = (node.collection, node.condition) if isinstance(node, ast.Where) else (node, None)
    collection = c.collection(inner, "what is chosen from")
    return _each_of(c, collection, condition, name, span, named)


def _may_choose_from(c: Context, collection: CExpr, span: Span, groups: bool = False) -> bool:
    """Return whether the elements are single values, or `groups`."""
    element = element_type(collection)
    fit = ty.is_scalar(element) or (groups and isinstance(element, ty.GroupT))
    if not fit:
        c.error("type-mismatch", f"one can't choose from a collection of {element}", span)
    return fit and not isinstance(element, ty.ErrorT)


def _each_of(
    c: Context, collection: CExpr, condition: ast.Expr | None, name: str, span: Span, named: bool = False
) -> BinderDraft | None:
    """Return a binder for one element; its condition calls it `it`, and by its name if `named`."""
    if not _may_choose_from(c, collection, span, groups=True):
        return None
    local = c.new_local(name, element_type(collection), span)
    guards = _element_guards(c, local, condition, name if named else "", collection)
    sure = least_size(collection) > 0 and not guards
    return BinderDraft(core.CBinder("each", name, local, (collection,), source_text(collection.span)), guards, not sure)


def _element_guards(
    c: Context, local: Local, condition: ast.Expr | None, name: str, collection: CExpr | None = None
) -> tuple[core.CGuard, ...]:
    """Return the guards of an element that may have a condition, in which it is `it` and may have a name."""
    if condition is None:
        return ()
    with c.element(local, collection, name):
        return guards_of(c, condition)


def _value_at(e: CExpr, local: Local, n: int) -> int | None:
    """Return the value of an expression where a local is `n`, if it reads nothing else."""
    if e.op in ("const", "local"):
        return int(str(e.args[0])) if e.op == "const" else n if e.args[0] is local else None
    values = [_value_at(arg, local, n) for arg in expressions(e.args)] if e.op in COMPUTES else [None]
    with suppress(ZeroDivisionError):
        return None if None in values else int(COMPUTES[e.op](*values))
    return None


def _numbers_asked(c: Context, node: ast.OneNumber | ast.BindNumber, name: str, named: bool) -> BinderDraft:
    """Return a binder for a number, which may have a condition."""
    low, high = (c.value(node.low, ty.NUMBER, "the lowest number"), c.value(node.high, ty.NUMBER, "the highest number"))
    span = node.span
    local = c.new_local(name, _number_between(c, low, high, span), span)
    guards = _element_guards(c, local, node.condition, name if named else "")
    sure = isinstance(low.type, ty.ErrorT) or isinstance(high.type, ty.ErrorT)
    if isinstance(low.type, ty.NumberT) and isinstance(high.type, ty.NumberT):
        # Of numbers that are surely there, one may surely fulfil the condition.
        certain_range = range(low.type.high, min(high.type.low, low.type.high + LOOKED_THROUGH) + 1)
        sure = any(all(_value_at(guard.condition, local, n) for guard in guards) for n in certain_range)
    return BinderDraft(core.CBinder("number", name, local, (low, high), source_text(span)), guards, not sure)


def _some_of(
    c: Context, amount: ast.Quantity, node: ast.Expr, name: str, span: Span, inline: bool
) -> BinderDraft | None:
    """Return a binder for several elements of a collection, or for a part of a bag."""
    offered = c.expr(node)
    if isinstance(offered.type, ty.BagT):
        return _some_of_bag(c, amount, offered, name, span)
    collection = c.as_set(offered, "what is chosen from")
    if not _may_choose_from(c, collection, span):
        return None
    many = _many(c, collection)
    if not inline and c.prelude is not None:
        source = c.new_local(f"{name}_from", collection.type, span)
        c.emit(core.CSet(span, source, collection))
        collection = c.read(source, span)
    low, high = _bounds(c, amount, collection)
    _warn_if_huge(c, many, low, high, span)
    local = c.new_local(name, ty.SetT(element_type(collection)), span)
    return BinderDraft(core.CBinder("some", name, local, (collection, low, high), source_text(node.span)), (), False)


def _many(c: Context, collection: CExpr) -> int:
    """Return how many different elements a collection has for certain, or can have as a zone is declared."""
    zone = collection.args[0] if collection.op == "pieces" else None
    symbol = zone.args[0] if isinstance(zone, CExpr) and zone.op == "zone" else None
    if not isinstance(symbol, ZoneSym) or symbol.capacity is None or symbol.capacity.op != "const":
        return least_size(collection)
    return min(int(str(symbol.capacity.args[0])), len(c.checked.kinds[symbol.kind].definitions))


def _warn_if_huge(c: Context, many: int, low: CExpr, high: CExpr, span: Span) -> None:
    """Report a selection from so many elements that has more answers than can be listed."""

    def ends(e: CExpr) -> tuple[int, int]:
        """Return the least and the greatest value of a bound, from so many elements."""
        if e.op in ("count", "size"):
            return many, many
        if e.op in ("min2", "max2", "sub"):
            (a, b), (x, y) = map(ends, expressions(e.args))
            return (a - y, b - x) if e.op == "sub" else (int(COMPUTES[e.op](a, x)), int(COMPUTES[e.op](b, y)))
        return (e.type.low, e.type.high) if isinstance(e.type, ty.NumberT) else (0, 0)

    least, most = ends(low)[0], min(ends(high)[1], many)
    ways = [comb(many, size) for size in range(max(least, 0), most + 1)]
    if (max(ways, default=0) if low is high else sum(ways)) > OPTIONS:
        message = f"this choice can have more than {OPTIONS} answers, too many to be listed"
        c.warn("choice-huge", message, span, "choose fewer at once, or one after the other in a loop")


def _some_of_bag(c: Context, amount: ast.Quantity, bag: CExpr, name: str, span: Span) -> BinderDraft:
    """`choose N of` a bag of resources: one of the bags within it."""
    low, high = _bounds(c, amount, bag)
    local = c.new_local(name, bag.type, span)
    bags = set_of(c.shared, "sub_bags", bag.type, (bag, low, high), span)
    return BinderDraft(core.CBinder("each", name, local, (bags,), source_text(bag.span)), (), False)


def _bounds(c: Context, amount: ast.Quantity, collection: CExpr) -> tuple[CExpr, CExpr]:
    """Return the lower and upper bound of a selection, clamped to zero and to the size of the collection."""
    span = amount.span
    size = size_of(c, collection, span)
    zero = const(0, ty.NumberT(0, 0), span)

    def above(least: CExpr, n: CExpr) -> CExpr:
        sure = isinstance(n.type, ty.NumberT) and isinstance(least.type, ty.NumberT) and n.type.low >= least.type.high
        return n if sure else CExpr("max2", ty.NUMBER, (least, n), span)

    def cut(n: CExpr) -> CExpr:
        return CExpr("min2", ty.NUMBER, (n, size), span)

    low = above(zero, c.value(amount.low, ty.NUMBER, "how many")) if amount.low is not None else zero
    high = above(low, c.value(amount.high, ty.NUMBER, "how many")) if amount.high is not None else low

    match amount.mode:
        case "exactly":
            exact = cut(low)
            return exact, exact
        case "at_least":
            return cut(low), size
        case "up_to":
            return zero, cut(low)
        case "down_to":
            excess = CExpr("max2", ty.NUMBER, (zero, CExpr("sub", ty.NUMBER, (size, low), span)), span)
            return excess, excess
        case "between":
            return cut(low), cut(high)
    return zero, size


def guards_of(c: Context, node: ast.Expr) -> tuple[core.CGuard, ...]:
    """Return a condition cut at its `and`s, each part with its words."""
    guards: list[core.CGuard] = []
    for part in conjuncts(node):
        with c.holding(*(guard.condition for guard in guards)):
            guards.append(core.CGuard(c.condition(part), source_text(part.span)))
    return tuple(guards)
