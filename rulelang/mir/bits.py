"""Conditions and sets of small values, as the passes that ask sets of bits take them apart.

Enters: conditions; types and sets. Leaves: what an `and` joins; whether values are places in a set of bits; the bits of
a set: a word, which is an `int`, of up to 64 values, else several words, `bits` (called a word as well).
"""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import operands
from rulelang.runtime.constants import MOST_BITS, WORD, mask
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import BITS, BOOL, INT, Type

TRUE = Expr("const", BOOL, (1,))
ROWS = frozenset(("ray", "neighbours"))
"""Sets of cells that are rows of a table."""


def is_small(layout: Layout, type_: Type) -> bool:
    """Return whether all values of a type, none of them absent, are places in a set of bits."""
    if type_ in ("dir", "bool"):
        return True
    return (type_ == "seat" or type_.kind in ("enum", "cell")) and layout.size(type_) <= MOST_BITS


def bits_type(layout: Layout, type_: Type) -> Type:
    """Return the type of a set of bits of values of a type."""
    return BITS if (type_ == "seat" or type_.kind in ("enum", "cell")) and layout.size(type_) > WORD else INT


def bits(layout: Layout, type_: Type, values: Iterable[int]) -> Expr:
    """Return constant values of a small type as a set of bits."""
    wide = bits_type(layout, type_)
    return Expr("const", wide, (mask(values, WORD if wide == INT else MOST_BITS),))


def is_set_of_small(layout: Layout, expr: Expr) -> bool:
    """Return whether an expression is a set of such values."""
    return expr.type.kind == "set" and is_small(layout, expr.type.inner)


def conjuncts(condition: Expr) -> list[Expr]:
    """Return the conditions that an `and` joins, in order."""
    if condition.op != "and":
        return [condition]
    return [part for side in operands(condition) for part in conjuncts(side)]


def unwraps(expr: Expr) -> bool:
    """Return whether an expression takes an optional value as a present one."""
    return expr.op == "cast" and operands(expr)[0].type.kind == "opt"


def word_of(layout: Layout, source: Expr) -> Expr:
    """Return the word of a set of small values."""
    return Expr("mask", bits_type(layout, source.type.inner), (source,), source.site)
