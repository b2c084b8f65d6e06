"""Conditions and sets of small values, as the passes that ask words of bits take them apart.

Enters: conditions; types and sets. Leaves: what an `and` joins; whether values are places in one word; the word of a
set.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import operands
from rulelang.runtime.constants import WORD
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import BOOL, INT, Type

TRUE = Expr("const", BOOL, (1,))
ROWS = frozenset(("ray", "neighbours"))
"""Sets of cells that are rows of a table."""


def is_small(layout: Layout, type_: Type) -> bool:
    """Return whether all values of a type, none of them absent, are places in one word."""
    if type_ in ("dir", "bool"):
        return True
    return (type_ == "seat" or type_.kind in ("enum", "cell")) and layout.size(type_) <= WORD


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


def word_of(source: Expr) -> Expr:
    """Return the word of a set."""
    return Expr("mask", INT, (source,), source.site)
