"""Exact solutions, against published values and sums by hand."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rulelang.cli.solve import solve as command
from rulelang.diagnostics import UsageError
from rulelang.game import load
from rulelang.search.solve import solve
from tests.shipped import conformance
from tests.soak import times

RULESETS = "tests/conformance/rulesets"


def test_kuhn_poker_is_worth_a_18th_to_the_second_seat():
    """Kuhn 1950: -1/18 for the first; a queen is never bet, a king thrice as often as a jack."""
    found = solve(conformance("kuhn"), exploitability=1e-3)
    assert found.exploitability <= 1e-3
    assert found.value[0] == pytest.approx(-1 / 18, abs=2e-3)
    assert sum(found.value) == pytest.approx(0)
    assert len(found.policy) == 12


def test_leduc_is_worth_what_it_is_known_to_be():
    """-0.0856 for the first seat (Lanctot et al., OpenSpiel 2019), within twice the exploitability."""
    close = 0.05 if times(1) == 1 else 0.002
    found = solve(conformance("leduc"), options={"suits": 1}, exploitability=close)
    assert found.value[0] == pytest.approx(-0.0856, abs=2 * close)


def test_chance_and_choices_without_secrets(tmp_path):
    """A die is kept or thrown once more: the mean of max(x, 3.5) is 4.25; and heaps of four lose, of three win."""
    found = solve(load(_written(tmp_path / "die", DIE)))
    assert found.value[0] == pytest.approx(4.25)
    assert {row["example"][0]: min(row["actions"]) for row in found.policy} == {
        f"chance:play:thrown={n}": "keep" if n > 3 else "again" for n in range(1, 7)
    }
    for heap, value in ((3, 1), (4, -1), (7, 1), (8, -1)):
        assert solve(load(_written(tmp_path / str(heap), HEAP.replace("HEAP", str(heap))))).value[0] == value


def test_what_is_too_large_or_not_of_this_kind_is_said():
    """In a line, and by the command with status 2."""
    with pytest.raises(UsageError, match="more than 100 positions"):
        solve(conformance("tictactoe"), most=100)
    with pytest.raises(UsageError, match="two seats"):
        solve(conformance("tricks"), 3)
    ran = CliRunner().invoke(command, [f"{RULESETS}/kuhn", "--most", "9"])
    assert ran.exit_code == 2
    ran = CliRunner().invoke(command, [f"{RULESETS}/kuhn", "--exploitability", "0.1", "--format", "json"])
    assert json.loads(ran.output)["exploitability"] <= 0.1
    assert "CFR+" in CliRunner().invoke(command, [f"{RULESETS}/kuhn", "--exploitability", "0.1"]).output


def _written(folder, text):
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder


DIE = """
rulelang: 2
name: die
players: 1
variables: {points: {type: 0..6, per: player}}
rules: |
  play:
    for p in players:
      turn of p:
        let thrown = roll 1 to 6
        choose:
          keep: points := thrown
          again: points := roll 1 to 6
  payoff: you.points
"""

HEAP = """
rulelang: 2
name: heap
players: 2
variables: {heap: {type: 0..9, start: HEAP}, last: {type: player}}
rules: |
  play:
    while heap > 0:
      for p in players:
        turn of p:
          if heap > 0:
            let taken = choose a number from 1 to min(3, heap) else never
            heap -= taken
            last := p
  payoff: 1 if you = last else -1
"""
