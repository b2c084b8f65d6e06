"""Fair, a variant of stall.

A bag of 2 figs (worth 4) and 3 dates (worth 2); each of two players has a coin. Twice, each in turn draws a fruit,
while there is one; who draws a fig gets a coin. Then the player keeps the fruit or gets 2 coins for it, and with
nothing drawn chooses as well. Then a fruit of the bag is lost, if there is one. Whoever then has more than 3 coins
loses all. Outcome: the worth of the fruit kept, and coins.
"""

from __future__ import annotations

from .bags import bag, minus, weights
from .tree import Ask, Outcome, enumeration

WORTH = {"fig": 4, "date": 2, "": 0}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    left = bag(*["fig"] * 2, *["date"] * 3)
    coins, kept = [1] * players, [0] * players

    def draw() -> str:
        nonlocal left
        if not left:
            return ""
        fruit = ask.chance(weights(left))
        left = minus(left, [fruit])
        return fruit

    for _ in range(2):
        for seat in range(players):
            fruit = draw()
            coins[seat] += fruit == "fig"
            if ask.decide(["keep", "sell"]) == "keep":
                kept[seat] += WORTH[fruit]
            else:
                coins[seat] += 2
            draw()
            if coins[seat] > 3:
                coins[seat] = 0
    return tuple(a + b for a, b in zip(kept, coins, strict=True))


rows, terminal_probabilities = enumeration(play)
