"""Pieces of one kind as a number: how many there are of each item, side by side, in as many bits as its copies need.

Enters: the items of a kind and how many there are of each. Leaves: `Handfuls`, which turns lists into such numbers and
numbers into lists, and what is asked of numbers again and again, remembered. Adding and subtracting such numbers is
moving pieces; what lies nowhere is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rulelang.backends.interpreter.decisions import Selections
from rulelang.backends.python.selections import KEPT, Part, taking

BITS = 60
"""No number has more bits: Python adds such numbers in no time, and finds them in a dictionary as fast."""
PART = 8
"""What a number stands for is looked up in parts of so many bits."""
FEW = 512
"""What takes so many ways is made at once, for all that have as many of each item."""

MADE = 8
"""So few ways are made all at once for the pieces that a number stands for."""

Choice = tuple[int, Sequence[int], Any, bool]
"""How many ways there are to choose; the ways, or where the next is not None the numbers of single pieces; what takes a
way out of these, by its place; whether the only way is to choose nothing."""


class Handfuls:
    """The numbers of one kind; it has at most 128 pieces.

    Attributes:
        units: item -> the number of one such piece.
        lanes: each item of which there are any, and its bits.
        unpack: the items that a number stands for, in order. size: how many they are.
        sorts: the number of one piece for each different item, and how many there are of each.
        pack: the number of some items. common: what is in both of two numbers.
        listed: number -> its items, remembered.
    """

    unpack: Callable[[int], list[int]]
    size: Callable[[int], int]
    pack: Callable[[Iterable[int]], int]
    common: Callable[[int, int], int]
    sorts: Callable[[int], tuple[tuple[int, ...], tuple[int, ...]]]

    def __init__(self, items: range, copies: Sequence[int]) -> None:
        self.units = [0] * items.stop
        self.lanes: list[tuple[int, int]] = []
        parts: list[list[tuple[int, int, int]]] = [[]]
        shift = start = 0
        for item in items:
            width = copies[item].bit_length()
            if not width:
                continue
            if shift + width - start > PART:
                start = shift
                parts.append([])
            parts[-1].append((item, shift, width))
            self.units[item] = 1 << shift
            self.lanes.append((item, (1 << width) - 1 << shift))
            shift += width
        self._look_up(parts)
        look, lanes = self.units.__getitem__, self.lanes
        self.pack = lambda items: sum(map(look, items))
        self.common = lambda one, other: sum([min(one & bits, other & bits) for _, bits in lanes])
        self.listed = Listed(self)

    def _look_up(self, parts: list[list[tuple[int, int, int]]]) -> None:
        """Makes the functions that look a number up part by part: items with their shifts and widths."""
        tables: dict[str, list[Any]] = {}
        places = []
        for number, held in enumerate(parts):
            start, end = (held[0][1], held[-1][1] + held[-1][2]) if held else (0, 0)
            places.append(f"[n >> {start} & {(1 << end - start) - 1}]" if start else f"[n & {(1 << end) - 1}]")
            items: list[Any] = [()]
            sizes, units, counts = [0], items, items
            for item, _, width in held:
                unit, numbers = (self.units[item],), range(1 << width)
                items = [row + (item,) * n for n in numbers for row in items]
                sizes = [size + n for n in numbers for size in sizes]
                units = [row + unit * (n > 0) for n in numbers for row in units]
                counts = [row + (n,) * (n > 0) for n in numbers for row in counts]
            tables |= {f"items{number}": items, f"sizes{number}": sizes}
            tables |= {f"units{number}": units, f"counts{number}": counts}

        def each(name: str, joint: str) -> str:
            return joint.join(f"{name}{number}{place}" for number, place in enumerate(places))

        self.unpack = eval(f"lambda n: [*{each('items', ', *')}]", tables)
        self.size = eval(f"lambda n: {each('sizes', ' + ')}", tables)
        self.sorts = eval(f"lambda n: ((*{each('units', ', *')},), (*{each('counts', ', *')},))", tables)

    def mask(self, wanted: Callable[[int], bool]) -> int:
        """All bits of the items that are wanted."""
        return sum(bits for item, bits in self.lanes if wanted(item))


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


class Groups(dict[int, int]):
    """What a function gives for the group of pieces that a number stands for, remembered; 0 for no pieces."""

    def __init__(self, handfuls: Handfuls, value: Callable[[Any], int]) -> None:
        super().__init__({0: 0})
        self._unpack, self._value = handfuls.unpack, value

    def __missing__(self, n: int) -> int:
        if len(self) >= KEPT:
            self.clear()
            self[0] = 0
        found = self[n] = self._value((0, self._unpack(n)))
        return found


# ---- choosing -----------------------------------------------------------------------------------------


class Parts(dict[int, Part]):
    """What takes the ways of one shape, by their places, each made when it is first wanted."""

    def __init__(self, ways: Sequence[list[int]]) -> None:
        super().__init__()
        self._ways = ways

    def __missing__(self, place: int) -> Part:
        if len(self) >= KEPT:
            self.clear()
        found = self[place] = taking(self._ways[place])
        return found


_shapes: dict[Any, tuple[int, Any, bool]] = {}
"""How many there are of each of different pieces, and how many are chosen -> how many ways there are; what takes each
out of the numbers of single pieces; whether the only one is to take none."""


def chosen_of(memory: dict[Any, Choice], key: Any, handfuls: Handfuls, n: int, low: int, high: int) -> Choice:
    """The ways to choose `low` to `high` of what a number stands for, put into a memory; TooManyError if there are too
    many."""
    units, counts = handfuls.sorts(n)
    shape = _shapes.get((counts, low, high))
    if shape is None:
        ways = Selections([[place] * count for place, count in enumerate(counts)], low, high)
        if len(_shapes) >= KEPT:
            _shapes.clear()
        taken: Any = [*map(taking, ways)] if len(ways) <= FEW else Parts(ways)
        shape = _shapes[counts, low, high] = (len(ways), taken, len(ways) == 1 and not ways[0])
    count, parts, nothing = shape
    if len(memory) >= KEPT:
        memory.clear()
    if low == high == 1:
        choice: Choice = (count, units, None, nothing)
    elif count <= MADE:
        choice = (count, [sum(take(units)) for take in parts], None, nothing)
    else:
        choice = (count, units, parts, nothing)
    memory[key] = choice
    return choice
