"""Counting options: each decision once, by rule and in all."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from benchmarks import options

SMALL = """\
rulelang: 2
name: small
players: 1
variables: {coins: {type: 0..99}}
rules: |
  play:
    turn of seat(0):
      few()
      few()
      coins := choose a number from 1 to 5
  rule few: coins := choose a number from 1 to 1
"""


def test_options_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three decisions with 1, 1 and 5 options."""
    (tmp_path / "ruleset.yaml").write_text(SMALL, encoding="utf-8")
    found = options.counted(rulelang.load(tmp_path), 1, 2, options.uniform)
    assert found[""] == options.Counts(decisions=6, options=14, most=5, forced=4)
    assert found["few"] == options.Counts(decisions=4, options=4, most=1, forced=4)
    options.main([str(tmp_path), "--games", "1", "--by-rule", "--player", "benchmarks.options:uniform"])
    whole, *rules = capsys.readouterr().out.splitlines()
    assert whole.split()[2:] == "3.0 decisions 2.33 options in the mean, 5 at most, 66.7% with but one".split()
    assert [line.split()[0] for line in rules] == ["few", "play"]
