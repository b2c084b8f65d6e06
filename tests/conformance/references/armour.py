"""Armour.

Each strikes the other for 1 or 2, or rests. Two curses double a blow and two plates take 1 off one of more than 1, each
once at most, in an order that the victim chooses. Both scribes note what a victim that had more than 10 lost.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration

ALL = (("curse", 0), ("curse", 1), ("plate", 0), ("plate", 1))


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is life and a thousand for each point noted."""
    life, notes = [12] * players, [0] * players
    for seat in range(players):
        n = ask.decide((1, 2, 0))
        if n == 0:
            continue
        used: set[tuple[str, int]] = set()
        while open_ := [one for one in ALL if one not in used and (one[0] == "curse" or n > 1)]:
            kind, _ = one = ask.question(open_)
            used.add(one)
            n = 2 * n if kind == "curse" else n - 1
        had = life[1 - seat]
        life[1 - seat] -= n
        if had > 10:
            notes = [number + n for number in notes]
    return tuple(left + 1000 * noted for left, noted in zip(life, notes, strict=True))


rows, terminal_probabilities = enumeration(play)
