"""Flood.

In turn each lays 0 to 2 logs. With 0 all lose at once (-1), with more than 3 in all they have won at once (1). Else all
get the most logs that one has laid.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is what each gets."""
    laid: list[int] = []
    for _ in range(players):
        laid.append(ask.decide((0, 1, 2)))
        if laid[-1] == 0 or sum(laid) > 3:
            return (1 if laid[-1] else -1,) * players
    return (max(laid),) * players


rows, terminal_probabilities = enumeration(play)
