"""What a seat sees as numbers in two arrays of fixed size, by one table that names every one of them.

Enters: a layout; a state, a seat. Leaves: `SightFields`: the fields with their places, bounds and names, the same for
every seat; `write`, which fills the arrays. Nothing is read that `rulelang.runtime.sight` does not show, and all is
relative to the seat (`rulelang.runtime.relative`). What stands where is a table of small instructions, which native
code runs too (`rulelang.native.batch`).

| what is seen | field |
| --- | --- |
| zones of capacity 1 over a grid | planes: definition × cell |
| a zone seen whole, in no order | pieces by definition; of kinds with identity only how many, as each has a row |
| a pile seen whole | definition + 1 at each place, the top first; 0: none; one above the last definition: unknown |
| a pile of which the top is seen | how many pieces, definition + 1 of the top |
| only how many | that |
| individuals | of each definition its rows (`Relative.row`), sorted |
| variables | each cell as `Relative.cell` has it; of bags that can only be counted how much they hold |
| the game | the seat, turn, over; who is eliminated, who is asked; the question and its arguments |
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cached_property

from rulelang.ir.nodes import Decision
from rulelang.memos import kept_with
from rulelang.runtime.layout import Layout
from rulelang.runtime.names import enum_names
from rulelang.runtime.relative import INT32, Relative, relative_to
from rulelang.runtime.sight import ALL, COUNT, TOP, UNKNOWN
from rulelang.runtime.state import State
from rulelang.runtime.views import question_arguments
from rulelang.vocabulary.types import ABSENT, Type

SIZE, CONTENTS, PILE, TOPMOST, ROWS, CELL, TOTAL = range(7)
"""Instructions: what is written of a zone, of the individuals of one definition, of a cell of a variable, of
a bag that is counted."""
SMALL = 255


@dataclass(frozen=True)
class SightField:
    """Numbers that belong together.

    Attributes:
        name: `zone:hand[+1]`, `individuals:Kind`, `variable:coins`, `game:turn`, … array: `counts` (uint8) or `numbers`
            (int32). offset: where it begins there. shape: row-major. low, high: bounds of each number. slots: a name
            for each number.
    """

    name: str
    array: str
    offset: int
    shape: tuple[int, ...]
    low: int
    high: int
    slots: tuple[str, ...]


Instruction = tuple[int, ...]
"""Which; 1 for `numbers`; where; then its own: see `_run`."""


class SightFields:
    """The fields of a layout.

    Attributes:
        fields: all of them. counts, numbers: the sizes of the arrays. instructions: by seat. game_places,
            argument_places: where seat, turn, over, eliminated, asked and question begin; by decision, the arguments.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.fields: list[SightField] = []
        self._sizes = [0, 0]
        self._tables = [_Table(self, relative_to(layout, seat)) for seat in range(layout.players)]
        self.instructions = [table.instructions for table in self._tables]
        self.game_places = [number for place in self._tables[0].places.values() for number in place]
        self.argument_places = self._tables[0].arguments
        self.counts, self.numbers = self._sizes

    def add(self, name: str, slots: Sequence[str], low: int, high: int, shape: tuple[int, ...] = ()) -> tuple[int, int]:
        """Add a field, or find it; return its array as a number, and where it begins there."""
        if name in self._known:
            field = self._known[name]
            return int(field.array == "numbers"), field.offset
        wide = int(not 0 <= low <= high <= SMALL)
        offset = self._sizes[wide]
        self._sizes[wide] += len(slots)
        low, high = max(low, -INT32), min(high, INT32)
        array = "numbers" if wide else "counts"
        field = self._known[name] = SightField(name, array, offset, shape or (len(slots),), low, high, tuple(slots))
        self.fields.append(field)
        return wide, offset

    @cached_property
    def _known(self) -> dict[str, SightField]:
        return {}

    def write(
        self, state: State, seat: int, asked: Sequence[int], counts: MutableSequence[int], numbers: MutableSequence[int]
    ) -> None:
        """Write what a seat sees into two arrays of `self.counts` and `self.numbers` numbers, all 0 before.

        Args:
            asked: the seats that are to choose.
        """
        arrays, table = (counts, numbers), self._tables[seat]
        for instruction in table.instructions:
            _run(table.relative, state, instruction, arrays)
        table.game(state, asked, arrays)


def _run(relative: Relative, state: State, instruction: Instruction, arrays: Sequence[MutableSequence[int]]) -> None:
    """Run an instruction."""
    op, wide, at, source, *rest = instruction
    to = arrays[wide]
    layout, sorts, of_item = relative.layout, relative.sorts, relative.layout.item_sorts
    if op == CELL:
        table = layout.program.variables[layout.cell_place[source][1]]
        to[at] = relative.cell(table.type, table.mark, table.low, state.v[source])
    elif op == TOTAL:
        to[at] = min(sum(state.v[source : source + rest[0]]), INT32)
    elif op == ROWS:
        rows = sorted(relative.row(state, item) for item in relative.items[source])
        for place, value in enumerate((value for row in rows for value in row), at):
            to[place] = value
    else:
        contents = state.z[source]
        if op in (SIZE, TOPMOST):
            to[at] = len(contents)
        first, kinds, stride = rest
        if op == CONTENTS:
            for item in contents:
                place = sorts[of_item[item]] - first if item >= 0 else kinds
                to[at + stride * place] += 1
        elif op in (PILE, TOPMOST):
            top = contents[:-2:-1] if op == TOPMOST else contents[::-1]
            for place, item in enumerate(top, at + (op == TOPMOST)):
                to[place] = 1 + (sorts[of_item[item]] - first if item > UNKNOWN else kinds)


class _Table:
    """What is written for one seat."""

    def __init__(self, fields: SightFields, relative: Relative) -> None:
        self.fields, self.relative, self.layout = fields, relative, relative.layout
        self.instructions: list[Instruction] = []
        self._zones()
        for kind in range(len(self.layout.program.kinds)):
            self._individuals(kind)
        self._variables()
        self._game()

    # ---- zones

    def _zones(self) -> None:
        layout, relative = self.layout, self.relative
        for number, table in enumerate(layout.program.zones):
            cells = [axis for axis, type_ in enumerate(table.index) if type_.kind == "cell"]
            groups: dict[tuple[int, ...], list[int]] = {}
            for index in relative.indices(table.index):
                rest = tuple(value for axis, value in enumerate(index) if axis not in cells)
                groups.setdefault(rest if len(cells) == 1 else index, []).append(layout.zone_instance(number, index))
            for group in groups.values():
                on_board = len(cells) == 1 and all(
                    layout.inst_capacity[zone] == 1 and relative.sight.zones[zone] == ALL for zone in group
                )
                if on_board:
                    self._planes(number, group, cells[0])
                else:
                    for zone in group:
                        self._zone(zone)

    def _definitions(self, kind: int) -> tuple[int, list[str]]:
        """Return the number of the first definition of a kind, and the names of all."""
        relative, layout = self.relative, self.layout
        sorts = sorted({relative.sorts[layout.item_sorts[item]] for item in layout.kind_items[kind]})
        return min(sorts, default=0), [relative.sort_names[sort].partition("/")[2] for sort in sorts]

    def _may_be_unknown(self, kind: int) -> bool:
        """Return whether pieces of a kind can lie where not all see them, and so be unknown elsewhere."""
        return any(not zone.view.public for zone in self.layout.program.zones if zone.kind == kind)

    def _planes(self, number: int, group: list[int], axis: int) -> None:
        layout, relative = self.layout, self.relative
        table = layout.program.zones[number]
        first, names = self._definitions(table.kind)
        grid = layout.grids[layout.grid_index[table.index[axis].name]]
        own = [(i, t, v) for i, (t, v) in enumerate(zip(table.index, layout.inst_index[group[0]], strict=True))]
        others = [(type_, value) for i, type_, value in own if i != axis]
        name = relative.named(table.name, [t for t, _ in others], [v for _, v in others])
        planes = [*names, "unknown"] if self._may_be_unknown(table.kind) else names
        slots = [f"{plane}@{cell}" for plane in planes for cell in grid.cells]
        whole = len(grid.cells) == grid.columns * grid.rows
        shape = (len(planes), grid.rows, grid.columns) if whole else (len(planes), grid.size)
        wide, at = self.fields.add(f"planes:{name}", slots, 0, 1, shape)
        for zone in group:
            cell = layout.inst_index[zone][axis]
            self.instructions.append((CONTENTS, wide, at + cell, zone, first, len(names), grid.size))

    def _zone(self, zone: int) -> None:
        layout, sight = self.layout, self.relative.sight.zones[zone]
        kind, name = layout.inst_kind[zone], f"zone:{self.relative.zone_names[self.relative.zones[zone]]}"
        first, names = self._definitions(kind)
        copies = sum(layout.copies[item] for item in layout.kind_items[kind])
        room = min(copies, layout.inst_capacity[zone]) if layout.inst_capacity[zone] >= 0 else copies
        whole = sight == ALL
        if whole and layout.inst_kept[zone]:
            op, slots, high = PILE, [f"place {place}" for place in range(room)], len(names) + 1
        elif whole and not layout.program.kinds[kind].identity:
            op, slots, high = CONTENTS, [*names, "unknown"], room
        elif sight in (TOP, COUNT, ALL):
            op, slots, high = (TOPMOST, ["count", "top"], max(room, len(names) + 1)) if sight == TOP else (
                SIZE, ["count"], room,
            )  # fmt: skip
        else:
            return
        if slots:
            self.instructions.append((op, *self.fields.add(name, slots, 0, high), zone, first, len(names), 1))

    # ---- individuals, variables

    def _individuals(self, kind: int) -> None:
        layout, relative = self.layout, self.relative
        table, items = layout.program.kinds[kind], layout.kind_items[kind]
        if not table.identity or not items:
            return
        of_sort: dict[int, list[int]] = {}
        for item in items:
            of_sort.setdefault(relative.sorts[layout.item_sorts[item]], []).append(item)
        variables = [layout.program.piece_variables[number] for number in table.variables]
        columns = ["zone"]
        for variable in variables:
            columns += self._cell_names(variable.name, variable.type)
        slots = [
            f"{relative.sort_names[sort].partition('/')[2]}#{row}.{column}"
            for sort in sorted(of_sort)
            for row in range(1, len(of_sort[sort]) + 1)
            for column in columns
        ]
        low = min([0, *(variable.low - 1 for variable in variables)])
        wide, at = self.fields.add(f"individuals:{table.name}", slots, min(low, -1), INT32, (len(items), len(columns)))
        for sort in sorted(of_sort):
            like = of_sort[sort]
            self.instructions.append((ROWS, wide, at, layout.item_sorts[like[0]]))
            at += len(like) * len(columns)

    def _cell_names(self, name: str, type_: Type) -> list[str]:
        """Return the names of the cells of a value."""
        return [f"{name}/{part}" for part in enum_names(self.layout, type_.name)] if type_.kind == "bag" else [name]

    def _variables(self) -> None:
        for number, table in enumerate(self.layout.program.variables):
            if not table.internal:
                for group in self._groups(number):
                    self._variable(number, group)

    def _groups(self, number: int) -> Iterator[list[tuple[int, ...]]]:
        """Yield the indices of a variable, those of each seat apart, as its visibility may depend on that."""
        table, groups = self.layout.program.variables[number], dict[int, list[tuple[int, ...]]]()
        for index in self.relative.indices(table.index):
            owner = index[table.index.index("seat")] if "seat" in table.index else -1
            groups.setdefault(owner, []).append(index)
        yield from groups.values()

    def _variable(self, number: int, indices: list[tuple[int, ...]]) -> None:
        layout, relative, table = self.layout, self.relative, self.layout.program.variables[number]
        width = layout.var_width[number]
        firsts = [layout.variable_cell(number, i) for i in indices]
        if firsts and firsts[0] in relative.sight.sizes:
            names = [relative.named(table.name, table.index, index) for index in indices]
            wide, at = self.fields.add(f"size:{names[0]}", names, 0, width * table.high)
            self.instructions += [(TOTAL, wide, at + place, first, width) for place, first in enumerate(firsts)]
        if not firsts or not relative.sight.cells[firsts[0]]:
            return
        slots = [
            name
            for index in indices
            for name in self._cell_names(relative.named(table.name, table.index, index), table.type)
        ]
        low, high = (0, 1) if table.mark else self._bounds(table.type, table.low, table.high)
        wide, at = self.fields.add(f"variable:{slots[0]}", slots, low, high)
        cells = [cell for first in firsts for cell in range(first, first + width)]
        self.instructions += [(CELL, wide, at + place, cell) for place, cell in enumerate(cells)]

    def _bounds(self, type_: Type, low: int, high: int) -> tuple[int, int]:
        """Return the bounds of a value's numbers, an absent one among them."""
        layout, present = self.layout, type_.present
        if present.kind in ("int", "bag"):
            return low - (type_.kind == "opt"), high
        if present.kind == "bool":
            return 0 - (type_.kind == "opt"), 1
        if present.kind == "piece":
            return ABSENT, len(self.relative.sort_order) - 1
        most = {"seat": layout.parties, "zone": len(layout.inst_zone), "dir": 8}
        return ABSENT, (most[present.kind] if present.kind in most else layout.size(present)) - 1

    # ---- the game

    def _game(self) -> None:
        layout, add = self.layout, self.fields.add
        decisions = layout.program.decisions
        rules = [decision.rule for decision in decisions]
        asking = [f"{rule}#{rules[:n].count(rule) + 1}" for n, rule in enumerate(rules)]
        names = [self.relative.name(Type("seat"), party) for party in self.relative.order(Type("seat"))]
        self.places = {
            "seat": add("game:seat", ["seat"], 0, layout.players - 1),
            "turn": add("game:turn", ["turn"], 0, INT32),
            "over": add("game:over", ["over"], 0, 1),
            "eliminated": add("game:eliminated", names, 0, 1),
            "asked": add("game:asked", names, 0, 1),
            "question": add("game:question", asking, 0, 1),
        }
        self.arguments = [self._arguments_of(decision) for decision in decisions]

    def _arguments_of(self, decision: Decision) -> dict[str, tuple[int, int, int]]:
        """Return the parameters of the rule that asks that have a field: array, place, how many cells."""
        procedure = self.layout.program.procedures[decision.procedure]
        places = {}
        for slot in range(procedure.parameters):
            name, type_ = procedure.local_names[slot], procedure.locals[slot]
            if name == "you" or name in decision.untold or not (type_.scalar or type_.kind == "bag"):
                continue
            if type_.core.kind in ("reaction", "purse", "void"):
                continue
            cells = self._cell_names(f"{procedure.name}.{name}", type_)
            low, high = self._bounds(type_, -INT32, INT32)
            places[name] = (*self.fields.add(f"argument:{procedure.name}.{name}", cells, low - 1, high), len(cells))
        return places

    def game(self, state: State, asked: Sequence[int], arrays: Sequence[MutableSequence[int]]) -> None:
        """Write what is asked of whom, and how the game stands."""
        relative, layout, seat = self.relative, self.layout, self.relative.seat

        def put(name: str, value: int, place: int = 0) -> None:
            wide, at = self.places[name]
            arrays[wide][at + place] = value

        put("seat", seat)
        put("turn", min(state.turns, INT32))
        put("over", int(state.over != 0))
        for party in range(layout.parties):
            put("eliminated", state.out >> party & 1, relative.parties[party])
            put("asked", int(party in asked), relative.parties[party])
        number = state.pending_question()
        if number < 0:
            return
        put("question", 1, number)
        if seat not in asked:
            return
        decision = layout.program.decisions[number]
        for name, (type_, value) in question_arguments(state, decision, seat).items():
            if name not in self.arguments[number] or value is None:
                continue
            wide, at, _ = self.arguments[number][name]
            for place, part in enumerate(value if type_.kind == "bag" else (value,)):
                arrays[wide][at + place] = relative.cell(type_, False, -INT32, part)


@kept_with
def fields_of(layout: Layout) -> SightFields:
    """Return the memoised fields of a layout."""
    return SightFields(layout)
