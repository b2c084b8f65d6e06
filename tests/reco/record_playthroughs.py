"""Records the playthroughs of R-ECO anew: `python -m tests.reco.record_playthroughs`, after a change that is meant.

Each is one seeded random game: every choice with the state's hash after it. What they witness is that nothing changed
unnoticed; what is right the scenarios and the hand-written game say.
"""

from __future__ import annotations

from pathlib import Path

from rulelang.record import Record
from tests.playthroughs import random_game

FOLDER = Path(__file__).parent / "playthroughs"
TABLES = [(players, deck) for players in (3, 4, 5) for deck in (88, 100)]


def file_of(players: int, deck: int) -> Path:
    """Where the playthrough of a table lies."""
    return FOLDER / f"reco-{players}-{deck}.json"


def record(players: int, deck: int) -> Record:
    """One random game from first to last choice."""
    return random_game("reco", players, 1000 * players + deck, {"deck": deck})


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for players, deck in TABLES:
        file_of(players, deck).write_text(record(players, deck).to_json() + "\n", encoding="utf-8")
