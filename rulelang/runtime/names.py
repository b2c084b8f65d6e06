"""How values, options and outcomes are written in ids.

Enters: a layout, a decision and its options. Leaves: `rule:argument=value,…`, the same in equal states and unique
within a decision.

A group of a grouping is written `a+b`, groups in their order with `|` between them.
A piece is written as its definition's id, with `@seat` if there is one for each seat; on a board, if there are several
of that name, with its cell (`man@1.c3`). Only where two options would read the same are pieces written with their zone
(`red1@plant[red]`) and payments purse by purse (`gold|tin`); options
that still read the same are numbered (`#1`, `#2`, …) in order of the variables of their pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rulelang.geometry import DIRECTIONS
from rulelang.ir.nodes import Chance, Decision
from rulelang.ir.types import Type
from rulelang.runtime.layout import (
    ITEM_MASK,
    REACTION_MASK,
    REACTION_SHIFT,
    ZONE_SHIFT,
    Layout,
    members,
)
from rulelang.runtime.payments import Cost, alternatives
from rulelang.runtime.state import State

NONE_TEXT = "none"


class Chosen(Protocol):
    """An option: the item of the decision (-1: the lone pass) and the values of its binders."""

    @property
    def item(self) -> int: ...

    @property
    def values(self) -> tuple[Any, ...]: ...


def zone_text(layout: Layout, zone: int) -> str:
    """Return a zone instance: `deck`, `hand[0]`, `held[1,red]`."""
    text = layout.zone_names.get(zone)
    if text is None:
        table = layout.program.zones[layout.inst_zone[zone]]
        values = zip(table.index, layout.inst_index[zone], strict=True)
        index = [value_text(layout, type_, value) for type_, value in values]
        text = layout.zone_names[zone] = f"{table.name}[{','.join(index)}]" if index else table.name
    return text


def item_text(layout: Layout, item: int) -> str:
    """Return an item: the id of its definition, with its seat if there is one for each."""
    text = layout.item_names.get(item)
    if text is None:
        definition = layout.program.kinds[layout.item_kind[item]].definitions[layout.item_definition[item]]
        seat = layout.item_seat[item]
        text = layout.item_names[item] = definition.id if seat < 0 else f"{definition.id}@{seat}"
    return text


def is_lone(layout: Layout, item: int) -> bool:
    """Return whether there is no second piece like this."""

    def row(other: int) -> tuple[int, int, int]:
        return layout.item_kind[other], layout.item_definition[other], layout.item_seat[other]

    neighbours = [other for other in (item - 1, item + 1) if 0 <= other < layout.items]
    return layout.copies[item] == 1 and all(row(other) != row(item) for other in neighbours)


def cell_of_piece(layout: Layout, piece: int, zone: int) -> str:
    """Return the name of the cell where a piece stands that is not the only one of its name; else empty."""
    if zone < 0 or is_lone(layout, piece & ITEM_MASK):
        return ""
    places = ((grid, cells[zone]) for grid, cells in zip(layout.grids, layout.cell_of, strict=True))
    return next((grid.cells[cell] for grid, cell in places if cell >= 0), "")


def _place(state: State | None, layout: Layout, piece: int) -> int:
    item = piece & ITEM_MASK
    if not layout.program.kinds[layout.item_kind[item]].identity:
        return piece >> ZONE_SHIFT
    return state.where[item] if state is not None else -1


def bag_text(names: Sequence[str], counts: Sequence[int]) -> str:
    """Return a bag: its sorted names joined by `+`, or `none`."""
    parts = sorted(name for name, count in zip(names, counts, strict=True) for _ in range(count))
    return "+".join(parts) or NONE_TEXT


def _cost_text(names: Sequence[str], cost: Cost) -> str:
    if len(ways := alternatives(cost)) > 1:
        return " or ".join(_cost_text(names, way) for way in ways)
    parts = [] if not any(cost[0]) else [bag_text(names, cost[0])]
    for count, mask, identical in cost[1]:
        kinds = "|".join(name for kind, name in enumerate(names) if mask >> kind & 1)
        parts.append(f"{count} {'identical' if identical else 'any'} {kinds}")
    return "+".join(parts) or NONE_TEXT


def enum_names(layout: Layout, name: str) -> list[str]:
    """Return the names of the values of an enumerated type; of a `between` type the seats joined by `-`."""
    names = layout.enum_names.get(name)
    if names is None:
        number = layout.enum_index[name]
        pairs = layout.between[number]
        values = ["-".join(map(str, pair)) for pair in pairs] if layout.program.enums[number].between else ()
        names = layout.enum_names[name] = list(values or layout.program.enums[number].values)
    return names


def value_text(layout: Layout, type_: Type, value: Any, state: State | None = None, places: bool = False) -> str:
    """Return a value of a type.

    Args:
        state: where individuals are looked up.
        places: whether pieces are written with their zone and payments purse by purse.
    """
    if type_.kind == "opt":
        return NONE_TEXT if value == type_.absent else value_text(layout, type_.inner, value, state, places)
    if type_.kind == type_.inner.kind == "set":
        return "|".join(value_text(layout, type_.inner, part, state, places) for part in value) or NONE_TEXT
    if type_.kind in ("set", "seats"):
        parts = [value_text(layout, type_.inner, part, state, places) for part in value]
        return "+".join(sorted(parts) if type_.kind == "set" else parts) or NONE_TEXT
    sort, name = type_.kind, type_.name
    writer = _WRITERS.get(sort)
    return str(value) if writer is None else writer(layout, name, value, state, places)


@dataclass(frozen=True)
class Part:
    """One thing that an option names: a value, of a collection each member, of a bag or payment each unit.

    Attributes:
        name: what it is chosen as. type: the type of the value. value: as in ids. zone: where a piece lies, or empty.
    """

    name: str
    type: Type
    value: str
    zone: str = ""


def option_parts(state: State, decision: Decision, chosen: Chosen) -> list[Part]:
    """Return the parts that an option names, binder by binder: each value, member of a set, unit of a bag."""
    parts: list[Part] = []
    for binder, value in decision.bound(chosen.item, chosen.values):
        type_ = binder.type.present
        if type_.kind in ("bag", "payment"):
            names = enum_names(state.layout, type_.name)
            goods = [
                name
                for counts in (value[n : n + len(names)] for n in range(0, len(value), len(names)))
                for name, count in zip(names, counts, strict=True)
                for _ in range(count)
            ]
            parts += [Part(binder.name, type_, name) for name in goods]
        elif type_.kind in ("set", "seats") and value != type_.absent:
            parts += [_part(state, binder.name, type_.inner, member) for member in value]
        else:
            parts.append(_part(state, binder.name, binder.type, value))
    return parts


def _part(state: State, name: str, type_: Type, value: Any) -> Part:
    layout, zone = state.layout, -1
    if type_.present.kind == "piece" and value >= 0:
        zone = _place(state, layout, value)
    return Part(name, type_, value_text(layout, type_, value, state), zone_text(layout, zone) if zone >= 0 else "")


def _piece_text(layout: Layout, _kind: str, piece: int, state: State | None, places: bool) -> str:
    text = item_text(layout, piece & ITEM_MASK)
    zone = _place(state, layout, piece) if places or state is not None else -1
    if places and zone >= 0:
        return f"{text}@{zone_text(layout, zone)}"
    cell = cell_of_piece(layout, piece, zone)
    return f"{text}.{cell}" if cell else text


def _reaction_text(layout: Layout, _: str, reaction: int, state: State | None, places: bool) -> str:
    handler, piece = reaction >> REACTION_SHIFT, (reaction & REACTION_MASK) - 1
    return str(handler) if piece < 0 else f"{handler}.{_piece_text(layout, '', piece, state, places)}"


def _payment_text(layout: Layout, resource: str, counts: Sequence[int], _: State | None, places: bool) -> str:
    names = enum_names(layout, resource)
    size = len(names)
    purses = [counts[start : start + size] for start in range(0, len(counts), size)]
    if places and len(purses) > 1:
        return "|".join(bag_text(names, purse) for purse in purses)
    return bag_text(names, [sum(purse[kind] for purse in purses) for kind in range(size)])


_WRITERS: dict[str, Callable[[Layout, str, Any, State | None, bool], str]] = {
    "bool": lambda layout, name, value, state, places: "true" if value else "false",
    "seat": lambda layout, name, value, state, places: layout.party_names[value],
    "dir": lambda layout, name, value, state, places: DIRECTIONS[value],
    "zone": lambda layout, name, value, state, places: zone_text(layout, value),
    "enum": lambda layout, name, value, state, places: enum_names(layout, name)[value],
    "cell": lambda layout, name, value, state, places: layout.grids[layout.grid_index[name]].cells[value],
    "piece": _piece_text,
    "bag": lambda layout, name, value, state, places: bag_text(enum_names(layout, name), value),
    "cost": lambda layout, name, value, state, places: _cost_text(enum_names(layout, name), value),
    "payment": _payment_text,
    "reaction": _reaction_text,
}
"""What writes a value of a sort of type; its arguments: the layout, what the type names, the value, and as above."""


def option_id(
    layout: Layout,
    decision: Decision,
    item: int,
    values: Sequence[Any],
    state: State | None = None,
    apart: Sequence[str] = (),
) -> str:
    """Return the id of an option, read alone; `option_ids` makes those of one decision differ. `apart`: what is told
    apart by where it lies, of `payment` and `other`."""
    if item < 0:
        return "pass"
    option = decision.items[item]
    parts = []
    for binder, value in decision.bound(item, values):
        sort = binder.type.kind if binder.type.kind == "payment" else "other"
        placed = sort in apart and binder.kind != "grouping"  # what is grouped lies in one place
        parts.append(f"{binder.name}={value_text(layout, binder.type, value, state, placed)}")
    name = option.name or decision.rule
    return f"{name}:{','.join(parts)}" if parts else name


def option_ids(state: State, decision: Decision, options: Sequence[Chosen]) -> list[str]:
    """Return the ids of the options of one decision, all different."""
    layout = state.layout
    ids = [option_id(layout, decision, chosen.item, chosen.values, state) for chosen in options]
    for apart in (("payment",), ("payment", "other"), ()):
        clashes: dict[str, list[int]] = {}
        for number, text in enumerate(ids):
            clashes.setdefault(text, []).append(number)
        if len(clashes) == len(ids):
            break
        for text, numbers in clashes.items():
            if len(numbers) > 1 and apart:
                for number in numbers:
                    chosen = options[number]
                    ids[number] = option_id(layout, decision, chosen.item, chosen.values, state, apart)
            elif len(numbers) > 1:
                numbers.sort(key=lambda number: (_variables(state, decision, options[number]), number))
                for rank, number in enumerate(numbers, 1):
                    ids[number] = f"{text}#{rank}"
    return ids


def _variables(state: State, decision: Decision, chosen: Chosen) -> list[list[int]]:
    """Return the variables of the pieces among an option's values: what tells like-named individuals apart."""
    layout = state.layout
    values: list[list[int]] = []
    for binder, value in decision.bound(chosen.item, chosen.values):
        if binder.type.core.kind == "piece":
            values += [[state.v[cell] for cell in layout.cells_of(piece & ITEM_MASK)] for piece in members(value)]
    return values


def outcome_id(layout: Layout, chance: Chance, value: Any) -> str:
    """Return the id of an outcome: a number, an element of the set, or for unseen pieces an item."""
    if chance.kind == "number":
        text = str(value)
    elif chance.kind == "element":
        text = value_text(layout, chance.args[0].type.inner, value)
    else:
        text = item_text(layout, value)
    return f"{layout.program.sites[chance.site].rule}:{chance.name}={text}"


def outcome_ids(layout: Layout, chance: Chance, values: Sequence[Any]) -> list[str]:
    """Return the ids of all outcomes of one node, all different: those that read the same are numbered in their
    order."""
    texts = [outcome_id(layout, chance, value) for value in values]
    counts, seen = Counter(texts), Counter[str]()
    ids = []
    for text in texts:
        seen[text] += 1
        ids.append(text if counts[text] == 1 else f"{text}#{seen[text]}")
    return ids
