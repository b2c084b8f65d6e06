"""What generated code may read once instead of several times, and what it need not read at all.

Enters: expressions and blocks. Leaves: the parts that several readings share; the statements that are needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from rulelang.ir.liveness import live_at_terminator
from rulelang.ir.nodes import Block, Decision, Expr, Statement
from rulelang.ir.walk import BINDING, children, index, local_reads, subexpressions

SAFE = frozenset((
    "pieces", "map", "filter", "attr", "local", "const", "zone", "players", "everyone", "domain", "count", "size",
    "eq", "ne", "lt", "le", "gt", "ge", "var", "and", "or", "not", "if", "is_none", "member", "distinct", "is_def",
    "eattr", "cast", "any", "all", "list", "in_mask",
))  # fmt: skip
"""Operations that cannot fail and change nothing: they may be read once for all options."""
SHARED = SAFE | {"active", "owner", "purses", "purse", "purses_of", "family", "bag_get", "firsts", "group_items"}
"""Operations that may be read before it is known that they are needed."""


def form(expr: Expr) -> Any:
    """An expression without its sites: equal for those that are alike."""
    return expr.op, expr.type, tuple(form(arg) if isinstance(arg, Expr) else arg for arg in expr.args)


def shareable(expr: Expr, slots: Collection[int], worth: Collection[str]) -> Iterator[Expr]:
    """The largest parts of an expression with an operation that is worth it, that can't fail, change nothing and read
    none of the slots."""
    parts = list(subexpressions(expr))
    if any(part.op in worth for part in parts) and local_reads(expr).isdisjoint(slots):
        if all(part.op in SHARED for part in parts):
            yield expr
            return
    for child in children(expr):
        yield from shareable(child, slots, worth)
        if expr.op in BINDING:
            return


def needed_statements(block: Block, live: list[frozenset[int]], decisions: tuple[Decision, ...]) -> list[Statement]:
    """The statements of a block, without those that set what nobody reads. `live`: see `live_slots`."""
    needed = live_at_terminator(block, live, decisions)
    kept: list[Statement] = []
    for node in reversed(block.statements):
        if node.op == "set" and index(node) not in needed and _idle(next(children(node))):
            continue
        if node.op == "set":
            needed -= {index(node)}
        needed = needed.union(*map(local_reads, children(node)))
        kept.append(node)
    return kept[::-1]


def _idle(expr: Expr) -> bool:
    """Whether an expression whose value is not wanted need not be read: it cannot fail and changes nothing."""
    return all(part.op in SAFE or part.op == "relocate" for part in subexpressions(expr))
