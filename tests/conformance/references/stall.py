"""Stall.

A bag of 2 plums (worth 1) and 2 figs (worth 3); each of two players has a coin. Twice, each in turn draws a fruit, then
keeps it or sells it for a coin, then pays a coin, if there is one. Outcome: the worth of the fruit kept, and coins.
"""

from __future__ import annotations

from .bags import bag, minus, weights
from .tree import Ask, Outcome, enumeration

WORTH = {"plum": 1, "fig": 3}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    left = bag(*["plum"] * 2, *["fig"] * 2)
    coins, kept = [1] * players, [0] * players
    for _ in range(2):
        for seat in range(players):
            fruit = ask.chance(weights(left))
            left = minus(left, [fruit])
            if ask.decide(["keep", "sell"]) == "keep":
                kept[seat] += WORTH[fruit]
            else:
                coins[seat] += 1
            coins[seat] = max(0, coins[seat] - 1)
    return tuple(a + b for a, b in zip(kept, coins, strict=True))


rows, terminal_probabilities = enumeration(play)
