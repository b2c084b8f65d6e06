"""Placement of given pieces in given zones of a state: how a scenario sets up its position.

Enters: a state at a node, zone instances with names of pieces. Leaves: the state changed, every piece still in some
zone; or a `PlacementError` that says which piece is missing or left over.

The given zones are emptied first, but for piles of which only the top is given: those pieces are laid on them at last.
Where a zone is given all the rest, every zone of its kind that is not given is emptied too. Pieces come from the
emptied zones, then from where such pieces start, then from any other zone that is not given. Left-over pieces go back
to where they start, shuffled in where that pile can hold unknown pieces; if that zone is itself given, to the zone that
refills it.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Collection, Sequence

from rulelang.diagnostics import UsageError, counted
from rulelang.runtime.layout import Layout
from rulelang.runtime.names import item_text, zone_text
from rulelang.runtime.pools import make_known, set_location, settle, shuffle, take_at_random
from rulelang.runtime.rng import uniform
from rulelang.runtime.state import State

Fillings = Sequence[tuple[int, Sequence[tuple[int, str]], str]]
"""Zone instances, each with (how many, id of a definition), the top of a pile first, and which of its pieces these are:
the `whole` zone, the `top` of a pile; or `rest`, all that no other zone is given."""


class PlacementError(UsageError):
    """The given pieces don't exist, don't fit, or leave others without a zone."""


def place(state: State, fillings: Fillings, unordered: Collection[int]) -> list[list[list[int]]]:
    """Put the given pieces into the given zones; return the items taken, for each filling and each of its rows.

    Args:
        unordered: the zones (numbers in the program) that may hold unknown pieces.

    Raises:
        PlacementError: see the module; the state is then invalid.
    """
    return _Placement(state, fillings, unordered).run()


def with_all_known(state: State) -> State:
    """Return a copy in which every piece is known: unknown ones are drawn with the state's generator."""
    copy = state.clone()
    for zone, contents in enumerate(copy.z):
        _reveal_all(copy, zone, contents)
    return copy


def _reveal_all(state: State, zone: int, contents: list[int]) -> None:
    """Draw the identities of all unknown pieces in a zone."""
    while any(value < 0 for value in contents):
        _reveal(state, zone, next(index for index, value in enumerate(contents) if value < 0))


def _reveal(state: State, zone: int, index: int) -> None:
    """Draw the identity of an unknown piece at an index of a zone."""
    pool = -state.z[zone][index] - 1
    draw, state.rng = uniform(state.rng, len(state.pools[pool]))
    make_known(state, zone, index, take_at_random(state, pool, draw))


class _Placement:
    """One run of `place`.

    Attributes:
        spare: item -> how many of it are in no zone at the moment.
    """

    def __init__(self, state: State, fillings: Fillings, unordered: Collection[int]) -> None:
        self.state = state
        self.layout: Layout = state.layout
        self.fillings = fillings
        self.filled_zones = [zone for zone, _, _ in fillings]
        self.zones = [zone for zone, _, filling in fillings if filling != "top"]
        """Zones whose contents are given in full: no other piece is taken from there or put there."""
        self.unordered = unordered
        self.spare: Counter[int] = Counter()

    def run(self) -> list[list[list[int]]]:
        """Empty the given zones, take and put the pieces, place the rest; return the items taken."""
        for zone in self.filled_zones:
            if self.filled_zones.count(zone) > 1:
                raise PlacementError(f"`{zone_text(self.layout, zone)}` is given twice")
        for zone in self.zones:
            self.empty(zone)
        taken = {zone: self.take_all(zone, pieces) for zone, pieces, filling in self.fillings if filling != "top"}
        taken |= {zone: self.take_all(zone, pieces) for zone, pieces, filling in self.fillings if filling == "top"}
        for zone in self.zones:
            self.fill(zone, taken[zone])
        self.place_rest()
        self.put_back()
        for zone in self.filled_zones:
            if zone not in self.zones:
                self.fill(zone, taken[zone])
        self.show_tops()
        return [taken[zone] for zone in self.filled_zones]

    def empty(self, zone: int) -> None:
        """Take all pieces out of a zone; unknown ones are drawn."""
        contents = self.state.z[zone]
        _reveal_all(self.state, zone, contents)
        self.spare.update(contents)
        contents.clear()

    # ---- filling

    def take_all(self, zone: int, pieces: Sequence[tuple[int, str]]) -> list[list[int]]:
        """Take the pieces for a zone from wherever they lie, row by row."""
        return [[self.take(zone, name) for _ in range(count)] for count, name in pieces]

    def fill(self, zone: int, taken: Sequence[Sequence[int]]) -> None:
        """Put pieces into a zone, the first one topmost, on its contents."""
        items = [item for row in taken for item in row]
        layout, contents = self.layout, self.state.z[zone]
        self.check_room(zone, len(items))
        contents.extend(items[::-1])
        if not layout.inst_kept[zone]:
            contents.sort()
        for item in items:
            set_location(self.state, item, zone)

    def check_room(self, zone: int, count: int) -> None:
        """Raise PlacementError if a zone can't hold so many more pieces."""
        capacity = self.layout.inst_capacity[zone]
        if 0 <= capacity < len(self.state.z[zone]) + count:
            raise PlacementError(f"`{zone_text(self.layout, zone)}` holds {counted(capacity, 'piece')} at most")

    def place_rest(self) -> None:
        """Put all remaining pieces of a kind into the zone that is given the rest, shuffled where it can hold unknown
        pieces."""
        layout = self.layout
        for target in [zone for zone, _, filling in self.fillings if filling == "rest"]:
            kind = layout.inst_kind[target]
            for zone in range(len(self.state.z)):
                if layout.inst_kind[zone] == kind and zone not in self.filled_zones:
                    self.empty(zone)
            rest = [item for item in sorted(self.spare.elements()) if layout.item_kind[item] == kind]
            self.spare.subtract(rest)
            self.fill(target, [rest])
            if layout.inst_kept[target] and layout.inst_zone[target] in self.unordered:
                self.shuffle_zone(target)

    def items(self, zone: int, name: str) -> list[int]:
        """Return the items that a name may mean in a zone: `pawn@1` is that of seat 1, `pawn` those of the zone's owner
        if it has any.

        Raises:
            PlacementError: there is no such piece.
        """
        layout = self.layout
        kind = layout.inst_kind[zone]
        table = layout.program.kinds[kind]
        id_, whose, seat = name.partition("@")
        rows = [number for number, row in enumerate(table.definitions) if row.id == id_]
        if not rows:
            raise PlacementError(
                f"no {table.name} is called `{name}`, and `{zone_text(layout, zone)}` holds {table.name}"
            )
        items = [item for item in layout.kind_items[kind] if layout.item_definition[item] == rows[0]]
        if whose:
            items = [item for item in items if layout.item_seat[item] == int(seat)]
            if not items:
                raise PlacementError(f"there is no `{name}`: `{id_}` is not one for each seat, or not for that one")
            return items
        own = [item for item in items if layout.item_seat[item] == layout.inst_owner[zone]]
        return own or items

    def take(self, zone: int, name: str) -> int:
        """Take one piece of a name for a zone, from the sources in the order that the module states.

        Raises:
            PlacementError: none is left.
        """
        items = self.items(zone, name)
        for item in items:
            if self.spare[item] > 0:
                self.spare[item] -= 1
                return item
        if zone not in self.zones:
            for item in items:
                if self.take_from(zone, item):
                    return item
        for item in items:
            if self.layout.start_of[item] not in self.zones and self.take_from(self.layout.start_of[item], item):
                return item
        for source, item in ((source, item) for source in range(len(self.state.z)) for item in items):
            if source not in self.zones and self.take_from(source, item):
                return item
        place = zone_text(self.layout, zone)
        raise PlacementError(f"there is no `{name}` left for `{place}`: all that there are lie in zones that are given")

    def take_from(self, zone: int, item: int) -> bool:
        """Take an item out of a zone, as a known or an unknown piece; return whether it can be there."""
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

    # ---- left-over pieces

    def put_back(self) -> None:
        """Put the left-over pieces where they start, and shuffle the piles that may be."""
        shuffled: set[int] = set()
        for item, count in sorted(self.spare.items()):
            if count:
                zone = self.home_zone(item, count)
                self.put_at_home(item, count, zone)
                if self.layout.inst_kept[zone] and self.layout.inst_zone[zone] in self.unordered:
                    shuffled.add(zone)
        for zone in sorted(shuffled):
            self.shuffle_zone(zone)

    def show_tops(self) -> None:
        """Reveal the top of every pile whose top is visible."""
        for zone, contents in enumerate(self.state.z):
            table = self.layout.program.zones[self.layout.inst_zone[zone]]
            if table.view.top and table.kept and contents and contents[-1] < 0:
                _reveal(self.state, zone, len(contents) - 1)

    def home_zone(self, item: int, count: int) -> int:
        """Return the zone for left-over pieces of an item.

        Raises:
            PlacementError: their start, and the zone that refills it, are given.
        """
        layout = self.layout
        zone = layout.start_of[item]
        if zone not in self.zones:
            return zone
        refill = layout.program.zones[layout.inst_zone[zone]].refill
        refill_zone = layout.zone_instance(refill, layout.inst_index[zone]) if refill >= 0 else zone
        if refill_zone in self.zones:
            raise PlacementError(
                f"{count} `{item_text(layout, item)}` left over: `{zone_text(layout, zone)}`, their start, is given"
            )
        return refill_zone

    def put_at_home(self, item: int, count: int, zone: int) -> None:
        """Put `count` pieces of an item into a zone, below a pile.

        Raises:
            PlacementError: the zone is full.
        """
        contents = self.state.z[zone]
        capacity = self.layout.inst_capacity[zone]
        if 0 <= capacity < len(contents) + count:
            raise PlacementError(
                f"{count} `{item_text(self.layout, item)}` left over: `{zone_text(self.layout, zone)}` is full"
            )
        for _ in range(count):
            if self.layout.inst_kept[zone]:
                contents.insert(0, item)
            else:
                insort(contents, item)
        set_location(self.state, item, zone)

    def shuffle_zone(self, zone: int) -> None:
        """Make the order of a pile unknown.

        Raises:
            PlacementError: its unknown pieces may lie elsewhere too.
        """
        state, contents = self.state, self.state.z[zone]
        if any(value < 0 and contents.count(value) < len(state.pools[-value - 1]) for value in contents):
            raise PlacementError(
                f"pieces of `{zone_text(self.layout, zone)}` may lie in zones that are not given; give those zones too"
            )
        shuffle(state, zone)
