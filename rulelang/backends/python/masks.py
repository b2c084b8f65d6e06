"""Sets of pieces of one zone as the text of a number, where the zone is kept as a number.

Enters: an expression that finds pieces. Leaves: the number of what it finds, without a list of it: a condition on what
a piece is becomes the bits of the items for which it holds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.handfuls import Handfuls
from rulelang.backends.python.picks import TOLD
from rulelang.backends.python.scope import Scope
from rulelang.backends.text import atomic
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, local_reads, subexpressions
from rulelang.runtime.bounds import HIGHEST, LOWEST

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
OF_GROUPS = TOLD | {"sum", "map", "filter", "any", "all", "count", "group_items", "add", "sub", "mul", "if"}
"""Operations that say the same of the same groups of pieces, wherever they lie."""
TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class Handful(NamedTuple):
    """The text of a number, and what knows such numbers."""

    text: str
    handfuls: Handfuls


def handful_text(w: Writer, e: Expr, s: Scope) -> Handful | None:
    """The number of all or some of the pieces of a zone that is kept so; None for any other set."""
    if id(e) in w.hoisted:
        return None
    if e.op == "local":
        kept = w.bare(e, s)
        return Handful(kept.name, kept.handfuls) if kept is not None and kept.handfuls is not None else None
    if e.op == "pieces" and w.compiler.known(e) is UNKNOWN:
        (zone,) = operands(e)
        handfuls = w.held(zone, s)
        return None if handfuls is None else Handful(f"c[{w.text(zone, s)}]", handfuls)
    if e.op != "filter":
        return None
    source, condition = operands(e)
    found = handful_text(w, source, s)
    wanted = None if found is None else _wanted(w, found.handfuls, number(e), condition, s)
    return None if found is None or wanted is None else Handful(f"({found.text} & {wanted})", found.handfuls)


def grouped_sum(w: Writer, e: Expr, s: Scope) -> str:
    """A sum over groups of a zone's pieces with equal attributes, where what is added is told by the pieces of a group:
    it is looked up by these. Empty if it is something else."""
    source, body = operands(e)
    groups, *conditions = operands(source) if source.op == "filter" else [source]
    if e.type != "int" or groups.op != "group" or not _told(body, number(e)):
        return ""
    if not all(_told(condition, number(source)) for condition in conditions):
        return ""
    found, by = operands(groups)
    handful = handful_text(w, found, s)
    column = None if handful is None else _column(w, handful.handfuls, by, number(groups))
    if handful is None or column is None:
        return ""
    inner, handfuls = Scope(s.procedure), handful.handfuls
    added = w.stored(body, inner.bind(number(e), "group"))
    for condition in conditions:
        added = f"{added} if {w.truth(condition, inner.bind(number(source), 'group'))} else 0"
    values = sorted({column[item] for item, _ in handfuls.lanes})
    masks = [_alike(handfuls, operator.eq, column, value) for value in values]
    sums = w.source.of_groups(handfuls, added)
    part, mask = w.source.fresh("part"), w.source.fresh("mask")
    text = f"sum([{sums}[{part} & {mask}] for {part} in ({handful.text},) for {mask} in {w.source.constant(masks)}])"
    return text if w.intervals.within(s.procedure, e, LOWEST + 1, HIGHEST - 1) else f"wide({text}, {e.site})"


def _told(expr: Expr, slot: int) -> bool:
    """Whether the pieces of the group in a slot tell the value, wherever they lie."""
    return local_reads(expr) <= {slot} and all(part.op in OF_GROUPS for part in subexpressions(expr))


def _column(w: Writer, handfuls: Handfuls, attribute: Expr, slot: int) -> list[int] | None:
    """What the attribute of the piece in a slot is, item by item; None if it is something else."""
    if attribute.op != "attr":
        return None
    (piece,) = operands(attribute)
    column = w.layout.columns[number(attribute)][number(attribute, 1)]
    if piece.op != "local" or index(piece) != slot:
        return None
    return column if all(isinstance(column[item], int) for item, _ in handfuls.lanes) else None


def _alike(handfuls: Handfuls, compare: Callable[[int, int], bool], column: list[int], value: int) -> int:
    """The bits of the items of which what a column has compares so with a value."""
    return handfuls.mask(lambda item: compare(column[item], value))


def _wanted(w: Writer, handfuls: Handfuls, slot: int, condition: Expr, s: Scope) -> str | None:
    """The bits of the items for which a condition on the piece in a slot holds."""
    if condition.op in ("and", "or"):
        parts = [_wanted(w, handfuls, slot, part, s) for part in operands(condition)]
        return f"({(' & ' if condition.op == 'and' else ' | ').join(map(str, parts))})" if None not in parts else None
    if condition.op == "not":
        part = _wanted(w, handfuls, slot, operands(condition)[0], s)
        return None if part is None else f"({handfuls.mask(lambda item: True)} ^ {part})"
    if condition.op not in COMPARISONS:
        return None
    first, second = operands(condition)
    found = _compared(w, handfuls, slot, condition.op, first, second, s)
    return found or _compared(w, handfuls, slot, TURNED[condition.op], second, first, s)


def _compared(w: Writer, handfuls: Handfuls, slot: int, op: str, attribute: Expr, other: Expr, s: Scope) -> str | None:
    """The same of a comparison of an attribute with a fixed value, or with an enumerated one that a local holds."""
    column = _column(w, handfuls, attribute, slot)
    if column is None:
        return None
    compare, value = COMPARISONS[op], w.compiler.known(other)
    if isinstance(value, int):
        return str(_alike(handfuls, compare, column, value))
    if other.op != "local" or index(other) == slot or not other.type.startswith("enum:"):
        return None
    place = w.text(other, s)
    values = [*range(len(w.layout.domain(other.type))), -1]  # none is -1: the last row
    rows = [_alike(handfuls, compare, column, value) for value in values]
    return f"{w.source.constant(rows)}[{place}]" if atomic(place) else None
