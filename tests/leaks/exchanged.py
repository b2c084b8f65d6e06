"""A position with like individuals exchanged: the same for everybody, though each has another number.

Enters: a layout, a generator of random numbers; the positions of a game. Leaves: `Exchange`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from rulelang.runtime.canonical import _piece_variables, _value, _variables, live_slots
from rulelang.runtime.layout import ITEM_MASK, Layout
from rulelang.runtime.log import EMPTY, Entry
from rulelang.runtime.sight import drawn_type
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import TOLD


def likes(layout: Layout) -> list[list[int]]:
    """Items by definition and seat, where they are individuals and there are several."""
    classes: dict[tuple[int, int, int], list[int]] = {}
    for kind, items in enumerate(layout.kind_items):
        for item in items if layout.interchangeable[kind] else ():
            classes.setdefault((kind, layout.item_definition[item], layout.item_seat[item]), []).append(item)
    return [items for items in classes.values() if len(items) > 1]


class Exchange:
    """Puts individuals in the places of their likes, in the positions of one game.

    Attributes:
        exchanges: whether there are any.
    """

    def __init__(self, layout: Layout, dice: random.Random) -> None:
        self._layout, self._name = layout, list(range(layout.items))
        for items in likes(layout):
            for item, other in zip(items, dice.sample(items, len(items)), strict=True):
                self._name[item] = other
        self.exchanges = self._name != [*range(layout.items)]
        self._log = EMPTY

    def of(self, at: State) -> State:
        """The position with all individuals exchanged, its log too; the log must go on from that of the last call."""
        if not self.exchanges:
            return at
        layout, name, new = self._layout, self._name, at.clone()
        new.v = [*_variables(layout, at.v[: layout.variable_cells], name)]
        for cells in _piece_variables(layout, at.v, name):
            new.v += cells
        new.z = [[item if item < 0 else name[item] for item in contents] for contents in at.z]
        new.pools = [[name[item] for item in items] for items in at.pools]
        new.where = [at.where[item] for item, _ in sorted(enumerate(name), key=lambda pair: pair[1])]
        for depth, (procedure, _, values, _) in enumerate(new.frames):
            types = layout.program.procedures[procedure].locals
            for slot in live_slots(at, depth):
                if values[slot] is not None:
                    values[slot] = _value(layout, types[slot], values[slot], name)
        for entry in at.log.since(len(self._log)):
            write = _ENTRIES.get(entry[0])
            self._log = self._log.append(entry if write is None else write(layout, entry, name), at.decisions)
        new.log = self._log
        return new


def _cell(layout: Layout, cell: int, name: list[int]) -> int:
    """The cell that is in the place of a cell of a piece's variable."""
    if cell < 0 or not layout.cell_place[cell][0]:
        return cell
    _, number, item = layout.cell_place[cell]
    return cell + (name[item] - item) * layout.pvar_width[number]


def _choice(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, party, number, item, values, *more = entry
    decision = layout.program.decisions[number]
    if not decision.passes(item, values):
        types = [binder.type for binder, _ in decision.bound(item, values)]
        values = tuple(_value(layout, type_, value, name) for type_, value in zip(types, values, strict=True))
    if more:
        types = [layout.program.procedures[decision.procedure].locals[slot] for slot in layout.subjects[number]]
        more = [tuple(_value(layout, t, value, name) for t, value in zip(types, more[0], strict=True)), *more[1:]]
    return event, site, party, number, item, values, *more


def _chance(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, kind, value, *more = entry
    if kind in TOLD:
        return event, site, kind, _value(layout, drawn_type(layout, entry), value, name), *more
    return event, site, kind, value - (value & ITEM_MASK) + name[value & ITEM_MASK], *more


def _move(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, origin, to, items, *more = entry
    return event, site, origin, to, tuple(name[item] for item in items), *more


def _given(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, zone, contents = entry
    return event, site, zone, tuple(name[item] for item in contents)


def _set(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, number, cell, *values = entry
    tables = layout.program.variables if event == "set" else layout.program.piece_variables
    told = [_value(layout, tables[number].type, value, name) for value in values]
    return event, site, number, _cell(layout, cell, name), *told


def _goods(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, origin, to, *more = entry
    return event, site, _cell(layout, origin, name), _cell(layout, to, name), *more


def _reveal(layout: Layout, entry: Entry, name: list[int]) -> Entry:
    event, site, type_, value, seats = entry
    return event, site, type_, _value(layout, type_, value, name), seats


_ENTRIES: dict[str, Callable[[Layout, Entry, list[int]], Any]] = {
    "choice": _choice, "chance": _chance, "move": _move, "given": _given, "set": _set, "pset": _set, "goods": _goods,
    "reveal": _reveal,
}  # fmt: skip
"""Type of entry -> the entry of the game with individuals exchanged; of the rest it is the same."""
