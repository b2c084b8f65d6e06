"""Who sees what: zones, variables, and what of each entry of the log a seat learns.

Enters: a layout, a seat, log entries in order. Leaves: `Sight` (fixed for a game) and `Redactor`, which turns a log
entry into what the seat sees of it, or None for nothing.

A redacted entry has the shape of the log's, with these differences: what the seat does not see is None (a zone -1),
and a move says which piece the seat now sees on top of the zone that it left. Individuals of one definition are not
told apart by name.

 - A *move* is seen as well as the better seen of its two ends at that time (`secretly`: as well as where it goes),
   and not at all when neither end's size is known to the seat.
 - A *choice* is seen whole by its seat; others see it but for the pieces that lie where they don't see them; of
   a secret one they see that the seat has made it (`commit`). So all know who was asked, by which rule, how often.
 - A *variable* that changes is seen by those who see it; a piece's variable by those who see the piece too. Of a bag
   that a seat may count alone it sees how many it holds.
 - *Goods* that move are seen by those who see one of the purses, and what is paid to nobody by all; others who may
   count one of them see how many.
 - What is *given* in a zone, where a game begins in a given position, is seen as the zone is.
 - A *chance outcome* that is a piece is seen by those who see the piece where it lies. A number or another value is
   seen by those who see what it is drawn from, unless it goes straight into a variable that not all see: then it is
   seen as that variable's change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rulelang.ir.nodes import Binder, Chance, Expr, Jump, Procedure, Statement
from rulelang.ir.program import Program, VariableTable, ZoneTable
from rulelang.ir.walk import index as row_of
from rulelang.ir.walk import local_reads, operands, outermost, subexpressions
from rulelang.memos import kept_with
from rulelang.runtime.constants import NotConstantError, constant
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, ZONE_SHIFT, Layout, members
from rulelang.runtime.log import Entry
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import ASSIGNMENTS, TOLD
from rulelang.vocabulary.types import INT, PIECE, SEAT, Type
from rulelang.vocabulary.views import ViewRule

NOTHING, COUNT, TOP, ALL = range(4)
"""Visibility of a zone: nothing, the number of pieces, that and the top piece, all pieces."""

UNKNOWN = -1
"""An unknown piece in a redactor's copy of a pile."""

SPECTATOR = -2
"""The seat of a spectator: neither an owner nor one of the others, it sees what everybody sees."""

OMNISCIENT = -3
"""The seat of whoever writes the rules, who sees everything that lies anywhere."""


def place_of(layout: Layout, where: list[int], piece: int) -> int:
    """Return the zone instance of a piece: from its handle, or for an individual from `where` (-1: not known)."""
    item = piece & ITEM_MASK
    return where[item] if layout.program.kinds[layout.item_kind[item]].identity else piece >> ZONE_SHIFT


def sees_variable(view: ViewRule, owner: int, seat: int) -> bool:
    """Return whether a seat sees a variable.

    Args:
        view: who sees it. owner: the party that it belongs to, -1 for none.
    """
    if view.public or seat == OMNISCIENT:
        return True
    return owner >= 0 and seat != SPECTATOR and (view.own if owner == seat else view.others)


def variable_owner(layout: Layout, table: VariableTable, number: int, cell: int) -> int:
    """Return the party that a cell of an indexed variable belongs to; -1 for none."""
    if "seat" not in table.index:
        return -1
    axis = table.index.index("seat")
    return (cell - layout.var_base[number]) // layout.var_strides[number][axis] % layout.size(SEAT)


class Sight:
    """What one seat sees, as far as it is fixed for a game.

    Attributes:
        zones: by zone instance, NOTHING to ALL. tops: zones of which the top is seen. cells: by cell of `State.v`,
            whether it is seen (for piece variables never, see `piece_cell`). shown: the cells seen.
        settled: the values of `settled_cells`; None where they are not known: then what hangs on them is not seen.
        sizes: first cell -> number of cells, of the bags that the seat may count, but doesn't see.
        private: (site, kind) of chance nodes whose value goes straight into a variable that not all see.
        knows_subjects: whether nothing is chosen or drawn in secret, so that of each decision of others the seat may
            know which of the pieces that it sees it is about.
        elements: site of a chance node over a set -> the type of what it draws.
        below: sites whose moves go to the bottom, or to either end.
    """

    def __init__(self, layout: Layout, seat: int, settled: tuple[int, ...] | None = None) -> None:
        self.layout = layout
        self.seat = seat
        self.settled = dict(zip(settled_cells(layout, seat), settled, strict=True)) if settled is not None else {}
        self.zones = [self._zone_visibility(zone) for zone in range(len(layout.inst_zone))]
        self.tops = [zone for zone, sight in enumerate(self.zones) if sight == TOP]
        self.cells = [False] * len(layout.start_v)
        for cell, (of_piece, number, _) in enumerate(layout.cell_place):
            if not of_piece:
                table = layout.program.variables[number]
                owner = variable_owner(layout, table, number, cell)
                self.cells[cell] = not table.internal and self._sees(table, owner)
        self.shown = [cell for cell, seen in enumerate(self.cells) if seen]
        self.sizes = {
            cell: layout.var_width[number]
            for number, table in enumerate(layout.program.variables)
            for cell in layout.cells_of_variable(number)[:: max(layout.var_width[number], 1)]
            if table.type.kind == "bag" and not self.cells[cell]
            if sees_variable(table.view.counted, variable_owner(layout, table, number, cell), seat)
        }
        self.private = private_draws(layout.program)
        secretly = any(decision.secret for decision in layout.program.decisions)
        partly = any(chance.seers is not None for _, chance in _chances(layout.program))
        self.knows_subjects = not (self.private or secretly or partly)
        self.elements = element_types(layout.program)
        self.below = {
            statement.site
            for procedure in layout.program.procedures
            for block in procedure.blocks
            for statement in block.statements
            if statement.op in ("move", "move_slots") and "bottom" in statement.args
        }

    def _zone_visibility(self, zone: int) -> int:
        """Return the visibility of a zone instance."""
        view = self.layout.program.zones[self.layout.inst_zone[zone]].view
        if self._sees(self.layout.program.zones[self.layout.inst_zone[zone]], self.layout.inst_owner[zone]):
            return ALL
        if view.top and self.layout.inst_kept[zone]:
            return TOP
        return COUNT if sees_variable(view.counted, self.layout.inst_owner[zone], self.seat) else NOTHING

    def _sees(self, table: ZoneTable | VariableTable, owner: int) -> bool:
        """Return whether the seat sees what is in a zone or variable of a party (-1: of nobody)."""
        layout, seat = self.layout, self.seat
        if sees_variable(table.view, owner, seat) or not table.view.some or seat < 0:
            return sees_variable(table.view, owner, seat)
        if table.sight is None:
            return owner >= 0 and layout.team_of[owner] == layout.team_of[seat]
        return self._holds(table.sight, owner)

    def _holds(self, condition: Expr, owner: int) -> bool:
        """Return whether a condition of sight holds for the seat, as far as it is known."""
        if condition.op == "or":
            return any(self._holds(part, owner) for part in operands(condition))
        try:
            return bool(constant(self.layout, condition, (self.seat, owner), self.settled))
        except NotConstantError:
            return False

    def piece_cell(self, number: int, item: int, zone: int) -> bool:
        """Return whether the seat sees a piece variable of an item that it sees in the zone instance."""
        table = self.layout.program.piece_variables[number]
        seat = self.layout.item_seat[item]
        owner = seat if seat >= 0 else self.layout.inst_owner[zone]
        return not table.internal and sees_variable(table.view, owner, self.seat)


def drawn_type(layout: Layout, entry: Entry) -> Type:
    """Return the type of what chance gave in an entry of the log that is no draw from a pile."""
    return sight_of(layout, 0).elements.get(entry[1], INT)


def bag_type(layout: Layout, cell: int) -> Type:
    """Return the type of the variable that a cell is of."""
    is_piece, number, _ = layout.cell_place[cell]
    return (layout.program.piece_variables if is_piece else layout.program.variables)[number].type


@kept_with
def settled_cells(layout: Layout, seat: int) -> tuple[int, ...]:
    """Return the cells that conditions of sight read when a seat looks: of its own variables, of nobody's and of what
    all see, which change in the setup alone."""
    program = layout.program
    conditions = [zone.sight for zone in program.zones] + [variable.sight for variable in program.variables]
    parts = (part for condition in conditions if condition is not None for part in subexpressions(condition))
    cells: list[int] = []
    for variable in dict.fromkeys(row_of(part) for part in parts if part.op == "var"):
        table = program.variables[variable]
        cells += [
            cell
            for cell in layout.cells_of_variable(variable)
            if table.view.public or variable_owner(layout, table, variable, cell) in (-1, seat)
        ]
    return tuple(cells)


def sight_of(layout: Layout, seat: int, state: State | None = None) -> Sight:
    """Return the memoised `Sight` of a seat in a state; without one it has but what is seen in every game."""
    cells = settled_cells(layout, seat) if state is not None else ()
    return _memoised(layout, seat, tuple([state.v[cell] for cell in cells]) if state is not None and cells else None)


@kept_with
def _memoised(layout: Layout, seat: int, settled: tuple[int, ...] | None) -> Sight:
    return Sight(layout, seat, settled)


def view_key(state: State, sight: Sight) -> tuple[Any, ...]:
    """Return all that the seat sees of the state as plain numbers; equal keys mean equal observations."""
    zones: list[Any] = []
    for contents, visibility in zip(state.z, sight.zones, strict=True):
        if visibility == ALL:
            zones.append([max(value, UNKNOWN) for value in contents])
        elif visibility != NOTHING:
            zones.append((len(contents), max(contents[-1], UNKNOWN) if visibility == TOP and contents else None))
    cells = [state.v[cell] for cell in sight.shown]
    cells += [sum(state.v[cell : cell + width]) for cell, width in sight.sizes.items()]
    return zones, cells, _piece_cells(state, sight), state.out, state.turns, state.over


def _piece_cells(state: State, sight: Sight) -> list[int]:
    """Return the values of all piece variables that the seat sees."""
    if not state.layout.pvar_base:
        return []
    return [cell for item, zone in seen_pieces(state, sight) for cell in _visible_cells_of(state, sight, item, zone)]


def _visible_cells_of(state: State, sight: Sight, item: int, zone: int) -> list[int]:
    """Return the values of a piece's variables that the seat sees, where the piece lies in this zone instance."""
    layout = state.layout
    cells: list[int] = []
    for number in layout.program.kinds[layout.item_kind[item]].variables:
        if sight.piece_cell(number, item, zone):
            cells += [state.v[cell] for cell in layout.variable_cells_of(number, item)]
    return cells


def seen_pieces(state: State, sight: Sight) -> Iterator[tuple[int, int]]:
    """Yield (item, zone instance) of every known piece that the seat sees."""
    for zone in range(len(state.z)):
        for item in seen_in(state, sight, zone):
            yield item, zone


def sees_piece(state: State, sight: Sight, piece: int) -> bool:
    """Return whether the seat sees a piece where it lies now."""
    zone, item = place_of(state.layout, state.where, piece), piece & ITEM_MASK
    if zone < 0:
        return False
    return sight.zones[zone] == ALL or (sight.zones[zone] == TOP and state.z[zone][-1:] == [item])


def seen_in(state: State, sight: Sight, zone: int) -> list[int]:
    """Return the known pieces that the seat sees in a zone instance."""
    contents, visibility = state.z[zone], sight.zones[zone]
    visible = contents if visibility == ALL else contents[-1:] if visibility == TOP else ()
    return [item for item in visible if item >= 0]


Sighting = tuple[int, tuple[tuple[int, int], ...]]
"""A piece, and cells of its variables with their values."""


class Redactor:
    """Redacts a log for a seat, entry by entry from its beginning, tracking what lies where.

    Args:
        opening: the given position that the log begins with; None for the start of a game.

    Attributes:
        where: item -> zone instance, as in `State`. piles: contents of the piles whose top is seen, UNKNOWN for unknown
            pieces. values: of all cells, those of piece variables up to date; empty without such.
        sightings: pieces that came into sight with the last entry, moved in sight or were chosen, each with the cells
            of it that the seat sees and their values.
    """

    __slots__ = ("layout", "piles", "sight", "sightings", "values", "where")

    def __init__(self, sight: Sight, opening: State | None = None) -> None:
        self.sight = sight
        self.layout = sight.layout
        start = self.layout.start_v if opening is None else opening.v
        self.values = list(start) if self.layout.pvar_base else []
        self.sightings: list[Sighting] = []
        self.where = list(self.layout.start_where)
        self.piles = {zone: list(self.layout.start_z[zone]) for zone in sight.tops}

    def copy(self) -> Redactor:
        """Return an independent copy."""
        new = Redactor.__new__(Redactor)
        new.sight, new.layout = self.sight, self.layout
        new.values, new.sightings = self.values[:], self.sightings[:]
        new.where = self.where[:]
        new.piles = {zone: pile[:] for zone, pile in self.piles.items()}
        return new

    def see(self, entry: Entry) -> Entry | None:
        """Return the next entry as the seat sees it; None for nothing. A choice may also be redacted before it is
        made."""
        self.sightings = []
        match entry[0]:
            case "choice":
                return self._choice(entry)
            case "move":
                return self._move(entry)
            case "set":
                _, _, _, cell, old, new = entry
                return entry if self.sight.cells[cell] and old != new else None
            case "pset":
                return self._piece_variable(entry)
            case "size":
                _, _, _, cell, old, new = entry
                return entry if cell in self.sight.sizes and old != new else None
            case "goods":
                return self._goods(entry)
            case "chance":
                return self._chance(entry)
            case "shuffle":
                return self._shuffle(entry)
            case "given":
                return self._given(entry)
            case "reveal":
                _, site, type_, value, seats, index = entry
                is_told = self.sight.seat in seats or (
                    self.sight.seat == SPECTATOR and len(seats) == self.layout.players
                )
                told = (value, seats, index) if is_told else (None, seats, None)
                return ("reveal", site, type_, *told)
        return entry

    def sees_piece(self, zone: int, item: int) -> bool:
        """Return whether the seat sees a piece in a zone instance (-1: nowhere known)."""
        if zone < 0:
            return False
        visibility = self.sight.zones[zone]
        return visibility == ALL or (visibility == TOP and self.piles[zone][-1:] == [item])

    # ---- redaction by type of entry

    def _choice(self, entry: Entry) -> Entry | None:
        """Redact a choice: of a secret one only that it was made, no pieces that the seat does not see."""
        _, site, seat, number, item, values, *about = entry
        decision = self.layout.program.decisions[number]
        if seat == self.sight.seat or not decision.secret:
            self._sight_chosen(decision.bound(item, values))
        if seat == self.sight.seat:
            return entry
        if decision.secret:  # of one among several at once that was told when it was made
            return None if decision.together else ("commit", site, seat, number)
        shown = tuple(self._hide(binder.type, value) for binder, value in decision.bound(item, values))
        subjects = [tuple(self._subject(piece) for piece in pieces) for pieces in about]
        return ("choice", site, seat, number, item, shown, *subjects)

    def _subject(self, piece: int | None) -> int | None:
        """Return a piece that a decision is about; None where the seat does not see it or may not know that the
        decision is about it."""
        return self._hide(PIECE, piece) if self.sight.knows_subjects else None

    def _hide(self, type_: Type, value: Any) -> Any:
        """Return the value with pieces that the seat does not see as None, in a collection at its end."""
        inner = type_.core
        if inner.kind != "piece" and inner != "reaction":
            return value
        if isinstance(value, tuple):
            part = type_.inner
            shown = [self._hide(part, member) for member in value]
            return tuple(sorted(shown, key=lambda member: member is None))
        if value is None or value < 0:
            return value
        piece = (value & REACTION_MASK) - 1 if inner == "reaction" else value
        if piece < 0:
            return value
        return value if self.sees_piece(place_of(self.layout, self.where, piece), piece & ITEM_MASK) else None

    def _move(self, entry: Entry) -> Entry | None:
        """Redact a move, and track where its pieces lie."""
        _, site, origin, destination, items, secretly = entry
        sight = self.sight
        source, target = sight.zones[origin], sight.zones[destination]
        bottom = site in sight.below
        shown: list[int | None] = []
        for item in items:
            on_top = self._take(origin, item)
            seen = target == ALL or (target == TOP and (not bottom or not self.piles[destination]))
            seen = seen or (not secretly and (source == ALL or (source == TOP and on_top)))
            shown.append(item if seen and item >= 0 else None)
            lies_seen = target == ALL or (target == TOP and (not bottom or not self.piles[destination]))
            if seen:
                self._sight(item, destination if lies_seen else origin)
            if target == TOP:
                self.piles[destination].insert(0 if bottom else len(self.piles[destination]), max(item, UNKNOWN))
            if item >= 0 and self.layout.program.kinds[self.layout.item_kind[item]].identity:
                self.where[item] = destination
        if source == NOTHING and target == NOTHING and shown.count(None) == len(shown):
            return None
        below = self.piles[origin][-1] if source == TOP and self.piles[origin] else UNKNOWN
        self._sight(below, origin)
        self._sort_sightings(0)
        return (
            "move",
            site,
            origin if source != NOTHING else -1,
            destination if target != NOTHING else -1,
            tuple(shown),
            secretly,
            below if below >= 0 else None,
        )

    def _sight_chosen(self, bound: Iterable[tuple[Binder, Any]]) -> None:
        """Note the pieces among the values of a choice that the seat sees: which of several like ones they are."""
        for binder, value in bound if self.values else ():
            if binder.type.core.kind != "piece" or value is None:
                continue
            first = len(self.sightings)
            for piece in members(value):
                zone = place_of(self.layout, self.where, piece) if piece is not None and piece >= 0 else -1
                if self.sees_piece(zone, piece & ITEM_MASK if zone >= 0 else -1):
                    self._sight(piece & ITEM_MASK, zone)
            self._sort_sightings(first)

    def _sort_sightings(self, first: int) -> None:
        """Sort the sightings from the first one on in an order that hangs on no number of an individual."""
        sorts = self.layout.item_sorts
        rest = self.sightings[first:]
        rest.sort(key=lambda sighting: (sorts[sighting[0]], [value for _, value in sighting[1]]))
        self.sightings[first:] = rest

    def _sight(self, item: int, zone: int) -> None:
        """Note that a piece (below 0: none) is seen in a zone, with its variables that the seat sees there."""
        if not self.values or item < 0:
            return
        layout, kind = self.layout, self.layout.program.kinds[self.layout.item_kind[item]]
        shown = [number for number in kind.variables if self.sight.piece_cell(number, item, zone)]
        cells = [cell for number in shown for cell in layout.variable_cells_of(number, item)]
        if cells:
            self.sightings.append((item, tuple((cell, self.values[cell]) for cell in cells)))

    def _take(self, zone: int, item: int) -> bool:
        """Remove the topmost piece like this from the copy of a pile; return whether it lay on top."""
        pile = self.piles.get(zone)
        if not pile:
            return False
        for candidate in (item, UNKNOWN):
            for index in range(len(pile) - 1, -1, -1):
                if pile[index] == max(candidate, UNKNOWN):
                    del pile[index]
                    return index == len(pile)
        return False

    def _piece_variable(self, entry: Entry) -> Entry | None:
        """Redact the change of a piece's variable."""
        _, _, number, cell, old, new = entry
        self.values[cell] = new
        item = self.layout.cell_place[cell][2]
        zone = self.where[item]
        if old == new or not self.sees_piece(zone, item):
            return None
        return entry if self.sight.piece_cell(number, item, zone) else None

    def _goods(self, entry: Entry) -> Entry | None:
        """Redact goods that move, and track those of pieces."""
        _, site, origin, destination, counts, _ = entry
        ends = [self._purse_sight(cell) for cell in (origin, destination)]
        for cell, sign in (origin, -1), (destination, 1):
            if cell >= 0 and self.layout.cell_place[cell][0]:
                for part, count in enumerate(counts, cell):
                    self.values[part] += sign * count
        if ALL in ends:
            return entry
        return ("goods", site, origin, destination, None, sum(counts)) if COUNT in ends else None

    def _purse_sight(self, cell: int) -> int:
        """Return what the seat sees of the bag that begins with a cell (-1: of nobody, which gets what is paid)."""
        if cell < 0:
            return ALL
        is_piece, number, item = self.layout.cell_place[cell]
        if is_piece:
            zone = self.where[item]
            return ALL if self.sees_piece(zone, item) and self.sight.piece_cell(number, item, zone) else NOTHING
        return ALL if self.sight.cells[cell] else COUNT if cell in self.sight.sizes else NOTHING

    def _chance(self, entry: Entry) -> Entry | None:
        """Redact an outcome, and track a piece that it makes known."""
        _, site, kind, value, *more = entry
        if kind not in TOLD:
            zone, index = more
            if self.layout.program.kinds[self.layout.item_kind[value]].identity:
                self.where[value] = zone
            pile = self.piles.get(zone)
            if pile is not None and index < len(pile):
                pile[index] = value
            is_top = pile is not None and index == len(pile) - 1
            if not is_top and (pile is not None or self.sight.zones[zone] != ALL):
                return None
            self._sight(value, zone)
            return entry
        if kind == "element" and self.sight.elements[site].core.kind == "piece":
            zone = place_of(self.layout, self.where, value)
            return entry if self.sees_piece(zone, value & ITEM_MASK) else None
        if (site, kind) in self.sight.private or (more and self.sight.seat not in more[0]):
            return None
        return entry

    def _shuffle(self, entry: Entry) -> Entry | None:
        """Redact a shuffle, after which the pile is unknown."""
        zone = entry[2]
        if zone in self.piles:
            self.piles[zone] = [UNKNOWN] * len(self.piles[zone])
        return entry if self.sight.zones[zone] != NOTHING else None

    def _given(self, entry: Entry) -> Entry | None:
        """Redact the contents of a zone in a given position: unseen pieces as None."""
        _, site, zone, contents = entry
        for item in contents:
            if item >= 0 and self.layout.program.kinds[self.layout.item_kind[item]].identity:
                self.where[item] = zone
        if zone in self.piles:
            self.piles[zone] = [max(item, UNKNOWN) for item in contents]
        visibility = self.sight.zones[zone]
        if visibility == NOTHING:
            return None
        shown = [item if visibility == ALL and item >= 0 else None for item in contents]
        if visibility == TOP and contents and contents[-1] >= 0:
            shown[-1] = contents[-1]
        return "given", site, zone, tuple(shown)


# ---- secrets and chance nodes of a program -----------------------------------------------------------------


def has_secrets(program: Program) -> bool:
    """Return whether one seat may know what another does not: by zones, variables, or secret or simultaneous
    choices."""
    return (
        any(zone.view.private for zone in program.zones)
        or any(variable.view.private for variable in program.variables)
        or any(decision.secret or decision.together for decision in program.decisions)
    )


def sees_everything(program: Program) -> bool:
    """Return whether everybody sees everything, also who only looks on."""
    views = [*(zone.view for zone in program.zones), *(variable.view for variable in program.variables)]
    views += [variable.view for variable in program.piece_variables]
    return not has_secrets(program) and all(view.public for view in views)


def _chances(program: Program) -> Iterator[tuple[Procedure, Chance]]:
    """Yield all chance nodes with their procedures."""
    for procedure in program.procedures:
        for block in procedure.blocks:
            if isinstance(block.terminator, Chance):
                yield procedure, block.terminator


def element_types(program: Program) -> dict[int, Type]:
    """Return for each site of a chance node that gives a value the type of what it draws."""
    return {chance.site: chance.drawn for _, chance in _chances(program) if chance.kind in TOLD}


def private_draws(program: Program) -> frozenset[tuple[int, str]]:
    """Return site and kind of the chance nodes whose outcome is private."""
    return frozenset(
        (chance.site, chance.kind)
        for procedure, chance in _chances(program)
        if chance.slot >= 0 and _is_private(program, procedure, chance)
    )


def _is_private(program: Program, procedure: Procedure, chance: Chance) -> bool:
    """Return whether the first statements to read the outcome, in straight-line code, only set variables that not all
    see."""
    block, slot = procedure.blocks[chance.to], chance.slot
    visited: set[int] = set()
    while True:
        readers = [statement for statement in block.statements if _reads(statement.args, slot)]
        if readers:
            return all(_sets_private_variable(program, statement) for statement in readers)
        terminator = block.terminator
        if _reads(outermost(terminator), slot) or not isinstance(terminator, Jump | Chance):
            return False
        if terminator.to in visited:
            return False
        visited.add(terminator.to)
        block = procedure.blocks[terminator.to]


def _reads(parts: Iterable[Expr | int | str], slot: int) -> bool:
    """Return whether an expression among `parts` reads a local."""
    return any(isinstance(part, Expr) and slot in local_reads(part) for part in parts)


def _sets_private_variable(program: Program, statement: Statement) -> bool:
    """Return whether a statement sets a variable that not all see."""
    if statement.op not in ASSIGNMENTS:
        return False
    number = statement.args[0]
    assert isinstance(number, int)
    tables = program.variables if statement.op == "set_var" else program.piece_variables
    return not tables[number].view.public or tables[number].internal
