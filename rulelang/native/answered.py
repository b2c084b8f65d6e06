"""Conditions that the options of a decision have answered already: `any(f(x) for x in s)` after an item that offers
each x of s where f(x) asks only whether that item has options.

Enters: the items of a decision. Leaves: the items, such conditions replaced by names, and which item fills which name.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir.nodes import Expr, Item
from rulelang.ir.rewrite import changed_item, mapped, substituted
from rulelang.ir.types import BOOL
from rulelang.ir.walk import form, index, operands
from rulelang.native.alike import asks
from rulelang.native.expressions import Scope, Writer

_slots = count(1 << 24)


def answered(w: Writer, items: list[Item], scope: Scope) -> tuple[list[Item], Scope, dict[int, str]]:
    """The items, where they stand, and for the places of those that others ask about the name of whether there are
    options."""
    offered: dict[Any, int] = {}
    names: dict[int, str] = {}
    locals_: dict[int, Expr] = {}
    found = []

    def told(expr: Expr) -> Expr:
        nonlocal scope
        if expr.op == "possible":
            return expr
        if expr.op == "any" and (place := offered.get(_asked(expr))) is not None:
            if place not in names:
                slot = next(_slots)
                names[place] = w.source.fresh("some")
                scope = scope.bind(slot, names[place])
                locals_[place] = Expr("local", BOOL, (slot,), expr.site)
            return locals_[place]
        return mapped(expr, told)

    for place, item in enumerate(items):
        found.append(changed_item(item, told, binders=False))
        if (key := _offer(w, item)) is not None:
            offered.setdefault(key, place)
    return found, scope, names


def _offer(w: Writer, item: Item) -> Any:
    """What an item offers that has one of a set where a condition holds; None if it is another one."""
    if item.pre or len(item.binders) != 1 or len(item.guards) != 1:
        return None
    (binder,), (guard,) = item.binders, item.guards
    # Of those that are alike only one was asked.
    if binder.kind != "each" or asks(w, binder):
        return None
    return form(binder.args[0]), _form(guard.condition, binder.slot)


def _asked(expr: Expr) -> Any:
    """The same of an `any`."""
    source, body = operands(expr)
    return form(source), _form(body, index(expr))


def _form(condition: Expr, slot: int) -> Any:
    """The form of a condition on a local, whatever its slot."""
    return form(substituted(condition, slot, lambda local: replace(local, args=(-1,))))
