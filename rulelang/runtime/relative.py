"""Everything as one seat names it: itself first, then the others in seat order; so that all seats of a layout share one
set of names and numbers.

Enters: a layout, a seat. Leaves: `Relative`: relative numbers and names of seats, values, zones, definitions, variable
cells; the row by which a seat knows an individual.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from rulelang.memos import kept_with
from rulelang.runtime.layout import ITEM_MASK, Layout
from rulelang.runtime.names import enum_names, value_text
from rulelang.runtime.sight import sees_piece, sight_of
from rulelang.runtime.state import State
from rulelang.vocabulary.types import ABSENT, SEAT, Type

INT32 = 2**31 - 1


class Relative:
    """Numbers and names relative to a seat.

    Attributes:
        parties: party -> its distance; automata stay. zones: zone instance -> its number. sorts: `Layout.item_sorts` ->
            its number. zone_order, sort_order: back. zone_names, sort_names: by relative number. items: by
            `Layout.item_sorts` all items of it.
    """

    def __init__(self, layout: Layout, seat: int) -> None:
        self.layout, self.seat, self.sight = layout, seat, sight_of(layout, seat)
        self.parties = [(party - seat) % layout.players for party in range(layout.players)]
        self.parties += range(layout.players, layout.parties)
        self._between = {enum.name: self._pairs(number) for number, enum in enumerate(layout.program.enums)}
        self.zone_order = [
            layout.zone_instance(number, index)
            for number, zone in enumerate(layout.program.zones)
            for index in self.indices(zone.index)
        ]
        self.zones = _inverse(self.zone_order)
        self.zone_names = [self._zone_name(zone) for zone in self.zone_order]
        self.items: dict[int, list[int]] = {}
        for item, sort in enumerate(layout.item_sorts):
            self.items.setdefault(sort, []).append(item)
        rows = {sort: items[0] for sort, items in self.items.items()}

        def place(sort: int) -> tuple[int, int, int]:
            item = rows[sort]
            owner = layout.item_seat[item]
            return layout.item_kind[item], layout.item_definition[item], self.parties[owner] if owner >= 0 else -1

        self.sort_order = sorted(rows, key=place)
        self.sorts = _inverse(self.sort_order)
        self.sort_names = [self._sort_name(rows[sort]) for sort in self.sort_order]

    def _pairs(self, enum: int) -> list[int]:
        """Return the values of an enumerated type in relative order: those between seats by the pair of distances."""
        pairs = self.layout.between[enum]
        if not self.layout.program.enums[enum].between:
            return list(range(self.layout.enum_size[enum]))
        return sorted(range(len(pairs)), key=lambda value: sorted(self.parties[party] for party in pairs[value]))

    def order(self, type_: Type) -> list[int]:
        """Return all values of an index type, in relative order."""
        if type_ == SEAT:
            return [(self.seat + d) % self.layout.players for d in range(self.layout.players)] + list(
                range(self.layout.players, self.layout.parties)
            )
        return self._between[type_.name] if type_.kind == "enum" else list(range(self.layout.size(type_)))

    def indices(self, index: Sequence[Type]) -> list[tuple[int, ...]]:
        """Return all indices of a zone or variable, in relative order."""
        return list(product(*map(self.order, index)))

    def number(self, type_: Type, value: int) -> int:
        """Return the relative number of a present scalar value; of a piece that of its definition."""
        if type_.kind == "seat":
            return self.parties[value] if value >= 0 else value
        if type_.kind == "enum":
            return self._between[type_.name].index(value)
        if type_.kind == "piece":
            return self.sorts[self.layout.item_sorts[value & ITEM_MASK]]
        return self.zones[value] if type_.kind == "zone" else value

    def name(self, type_: Type, value: int) -> str:
        """Return the name of a present scalar value that is no piece."""
        layout = self.layout
        if type_.kind == "seat":
            return f"+{self.parties[value]}" if value < layout.players else layout.party_names[value]
        if type_.kind == "zone":
            return self.zone_names[self.zones[value]]
        if type_.kind == "enum" and layout.program.enums[number := layout.enum_index[type_.name]].between:
            return "-".join(f"+{d}" for d in sorted(self.parties[party] for party in layout.between[number][value]))
        return enum_names(layout, type_.name)[value] if type_.kind == "enum" else value_text(layout, type_, value)

    def named(self, name: str, index: Sequence[Type], values: Sequence[int]) -> str:
        """Return a name with its index, such as `hand[+1]`."""
        parts = [self.name(type_, value) for type_, value in zip(index, values, strict=True)]
        return f"{name}[{','.join(parts)}]" if parts else name

    def _zone_name(self, zone: int) -> str:
        table = self.layout.program.zones[self.layout.inst_zone[zone]]
        return self.named(table.name, table.index, self.layout.inst_index[zone])

    def _sort_name(self, item: int) -> str:
        """Return the name of an item's definition: its kind and id, with the distance of its seat."""
        layout = self.layout
        kind, seat = layout.program.kinds[layout.item_kind[item]], layout.item_seat[item]
        name = f"{kind.name}/{kind.definitions[layout.item_definition[item]].id}"
        return name if seat < 0 else f"{name}[+{self.parties[seat]}]"

    def row(self, state: State, item: int) -> tuple[int, ...]:
        """Return what the seat sees of an individual: 1 + its zone (0: not seen), then the values of its variables, the
        absent or unseen ones one below what they may be."""
        layout, zone = self.layout, state.where[item]
        seen = zone >= 0 and sees_piece(state, self.sight, item)
        row = [1 + self.zones[zone] if seen else 0]
        for number in layout.program.kinds[layout.item_kind[item]].variables:
            table = layout.program.piece_variables[number]
            shown = seen and self.sight.piece_cell(number, item, zone)
            row += [
                self.cell(table.type, table.mark, table.low, state.v[cell]) if shown else clipped(table.low - 1)
                for cell in layout.variable_cells_of(number, item)
            ]
        return tuple(row)

    def cell(self, type_: Type, mark: bool, low: int, value: int) -> int:
        """Return the relative number of a variable's cell, within 32 bits; of a mark whether it is set; `low` - 1 where
        it is absent, of what is no number -1."""
        if mark:
            return int(value != 0)
        present = type_.present
        if present.kind in ("int", "bag", "bool"):
            return clipped(low - 1 if type_.kind == "opt" and value == type_.absent else value)
        return ABSENT if value < 0 else self.number(present, value)


def clipped(number: int) -> int:
    """Return the nearest number within 32 bits."""
    return max(-INT32, min(INT32, number))


def _inverse(order: Sequence[int]) -> list[int]:
    """Return the place of each number in an order."""
    places = [0] * len(order)
    for place, value in enumerate(order):
        places[value] = place
    return places


@kept_with
def relative_to(layout: Layout, seat: int) -> Relative:
    """Return the memoised names and numbers relative to a seat."""
    return Relative(layout, seat)


def values_of(relative: Relative, type_: Type) -> list[Any]:
    """Return all values of a scalar type that is no number and no piece, in relative order."""
    if type_.kind == "seat":
        return relative.order(type_)
    if type_.kind == "zone":
        return relative.zone_order
    if type_.kind in ("enum", "cell"):
        return relative.order(type_)
    return relative.layout.domain(type_)
