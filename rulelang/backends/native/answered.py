"""Conditions that the options of a decision have answered already: `any(f(x) for x in s)` after an item that offers
each x of s where f(x) asks only whether that item has options.

Enters: the items of a decision. Leaves: the items, such conditions replaced by names, and which item fills which name.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.backends.interpreter.expressions import operands
from rulelang.backends.native.alike import asks
from rulelang.backends.native.expressions import Scope, Writer
from rulelang.backends.native.sharing import form
from rulelang.ir.nodes import Expr, Guard, Item
from rulelang.ir.walk import index

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
                locals_[place] = Expr("local", "bool", (slot,), expr.site)
            return locals_[place]
        args = tuple(told(arg) if isinstance(arg, Expr) else arg for arg in expr.args)
        return expr if all(a is b for a, b in zip(args, expr.args, strict=True)) else replace(expr, args=args)

    def guards(given: tuple[Guard, ...]) -> tuple[Guard, ...]:
        new = tuple(replace(guard, condition=told(guard.condition)) for guard in given)
        return given if all(a.condition is b.condition for a, b in zip(given, new, strict=True)) else new

    for place, item in enumerate(items):
        found.append(replace(item, pre=guards(item.pre), guards=guards(item.guards)) if offered else item)
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
    return form(binder.args[0]), form(_renamed(guard.condition, binder.slot))


def _asked(expr: Expr) -> Any:
    """The same of an `any`."""
    source, body = operands(expr)
    return form(source), form(_renamed(body, index(expr)))


def _renamed(expr: Expr, slot: int) -> Expr:
    """The expression with this local as one that no procedure has."""
    if expr.op == "local":
        return replace(expr, args=(-1,)) if index(expr) == slot else expr
    args = tuple(_renamed(arg, slot) if isinstance(arg, Expr) else arg for arg in expr.args)
    return replace(expr, args=args)
