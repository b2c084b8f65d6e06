"""Evaluate quantifiers, sums and filters over a zone of packed counts with word operations (SWAR), without a loop.

Enters: expressions over the pieces of such a zone whose bodies read constant attributes only. Leaves: C text that masks
the word of counts (c/state.h: a byte for each item); None for any other expression.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, local_reads, number, operands
from rulelang.mir.early import is_early
from rulelang.native.analysis import is_heavy
from rulelang.native.expressions import Environment, Writer, compound, wrapped
from rulelang.native.pieces import based, form_flag, kind_of, shift_of
from rulelang.native.text import PackedCounts
from rulelang.runtime.constants import PURE, UNKNOWN
from rulelang.vocabulary.operations import EQUALITIES, MIRRORED, SIGNS
from rulelang.vocabulary.types import BOOL

LARGE = 1 << 32
"""Sums of the counted values fit a word if each value is smaller."""
WIDEST = 64
"""Most rows of a table of masks by value."""


def _zone_counts(w: Writer, e: Expr, s: Environment) -> tuple[str, str, str] | None:
    """Return the packed form of all pieces in a zone: declarations, the counts, and what is added to the index of an
    item to make a piece of it; None for other sets."""
    if e.op == "local":
        name = s.names[index(e)]
        return ("", name.counts, name.first) if isinstance(name, PackedCounts) else None
    if e.op != "pieces" or w.known(e) is not UNKNOWN:
        return None
    (zone,) = operands(e)
    if form_flag(w, (w.table_of(zone, s),)) != "COUNTS":
        return None
    before, cell = w.temporary(w.text(zone, s), "zone")
    return before, f"g->s.counts[{cell}]", f"FIRST_ITEM({cell}) + {based(cell, shift_of(w, e.type))}"


def counted_set(w: Writer, e: Expr, s: Environment) -> tuple[str, str, str] | None:
    """Return the packed form (see `_zone_counts`) of all or a filtered part of the pieces in a zone."""
    if e.op != "filter":
        return _zone_counts(w, e, s)
    source, condition = operands(e)
    packed = counted_set(w, source, s)
    mask = None if packed is None or not w.analysis.small(source, condition) else _mask(w, number(e), condition, s)
    return None if packed is None or mask is None else (packed[0], f"{packed[1]} & {mask}", packed[2])


def _value_masks(w: Writer, e: Expr, s: Environment) -> tuple[str, str, dict[int, str]] | None:
    """Return for a fold over an attribute of packed pieces: declarations, the counts, the byte mask of each value."""
    source, body = operands(e)
    if body.op == "local" and index(body) == number(e) and source.op == "map":
        return _value_masks(w, source, s)
    packed, values = counted_set(w, source, s), _values(w, number(e), body)
    if packed is None or values is None or not w.analysis.small(source, body):
        return None
    return packed[0], packed[1], {value: _byte_mask(values, value) for value in values}


def _byte_mask(values: Sequence[object], selected: object) -> str:
    """Return the text of the word with 255 in the byte of each item that has the selected value."""
    return f"UINT64_C({sum(255 << 8 * item for item, value in enumerate(values) if value == selected):#x})"


def _values(w: Writer, slot: int, e: Expr) -> list[int] | None:
    """Return the value of a constant attribute of the piece in `slot` for each item; None for other expressions."""
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


def _mask(w: Writer, slot: int, condition: Expr, s: Environment) -> str | None:
    """Return the text of the byte mask of the items for which a condition on the piece in `slot` holds."""
    if condition.op in ("and", "or"):
        parts = [_mask(w, slot, part, s) for part in operands(condition)]
        return f"({(' & ' if condition.op == 'and' else ' | ').join(map(str, parts))})" if None not in parts else None
    if condition.op == "not":
        part = _mask(w, slot, operands(condition)[0], s)
        return None if part is None else f"~{part}"
    if condition.op not in SIGNS:
        return None
    first, second = operands(condition)
    mask = _comparison_mask(w, slot, condition.op, first, second, s)
    return mask or _comparison_mask(w, slot, MIRRORED[condition.op], second, first, s)


def _comparison_mask(w: Writer, slot: int, op: str, attribute: Expr, operand: Expr, s: Environment) -> str | None:
    values = _values(w, slot, attribute)
    if (
        values is None
        or slot in local_reads(operand)
        or not is_early(w.program, operand)
        or is_heavy(w.layout, operand)
    ):
        return None
    value = w.known(operand)
    if isinstance(value, int):
        return _byte_mask([PURE[op](of_item, value) for of_item in values], True)
    low, high = min(values), max(values)
    if op not in EQUALITIES or high - low >= WIDEST:
        return None
    rows = [_byte_mask(values, row) for row in range(low, high + 1)]
    before, x = w.temporary(w.text(operand, s))
    at = f"(U){x} - {low}" if low > 0 else f"(U){x} + {-low}" if low else f"(U){x}"
    text = f"({at} < {len(rows)} ? {w.source.table(rows, 'U')}[{at}] : 0)"
    text = wrapped(before, text)
    return f"~{text}" if op == "ne" else text


def counted_quantifier(w: Writer, e: Expr, s: Environment) -> str | None:
    """Return the text of `any` or `all` over packed counts, else None."""
    source, body = operands(e)
    condition = body if e.op == "any" else Expr("not", BOOL, (body,), body.site)
    counts = counted_set(w, Expr("filter", source.type, (number(e), source, condition), e.site), s)
    return None if counts is None else f"({{ {counts[0]}({counts[1]}) {'!=' if e.op == 'any' else '=='} 0; }})"


def counted_sum(w: Writer, e: Expr, s: Environment) -> str | None:
    """Return the text of the sum of an attribute over packed counts, else None."""
    masks_of = _value_masks(w, e, s)
    if masks_of is None or max(map(abs, masks_of[2])) >= LARGE:
        return None
    before, text, masks = masks_of
    counts = w.source.fresh("counts")
    terms = [f"(W)(up_to({counts} & {masks[value]}) >> 56) * {value}" for value in masks if value]
    return f"({{ {before}const U {counts} = {text}; {' + '.join(terms) or '0'}; }})"


def counted_mask(w: Writer, e: Expr, s: Environment) -> str | None:
    """Return the text of the bit set of an attribute's values (0 to 63) that occur in packed counts, else None."""
    masks_of = _value_masks(w, e, s) if e.op == "map" else None
    if masks_of is None:
        return None
    before, text, masks = masks_of
    counts = w.source.fresh("counts")
    terms = [f"(W)!!({counts} & {masks[value]}) << {value & 63}" for value in masks]
    return f"({{ {before}const U {counts} = {text}; {' | '.join(terms)}; }})"
