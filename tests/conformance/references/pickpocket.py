"""Pickpocket.

Three pennies (1), two crowns (2), a gem (4); two or three players are dealt two coins each, seat 0 both first. In
turn, once each: the next seat is asked in any case and has one answer, crying out if it has the gem (the thief then
loses 2), else a lone pass. The thief draws a coin blindly from that hand (chance by distinct coin, as many times as
likely as there are), then throws one coin of its own hand away. Outcome: values in hand less what was lost.
"""

from __future__ import annotations

from .bags import bag, minus, plus, sub_bags, weights
from .tree import Ask, Outcome, enumeration

VALUE = {"penny": 1, "crown": 2, "gem": 4}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    pool = bag("penny", "penny", "penny", "crown", "crown", "gem")
    hands = [bag() for _ in range(players)]
    for seat in range(players):
        for _ in range(2):
            coin = ask.chance(weights(pool))
            pool, hands[seat] = minus(pool, [coin]), plus(hands[seat], [coin])
    lost = [0] * players
    for thief in range(players):
        victim = (thief + 1) % players
        if ask.decide(["cry" if "gem" in hands[victim] else "pass"]) == "cry":
            lost[thief] = 2
        if hands[victim]:
            coin = ask.chance(weights(hands[victim]))
            hands[victim], hands[thief] = minus(hands[victim], [coin]), plus(hands[thief], [coin])
        hands[thief] = minus(hands[thief], ask.decide(sub_bags(hands[thief], 1)))
    return tuple(sum(VALUE[coin] for coin in hand) - less for hand, less in zip(hands, lost, strict=True))


rows, terminal_probabilities = enumeration(play)
