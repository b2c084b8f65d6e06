"""Sets of small values as words with a bit for each: membership is one test of a bit.

Enters: a layout. Leaves: the layout of the same program, in which membership in a row of cells is asked of a word.
Sets that a loop does not change are made words of by `share`, which knows the loop.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.types import BOOL, INT, Type
from rulelang.ir.walk import index, operands
from rulelang.mir.bound import with_program
from rulelang.runtime.constants import WORD
from rulelang.runtime.layout import Layout

ROWS = frozenset(("ray", "neighbours"))
"""Sets of cells that are rows of a table."""


def bits(layout: Layout) -> Layout:
    """Return the layout with membership in rows of tables asked of words."""

    def asked(expr: Expr) -> Expr:
        expr = mapped(expr, asked)
        if expr.op != "member":
            return expr
        _, source = operands(expr)
        return in_word(expr) if source.op in ROWS and layout.grids[index(source)].size <= WORD else expr

    return with_program(layout, rewritten(layout.program, asked))


def is_small(layout: Layout, type_: Type) -> bool:
    """Return whether all values of a type, none of them absent, are places in one word."""
    if type_ in ("dir", "bool"):
        return True
    return (type_ == "seat" or type_.kind in ("enum", "cell")) and layout.size(type_) <= WORD


def is_set_of_small(layout: Layout, expr: Expr) -> bool:
    """Return whether an expression is a set of such values."""
    return expr.type.kind == "set" and is_small(layout, expr.type.inner)


def word_of(source: Expr) -> Expr:
    """Return the word of a set."""
    return Expr("mask", INT, (source,), source.site)


def in_word(member: Expr) -> Expr:
    """Return a `member` as a test of a bit of its set's word."""
    value, source = operands(member)
    return Expr("in_mask", BOOL, (value, word_of(source)), member.site)
