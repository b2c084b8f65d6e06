"""Ways to choose several of a few pieces, remembered from one choice to the next.

Enters: what may be chosen from, how many. Leaves: how many ways there are, and any of them.
"""

from __future__ import annotations

from typing import Any

from rulelang.backends.interpreter.decisions import Selections

KEPT = 2048
"""So many choices of one place are remembered."""
LISTED = 64
"""So many ways of one choice are made at once, and so many of a longer one are remembered."""


class Picks:
    """Every distinct sub-multiset of a size within bounds, in the interpreter's order."""

    __slots__ = ("_count", "_known", "_ways")

    def __init__(self, ways: Selections) -> None:
        self._ways = ways
        self._known: dict[int, list[Any]] = {}
        self._count = len(ways)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: int) -> list[Any]:
        found = self._known.get(k)
        if found is None:
            found = self._ways[k]
            if len(self._known) < LISTED:
                self._known[k] = found
        return found


def remembered(memory: dict[Any, Any], key: Any, found: list[Any], low: int, high: int) -> Any:
    """The ways to choose `low` to `high` of what was found, put into a memory; TooManyError if they can't be counted."""
    ways = selections(found, low, high)
    if len(memory) >= KEPT:
        memory.clear()
    memory[key] = list(ways) if len(ways) <= LISTED else Picks(ways)
    return memory[key]


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
