"""Records the playthroughs of R-ECO anew: `python -m tests.reco.record_playthroughs`, after a change that is meant.

Each is one seeded random game: every choice with the state's hash after it. What they witness is that nothing changed
unnoticed; what is right the scenarios and the hand-written game say.
"""

from __future__ import annotations

import random
from pathlib import Path

import rulelang
from rulelang.record import Record

FOLDER = Path(__file__).parent / "playthroughs"
TABLES = [(players, deck) for players in (3, 4, 5) for deck in (88, 100)]


def file_of(players: int, deck: int) -> Path:
    """Where the playthrough of a table lies."""
    return FOLDER / f"reco-{players}-{deck}.json"


def record(players: int, deck: int) -> Record:
    """One random game from first to last choice."""
    seed = 1000 * players + deck
    state = rulelang.load("reco").new_game(players=players, seed=seed, options={"deck": deck})
    game = Record.of(state, seed)
    picker = random.Random(seed)
    while not state.is_terminal():
        (seat,) = state.current_players()
        action = picker.choice(state.legal_actions(seat))
        state.apply(action, seat)
        game.add(seat, action.id, state)
    return game


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for players, deck in TABLES:
        file_of(players, deck).write_text(record(players, deck).to_json() + "\n", encoding="utf-8")
