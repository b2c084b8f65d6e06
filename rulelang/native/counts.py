"""What is asked of all pieces in a zone that is kept as counts, as C text without a loop over the pieces.

Enters: expressions over the pieces of such a zone whose parts look at nothing but what an item is. Leaves: text that
reads the counts of the items that are meant all at once (c/state.h: a byte each); None for any other expression.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from rulelang.ir.nodes import Expr
from rulelang.ir.types import BOOL
from rulelang.ir.walk import index, local_reads, number, operands, subexpressions
from rulelang.native.expressions import Scope, Writer, compound, wrapped
from rulelang.native.pieces import based, form_flag, kind_of, shift_of
from rulelang.native.text import PackedCounts
from rulelang.runtime.constants import UNKNOWN

PLAIN = frozenset(("local", "const", "var"))
"""Operations that cannot fail, change nothing and take no time: it is of no matter how often they are read."""
LARGE = 1 << 32
"""Sums of so many values, none of them that large, are words."""
WIDEST = 64
"""Tables of what is equal to a value have no more rows."""
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _lying(w: Writer, e: Expr, s: Scope) -> tuple[str, str, str] | None:
    """Of the set of all pieces in a zone that is kept as counts: what comes before, the counts, and what is added to
    the place of an item to make a piece of it."""
    if e.op == "local":
        name = s.names[index(e)]
        return ("", name.counts, name.first) if isinstance(name, PackedCounts) else None
    if e.op != "pieces" or w.known(e) is not UNKNOWN:
        return None
    (zone,) = operands(e)
    if form_flag(w, (w.table_of(zone, s),)) != "COUNTS":
        return None
    before, there = w.kept(w.text(zone, s), "zone")
    return before, f"g->s.counts[{there}]", f"FIRST_ITEM({there}) + {based(there, shift_of(w, e.type))}"


def counted_set(w: Writer, e: Expr, s: Scope) -> tuple[str, str, str] | None:
    """The same of all or some of them."""
    if e.op != "filter":
        return _lying(w, e, s)
    source, condition = operands(e)
    found = counted_set(w, source, s)
    wanted = None if found is None or not w.facts.small(source, condition) else _wanted(w, number(e), condition, s)
    return None if found is None or wanted is None else (found[0], f"{found[1]} & {wanted}", found[2])


def _valued(w: Writer, e: Expr, s: Scope) -> tuple[str, str, dict[int, str]] | None:
    """Of what an operation reads of each of them, an attribute: what comes before, the counts, and the bytes that each
    value has."""
    source, body = operands(e)
    if body.op == "local" and index(body) == number(e) and source.op == "map":
        return _valued(w, source, s)
    found, values = counted_set(w, source, s), _values(w, number(e), body)
    if found is None or values is None or not w.facts.small(source, body):
        return None
    return found[0], found[1], {value: _bytes(values, value) for value in values}


def _bytes(values: Sequence[object], wanted: object) -> str:
    """The word that has all bits of the bytes of items with a value."""
    return f"UINT64_C({sum(255 << 8 * place for place, value in enumerate(values) if value == wanted):#x})"


def _values(w: Writer, slot: int, e: Expr) -> list[int] | None:
    """What an attribute of the piece in a slot is, item by item."""
    if e.op not in ("attr", "owner") or compound(e.type):
        return None
    (piece,) = operands(e)
    if piece.op != "local" or index(piece) != slot:
        return None
    items = w.layout.kind_items[kind_of(w, piece.type)]
    if e.op == "owner":
        seats = [w.layout.item_seat[item] for item in items]
        return seats if min(seats, default=-1) >= 0 else None
    column = w.layout.columns[number(e)][number(e, 1)]
    return [int(column[item]) for item in items]


def _wanted(w: Writer, slot: int, condition: Expr, s: Scope) -> str | None:
    """The bytes of the items for which a condition on the piece in a slot holds."""
    if condition.op in ("and", "or"):
        parts = [_wanted(w, slot, part, s) for part in operands(condition)]
        return f"({(' & ' if condition.op == 'and' else ' | ').join(map(str, parts))})" if None not in parts else None
    if condition.op == "not":
        part = _wanted(w, slot, operands(condition)[0], s)
        return None if part is None else f"~{part}"
    if condition.op not in COMPARISONS:
        return None
    first, second = operands(condition)
    found = _compared(w, slot, condition.op, first, second, s)
    return found or _compared(w, slot, TURNED[condition.op], second, first, s)


def _compared(w: Writer, slot: int, op: str, attribute: Expr, other: Expr, s: Scope) -> str | None:
    values = _values(w, slot, attribute)
    if values is None or slot in local_reads(other) or any(part.op not in PLAIN for part in subexpressions(other)):
        return None
    value = w.known(other)
    if isinstance(value, int):
        return _bytes([COMPARISONS[op](mine, value) for mine in values], True)
    low, high = min(values), max(values)
    if op not in ("eq", "ne") or high - low >= WIDEST:
        return None
    rows = [_bytes(values, row) for row in range(low, high + 1)]
    before, x = w.kept(w.text(other, s))
    at = f"(U){x} - {low}" if low > 0 else f"(U){x} + {-low}" if low else f"(U){x}"
    text = f"({at} < {len(rows)} ? {w.source.table(rows, 'U')}[{at}] : 0)"
    text = wrapped(before, text)
    return f"~{text}" if op == "ne" else text


def counted_quantifier(w: Writer, e: Expr, s: Scope) -> str | None:
    """Whether a condition holds for some, or for all."""
    source, body = operands(e)
    condition = body if e.op == "any" else Expr("not", BOOL, (body,), body.site)
    counts = counted_set(w, Expr("filter", source.type, (number(e), source, condition), e.site), s)
    return None if counts is None else f"({{ {counts[0]}({counts[1]}) {'!=' if e.op == 'any' else '=='} 0; }})"


def counted_sum(w: Writer, e: Expr, s: Scope) -> str | None:
    """A sum of an attribute."""
    found = _valued(w, e, s)
    if found is None or max(map(abs, found[2])) >= LARGE:
        return None
    before, text, places = found
    counts = w.source.fresh("counts")
    terms = [f"(W)(up_to({counts} & {places[value]}) >> 56) * {value}" for value in places if value]
    return f"({{ {before}const U {counts} = {text}; {' + '.join(terms) or '0'}; }})"


def counted_mask(w: Writer, e: Expr, s: Scope) -> str | None:
    """The word with a bit for each value (from 0 to 63) of an attribute."""
    found = _valued(w, e, s) if e.op == "map" else None
    if found is None:
        return None
    before, text, places = found
    counts = w.source.fresh("counts")
    terms = [f"(W)!!({counts} & {places[value]}) << {value & 63}" for value in places]
    return f"({{ {before}const U {counts} = {text}; {' | '.join(terms)}; }})"
