"""Find common subexpressions that generated code may evaluate once.

Enters: expressions. Leaves: their common parts that are safe to hoist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import BINDING, local_reads, operands, subexpressions

SAFE = frozenset((
    "pieces", "map", "filter", "attr", "local", "const", "zone", "players", "everyone", "domain", "count", "size",
    "eq", "ne", "lt", "le", "gt", "ge", "var", "and", "or", "not", "if", "is_none", "member", "distinct", "is_def",
    "eattr", "cast", "any", "all", "list", "in_mask",
))  # fmt: skip
"""Pure operations that cannot fail: they may be hoisted."""
SPECULABLE = SAFE | {"active", "owner", "purses", "purse", "purses_of", "family", "bag_get", "firsts"}
"""Operations that may be evaluated before it is known that they are needed."""


def rebuilt(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """Rewrite the operands of an expression, but for the one that may read what the expression binds."""
    parts = operands(expr)
    # The condition of a trial is read when the state is another one.
    unchanged = 0 if expr.op == "possible" else 1 if expr.op in BINDING else -1
    new = [part if place == unchanged else change(part) for place, part in enumerate(parts)]
    if all(a is b for a, b in zip(parts, new, strict=True)):
        return expr
    rest = iter(new)
    return replace(expr, args=tuple(next(rest) if isinstance(arg, Expr) else arg for arg in expr.args))


def shareable(expr: Expr, slots: Collection[int], worth: Collection[str]) -> Iterator[Expr]:
    """Yield the largest pure subexpressions that have an operation in `worth` and read none of the slots."""
    parts = list(subexpressions(expr))
    if any(part.op in worth for part in parts) and local_reads(expr).isdisjoint(slots):
        if all(part.op in SPECULABLE for part in parts):
            yield expr
            return
    below = operands(expr)
    if expr.op in BINDING:
        below = below[:1]
    elif expr.op == "possible":
        below = below[1:]  # its condition is read when the state is another one
    for child in below:
        yield from shareable(child, slots, worth)
