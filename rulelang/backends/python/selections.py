"""Ways to choose several of a few pieces, remembered from one choice to the next.

Enters: what may be chosen from, how many. Leaves: how many ways there are, and any of them.
"""

from __future__ import annotations

from typing import Any

from rulelang.backends.interpreter.decisions import Selections

KEPT = 4096
"""So many choices of one place are remembered, and so many ways of each."""

Choice = tuple[int, dict[int, Any], bool, Selections]
"""How many ways there are, those that were taken before, whether the only way is to choose nothing, all of them."""


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


def parted(choice: Choice, k: int, contents: list[Any]) -> tuple[list[Any], list[Any]]:
    """The k-th way, which was not taken before, to take pieces out of a zone that holds these, and what it leaves."""
    _, known, _, ways = choice
    if len(known) >= KEPT:
        known.clear()
    found = ways[k]
    rest = contents[:]
    for value in found:
        rest.remove(value)
    known[k] = found, rest
    return found, rest


def keep(memory: dict[Any, list[Any]], key: Any, values: list[Any]) -> list[Any]:
    """The values, put into a memory."""
    if len(memory) >= KEPT:
        memory.clear()
    memory[key] = values
    return values


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
