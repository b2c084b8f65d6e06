"""Records the playthroughs of Les Derniers Droïdes anew: `python -m tests.ldd.record_playthroughs`, after a change that
is meant.

Each is one seeded random game: every choice with the state's hash after it. What they witness is that nothing changed
unnoticed; what is right the scenarios say.
"""

from __future__ import annotations

from pathlib import Path

from rulelang.record import Record
from tests.playthroughs import random_game

FOLDER = Path(__file__).parent / "playthroughs"
TABLES = [(1, "standard"), (1, "hard"), (2, "standard"), (3, "standard"), (4, "standard")]


def file_of(players: int, difficulty: str) -> Path:
    """Where the playthrough of a table lies."""
    return FOLDER / f"ldd-{players}-{difficulty}.json"


def record(players: int, difficulty: str) -> Record:
    """One random game from first to last choice."""
    return random_game("ldd", players, 100 * players + len(difficulty), {"difficulty": difficulty})


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for players, difficulty in TABLES:
        file_of(players, difficulty).write_text(record(players, difficulty).to_json() + "\n", encoding="utf-8")
