"""What a loop keeps in a state that waits in it: an index or a number, however long the loop goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.native.compared import load, same_games

GAME = """\
rulelang: 2
name: rounds
players: 2
options: {{rounds: {{values: [1, 100, 5000], default: 5000}}, width: {{values: [1, 40], default: 40}}}}
types: {{Sort: [low, high]}}
grids: {{Field: {{columns: width, rows: 40}}}}
variables: {{points: {{type: 0..20000, per: player}}}}
rules: |
  play:
    turn of seat(0):
      {loop}
        points += choose a number from 0 to 2
  score points: points
"""
LOOPS = {
    "so many times": "repeat rounds times:",
    "over numbers": "for i in numbers(2, rounds + 1):",
    "over numbers that are read": "for i in numbers(1, rounds):\n        points += i mod 2",
    "over all cells": "for c in Field:",
    "over some cells": "for c in Field where it.column = 1 or it.row <= 40 and not it.row = 2:",
    "over cells by a local": "let most = width + 1\n      for c in Field where it.column < most and it != a2:",
    "within one another": "repeat rounds times:\n       for c in Field:\n        for s in Sort:\n         points += 1",
}
LONGER = 40
"""Numbers of the longer loops have so many characters more, at most."""


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_is_an_index_in_a_state(loop: str, tmp_path: Path) -> None:
    """What waits in a long loop is as small as in a short one, and so is the whole state."""
    ruleset = load(tmp_path, GAME.format(loop=LOOPS[loop]))
    saved = [
        ruleset.new_game(options={"rounds": rounds, "width": width}).to_json() for rounds, width in ((1, 1), (5000, 40))
    ]
    short, long = (len(json.dumps(json.loads(text)["frames"])) for text in saved)
    assert long <= short + LONGER
    assert len(saved[1]) <= len(saved[0]) + LONGER


TOLD = """\
rulelang: 2
name: told
players: 2
types: {Sort: [low, middle, high]}
grids: {Field: {columns: 3, rows: 2}}
variables: {told: {type: 0..99999999999}, points: {type: 0..9, per: player}}
rules: |
  play:
    turn of seat(0):
      for i in numbers(3, 5): tell(i)
      for i in numbers(2, 1): tell(9)
      let most = 922337203685477580 * 10 + 7
      for i in numbers(most - 1, most): tell(i mod 10)
      repeat 2 times:
        for s in Sort where s != middle:
          if s = high: stop
          tell(1)
      for c in Field where it.column + it.row = 3: tell(c.column)
      for i in numbers(1, 9):
        if i = 2: return
        tell(i)
  rule tell(n: number):
    told := 10 * told + n
    points := choose a number from 0 to 2
  score points: points
"""


@pytest.mark.usefixtures("compiler")
def test_loops_go_through_what_they_name(tmp_path: Path) -> None:
    """Numbers from the first to the last, which may be the largest there is; what a condition leaves of a collection;
    until `stop` or `return`: on both executors."""
    ruleset = load(tmp_path, TOLD)
    state = ruleset.new_game()
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    assert state.observation(0)["variables"]["told"] == 3456711211
    same_games(ruleset)
