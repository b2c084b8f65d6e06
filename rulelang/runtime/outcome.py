"""What came of a game: who has won, and what that is worth.

Enters: the executor that defines what rules mean, and a finished game. Leaves: winners and ranks by party (seats
first, then automata), payoffs by seat, `Outcome`.

Winners of a game that scores decide are the parties with the most (or fewest) of what `winner` says, by default of the
total score; ties are broken as declared and what is tied then shares. Eliminated parties win only if all are. Who is
in a team with a winner wins too. A game with one seat is won by declaration or by not being behind every automaton.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rulelang.runtime.definition import Definition
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


def winners(definition: Definition, state: State, scores: Sequence[int] | None = None) -> list[int]:
    """Return the parties that have won; none while the game runs or when it is drawn. `scores`: by party, if known."""
    layout = definition.layout
    if state.over == DECLARED:
        best = [party for party in range(layout.parties) if state.winners >> party & 1]
    elif state.over == SCORED and layout.parties > 1:
        best = _compared(definition, state, definition.scores(state) if scores is None else scores)
    else:
        return []
    teams = {layout.team_of[party] for party in best}
    return [party for party in range(layout.parties) if layout.team_of[party] in teams]


def _compared(definition: Definition, state: State, scores: Sequence[int]) -> list[int]:
    best = list(range(definition.layout.parties))
    if state.out:
        best = [party for party in best if not state.out >> party & 1] or best
    return next(_groups(definition, state, scores, best))


def _groups(
    definition: Definition, state: State, scores: Sequence[int], parties: list[int], criterion: int = 0
) -> Iterator[list[int]]:
    """Yield the parties from the best to the worst, those that no criterion tells apart together."""
    rankings = (definition.program.winner, *definition.program.ties)
    if len(parties) < 2 or criterion == len(rankings):
        yield parties
        return
    ranking = rankings[criterion]
    values = dict.fromkeys(parties, 0)
    if ranking.procedure == TOTAL:
        values = {party: scores[party] for party in parties}
    elif ranking.procedure != SHARED:
        values = {party: int(definition.evaluate(state, ranking.procedure, [party])) for party in parties}
    for value in sorted(set(values.values()), reverse=ranking.ranking != "fewest"):
        tied = [party for party in parties if values[party] == value]
        yield from _groups(definition, state, scores, tied, criterion + 1)


def ranks(definition: Definition, state: State) -> list[int]:
    """Return the rank of each party, 1 for the best; none while the game runs.

    Parties that share a rank have the same, and the next one comes after all of them. Eliminated parties come last;
    teams have the rank of their best member. Where winners were declared, all others share the next rank; all share the
    first where the game was drawn.
    """
    layout = definition.layout
    everyone = list(range(layout.parties))
    if not state.over:
        return []
    if state.over == DECLARED:
        best = winners(definition, state)
        groups = [best, [party for party in everyone if party not in best]]
    elif state.over == SCORED:
        scores = definition.scores(state)
        alive = [[p for p in everyone if bool(state.out >> p & 1) == out] for out in (False, True)]
        groups = [group for part in alive if part for group in _groups(definition, state, scores, part)]
    else:
        groups = [everyone]
    places: dict[int, int] = {}
    for place, group in enumerate(groups):
        for party in group:
            places.setdefault(layout.team_of[party], place)
    party_places = [places[layout.team_of[party]] for party in everyone]
    return [1 + sum(other < place for other in party_places) for place in party_places]


def returns(definition: Definition, state: State, won: Sequence[int] | None = None) -> list[float]:
    """Return the payoff of each seat: the declared one, else `shares`; 0 before the end. `won`: who has won."""
    players, payoff = definition.layout.players, definition.program.payoff
    if not state.over:
        return [0.0] * players
    if payoff >= 0:
        return [float(definition.evaluate(state, payoff, [seat])) for seat in range(players)]
    return shares(players, winners(definition, state) if won is None else won, state.over)


def shares(players: int, winners: Sequence[int], over: int) -> list[float]:
    """The payoff of each seat of a finished game without declared payoffs: 1 split among those who won, -1 among the
    others; 0 for all where all won or nobody did. `over`: how the game ended."""
    seats = [seat for seat in range(players) if seat in winners]
    if players == 1:
        return [1.0 if seats else -1.0]
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
