"""What has bitboards: values of variables per cell, and what pieces lie in zones per cell that hold one piece at most.

Enters: a layout, expressions. Leaves: `Field`s with their values; which bitboard an expression is. A bitboard is a
`mask(filter(all cells, condition))`; the condition compares what the field says of a cell with a value, which no cell
changes: `variable[cell] = value`, `size of zone[cell] = 1`, or `any(owner of piece = value for piece in zone[cell])`,
so too of an attribute. Pieces that may be unseen are no field's: what is known of them changes where nothing moves.
"""

from __future__ import annotations

from typing import NamedTuple

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, local_reads, operands, procedure_parts
from rulelang.mir.bits import is_small
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import Type

FEWEST_ZONES = 9
"""Fewer zones are looked at as quickly; every move of any piece would pay for their bitboards."""
MOST_VALUES = 16
"""A field with more values has no bitboards."""


class Field(NamedTuple):
    """What bitboards tell of each cell.

    Attributes:
        of: `var`: a variable; `size`, `owner`, `attr`: the piece in a zone. table: the number of the variable or zone.
        attribute: that of an `attr`.
    """

    of: str
    table: int
    attribute: int = 0


def values_of(layout: Layout, field: Field) -> range:
    """Return the values of a field of which each has a bitboard; none for what is no field."""
    if field.of == "var":
        values = _values_of_variable(layout, field.table)
    elif not _is_per_cell(layout, layout.program.zones[field.table].index) or not _holds_one(layout, field.table):
        return range(0)
    elif field.of == "size":
        return range(1, 2)
    else:
        told = told_of_items(layout, field).values()
        values = range(min(told, default=0), max(told, default=-1) + 1)
        if field.of == "owner" and values.start < 0:
            return range(0)
    return values if len(values) <= MOST_VALUES else range(0)


def told_of_items(layout: Layout, field: Field) -> dict[int, int]:
    """Return by item of a zone's kind what a field says where it lies."""
    kind = layout.program.zones[field.table].kind
    if field.of == "size":
        return dict.fromkeys(layout.kind_items[kind], 1)
    column = layout.item_seat if field.of == "owner" else layout.columns[kind][field.attribute]
    return {item: column[item] for item in layout.kind_items[kind]}


def cells_of(layout: Layout, field: Field) -> range:
    """Return the cells of a variable, or the instances of a zone."""
    return layout.cells_of_variable(field.table) if field.of == "var" else layout.zone_instances(field.table)


def read_at(expr: Expr, slot: int) -> Field | None:
    """Return the field that an expression reads at the cell in a slot: a variable, or how many pieces lie there."""
    if expr.op == "size":
        table = zone_at(operands(expr)[0], slot)
        return None if table is None else Field("size", table)
    return Field("var", index(expr)) if expr.op == "var" and _is_at(expr, slot) else None


def zone_at(expr: Expr, slot: int) -> int | None:
    """Return the table of a zone of the cell in a slot; None for other zones."""
    return index(expr) if expr.op == "zone" and _is_at(expr, slot) else None


def read_of_piece(layout: Layout, table: int, expr: Expr, slot: int) -> Field | None:
    """Return the field that an expression reads of the piece in a slot, which lies in a zone of a table."""
    (piece,) = operands(expr) if expr.op in ("owner", "attr") else (None,)
    if piece is None or piece.op != "local" or index(piece) != slot:
        return None
    field = Field("owner", table) if expr.op == "owner" else Field("attr", table, index(expr, 1))
    return field if (expr.op == "owner" or expr.type.scalar) and values_of(layout, field) else None


def bitboard_of(layout: Layout, expr: Expr) -> tuple[Field, Expr] | None:
    """Return the field and the value whose bitboard an expression is; None for others."""
    if expr.op != "mask" or operands(expr)[0].op != "filter":
        return None
    source, condition = operands(operands(expr)[0])
    slot = index(operands(expr)[0])
    field: Field | None
    if source.op == "domain" and condition.op == "eq":
        read, value = operands(condition)
        field = read_at(read, slot)
    elif source.op == "domain" and condition.op == "any" and operands(condition)[0].op == "pieces":
        pieces, inner = operands(condition)
        table = zone_at(operands(pieces)[0], slot)
        if table is None or inner.op != "eq":
            return None
        read, value = operands(inner)
        field = read_of_piece(layout, table, read, index(condition))
    else:
        return None
    return (field, value) if field and slot not in local_reads(value) and values_of(layout, field) else None


def fields_of(layout: Layout) -> list[Field]:
    """Return the fields whose bitboards a program reads, in order."""
    program = layout.program
    parts = (part for code in program.procedures for part in procedure_parts(code, program.decisions))
    boards = (bitboard_of(layout, part) for part in parts)
    return sorted({board[0] for board in boards if board is not None})


def _is_at(expr: Expr, slot: int) -> bool:
    """Return whether what is read has one index, the local in a slot."""
    return [(part.op, index(part)) for part in operands(expr)] == [("local", slot)]


def _is_per_cell(layout: Layout, types: tuple[Type, ...]) -> bool:
    return [type_.kind in ("cell", "enum") and is_small(layout, type_) for type_ in types] == [True]


def _holds_one(layout: Layout, table: int) -> bool:
    """Return whether each of many zones holds one piece at most, which is always seen."""
    instances = layout.zone_instances(table)
    capacities = {layout.inst_capacity[instance] for instance in instances}
    return (
        len(instances) >= FEWEST_ZONES and capacities == {1} and layout.program.zones[table].kind not in layout.unseen
    )


def _values_of_variable(layout: Layout, variable: int) -> range:
    table = layout.program.variables[variable]
    present = table.type.present
    if not _is_per_cell(layout, table.index) or table.mark:
        return range(0)
    low = -1 if table.type.wraps else 0
    if table.type == "int":
        return range(table.low, table.high + 1)
    if present == "seat":
        return range(-1, layout.parties)
    return range(low, len(layout.domain(present))) if present == "bool" or present.kind == "enum" else range(0)
