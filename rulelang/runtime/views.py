"""What a seat sees, as JSON-able values: the state now, its events, and all that it ever learnt.

Enters: a state, a seat. Leaves: `observation`, `events`, `information_state`. All of it follows from the declared
visibility of zones and variables (see `rulelang.runtime.sight`); automata have no views.

Values: numbers; true and false; words for enumerated types, cells and directions; numbers for seats (an automaton by
its name); the definition's id for a piece; null for what is absent and for a piece that is not seen; `{resource:
count}` for bags; lists for collections.

A seat's events are numbered in the order in which that seat learns of them: a number never tells how much went on
unseen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from rulelang.diagnostics import UsageError
from rulelang.ir.nodes import Choose, Decision
from rulelang.ir.program import VariableTable
from rulelang.memos import kept_with
from rulelang.runtime.knowledge import Knowledge, Known, items_of_sorts, may_know, shown_places
from rulelang.runtime.layout import Layout
from rulelang.runtime.lazy_lists import unread
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.names import enum_names, item_text, value_text, zone_text
from rulelang.runtime.sight import (
    ALL,
    NOTHING,
    OMNISCIENT,
    SPECTATOR,
    TOP,
    UNKNOWN,
    Redactor,
    Sight,
    Sighting,
    bag_type,
    drawn_type,
    seen_pieces,
    sees_piece,
    sight_of,
)
from rulelang.runtime.state import DECLARED, SCORED, TIED, State
from rulelang.vocabulary.operations import NUMBERS, TOLD
from rulelang.vocabulary.types import ABSENT_NUMBER, Type

Json = dict[str, Any]

OUTCOMES = {SCORED: "scored", DECLARED: "declared", TIED: "drawn"}


def _sight(state: State, seat: int) -> Sight:
    """Return what a seat sees; raise UsageError for a seat that the game does not have."""
    if not 0 <= seat < state.layout.players and seat not in (SPECTATOR, OMNISCIENT):
        raise UsageError(f"there is no seat {seat}: seats are 0 to {state.layout.players - 1}")
    return sight_of(state.layout, seat, state)


# ---- values ----------------------------------------------------------------------------------------


def value_json(layout: Layout, type_: Type, value: Any) -> Any:
    """Return a run-time value as JSON; None (not seen) stays null."""
    if value is None:
        return None
    if type_.kind == "opt":
        return None if value == type_.absent else value_json(layout, type_.inner, value)
    if type_.kind in ("set", "seats"):
        return [value_json(layout, type_.inner, part) for part in value]
    sort, name = type_.kind, type_.name
    if sort == "bag":
        return dict(zip(enum_names(layout, name), value, strict=True))
    if sort == "bool":
        return bool(value)
    if sort == "int":
        return None if value == ABSENT_NUMBER else value
    if sort in ("purse", "void"):
        return value
    if sort == "seat":
        return None if value < 0 else value if value < layout.players else layout.party_names[value]
    if sort in ("enum", "cell", "dir", "zone", "piece") and value < 0:
        return None
    return value_text(layout, type_, value)


def _in_order(values: Iterable[Any]) -> list[Any]:
    """Return texts sorted, nulls last."""
    return sorted(values, key=lambda value: (value is None, str(value)))


def _variable_json(state: State, type_: Type, cell: int, width: int, mark: bool) -> Any:
    """Return the value of a variable of `width` cells as JSON; of a mark whether it is set."""
    if mark:
        return state.v[cell] != 0
    value: Any = tuple(state.v[cell : cell + width]) if type_.kind == "bag" else state.v[cell]
    return value_json(state.layout, type_, value)


def _indexed(layout: Layout, name: str, index: Sequence[Type], place: int) -> str:
    """Return the text of a variable with its index, such as `coins[1]`; `place`: row-major position of the index."""
    parts = []
    for type_ in reversed(index):
        place, index_value = divmod(place, layout.size(type_))
        parts.append(value_text(layout, type_, index_value))
    return f"{name}[{','.join(reversed(parts))}]" if parts else name


# ---- the state now ---------------------------------------------------------------------------------


def observation(
    state: State,
    seat: int,
    current: Sequence[int] = (),
    scores: Sequence[int] | None = None,
    readings: Readings | None = None,
) -> Json:
    """Return what the seat sees now, and with `readings` what it knows of places that it doesn't see.

    Args:
        current: the seats that are to choose. scores: by party, given once the game is over. readings: caches what
            seats have read of the log.

    Raises:
        UsageError: the game has no such seat.
    """
    sight = _sight(state, seat)
    layout = state.layout
    view: Json = {
        "ruleset": layout.program.name,
        "options": layout.option_values(),
        "players": layout.players,
        "seat": seat,
        "current": list(current),
        "asked": _asked(state, sight.seat if sight.seat in current else None),
        "turn": state.turns,
        "eliminated": [party for party in range(layout.parties) if state.out >> party & 1],
        "over": state.over != 0,
        "zones": _zones(state, sight),
        "variables": _variables(state, sight),
    }
    if sight.sizes:
        view["sizes"] = _sizes(state, sight)
    if layout.program.piece_variables:
        view["pieces"] = _pieces(state, sight)
    if readings is not None and may_know(layout) and any(known := readings.known(state, seat)):
        view["known"] = _known(layout, known)
    if state.over:
        view["outcome"] = OUTCOMES[state.over]
        if scores is not None:
            view["scores"] = list(scores)
        if state.over == DECLARED:
            view["winners"] = [party for party in range(layout.parties) if state.winners >> party & 1]
    return view


def _asked(state: State, seat: int | None) -> Json | None:
    """Return where the pending question stands, which all seats know, and to one that is asked its arguments; None
    where nobody is asked."""
    number = state.pending_question()
    if number < 0:
        return None
    layout, decision = state.layout, state.layout.program.decisions[number]
    asked: Json = {"question": number, **_place(layout, decision.site)}
    if seat is not None:
        bound = question_arguments(state, decision, seat)
        asked["arguments"] = {name: _argument(layout, type_, value) for name, (type_, value) in bound.items()}
    return asked


def question_arguments(state: State, decision: Decision, reader: int | None) -> dict[str, tuple[Type, Any]]:
    """Return what the rule that asks was given and still needs, by its parameters, but for those that its question must
    not tell; None for a piece, also in a collection, that the reader (None: everybody) does not see."""
    number, block, values, _ = state.frames[-1]
    procedure = state.layout.program.procedures[number]
    if number != decision.procedure or not isinstance(procedure.blocks[block].terminator, Choose):
        return {}

    def shown(type_: Type, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [shown(type_.inner, member) for member in value]
        if reader is None or type_.core.kind != "piece" or value < 0:
            return value
        return value if sees_piece(state, sight_of(state.layout, reader, state), value) else None

    return {
        procedure.local_names[slot]: (type_, shown(type_, values[slot]) if type_.core.kind == "piece" else values[slot])
        for slot in procedure.blocks[block].live
        if slot < procedure.parameters and procedure.local_names[slot] not in decision.untold
        for type_ in (procedure.locals[slot],)
    }


def _place(layout: Layout, site: int) -> Json:
    """Return rule, file and line of a site."""
    where = layout.program.sites[site]
    return {"rule": where.rule, "file": where.path, "line": where.line}


def _zones(state: State, sight: Sight) -> Json:
    """Return the zones that a seat sees: number of pieces, and the pieces or the top one."""
    layout = state.layout
    zones: Json = {}
    for zone, (contents, seen) in enumerate(zip(state.z, sight.zones, strict=True)):
        if seen == NOTHING:
            continue
        view: Json = {"count": len(contents)}
        if seen == ALL:
            names = [None if item < 0 else item_text(layout, item) for item in contents]
            view["pieces"] = names[::-1] if layout.inst_kept[zone] else _in_order(names)
        elif seen == TOP:
            view["top"] = item_text(layout, contents[-1]) if contents and contents[-1] >= 0 else None
        zones[zone_text(layout, zone)] = view
    return zones


def _variables(state: State, sight: Sight) -> Json:
    """Return the variables that a seat sees, by name with index."""
    return {name: _seen_value(state, sight, table, cell, width) for name, table, cell, width in _shown_variables(sight)}


def _known(layout: Layout, known: Known) -> Json:
    """Return what is known of places that are not seen, by zone and variable; of a pile the top first, null for what is
    not known."""
    pieces, values = known
    item_of = items_of_sorts(layout)
    zones: Json = {}
    for zone, sorts in sorted(pieces.items()):
        names = [None if sort == UNKNOWN else item_text(layout, item_of[sort]) for sort in sorts]
        zones[zone_text(layout, zone)] = names if layout.inst_kept[zone] else sorted(map(str, names))
    variables = {purse_text(layout, cell): value_json(layout, *typed) for cell, typed in sorted(values.items())}
    return {"zones": zones, "variables": variables}


def _sizes(state: State, sight: Sight) -> dict[str, int]:
    """Return how many goods there are in the bags that a seat may count, but doesn't see."""
    return {purse_text(state.layout, cell): sum(state.v[cell : cell + width]) for cell, width in sight.sizes.items()}


def purse_text(layout: Layout, cell: int) -> str:
    """Return the text of a bag by its first cell: a variable with its index, or that of a piece."""
    is_piece, number, item = layout.cell_place[cell]
    if is_piece:
        return f"{item_text(layout, item)}.{layout.program.piece_variables[number].name}"
    table = layout.program.variables[number]
    return _indexed(layout, table.name, table.index, (cell - layout.var_base[number]) // layout.var_width[number])


@kept_with
def _shown_variables(sight: Sight) -> list[tuple[str, VariableTable, int, int]]:
    """Return the variables that a seat sees: name with index, table, first cell, width."""
    layout, shown_cells = sight.layout, []
    shown = set(sight.shown)
    for number, table in enumerate(layout.program.variables):
        width = layout.var_width[number]
        for place, cell in enumerate(layout.cells_of_variable(number)[:: max(width, 1)]):
            if cell in shown:
                shown_cells.append((_indexed(layout, table.name, table.index, place), table, cell, width))
    return shown_cells


def _seen_value(state: State, sight: Sight, table: VariableTable, cell: int, width: int) -> Any:
    """Return a variable's value as JSON; a reference to one of several like pieces has its zone, if the seat sees it
    there."""
    value = state.v[cell]
    if table.type.core.kind == "piece" and value >= 0:
        located = state.layout.refers(table.type) and sees_piece(state, sight, value)
        zone = f"@{zone_text(state.layout, state.where[value])}" if located else ""
        return item_text(state.layout, value) + zone
    return _variable_json(state, table.type, cell, width, table.mark)


def _pieces(state: State, sight: Sight) -> list[Json]:
    """Return the pieces that a seat sees with their variables that it sees, in order of zone, name and values."""
    layout, tables = state.layout, state.layout.program.piece_variables
    rows = []
    for item, zone in seen_pieces(state, sight):
        shown = [n for n in layout.program.kinds[layout.item_kind[item]].variables if sight.piece_cell(n, item, zone)]
        values = {
            tables[n].name: _seen_value(state, sight, tables[n], layout.pvar_cell(n, item), layout.pvar_width[n])
            for n in shown
        }
        if values:
            rows.append((zone, item_text(layout, item), str(values), values))
    if layout.items:
        rows.sort(key=lambda row: row[:3])
    return [{"piece": name, "zone": zone_text(layout, zone), "variables": values} for zone, name, _, values in rows]


# ---- events ----------------------------------------------------------------------------------------


def events(state: State, seat: int | None = None, since: int = 0) -> list[Json]:
    """Return the events as the seat learnt of them, without words; None: all events.

    Args:
        since: leaves out the events before this number of the same list.
    """
    return [plain_event(state.layout, entry, number) for number, entry in entries(state, seat, since)]


class Readings:
    """A cache of what seats have read of a growing log: each entry is redacted once. Logs with a common prefix share
    it."""

    def __init__(self) -> None:
        self._seats: dict[int, _Reading] = {}

    def _of(self, state: State, seat: int) -> _Reading:
        """Return what a seat has read, the state's log among it."""
        reading = self._seats.get(seat)
        sees_else = reading is not None and reading.redactor.sight is not _sight(state, seat)
        if reading is None or sees_else or not reading.read(state.log):
            first = state.log.first()
            reading = self._seats[seat] = _Reading(Redactor(_sight(state, seat), first.opening), first)
            reading.read(state.log)
        return reading

    def count(self, state: State, seat: int, length: int | None = None) -> int:
        """Return how many of the first `length` log entries (None: of all) the seat saw."""
        return self._of(state, seat).counts[len(state.log) if length is None else length]

    def entries(self, state: State, seat: int, since: int = 0) -> list[tuple[int, Entry]]:
        """Return the entries that the seat saw, from its number `since` on, with their numbers."""
        count, since = self.count(state, seat), max(since, 0)
        return list(enumerate(self._seats[seat].seen[since:count], since))

    def events(self, state: State, seat: int) -> list[Json]:
        """Return the events as the seat learnt of them, without words."""
        reading = self._of(state, seat)
        return reading.events(reading.counts[len(state.log)])

    def known(self, state: State, seat: int) -> Known:
        """Return what the seat knows of places that it doesn't see."""
        return self._of(state, seat).known_at(len(state.log))

    def sightings(self, state: State, seat: int) -> list[Json]:
        """Return the pieces that the seat saw come into sight, move or be chosen, each with its variables then and the
        number of its events before that."""
        reading = self._of(state, seat)
        return reading.sightings.copies(reading.sighted[len(state.log)])


class _Rows:
    """JSON objects of which copies are given out, which may be changed; `nested`: the keys of each whose values may."""

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self._nested: list[list[str]] = []

    def append(self, row: Json) -> None:
        """Append an object."""
        self.rows.append(row)
        self._nested.append([key for key, value in row.items() if value.__class__ not in _PLAIN])

    def copies(self, count: int) -> list[Json]:
        """Return copies of the first objects."""
        copies = [row.copy() for row in self.rows[:count]]
        for row, keys in zip(copies, self._nested, strict=False):
            for key in keys:
                value = row[key]
                row[key] = _copy(value)
        return copies


def _copy(value: Any) -> Any:
    """Return a copy of a JSON value."""
    if isinstance(value, list):
        return [part if part.__class__ in _PLAIN else _copy(part) for part in value]
    if isinstance(value, dict):
        return {key: part if part.__class__ in _PLAIN else _copy(part) for key, part in value.items()}
    return value


_PLAIN = frozenset((int, str, bool, type(None)))
"""The types of JSON values that nobody can change."""


class _Reading:
    """The log up to `log` as one seat saw it.

    Attributes:
        seen: the entries. counts, sighted: by length of the log, how many the seat had seen, and how many sightings it
            had had. sightings: these (see `Readings.sightings`). known: what it knew of places that it doesn't see, and
            from which length of the log on.
    """

    def __init__(self, redactor: Redactor, log: Log) -> None:
        self.redactor, self.log = redactor, log
        self._knowledge = Knowledge(redactor.sight, log.opening) if may_know(redactor.layout) else None
        self.known: list[tuple[int, Known]] = [(0, ({}, {}))]
        self.seen: list[Entry] = []
        self._events, self.sightings = _Rows(), _Rows()
        self.counts, self.sighted = [0], [0]

    def read(self, log: Log) -> bool:
        """Redact the new entries of a log; return False if neither log is a prefix of the other."""
        short, long = (log, self.log) if len(log) < len(self.log) else (self.log, log)
        if long.back_to(len(short)) is not short:
            return False
        for entry in log.since(len(self.log)):
            seen = self.redactor.see(entry)
            for sighting in self.redactor.sightings:
                told = {"events": len(self.seen)} | sighting_json(self.redactor.layout, sighting)
                self.sightings.append(told)
            if seen is not None:
                self.seen.append(seen)
                if self._knowledge is not None and self._knowledge.note(seen, self.redactor.where):
                    self.known.append((len(self.counts), self._knowledge.known()))
            self.counts.append(len(self.seen))
            self.sighted.append(len(self.sightings.rows))
        if len(log) > len(self.log):
            self.log = log
        return True

    def known_at(self, length: int) -> Known:
        """Return what was known when the log was so long."""
        return self.known[bisect_right(self.known, length, key=itemgetter(0)) - 1][1]

    def events(self, count: int) -> list[Json]:
        """Return the first events, without words; each is made once."""
        for number in range(len(self._events.rows), count):
            self._events.append(plain_event(self.redactor.layout, self.seen[number], number))
        return self._events.copies(count)


def entries(
    state: State, seat: int | None = None, since: int = 0, readings: Readings | None = None
) -> list[tuple[int, Entry]]:
    """Return the entries of the log as the seat (None: everybody) saw them, from number `since` on, with their numbers.

    Args:
        readings: caches what seats have read of the log.
    """
    if seat is None:
        return list(enumerate(state.log.since(max(since, 0)), max(since, 0)))
    return (readings or Readings()).entries(state, seat, since)


def entry_count(
    state: State, seat: int | None = None, readings: Readings | None = None, length: int | None = None
) -> int:
    """Return how many of the first `length` log entries (None: of all) the seat saw; seat None: their number, at no
    cost."""
    if seat is None:
        return len(state.log) if length is None else length
    return (readings or Readings()).count(state, seat, length)


def information_state(
    state: State,
    seat: int,
    current: Sequence[int] = (),
    scores: Sequence[int] | None = None,
    readings: Readings | None = None,
) -> Json:
    """Return all that the seat has seen and done: its observation, its events in order (own choices among them), what
    the variables of pieces were as it saw them move or be chosen, and what it committed to in an incomplete `together`.
    The lists are made when they are looked at; the state must not be changed before.

    Args:
        current, scores: as for `observation`. readings: caches what seats have read of the log.
    """
    readings = readings or Readings()
    view: Json = {
        "observation": observation(state, seat, current, scores, readings),
        "events": unread(lambda: readings.events(state, seat)),
    }
    if state.layout.pvar_base:
        view["sightings"] = unread(lambda: readings.sightings(state, seat))
    committed = _committed(state, seat)
    if committed is not None:
        view["committed"] = committed
    return view


def sighting_json(layout: Layout, sighting: Sighting) -> Json:
    """Return a piece that came into sight and its variables."""
    item, cells = sighting
    values: dict[int, list[int]] = {}
    for cell, value in cells:
        values.setdefault(layout.cell_place[cell][1], []).append(value)
    tables = layout.program.piece_variables
    variables = {
        tables[n].name: value[0] != 0 if tables[n].mark
        else value_json(layout, tables[n].type, tuple(value) if tables[n].type.kind == "bag" else value[0])
        for n, value in values.items()
    }  # fmt: skip
    return {"piece": item_text(layout, item), "variables": variables}


def _committed(state: State, seat: int) -> Any:
    """Return what the seat chose in a `together` that is not complete; None without one, for an eliminated seat and for
    a spectator."""
    decision = state.pending_decision()
    if decision is None or not decision.together or seat == SPECTATOR or state.out >> seat & 1:
        return None
    collected = state.frames[-1][2][decision.result_slot]
    value = collected[seat] if isinstance(collected, list) else None
    return None if value is None else value_json(state.layout, decision.items[0].binders[0].type, value)


def told_by(layout: Layout, entry: Entry) -> str:
    """Return the variable or mark that an entry of the log changes, of a piece as `Kind.name`, or the rule that tells
    with it whether something is so; empty for other entries."""
    sort, number = (entry[2], entry[3]) if entry[0] == "bag" else (entry[0], entry[2] if len(entry) > 2 else 0)
    if sort in ("set", "size"):
        return layout.program.variables[number].name
    if sort == "pset":
        kind = layout.program.kinds[layout.pvar_kind[number]].name
        return f"{kind}.{layout.program.piece_variables[number].name}"
    return layout.program.sites[entry[1]].rule if sort == "reveal" and entry[2] == "bool" else ""


def plain_event(layout: Layout, entry: Entry, number: int) -> Json:
    """Return one entry of the log as a structured event without words.

    It has the rule that did it, with file, line and citations; `card` is the row whose rule text that is, if any.

    Args:
        number: index of the event in the reader's list.
    """
    event, site = entry[0], entry[1]
    if event == "choice" and entry[4] >= 0:
        # The item of a menu says more exactly where a choice comes from.
        site = layout.program.decisions[entry[3]].items[entry[4]].site
    event_json: Json = {"index": number, "type": event}
    if 0 <= site < len(layout.program.sites):
        where = layout.program.sites[site]
        event_json.update(_place(layout, site), cites=list(where.citations))
        if where.piece:
            event_json["card"] = where.piece
    else:
        event_json.update(rule="", file="", line=0, cites=[])
    event_json.update(_PARTS[event](layout, entry))
    return event_json


def _choice(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a choice: seat, menu item, arguments, and the pieces that the decision is about."""
    _, _, seat, number, item, values, *about = entry
    decision = layout.program.decisions[number]
    passes = decision.passes(item, values)
    bound = decision.bound(-1 if passes else item, values)
    arguments = {binder.name: _argument(layout, binder.type, value) for binder, value in bound}
    name = "pass" if passes else decision.items[item].name or decision.rule
    choice: Json = {"seat": seat, "question": number, "item": name, "arguments": arguments}
    if about:
        asking = layout.program.procedures[decision.procedure]
        choice["about"] = {
            asking.local_names[slot]: _argument(layout, asking.locals[slot], piece)
            for slot, piece in zip(layout.subjects[number], about[0], strict=True)
        }
    return choice


def _argument(layout: Layout, type_: Type, value: Any) -> Any:
    """Return an argument as JSON; payments as text, collections of pieces sorted."""
    if type_.kind == "payment":
        return value_text(layout, type_, value)
    argument = value_json(layout, type_, value)
    if type_.kind == type_.inner.kind == "set":
        return [_in_order(group) for group in argument]
    return _in_order(argument) if type_.core.kind == "piece" and isinstance(argument, list) else argument


def _chance(layout: Layout, entry: Entry) -> Json:
    """Return the fields of an outcome."""
    _, _, kind, value, *more = entry
    if kind not in TOLD:
        return {"chance": "piece", "value": item_text(layout, value), "zone": zone_text(layout, more[0])}
    if kind in NUMBERS:
        return {"chance": "number", "value": value}
    return {"chance": "element", "value": value_json(layout, drawn_type(layout, entry), value)}


def _move(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a move; `shows` is the piece now seen on top of the zone left."""
    _, _, origin, destination, items, secretly, *rest = entry
    names = [None if item is None or item < 0 else item_text(layout, item) for item in items]
    move: Json = {
        "from": zone_text(layout, origin) if origin >= 0 else None,
        "to": zone_text(layout, destination) if destination >= 0 else None,
        "count": len(items),
        "pieces": names,
        "secretly": bool(secretly),
    }
    if rest and rest[0] is not None:
        move["shows"] = item_text(layout, rest[0])
    return move


def _given(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a zone in a given position."""
    _, _, zone, contents = entry
    names = [None if item is None or item < 0 else item_text(layout, item) for item in contents]
    pieces = names[::-1] if layout.inst_kept[zone] else _in_order(names)
    return {"zone": zone_text(layout, zone), "count": len(names), "pieces": pieces}


def _set(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a change of a variable."""
    _, _, number, cell, old, new = entry
    table = layout.program.variables[number]
    place, part = divmod(cell - layout.var_base[number], layout.var_width[number])
    change: Json = {"variable": _indexed(layout, table.name, table.index, place)}
    return change | _change(layout, table.type, table.mark, part, old, new)


def _pset(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a change of a piece's variable."""
    _, _, number, cell, old, new = entry
    table = layout.program.piece_variables[number]
    item = layout.cell_place[cell][2]
    change: Json = {"variable": table.name, "piece": item_text(layout, item)}
    return change | _change(layout, table.type, table.mark, cell - layout.pvar_cell(number, item), old, new)


def _goods(layout: Layout, entry: Entry) -> Json:
    """Return the fields of goods that move: null for nobody, to whom they are paid, and for goods that are not seen."""
    _, _, origin, destination, counts, size = entry
    names = enum_names(layout, bag_type(layout, origin).name)
    return {
        "from": purse_text(layout, origin),
        "to": purse_text(layout, destination) if destination >= 0 else None,
        "count": size,
        "goods": None if counts is None else dict(zip(names, counts, strict=True)),
    }


def _bag(layout: Layout, entry: Entry) -> Json:
    """Return the change of one bag: its name, and the piece that has it, with a list of `resource`, `old` and `new`."""
    _, site, event, number, cell, parts = entry
    rows = [_PARTS[event](layout, (event, site, number, cell + part, old, new)) for part, old, new in parts]
    changes = [{name: row.pop(name) for name in ("resource", "old", "new")} for row in rows]
    return {**rows[0], "changes": changes}


def _change(layout: Layout, type_: Type, mark: bool, part: int, old: int, new: int) -> Json:
    """Return old and new value of a change, of a bag those of one resource."""
    if type_.kind == "bag":
        return {"resource": enum_names(layout, type_.name)[part], "old": old, "new": new}
    if mark:
        return {"old": old != 0, "new": new != 0}
    return {"old": value_json(layout, type_, old), "new": value_json(layout, type_, new)}


def _reveal(layout: Layout, entry: Entry) -> Json:
    """Return the fields of a revealed value: where it lies only if that is told."""
    _, site, type_, value, seats, index = entry
    told = {"value": value_json(layout, type_, value), "seats": list(seats)}
    shown = shown_places(layout).get(site)
    if shown is None or shown.chosen or index is None:
        return told
    if shown.table == "zone":
        return told | {"of": zone_text(layout, layout.zone_instance(shown.number, index))}
    return told | {"of": purse_text(layout, layout.variable_cell(shown.number, index))}


def _end_of_game(layout: Layout, entry: Entry) -> Json:
    """Return the fields of the end of a game."""
    _, _, over, winners = entry
    end: Json = {"outcome": OUTCOMES[over]}
    if over == DECLARED:
        end["winners"] = [party for party in range(layout.parties) if winners >> party & 1]
    return end


_PARTS = {
    "choice": _choice,
    "commit": lambda layout, entry: {"seat": entry[2], "question": entry[3]},
    "chance": _chance,
    "move": _move,
    "moves": lambda layout, entry: {"moves": [_move(layout, move) for move in entry[2]]},
    "given": _given,
    "set": _set,
    "pset": _pset,
    "bag": _bag,
    "size": lambda layout, entry: {"variable": purse_text(layout, entry[3]), "old": entry[4], "new": entry[5]},
    "goods": _goods,
    "shuffle": lambda layout, entry: {"zone": zone_text(layout, entry[2])},
    "reveal": _reveal,
    "begin": lambda layout, entry: {"scope": entry[2], "seat": entry[3] if entry[3] >= 0 else None},
    "eliminate": lambda layout, entry: {"seat": entry[2]},
    "end": _end_of_game,
}
"""Type of entry -> the fields of its event beside index, type, rule, file, line and cites."""
