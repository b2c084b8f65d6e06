"""Texas hold'em of PokerKit, told in the ids of our ruleset.

Enters: `pokerkit` (the extra `verify`). Leaves: `WITNESSES`.
"""

from __future__ import annotations

import random
from importlib.metadata import version
from typing import Any

from pokerkit import Automation, NoLimitTexasHoldem

from .lockstep import AND, Played, Witness
from .openspiel import card

PLAYERS, STACK = 4, 100


class _Game:
    """A deal. PokerKit draws from Python's own generator; what it has dealt is told as chance."""

    def __init__(self, seed: int) -> None:
        random.seed(seed)
        stacks = [STACK + 20 * seat for seat in range(PLAYERS)]
        self.state: Any = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, stacks, PLAYERS)
        hands = [each for hand in self.state.hole_cards for each in hand]
        self.dealt = 0
        self.chance = AND.join(f"setup:draw={card(repr(each))}" for each in hands)

    def is_over(self) -> bool:
        return not self.chance and not self.state.status

    def is_chance(self) -> bool:
        return bool(self.chance)

    def offered(self) -> list[str]:
        if self.chance:
            return [self.chance]
        state, ids = self.state, ["call"]
        if state.checking_or_calling_amount > 0:
            ids.append("fold")
        if state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            ids += [f"raise_to:n={n}" for n in range(low, high + 1)]
        return ids

    def choose(self, id_: str) -> None:
        if self.chance:
            self.chance = ""
            return
        if id_ == "fold":
            self.state.fold()
        elif id_ == "call":
            self.state.check_or_call()
        else:
            self.state.complete_bet_or_raise_to(int(id_.partition("=")[2]))
        board = [each for street in self.state.board_cards for each in street]
        self.chance = AND.join(f"deal_board:draw={card(repr(each))}" for each in board[self.dealt :])
        self.dealt = len(board)

    def returns(self) -> list[float] | None:
        return [float(payoff) for payoff in self.state.payoffs]


def _begin(seed: int) -> Played:
    return _Game(seed)


WITNESSES = {"holdem": Witness(_begin, f"PokerKit {version('pokerkit')}", PLAYERS, {"stacks": "rising"}, often="call")}
