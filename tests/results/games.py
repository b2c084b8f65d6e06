"""A game of four choices between one point and two, and runs of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rulelang.cli import run
from rulelang.game import Ruleset, load

GAME = """\
rulelang: 2
name: steps
players: [2, 3]
options: {large: {values: [2, 3], default: 2}}
limits: {decisions: 4, outcome: scores}
variables: {points: {type: 0..99, per: player}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p:
          choose:
            small: points += 1
            big: points += large
  score points: points
"""
TIMES = {"seconds", "games_per_second"}


def steps(folder: Path) -> Ruleset:
    """The ruleset, written into a folder."""
    return load(written(folder))


def written(folder: Path) -> Path:
    (folder / "steps").mkdir(exist_ok=True)
    (folder / "steps" / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return folder / "steps"


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """All of a summary that does not depend on time."""
    return {key: value for key, value in found.items() if key not in TIMES}


def rows(file: Path) -> list[dict[str, Any]]:
    """The header and the games."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def command(*arguments: object) -> int:
    """A command's exit status."""
    return run([str(argument) for argument in arguments])
