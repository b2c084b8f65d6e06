"""Leduc hold'em, two rounds of betting.

Six cards, ranks 1, 2, 3 twice; with `suits` 1 the two of a rank are alike, with `suits` 2 all six differ. Each of
two players stakes 1 and is dealt one card; a round of betting in steps of 2; a public card; a round in steps of 4.
In a round seat 0 begins; a player stays (matches the rival's stake), raises to the rival's stake and a step more
(at most two raises in a round), or folds (only when behind). The round ends when both have acted and the stakes are
equal. A pair with the public card wins, else the higher rank; the winner wins what the loser staked. Outcome: what
each seat wins.
"""

from __future__ import annotations

from collections import Counter

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int, suits: int = 1) -> Outcome:
    """One game; the outcome is the payoff."""
    cards = [(rank, copy if suits == 2 else 0) for rank in (1, 2, 3) for copy in (0, 1)]
    hands = []
    for _ in range(2):
        card = ask.chance(Counter(cards))
        cards.remove(card)
        hands.append(card[0])
    stakes = [1, 1]
    public = 0
    for step in (2, 4):
        if step == 4:
            public = ask.chance(Counter(cards))[0]
        raises = acted = 0
        while acted < 2 or stakes[0] != stakes[1]:
            seat = acted % 2
            options = ["stay"]
            if raises < 2:
                options.append("raise")
            if stakes[1 - seat] > stakes[seat]:
                options.append("fold")
            said = ask.decide(options)
            acted += 1
            if said == "fold":
                return (-stakes[0], stakes[0]) if seat == 0 else (stakes[1], -stakes[1])
            stakes[seat] = stakes[1 - seat]
            if said == "raise":
                stakes[seat] += step
                raises += 1
    strength = [10 * (rank == public) + rank for rank in hands]
    if strength[0] == strength[1]:
        return (0, 0)
    return (stakes[1], -stakes[1]) if strength[0] > strength[1] else (-stakes[0], stakes[0])


rows, terminal_probabilities = enumeration(play)
