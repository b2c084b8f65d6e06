"""What a seat knows of places that it may count but doesn't see: what was shown to it there, and what it saw go there,
as long as it can follow that.

Enters: the entries of a log as a seat sees them, in order (`rulelang.runtime.sight`). Leaves: known pieces by zone,
known values by variable. Nothing else goes in than what the seat was told and the program, so that it tells the seat
nothing.

 - Of a zone in no order it is how many pieces of a sort lie there at least. Where k of its n pieces leave unseen, of c
   that are known max(0, c - k) stay, and max(0, c - (n - k)) are surely among those that go: these are known where they
   come.
 - Of a pile it is which piece lies at which place. What is drawn from the top takes along what was known of it; after a
   shuffle, or when pieces leave from the midst of it, nothing is known.
 - Of a variable it is the value that was shown, where no rule can write the variable after that (`rulelang.ir.later`).
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from rulelang.ir.later import LaterWrites
from rulelang.ir.program import Program, VariableTable, ZoneTable
from rulelang.ir.walk import index, operands, place_in
from rulelang.memos import kept_with
from rulelang.runtime.layout import ITEM_MASK, Layout, members
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import COUNT, UNKNOWN, Sight, place_of
from rulelang.runtime.state import State
from rulelang.vocabulary.types import Type


class RevealedPlace(NamedTuple):
    """What the reveals of a site show.

    Attributes:
        table: `zone` or `var`, whose row `number` the value lies in. from_top: whether it is a zone's pieces from the
            top on, all or some. lasts: of a variable, whether no rule can write it afterwards. chosen: whether it is
            pieces that the asked seat has chosen of its own.
    """

    table: str
    number: int
    from_top: bool = False
    lasts: bool = False
    chosen: bool = False

    def table_of(self, program: Program) -> ZoneTable | VariableTable:
        """Return the row of the zone or variable."""
        return (program.zones if self.table == "zone" else program.variables)[self.number]


FROM_TOP = frozenset(("pieces", "top", "tops"))


@kept_with
def shown_places(layout: Layout) -> dict[int, RevealedPlace]:
    """Return by its site what each reveal of a value that lies in one zone or variable shows."""
    places: dict[int, RevealedPlace] = {}
    program = layout.program
    later = LaterWrites(program)
    for place, statement, writes in later.of("reveal"):
        value, _, *indices = operands(statement)
        source = place_in(value)
        if source is not None and len(operands(source)) > len(indices):
            continue  # all see it
        if source is not None and source.op == "zone":
            places[statement.site] = RevealedPlace("zone", index(source), from_top=value.op in FROM_TOP)
        elif source is not None:
            name = f"{source.op}:{program.variables[index(source)].name}"
            places[statement.site] = RevealedPlace("var", index(source), lasts=name not in writes)
        elif value.op == "local" and (zone := later.own_zone(place, index(value))) >= 0:
            places[statement.site] = RevealedPlace("zone", zone, chosen=True)
    return places


@kept_with
def _ends(layout: Layout) -> dict[int, set[Any]]:
    """Return by the site of moves to which ends they go, and `picked` unless they take from the top alone."""
    ends: dict[int, set[Any]] = {}
    for procedure in layout.program.procedures:
        for block in procedure.blocks:
            for statement in block.statements:
                if statement.op in ("move", "move_slots"):
                    here = ends.setdefault(statement.site, set())
                    here |= {arg for arg in statement.args if arg in ("top", "bottom")}
                    here |= {"picked"} if statement.op == "move" else set()
    return ends


@kept_with
def may_know(layout: Layout) -> bool:
    """Return whether there is a zone that some seat may count but doesn't see, or a variable that is shown to some."""
    shown = shown_places(layout).values()
    return any(not zone.view.public for zone in layout.program.zones) or any(place.lasts for place in shown)


Known = tuple[dict[int, list[int]], dict[int, tuple[Type, Any]]]
"""Sorts of pieces by zone instance, and types and values by the first cells of variables."""


class Knowledge:
    """What a seat knows of places that it doesn't see.

    Attributes:
        pieces: zone instance in no order -> sort of item -> how many lie there at least. piles: pile -> what lies
            where, the top last, UNKNOWN for unknown. values: first cell of a variable -> its type and value.
    """

    def __init__(self, sight: Sight, opening: State | None) -> None:
        self.sight, self.layout = sight, sight.layout
        contents = self.layout.start_z if opening is None else opening.z
        kept = self.layout.inst_kept
        counted = [zone for zone, seen in enumerate(sight.zones) if seen == COUNT]
        self.sizes = {zone: len(contents[zone]) for zone in counted if not kept[zone]}
        self.pieces: dict[int, Counter[int]] = {zone: Counter() for zone in self.sizes}
        self.piles = {zone: [UNKNOWN] * len(contents[zone]) for zone in counted if kept[zone]}
        self.values: dict[int, tuple[Type, Any]] = {}

    def note(self, seen: Entry, where: list[int]) -> bool:
        """Take in the next entry, as the seat sees it; return whether what is known may have changed.

        Args:
            where: item -> zone instance of individuals, as far as the seat could be told.
        """
        match seen[0]:
            case "move":
                return self._move(seen)
            case "reveal":
                return self._reveal(seen, where)
            case "shuffle":
                return self._forget(seen[2])
            case "given":
                return self._given(seen)
        return False

    def known(self) -> Known:
        """Return what is known: pieces of zone instances (of a pile the top first, up to the last that is known), and
        values by the first cells of variables."""
        pieces = {zone: sorted(known.elements()) for zone, known in self.pieces.items()}
        pieces |= {zone: pile[_first_known(pile) :][::-1] for zone, pile in self.piles.items()}
        return {zone: known for zone, known in pieces.items() if known}, dict(self.values)

    # ---- entries

    def _move(self, seen: Entry) -> bool:
        """Follow pieces that go from a zone to another; of those that are not seen what surely goes along."""
        _, site, origin, destination, items, *_ = seen
        if not (self._is_tracked(origin) or self._is_tracked(destination)):
            return False
        ends = _ends(self.layout).get(site, set())
        along: list[int] = []
        gone = [UNKNOWN if item is None else self._sort(item) for item in items]
        if origin in self.piles:
            gone = self._leave_pile(self.piles[origin], gone, "picked" not in ends)
        elif origin in self.sizes:
            along = self._leave(origin, gone)
        if destination in self.piles:
            pile = self.piles[destination]
            came = gone if {"top", "bottom"} - ends else [UNKNOWN] * len(gone)
            self.piles[destination] = came[::-1] + pile if "bottom" in ends else pile + came
        elif destination in self.sizes:
            self.sizes[destination] += len(items)
            self.pieces[destination].update(sort for sort in gone + along if sort != UNKNOWN)
        return True

    def _leave(self, zone: int, gone: list[int]) -> list[int]:
        """Take pieces out of a zone in no order; return the sorts of those that are surely among the unseen ones.

        Args:
            gone: their sorts, UNKNOWN for unseen ones.
        """
        known, along = self.pieces[zone], list[int]()
        known.subtract(sort for sort in gone if known[sort] > 0)
        unseen, rest = gone.count(UNKNOWN), self.sizes[zone] - len(gone)
        if unseen:
            for sort, count in known.items():
                along += [sort] * (count - rest)
                known[sort] = count - unseen
        self.sizes[zone] = rest
        self.pieces[zone] = +known
        return along

    def _leave_pile(self, pile: list[int], gone: list[int], drawn: bool) -> list[int]:
        """Take pieces out of a pile, from the top if they are drawn; return their sorts, as far as they are known."""
        rest = len(pile) - len(gone)
        if not drawn and rest:
            pile[:] = [UNKNOWN] * rest
            return gone
        top = pile[rest:][::-1] if drawn else gone
        del pile[rest:]
        return [known if sort == UNKNOWN else sort for known, sort in zip(top, gone, strict=True)]

    def _reveal(self, seen: Entry, where: list[int]) -> bool:
        """Note a value that was shown, where it lies in one zone or variable."""
        _, site, type_, value, _, place = seen
        layout = self.layout
        shown = shown_places(layout).get(site)
        if shown is None or place is None:
            return False
        if shown.table == "var":
            cell = layout.variable_cell(shown.number, place)
            if not shown.lasts or self.sight.cells[cell]:
                return False
            self.values[cell] = type_, value
            return True
        pieces = [piece for piece in members(value) if piece >= 0]
        if not pieces:
            return False
        zone = place_of(layout, where, pieces[0]) if shown.chosen else layout.zone_instance(shown.number, place)
        sorts = [self._sort(piece & ITEM_MASK) for piece in pieces]
        if zone in self.sizes:
            self.pieces[zone] |= Counter(sorts)
        elif zone in self.piles and shown.from_top:
            pile = self.piles[zone]
            pile[len(pile) - len(sorts) :] = sorts[::-1]
        return True

    def _given(self, seen: Entry) -> bool:
        """Forget what was known of a zone whose contents are given."""
        zone, contents = seen[2], seen[3]
        if zone in self.sizes:
            self.sizes[zone], self.pieces[zone] = len(contents), Counter()
        if zone in self.piles:
            self.piles[zone] = [UNKNOWN] * len(contents)
        return True

    def _forget(self, zone: int) -> bool:
        """Forget the order of a pile that is shuffled."""
        if zone in self.piles:
            self.piles[zone] = [UNKNOWN] * len(self.piles[zone])
        return zone in self.piles

    def _is_tracked(self, zone: int) -> bool:
        return zone in self.sizes or zone in self.piles

    def _sort(self, item: int) -> int:
        """Return the sort of an item: individuals of one row are not told apart."""
        return self.layout.item_sorts[item]


def _first_known(pile: list[int]) -> int:
    """Return the lowest place of a pile of which the piece is known; its length if there is none."""
    return next((place for place, sort in enumerate(pile) if sort != UNKNOWN), len(pile))


@kept_with
def items_of_sorts(layout: Layout) -> dict[int, int]:
    """Return for each sort an item that is of it."""
    return {sort: item for item, sort in enumerate(layout.item_sorts)}
