"""Memoise pure calls that several options of a decision share.

Enters: the items of a decision. Leaves: declarations of memo variables, and the items that read them. While options are
enumerated the state does not change, so a call whose arguments no binder changes has one value: it is computed when it
is first read. Functions that are one expression are inlined into guards first, which makes more calls invariant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rulelang.ir.nodes import Expr, Item
from rulelang.ir.rewrite import changed_item, lone_value, with_arguments
from rulelang.ir.walk import BINDING, form, index, item_expressions, local_reads, number, operands, subexpressions
from rulelang.native.expressions import Scope, Writer, compound, writes
from rulelang.runtime.constants import UNKNOWN

LARGE, LARGEST = 60, 400
"""Most nodes of a function that is inlined, and of all that are inlined in one guard."""
DEEPEST = 3
"""Greatest depth of inlining."""
Slots = frozenset[int]


def memoise_calls(w: Writer, items: list[Item]) -> tuple[list[str], list[Item]]:
    """Return declarations of memo variables for the calls that are made more than once, and the rewritten items."""
    plain = [
        _map_conditions(item, lambda guard, slots: _inlined(w, guard, slots, [LARGEST], 0), False) for item in items
    ]
    uses: Counter[Any] = Counter()
    for item in plain:
        slots = frozenset(binder.slot for binder in item.binders)
        for expr in item_expressions(item):
            for call, often in _calls(w, expr, slots, bool(local_reads(expr) & slots)):
                uses[form(call)] += 2 if often else 1
    names = {call: w.source.fresh("memoised") for call, times in uses.items() if times > 1}
    if not names:
        return [], items

    def memoise(expr: Expr, slots: Slots) -> Expr:
        if not _is_memoisable(w, expr, slots):
            return _rebuilt(expr, slots, memoise)
        name = names.get(form(expr))
        return expr if name is None else Expr("memoised", expr.type, (name, expr), expr.site)

    rewritten = [_map_conditions(item, memoise, True) for item in plain]
    for old, new in zip(items, rewritten, strict=True):
        for before, after in zip((*old.pre, *old.guards), (*new.pre, *new.guards), strict=True):
            w.origins[id(after.condition)] = after.condition, before.condition
    return [f"W {name} = INT64_MIN;" for name in names.values()], rewritten


def _map_conditions(item: Item, change: Callable[[Expr, Slots], Expr], binders: bool) -> Item:
    slots = frozenset(binder.slot for binder in item.binders)
    return changed_item(item, lambda expr: change(expr, slots), binders)


def _parts(expr: Expr, slots: Slots) -> Iterator[tuple[Expr, Slots]]:
    """Yield the operands of an expression, each with the slots that vary there; none of a `possible`, which are read
    in another state."""
    if expr.op == "possible":
        return
    for place, part in enumerate(operands(expr)):
        yield part, slots | {index(expr)} if place and expr.op in BINDING else slots


def _rebuilt(expr: Expr, slots: Slots, change: Callable[[Expr, Slots], Expr]) -> Expr:
    old = list(_parts(expr, slots))
    new = [change(part, inner) for part, inner in old]
    if all(a is b for (a, _), b in zip(old, new, strict=True)):
        return expr
    rest = iter(new)
    return replace(expr, args=tuple(next(rest) if isinstance(arg, Expr) else arg for arg in expr.args))


def _atomic(expr: Expr) -> bool:
    return expr.op in ("local", "const")


# ---- inlining ---------------------------------------------------------------------------------------------


def _inlined(w: Writer, expr: Expr, slots: Slots, left: list[int], depth: int) -> Expr:
    """Inline the calls that read a varying slot, but for those within loops; `left`: how many nodes may be added."""
    if expr.op in BINDING:
        return expr
    value = _value(w, expr, slots, left) if depth < DEEPEST else None
    if value is None:
        return _rebuilt(expr, slots, lambda part, inner: _inlined(w, part, inner, left, depth))
    return _inlined(w, value, slots, left, depth + 1)


def _value(w: Writer, call: Expr, slots: Slots, left: list[int]) -> Expr | None:
    """Return the body of the called function with the arguments put in; None if the call is not to be inlined."""
    if call.op != "call" or not local_reads(call) & slots:
        return None
    value = lone_value(w.program.procedures[number(call)])
    if value is None or not all(map(_atomic, operands(call))):
        return None
    if any(part.op == "possible" for part in subexpressions(value)):
        return None
    parts = sum(1 for _ in subexpressions(value))
    if parts > min(LARGE, left[0]):
        return None
    left[0] -= parts
    return with_arguments(value, dict(enumerate(operands(call))))


# ---- memoised calls -----------------------------------------------------------------------------------------


def _is_memoisable(w: Writer, expr: Expr, slots: Slots) -> bool:
    """Return whether an expression is a call that has one value for all options."""
    if expr.op != "call" or compound(expr.type) or not all(map(_atomic, operands(expr))):
        return False
    return not local_reads(expr) & slots and w.known(expr) is UNKNOWN


def _calls(w: Writer, expr: Expr, slots: Slots, often: bool) -> Iterator[tuple[Expr, bool]]:
    """Yield the memoisable calls in an expression, and whether each is made for many options (`often`: all are)."""
    if _is_memoisable(w, expr, slots):
        yield expr, often
        return
    for part, inner in _parts(expr, slots):
        yield from _calls(w, part, inner, often or inner != slots)


@writes("memoised")
def _memoised(w: Writer, e: Expr, s: Scope) -> str:
    name = str(e.args[0])
    (call,) = operands(e)
    return f"({name} != INT64_MIN ? {name} : ({name} = {w.text(call, s)}))"
