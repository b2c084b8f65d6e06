"""Values of options that are not for every number of players."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import UsageError

TEXT = """\
rulelang: 2
name: modes
players: 1..3
options:
  mode: {values: [race, duel, alone], default: race, players: {race: 2..3, duel: 2, alone: [1]}}
variables: {lap: {type: 0..2, per: player, start: "1 if you.seat = count(players) - 1 and mode != alone else 0"}}
rules: |
  play:
    for p in players: p.lap += {1: 0, 2: 1, 3: 1} at count(players)
  score laps: lap + (1 if mode = duel else 0)
"""


def test_default_and_values_hang_on_the_number_of_players(tmp_path: Path) -> None:
    """The default where it suits, else the first value that does; others are refused with those that there are."""
    (tmp_path / "ruleset.yaml").write_text(TEXT, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    assert [ruleset.new_game(players=n).options["mode"] for n in (1, 2, 3)] == ["alone", "race", "race"]
    assert ruleset.new_game(players=2, options={"mode": "duel"}).scores() == [2, 3]
    with pytest.raises(UsageError, match=r"no value `duel` with 3 players; its values are race$"):
        ruleset.new_game(players=3, options={"mode": "duel"})
