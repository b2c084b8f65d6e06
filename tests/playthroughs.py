"""Recorded games of shipped rulesets, for the tests of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from rulelang.game import Action, State
from rulelang.record import Record
from tests.shipped import shipped

Player = Callable[[State, int, random.Random], Action]
"""Chooses for a seat, with what is random about it."""


def uniform(state: State, seat: int, picker: random.Random) -> Action:
    """Every action is equally likely."""
    return picker.choice(state.legal_actions(seat))


def random_game(
    ruleset: str, players: int, seed: int, options: Mapping[str, int | bool | str], choose: Player = uniform
) -> Record:
    """One game from first to last choice: every choice with the state's hash after it."""
    state = shipped(ruleset).new_game(players=players, seed=seed, options=options)
    game = Record.of(state, seed)
    picker = random.Random(seed)
    while not state.is_terminal():
        seat = state.current_players()[0]
        action = choose(state, seat, picker)
        state.apply(action, seat)
        game.add(seat, action.id, state)
    return game
