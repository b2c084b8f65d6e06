"""Two tricks.

Two suits of ranks 1 to 3. Two or three players are dealt two cards each, seat 0 both of its cards first, one chance
node for each card; the rest stays unseen. The leader (first seat 0) plays any card; the others, clockwise, one of
the suit led if they have one, else any. The highest card of the suit led takes the trick and its player leads the
next. Outcome: tricks taken.
"""

from __future__ import annotations

from .bags import weights
from .tree import Ask, Outcome, enumeration

CARDS = ["h1", "h2", "h3", "s1", "s2", "s3"]


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the number of tricks of each seat."""
    unseen = list(CARDS)
    hands: list[list[str]] = [[] for _ in range(players)]
    for hand in hands:
        for _ in range(2):
            hand.append(ask.chance(weights(unseen)))
            unseen.remove(hand[-1])
    taken = [0] * players
    leader = 0
    for _ in range(2):
        played: dict[int, str] = {}
        for step in range(players):
            seat = (leader + step) % players
            led = played[leader][0] if played else ""
            following = [card for card in hands[seat] if card[0] == led]
            played[seat] = ask.decide(following or hands[seat])
            hands[seat].remove(played[seat])
        led = played[leader][0]
        leader = max((seat for seat in played if played[seat][0] == led), key=lambda seat: played[seat][1])
        taken[leader] += 1
    return tuple(taken)


rows, terminal_probabilities = enumeration(play)
