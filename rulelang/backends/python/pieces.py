"""Operations on pieces, zones, reactions and grids as Python text.

Enters: expressions over zone instances, pieces and cells. Leaves: the text of Python expressions.
"""

from __future__ import annotations

from rulelang.backends.interpreter.expressions import number, operands
from rulelang.backends.python.expressions import Writer, writes
from rulelang.backends.python.scope import Scope
from rulelang.backends.python.sets import loop
from rulelang.backends.text import atomic, literal
from rulelang.ir.nodes import Expr
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT


def based(zone: str) -> str:
    """What a zone adds to the item of a piece that is found in it."""
    value = literal(zone)
    return str(value << ZONE_SHIFT) if value is not None else f"({zone} << {ZONE_SHIFT})"


@writes("pieces")
def _pieces(w: Writer, e: Expr, s: Scope) -> str:
    (zone,) = operands(e)
    if w.table_of(zone, s) < 0:
        there = w.text(zone, s)
        piles = w.source.shared("piles", w.layout.inst_pile)
        shift = 0 if w.layout.identity(e.type) else ITEM_MASK + 1
        if atomic(there):
            return f"pieces_of(z, {there}, {piles}[{there}], {shift})"
        return f"pieces_at(z, {there}, {piles}, {shift})"
    over = loop(w, e, 0, s, e.site, (), True)
    if not over.before and not over.condition and over.element == over.name:
        return f"list({over.over})"
    return f"[{over.element} {over.text()}]"


@writes("family")
def _family(w: Writer, e: Expr, s: Scope) -> str:
    zone, indices = number(e), operands(e)
    layout = w.layout
    strides = layout.zone_strides[zone]
    first = w.instance(layout.zone_base[zone], strides[: len(indices)], indices, s)
    wide = len(indices) < len(strides)
    length = strides[len(indices) - 1] if wide and indices else len(layout.zone_instances(zone)) if wide else 1
    shift = 0 if layout.identity(e.type) else ITEM_MASK + 1
    return f"family(z, {first}, {length}, {shift}, {w.program.zones[zone].pile})"


@writes("size")
def _size(w: Writer, e: Expr, s: Scope) -> str:
    return w.amount(operands(e)[0], s)


@writes("top", "bottom")
def _end(w: Writer, e: Expr, s: Scope) -> str:
    (zone,) = operands(e)
    base = "0" if w.layout.identity(e.type) else based(w.text(zone, s))
    return f"end({w.lying(zone, s)}, {-1 if e.op == 'top' else 0}, {base}, {e.site})"


@writes("tops", "bottoms")
def _ends(w: Writer, e: Expr, s: Scope) -> str:
    zone, amount = operands(e)[0], w.text(operands(e)[1], s)
    base = "0" if w.layout.identity(e.type) else based(w.text(zone, s))
    return f"ends({w.lying(zone, s)}, {e.op == 'tops'}, {amount}, {base}, {e.site})"


def item(w: Writer, piece: Expr, s: Scope) -> str:
    """The item of a piece."""
    text = w.text(piece, s)
    raw = piece.op == "local" and number(piece) in s.raw
    return text if raw or w.layout.identity(piece.type) else f"{text} & {ITEM_MASK}"


@writes("attr")
def _attr(w: Writer, e: Expr, s: Scope) -> str:
    column = w.source.shared("column", w.layout.columns[number(e)][number(e, 1)])
    return f"{column}[{item(w, operands(e)[0], s)}]"


@writes("eattr", "gattr")
def _table(w: Writer, e: Expr, s: Scope) -> str:
    columns = w.layout.enum_columns if e.op == "eattr" else w.layout.grid_columns
    (value,) = w.texts(e, s)
    return f"{w.source.shared('column', columns[number(e)][number(e, 1)])}[{value}]"


@writes("owner")
def _owner(w: Writer, e: Expr, s: Scope) -> str:
    (piece,) = w.texts(e, s)
    return f"owner(S, {piece})"


@writes("zone_of")
def _zone_of(w: Writer, e: Expr, s: Scope) -> str:
    (piece,) = w.texts(e, s)
    identity = w.layout.identity(operands(e)[0].type)
    return f"S.where[{piece}]" if identity else f"({piece} >> {ZONE_SHIFT})"


@writes("in_zone")
def _in_zone(w: Writer, e: Expr, s: Scope) -> str:
    piece, zone = operands(e)
    if w.layout.identity(piece.type):
        return f"(S.where[{w.text(piece, s)}] == {w.text(zone, s)})"
    return f"({w.text(piece, s)} & {ITEM_MASK} in {w.lying(zone, s)})"


@writes("cell_of")
def _cell_of(w: Writer, e: Expr, s: Scope) -> str:
    (piece,) = operands(e)
    cells = w.source.constant([*w.layout.cell_of[number(e)], -1])
    text = w.text(piece, s)
    return f"{cells}[S.where[{text}]]" if w.layout.identity(piece.type) else f"{cells}[{text} >> {ZONE_SHIFT}]"


@writes("alike")
def _alike(w: Writer, e: Expr, s: Scope) -> str:
    layout = w.layout
    sorts = w.source.constant(list(zip(layout.item_kind, layout.item_definition, layout.item_seat, strict=True)))
    a, b = (item(w, piece, s) for piece in operands(e))
    return f"({sorts}[{a}] == {sorts}[{b}])"


@writes("individual")
def _individual(w: Writer, e: Expr, s: Scope) -> str:
    layout = w.layout
    kind, definition = number(e), number(e, 1)
    items = {layout.item_seat[i]: i for i in layout.kind_items[kind] if layout.item_definition[i] == definition}
    seats = w.texts(e, s)
    return f"{w.source.constant(items)}[{seats[0]}]" if seats else str(next(iter(items.values())))


@writes("is_def")
def _is_def(w: Writer, e: Expr, s: Scope) -> str:
    (piece,) = operands(e)
    kind = w.layout.kind_index[piece.type.partition(":")[2].rstrip(">")]
    wanted = {arg for arg in e.args if isinstance(arg, int)}
    items = frozenset(i for i in w.layout.kind_items[kind] if w.layout.item_definition[i] in wanted)
    return f"({item(w, piece, s)} in {w.source.constant(items)})"


@writes("active")
def _active(w: Writer, e: Expr, s: Scope) -> str:
    layout, kind = w.layout, number(e)
    wanted = set(e.args[1:])
    items = frozenset(i for i in layout.kind_items[kind] if layout.item_definition[i] in wanted)
    zones = tuple(zone for table in w.program.kinds[kind].active for zone in layout.zone_instances(table))
    shift = ITEM_MASK + 1 if not w.program.kinds[kind].identity else 0
    return f"active(z, {w.source.constant(zones)}, {w.source.constant(items)}, {shift})"


@writes("relocate")
def _relocate(w: Writer, e: Expr, s: Scope) -> str:
    piece, zone = operands(e)
    if w.layout.identity(e.type):
        return w.text(piece, s)
    return f"relocated({w.text(piece, s)}, {w.text(zone, s)})"


# ---- reactions ----------------------------------------------------------------------------------------


@writes("reaction")
def _reaction(w: Writer, e: Expr, s: Scope) -> str:
    (piece,) = w.texts(e, s)
    return f"({(number(e) << REACTION_SHIFT) + 1} + {piece})"


@writes("reaction_handler")
def _handler(w: Writer, e: Expr, s: Scope) -> str:
    (reaction,) = w.texts(e, s)
    return f"({reaction} >> {REACTION_SHIFT})"


@writes("reaction_piece")
def _piece(w: Writer, e: Expr, s: Scope) -> str:
    (reaction,) = w.texts(e, s)
    return f"(({reaction} & {REACTION_MASK}) - 1)"


@writes("reaction_owner")
def _reaction_owner(w: Writer, e: Expr, s: Scope) -> str:
    (reaction,) = w.texts(e, s)
    return f"reaction_owner(S, {reaction})"


# ---- grids --------------------------------------------------------------------------------------------


@writes("toward", "ray")
def _toward(w: Writer, e: Expr, s: Scope) -> str:
    grid = w.layout.grids[number(e)]
    cell, way = w.texts(e, s)
    return f"{w.source.shared('grid', grid.toward if e.op == 'toward' else grid.rays)}[{way}][{cell}]"


@writes("neighbours")
def _neighbours(w: Writer, e: Expr, s: Scope) -> str:
    (cell,) = w.texts(e, s)
    return f"{w.source.shared('grid', w.layout.grids[number(e)].neighbours)}[{cell}]"


@writes("column", "row")
def _column(w: Writer, e: Expr, s: Scope) -> str:
    (cell,) = w.texts(e, s)
    return f"({cell} {'%' if e.op == 'column' else '//'} {w.layout.grids[number(e)].columns} + 1)"
