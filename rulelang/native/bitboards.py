"""Bitboards of variables in the block of a state: for each value the bits of the indices that have it.

Enters: a program after the passes. Leaves: `Bitboards`: which variables have them, and where; what sets one value, and
what reads a board, as C. C keeps them up to date (`set_on_board`), as they say nothing that the variables do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulelang.ir.walk import procedure_parts
from rulelang.mir.bitboards import bitboard_of, values_of
from rulelang.runtime.constants import MOST_BITS, WORD
from rulelang.runtime.layout import Layout


@dataclass(frozen=True)
class Bitboards:
    """The bitboards of one variable.

    Attributes:
        cells: the cells of the variable. values: its values. at: where their boards begin. width: the words of each.
    """

    cells: range
    values: range
    at: int
    width: int

    @property
    def size(self) -> int:
        """Return the words of all boards."""
        return self.width * len(self.values)

    @property
    def origin(self) -> int:
        """Return where the board of value 0 begins, or would."""
        return self.at - self.width * self.values.start

    def words(self, v: Sequence[int]) -> list[int]:
        """Return the boards for the values of all variables."""
        places = [v[cell] for cell in self.cells]
        boards = [sum(1 << place for place, value in enumerate(places) if value == each) for each in self.values]
        return [word for board in boards for word in words_of(board, self.width)]


def bit_words(layout: Layout) -> int:
    """Return how many words the wider sets of bits of a layout have, a power of two; 0 if it has none."""
    sizes = [*(grid.size for grid in layout.grids), *(len(enum.values) for enum in layout.program.enums)]
    most = max((size for size in sizes if WORD < size <= MOST_BITS), default=0)
    return next((words for words in (2, 4, 8) if 0 < most <= WORD * words), 0)


def words_of(bits: int, width: int) -> list[int]:
    """Return the words of a set of bits, the lowest first."""
    return [bits >> WORD * place & (1 << WORD) - 1 for place in range(width)]


def bitboards(layout: Layout) -> dict[int, Bitboards]:
    """Return the bitboards that a program reads, by variable."""
    program = layout.program
    parts = (part for code in program.procedures for part in procedure_parts(code, program.decisions))
    boards = (bitboard_of(layout, part) for part in parts)
    by_variable: dict[int, Bitboards] = {}
    at, words = 0, bit_words(layout)
    for variable in sorted({board[0] for board in boards if board is not None}):
        cells = layout.cells_of_variable(variable)
        by_variable[variable] = Bitboards(cells, values_of(layout, variable), at, words if len(cells) > WORD else 1)
        at += by_variable[variable].size
    return by_variable
