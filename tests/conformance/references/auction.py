"""Two lots in ascending auctions.

Lots worth 2 and 3 points are sold one after the other; each player has 3 coins. Beginning with the opener (first
seat 0), clockwise and again and again, every seat that is neither out nor leading either bids any number above the
highest bid, up to its coins, or is out. When nobody is left to ask, the leader, if any, pays its bid, gets the
points, and the seat after it opens the next auction. Outcome: points and coins of each seat.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    coins, points = [3] * players, [0] * players
    opener = 0
    for worth in (2, 3):
        bid, leader, out = 0, -1, set()
        seat = opener
        while any(other not in out and other != leader for other in range(players)):
            if seat not in out and seat != leader:
                amount = ask.decide([0, *range(bid + 1, coins[seat] + 1)])
                if amount:
                    bid, leader = amount, seat
                else:
                    out.add(seat)
            seat = (seat + 1) % players
        if leader >= 0:
            coins[leader] -= bid
            points[leader] += worth
            opener = (leader + 1) % players
    return tuple(point + coin for point, coin in zip(points, coins, strict=True))


rows, terminal_probabilities = enumeration(play)
