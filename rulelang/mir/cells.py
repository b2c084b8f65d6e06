"""Common subexpressions of a decision: what its options ask again and again is worked out once.

Enters: a layout. Leaves: the layout of the same program. While options of a decision are found the state stays as it
is, so that an expression which no binder changes has one value. What stands in several places, or is asked for many
values of a binder, becomes `(cell n expression)`, worked out when it is first read; functions that are one expression
are inlined into guards first, which shows more that does not change. `(offered place any)` is an `any` that is true
exactly if the item at that place of the decision has an option: `any(f(x) for x in s)`, where an earlier item offers
each `x` of `s` with `f(x)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir.nodes import Decision, Expr, Item
from rulelang.ir.rewrite import changed_item, lone_value, mapped, substituted, with_arguments
from rulelang.ir.walk import form, index, local_reads, number, operands, outermost, subexpressions
from rulelang.mir.bound import with_program
from rulelang.mir.early import is_early
from rulelang.mir.options import GROUPING, asks
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import BINDING, TOTAL, having, reading

ZONES = reading("contents") & TOTAL & having("repeats")
"""Sets of pieces: what goes through one is worth a cell, the set itself is not. (Loops over other sets bind slots of
their own, so that no two of them are alike.)"""
LARGE, LARGEST = 60, 400
"""Most nodes of a function that is inlined, and of all that are inlined in one guard."""
DEEPEST = 3
"""Greatest depth of inlining."""
Slots = frozenset[int]


def cells(layout: Layout) -> Layout:
    """Return the layout with cells in its decisions."""
    finder = _Finder(layout)
    decisions = tuple(map(finder.shared, layout.program.decisions))
    return with_program(layout, replace(layout.program, decisions=decisions))


class _Finder:
    """Finds what several guards of a decision read, and puts it into lazy cells."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.procedures = layout.program.procedures
        self.known = Constants(layout).known
        self.numbers = count()

    def shared(self, node: Decision) -> Decision:
        """Return a decision whose common subexpressions are in cells."""
        if node.together:
            return node
        items = self._with_offers(list(node.items))
        plain = [_mapped_item(item, lambda guard, slots: self._inlined(guard, slots, [LARGEST], 0)) for item in items]
        # Groups that are put in place while guards are read change what the same call gives.
        groups = any(binder.kind == GROUPING for item in items for binder in item.binders)
        uses: Counter[Any] = Counter()
        for item in plain:
            slots = frozenset(binder.slot for binder in item.binders)
            for expr in outermost(item):
                often = not local_reads(expr).isdisjoint(slots)
                for part in self._candidates(expr, slots, groups):
                    uses[form(part)] += 2 if often and part.op == "call" else 1
        numbers = {key: next(self.numbers) for key, times in uses.items() if times > 1}

        def in_cells(expr: Expr, slots: Slots) -> Expr:
            if self._is_candidate(expr, slots, groups) and (place := numbers.get(form(expr))) is not None:
                return Expr("cell", expr.type, (place, expr), expr.site)
            return _rebuilt(expr, slots, in_cells)

        if not numbers:
            return replace(node, items=tuple(items))
        return replace(node, items=tuple(_mapped_item(item, in_cells, binders=True) for item in plain))

    def _is_candidate(self, expr: Expr, slots: Slots, groups: bool) -> bool:
        """Return whether an expression has one value for all options, and is worth a cell."""
        if not local_reads(expr).isdisjoint(slots) or self.known(expr) is not UNKNOWN:
            return False
        if expr.op == "call":
            return expr.type.scalar and not groups and all(map(_is_atomic, operands(expr)))
        goes_through = expr.op not in ZONES and any(part.op in ZONES for part in subexpressions(expr))
        return goes_through and is_early(self.layout.program, expr)

    def _candidates(self, expr: Expr, slots: Slots, groups: bool) -> Iterator[Expr]:
        """Yield the candidates in an expression, and those within them."""
        if self._is_candidate(expr, slots, groups):
            yield expr
        for part, inner in _parts(expr, slots):
            yield from self._candidates(part, inner, groups)

    # ---- inlining

    def _inlined(self, expr: Expr, slots: Slots, left: list[int], depth: int) -> Expr:
        """Inline calls that read a varying slot, but for those within loops; `left`: how many nodes may be added."""
        if expr.op in BINDING:
            return expr
        value = self._value(expr, slots, left) if depth < DEEPEST else None
        if value is None:
            return _rebuilt(expr, slots, lambda part, inner: self._inlined(part, inner, left, depth))
        return self._inlined(value, slots, left, depth + 1)

    def _value(self, call: Expr, slots: Slots, left: list[int]) -> Expr | None:
        """Return the body of the called function with the arguments put in; None if the call is not to be inlined."""
        if call.op != "call" or local_reads(call).isdisjoint(slots) or not all(map(_is_atomic, operands(call))):
            return None
        value = lone_value(self.procedures[number(call)])
        if value is None or any(part.op == "possible" for part in subexpressions(value)):
            return None
        parts = sum(1 for _ in subexpressions(value))
        if parts > min(LARGE, left[0]):
            return None
        left[0] -= parts
        return with_arguments(value, dict(enumerate(operands(call))))

    # ---- what items offer

    def _with_offers(self, items: list[Item]) -> list[Item]:
        """Return the items, in which an `any` that an earlier one offers is known by that."""
        offered: dict[Any, int] = {}

        def known(expr: Expr) -> Expr:
            if expr.op == "possible":
                return expr
            if expr.op == "any":
                source, body = operands(expr)
                if (place := offered.get((form(source), _form(body, index(expr))))) is not None:
                    return Expr("offered", expr.type, (place, expr), expr.site)
            return mapped(expr, known)

        changed = []
        for place, item in enumerate(items):
            changed.append(changed_item(item, known, binders=False))
            if not item.pre and len(item.binders) == 1 == len(item.guards):
                (binder,), (guard,) = item.binders, item.guards
                # Of interchangeable values one represents all.
                if binder.kind == "each" and not asks(self.layout, binder):
                    offered.setdefault((form(binder.args[0]), _form(guard.condition, binder.slot)), place)
        return changed


def _form(condition: Expr, slot: int) -> Any:
    """Return the normal form of a condition on a local, independent of the local's slot."""
    return form(substituted(condition, slot, lambda local: replace(local, args=(-1,))))


def _is_atomic(expr: Expr) -> bool:
    return expr.op in ("local", "const")


def _mapped_item(item: Item, change: Callable[[Expr, Slots], Expr], binders: bool = False) -> Item:
    slots = frozenset(binder.slot for binder in item.binders)
    return changed_item(item, lambda expr: change(expr, slots), binders)


def _parts(expr: Expr, slots: Slots) -> Iterator[tuple[Expr, Slots]]:
    """Yield the operands of an expression, each with the slots that vary there, but for the condition of a `possible`,
    which is read in another state."""
    for place, part in enumerate(operands(expr)):
        if place or expr.op != "possible":
            yield part, slots | {index(expr)} if place and expr.op in BINDING else slots


def _rebuilt(expr: Expr, slots: Slots, change: Callable[[Expr, Slots], Expr]) -> Expr:
    """Return an expression with each part replaced by what `change` returns for it and the slots bound around it."""
    new = iter([change(part, inner) for part, inner in _parts(expr, slots)])
    first = operands(expr)[0] if expr.op == "possible" else None
    args = (arg if arg is first or not isinstance(arg, Expr) else next(new) for arg in expr.args)
    return replace(expr, args=tuple(args))
