"""Positions: what of a state is written down, packed exactly into words, and how often it was.

Enters: a layout, the table of a position. Leaves: a `PositionForm`, which packs the present position and finds it among
those that the cells of its variable hold.

The cells of the variable are: how many entries there are; then each entry, its words and, unless only the last ones are
kept, how often it was. These stand in the order of their words, so that equal histories have equal cells. Pieces are
packed by row and seat, as those that differ in neither are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rulelang.ir.nodes import Branch, CallProc, Expr, Procedure
from rulelang.ir.program import PositionTable, Program
from rulelang.ir.walk import block_expressions, callees, index, operands, successors
from rulelang.runtime.constants import NotConstantError, constant
from rulelang.runtime.payments import TooManyError
from rulelang.vocabulary.types import ABSENT_NUMBER, VOID, Type

if TYPE_CHECKING:
    from rulelang.runtime.layout import Layout
    from rulelang.runtime.state import State

WORD = 62
"""Bits of a word that are used for several fields; a number that needs more has a word of its own."""


class PositionForm:
    """How a position is packed in a layout.

    Attributes:
        base: the first cell of its variable. words: of a position. stride: cells of an entry. room: the most entries.
        last, times: see `PositionTable`. zones: each with the number of its first field and whether its pieces are
            packed in order, else counted by sort. sorts: item -> its number among those of its kind, as rows and seats
            tell them apart. fields: word and shift of each. cells: variable cells with the least value and the field.
            values: the same of operands. The least value of a number that has a word of its own is that of all numbers.
    """

    def __init__(self, layout: Layout, table: PositionTable, base: int, kept: bool) -> None:
        self.last, self.times, self.room = table.last, table.times, table.most if kept else 0
        self.base = base
        self.fields: list[tuple[int, int]] = []
        self._bits = 0
        self._word = 0
        firsts = [layout.item_sorts[items.start] if items else 0 for items in layout.kind_items]
        self.sorts = [s - firsts[kind] for s, kind in zip(layout.item_sorts, layout.item_kind, strict=True)]
        self.zones = [self._zone(layout, instance) for zone in table.zones for instance in layout.zone_instances(zone)]
        self.cells: list[tuple[int, int, int]] = []
        ends = [*layout.var_base[1:], base]
        for variable in table.variables:
            declared = layout.program.variables[variable]
            for cell in range(layout.var_base[variable], ends[variable]):
                self.cells.append((cell, *self._number(layout, declared.type, declared.low, declared.high)))
        self.values = [
            self._number(layout, type_, low, high) for type_, (low, high) in zip(table.types, table.bounds, strict=True)
        ]
        self.words = self._word + 1
        self.stride = self.words + (not self.last)

    @property
    def width(self) -> int:
        """Return the number of cells of the variable."""
        return 1 + self.room * self.stride if self.room else 0

    def _field(self, bits: int) -> int:
        """Add a field of so many bits; return its number."""
        if self._bits + bits > WORD and self._bits:
            self._word, self._bits = self._word + 1, 0
        self.fields.append((self._word, self._bits))
        self._bits += bits
        return len(self.fields) - 1

    def _number(self, layout: Layout, type_: Type, low: int, high: int) -> tuple[int, int]:
        """Add the field of a number or other scalar; return its least value and the field."""
        if type_.core.kind != "int" and type_.core.kind != "bag":
            low, high = -1, len(layout.domain(type_.core)) - 1 if type_.core != "seat" else layout.parties - 1
        elif type_.kind == "opt":
            low -= 1
        bits = (high - low).bit_length()
        return (ABSENT_NUMBER, self._field(64)) if bits > WORD else (low, self._field(bits))

    def _zone(self, layout: Layout, instance: int) -> tuple[int, int, bool]:
        """Add the fields of the contents of a zone: in order where it is one piece at most or they are kept so."""
        items = layout.kind_items[layout.inst_kind[instance]]
        copies = Counter[int]()  # in the order of sorts, as items are
        for item in items:
            copies[self.sorts[item]] += layout.copies[item]
        capacity = layout.inst_capacity[instance]
        room = min(sum(copies.values()), capacity) if capacity >= 0 else sum(copies.values())
        first, ordered = len(self.fields), room <= 1 or layout.inst_kept[instance]
        if ordered:
            for _ in range(room):
                self._field(len(copies).bit_length())
        else:
            for number in copies.values():
                self._field(min(number, room).bit_length())
        return instance, first, ordered

    # ---- states

    def packed(self, state: State, values: Sequence[int]) -> list[int]:
        """Return the words of the present position; `values`: those of the operands."""
        words = [0] * self.words
        for instance, first, ordered in self.zones:
            for place, item in enumerate(state.z[instance]):
                word, shift = self.fields[first + (place if ordered else self.sorts[item])]
                words[word] += (self.sorts[item] + 1 if ordered else 1) << shift
        for cell, low, field in self.cells:
            self._add(words, state.v[cell], low, field)
        for value, (low, field) in zip(values, self.values, strict=True):
            self._add(words, value, low, field)
        return words

    def _add(self, words: list[int], value: int, low: int, field: int) -> None:
        word, shift = self.fields[field]
        words[word] += value if low == ABSENT_NUMBER else max(value - low, 0) << shift

    def _entry(self, v: Sequence[int], number: int) -> list[int]:
        """Return the words of an entry."""
        first = self.base + 1 + number * self.stride
        return list(v[first : first + self.words])

    def times_seen(self, state: State, values: Sequence[int]) -> int:
        """Return how often the present position was written down, as far as that is kept."""
        if not self.room:
            return 0
        v, words = state.v, self.packed(state, values)
        if self.last:
            return sum([self._entry(v, number) == words for number in range(v[self.base])])
        number, found = self._place(v, words)
        return v[self.base + 1 + number * self.stride + self.words] if found else 0

    def _place(self, v: Sequence[int], words: list[int]) -> tuple[int, bool]:
        """Return the number of the first entry that is not before these words, and whether it has them."""
        low, high = 0, v[self.base]
        while low < high:
            middle = (low + high) // 2
            if self._entry(v, middle) < words:
                low = middle + 1
            else:
                high = middle
        return low, low < v[self.base] and self._entry(v, low) == words

    def remember(self, state: State, values: Sequence[int]) -> bool:
        """Write the present position down; return False, with nothing done, where there is no room."""
        if not self.room:
            return True
        v, words, base, stride = state.v, self.packed(state, values), self.base, self.stride
        count, first = v[base], base + 1
        if self.last:
            if count == self.room:
                v[first : first + (count - 1) * stride] = v[first + stride : first + count * stride]
                count -= 1
            v[first + count * stride : first + (count + 1) * stride] = words
            v[base] = count + 1
            return True
        number, found = self._place(v, words)
        at = first + number * stride
        if found:
            if not self.times or v[at + self.words] < self.times:
                v[at + self.words] += 1
            return True
        if count == self.room:
            return False
        v[at + stride : first + (count + 1) * stride] = v[at : first + count * stride]
        v[at : at + stride] = [*words, 1]
        v[base] = count + 1
        return True

    def forget(self, state: State) -> None:
        """Empty the list."""
        end = self.base + 1 + state.v[self.base] * self.stride if self.room else self.base
        state.v[self.base : end] = [0] * (end - self.base)

    def is_valid(self, v: Sequence[int]) -> bool:
        """Return whether the cells of the variable are such a list."""
        if not self.room:
            return True
        count, first = v[self.base], self.base + 1
        if not 0 <= count <= self.room or any(v[first + count * self.stride : self.base + self.width]):
            return False
        entries = [self._entry(v, number) for number in range(count)]
        if self.last:
            return True
        counts = [v[first + number * self.stride + self.words] for number in range(count)]
        return entries == sorted(entries) and all(n > 0 and (not self.times or n <= self.times) for n in counts)


MEMOISED = 16
"""So many results of `compared_in` are memoised."""
_compared: dict[tuple[int, int, tuple[int, ...]], tuple[Program, set[int]]] = {}


def compared_in(program: Program, layout: Layout) -> set[int]:
    """Return `compared` of a layout, memoised by its program, players and options, as it walks the whole program; by
    the program's identity, since to compare programs takes longer."""
    key = id(program), layout.players, layout.options
    entry = _compared.get(key)
    if entry is None:
        entry = _compared[key] = program, compared(layout)
        for oldest in list(_compared)[:-MEMOISED]:
            _compared.pop(oldest, None)
    return entry[1]


def compared(layout: Layout) -> set[int]:
    """Return the variables of the positions that anything may ask about in a layout: where no option leaves it out."""
    program = layout.program
    called = {number for code in program.procedures for number in callees(code, program.decisions)}
    asked = [number for number in range(len(program.procedures)) if number not in called]
    reached, variables = set(asked), set[int]()
    while asked:
        for expr in _live(layout, program.procedures[asked.pop()]):
            if expr.op == "seen":
                variables.add(index(expr))
            elif expr.op in ("call", "possible") and index(expr) not in reached:
                reached.add(index(expr))
                asked.append(index(expr))
    return variables


def _live(layout: Layout, code: Procedure) -> Iterator[Expr]:
    """Yield the expressions of a procedure that may be read in a layout and those under them; of a call that is no
    expression one that stands for it."""
    decisions = layout.program.decisions
    blocks, reached = [0], {0}
    while blocks:
        block = code.blocks[blocks.pop()]
        end = block.terminator
        following = successors(end, decisions)
        if isinstance(end, Branch) and (holds := _known(layout, end.condition)) is not None:
            following = [end.then if holds else end.otherwise]
        blocks += {*following} - reached
        reached.update(following)
        for outer in block_expressions(block, decisions):
            yield from _read(layout, outer)
        if isinstance(end, CallProc):
            yield Expr("call", VOID, (end.procedure,))


def _read(layout: Layout, expr: Expr) -> Iterator[Expr]:
    """Yield an expression and those under it that may be read in a layout."""
    yield expr
    parts = operands(expr)
    if expr.op in ("and", "or") and _known(layout, parts[0]) == (expr.op == "or"):
        return
    if expr.op == "if" and (holds := _known(layout, parts[0])) is not None:
        parts = parts[1:2] if holds else parts[2:]
    for part in parts:
        yield from _read(layout, part)


def _known(layout: Layout, condition: Expr) -> bool | None:
    """Return whether a condition holds in a layout; None if that depends on more."""
    try:
        return bool(constant(layout, condition))
    except (NotConstantError, ArithmeticError, RecursionError, TooManyError):
        return None
