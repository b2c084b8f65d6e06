"""Lots.

Of three ones, two twos and a six in a bag each takes two at once, then two of four faces, of which two are suns: a coin
for each sun, three for the moon and the star. The second takes what is left in the bag. What is taken at once is one
node, with an edge for each bag of cards or faces.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from .tree import Ask, Outcome, enumeration

BAG = (1, 1, 1, 2, 2, 6)
FACES = ("sun", "moon", "sun", "star")


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the score of each."""
    left, scores = list(BAG), [0] * players
    for seat in range(players):
        lots = ask.chance(Counter(tuple(sorted(lots)) for lots in combinations(left, 2)))
        for card in lots:
            left.remove(card)
        faces = ask.chance(Counter(tuple(sorted(faces)) for faces in combinations(FACES, 2)))
        coins = 3 if faces == ("moon", "star") else faces.count("sun")
        scores[seat] += sum(lots) + coins + ask.decide((0, 1))
    scores[1] += sum(left)
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
