"""Bitboards of fields in the block of a state: for each value the bits of the cells that have it.

Enters: a program after the passes. Leaves: `Bitboards`: which fields have them, and where; what sets one value, and
what reads a board, as C. C keeps them up to date (`set_on_board`, and `flips` where a piece is put or taken), as they
say nothing that the variables and zones do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulelang.mir.fields import Field, cells_of, fields_of, told_of_items, values_of
from rulelang.native.source import rows
from rulelang.runtime.constants import MOST_BITS, WORD
from rulelang.runtime.layout import Layout


@dataclass(frozen=True)
class Bitboards:
    """The bitboards of one field.

    Attributes:
        cells: those of the variable, or the zones. values: its values. told: by item what it says where that lies; None
            for a variable. at: where the boards begin. width: the words of each.
    """

    cells: range
    values: range
    told: Mapping[int, int] | None
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

    def words(self, v: Sequence[int], z: Sequence[Sequence[int]]) -> list[int]:
        """Return the boards for the values of all variables and the contents of all zones."""
        boards = dict.fromkeys(self.values, 0)
        for place, cell in enumerate(self.cells):
            for value in [v[cell]] if self.told is None else [self.told[item] for item in z[cell]]:
                boards[value] |= 1 << place
        return [word for board in boards.values() for word in words_of(board, self.width)]


def bit_words(layout: Layout) -> int:
    """Return how many words the wider sets of bits of a layout have, a power of two; 0 if it has none."""
    sizes = [*(grid.size for grid in layout.grids), *(len(enum.values) for enum in layout.program.enums)]
    most = max((size for size in sizes if WORD < size <= MOST_BITS), default=0)
    return next((words for words in (2, 4, 8) if 0 < most <= WORD * words), 0)


def words_of(bits: int, width: int) -> list[int]:
    """Return the words of a set of bits, the lowest first."""
    return [bits >> WORD * place & (1 << WORD) - 1 for place in range(width)]


def bitboards(layout: Layout) -> dict[Field, Bitboards]:
    """Return the bitboards that a program reads, by field."""
    by_field: dict[Field, Bitboards] = {}
    at, words = 0, bit_words(layout)
    for field in fields_of(layout):
        cells = cells_of(layout, field)
        told = None if field.of == "var" else told_of_items(layout, field)
        by_field[field] = Bitboards(cells, values_of(layout, field), told, at, words if len(cells) > WORD else 1)
        at += by_field[field].size
    return by_field


def flips(boards: Mapping[Field, Bitboards]) -> str:
    """Return what changes the boards of a zone where an item is put into it or taken, as C: a macro."""
    lines, changes = [], []
    for number, of in enumerate(boards.values()):
        if not of.told:
            continue
        places = [of.origin + of.width * value for value in of.told.values()]
        board = str(places[0])
        if len({*places}) > 1:
            lines.append(f"KEPT const int16_t flip_board_{number}[{len(places)}] = {{{rows(places)}}};")
            board = f"flip_board_{number}[(item) - {min(of.told)}]"
        changes.append(f"FLIP_ONE(g, (zone) - {of.cells.start}, {len(of.cells)}, {of.width}, {board})")
    nothing = "((void)(g), (void)(zone), (void)(item))"
    body = ["do { \\", *(f"    {change}; \\" for change in changes), "} while (0)"] if changes else [nothing]
    lines += [f"#define FLIPS {int(bool(changes))}", f"#define FLIP(g, zone, item) {body[0]}", *body[1:]]
    return "\n".join(lines)
