"""A program bound to a number of players and options: every table that depends on them, indexed by numbers.

Enters: a `Program`, the number of players, the option values. Leaves: `Layout`: items, zone instances, variable cells,
attribute columns, the start position.

An *item* is one individual piece of a kind with identity, or, of other kinds, one definition (per seat if the
definition is): all pieces like it. A *party* is a seat or, after the seats, an automaton of this game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

from rulelang.diagnostics import RuleError, UsageError, counted
from rulelang.ir import walk
from rulelang.ir.absence import absent_slots
from rulelang.ir.liveness import lone_source
from rulelang.ir.nodes import Choose, Expr, Procedure
from rulelang.ir.program import Program, VariableTable, ZoneTable
from rulelang.limits import LEVELS, current
from rulelang.runtime.bounds import rule_error
from rulelang.runtime.constants import constant
from rulelang.runtime.grids import Grid
from rulelang.runtime.payments import TooManyError
from rulelang.runtime.positions import PositionForm, compared_in
from rulelang.runtime.trimmed_boards import fitted
from rulelang.vocabulary.types import Type

ITEM_MASK = 0xFFFF
ZONE_SHIFT = 16
REACTION_SHIFT = 32
REACTION_MASK = 0xFFFFFFFF


def members(value: Any) -> Iterator[Any]:
    """Yield the leaves of a chosen value: of a collection its elements, of a grouping the elements of its groups."""
    if isinstance(value, tuple | list):
        for part in value:
            yield from members(part)
    else:
        yield value


class Layout:
    """Tables of one game.

    Attributes:
        options: option values in table order; players, parties: numbers of seats and parties.
        automata: automaton -> party or -1. team_of: party -> team number. together: whether all
            seats win or none. one_party: whether all parties
            are one seat or one team. has_points: whether something is scored or ranked by `winner`.
        item_kind, item_definition, item_seat, item_copy: by item; the seat is -1 unless the definition is per player.
        item_sorts: by item a number that items of one definition and seat have in common.
        copies: item -> how many pieces it stands for (1 with identity). kind_items: kind -> its items (a range).
        interchangeable: kind -> whether two of its individuals may be interchangeable.
        columns: kind -> attribute -> item -> value (0 for items of other kinds).
        zone_base, zone_strides: zone -> first instance, stride per index. inst_*: by zone instance; owner -1 for none,
            capacity -1 for none. cell_of: grid -> instance -> cell or -1.
        var_base, var_strides, var_width: variable -> first cell in `State.v`, stride per index, cells per value.
        pvar_base, pvar_width, pvar_kind: by piece variable; the cell of an item is base + (item - first item) * width.
        start_v, start_z, start_where: what a game starts from. start_of: item -> zone instance it starts in.
        positions: variable of a position -> how that is packed there.
        cell_place: cell of `State.v` -> (whether a piece variable, its number, place within the variable or item).
    """

    def __init__(self, program: Program, players: int, options: Sequence[int] | None = None) -> None:
        self.program = program
        self.players: int = players
        self.laborious: set[int] = set()
        """Functions whose calls took too much work to be constants (see `constants`): they are not tried again."""
        self.options: tuple[int, ...] = (
            tuple(table.suiting(players)[0] for table in program.options) if options is None else tuple(options)
        )
        self._check_arguments()
        automata = [number for number, automaton in enumerate(program.automata) if players in automaton.players]
        self.automata: list[int] = [
            players + automata.index(n) if n in automata else -1 for n in range(len(program.automata))
        ]
        self.parties = players + len(automata)
        self.party_names = [str(seat) for seat in range(players)] + [program.automata[n].name for n in automata]
        self.together = program.winner.ranking == "all"
        teams = dict(program.teams).get(players, ())
        self.team_of = list(range(self.parties))
        for team in teams:
            for seat in team:
                self.team_of[seat] = min(team)
        if self.together:
            self.team_of[:players] = [0] * players
        self.one_party = self.together or len(set(self.team_of)) == 1
        self.has_points = not self.together and (bool(program.scores) or program.winner.procedure >= 0)
        unfitted, program = program, fitted(self)
        self.program = program
        self.kind_index = {kind.name: number for number, kind in enumerate(program.kinds)}
        self.enum_index = {enum.name: number for number, enum in enumerate(program.enums)}
        self.grid_index = {grid.name: number for number, grid in enumerate(program.grids)}
        points = {Type(f"enum:{enum.name}"): enum.points for enum in program.enums}
        self.grids = [Grid(table, points) for table in program.grids]
        self.between = [list(dict(enum.between).get(players, ())) for enum in program.enums]
        self.enum_size = [
            len(pairs) if enum.between else len(enum.values)
            for enum, pairs in zip(program.enums, self.between, strict=True)
        ]
        try:
            self.program = self._with_levels()
            self._tabulate_attributes()
            self._number_zones()
            self._number_items()
            self._number_cells(unfitted)
            self._tabulate_start()
        except (ArithmeticError, RecursionError, TooManyError):
            message = f"a count, capacity, start or attribute cannot be worked out for {counted(players, 'player')}"
            raise RuleError(f"{program.name}: {message} and these options") from None
        self._players_in: dict[int, list[int]] = {}
        self._references: dict[tuple[int, int], tuple[int, ...]] = {}
        self._refers: dict[str, bool] = {}
        self.zone_names: dict[int, str] = {}  # memoised texts; see names.py
        self.item_names: dict[int, str] = {}
        self.enum_names: dict[str, list[str]] = {}

    def _check_arguments(self) -> None:
        """Raise UsageError if the players or the values of options are not those of the ruleset."""
        program = self.program
        if self.players not in program.players:
            raise UsageError(f"{program.name} is not for {counted(self.players, 'player')}")
        if len(self.options) != len(program.options):
            raise UsageError(f"{program.name} has {counted(len(program.options), 'option')}")
        for table, value in zip(program.options, self.options, strict=True):
            if value not in table.suiting(self.players):
                raise UsageError(f"option {table.name} has no value {value} with {counted(self.players, 'player')}")

    @property
    def variable_cells(self) -> int:
        """Return the number of cells of all variables; those of piece variables follow them in `start_v`."""
        return self.pvar_base[0] if self.pvar_base else len(self.start_v)

    def option_values(self) -> dict[str, Any]:
        """Return the value of each option by name: a number, a truth value or a word."""
        return {
            table.name: bool(value) if table.type == "bool" else table.words[value] if table.words else value
            for table, value in zip(self.program.options, self.options, strict=True)
        }

    @cached_property
    def subjects(self) -> list[tuple[int, ...]]:
        """Return for each decision the live piece parameters (slots) of its rule: the pieces that it is about."""
        subjects: list[tuple[int, ...]] = [()] * len(self.program.decisions)
        for procedure in self.program.procedures:
            for block in procedure.blocks:
                if isinstance(block.terminator, Choose):
                    subjects[block.terminator.decision] = tuple(
                        slot
                        for slot in block.live
                        if slot < procedure.parameters and procedure.locals[slot].kind == "piece"
                    )
        return subjects

    # ---- types ---------------------------------------------------------------------------------

    def size(self, type_: Type) -> int:
        """Return the number of values of an index type (parties for `seat`); of a bag or cost, the number of resources.

        Raises:
            UsageError: the type has no fixed number of values.
        """
        if type_ == "seat":
            return self.parties
        if type_.kind == "cell":
            return self.grids[self.grid_index[type_.name]].size
        if type_.kind in ("enum", "bag", "cost", "payment"):
            return self.enum_size[self.enum_index[type_.name]]
        raise UsageError(f"nothing is indexed by {type_}")

    def domain(self, type_: Type) -> list[int]:
        """Return all values of an enumerated, cell, dir, bool or seat type, in order."""
        fixed = {"seat": self.players, "dir": 8, "bool": 2}
        return list(range(fixed[type_] if type_ in fixed else self.size(type_)))

    def width(self, type_: Type) -> int:
        """Return the number of cells of a variable of a type: one per resource for a bag."""
        return self.size(type_) if type_.kind == "bag" else 1

    def operations(self, type_: Type) -> int:
        """Return how many single values an operation on values of a type works on, as an estimate of its cost."""
        return self.size(type_.core) if type_.core.kind in ("bag", "cost") else 1

    def identity(self, type_: Type) -> bool:
        """Return whether the pieces of a `piece:KIND` type, or of a collection of it, are individuals."""
        return self.program.kinds[self.kind_index[type_.core.name]].identity

    # ---- tables --------------------------------------------------------------------------------

    def _with_levels(self) -> Program:
        """Return the program in which each procedure may call itself as deep as in this layout."""
        if all(code.levels is None for code in self.program.procedures):
            return self.program
        return replace(self.program, procedures=tuple(map(self._levelled, self.program.procedures)))

    def _levelled(self, code: Procedure) -> Procedure:
        """Return a procedure with its depth in this layout; raise RuleError where that is none."""
        depth = code.depth if code.levels is None else int(constant(self, code.levels))
        if code.levels is not None and not 1 <= depth <= LEVELS:
            message = f"`{code.name}` calls itself up to {depth} deep, outside 1..{LEVELS}"
            players = counted(self.players, "player")
            raise rule_error(self.program, code.site, f"{message}, with {players} and these options")
        return replace(code, depth=depth, levels=None)

    def _tabulate_attributes(self) -> None:
        """Evaluate the attributes of enumerated types and grids, by value."""
        self.enum_columns: list[list[list[Any]]] = []
        for enum, pairs in zip(self.program.enums, self.between, strict=True):
            # The one attribute of a `between` type is the seats that a value lies between.
            seats = [[list(pair) for pair in pairs]]
            declared = [self._constants(exprs) for _, _, exprs in enum.attributes]
            self.enum_columns.append(seats if enum.between else declared)
        self.grid_columns: list[list[list[Any]]] = [
            [self._constants(exprs) for _, _, exprs in grid.attributes] for grid in self.program.grids
        ]

    def _check_bound(self, number: int, bound: int, noun: str) -> None:
        """Raise RuleError if a number of things (`noun`, plural) is above its bound."""
        if number > bound:
            raise RuleError(f"a game of {self.program.name} has {number} {noun}; the most is {bound}")

    def _constants(self, exprs: Sequence[Expr]) -> list[Any]:
        """Return the values of constant expressions."""
        return [constant(self, expr) for expr in exprs]

    def _number_zones(self) -> None:
        """Number the instances of zones, and look up kind, owner, capacity and cell of each."""
        self.zone_base: list[int] = []
        self.zone_strides: list[tuple[int, ...]] = []
        self.inst_zone: list[int] = []
        self.inst_index: list[tuple[int, ...]] = []
        for number, zone in enumerate(self.program.zones):
            self.zone_base.append(len(self.inst_zone))
            sizes = [self.size(index) for index in zone.index]
            self._check_bound(len(self.inst_zone) + prod(sizes), current().cells, "zones")
            self.zone_strides.append(strides(sizes))
            for index in places(sizes):
                self.inst_zone.append(number)
                self.inst_index.append(index)
        tables = [self.program.zones[zone] for zone in self.inst_zone]
        self.inst_kind = [zone.kind for zone in tables]
        self.inst_kept = [zone.kept for zone in tables]
        self.inst_owner = [
            index[zone.index.index("seat")] if "seat" in zone.index else -1
            for zone, index in zip(tables, self.inst_index, strict=True)
        ]
        self.inst_capacity = [
            -1 if zone.capacity is None else int(constant(self, zone.capacity, index))
            for zone, index in zip(tables, self.inst_index, strict=True)
        ]
        self.cell_of = [
            [_cell(zone, index, Type(f"cell:{grid.name}")) for zone, index in zip(tables, self.inst_index, strict=True)]
            for grid in self.program.grids
        ]

    def zone_instance(self, zone: int, indices: Sequence[int]) -> int:
        """Return the instance of a zone with these indices."""
        return self.zone_base[zone] + sum(map(int.__mul__, indices, self.zone_strides[zone]))

    def variable_cell(self, variable: int, indices: Sequence[int]) -> int:
        """Return the first cell of a variable at these indices."""
        return self.var_base[variable] + sum(map(int.__mul__, indices, self.var_strides[variable]))

    def zone_instances(self, zone: int) -> range:
        """Return all instances of a zone, in row-major order of their indices."""
        end = self.zone_base[zone + 1] if zone + 1 < len(self.zone_base) else len(self.inst_zone)
        return range(self.zone_base[zone], end)

    def _number_items(self) -> None:
        """Number the items, and tabulate their attributes."""
        self.item_kind: list[int] = []
        self.item_definition: list[int] = []
        self.item_seat: list[int] = []
        self.item_copy: list[int] = []
        self.copies: list[int] = []
        self.kind_items: list[range] = []
        self.interchangeable: list[bool] = []
        pieces = 0
        for number, kind in enumerate(self.program.kinds):
            first = len(self.item_kind)
            several = False
            for definition, row in enumerate(kind.definitions):
                for seat in range(self.players) if row.per_player else (-1,):
                    count = max(int(constant(self, row.count, () if seat < 0 else (seat,))), 0)
                    several = several or count > 1
                    pieces += count
                    self._check_bound(pieces, current().pieces, "pieces")
                    for copy in range(count) if kind.identity else (0,):
                        self.item_kind.append(number)
                        self.item_definition.append(definition)
                        self.item_seat.append(seat)
                        self.item_copy.append(copy)
                        self.copies.append(1 if kind.identity else count)
            self.kind_items.append(range(first, len(self.item_kind)))
            self.interchangeable.append(kind.identity and several)
        self.items = len(self.item_kind)
        sorts = list(zip(self.item_kind, self.item_definition, self.item_seat, strict=True))
        numbers = {sort: number for number, sort in enumerate(dict.fromkeys(sorts))}
        self.item_sorts = [numbers[sort] for sort in sorts]
        self.columns: list[list[list[Any]]] = []
        for kind, items in zip(self.program.kinds, self.kind_items, strict=True):
            columns: list[list[Any]] = [[0] * self.items for _ in kind.attributes]
            for definition, row in enumerate(kind.definitions):
                values = self._constants(row.attributes)
                for item in items:
                    if self.item_definition[item] == definition:
                        for column, value in zip(columns, values, strict=True):
                            column[item] = value
            self.columns.append(columns)

    def _number_cells(self, program: Program) -> None:
        """Number the cells of variables, with their values at the start. `program`: that of which this is a layout."""
        self.var_base: list[int] = []
        self.var_strides: list[tuple[int, ...]] = []
        self.var_width: list[int] = []
        self.start_v: list[int] = []
        self.cell_place: list[tuple[bool, int, int]] = []
        self.positions: dict[int, PositionForm] = {}
        tables = {table.variable: table for table in self.program.positions}
        asked = compared_in(program, self) if tables else set()
        for number, table in enumerate(self.program.variables):
            sizes = [self.size(index) for index in table.index]
            width = self.width(table.type)
            if number in tables:
                form = self.positions[number] = PositionForm(self, tables[number], len(self.start_v), number in asked)
                width = form.width
            self._check_bound(len(self.start_v) + width * prod(sizes), current().cells, "values of variables")
            self.var_base.append(len(self.start_v))
            self.var_width.append(width)
            self.var_strides.append(tuple(width * stride for stride in strides(sizes)))
            for place, index in enumerate(places(sizes)):
                self._add_cells(table, index, (False, number, place))
        self.pvar_base: list[int] = []
        self.pvar_width: list[int] = []
        self.pvar_kind: list[int] = []
        for number, table in enumerate(self.program.piece_variables):
            kind = next(k for k, row in enumerate(self.program.kinds) if number in row.variables)
            more = len(self.kind_items[kind]) * self.width(table.type)
            self._check_bound(len(self.start_v) + more, current().cells, "values of variables")
            self.pvar_base.append(len(self.start_v))
            self.pvar_width.append(self.width(table.type))
            self.pvar_kind.append(kind)
            for item in self.kind_items[kind]:
                self._add_cells(table, (item,), (True, number, item))

    def _add_cells(self, table: VariableTable, index: Sequence[int], place: tuple[bool, int, int]) -> None:
        """Append the cells of one variable at one index; `place`: their `cell_place`."""
        start = constant(self, table.start, index)
        cells = start if isinstance(start, tuple) else (int(start),)
        if (form := None if place[0] else self.positions.get(place[1])) is not None:
            cells *= form.width
        self.start_v.extend(cells)
        self.cell_place.extend([place] * len(cells))

    def pvar_cell(self, variable: int, item: int) -> int:
        """Return the first cell of a piece variable of an item."""
        first = self.kind_items[self.pvar_kind[variable]].start
        return self.pvar_base[variable] + (item - first) * self.pvar_width[variable]

    def _tabulate_start(self) -> None:
        """Tabulate the zones in which pieces start; raise RuleError where one is too full."""
        self.start_z: list[list[int]] = [[] for _ in self.inst_zone]
        self.start_where = [-1] * self.items
        self.start_of: list[int] = []
        for item in range(self.items):
            kind = self.program.kinds[self.item_kind[item]]
            row = kind.definitions[self.item_definition[item]]
            seat = self.item_seat[item]
            zone = int(constant(self, row.start, () if seat < 0 else (seat,)))
            self.start_of.append(zone)
            self.start_z[zone].extend([item] * self.copies[item])
            if kind.identity:
                self.start_where[item] = zone
        for zone, contents in enumerate(self.start_z):
            if 0 <= self.inst_capacity[zone] < len(contents):
                self._too_full(zone)
            if self.inst_kept[zone]:
                contents.reverse()

    def _too_full(self, zone: int) -> None:
        """Raise the RuleError for a zone that starts with more pieces than it holds."""
        table = self.program.zones[self.inst_zone[zone]]
        pieces = counted(len(self.start_z[zone]), "piece")
        message = f"`{table.name}` starts with {pieces} and holds {self.inst_capacity[zone]}"
        raise rule_error(
            self.program, table.site, f"{message} with {counted(self.players, 'player')} and these options"
        )

    # ---- memoised queries ------------------------------------------------------------------------

    def players_in(self, out: int) -> list[int]:
        """Return the seats that are still in the game; `out`: bit mask of the eliminated parties."""
        if out not in self._players_in:
            self._players_in[out] = [seat for seat in range(self.players) if not out >> seat & 1]
        return self._players_in[out]

    def references(self, procedure: int, block: int) -> tuple[int, ...]:
        """Return the live slots of a block that may hold individuals of kinds with interchangeable ones."""
        key = (procedure, block)
        if key not in self._references:
            code = self.program.procedures[procedure]
            self._references[key] = tuple(slot for slot in code.blocks[block].live if self.refers(code.locals[slot]))
        return self._references[key]

    def references_at(self, procedure: int, block: int) -> tuple[int, ...]:
        """Return the same slots for a procedure that waits at the block's decision or chance node, without the slot
        that the node alone reads."""
        key = (procedure, -1 - block)
        if key not in self._references:
            code = self.program.procedures[procedure]
            lone = lone_source(code, code.blocks[block], self.program.decisions)
            self._references[key] = tuple(slot for slot in self.references(procedure, block) if slot != lone)
        return self._references[key]

    def refers(self, type_: Type) -> bool:
        """Return whether a value of the type can refer to one of several interchangeable individuals."""
        cached = self._refers.get(type_)
        if cached is None:
            inner = type_.core
            refers = inner.kind == "piece" and self.interchangeable[self.kind_index[inner.name]]
            cached = self._refers[type_] = any(self.interchangeable) if inner == "reaction" else refers
        return cached

    def cells_of(self, item: int, excluding: int = -1) -> list[int]:
        """Return the cells of all variables of an item, but for the variable `excluding`."""
        variables = self.program.kinds[self.item_kind[item]].variables
        return [
            cell for variable in variables if variable != excluding for cell in self.variable_cells_of(variable, item)
        ]

    def variable_cells_of(self, variable: int, item: int) -> range:
        """Return the cells of a piece variable of an item."""
        first = self.pvar_cell(variable, item)
        return range(first, first + self.pvar_width[variable])

    def cells_of_variable(self, variable: int) -> range:
        """Return the cells of a variable that no piece carries, at all its indices."""
        ends = (*self.var_base[1:], self.variable_cells)
        return range(self.var_base[variable], ends[variable])

    @cached_property
    def unseen(self) -> frozenset[int]:
        """Return the kinds of which a piece may be unseen by all: those that are shuffled."""
        statements = (node for code in self.program.procedures for block in code.blocks for node in block.statements)
        shuffled = [node.args[0] for node in statements if node.op == "shuffle"]
        if not all(isinstance(zone, Expr) and zone.op == "zone" for zone in shuffled):
            return frozenset(range(len(self.program.kinds)))
        return frozenset(self.program.zones[walk.index(zone)].kind for zone in shuffled if isinstance(zone, Expr))

    @cached_property
    def eliminates(self) -> bool:
        """Return whether rules put players out of the game."""
        blocks = (block for procedure in self.program.procedures for block in procedure.blocks)
        return any(statement.op == "eliminate" for block in blocks for statement in block.statements)

    @cached_property
    def absent_slots(self) -> tuple[frozenset[int], ...]:
        """Return for each procedure the local slots that may be absent though their type is not optional
        (`rulelang.ir.absence`)."""
        return absent_slots(self.program)

    @cached_property
    def referring_cells(self) -> list[tuple[int, bool, int, int]]:
        """Return the cells of `State.v` that can refer to one of several interchangeable individuals, with their
        `cell_place`."""
        tables = self.program.variables, self.program.piece_variables
        return [
            (cell, of_piece, variable, owner)
            for cell, (of_piece, variable, owner) in enumerate(self.cell_place)
            if self.refers(tables[of_piece][variable].type)
        ]


def strides(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the row-major strides of an array with these sizes."""
    reversed_strides = []
    step = 1
    for size in reversed(sizes):
        reversed_strides.append(step)
        step *= size
    return tuple(reversed(reversed_strides))


def places(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return all index tuples of an array with these sizes, in row-major order."""
    indices: list[tuple[int, ...]] = [()]
    for size in sizes:
        indices = [(*index, value) for index in indices for value in range(size)]
    return indices


def _cell(zone: ZoneTable, index: Sequence[int], type_: Type) -> int:
    """Return the cell among a zone instance's indices, -1 if the zone has none of this type."""
    return index[zone.index.index(type_)] if type_ in zone.index else -1
