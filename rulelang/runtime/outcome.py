"""What came of a game: who has won, and what that is worth.

Enters: the executor that defines what rules mean, and a finished game. Leaves: winners and ranks by party (seats
first, then automata), payoffs by seat, `Outcome`.

Winners of a game that scores decide are the parties with the most (or fewest) of what `winner` says, by default of the
total score; ties are broken as declared and what is tied then shares. Eliminated parties win only if all are. Who is
in a team with a winner wins too. A game with one seat is won by declaration or by not being behind every automaton.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rulelang.ir.types import ABSENT_NUMBER
from rulelang.runtime.definition import Definition
from rulelang.runtime.state import DECLARED, SCORED, State

TOTAL = -2
SHARED = -1


class Game(NamedTuple):
    """A finished game: scores and ranks by party, the parties that won, how long it took, whether `limits` ended it and
    whether it was drawn."""

    scores: list[int]
    ranks: list[int]
    winners: list[int]
    decisions: int
    turns: int
    limited: bool
    drawn: bool


class Outcome(NamedTuple):
    """A finished game, and the payoffs by seat."""

    game: Game
    returns: list[float]


def winners(definition: Definition, state: State, placed: Sequence[int] | None = None) -> list[int]:
    """Return the parties that have won; none while the game runs or when it is drawn. `placed`: the ranks, if known."""
    layout = definition.layout
    if state.over == DECLARED:
        teams = {layout.team_of[party] for party in range(layout.parties) if state.winners >> party & 1}
        return [party for party in range(layout.parties) if layout.team_of[party] in teams]
    if state.over != SCORED or layout.parties == 1:
        return []
    return [party for party, rank in enumerate(ranks(definition, state) if placed is None else placed) if rank == 1]


def ranks(definition: Definition, state: State, scores: Sequence[int] | None = None) -> list[int]:
    """Return the rank of each party, 1 for the best; none while the game runs. `scores`: by party, if known.

    Parties that share a rank have the same, and the next one comes after all of them. Eliminated parties come after
    all others, in the order of the same criteria; teams have the rank of their best member. Where winners were
    declared, all others follow by `payoff`, if there is one; all share the first where the game was drawn.
    """
    layout, payoff = definition.layout, definition.program.payoff
    everyone = range(layout.parties)
    if not state.over:
        return []
    places = [0] * layout.parties
    if state.over == DECLARED:
        won = winners(definition, state)
        places = [0 if party in won else 1 for party in everyone]
        if payoff >= 0:
            others = [party for party in everyone if party not in won]
            places = _split(
                places, {party: int(definition.evaluate(state, payoff, [party])) for party in others}, "most"
            )
    elif state.over == SCORED:
        places = _placed(definition, state, definition.scores(state) if scores is None else scores)
    best = [
        min(place for place, team in zip(places, layout.team_of, strict=True) if team == own) for own in layout.team_of
    ]
    return [1 + sum(other < place for other in best) for place in best]


def _placed(definition: Definition, state: State, scores: Sequence[int]) -> list[int]:
    """Return for each party how many come before it: by elimination, then by each criterion among the tied."""
    everyone = range(definition.layout.parties)
    out = [bool(state.out >> party & 1) for party in everyone]
    places = [out.count(False) if gone else 0 for gone in out]
    for ranking in (definition.program.winner, *definition.program.ties):
        tied = [party for party in everyone if places.count(places[party]) > 1]
        if ranking.procedure == TOTAL:
            places = _split(places, {party: scores[party] for party in tied}, ranking.ranking)
        elif ranking.procedure != SHARED:
            values = {party: int(definition.evaluate(state, ranking.procedure, [party])) for party in tied}
            places = _split(places, values, ranking.ranking)
    return places


def _split(places: Sequence[int], values: Mapping[int, int], ranking: str) -> list[int]:
    """Return the places when parties in one place are put in order by their values."""
    sign = -1 if ranking == "fewest" else 1

    def better(party: int, rival: int) -> bool:
        return places[rival] == places[party] and sign * values[rival] > sign * values[party]

    return [
        place + (sum(better(party, rival) for rival in values) if party in values else 0)
        for party, place in enumerate(places)
    ]


def returns(definition: Definition, state: State, won: Sequence[int] | None = None) -> list[float]:
    """Return the payoff of each seat: the declared one, else `shares`; 0 before the end. `won`: who has won."""
    players, payoff = definition.layout.players, definition.program.payoff
    if not state.over:
        return [0.0] * players
    if payoff >= 0:
        amounts = [definition.evaluate(state, payoff, [seat]) for seat in range(players)]
        if ABSENT_NUMBER not in amounts:
            return list(map(float, amounts))
    return shares(players, winners(definition, state) if won is None else won, state.over)


def shares(players: int, winners: Sequence[int], over: int) -> list[float]:
    """Return the payoff of each seat of a finished game without declared payoffs: 1 split among those who won, -1 among
    the others; 0 for all where all won or nobody did. `over`: how the game ended."""
    seats = [seat for seat in range(players) if seat in winners]
    if players == 1:
        return [1.0 if seats else -1.0]
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
