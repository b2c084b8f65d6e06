"""Refill.

A shuffled deck of low, low, middle, high, high (1, 2, 3). In turn, twice each, two players draw two cards, then put
one card of the hand on the discard pile, or at the bottom of the deck, or into the deck, which is shuffled. When a
card is to be drawn and the deck is empty, the discard pile is shuffled into a new deck; with both empty nothing is
drawn. A card at the bottom is known: drawing it is certain. Outcome: values in hand.
"""

from __future__ import annotations

from .bags import bag, minus, plus, weights
from .tree import Ask, Outcome, enumeration

VALUE = {"low": 1, "middle": 2, "high": 3}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    pool = bag("low", "low", "middle", "high", "high")
    below: list[str] = []  # known cards under the pool, the highest first
    discard = bag()
    hands = [bag(), bag()]
    for turn in range(4):
        seat = turn % 2
        for _ in range(2):
            if not pool and not below:
                pool, discard = discard, bag()
            if pool:
                card = ask.chance(weights(pool))
                pool = minus(pool, [card])
            elif below:
                card = below.pop(0)
            else:
                break
            hands[seat] = plus(hands[seat], [card])
        where, card = ask.decide([(where, card) for where in ("toss", "bury", "mix") for card in weights(hands[seat])])
        hands[seat] = minus(hands[seat], [card])
        if where == "toss":
            discard = plus(discard, [card])
        elif where == "bury":
            below.append(card)
        else:
            pool, below = plus(pool, [*below, card]), []
    return tuple(sum(VALUE[card] for card in hand) for hand in hands)


rows, terminal_probabilities = enumeration(play)
