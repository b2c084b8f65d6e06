"""Operations on pieces, zones and reactions.

Enters: expressions over zone instances and pieces. Leaves: their closures. A piece of a kind with identity is its
item; any other is `item + 65536 * zone instance`. A reaction is a handler of an event together with
the piece whose rule text it stands in: handler << 32 | piece + 1 (0 for no piece).
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from rulelang.interpreter.expressions import Code, Compiler, Locals, applied, builds, instance
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.runtime.bounds import rule_error
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT, Layout
from rulelang.runtime.state import State


@builds("pieces")
def _pieces(c: Compiler, e: Expr) -> Code:
    """Build the known pieces of a zone as handles, of a pile from the top on."""
    (zone,) = operands(e)
    identity = c.layout.identity(e.type)
    pile = c.layout.inst_kept
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
    """Build the known pieces of several instances of a zone, those at the given first indices."""
    zone = number(e)
    layout = c.layout
    indices = operands(e)
    strides = layout.zone_strides[zone]
    first = instance(c, layout.zone_base[zone], strides[: len(indices)], indices)
    wide = len(indices) < len(strides)
    # The instances that share their first indices follow each other.
    length = strides[len(indices) - 1] if wide and indices else len(layout.zone_instances(zone)) if wide else 1
    shift = 0 if layout.identity(e.type) else ITEM_MASK + 1
    pile = c.program.zones[zone].kept

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
    """Build the top or bottom piece of a zone; absent if it is empty, an error if the piece is unknown."""
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
    """Build the n top or bottom pieces of a zone, or all if it has fewer; an error if one is unknown."""
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


def _of_item(column: Sequence[Any]) -> Callable[[int], Any]:
    """Return the function that reads a column of a table of items for a piece."""
    return lambda piece: column[piece & ITEM_MASK]


def _same_sort(layout: Layout, e: Expr) -> Callable[[int, int], bool]:
    sort_of = _of_item(layout.item_sorts)
    return lambda a, b: bool(sort_of(a) == sort_of(b))


def _items_of(layout: Layout, kind: int, definitions: Collection[Any]) -> frozenset[int]:
    """Return the items of some definitions of a kind."""
    return frozenset(item for item in layout.kind_items[kind] if layout.item_definition[item] in definitions)


def _has_definition(layout: Layout, e: Expr) -> Callable[[int], bool]:
    kind = layout.kind_index[operands(e)[0].type.core.name]
    items = _items_of(layout, kind, [arg for arg in e.args if isinstance(arg, int)])
    return lambda piece: piece & ITEM_MASK in items


def _reaction(layout: Layout, e: Expr) -> Callable[[int], int]:
    first = (number(e) << REACTION_SHIFT) + 1
    return lambda piece: first + piece


FUNCTIONS: dict[str, Callable[[Layout, Expr], Callable[..., Any]]] = {
    "attr": lambda layout, e: _of_item(layout.columns[number(e)][number(e, 1)]),
    "sort_of": lambda layout, e: _of_item(layout.item_sorts),
    "alike": _same_sort,
    "is_def": _has_definition,
    "reaction": _reaction,
    "reaction_handler": lambda layout, e: lambda reaction: reaction >> REACTION_SHIFT,
    "reaction_piece": lambda layout, e: lambda reaction: (reaction & REACTION_MASK) - 1,
}
"""Operations that read tables of the layout alone -> what makes their function of the operands."""


@builds(*FUNCTIONS)
def _function(c: Compiler, e: Expr) -> Code:
    return applied(c, e, FUNCTIONS[e.op](c.layout, e))


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


@builds("reaction_owner")
def _reaction_owner(c: Compiler, e: Expr) -> Code:
    """Build the owner of the piece that a reaction is of; none of the rules' own."""
    (code,) = c.codes(e)

    def reaction_owner(S: State, L: Locals) -> int:
        piece = (code(S, L) & REACTION_MASK) - 1
        return owner(S, piece) if piece >= 0 else -1

    return reaction_owner


@builds("zone_of")
def _zone_of(c: Compiler, e: Expr) -> Code:
    """Build the zone that a piece lies in: of an individual by the state, else by its handle."""
    (piece,) = operands(e)
    code = c.code(piece)
    if c.layout.identity(piece.type):
        return lambda S, L: S.where[code(S, L)]
    return lambda S, L: code(S, L) >> ZONE_SHIFT


@builds("in_zone")
def _in_zone(c: Compiler, e: Expr) -> Code:
    """Build the test of whether a piece lies in a zone."""
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
    """Build the cell of the grid that a piece stands on; absent for one elsewhere."""
    # A piece that is nowhere known has zone -1 and finds the -1 at the end.
    cells, zone = [*c.layout.cell_of[number(e)], -1], _zone_of(c, e)
    return lambda S, L: cells[zone(S, L)]


@builds("individual")
def _individual(c: Compiler, e: Expr) -> Code:
    """Build the one individual of a row, or the one that belongs to a seat."""
    layout = c.layout
    items = {layout.item_seat[item]: item for item in _items_of(layout, number(e), (e.args[1],))}
    seats = c.codes(e)
    if not seats:
        item = next(iter(items.values()))
        return lambda S, L: item
    program, site, (seat,) = c.program, e.site, seats

    def of_seat(S: State, L: Locals) -> int:
        party = seat(S, L)
        if party not in items:
            raise rule_error(program, site, "an automaton has no piece of its own")
        return items[party]

    return of_seat


@builds("active")
def _active(c: Compiler, e: Expr) -> Code:
    """Build the pieces of some rows that lie in their kind's active zones, zone by zone."""
    layout = c.layout
    kind = number(e)
    items = _items_of(layout, kind, e.args[1:])
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
    """Build the handle, or the handles, of pieces that lie in another zone now; individuals keep theirs."""
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
