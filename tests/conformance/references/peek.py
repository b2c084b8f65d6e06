"""Peek.

A shuffled deck: two ants (1), a bee (2), a cow (3), a dog (5). Seat 1 looks at the top card and leaves it or puts
it at the bottom. Seat 0 takes the top two (known ones are no chance) and puts them back on top one after the other:
two decisions, the second with one option. Then seats 1, 0, 1, 0 draw a card each; a card that someone has seen in
its place is certain. Outcome: sums of values. The deck is a list of known cards on top, a pool in unknown order,
and known cards below.
"""

from __future__ import annotations

from .bags import bag, minus, weights
from .tree import Ask, Outcome, enumeration

VALUE = {"ant": 1, "bee": 2, "cow": 3, "dog": 5}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    top: list[str] = []
    pool = bag("ant", "ant", "bee", "cow", "dog")
    below: list[str] = []

    def draw() -> str:
        nonlocal pool
        if top:
            return top.pop(0)
        if pool:
            card = ask.chance(weights(pool))
            pool = minus(pool, [card])
            return card
        return below.pop(0)

    card = draw()
    if ask.decide(["leave", "bury"]) == "leave":
        top = [card]
    else:
        below = [card]
    lens = [draw(), draw()]
    while lens:
        put = ask.decide(sorted(set(lens)))
        lens.remove(put)
        top.insert(0, put)
    scores = [0, 0]
    for seat in (1, 0, 1, 0):
        scores[seat] += VALUE[draw()]
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
