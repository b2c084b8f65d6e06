"""Teams.

Four players, seats 0 and 2 against 1 and 3, or two players, each alone. Each has 1 point. In turn, `rounds` times:
take 2 points, give the partner 3 points, or hit an opponent who has points for 1 point. A team has as many as its
weaker member; the team with more wins. Outcome: returns.
"""

from __future__ import annotations

from .tree import Ask, Outcome, best, enumeration, shares


def play(ask: Ask, players: int, rounds: int = 1) -> Outcome:
    """One game; the outcome is the returns."""
    points = [1] * players
    for turn in range(rounds * players):
        seat = turn % players
        partners = [other for other in range(players) if other != seat and other % 2 == seat % 2]
        rivals = [other for other in range(players) if other % 2 != seat % 2 and points[other]]
        action, whom = ask.decide(
            [("take", seat), *(("give", other) for other in partners), *(("hit", other) for other in rivals)]
        )
        points[whom] += {"take": 2, "give": 3, "hit": -1}[action]
    weaker = [min(points[team::2]) for team in (0, 1)]
    return shares({seat for seat in range(players) if seat % 2 in best(weaker)}, players)


rows, terminal_probabilities = enumeration(play)
