"""Pieces of one kind as a number: how many there are of each item, side by side, in as many bits as its copies need.

Enters: the items of a kind and how many there are of each. Leaves: `Handfuls`, which turns lists into such numbers and
numbers into lists, and what is asked of numbers again and again, remembered. Adding and subtracting such numbers is
moving pieces; what lies nowhere is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rulelang.backends.interpreter.decisions import Selections
from rulelang.backends.python.selections import KEPT

BITS = 60
"""No number has more bits: Python adds such numbers in no time, and finds them in a dictionary as fast."""
PART = 8
"""What a number stands for is looked up in parts of so many bits."""
FEW = 512
"""So many ways to choose from are made at once for all that have as many of each item."""

Row = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""What a part stands for: its items in order; the number of one piece for each different item, and how many there are."""
Choice = tuple[int, dict[int, int], bool]
"""How many ways there are to choose, the ways by their places, whether the only one is to choose nothing."""


class Handfuls:
    """The numbers of one kind; it has at most 128 pieces.

    Attributes:
        units: item -> the number of one such piece.
        lanes: each item of which there are any, and its bits.
        listed: number -> its items in order. sizes: number -> how many pieces it is.
    """

    def __init__(self, items: range, copies: Sequence[int]) -> None:
        self.units = [0] * items.stop
        self.lanes: list[tuple[int, int]] = []
        self._parts: list[tuple[int, int, list[Row]]] = []
        """How far a part is shifted, its bits then, what each value stands for."""
        shift = start = 0
        part: list[tuple[int, int, int]] = []
        for item in items:
            width = copies[item].bit_length()
            if not width:
                continue
            if shift + width - start > PART:
                self._part(start, shift, part)
                start, part = shift, []
            self.units[item] = 1 << shift
            self.lanes.append((item, (1 << width) - 1 << shift))
            part.append((item, shift - start, width))
            shift += width
        self._part(start, shift, part)
        self.listed = Listed(self)
        self.sizes = Totals(self, [1] * items.stop)

    def _part(self, start: int, end: int, items: list[tuple[int, int, int]]) -> None:
        rows: list[Row] = []
        for value in range(1 << end - start):
            found = [(item, value >> shift & (1 << width) - 1) for item, shift, width in items]
            held = [(item, count) for item, count in found if count]
            rows.append(
                (
                    tuple([item for item, count in held for _ in range(count)]),
                    tuple([self.units[item] for item, _ in held]),
                    tuple([count for _, count in held]),
                )
            )
        self._parts.append((start, (1 << end - start) - 1, rows))

    def pack(self, items: Iterable[int]) -> int:
        """The number of these items."""
        return sum(map(self.units.__getitem__, items))

    def unpack(self, n: int) -> list[int]:
        """The items that a number stands for, in order."""
        return [item for shift, bits, rows in self._parts for item in rows[n >> shift & bits][0]]

    def sorts(self, n: int) -> tuple[list[int], tuple[int, ...]]:
        """The number of one piece for each different item, and how many there are."""
        rows = [rows[n >> shift & bits] for shift, bits, rows in self._parts]
        return [unit for row in rows for unit in row[1]], tuple([count for row in rows for count in row[2]])

    def mask(self, wanted: Callable[[int], bool]) -> int:
        """All bits of the items that are wanted."""
        return sum(bits for item, bits in self.lanes if wanted(item))

    def common(self, one: int, other: int) -> int:
        """What is in both."""
        return sum(min(one & bits, other & bits) for _, bits in self.lanes)


class Listed(dict[int, list[int]]):
    """The items that a number stands for, in order, remembered; nobody changes these lists."""

    def __init__(self, handfuls: Handfuls) -> None:
        super().__init__()
        self._unpack = handfuls.unpack

    def __missing__(self, n: int) -> list[int]:
        if len(self) >= KEPT:
            self.clear()
        found = self[n] = self._unpack(n)
        return found


class Totals(dict[int, int]):
    """The sum of an attribute of the pieces that a number stands for, remembered."""

    def __init__(self, handfuls: Handfuls, column: Sequence[int]) -> None:
        super().__init__()
        self._unpack, self._of = handfuls.unpack, column.__getitem__

    def __missing__(self, n: int) -> int:
        if len(self) >= KEPT:
            self.clear()
        found = self[n] = sum(map(self._of, self._unpack(n)))
        return found


# ---- choosing -----------------------------------------------------------------------------------------


class Ways(dict[int, int]):
    """The ways to choose some of the pieces that a number stands for, each made when it is first taken."""

    __slots__ = ("_units", "_ways")

    def __init__(self, units: list[int], ways: Sequence[Any]) -> None:
        super().__init__()
        self._units, self._ways = units, ways

    def __missing__(self, place: int) -> int:
        if len(self) >= KEPT:
            self.clear()
        found = self[place] = sum(map(self._units.__getitem__, self._ways[place]))
        return found


_shapes: dict[Any, tuple[int, Sequence[Any], bool]] = {}
"""How many there are of each of different pieces, and how many are chosen -> how many ways there are; which of them are
taken in each way; whether the only one is to take none."""


def chosen_of(memory: dict[Any, Choice], key: Any, handfuls: Handfuls, n: int, low: int, high: int) -> Choice:
    """The ways to choose `low` to `high` of what a number stands for, put into a memory; TooManyError if there are too
    many."""
    units, counts = handfuls.sorts(n)
    shape = _shapes.get((counts, low, high))
    if shape is None:
        ways = Selections([[place] * count for place, count in enumerate(counts)], low, high)
        count = len(ways)
        if len(_shapes) >= KEPT:
            _shapes.clear()
        shape = (count, list(ways) if count <= FEW else ways, count == 1 and not ways[0])
        _shapes[counts, low, high] = shape
    if len(memory) >= KEPT:
        memory.clear()
    choice = memory[key] = (shape[0], Ways(units, shape[1]), shape[2])
    return choice
