"""Stores.

Twice each rests (energy + 2), works (energy - 2, and stores a good of which there is room), fetches one or two wood
that find room, loads wood and a clay from nowhere onto a cart (keeping two goods of all that would lie there) or
doubles its energy. Energy stays within 0 to 3; a store holds two wood and one clay.
"""

from __future__ import annotations

from itertools import product

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the points."""
    energy = [1] * players
    stores, carts = ([(0, 0)] * players for _ in range(2))
    for _ in range(2):
        for seat in range(players):
            wood, clay = stores[seat]
            options: list[tuple[str, int]] = [("rest", 0)]
            options += [("work", 0)] * (wood + clay < 3)
            options += [("fetch", n) for n in (1, 2) if wood + n <= 2]
            options += [("load", 0)] * (wood > 0)
            chosen, n = ask.decide([*options, ("double", 0)])
            if chosen == "rest":
                energy[seat] = min(3, energy[seat] + 2)
            elif chosen == "double":
                energy[seat] = min(3, energy[seat] * 2)
            elif chosen == "fetch":
                stores[seat] = wood + n, clay
            elif chosen == "work":
                energy[seat] = max(0, energy[seat] - 2)
                ways = [(wood + 1, clay)] * (wood < 2) + [(wood, clay + 1)] * (clay < 1)
                stores[seat] = ask.question(ways)
            else:
                stores[seat] = wood - 1, clay
                most = [n + 1 for n in carts[seat]]
                size = min(2, sum(most))
                carts[seat] = ask.question(
                    [kept for kept in product(range(most[0] + 1), range(most[1] + 1)) if sum(kept) == size]
                )
    return tuple(
        e + 10 * s[0] + 100 * s[1] + 1000 * c[0] + 10000 * c[1] for e, s, c in zip(energy, stores, carts, strict=True)
    )


rows, terminal_probabilities = enumeration(play)
