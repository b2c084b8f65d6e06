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
from typing import Any

from rulelang.geometry import DIRECTIONS
from rulelang.ir.nodes import Chance, Decision
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT, Layout, members
from rulelang.runtime.payments import Cost, alternatives
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Family, LongOptions, Option
from rulelang.vocabulary.operations import GIVING
from rulelang.vocabulary.types import Type

NONE_TEXT = "none"


def zone_text(layout: Layout, zone: int) -> str:
    """Return the text of a zone instance: `deck`, `hand[0]`, `held[1,red]`."""
    text = layout.zone_names.get(zone)
    if text is None:
        table = layout.program.zones[layout.inst_zone[zone]]
        values = zip(table.index, layout.inst_index[zone], strict=True)
        index = [value_text(layout, type_, value) for type_, value in values]
        text = layout.zone_names[zone] = f"{table.name}[{','.join(index)}]" if index else table.name
    return text


def item_text(layout: Layout, item: int) -> str:
    """Return the text of an item: the id of its definition, with its seat if there is one for each seat."""
    text = layout.item_names.get(item)
    if text is None:
        definition = layout.program.kinds[layout.item_kind[item]].definitions[layout.item_definition[item]]
        seat = layout.item_seat[item]
        text = layout.item_names[item] = definition.id if seat < 0 else f"{definition.id}@{seat}"
    return text


def is_lone(layout: Layout, item: int) -> bool:
    """Return whether no other piece has the item's kind, definition and seat."""

    def row(other: int) -> tuple[int, int, int]:
        """Return what an item shares with pieces of the same text."""
        return layout.item_kind[other], layout.item_definition[other], layout.item_seat[other]

    neighbours = [other for other in (item - 1, item + 1) if 0 <= other < layout.items]
    return layout.copies[item] == 1 and all(row(other) != row(item) for other in neighbours)


def cell_of_piece(layout: Layout, piece: int, zone: int) -> str:
    """Return the name of the board cell where a piece stands; empty off boards, or if it is the only one of its
    text."""
    if zone < 0 or is_lone(layout, piece & ITEM_MASK):
        return ""
    places = ((grid, cells[zone]) for grid, cells in zip(layout.grids, layout.cell_of, strict=True))
    return next((grid.cells[cell] for grid, cell in places if cell >= 0), "")


def _location_of(state: State | None, layout: Layout, piece: int) -> int:
    """Return the zone instance of a piece; -1 for an individual that is not known, or without a state."""
    item = piece & ITEM_MASK
    if not layout.program.kinds[layout.item_kind[item]].identity:
        return piece >> ZONE_SHIFT
    return state.where[item] if state is not None else -1


def bag_text(names: Sequence[str], counts: Sequence[int]) -> str:
    """Return the text of a bag: its names, sorted, joined by `+`; `none` if empty.

    Args:
        names, counts: by resource.
    """
    parts = sorted(name for name, count in zip(names, counts, strict=True) for _ in range(count))
    return "+".join(parts) or NONE_TEXT


def _cost_text(names: Sequence[str], cost: Cost) -> str:
    """Return the text of a cost: `2 gold` as `gold+gold`, wilds as `2 any gold|tin`, alternatives joined by `or`."""
    if len(costs := alternatives(cost)) > 1:
        return " or ".join(_cost_text(names, each) for each in costs)
    parts = [] if not any(cost[0]) else [bag_text(names, cost[0])]
    for count, mask, identical in cost[1]:
        kinds = "|".join(name for kind, name in enumerate(names) if mask >> kind & 1)
        parts.append(f"{count} {'identical' if identical else 'any'} {kinds}")
    return "+".join(parts) or NONE_TEXT


def enum_names(layout: Layout, name: str) -> list[str]:
    """Return the names of the values of an enumerated type; of a `between` type pairs of seats joined by `-`."""
    names = layout.enum_names.get(name)
    if names is None:
        number = layout.enum_index[name]
        pairs = layout.between[number]
        values = ["-".join(map(str, pair)) for pair in pairs] if layout.program.enums[number].between else ()
        names = layout.enum_names[name] = list(values or layout.program.enums[number].values)
    return names


def value_text(layout: Layout, type_: Type, value: Any, state: State | None = None, with_zones: bool = False) -> str:
    """Return the text of a value of a type, as it stands in ids.

    Args:
        state: tells where individuals are. with_zones: whether pieces are written with their zone and payments purse by
            purse.
    """
    if type_.kind == "opt":
        return NONE_TEXT if value == type_.absent else value_text(layout, type_.inner, value, state, with_zones)
    if type_.kind == type_.inner.kind == "set":
        return "|".join(value_text(layout, type_.inner, part, state, with_zones) for part in value) or NONE_TEXT
    if type_.kind in ("set", "seats"):
        parts = [value_text(layout, type_.inner, part, state, with_zones) for part in value]
        return "+".join(sorted(parts) if type_.kind == "set" else parts) or NONE_TEXT
    sort, name = type_.kind, type_.name
    writer = _WRITERS.get(sort)
    return str(value) if writer is None else writer(layout, name, value, state, with_zones)


@dataclass(frozen=True)
class NamedValue:
    """One thing that an option names: a value, of a collection each member, of a bag or payment each unit.

    Attributes:
        name: what it is chosen as. type: the type of the value. value: as in ids. zone: where a piece lies, or empty.
    """

    name: str
    type: Type
    value: str
    zone: str = ""


def option_parts(state: State, decision: Decision, chosen: Option) -> list[NamedValue]:
    """Return the parts of an option, binder by binder: each value, member of a set, unit of a bag."""
    parts: list[NamedValue] = []
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
            parts += [NamedValue(binder.name, type_, name) for name in goods]
        elif type_.kind in ("set", "seats") and value != type_.absent:
            parts += [_part(state, binder.name, type_.inner, member) for member in value]
        else:
            parts.append(_part(state, binder.name, binder.type, value))
    return parts


def _part(state: State, name: str, type_: Type, value: Any) -> NamedValue:
    """Return the part of one value, with its zone if it is a piece."""
    layout, zone = state.layout, -1
    if type_.present.kind == "piece" and value >= 0:
        zone = _location_of(state, layout, value)
    return NamedValue(
        name, type_, value_text(layout, type_, value, state), zone_text(layout, zone) if zone >= 0 else ""
    )


def _piece_text(layout: Layout, _kind: str, piece: int, state: State | None, with_zones: bool) -> str:
    """Return the text of a piece: with its zone if asked for, else with its cell where that tells it from others."""
    text = item_text(layout, piece & ITEM_MASK)
    zone = _location_of(state, layout, piece) if with_zones or state is not None else -1
    if with_zones and zone >= 0:
        return f"{text}@{zone_text(layout, zone)}"
    cell = cell_of_piece(layout, piece, zone)
    return f"{text}.{cell}" if cell else text


def _reaction_text(layout: Layout, _: str, reaction: int, state: State | None, with_zones: bool) -> str:
    """Return the text of a reaction: the number of its handler, and its piece if it has one."""
    handler, piece = reaction >> REACTION_SHIFT, (reaction & REACTION_MASK) - 1
    return str(handler) if piece < 0 else f"{handler}.{_piece_text(layout, '', piece, state, with_zones)}"


def _payment_text(layout: Layout, resource: str, counts: Sequence[int], _: State | None, with_zones: bool) -> str:
    """Return the text of a payment: its bag, or purse by purse if asked for."""
    names = enum_names(layout, resource)
    size = len(names)
    purses = [counts[start : start + size] for start in range(0, len(counts), size)]
    if with_zones and len(purses) > 1:
        return "|".join(bag_text(names, purse) for purse in purses)
    return bag_text(names, [sum(purse[kind] for purse in purses) for kind in range(size)])


_WRITERS: dict[str, Callable[[Layout, str, Any, State | None, bool], str]] = {
    "bool": lambda layout, name, value, state, with_zones: "true" if value else "false",
    "seat": lambda layout, name, value, state, with_zones: layout.party_names[value],
    "dir": lambda layout, name, value, state, with_zones: DIRECTIONS[value],
    "zone": lambda layout, name, value, state, with_zones: zone_text(layout, value),
    "enum": lambda layout, name, value, state, with_zones: enum_names(layout, name)[value],
    "cell": lambda layout, name, value, state, with_zones: layout.grids[layout.grid_index[name]].cells[value],
    "piece": _piece_text,
    "bag": lambda layout, name, value, state, with_zones: bag_text(enum_names(layout, name), value),
    "cost": lambda layout, name, value, state, with_zones: _cost_text(enum_names(layout, name), value),
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
    spelled_out: Sequence[str] = (),
) -> str:
    """Return the id of an option, not yet told apart from others of its decision (see `option_ids`).

    Args:
        item: number of the menu item, -1 to pass. values: of its binders.
        spelled_out: which values are written with zones or purses: `payment`, `other`.
    """
    if decision.passes(item, values):
        return "pass"
    option = decision.items[item]
    parts = []
    for binder, value in decision.bound(item, values):
        sort = binder.type.kind if binder.type.kind == "payment" else "other"
        placed = sort in spelled_out and binder.kind != "grouping"  # the pieces of a grouping lie in one zone
        parts.append(f"{binder.name}={value_text(layout, binder.type, value, state, placed)}")
    name = option.name or decision.rule
    return f"{name}:{','.join(parts)}" if parts else name


def option_ids(state: State, decision: Decision, options: Sequence[Option]) -> list[str]:
    """Return the ids of the options of one decision, all different: those that clash are spelled out, then numbered."""
    layout = state.layout
    ids = [option_id(layout, decision, chosen.item, chosen.values, state) for chosen in options]
    for spelled_out in (("payment",), ("payment", "other"), ()):
        clashes: dict[str, list[int]] = {}
        for number, text in enumerate(ids):
            clashes.setdefault(text, []).append(number)
        if len(clashes) == len(ids):
            break
        for text, numbers in clashes.items():
            if len(numbers) > 1 and spelled_out:
                for number in numbers:
                    chosen = options[number]
                    ids[number] = option_id(layout, decision, chosen.item, chosen.values, state, spelled_out)
            elif len(numbers) > 1:
                numbers.sort(key=lambda number: (_distinguishing_values(state, decision, options[number]), number))
                for rank, number in enumerate(numbers, 1):
                    ids[number] = f"{text}#{rank}"
    return ids


TELLING = frozenset(("int", "bool", "seat", "enum", "cell", "dir"))
"""Types of which each present value is written in its own way, without a comma."""


class LoneIds(Sequence[str]):
    """The ids of options of which no two can read the same, each made when it is looked at."""

    def __init__(self, state: State, decision: Decision, options: Sequence[Option]) -> None:
        self._state, self._decision, self._options = state, decision, options

    @staticmethod
    def suit(layout: Layout, decision: Decision) -> bool:
        """Return whether no two options of a decision can read the same, whatever its state."""
        binders = [binder for item in decision.items for binder in item.binders]
        names = [_heading(decision, place) for place in range(-(decision.ask == "anyway"), len(decision.items))]
        return len({*names}) == len(names) and all(_tells_all(layout, binder.type) for binder in binders)

    def __len__(self) -> int:
        return len(self._options)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        chosen = self._options[index]
        return option_id(self._state.layout, self._decision, chosen.item, chosen.values, self._state)


class LongIds(LoneIds):
    """The ids of a large decision, each taken apart to find its option.

    Args:
        values: by family, then binder, text -> members of the class of values that it names.
    """

    def __init__(
        self, state: State, decision: Decision, options: LongOptions, values: dict[str, list[dict[str, list[Any]]]]
    ) -> None:
        super().__init__(state, decision, options)
        self._listed, self._values = options, values
        self._items = {_heading(decision, family.item): family.item for family in options.families or ()}

    def find(self, id_: str) -> int:
        """Return the index of an id; -1 if it isn't there."""
        for start in self._listed.starts:  # without arguments, or a pass
            if self[start] == id_:
                return start
        heading, _, told = id_.partition(":")
        item, texts = self._items.get(heading), told.split(",")
        if item is None or len(texts) != len(self._values[heading]):
            return -1
        values = []
        binders = self._decision.items[item].binders
        for binder, text, by_text in zip(binders, texts, self._values[heading], strict=True):
            name, _, written = text.partition("=")
            value = _named_value(binder.type, written, by_text) if name == binder.name else None
            if value is None:
                return -1
            values.append(value[0])
        place = self._listed.rank(item, values)
        return place if place >= 0 and self[place] == id_ else -1


def _named_value(type_: Type, text: str, by_text: dict[str, list[Any]]) -> list[Any] | None:
    """Return the value of a binder that a text names, alone in a list; None if there is none."""
    if not _is_selection(type_):
        return by_text[text][:1] if text in by_text else None
    counts = Counter(text.split("+") if text != NONE_TEXT else ())
    if any(name not in by_text or count > len(by_text[name]) for name, count in counts.items()):
        return None
    return [[member for name, alike in by_text.items() for member in alike[: counts[name]]]]


def _is_selection(type_: Type) -> bool:
    """Return whether values of a type are collections that are written member by member."""
    return type_.kind == "set" != type_.inner.kind


def _heading(decision: Decision, item: int) -> str:
    """Return what ids of the options of an item begin with."""
    return (decision.items[item].name or decision.rule) if item >= 0 else "pass"


def _tells_all(layout: Layout, type_: Type) -> bool:
    """Return whether each value of a type is written in its own way, without a comma."""
    sort, name = type_.present.kind, type_.present.name
    if sort not in TELLING or type_.kind != "opt":
        return sort in TELLING
    if sort == "cell":
        return NONE_TEXT not in layout.grids[layout.grid_index[name]].cells
    return NONE_TEXT not in (enum_names(layout, name) if sort == "enum" else layout.party_names)


def ids_of(state: State, decision: Decision, options: Sequence[Option]) -> Sequence[str]:
    """Return the ids of the options of one decision, all different; made one by one where none can clash."""
    if not isinstance(options, LongOptions) and LoneIds.suit(state.layout, decision):
        return LoneIds(state, decision, options)
    if not isinstance(options, LongOptions) or (families := options.families) is None:
        return option_ids(state, decision, options)
    values: dict[str, list[dict[str, list[Any]]]] = {}
    for family in families:
        texts = _texts_of_values(state, decision, family)
        if texts is None or (heading := _heading(decision, family.item)) in values:
            return option_ids(state, decision, options)
        values[heading] = texts
    return LongIds(state, decision, options, values)


def _texts_of_values(state: State, decision: Decision, family: Family) -> list[dict[str, list[Any]]] | None:
    """Return for each binder of an item the members of a class by their text; None if ids that are made of these texts
    might clash, or can't be taken apart."""
    binders = []
    for binder, classes in zip(decision.items[family.item].binders, family.binders, strict=True):
        type_ = binder.type
        element = type_.inner if (selects := _is_selection(type_)) else type_
        by_text: dict[str, list[Any]] = {}
        for alike in classes:
            texts = {value_text(state.layout, element, member, state) for member in alike}
            if len(texts) > 1 or texts & by_text.keys():
                return None
            (text,) = texts
            if "," in text or (selects and ("+" in text or text == NONE_TEXT)):
                return None
            by_text[text] = alike
        binders.append(by_text)
    return binders


def _distinguishing_values(state: State, decision: Decision, chosen: Option) -> list[list[int]]:
    """Return the variables of the pieces among an option's values, by which clashing ids are numbered."""
    layout = state.layout
    values: list[list[int]] = []
    for binder, value in decision.bound(chosen.item, chosen.values):
        if binder.type.core.kind == "piece":
            values += [[state.v[cell] for cell in layout.cells_of(piece & ITEM_MASK)] for piece in members(value)]
    return values


def outcome_id(layout: Layout, chance: Chance, value: Any) -> str:
    """Return the id of a chance outcome: with a number, an element of the set, or for unseen pieces an item."""
    if chance.kind in GIVING:
        text = value_text(layout, chance.drawn, value)
    else:
        text = "+".join(item_text(layout, item) for item in members(value))
    return f"{layout.program.sites[chance.site].rule}:{chance.name}={text}"


def outcome_ids(layout: Layout, chance: Chance, values: Sequence[Any]) -> list[str]:
    """Return the ids of all outcomes of one node, all different: those that read the same are numbered in their
    order."""
    texts = [outcome_id(layout, chance, value) for value in values]
    counts, numbered = Counter(texts), Counter[str]()
    ids = []
    for text in texts:
        numbered[text] += 1
        ids.append(text if counts[text] == 1 else f"{text}#{numbered[text]}")
    return ids
