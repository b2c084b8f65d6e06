"""Roll twice, keep the best.

In turn each player rolls a die of `faces` faces and keeps it or rolls again; the better of the two counts. Then
each player in turn adds the sum of two dice of two faces (two chance nodes). A die of one face is certain and no
node. Outcome: points.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int, faces: int = 4) -> Outcome:
    """One game; the outcome is the scores."""
    die = dict.fromkeys(range(1, faces + 1), 1)
    points = []
    for _ in range(players):
        thrown = ask.chance(die)
        if ask.decide(["keep", "again"]) == "again":
            thrown = max(thrown, ask.chance(die))
        points.append(thrown)
    for seat in range(players):
        points[seat] += ask.chance({1: 1, 2: 1}) + ask.chance({1: 1, 2: 1})
    return tuple(points)


rows, terminal_probabilities = enumeration(play)
