"""Loop-invariant code motion: what a loop would work out again for each element is worked out once.

Enters: a layout. Leaves: the layout of the same program; what no element changes and takes more than a few steps stands
in a `let` around the loop, which works it out when it is first read, so that nothing is read that was not read before.
A set or a bag that is made within a round would lie in scratch space, which the round gives back: C makes it before the
loop, so only those move that calls give which the loop itself reads.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.walk import form, index, local_reads, operands, subexpressions
from rulelang.mir.bits import ROWS, is_set_of_small, word_of
from rulelang.mir.bound import first_free_slot, with_program
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import BINDING
from rulelang.vocabulary.types import BOOL

FIRST_SHARED = 1 << 16
"""Slots from here on are those of `let`s."""
LOOPS = BINDING - {"let"}
HEAVY = LOOPS | {"call"}
"""Operations that take more than a few steps."""


def share(layout: Layout) -> Layout:
    """Return the layout with what loops need not repeat in `let`s around them."""
    mover = _Mover(layout)
    return with_program(layout, rewritten(layout.program, mover.moved))


def _floated(expr: Expr) -> Expr:
    """Return the operation with the `let`s of the set that it reads around itself, so that it meets the set."""
    for place, arg in enumerate(expr.args):
        if isinstance(arg, Expr):
            if arg.op != "let" or arg.type.kind != "set":
                return expr
            slot, value, body = arg.args
            inner = replace(expr, args=(*expr.args[:place], body, *expr.args[place + 1 :]))
            return Expr("let", expr.type, (slot, value, _floated(inner)), expr.site)
    return expr


class _Mover:
    """Loop-invariant code motion: hoists what a loop would compute again into `let`s before it."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.constants = Constants(layout)
        self.slots = count(FIRST_SHARED + first_free_slot(layout.program))

    def moved(self, expr: Expr) -> Expr:
        """Return the expression, in its loops nothing that could stand before them."""
        if expr.op not in LOOPS or self.constants.known(expr) is not UNKNOWN:
            return _floated(mapped(expr, self.moved))
        source, body = operands(expr)
        hoisted: dict[Any, tuple[int, Expr]] = {}
        body = self._without_invariants(body, frozenset((index(expr),)), hoisted)
        if form(source) in hoisted:
            source = Expr("local", source.type, (hoisted[form(source)][0],), source.site)
        loop = _floated(replace(expr, args=(index(expr), self.moved(source), self.moved(body))))
        for slot, value in hoisted.values():
            loop = Expr("let", expr.type, (slot, self.moved(value), loop), expr.site)
        return loop

    def _without_invariants(self, expr: Expr, bound: frozenset[int], hoisted: dict[Any, tuple[int, Expr]]) -> Expr:
        """Return the body of a loop with slots for what does not depend on the bound ones, which `hoisted` gets."""
        if expr.op == "possible" or self.constants.known(expr) is not UNKNOWN:
            return expr
        if local_reads(expr).isdisjoint(bound) and (
            self._is_worth_it(expr) if expr.type.scalar else len(bound) == 1 and expr.op == "call"
        ):
            slot, _ = hoisted.setdefault(form(expr), (next(self.slots), expr))
            return Expr("local", expr.type, (slot,), expr.site)
        if expr.op == "member":
            _, source = operands(expr)
            fixed = self.constants.known(source) is not UNKNOWN
            if is_set_of_small(self.layout, source) and not fixed and local_reads(source).isdisjoint(bound):
                word = word_of(self.layout, source)
                slot, _ = hoisted.setdefault(form(word), (next(self.slots), word))
                value = self._without_invariants(operands(expr)[0], bound, hoisted)
                return Expr("in_mask", BOOL, (value, Expr("local", word.type, (slot,), expr.site)), expr.site)
        if expr.op in BINDING:
            source, body = operands(expr)
            inner = self._without_invariants(body, bound | {index(expr)}, hoisted)
            return replace(expr, args=(index(expr), self._without_invariants(source, bound, hoisted), inner))
        return mapped(expr, lambda arg: self._without_invariants(arg, bound, hoisted))

    @staticmethod
    def _is_worth_it(expr: Expr) -> bool:
        """Return whether hoisting an expression pays: only if it has operations that cost more than a local."""
        parts = list(subexpressions(expr))
        if expr.op == "mask" and operands(expr)[0].op not in ROWS:
            return True
        return any(part.op in HEAVY for part in parts) and not any(part.op == "possible" for part in parts)
