"""What came of a game that was played in bulk, and what winning is worth.

Enters: winners. Leaves: payoffs, `Outcome`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rulelang.runtime.state import SCORED


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


def shares(players: int, winners: Sequence[int], over: int) -> list[float]:
    """The payoff of each seat of a finished game without declared payoffs: 1 split among those who won, -1 among the
    others; 0 for all where all won or nobody did. `over`: how the game ended."""
    seats = [seat for seat in range(players) if seat in winners]
    if players == 1:
        return [1.0 if seats else -1.0]
    if len(seats) == players or (not winners and over != SCORED):
        return [0.0] * players
    return [1 / len(seats) if seat in seats else -1 / (players - len(seats)) for seat in range(players)]
