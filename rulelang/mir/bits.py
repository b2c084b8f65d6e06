"""Sets of small values as words with a bit for each, for the passes that ask words.

Enters: types and sets. Leaves: whether their values are places in one word; the word of a set.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr
from rulelang.ir.types import INT, Type
from rulelang.runtime.constants import WORD
from rulelang.runtime.layout import Layout

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


def word_of(source: Expr) -> Expr:
    """Return the word of a set."""
    return Expr("mask", INT, (source,), source.site)
