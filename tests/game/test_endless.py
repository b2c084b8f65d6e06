"""A loop, or a rule that calls itself, that goes on and asks nobody is told as such, on every executor at its place."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import FuelError

GAME = """\
rulelang: 2
name: endless
players: 2
options: {which: {values: [1, 2, 3, 4], default: 1}}
limits: {fuel: 20000, depth: 64}
variables: {n: {type: 0..9}, k: {type: 0..9}, coins: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p:
        coins += choose a number from 1 to 2
        if which = 1: waiting()
        if which = 2: stepping()
        if which = 3: nested()
        if which = 4: calling(1)

  rule waiting:
    while n < 5:
      if k > 0: n += 1

  rule stepping:
    repeat:
      step1()
      if n > 3: stop

  rule step1: k := 1

  rule nested:
    while n < 5 and count(players) = 2:
      for p in players: p.coins := 1
      if k = 9: n += 1

  rule calling(x: number) up to 40 deep:
    k := 1
    if x < 30: calling(x + 1)
    if x < 30: calling(x + 1)

  score a: n + k
"""
PLACES = {
    1: ("waiting", "while n < 5:", "this loop goes on and asks nobody"),
    2: ("stepping", "repeat:", "this loop goes on and asks nobody"),
    3: ("nested", "while n < 5 and", "this loop goes on and asks nobody"),
    4: ("calling", "rule calling", "this rule calls itself again and again and asks nobody"),
}


@pytest.mark.usefixtures("compiler")
def test_what_goes_on_is_told_at_its_head(tmp_path: Path) -> None:
    """The same words and the same place on both executors, whatever was done when the fuel ended."""
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    for which, (rule, line, words) in PLACES.items():
        told = []
        for backend in ("interpreter", "native"):
            state = ruleset.new_game(players=2, seed=1, options={"which": which}, backend=backend)
            with pytest.raises(FuelError) as error:
                state.apply(state.legal_actions()[0])
            told.append((error.value.rule, error.value.span.line, str(error.value)))
        assert told[0] == told[1]
        at = next(n for n, row in enumerate(GAME.split("\n"), 1) if line in row)
        assert (told[0][0], told[0][1]) == (rule, at)
        assert words in told[0][2]
