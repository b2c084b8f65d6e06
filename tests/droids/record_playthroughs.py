"""Records the playthroughs of Droids anew: `python -m tests.droids.record_playthroughs`, after a change that is meant.

Each is one seeded random game: every choice with the state's hash after it. What they witness is that nothing changed
unnoticed; what is right the scenarios say.
"""

from __future__ import annotations

from pathlib import Path

from rulelang.record import Record
from tests.playthroughs import random_game

FOLDER = Path(__file__).parent / "playthroughs"
MANY = ("challenge", "minefield", "chips", "garden")
TABLES = [*((n, name) for name in MANY for n in (2, 3, 4)), (2, "statue"), (3, "statue"), (2, "duel"), (1, "hunt")]


def file_of(players: int, scenario: str) -> Path:
    """Return where the playthrough of a table lies."""
    return FOLDER / f"droids-{players}-{scenario}.json"


def record(players: int, scenario: str) -> Record:
    """Return one random game from first to last choice."""
    return random_game("droids", players, 10 * players + len(scenario), {"scenario": scenario})


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for players, scenario in TABLES:
        file_of(players, scenario).write_text(record(players, scenario).to_json() + "\n", encoding="utf-8")
