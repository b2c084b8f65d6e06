"""Puts given pieces into given zones of a state: how a scenario sets up its situation.

Enters: a state between two games' steps, zone instances with names of pieces. Leaves: the state changed, every piece
in some zone still; or a `PlacementError` that says which piece is missing or left over.

The given zones are emptied first. Pieces for them come from what was emptied, then from where such pieces start, then
from any other place that is not given. What is left over goes back to where it starts, shuffled in where that pile can
hold unknown pieces; if that zone is itself given, to the zone that refills it.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Sequence

from rulelang.diagnostics import UsageError
from rulelang.runtime.layout import Layout
from rulelang.runtime.names import item_text, zone_text
from rulelang.runtime.pools import make_known, settle, shuffle, take_at_random
from rulelang.runtime.rng import uniform
from rulelang.runtime.state import State

Given = Sequence[tuple[int, Sequence[tuple[int, str]]]]
"""Zone instances, each with (how many, id of a definition), the top of a pile first."""


class PlacementError(UsageError):
    """The pieces that are given don't exist, don't fit, or leave others without a place."""


def place(state: State, given: Given, mixed: Collection[int]) -> list[list[list[int]]]:
    """Puts the given pieces into the given zones; gives the items for each zone and place of its list.

    Args:
        mixed: the zones (numbers in the program) that may hold unknown pieces.

    Raises:
        PlacementError: see above; the state is then of no more use.
    """
    return _Placement(state, given, mixed).run()


def with_all_known(state: State) -> State:
    """A copy in which every piece is known: what nobody knows is drawn with the state's generator."""
    copy = state.clone()
    for zone, contents in enumerate(copy.z):
        _know_all(copy, zone, contents)
    return copy


def _know_all(state: State, zone: int, contents: list[int]) -> None:
    while any(value < 0 for value in contents):
        _know(state, zone, next(index for index, value in enumerate(contents) if value < 0))


def _know(state: State, zone: int, index: int) -> None:
    """Draws what an unknown piece is."""
    pool = -state.z[zone][index] - 1
    draw, state.rng = uniform(state.rng, len(state.pools[pool]))
    make_known(state, zone, index, take_at_random(state, pool, draw))


class _Placement:
    def __init__(self, state: State, given: Given, mixed: Collection[int]) -> None:
        self.state = state
        self.layout: Layout = state.layout
        self.given = given
        self.zones = [zone for zone, _ in given]
        self.mixed = mixed
        self.spare: Counter[int] = Counter()

    def run(self) -> list[list[list[int]]]:
        for zone in self.zones:
            if self.zones.count(zone) > 1:
                raise PlacementError(f"`{zone_text(self.layout, zone)}` is given twice")
            self.empty(zone)
        placed = [self.fill(zone, pieces) for zone, pieces in self.given]
        self.put_back()
        return placed

    def empty(self, zone: int) -> None:
        """Takes everything out of a zone; what nobody knows there is drawn."""
        contents = self.state.z[zone]
        _know_all(self.state, zone, contents)
        self.spare.update(contents)
        contents.clear()

    # ---- filling

    def fill(self, zone: int, pieces: Sequence[tuple[int, str]]) -> list[list[int]]:
        taken = [[self.take(zone, name) for _ in range(count)] for count, name in pieces]
        found = [item for items in taken for item in items]
        layout = self.layout
        capacity = layout.inst_capacity[zone]
        if 0 <= capacity < len(found):
            raise PlacementError(f"`{zone_text(layout, zone)}` holds {capacity} pieces at most")
        self.state.z[zone] = found[::-1] if layout.inst_pile[zone] else sorted(found)
        for item in found:
            self.lies(item, zone)
        return taken

    def lies(self, item: int, zone: int) -> None:
        if self.layout.program.kinds[self.layout.item_kind[item]].identity:
            self.state.where[item] = zone

    def items(self, zone: int, name: str) -> list[int]:
        """The items that a name (`pawn`, or `pawn@1` for that of seat 1) may mean in a zone; those of the zone's owner
        if there are any."""
        layout = self.layout
        kind = layout.inst_kind[zone]
        table = layout.program.kinds[kind]
        id_, whose, seat = name.partition("@")
        rows = [number for number, row in enumerate(table.definitions) if row.id == id_]
        if not rows:
            raise PlacementError(
                f"no {table.name} is called `{name}`, and `{zone_text(layout, zone)}` holds {table.name}"
            )
        found = [item for item in layout.kind_items[kind] if layout.item_definition[item] == rows[0]]
        if whose:
            found = [item for item in found if layout.item_seat[item] == int(seat)]
            if not found:
                raise PlacementError(f"there is no `{name}`: `{id_}` is not one for each seat, or not for that one")
            return found
        own = [item for item in found if layout.item_seat[item] == layout.inst_owner[zone]]
        return own or found

    def take(self, zone: int, name: str) -> int:
        items = self.items(zone, name)
        for item in items:
            if self.spare[item] > 0:
                self.spare[item] -= 1
                return item
        for item in items:
            if self.layout.start_of[item] not in self.zones and self.take_from(self.layout.start_of[item], item):
                return item
        for other, item in ((other, item) for other in range(len(self.state.z)) for item in items):
            if other not in self.zones and self.take_from(other, item):
                return item
        place = zone_text(self.layout, zone)
        raise PlacementError(f"there is no `{name}` left for `{place}`: all that there are lie in zones that are given")

    def take_from(self, zone: int, item: int) -> bool:
        """Takes an item out of a zone, known or not; whether it can be there."""
        contents = self.state.z[zone]
        if item in contents:
            contents.remove(item)
            return True
        for index, value in enumerate(contents):
            if value < 0 and item in self.state.pools[-value - 1]:
                pool = self.state.pools[-value - 1]
                pool.remove(item)
                del contents[index]
                if pool and pool[0] == pool[-1]:
                    settle(self.state, -value - 1)
                return True
        return False

    # ---- what is left over

    def put_back(self) -> None:
        shuffled: set[int] = set()
        for item, count in sorted(self.spare.items()):
            if count:
                zone = self.home(item, count)
                self.back(item, count, zone)
                if self.layout.inst_pile[zone] and self.layout.inst_zone[zone] in self.mixed:
                    shuffled.add(zone)
        for zone in sorted(shuffled):
            self.mix(zone)
        for zone, contents in enumerate(self.state.z):
            table = self.layout.program.zones[self.layout.inst_zone[zone]]
            if table.visible == "top" and table.pile and contents and contents[-1] < 0:
                _know(self.state, zone, len(contents) - 1)

    def home(self, item: int, count: int) -> int:
        layout = self.layout
        zone = layout.start_of[item]
        if zone not in self.zones:
            return zone
        refill = layout.program.zones[layout.inst_zone[zone]].refill
        other = layout.zone_instance(refill, layout.inst_index[zone]) if refill >= 0 else zone
        if other in self.zones:
            raise PlacementError(
                f"{count} `{item_text(layout, item)}` left over: `{zone_text(layout, zone)}`, their start, is given"
            )
        return other

    def back(self, item: int, count: int, zone: int) -> None:
        contents = self.state.z[zone]
        capacity = self.layout.inst_capacity[zone]
        if 0 <= capacity < len(contents) + count:
            raise PlacementError(
                f"{count} `{item_text(self.layout, item)}` left over: `{zone_text(self.layout, zone)}` is full"
            )
        for _ in range(count):
            if self.layout.inst_pile[zone]:
                contents.insert(0, item)
            else:
                insort(contents, item)
        self.lies(item, zone)

    def mix(self, zone: int) -> None:
        state, contents = self.state, self.state.z[zone]
        if any(value < 0 and contents.count(value) < len(state.pools[-value - 1]) for value in contents):
            raise PlacementError(
                f"pieces of `{zone_text(self.layout, zone)}` may lie in zones that are not given; give those zones too"
            )
        shuffle(state, zone)
