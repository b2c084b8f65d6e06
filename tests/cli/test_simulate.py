"""`simulate` tells apart games that came to an end, games that `limits` ended, and draws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rulelang.cli

# Each player is asked once in a round, and nothing is drawn: all games of one ruleset are alike.
GAME = """\
rulelang: 2
name: rounds
players: 2
limits: {decisions: 6, outcome: OUTCOME}
variables: {points: {type: 0..99, per: player}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p:
          choose:
            gain: points += 1
      END
  score points: points
"""
CASES = {
    "no end, drawn by the limit": ("drawn", "pass", 8, 8, 6, (0, 0)),
    "no end, scored by the limit": ("scores", "pass", 8, 0, 6, (8, 8)),
    "over after two rounds, a tie that is shared": ("drawn", "if points_of() = 2: end the game", 0, 0, 4, (8, 8)),
    # The last decision that a game may have is the sixth: who ends the game then was in time.
    "over with the last decision": ("drawn", "if points_of() = 3: end the game", 0, 0, 6, (8, 8)),
    "declared a draw": ("scores", "if points_of() = 1: end the game drawn", 0, 8, 2, (0, 0)),
}


def simulated(folder: Path, outcome: str, end: str, *arguments: str) -> str:
    text = GAME.replace("OUTCOME", outcome).replace("END", end)
    if "points_of" in text:
        text += "  function points_of -> number = seat(0).points\n"
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    result = CliRunner().invoke(rulelang.cli.rulelang, ["simulate", str(folder), "--games", "8", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize(("outcome", "end", "limited", "drawn", "each", "wins"), CASES.values(), ids=CASES)
def test_how_games_ended(
    outcome: str, end: str, limited: int, drawn: int, each: int, wins: tuple[int, int], jobs: str, tmp_path: Path
) -> None:
    """Eight games: how many the limit ended, how many nobody won, and how many decisions each had."""
    found: dict[str, Any] = json.loads(simulated(tmp_path, outcome, end, "--format", "json", "--jobs", jobs))
    assert (found["ended_by_limit"], found["drawn"], found["decisions"]) == (limited, drawn, 8 * each)
    assert tuple(seat["wins"] for seat in found["seats"]) == wins


@pytest.mark.parametrize("bot", ["random", "playouts:2"])
def test_it_is_said(bot: str, tmp_path: Path) -> None:
    """The text says so too, whoever plays: what a bot tries out counts for nothing."""
    assert "\n8 ended by `limits`, 8 drawn\n" in simulated(tmp_path, "drawn", "pass", "--bot", bot)
    ended = simulated(tmp_path, "drawn", "if points_of() = 1: end the game", "--bot", bot)
    assert "\n0 ended by `limits`, 0 drawn\n" in ended
