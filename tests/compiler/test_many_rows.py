"""Abilities, quantities and totals of more rows than may stand in each other: halves are told apart first."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import run_scenarios
from rulelang.semantics.combination import dispatch

RUN = 3
ROWS = 4 * RUN + 2
GAME = """\
rulelang: 2
name: many
players: 1
kinds:
  Card: {attributes: {worth: 0..999}, active: [table], start: table}
pieces:
  Card:
    - {id: plain, worth: 999, per: player}
ROWS
zones:
  table: {holds: Card, per: player, visible: all}
variables:
  met: {type: 0..999}
  total: {type: 0..999}
rules: |
  ability value(card: Card) -> number = 7
  ability meet(card: Card): met += 500
  quantity price(n: number) -> number = n
  play:
    for c in seat(0).table: meet(c)
  score lot: 0
"""
ROW = """\
    - id: cID
      worth: ID
      per: player
      rules: |
        on value(card) = card.worth
        on meet(card): met += 1
        modify price(n) when n > ID: plus 2
        modify price(n) when n > 90: minus 1
        scores: 3
"""
SCENARIOS = f"""\
rulelang: 2
scenarios:
  - name: each row has its own
    given: {{do: "for c in seat(0).table: meet(c)"}}
    then:
      - "all(value(c) = c.worth for c in seat(0).table where c is not plain)"
      - "all(value(c) = 7 for c in seat(0).table where c is plain)"
      - "met = {ROWS + 500}"
      - "price(10) = 30"
      - "price(91) = 91 + 2 * {ROWS} - {ROWS}"
      - {{scores: [{3 * ROWS}]}}
"""


def test_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values were added up by hand: to 10 the first ten rows add 2, to 91 all do, and take 1 away."""
    monkeypatch.setattr(dispatch, "RUN", RUN)
    monkeypatch.setenv("RULELANG_CACHE", "")
    rows = "".join(ROW.replace("ID", str(n)) for n in range(ROWS)).rstrip("\n")
    (tmp_path / "ruleset.yaml").write_text(GAME.replace("ROWS", rows), encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "many.yaml").write_text(SCENARIOS, encoding="utf-8")
    assert [(result.ok, result.message) for result in run_scenarios(rulelang.load(tmp_path))] == [(True, "")]
