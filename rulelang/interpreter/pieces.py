"""Operations on pieces and zones.

Enters: expressions over zone instances and pieces. Leaves: their closures. A piece of a kind with identity is its
item; any other is `item + 65536 * zone instance`.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from typing import Any

from rulelang.interpreter.expressions import (
    Code,
    Compiler,
    Locals,
    builds,
    instance,
)
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.runtime.bounds import rule_error
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT
from rulelang.runtime.state import State


@builds("pieces")
def _pieces(c: Compiler, e: Expr) -> Code:
    (zone,) = operands(e)
    identity = c.layout.identity(e.type)
    pile = c.layout.inst_pile
    code = c.code(zone)

    def pieces(S: State, L: Locals) -> list[int]:
        instance = code(S, L)
        base = 0 if identity else instance << ZONE_SHIFT
        contents = S.z[instance]
        if pile[instance]:
            return [item + base for item in reversed(contents) if item >= 0]
        return [item + base for item in contents if item >= 0]

    return pieces


@builds("family")
def _family(c: Compiler, e: Expr) -> Code:
    zone = number(e)
    layout = c.layout
    indices = operands(e)
    strides = layout.zone_strides[zone]
    first = instance(c, layout.zone_base[zone], strides[: len(indices)], indices)
    wide = len(indices) < len(strides)
    # The instances that share their first indices follow each other.
    length = strides[len(indices) - 1] if wide and indices else len(layout.zone_instances(zone)) if wide else 1
    shift = 0 if layout.identity(e.type) else ITEM_MASK + 1
    pile = c.program.zones[zone].pile

    def family(S: State, L: Locals) -> list[int]:
        start = first(S, L)
        items: list[int] = []
        for zone_instance in range(start, start + length):
            contents = S.z[zone_instance]
            if contents:
                in_order = reversed(contents) if pile else contents
                items += [item + zone_instance * shift for item in in_order if item >= 0]
        return items

    return family


@builds("size")
def _size(c: Compiler, e: Expr) -> Code:
    (zone,) = operands(e)
    code = c.code(zone)
    return lambda S, L: len(S.z[code(S, L)])


@builds("top", "bottom")
def _end(c: Compiler, e: Expr) -> Code:
    (zone,) = c.codes(e)
    identity = c.layout.identity(e.type)
    program, site = c.program, e.site
    index = -1 if e.op == "top" else 0

    def end(S: State, L: Locals) -> int:
        instance: int = zone(S, L)
        contents = S.z[instance]
        if not contents:
            return -1
        item = contents[index]
        if item < 0:
            raise rule_error(program, site, "a piece that nobody has seen was read")
        return item if identity else item + (instance << ZONE_SHIFT)

    return end


@builds("tops", "bottoms")
def _ends(c: Compiler, e: Expr) -> Code:
    zone, amount = c.codes(e)
    identity = c.layout.identity(e.type)
    program, site = c.program, e.site
    from_top = e.op == "tops"

    def ends(S: State, L: Locals) -> list[int]:
        instance: int = zone(S, L)
        n = max(amount(S, L), 0)
        contents = S.z[instance]
        items = contents[: -n - 1 : -1] if from_top else contents[:n]
        if items and min(items) < 0:
            raise rule_error(program, site, "a piece that nobody has seen was read")
        return items if identity else [item + (instance << ZONE_SHIFT) for item in items]

    return ends


@builds("attr")
def _attr(c: Compiler, e: Expr) -> Code:
    column = c.layout.columns[number(e)][number(e, 1)]
    (piece,) = operands(e)
    code = c.code(piece)
    return lambda S, L: column[code(S, L) & ITEM_MASK]


def owner(S: State, piece: int) -> int:
    """Return the declared seat of a piece of any kind, else the seat of the zone that it is in, else -1."""
    layout = S.layout
    item = piece & ITEM_MASK
    seat = layout.item_seat[item]
    if seat >= 0:
        return seat
    identity = layout.program.kinds[layout.item_kind[item]].identity
    zone = S.where[item] if identity else piece >> ZONE_SHIFT
    return layout.inst_owner[zone] if zone >= 0 else -1


@builds("owner")
def _owner(c: Compiler, e: Expr) -> Code:
    (code,) = c.codes(e)
    return lambda S, L: owner(S, code(S, L))


@builds("zone_of")
def _zone_of(c: Compiler, e: Expr) -> Code:
    (piece,) = operands(e)
    code = c.code(piece)
    if c.layout.identity(piece.type):
        return lambda S, L: S.where[code(S, L)]
    return lambda S, L: code(S, L) >> ZONE_SHIFT


@builds("in_zone")
def _in_zone(c: Compiler, e: Expr) -> Code:
    piece, zone = c.codes(e)
    if c.layout.identity(operands(e)[0].type):
        return lambda S, L: S.where[piece(S, L)] == zone(S, L)

    def in_zone(S: State, L: Locals) -> bool:
        contents = S.z[zone(S, L)]
        S.fuel -= len(contents) >> 4
        return piece(S, L) & ITEM_MASK in contents

    return in_zone


@builds("cell_of")
def _cell_of(c: Compiler, e: Expr) -> Code:
    cells = [*c.layout.cell_of[number(e)], -1]
    (piece,) = operands(e)
    code = c.code(piece)
    if c.layout.identity(piece.type):
        # A piece that is nowhere known has zone -1 and finds the -1 at the end.
        return lambda S, L: cells[S.where[code(S, L)]]
    return lambda S, L: cells[code(S, L) >> ZONE_SHIFT]


@builds("alike")
def _alike(c: Compiler, e: Expr) -> Code:
    sorts = c.layout.item_sorts
    a, b = c.codes(e)
    return lambda S, L: sorts[a(S, L) & ITEM_MASK] == sorts[b(S, L) & ITEM_MASK]


@builds("sort_of")
def _sort_of(c: Compiler, e: Expr) -> Code:
    sorts = c.layout.item_sorts
    (piece,) = c.codes(e)
    return lambda S, L: sorts[piece(S, L) & ITEM_MASK]


@builds("individual")
def _individual(c: Compiler, e: Expr) -> Code:
    layout = c.layout
    kind, definition = e.args[0], e.args[1]
    assert isinstance(kind, int)
    items = {layout.item_seat[i]: i for i in layout.kind_items[kind] if layout.item_definition[i] == definition}
    seats = c.codes(e)
    if not seats:
        item = next(iter(items.values()))
        return lambda S, L: item
    return lambda S, L: items[seats[0](S, L)]


@builds("is_def")
def _is_def(c: Compiler, e: Expr) -> Code:
    (code,) = c.codes(e)
    kind = c.layout.kind_index[operands(e)[0].type.core.name]
    definitions = {arg for arg in e.args if isinstance(arg, int)}
    items = frozenset(item for item in c.layout.kind_items[kind] if c.layout.item_definition[item] in definitions)
    return lambda S, L: code(S, L) & ITEM_MASK in items


@builds("active")
def _active(c: Compiler, e: Expr) -> Code:
    layout = c.layout
    kind = number(e)
    definitions = set(e.args[1:])
    items = frozenset(item for item in layout.kind_items[kind] if layout.item_definition[item] in definitions)
    zones = [zone for table in c.program.kinds[kind].active for zone in layout.zone_instances(table)]
    shift = ITEM_MASK + 1 if not c.program.kinds[kind].identity else 0

    def active(S: State, L: Locals) -> list[int]:
        z = S.z
        pieces = []
        for zone in zones:
            contents = z[zone]
            if contents and not items.isdisjoint(contents):
                pieces.extend([item + zone * shift for item in sorted(contents) if item in items])
        return pieces

    return active


@builds("relocate")
def _relocate(c: Compiler, e: Expr) -> Code:
    piece, zone = c.codes(e)
    if c.layout.identity(e.type):
        return piece

    def relocate(S: State, L: Locals) -> Any:
        value = piece(S, L)
        base = zone(S, L) << ZONE_SHIFT
        if isinstance(value, list):
            return [(handle & ITEM_MASK) + base for handle in value]
        return value if value < 0 else (value & ITEM_MASK) + base

    return relocate
