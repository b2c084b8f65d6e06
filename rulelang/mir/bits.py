"""Sets of small values as words with a bit for each: membership is one test of a bit.

Enters: a layout. Leaves: the layout of the same program, in which membership in a row of cells is asked of a word, and
the number of distinct values is that of its bits.
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
        source = operands(expr)[-1] if expr.op in ("member", "count") else expr
        if expr.op == "member" and source.op in ROWS and layout.grids[index(source)].size <= WORD:
            return in_word(expr)
        if expr.op == "count" and source.op == "distinct":
            (values,) = operands(source)
            if is_set_of_small(layout, values) or _are_small_numbers(layout, values):
                return Expr("ones", INT, (word_of(values),), expr.site)
        return expr

    return with_program(layout, rewritten(layout.program, asked))


def is_small(layout: Layout, type_: Type) -> bool:
    """Return whether all values of a type, none of them absent, are places in one word."""
    if type_ in ("dir", "bool"):
        return True
    return (type_ == "seat" or type_.kind in ("enum", "cell")) and layout.size(type_) <= WORD


def is_set_of_small(layout: Layout, expr: Expr) -> bool:
    """Return whether an expression is a set of such values."""
    return expr.type.kind == "set" and is_small(layout, expr.type.inner)


def _are_small_numbers(layout: Layout, source: Expr) -> bool:
    """Return whether a set has numbers of a variable that are places in one word."""
    value = operands(source)[1] if source.op == "map" else source
    if value.op not in ("var", "pvar"):
        return False
    table = (layout.program.variables if value.op == "var" else layout.program.piece_variables)[index(value)]
    return table.type == "int" and table.low >= 0 and table.high < WORD


def word_of(source: Expr) -> Expr:
    """Return the word of a set."""
    return Expr("mask", INT, (source,), source.site)


def in_word(member: Expr) -> Expr:
    """Return a `member` as a test of a bit of its set's word."""
    value, source = operands(member)
    return Expr("in_mask", BOOL, (value, word_of(source)), member.site)
