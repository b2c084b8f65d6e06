"""Urn.

In turn each throws 1 (three of four) or 3, then draws a piece (of two small ones, worth 1, each weighs 2, the large
one, worth 2, weighs 1) or sells one of 2 bricks and 1 wool, where wool weighs 5 and brick 1, however many there are,
for as much. Outcome: the scores.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    urn, purse, scores = {1: 2, 2: 1}, {1: 2, 5: 1}, [0, 0]
    for seat in range(players):
        scores[seat] += ask.chance({1: 3, 3: 1})
        if ask.decide(("draw", "sell")) == "draw":
            value = ask.chance({value: count * (3 - value) for value, count in urn.items()})
            urn[value] -= 1
        else:
            value = ask.chance({value: value for value, count in purse.items() if count})
            purse[value] -= 1
        scores[seat] += value
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
