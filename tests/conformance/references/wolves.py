"""Wolves.

Three players are dealt roles of two wolves and two villagers, one after the other. By night each is asked: a wolf,
unless there is prey already, names another player who is no wolf, if there is one; all others have a lone pass. By day
each points at another player. Scores: a wolf has one for not being the prey (none ever is), a villager one for pointing
at a wolf.
"""

from __future__ import annotations

from .bags import bag, minus, weights
from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    deck, roles = bag("wolf", "wolf", "villager", "villager"), list[str]()
    for _ in range(players):
        role = ask.chance(weights(deck))
        deck, roles = minus(deck, [role]), [*roles, role]
    prey = -1
    for seat in range(players):
        able = roles[seat] == "wolf" and prey < 0
        victims = [other for other in range(players) if able and roles[other] != "wolf" and other != seat]
        named = ask.decide(victims or [-1])
        prey = prey if named < 0 else named
    scores = []
    for seat in range(players):
        doubted = ask.decide([other for other in range(players) if other != seat])
        scores.append(int(seat != prey if roles[seat] == "wolf" else roles[doubted] == "wolf"))
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
