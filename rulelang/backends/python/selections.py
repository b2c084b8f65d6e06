"""Ways to choose several of a few pieces, remembered from one choice to the next.

Enters: what may be chosen from, how many. Leaves: how many ways there are, and any of them.
"""

from __future__ import annotations

from typing import Any

from rulelang.backends.interpreter.decisions import Selections

KEPT = 4096
"""So many choices are remembered."""
PICKS = 64
"""So many ways of one choice are remembered."""


class Picks:
    """Every distinct sub-multiset of a size within bounds, in the interpreter's order; `total` is how many."""

    __slots__ = ("_known", "_ways", "total")

    def __init__(self, ways: Selections) -> None:
        self._ways = ways
        self._known: dict[int, list[Any]] = {}
        self.total = len(ways)

    def nth(self, k: int) -> list[Any]:
        """The k-th way."""
        found = self._known.get(k)
        if found is None:
            found = self._ways[k]
            if k < PICKS:
                self._known[k] = found
        return found


_known: dict[Any, Picks] = {}


def picks(found: list[Any], low: int, high: int) -> Picks:
    """The ways to choose `low` to `high` of what was found; TooManyError if they cannot even be counted."""
    key = (*sorted(found), low, high)
    known = _known.get(key)
    if known is None:
        if len(_known) >= KEPT:
            _known.clear()
        known = _known[key] = Picks(selections(found, low, high))
    return known


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
