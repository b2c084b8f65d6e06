"""What operations on numbers, words of bits and truth values compute: constants are folded by it, wherever they stand.

Truth values may come as Python's; a division by zero raises ZeroDivisionError.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from rulelang.vocabulary.operations import EXPRESSIONS, LOGIC, SIGNS

COMPUTES: dict[str, Callable[..., int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.floordiv,
    "mod": operator.mod,
    "neg": operator.neg,
    "abs": abs,
    "min2": min,
    "max2": max,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "not": operator.not_,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
}
COMPARES = {name: COMPUTES[name] for name in SIGNS}
FOLDS_ALONE = {name: of for name, of in COMPUTES.items() if name == "not" or name not in LOGIC}
"""Those that read all their operands."""
PAIRS = {name for name in FOLDS_ALONE if EXPRESSIONS[name].is_pair and "zero" not in EXPRESSIONS[name].failures}
"""Those of two numbers that fail for none but by a result beyond 64 bits."""


def says_some(op: str, bound: int) -> bool | None:
    """Return whether so many things as compare thus with a bound are some, or none; None if they may be either."""
    none, *some = (bool(COMPARES[op](number, bound)) for number in (0, 1, 2))
    return some[0] if set(some) == {not none} else None
