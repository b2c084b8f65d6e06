"""Recorded random games of shipped rulesets, for the tests of each."""

from __future__ import annotations

import random
from collections.abc import Mapping

import rulelang
from rulelang.record import Record


def random_game(ruleset: str, players: int, seed: int, options: Mapping[str, int | bool | str]) -> Record:
    """One random game from first to last choice: every choice with the state's hash after it."""
    state = rulelang.load(ruleset).new_game(players=players, seed=seed, options=options)
    game = Record.of(state, seed)
    picker = random.Random(seed)
    while not state.is_terminal():
        seat = state.current_players()[0]
        action = picker.choice(state.legal_actions(seat))
        state.apply(action, seat)
        game.add(seat, action.id, state)
    return game
