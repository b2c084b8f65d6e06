"""Records the playthroughs of Imaginarium anew, after a change that is meant:
`python -m tests.imaginarium.record_playthroughs`.

Each is one seeded game between careful players (a random game would be some thousand decisions long): every choice with
the state's hash after it. What they witness is that nothing changed unnoticed; what is right the scenarios say.
"""

from __future__ import annotations

from pathlib import Path

from rulelang.record import Record
from tests.imaginarium.careful import choose
from tests.playthroughs import random_game

FOLDER = Path(__file__).parent / "playthroughs"
TABLES = [(2, 16), (3, 12), (4, 23), (5, 13)]
"""Players and seed: in these games machines are combined, attacks made, assistants and projects of most sorts used."""


def file_of(players: int, seed: int) -> Path:
    """Where the playthrough of a table lies."""
    return FOLDER / f"imaginarium-{players}-{seed}.json"


def record(players: int, seed: int) -> Record:
    """One game from first to last choice."""
    return random_game("imaginarium", players, seed, {}, choose)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for table in TABLES:
        file_of(*table).write_text(record(*table).to_json() + "\n", encoding="utf-8")
