"""What came of a game: who has won, and what that is worth.

Enters: an interpreter and a finished game. Leaves: winners by party (seats first, then automata), payoffs by seat,
`Outcome`.

Winners of a game that scores decide are the parties with the most (or fewest) of what `winner` says, by default of the
total score; ties are broken as declared and what is tied then shares. Eliminated parties win only if all are. Who is
in a team with a winner wins too. A game with one seat is won by declaration or by not being behind every automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulelang.backends.interpreter import Machine
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


def winners(interpreter: Machine, state: State, scores: Sequence[int] | None = None) -> list[int]:
    """Return the parties that have won; none while the game runs or when it is drawn. `scores`: by party, if known."""
    layout = interpreter.layout
    if state.over == DECLARED:
        best = [party for party in range(layout.parties) if state.winners >> party & 1]
    elif state.over == SCORED and layout.parties > 1:
        best = _compared(interpreter, state, interpreter.scores(state) if scores is None else scores)
    else:
        return []
    teams = {layout.team_of[party] for party in best}
    return [party for party in range(layout.parties) if layout.team_of[party] in teams]


def _compared(interpreter: Machine, state: State, scores: Sequence[int]) -> list[int]:
    program, best = interpreter.program, list(range(interpreter.layout.parties))
    if state.out:
        best = [party for party in best if not state.out >> party & 1] or best
    for ranking in (program.winner, *program.ties):
        if ranking.procedure == SHARED or len(best) == 1:
            continue
        if ranking.procedure == TOTAL:
            values = [scores[party] for party in best]
        else:
            values = [int(interpreter.evaluate(state, ranking.procedure, [party])) for party in best]
        extreme = min(values) if ranking.ranking == "fewest" else max(values)
        best = [party for party, value in zip(best, values, strict=True) if value == extreme]
    return best


def returns(interpreter: Machine, state: State, won: Sequence[int] | None = None) -> list[float]:
    """Return the payoff of each seat: the declared one, else `shares`; 0 before the end. `won`: who has won."""
    players, payoff = interpreter.layout.players, interpreter.program.payoff
    if not state.over:
        return [0.0] * players
    if payoff >= 0:
        return [float(interpreter.evaluate(state, payoff, [seat])) for seat in range(players)]
    return shares(players, winners(interpreter, state) if won is None else won, state.over)


def shares(players: int, winners: Sequence[int], over: int) -> list[float]:
    """The payoff of each seat of a finished game without declared payoffs: 1 split among those who won, -1 among the
    others; 0 for all where all won or nobody did. `over`: how the game ended."""
    seats = [seat for seat in range(players) if seat in winners]
    if players == 1:
        return [1.0 if seats else -1.0]
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
