"""The same expression or program with other parts.

Enters: expressions, programs. Leaves: the same with a change mapped over their parts; what is not changed stays the
same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir import nodes
from rulelang.ir.nodes import Expr, Item, Procedure
from rulelang.ir.program import Program
from rulelang.ir.walk import HOLDS, index, operands, subexpressions
from rulelang.vocabulary.operations import BINDING
from rulelang.vocabulary.types import INT, Type

Change = Callable[[Expr], Expr]


def rewritten(program: Program, change: Change) -> Program:
    """Return the same program with its outermost expressions changed."""
    procedures, decisions = _changed(program.procedures, change), _changed(program.decisions, change)
    return replace(program, procedures=procedures, decisions=decisions)


def _changed(node: Any, change: Change) -> Any:
    """Map a change over the outermost expressions of a node, or of a tuple of nodes."""
    if isinstance(node, Expr):
        return change(node)
    if isinstance(node, tuple):
        return tuple([_changed(part, change) for part in node])
    if isinstance(node, Item):
        return changed_item(node, change)
    parts = {name: _changed(getattr(node, name), change) for name in HOLDS.get(type(node), ())}
    return replace(node, **parts) if parts else node


def lone_value(code: Procedure) -> Expr | None:
    """Return the value of a function that does nothing but return it; None for any other procedure."""
    if code.depth or code.effects.suspends or code.effects.writes or code.blocks[0].statements:
        return None
    end = code.blocks[0].terminator
    return end.value if isinstance(end, nodes.Return) else None


def mapped(expr: Expr, change: Change) -> Expr:
    """Map a change over the arguments of an expression."""
    args = tuple(change(arg) if isinstance(arg, Expr) else arg for arg in expr.args)
    return expr if all(a is b for a, b in zip(args, expr.args, strict=True)) else replace(expr, args=args)


def substituted(expr: Expr, slot: int, change: Change) -> Expr:
    """Substitute another expression for a local, which nothing binds again."""
    if expr.op == "local":
        return change(expr) if index(expr) == slot else expr
    return mapped(expr, lambda arg: substituted(arg, slot, change))


fresh_slots = count(1 << 23)
"""Slots that no procedure has."""


def with_arguments(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """Return what a function gives in terms of its caller; what it binds gets slots that no procedure has."""
    if expr.op == "local":
        return values[index(expr)]
    if expr.op in BINDING:
        slot = next(fresh_slots)
        source, body = operands(expr)
        inner = {**values, index(expr): Expr("local", _type_of_bound(expr), (slot,), expr.site)}
        return replace(expr, args=(slot, with_arguments(source, values), with_arguments(body, inner)))
    return mapped(expr, lambda arg: with_arguments(arg, values))


def _type_of_bound(expr: Expr) -> Type:
    """Return the type of what a binding operation binds: that of the local that reads it."""
    slot = index(expr)
    _, body = operands(expr)
    return next((part.type for part in subexpressions(body) if part.op == "local" and index(part) == slot), INT)


def changed_item(item: Item, change: Change, binders: bool = True) -> Item:
    """Map a change over the conditions of an item and, if `binders` says so, over what its binders read."""
    names = ("binders", "guards", "pre") if binders else ("guards", "pre")
    return replace(item, **{name: _changed(getattr(item, name), change) for name in names})
