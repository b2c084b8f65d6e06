"""What came of a game: who has won, and what that is worth.

Enters: a finished game. Leaves: winners, payoffs, `Outcome`.

Winners of a game that scores decide are the parties with the most (or fewest) of what `winner` says, by default of the
total score; ties are broken as declared and what is tied then shares. Eliminated parties win only if all are. Who is
in a team with a winner wins too. A game with one seat is won by declaration or by not being behind every automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DECLARED, SCORED, State

TOTAL = -2
SHARED = -1


class Game(NamedTuple):
    """A finished game: scores by party, the parties that won, how long it took, whether `limits` ended it and whether
    it was drawn."""

    scores: list[int]
    winners: list[int]
    decisions: int
    turns: int
    limited: bool
    drawn: bool


class Outcome(NamedTuple):
    """A finished game, and the payoffs by seat."""

    game: Game
    returns: list[float]


def winners_of(
    layout: Layout, state: State, scores: Callable[[], Sequence[int]], value: Callable[[int, int], int]
) -> list[int]:
    """The parties that have won; none while the game runs or when it is drawn.

    Args:
        scores: gives the score of each party. value: what a procedure gives for a party.
    """
    if state.over == DECLARED:
        best = [party for party in range(layout.parties) if state.winners >> party & 1]
    elif state.over == SCORED and layout.parties > 1:
        best = _compared(layout, state, scores(), value)
    else:
        return []
    teams = {layout.team_of[party] for party in best}
    return [party for party in range(layout.parties) if layout.team_of[party] in teams]


def _compared(layout: Layout, state: State, scores: Sequence[int], value: Callable[[int, int], int]) -> list[int]:
    program, best = layout.program, list(range(layout.parties))
    if state.out:
        best = [party for party in best if not state.out >> party & 1] or best
    for ranking in (program.winner, *program.ties):
        if ranking.procedure == SHARED or len(best) == 1:
            continue
        if ranking.procedure == TOTAL:
            values = [scores[party] for party in best]
        else:
            values = [int(value(ranking.procedure, party)) for party in best]
        wanted = min(values) if ranking.ranking == "fewest" else max(values)
        best = [party for party, reached in zip(best, values, strict=True) if reached == wanted]
    return best


def shares(players: int, winners: Sequence[int], over: int) -> list[float]:
    """The payoff of each seat of a finished game without declared payoffs: 1 split among those who won, -1 among the
    others; 0 for all where all won or nobody did. `over`: how the game ended."""
    seats = [seat for seat in range(players) if seat in winners]
    if players == 1:
        return [1.0 if seats else -1.0]
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
