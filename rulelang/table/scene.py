"""A table as a seat sees it, laid out once for whoever draws it: areas, piles, cards, counters, columns, boards.

Enters: a ruleset, names, an observation, the partial choice. Leaves: an `Area` for the table and for each party; of
each thing how it can be picked for the choice. Nothing is left out: who draws it folds what does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rulelang.game import Ruleset
from rulelang.game.choosing import Choosing
from rulelang.runtime.names import NamedValue
from rulelang.table.board import ALONE, Board, Spot, Surroundings, Target, boards_of, surroundings, target, visible
from rulelang.table.names import NONE, Names
from rulelang.table.view import TABLE, Contents, Observed, Piece, Share, Value, is_empty, shares
from rulelang.words.phrases import capital

Rows = Mapping[str, Mapping[str, Observed]]
"""Zones and variables of one index: name -> index -> thing."""


@dataclass(frozen=True)
class PickState:
    """Whether something on the table can be picked for the choice, and whether it is.

    Attributes:
        pick: its pick, empty if it can't be picked (any more). picked: how often it is.
    """

    pick: str = ""
    picked: int = 0


@dataclass(frozen=True)
class Copies:
    """Equal pieces that lie together.

    Attributes:
        piece: None if face down. style: colour of the owner; whose: the owner in words. carried: their variables in
            words. fresh: whether rivals moved one here since the reader's last turn.
    """

    piece: Piece | None
    count: int
    style: str = ""
    whose: str = ""
    carried: tuple[str, ...] = ()
    pick_state: PickState = PickState()
    fresh: bool = False


@dataclass(frozen=True)
class Zone:
    """A zone of which pieces are seen.

    Attributes:
        declared: its name; name: the same with owner and index, as events write it. thing: its contents. cards: equal
            pieces as one, in the order of their rows; of a pile adjacent ones. own: whether the reader alone sees it.
    """

    declared: str
    name: str
    label: str
    thing: Contents
    cards: tuple[Copies, ...]
    pick_state: PickState
    own: bool = False

    @property
    def count(self) -> int:
        """Return the number of all pieces, seen or not."""
        return self.thing.count

    @property
    def pile(self) -> bool:
        """Return whether it has a top."""
        return self.thing.laid.ends


@dataclass(frozen=True)
class Counter:
    """A variable, or a zone of which only the number of pieces is seen.

    Attributes:
        text: the value in words, empty for a truth and for amounts. goods: amounts of resources, those of the reader
            to be picked. shown: whether it is worth telling.
    """

    declared: str
    label: str
    thing: Observed = field(hash=False)
    text: str
    goods: tuple[tuple[int, str, PickState], ...] = ()
    shown: bool = True

    @property
    def stack(self) -> int:
        """Return the number of pieces of a zone; 0 of a variable."""
        return self.thing.count if isinstance(self.thing, Contents) else 0


@dataclass(frozen=True)
class Column:
    """The zones and values at one index of a type; `shown`: whether it holds or offers anything, or is a place on the
    table that may hold something."""

    name: str
    label: str
    pick_state: PickState
    zones: tuple[Zone, ...]
    counters: tuple[Counter, ...]
    shown: bool


@dataclass
class Area:
    """What belongs to one party, or to the table.

    Attributes:
        title: a person's name or the seat. seat: the seat in words, if the title is a name. turn: whether it is to
            choose. out: whether it is eliminated. things: what has no index or several, in order. tables: for each type
            the rows, and the same as columns. share: all of it by name.
    """

    party: int | None
    owner: str
    title: str
    share: Share
    seat: str = ""
    style: str = ""
    you: bool = False
    turn: bool = False
    out: bool = False
    pick_state: PickState = field(default_factory=PickState)
    things: list[Zone | Counter] = field(default_factory=list)
    tables: list[tuple[Rows, list[Column]]] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)

    @property
    def zones(self) -> list[Zone]:
        """Return the zones that hold something or can be picked."""
        return [row for row in self.things if isinstance(row, Zone) and (row.count or row.pick_state.pick)]

    @property
    def empty(self) -> list[str]:
        """Return the names of the other zones."""
        return [r.label for r in self.things if isinstance(r, Zone) and not (r.count or r.pick_state.pick)]

    @property
    def counters(self) -> list[Counter]:
        """Return the values that are worth telling."""
        return [row for row in self.things if isinstance(row, Counter) and row.shown]

    @property
    def columns(self) -> list[list[Column]]:
        """Return the columns that hold or offer anything, by type."""
        return [[column for column in columns if column.shown] for _, columns in self.tables]

    @property
    def lies(self) -> bool:
        """Return whether anything lies there."""
        return bool(self.zones or any(self.columns) or (self.you and self.empty))


class Scene:
    """A reader's table, and what of it can be picked.

    Args:
        seen: what the reader (of `names`) sees of the state.

    Attributes:
        placed: the picks that have a thing on the table. fresh: pieces that rivals moved, with their zones, and cells,
            edges and corners that they changed, with "". hidden: the zones and variables that are not laid out.
    """

    def __init__(
        self, ruleset: Ruleset, names: Names, seen: Mapping[str, Any], choosing: Choosing | None = None
    ) -> None:
        self.ruleset, self.names, self.observation = ruleset, names, seen
        self.choosing = choosing or Choosing(())
        self.names.colour(seen)
        self.placed: set[str] = set()
        self.fresh: frozenset[tuple[str, str]] = frozenset()
        self.hidden: frozenset[str] = frozenset()
        self._secret = {zone.name for zone in ruleset.written.zones if zone.visible != "all"}
        self._pick_of: dict[Target, str] = {}
        for pick, part in self.choosing.parts:
            if pick in self.choosing.open or pick in self.choosing.picks:
                self._pick_of.setdefault(_target(part), pick)

    # ---- what can be picked

    def pick_state(self, sort: str, name: str, place: str = "") -> PickState:
        """Return how a thing on the table can be picked; its pick is then not listed elsewhere.

        Args:
            sort, name, place: see `Target`.
        """
        pick = self._pick_of.get((sort, name, place), "")
        if not pick:
            return PickState()
        self.placed.add(pick)
        return PickState(pick if pick in self.choosing.open else "", self.choosing.picks.count(pick))

    def picked_there(self, spot: Spot) -> PickState:
        """Return how a spot can be picked: by the first group of its targets that offers anything or is picked."""
        for group in spot.targets:
            states = [self.pick_state(*target) for target in group]
            best = max(states, key=lambda state: (bool(state.pick), bool(state.picked)), default=PickState())
            if best.pick or best.picked:
                return best
        return PickState()

    def is_fresh(self, spot: Spot) -> bool:
        """Return whether rivals have changed a cell, an edge or a corner, or moved a piece there."""
        return any(name in self.fresh for name in ((spot.name, ""), *(t[1:] for group in spot.targets for t in group)))

    # ---- areas

    def areas(self) -> list[Area]:
        """Return the areas of the table, then of each party in turn."""
        views = shares(self.ruleset, dict(self.observation))
        for share in views.values():
            share.leave_out(self.hidden)
        around = surroundings(self.ruleset.written, views)
        owners = [TABLE, *self.names.parties]
        return [self._area(owner, views.get(owner, Share()), ALONE if owner else around) for owner in owners]

    def _area(self, owner: str, share: Share, around: Surroundings) -> Area:
        """Return the area of an owner."""
        area = self._empty_area(owner, share)
        on_boards = {part.name for grid in self.ruleset.written.grids for part in grid.around}
        for type_, rows in share.tables.items():
            if type_ in on_boards:
                continue
            indices = dict.fromkeys(index for row in rows.values() for index in row)
            area.tables.append((rows, [self._column(type_, index, rows, area) for index in indices]))
        for name, thing in share.singles.items():
            area.things.append(self._thing(area, name, self.names.name(name), thing))
        for (name, index), thing in share.lists.items():
            if not is_empty(thing):
                area.things.append(self._thing(area, name, self.names.indexed(name, index), thing, index))
        area.boards = [
            Board(self.ruleset, self.names, name, share, around) for name in boards_of(self.ruleset.written, share)
        ]
        return area

    def _empty_area(self, owner: str, share: Share) -> Area:
        """Return the empty area of an owner: titles, flags."""
        names = self.names
        if owner == TABLE:
            return Area(None, TABLE, names.title, share)
        party = names.parties.index(owner)
        called, seat = (
            names.called(party),
            self.ruleset.words(names.lang, (), names.words.first).seat(names.layout, party),
        )
        return Area(
            party, owner, called or capital(seat), share, seat if called else "", names.style(owner),
            party == names.reader, party in self.observation["current"], party in self.observation["eliminated"],
            self.pick_state("seat", owner),
        )  # fmt: skip

    def _thing(self, area: Area, name: str, label: str, thing: Observed, index: tuple[str, ...] = ()) -> Zone | Counter:
        """Return a thing: a zone whose pieces are seen, else a counter."""
        if isinstance(thing, Value):
            return self._counter(name, label, thing, area)
        if thing.pieces is None and thing.top is None:
            return Counter(name, label, thing, str(thing.count), shown=bool(thing.count) or area.you)
        key = (*([area.owner] if area.owner != TABLE else []), *index)
        text = f"{name}[{','.join(key)}]" if key else name
        own = area.you and name in self._secret
        return Zone(name, text, label, thing, tuple(self._cards(thing, text)), self.pick_state("zone", text), own)

    def _cards(self, thing: Contents, zone: str) -> list[Copies]:
        """Return equal pieces as one card, in the order of their rows; of a pile adjacent ones."""
        pieces = visible(thing)
        if not thing.laid.kept:
            pieces = sorted(pieces, key=lambda p: (p is None, self.names.order[p.id] if p is not None else 0))
        cards: list[Copies] = []
        for piece in pieces:
            if cards and cards[-1].piece == piece:
                cards[-1] = replace(cards[-1], count=cards[-1].count + 1)
            elif piece is None:
                cards.append(Copies(None, 1))
            else:
                whose = self.names.party_named(piece.owner) if piece.owner else ""
                told = replace(piece, values=tuple(row for row in piece.values if row[0] not in self.hidden))
                carried, where = tuple(self.names.carried(told)), target(piece, zone)
                style, fresh = self.names.style(piece.owner), where[1:] in self.fresh
                cards.append(Copies(piece, 1, style, whose, carried, self.pick_state(*where), fresh))
        return cards

    def _counter(self, name: str, label: str, thing: Value, area: Area) -> Counter:
        """Return a value as a counter. Of one's own goods those are told, too, of which there are none."""
        empty, picks = is_empty(thing), area.you or area.owner == TABLE
        if not isinstance(thing.value, dict):
            text = "" if thing.value is True else self.names.thing(name, thing)
            return Counter(name, label, thing, text, shown=not empty)
        goods = [
            (n, good, self.pick_state("goods", good) if picks and n else PickState())
            for good, n in (() if empty else thing.value.items())
            if n or area.you
        ]
        return Counter(name, label, thing, NONE if empty else "", tuple(goods), picks or not empty)

    def _column(self, type_: str, index: str, rows: Rows, area: Area) -> Column:
        """Return the column at one index of a type."""
        mine = area.you or area.owner == TABLE
        pick_state = self.pick_state("value", f"{type_}.{index}") if mine else PickState()
        things = [
            self._thing(area, name, self.names.name(name), row[index], (index,))
            for name, row in rows.items()
            if index in row
        ]
        zones = tuple(thing for thing in things if isinstance(thing, Zone))
        counters = tuple(
            thing
            for thing in things
            if isinstance(thing, Counter)
            and (isinstance(thing.thing, Contents) or (thing.shown and (area.you or thing.text != "0")))
        )
        holds = area.owner == TABLE and any(isinstance(row.get(index), Contents) for row in rows.values())
        shown = bool(holds or pick_state.pick or any(zone.count for zone in zones) or counters)
        return Column(index, self.names.index(index), pick_state, zones, counters, shown)


def _target(part: NamedValue) -> Target:
    """Return where a part lies on the table."""
    core = part.type.core
    if core.kind == "payment":
        return "goods", part.value, ""
    if core.kind == "piece":
        return "piece", part.value.partition(".")[0], part.zone
    if core.kind == "enum":
        return "value", f"{core.name}.{part.value}", ""
    return core.kind, part.value, ""
