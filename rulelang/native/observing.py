"""What seats see as tables for C (c/sight.h): a seat's instructions that differ in nothing but where they read and
write are a run.

Enters: `rulelang.runtime.fields.SightFields`. Leaves: `SightTables`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.runtime.fields import CELL, CONTENTS, PILE, ROWS, SIZE, TOPMOST, TOTAL, SightFields
from rulelang.runtime.relative import INT32, Relative, relative_to
from rulelang.runtime.sight import ALL, TOP
from rulelang.vocabulary.types import Type

SIZES, SUMS, ALL_CONTENTS, COUNTED, PILES, TOPS, CELLS, TOTALS, ALL_ROWS = range(9)
MARK, PLAIN, NUMBER, OPTIONAL_NUMBER, OPTIONAL_BOOL, VALUE, PIECE = range(7)
"""How a cell is told, as c/sight.h has it."""


class SightTables:
    """What c/sight.h reads of a layout.

    Attributes:
        tables: in the order of c/batch.h: where the runs of each seat begin, the runs, relative parties, definitions
            and zones, definitions of items with rows, kinds of individuals, these definitions, items in order of
            definitions, columns, relative values.

    Args:
        counted: the zones that hold packed counts.
    """

    def __init__(self, fields: SightFields, counted: Sequence[bool]) -> None:
        self.layout, self._counted = fields.layout, counted
        layout = self.layout
        self._values: list[int] = []
        self._offsets: dict[tuple[int, str], int] = {}
        self._kinds: list[int] = []
        self._definitions: list[int] = []
        self._items: list[int] = []
        self._columns: list[int] = []
        seats = [relative_to(layout, seat) for seat in range(layout.players)]
        starts, runs, rows_of = [0], list[int](), list[int]()
        for relative, instructions in zip(seats, fields.instructions, strict=True):
            entries: dict[tuple[int, ...], list[int]] = {}
            individuals: dict[int, list[tuple[int, list[int]]]] = {}
            for instruction in instructions:
                if instruction[0] == ROWS:
                    items = relative.items[instruction[3]]
                    individuals.setdefault(layout.item_kind[items[0]], []).append((instruction[2], items))
                else:
                    key, entry = self._entry(relative, instruction)
                    entries.setdefault(key, []).extend(entry)
            self._rows = [-1] * layout.items
            for kind, definitions in individuals.items():
                entries.setdefault((ALL_ROWS, 1), []).append(self._kind(relative, kind, definitions))
            for key, all_entries in entries.items():
                size = 1 if key[0] == ALL_ROWS else 2
                runs += [*key[:2], len(all_entries) // size, *key[2:], *[0] * (5 - len(key)), *all_entries]
            starts.append(len(runs))
            rows_of += self._rows
        self.tables = [
            starts,
            runs,
            [place for relative in seats for place in relative.parties],
            [relative.sorts[sort] for relative in seats for sort in layout.item_sorts],
            [self._zone_told(relative, zone) for relative in seats for zone in range(len(layout.inst_zone))],
            rows_of,
            self._kinds,
            self._definitions,
            self._items,
            self._columns,
            self._values,
        ]

    @staticmethod
    def _zone_told(relative: Relative, zone: int) -> int:
        number = 1 + relative.zones[zone]
        return {ALL: number, TOP: -number}.get(relative.sight.zones[zone], 0)

    def coding(
        self, relative: Relative, type_: Type, mark: bool = False, low: int = -INT32 - 1, high: int = INT32 + 1
    ) -> tuple[int, int, int]:
        """Return how a cell of a type within bounds is told to a seat: how, its low bound as far as it is needed, where
        its relative values begin."""
        present, optional = type_.present, type_.kind == "opt"
        if mark:
            return MARK, 0, 0
        if present.kind in ("int", "bag", "bool"):
            least = max(low, -INT32)
            if optional:
                return (OPTIONAL_BOOL if present.kind == "bool" else OPTIONAL_NUMBER), least, 0
            return (PLAIN if present.kind == "bool" or -INT32 <= low <= high <= INT32 else NUMBER), 0, 0
        if present.kind == "piece":
            return PIECE, 0, 0
        if present.kind not in ("enum", "seat", "zone"):
            return PLAIN, 0, 0
        key = relative.seat, present.name or present.kind
        if key not in self._offsets:
            size = {"seat": self.layout.parties, "zone": len(self.layout.inst_zone)}.get(present.kind)
            values = range(self.layout.size(present) if size is None else size)
            numbers = [relative.number(present, value) for value in values]
            self._offsets[key] = -1 if numbers == [*values] else len(self._values)
            self._values += numbers
        return (VALUE, 0, self._offsets[key]) if self._offsets[key] >= 0 else (PLAIN, 0, 0)

    def _entry(self, relative: Relative, instruction: Sequence[int]) -> tuple[tuple[int, ...], Sequence[int]]:
        """Return the head of the run that an instruction is in, without how many there are, and its entry."""
        layout = self.layout
        op, wide, at, source, *rest = instruction
        if op == CELL:
            table = layout.program.variables[layout.cell_place[source][1]]
            return (CELLS, wide, *self.coding(relative, table.type, table.mark, table.low, table.high)), (at, source)
        if op == TOTAL:
            return (TOTALS, wide, rest[0]), (at, source)
        first, kinds, stride = rest
        counted = self._counted[source]
        if op == SIZE:
            return (SUMS if counted else SIZES, wide), (at, source)
        if op == CONTENTS:
            return (COUNTED if counted else ALL_CONTENTS, wide, stride, first + kinds), (at - stride * first, source)
        return ({PILE: PILES, TOPMOST: TOPS}[op], wide, first - 1, first + kinds), (at, source)

    def _kind(self, relative: Relative, kind: int, definitions: Sequence[tuple[int, list[int]]]) -> int:
        """Return the number of a kind of individuals as a seat sees them.

        Args:
            definitions: of each where its rows stand, and its items.
        """
        layout, start, columns = self.layout, len(self._items), len(self._columns) // 7
        number = len(self._kinds) // 7
        for variable in layout.program.kinds[kind].variables:
            table, width = layout.program.piece_variables[variable], layout.pvar_width[variable]
            seen = 0 if table.internal else table.view.public * 1 + table.view.own * 2 + table.view.others * 4
            base = layout.pvar_base[variable] - layout.kind_items[kind].start * width
            coding = self.coding(relative, table.type, table.mark, table.low, table.high)
            for part in range(width):
                self._columns += [base + part, width, *coding, seen, max(table.low - 1, -INT32)]
        first = len(self._definitions) // 3
        for several in (True, False):
            for at, items in definitions:
                if (len(items) > 1) == several:
                    for item in items:
                        self._rows[item] = len(self._definitions) // 3
                    self._definitions += [number, at, len(items)]
            if several:
                of_several = len(self._definitions) // 3 - first
        for _, items in definitions:
            self._items += items
        count, width = len(self._items) - start, 1 + len(self._columns) // 7 - columns
        self._kinds += [definitions[0][0], start, count, width, columns, first, of_several]
        return number
