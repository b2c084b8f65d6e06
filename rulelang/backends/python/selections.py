"""Ways to choose several of a few pieces, remembered from one choice to the next.

Enters: what may be chosen from, how many. Leaves: how many ways there are, and any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from rulelang.backends.interpreter.decisions import Selections

KEPT = 4096
"""So many choices of one place are remembered, and so many ways of each."""
CONTENTS_KEPT = 1 << 14
"""So many contents of a zone are remembered for each place; what is remembered of each is small."""

Choice = tuple[int, dict[int, list[Any]], bool, Selections]
"""How many ways there are, those that were taken before, whether the only way is to choose nothing, all of them."""

Part = Callable[[Sequence[Any]], Sequence[Any]]
Parts = tuple[int, dict[int, Any], bool]
"""The same where places of a zone's contents are chosen: a way is what takes them out, and what takes those that stay.
All of them, and how many pieces lie there, are kept at ALL."""
ALL = -1


def remembered(memory: dict[Any, Choice], key: Any, found: list[Any], low: int, high: int) -> Choice:
    """The ways to choose `low` to `high` of what was found, put into a memory; TooManyError if there are too many."""
    ways = selections(found, low, high)
    if len(memory) >= KEPT:
        memory.clear()
    count = len(ways)
    choice: Choice = (count, {}, count == 1 and not ways[0], ways)
    memory[key] = choice
    return choice


def taken(choice: Choice, k: int) -> list[Any]:
    """The k-th way, which was not taken before."""
    _, known, _, ways = choice
    if len(known) >= KEPT:
        known.clear()
    found: list[Any] = ways[k]
    known[k] = found
    return found


def placed_ways(
    memory: dict[Any, Parts], key: Any, contents: list[Any], found: list[Any], low: int, high: int
) -> Parts:
    """The ways to choose `low` to `high` of what was found in a zone that holds these, put into a memory.

    What was found is all of the contents or all pieces of some sorts; like pieces lie together. The ways are those of
    choosing from places, and the same wherever like pieces lie at the same places.
    """
    sorts = set(found)
    classes: list[list[int]] = []
    last: Any = None
    for place, value in enumerate(contents):
        if value not in sorts:
            continue
        if value == last:
            classes[-1].append(place)
        else:
            classes.append([place])
            last = value
    shape = (tuple(map(tuple, classes)), len(contents), low, high)
    choice = _shapes.get(shape)
    if choice is None:
        ways = Selections(classes, low, high)
        count = len(ways)
        if len(_shapes) >= KEPT:
            _shapes.clear()
        choice = _shapes[shape] = (count, {ALL: (ways, len(contents))}, count == 1 and not ways[0])
    if len(memory) >= CONTENTS_KEPT:
        memory.clear()
    memory[key] = choice
    return choice


_shapes: dict[Any, Parts] = {}


def parted(choice: Parts, k: int) -> tuple[Part, Part]:
    """What takes the k-th way, which was not taken before, out of the contents of a zone, and what it leaves."""
    _, known, _ = choice
    ways, size = known[ALL]
    if len(known) >= KEPT:
        known.clear()
        known[ALL] = ways, size
    found = ways[k]
    known[k] = parts = taking(found), taking([place for place in range(size) if place not in found])
    return parts


def taking(places: list[int]) -> Part:
    """What takes the pieces at these places, in order."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


class Totals(dict[Any, int]):
    """The sum of an attribute of the pieces of a bag, remembered by what lies there."""

    def __init__(self, column: Sequence[int]) -> None:
        super().__init__()
        self._of = column.__getitem__

    def __missing__(self, contents: tuple[int, ...]) -> int:
        if len(self) >= KEPT:
            self.clear()
        found = self[contents] = sum(map(self._of, contents))
        return found


def keep(memory: dict[Any, list[Any]], key: Any, values: list[Any]) -> list[Any]:
    """The values, put into a memory; the same list where they are the same."""
    if len(memory) >= KEPT:
        memory.clear()
    if len(_lists) >= KEPT:
        _lists.clear()
    memory[key] = values = _lists.setdefault(tuple(values), values)
    return values


_lists: dict[Any, list[Any]] = {}


def selections(found: list[Any], low: int, high: int) -> Selections:
    """The same, not remembered, for those that are all gone through."""
    classes: list[list[Any]] = []
    last: Any = None
    for value in sorted(found):
        if value == last:
            classes[-1].append(value)
        else:
            classes.append([value])
            last = value
    return Selections(classes, low, high)
