"""Histories are counted within bounded memory, from the start or from a given position: the same numbers."""

from __future__ import annotations

import pytest

from rulelang import perft as counting
from rulelang.diagnostics import UsageError
from rulelang.game import load

SCENARIO = """
rulelang: 2
scenarios:
  - name: three are left
    given: {variables: {left: 3}}
    then: [{asked: [0]}]
"""
RULES = """
rulelang: 2
name: takeaway
players: 2
variables: {left: {type: 0..9, start: 9}, taken: {type: 0..9, per: player}}
rules: |
  play:
    while left > 0:
      for p in players:
        turn of p:
          let n = choose a number from 1 to 2
          taken += n
          if n >= left: end the game
          left -= n
  score taken: taken
"""
"""Of nine counters each takes one or two; who takes the last one ends the game."""


def rows_by_hand(left: int, depth: int) -> list[tuple[int, int]]:
    """Decisions and ends by length: sequences of ones and twos that sum to less than `left`, or first reach it."""
    layer, rows = [left], []
    for _ in range(depth + 1):
        rows.append((sum(rest > 0 for rest in layer), sum(rest <= 0 for rest in layer)))
        layer = [rest - n for rest in layer if rest > 0 for n in (1, 2)]
    return rows


@pytest.fixture
def takeaway(tmp_path):
    (tmp_path / "ruleset.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "few.yaml").write_text(SCENARIO, encoding="utf-8")
    return load(tmp_path)


@pytest.mark.parametrize(("layer", "table"), [(32 << 20, 100_000), (0, 100_000), (0, 1), (20_000, 2)])
def test_counts_do_not_hang_on_what_is_kept(layer, table, takeaway, monkeypatch):
    """Whether a length is kept, nothing is, or a table of one entry."""
    monkeypatch.setattr(counting, "LAYER", layer)
    monkeypatch.setattr(counting, "TABLE", table)
    told: list[counting.HistoryCounts] = []
    rows = counting.perft(takeaway, 9, progress=told.append)
    assert [(row.decision, row.terminal) for row in rows] == rows_by_hand(9, 9)
    assert [row.depth for row in told] == list(range(10))
    assert told == rows


def test_histories_begin_at_a_scenario(takeaway):
    """Three counters: 1 + 2 ends after two choices, or 2 + either, 1 + 1 + either after three."""
    rows = counting.perft(takeaway, 4, scenario="three are left")
    assert [(row.decision, row.terminal) for row in rows] == [(1, 0), (2, 0), (1, 3), (0, 2), (0, 0)]
    assert counting.perft_to_end(takeaway, scenario="three are left").rows == rows[:4]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"scenario": "three are lost"}, "takeaway has no scenario `three are lost`; did you mean `three are left`?"),
        ({"scenario": "x"}, "takeaway has no scenario `x`; there are `three are left`"),
        ({"scenario": "three are left", "players": 2}, "a scenario has its own players and options"),
    ],
)
def test_a_scenario_that_there_is_not(arguments, said, takeaway):
    """The message tells the names that there are."""
    with pytest.raises(UsageError) as error:
        counting.perft(takeaway, 2, **arguments)
    assert said in str(error.value)
