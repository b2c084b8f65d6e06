"""Variants.

A tree of `apples` apples, 2 pears and, with `worms`, a worm, shuffled. Quick: each player starts with a fruit of
it. In turn, 3 times (quick: 2), each player who has not stopped picks the top fruit or stops. The worm sends the
finder's basket to the compost and stops the finder. To pick from an empty tree ends the game. 1, 2, 3 apples score
1, 3, 6, two pears 4; if the worm was found, the other player than its last finder scores 1 more. (A worm dealt at
the start lies in the basket and does nothing.) Outcome: scores.
"""

from __future__ import annotations

from .bags import bag, minus, plus, weights
from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int, apples: int = 2, worms: bool = False, variant: str = "slow") -> Outcome:
    """One game; the outcome is the scores."""
    tree = bag(*["apple"] * apples, "pear", "pear", *["worm"] * worms)
    baskets, stopped, unlucky = [bag(), bag()], [False, False], -1
    if variant == "quick":
        for seat in (0, 1):
            fruit = ask.chance(weights(tree))
            tree, baskets[seat] = minus(tree, [fruit]), bag(fruit)

    def scores() -> Outcome:
        return tuple(
            (0, 1, 3, 6)[basket.count("apple")] + (4 if basket.count("pear") == 2 else 0) + (unlucky == 1 - seat)
            for seat, basket in enumerate(baskets)
        )

    for _ in range(2 if variant == "quick" else 3):
        for seat in (0, 1):
            if stopped[seat]:
                continue
            if ask.decide(["pick", "stay"]) == "stay":
                stopped[seat] = True
                continue
            if not tree:
                return scores()
            fruit = ask.chance(weights(tree))
            tree = minus(tree, [fruit])
            if fruit == "worm":
                unlucky, stopped[seat], baskets[seat] = seat, True, bag()
            else:
                baskets[seat] = plus(baskets[seat], [fruit])
    return scores()


rows, terminal_probabilities = enumeration(play)
