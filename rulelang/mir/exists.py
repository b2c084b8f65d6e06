"""Strength reduction of counts: whether there is an element is asked of the first one, not of how many there are.

Enters: a layout. Leaves: the layout of the same program, in which `count(s)` compared with nothing is an `any`.
"""

from __future__ import annotations

from itertools import count

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.walk import index, operands
from rulelang.mir.bits import TRUE
from rulelang.mir.bound import first_free_slot, with_program
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.computing import says_some
from rulelang.vocabulary.operations import SIGNS
from rulelang.vocabulary.types import BOOL

GONE_THROUGH = frozenset(("filter", "flatten", "call", "family", "firsts", "let"))
"""Sets whose elements must be found to be counted."""


def exists(layout: Layout) -> Layout:
    """Return the layout with no count where it is only asked whether there is something."""
    slots = count(first_free_slot(layout.program))

    def asked(expr: Expr) -> Expr:
        expr = mapped(expr, asked)
        if expr.op not in SIGNS:
            return expr
        counted, number = operands(expr)
        if number.op != "const" or counted.op != "count" or (holds := says_some(expr.op, index(number))) is None:
            return expr
        (source,) = operands(counted)
        if source.op not in GONE_THROUGH:
            return expr
        some = Expr("any", BOOL, (next(slots), source, TRUE), expr.site)
        return some if holds else Expr("not", BOOL, (some,), expr.site)

    return with_program(layout, rewritten(layout.program, asked))
