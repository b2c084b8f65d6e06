"""The check that backends play the same games: it tells lengths and digests, and finds what differs or does not end."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from benchmarks import agree

KUHN = str(Path(__file__).parents[1] / "conformance" / "rulesets" / "kuhn")
ENDLESS = """\
rulelang: 2
name: endless
players: 1
limits: {decisions: 7}
variables: {coins: {type: 0..99}}
rules: |
  play:
    while coins < 90:
      turn of seat(0): coins := choose a number from 1 to 2
"""


@pytest.mark.usefixtures("compiler")
def test_backends_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each backend, with the same digest; games in two halves have the digests of those games."""
    assert agree.main([KUHN, "--backends", "interpreter,native", "--games", "30"]) == 0
    one, other = capsys.readouterr().out.splitlines()
    assert one.startswith("2 players  interpreter      30 games  0 by the limit  0 stopped")
    assert other.startswith("2 players  native           30 games  0 by the limit  0 stopped")
    assert one.split()[-1] == other.split()[-1]
    executor = rulelang.load(KUHN).executor(2, None, "interpreter")
    whole, tail = agree.played(executor, 0, 0, 30, 1), agree.played(executor, 0, 20, 10, 1)
    assert whole.games[20:] == tail.games
    assert whole.digest == one.split()[-1]


def test_what_differs_is_found() -> None:
    """The first game that is not the same."""
    one, other = agree.Run("a"), agree.Run("b")
    one.games = [agree.Ended("x", 3, False), agree.Ended("y", 3, False)]
    other.games = [agree.Ended("x", 3, False), agree.Ended("z", 3, False)]
    assert agree.differing([one, other]) == 1
    assert agree.differing([one, one]) is None


def test_a_game_that_its_rules_do_not_end_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its number and seed; a backend that there is not is told too."""
    (tmp_path / "ruleset.yaml").write_text(ENDLESS, encoding="utf-8")
    assert agree.main([str(tmp_path), "--backends", "interpreter,basic", "--games", "1"]) == 1
    told, seed, other = capsys.readouterr().out.splitlines()
    assert "1 by the limit" in told
    assert seed.startswith("  game 0 (seed ")
    assert other.startswith("1 players  basic")
