"""Sealed bids.

Prizes of 2 and 3 points; each player has 4 coins. For each prize every seat that has coins bids at once and
secretly from 1 to all its coins: one node per seat, in seat order, whose options do not depend on the other bids. A
single highest bid pays and wins the prize; with several highest nothing happens. Outcome: points.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    coins, points = [4] * players, [0] * players
    for prize in (2, 3):
        bids = [ask.decide(range(1, purse + 1)) if purse else 0 for purse in coins]
        if bids.count(max(bids)) == 1:
            winner = bids.index(max(bids))
            coins[winner] -= bids[winner]
            points[winner] += prize
    return tuple(points)


rows, terminal_probabilities = enumeration(play)
