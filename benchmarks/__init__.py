"""Speed as ratios within one run."""

from __future__ import annotations

from pathlib import Path

from rulelang.resources import shipped_rulesets

GAMES = Path(__file__).parent / "games"
"""Games that are written for benchmarks and tests alone; the others are classics among the shipped rulesets."""


def folder_of(name: str) -> Path:
    """Return the folder of a game: that of the benchmarks, else the shipped one."""
    own = GAMES / name
    return own if own.is_dir() else shipped_rulesets() / name
