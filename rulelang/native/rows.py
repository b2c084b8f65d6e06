"""Finished games as rows of numbers.

Enters: a row that c/play.h wrote. Leaves: an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.runtime.layout import Layout
from rulelang.runtime.outcome import FinishedGame, Outcome, shares
from rulelang.runtime.state import TIED
from rulelang.vocabulary.types import ABSENT_NUMBER

STATUS, OVER, WON, DECISIONS, TURNS, CAPPED, RNG, SCORES = 0, 2, 4, 5, 6, 7, 8, 9
"""Places in a row, as c/play.h has them."""
DONE = 1
"""The status of a game that was played to its end."""


def row_width(layout: Layout) -> int:
    """Return the numbers of a row."""
    return SCORES + 3 * layout.parties


def outcome_of(layout: Layout, row: Sequence[int]) -> Outcome | None:
    """Return the outcome of a game; None if it was not played to its end."""
    if row[STATUS] != DONE:
        return None
    parties, players, over = layout.parties, layout.players, row[OVER]
    winners = [party for party in range(parties) if row[WON] >> party & 1]
    scores = list(row[SCORES : SCORES + parties])
    amounts = row[SCORES + parties : SCORES + parties + players]
    returns = (
        shares(layout, winners, over)
        if ABSENT_NUMBER in amounts
        else [part / layout.program.payoff_parts for part in amounts]
    )
    ranks = list(row[SCORES + 2 * parties : SCORES + 3 * parties])
    game = FinishedGame(scores, ranks, winners, row[DECISIONS], row[TURNS], bool(row[CAPPED]), over == TIED)
    return Outcome(game, returns)
