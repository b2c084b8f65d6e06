"""Bitboards of variables in the block of a state: for each value a word with a bit for each index that has it.

Enters: a program after the passes. Leaves: `Bitboards`: which variables have them, and where; what sets one value, and
what reads a board, as C. C keeps them up to date (`set_on_board`), as they say nothing that the variables do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulelang.ir.walk import procedure_parts
from rulelang.mir.bitboards import bitboard_of, values_of
from rulelang.runtime.layout import Layout


@dataclass(frozen=True)
class Bitboards:
    """The bitboards of one variable.

    Attributes:
        cells: the cells of the variable. values: its values. at: where their boards begin.
    """

    cells: range
    values: range
    at: int

    def words(self, v: Sequence[int]) -> list[int]:
        """Return the boards for the values of all variables."""
        places = [v[cell] for cell in self.cells]
        return [sum(1 << place for place, value in enumerate(places) if value == each) for each in self.values]


def bitboards(layout: Layout) -> dict[int, Bitboards]:
    """Return the bitboards that a program reads, by variable."""
    program = layout.program
    parts = (part for code in program.procedures for part in procedure_parts(code, program.decisions))
    boards = (bitboard_of(layout, part) for part in parts)
    by_variable: dict[int, Bitboards] = {}
    at = 0
    for variable in sorted({board[0] for board in boards if board is not None}):
        by_variable[variable] = Bitboards(layout.cells_of_variable(variable), values_of(layout, variable), at)
        at += len(by_variable[variable].values)
    return by_variable
