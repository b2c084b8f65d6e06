"""Paths.

In turn each takes a field of a board of two rows, until all are taken. A seat has a point for each field of the longest
way over its own fields that enters none twice, found by going through all orders of some of them.
"""

from __future__ import annotations

from itertools import pairwise, permutations

from .tree import Ask, Outcome, enumeration


def longest(fields: list[tuple[int, int]]) -> int:
    """How many fields the longest way has."""
    return max(
        size
        for size in range(1, len(fields) + 1)
        for way in permutations(fields, size)
        if all(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in pairwise(way))
    )


def play(ask: Ask, players: int, size: str) -> Outcome:
    """One game; the outcome is the points."""
    columns = 2 if size == "small" else 3
    free = [(column, row) for row in range(2) for column in range(columns)]
    own: list[list[tuple[int, int]]] = [[] for _ in range(players)]
    while free:
        for fields in own:
            chosen = ask.decide(range(len(free)))
            fields.append(free.pop(chosen))
    return tuple(longest(fields) for fields in own)


rows, terminal_probabilities = enumeration(play)
