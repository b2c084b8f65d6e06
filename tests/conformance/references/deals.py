"""Deals.

Of three ones, two twos and a six each gets two at once; the first lays one away, and gets the two that are left and the
one that it laid away. What is dealt at once is one node, with an edge for each bag of cards.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from .tree import Ask, Outcome, enumeration

DECK = (1, 1, 1, 2, 2, 6)


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the sum of each hand."""
    left = list(DECK)
    hands: list[list[int]] = []
    for _ in range(players):
        ways = Counter(tuple(sorted(hand)) for hand in combinations(left, 2))
        hand = ask.chance(ways)
        hands.append(list(hand))
        for card in hand:
            left.remove(card)
    laid = ask.decide(sorted(set(hands[0])))
    hands[0].remove(laid)
    hands[0] += [*left, laid]
    return tuple(map(sum, hands))


rows, terminal_probabilities = enumeration(play)
