"""The result of a game: who has won, and the payoffs.

Enters: the executor that defines what rules mean, and a finished game. Leaves: winners and ranks by party (seats first,
then automata), payoffs by seat, `Outcome`.

Winners of a game that scores decide are the parties with the most (or fewest) of the quantity that `winner` names, by
default the total score; ties are broken as declared and remaining ties are shared. Eliminated parties win only if all
are. Team mates of a winner win too. A game with one seat is won by declaration or by not being behind every automaton.
Where all parties are one seat or one team, nobody wins by scores: what they have is the payoff. With `winner: all when`
all seats win or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rulelang.runtime.definition import Definition
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DECLARED, SCORED, State
from rulelang.vocabulary.types import ABSENT_NUMBER

TOTAL = -2
SHARED = -1


class FinishedGame(NamedTuple):
    """The result of a finished game: by party its scores, ranks and winners; how many decisions and turns it took,
    whether `limits` ended it, whether it was drawn."""

    scores: list[int]
    ranks: list[int]
    winners: list[int]
    decisions: int
    turns: int
    limited: bool
    drawn: bool


class Outcome(NamedTuple):
    """The result of a finished game, with the payoffs by seat."""

    game: FinishedGame
    returns: list[float]


def winners(definition: Definition, state: State, known_ranks: Sequence[int] | None = None) -> list[int]:
    """Return the parties that have won; none while the game runs or when it is drawn.

    Args:
        known_ranks: by party, if they are known.
    """
    layout = definition.layout
    if state.over == DECLARED:
        teams = {layout.team_of[party] for party in range(layout.parties) if state.winners >> party & 1}
        return [party for party in range(layout.parties) if layout.team_of[party] in teams]
    if state.over == SCORED and layout.together:
        return list(range(layout.players)) if _all_win(definition, state) else []
    if state.over != SCORED or layout.one_party:
        return []
    return [
        party
        for party, rank in enumerate(ranks(definition, state) if known_ranks is None else known_ranks)
        if rank == 1
    ]


def ranks(definition: Definition, state: State, scores: Sequence[int] | None = None) -> list[int]:
    """Return the rank of each party, 1 for the best; none while the game runs.

    Tied parties share the best rank among them, and the next rank counts all of them. Eliminated parties come after all
    others, ordered by the same criteria; teams have the rank of their best member. Where winners were declared, all
    others are ranked by `payoff`, if there is one; in a drawn game all share the first rank.

    Args:
        scores: by party, if they are known.
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
            losers = [party for party in everyone if party not in won]
            places = _break_ties(
                places, {party: int(definition.evaluate(state, payoff, [party])) for party in losers}, "most"
            )
    elif state.over == SCORED:
        places = _places_by_score(definition, state, definition.scores(state) if scores is None else scores)
    best = [
        min(place for place, team in zip(places, layout.team_of, strict=True) if team == own) for own in layout.team_of
    ]
    return [1 + sum(rival_place < place for rival_place in best) for place in best]


def _all_win(definition: Definition, state: State) -> bool:
    """Return whether what all win by holds for each seat."""
    procedure = definition.program.winner.procedure
    return all(definition.evaluate(state, procedure, [seat]) for seat in range(definition.layout.players))


def _places_by_score(definition: Definition, state: State, scores: Sequence[int]) -> list[int]:
    """Return for each party how many come before it: by elimination, then by each criterion among the tied."""
    everyone = range(definition.layout.parties)
    out = [bool(state.out >> party & 1) for party in everyone]
    places = [out.count(False) if is_out else 0 for is_out in out]
    for ranking in (definition.program.winner, *definition.program.ties):
        tied = [party for party in everyone if places.count(places[party]) > 1]
        if ranking.ranking == "all":
            won, seats = _all_win(definition, state), range(definition.layout.players)
            places = _break_ties(places, {party: int(won == (party in seats)) for party in tied}, "most")
        elif ranking.procedure == TOTAL:
            places = _break_ties(places, {party: scores[party] for party in tied}, ranking.ranking)
        elif ranking.procedure != SHARED:
            values = {party: int(definition.evaluate(state, ranking.procedure, [party])) for party in tied}
            places = _break_ties(places, values, ranking.ranking)
    return places


def _break_ties(places: Sequence[int], values: Mapping[int, int], ranking: str) -> list[int]:
    """Order the parties that share a place by their values.

    Args:
        places: for each party how many come before it. values: of the parties to be ordered. ranking: `most` or
            `fewest` comes first.
    """
    sign = -1 if ranking == "fewest" else 1

    def is_behind(party: int, rival: int) -> bool:
        """Return whether a rival in the same place comes before a party."""
        return places[rival] == places[party] and sign * values[rival] > sign * values[party]

    return [
        place + (sum(is_behind(party, rival) for rival in values) if party in values else 0)
        for party, place in enumerate(places)
    ]


def returns(definition: Definition, state: State, won: Sequence[int] | None = None) -> list[float]:
    """Return the payoff of each seat: see `amounts`, else `shares`; 0 before the end.

    Args:
        won: the winners, if they are known.
    """
    layout = definition.layout
    if not state.over:
        return [0.0] * layout.players
    paid = amounts(definition, state)
    if paid is not None:
        return [part / definition.program.payoff_parts for part in paid]
    return shares(layout, winners(definition, state) if won is None else won, state.over)


def amounts(definition: Definition, state: State) -> list[int] | None:
    """Return what each seat of a finished game gets where that is no share of a win, else None: the declared payoff, or
    where one party is scored what its best member has of what `winner` ranks by, below 0 if the fewest are best."""
    layout, program = definition.layout, definition.program
    if program.payoff >= 0:
        paid = [int(definition.evaluate(state, program.payoff, [seat])) for seat in range(layout.players)]
        if ABSENT_NUMBER not in paid:
            return paid
    if not layout.one_party or not layout.has_points or state.over != SCORED:
        return None
    if program.winner.procedure == TOTAL:
        values = definition.scores(state)
    else:
        values = [int(definition.evaluate(state, program.winner.procedure, [seat])) for seat in range(layout.players)]
    return [-min(values) if program.winner.ranking == "fewest" else max(values)] * layout.players


def shares(layout: Layout, winners: Sequence[int], over: int) -> list[float]:
    """Return the payoff of each seat of a finished game without declared payoffs: winners share 1, losers share -1; 0
    for all where all won or nobody did. One party, which has no rival, has 1 if it has won, else -1; all together too.

    Args:
        over: how the game ended, see `State.over`.
    """
    players = layout.players
    seats = [seat for seat in range(players) if seat in winners]
    if layout.one_party or players == 1:
        return [1.0 if seats else -1.0] * players
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
