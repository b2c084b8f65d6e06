"""Replace conditions that follow from whether an earlier item of the same decision has options.

Enters: the items of a decision. Leaves: the items, in which `any(f(x) for x in s)` is a Boolean local where an earlier
item offers each `x` of `s` with `f(x)`; and which item sets which local.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir.nodes import Expr, Item
from rulelang.ir.rewrite import changed_item, mapped, substituted
from rulelang.ir.types import BOOL
from rulelang.ir.walk import form, index, operands
from rulelang.mir.options import asks
from rulelang.native.expressions import Scope, Writer

_slots = count(1 << 24)


def replace_entailed(w: Writer, items: list[Item], scope: Scope) -> tuple[list[Item], Scope, dict[int, str]]:
    """Return the rewritten items, the scope that knows the new locals, and by index of an item the name of the local
    that it sets."""
    offered: dict[Any, int] = {}
    names: dict[int, str] = {}
    locals_: dict[int, Expr] = {}
    rewritten = []

    def replaced(expr: Expr) -> Expr:
        nonlocal scope
        if expr.op == "possible":
            return expr
        if expr.op == "any" and (place := offered.get(_any_key(expr))) is not None:
            if place not in names:
                slot = next(_slots)
                names[place] = w.source.fresh("some")
                scope = scope.bind(slot, names[place])
                locals_[place] = Expr("local", BOOL, (slot,), expr.site)
            return locals_[place]
        return mapped(expr, replaced)

    for place, item in enumerate(items):
        rewritten.append(changed_item(item, replaced, binders=False))
        if (key := _offer_key(w, item)) is not None:
            offered.setdefault(key, place)
    return rewritten, scope, names


def _offer_key(w: Writer, item: Item) -> Any:
    """Return the set and condition of an item with one binder over a filtered set, else None."""
    if item.pre or len(item.binders) != 1 or len(item.guards) != 1:
        return None
    (binder,), (guard,) = item.binders, item.guards
    # Of interchangeable values one represents all.
    if binder.kind != "each" or asks(w.layout, binder):
        return None
    return form(binder.args[0]), _form(guard.condition, binder.slot)


def _any_key(expr: Expr) -> Any:
    """Return the set and condition of an `any`, in the form of `_offer_key`."""
    source, body = operands(expr)
    return form(source), _form(body, index(expr))


def _form(condition: Expr, slot: int) -> Any:
    """Return the normal form of a condition on a local, independent of the local's slot."""
    return form(substituted(condition, slot, lambda local: replace(local, args=(-1,))))
