"""What a seat has seen happen as rows of numbers, relative to it: what a network with a memory learns from.

Enters: a layout, a seat, entries of the log as that seat saw them (`rulelang.runtime.views`). Leaves: `EventRow`s.
An entry gives a row for each of its pieces and values; so equal redacted entries give equal rows, and
nothing is told that the seat has not seen. Individuals are told by definition: which of several it was the seat sees in
the observation.

| event | its row |
| --- | --- |
| `choice`, `commit` | seat; value: the item of the menu (-1: to pass); subject: the question |
| `argument` | of a choice, a row for each value: seat; piece or value; subject: which argument; before: the part of a
bag or payment that there is `value` of, or the group of a piece |
| `chance` | piece or value; to: the zone in which a piece becomes known |
| `move`, `given` | origin, to, piece; value: 1 where it moves secretly; `given` is where a position begins with it |
| `shows` | to: the zone of which the piece is on top now |
| `set` | value, before; subject: the slot of the observation (`counts`, then `numbers`), of a variable of a piece the
column of its row; of a bag that is counted how much it holds |
| `goods` | origin, to: the slots of the two bags (-1: nobody, or not in the observation); value: how many; before: of
which good, -2 where that is not seen |
| `shuffle` | to |
| `reveal` | piece or value; subject: who learns it, a bit for each distance |
| `begin` | seat; value: 0 a turn, 1 a round, 2 a phase |
| `eliminate` | seat |
| `end` | value: how; before: who won, a bit for each distance |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rulelang.memos import kept_with
from rulelang.runtime.fields import CELL, TOTAL, fields_of
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.relative import clipped, relative_to
from rulelang.runtime.sight import drawn_type
from rulelang.runtime.state import DEFERRALS
from rulelang.vocabulary.operations import TOLD
from rulelang.vocabulary.types import PIECE, Type

EVENT_NAMES = (
    "choice", "commit", "argument", "chance", "move", "shows", "given", "set", "shuffle", "reveal", "begin",
    "eliminate", "end", "goods",
)  # fmt: skip
NONE, UNSEEN = -1, -2
"""There is none; there is one, but the seat does not see which."""
SCOPES = list(DEFERRALS)


class EventRow(NamedTuple):
    """One row. Seats are distances; zones, pieces, values are numbered as in the observation; -1 where there is none.

    Attributes:
        event: the number of its name in `EVENT_NAMES`. origin, to: zones. piece: its definition. The rest see the
            module.
    """

    event: int
    seat: int = NONE
    origin: int = NONE
    to: int = NONE
    piece: int = NONE
    value: int = NONE
    before: int = NONE
    subject: int = NONE


class EventRows:
    """Makes rows of what a seat has seen.

    Args:
        layout: of the game. seat: who has seen it.
    """

    def __init__(self, layout: Layout, seat: int) -> None:
        self.layout, self.relative = layout, relative_to(layout, seat)
        fields = fields_of(layout)
        self._slots = {
            source: at + wide * fields.counts
            for op, wide, at, source, *_ in fields.instructions[seat]
            if op in (CELL, TOTAL)
        }  # fmt: skip

    def of(self, entry: Entry) -> Iterator[EventRow]:
        """Yield the rows of an entry that was redacted for the seat."""
        return _ROWS[entry[0]](self, entry)

    # ---- parts

    def _seat(self, party: int) -> int:
        return self.relative.parties[party] if party >= 0 else NONE

    def _zone(self, zone: int) -> int:
        return self.relative.zones[zone] if zone >= 0 else NONE

    def _piece(self, piece: int | None) -> int:
        seen = piece is not None and piece >= 0
        return self.relative.number(PIECE, piece) if seen and piece is not None else UNSEEN

    def _parties(self, parties: Iterable[int]) -> int:
        return sum(1 << self.relative.parties[party] for party in parties)

    def _values(self, type_: Type, value: Any, before: int = NONE) -> Iterator[dict[str, int]]:
        """Yield piece or value of each scalar in a value; of a part of a bag, payment or group of which it is one."""
        if value is None:
            yield {"piece" if type_.core.kind == "piece" else "value": UNSEEN, "before": before}
        elif type_.kind in ("set", "seats"):
            groups = type_.inner.kind == "set"
            for place, part in enumerate(value):
                yield from self._values(type_.inner, part, place if groups else before)
        elif not type_.scalar:
            for place, amount in enumerate(value):
                if amount:
                    yield {"value": amount, "before": place}
        elif type_.present.kind == "piece":
            yield {"piece": self._piece(value) if value >= 0 else NONE, "before": before}
        elif type_.present.kind == "reaction":
            piece = (value & REACTION_MASK) - 1
            yield {"piece": self._piece(piece) if piece >= 0 else NONE, "value": value >> REACTION_SHIFT}
        else:
            yield {"value": self.relative.cell(type_, False, NONE + 1, value), "before": before}

    # ---- entries

    def _choice(self, entry: Entry) -> Iterator[EventRow]:
        _, _, party, number, item, values, *_ = entry
        decision, seat = self.layout.program.decisions[number], self._seat(party)
        passes = decision.passes(item, values)
        yield _row("choice", seat=seat, value=NONE if passes else item, subject=number)
        for place, (binder, value) in enumerate(() if passes else decision.bound(item, values)):
            parts = [*self._values(binder.type, value)]
            if binder.type.core.kind == "piece":  # in which order they were chosen tells nothing
                parts.sort(key=lambda part: (part["before"], part["piece"]))
            for part in parts:
                yield _row("argument", seat=seat, subject=place, **part)

    def _chance(self, entry: Entry) -> Iterator[EventRow]:
        _, _, kind, value, *more = entry
        if kind not in TOLD:
            yield _row("chance", to=self._zone(more[0]), piece=self._piece(value & ITEM_MASK))
            return
        for part in self._values(drawn_type(self.layout, entry), value):
            yield _row("chance", **part)

    def _move(self, entry: Entry) -> Iterator[EventRow]:
        _, _, origin, to, items, secretly, *shows = entry
        for item in items:
            yield _row(
                "move", self._zone(origin), to=self._zone(to), piece=self._piece(item), value=int(bool(secretly))
            )
        for item in shows:
            if item is not None:
                yield _row("shows", to=self._zone(origin), piece=self._piece(item))

    def _given(self, entry: Entry) -> Iterator[EventRow]:
        _, _, zone, contents = entry
        pieces = [self._piece(item) for item in contents]
        for piece in pieces[::-1] if self.layout.inst_kept[zone] else sorted(pieces):
            yield _row("given", to=self._zone(zone), piece=piece)

    def _set(self, entry: Entry) -> Iterator[EventRow]:
        event, _, number, cell, old, new = entry
        program = self.layout.program
        table = program.variables[number] if event == "set" else program.piece_variables[number]
        value, before = (self.relative.cell(table.type, table.mark, table.low, each) for each in (new, old))
        if event == "set":
            yield _row("set", value=value, before=before, subject=self._slots.get(cell, NONE))
            return
        item = self.layout.cell_place[cell][2]
        kind = program.kinds[self.layout.item_kind[item]]
        cells = [each for of in kind.variables for each in self.layout.variable_cells_of(of, item)]
        yield _row("set", piece=self._piece(item), value=value, before=before, subject=1 + cells.index(cell))

    def _size(self, entry: Entry) -> Iterator[EventRow]:
        _, _, _, cell, old, new = entry
        yield _row("set", value=new, before=old, subject=self._slots.get(cell, NONE))

    def _goods(self, entry: Entry) -> Iterator[EventRow]:
        _, _, origin, to, counts, size = entry
        parts = [(UNSEEN, size)] if counts is None else [(good, n) for good, n in enumerate(counts) if n]
        for good, amount in parts:
            bags = {"origin": self._slots.get(origin, NONE), "to": self._slots.get(to, NONE)}
            yield _row("goods", **bags, value=amount, before=good)

    def _reveal(self, entry: Entry) -> Iterator[EventRow]:
        _, _, type_, value, seats, _ = entry
        for part in self._values(type_, value):
            yield _row("reveal", **part | {"subject": self._parties(seats)})

    def _end(self, entry: Entry) -> Iterator[EventRow]:
        _, _, over, winners = entry
        won = [party for party in range(self.layout.parties) if winners >> party & 1]
        yield _row("end", value=over, before=self._parties(won))


def _row(event: str, origin: int = NONE, **numbers: int) -> EventRow:
    """Return a row, its numbers within 32 bits."""
    within = {name: clipped(number) for name, number in numbers.items()}
    return EventRow(EVENT_NAMES.index(event), origin=origin, **within)


_ROWS: dict[str, Callable[[EventRows, Entry], Iterator[EventRow]]] = {
    "choice": EventRows._choice,
    "commit": lambda rows, entry: iter([_row("commit", seat=rows._seat(entry[2]), subject=entry[3])]),
    "chance": EventRows._chance,
    "move": EventRows._move,
    "given": EventRows._given,
    "set": EventRows._set,
    "pset": EventRows._set,
    "size": EventRows._size,
    "goods": EventRows._goods,
    "shuffle": lambda rows, entry: iter([_row("shuffle", to=rows._zone(entry[2]))]),
    "reveal": EventRows._reveal,
    "begin": lambda rows, entry: iter([_row("begin", seat=rows._seat(entry[3]), value=SCOPES.index(entry[2]))]),
    "eliminate": lambda rows, entry: iter([_row("eliminate", seat=rows._seat(entry[2]))]),
    "end": EventRows._end,
}
"""Type of entry -> its rows."""


@kept_with
def event_rows_of(layout: Layout, seat: int) -> EventRows:
    """Return the memoised maker of rows of a seat."""
    return EventRows(layout, seat)
