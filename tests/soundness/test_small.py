"""Small rulesets that generated ones were made into when they showed a fault: each is played as those are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soundness.play import tried

SMALL = {
    "edges of a board that has none": """\
grids:
  Sq: {columns: 1, rows: 1, edges: {name: Rim}}
rules: |
  play:
    if some side = edge(a1, north): reveal side
    if some side = choose_one(): reveal side
  rule choose_one -> Rim?: return top of Rim
""",
    "what there is for each value of a type that has none": """\
grids:
  Sq: {columns: 1, rows: 1, edges: {name: Rim}}
types: {Ore: {values: [nut]}}
kinds: {Card: {}}
zones: {row: {holds: Card, per: Rim}, deck: {holds: Card}}
pieces: {Card: [{id: ace, start: deck}]}
variables:
  beside: {type: Rim, per: Rim}
  goods: {type: bag of Ore, per: Rim, start: 1 nut}
  mine: {type: 0..3, per: [player, Rim]}
rules: |
  play:
    for side in Rim: beside[side] := side
    for p in players:
      turn of p:
        choose act:
          go(side in Rim): p.mine[side] += 1
          take when Rim is not empty:
            let side = top of Rim
            move deck to row[side]
          stay: pass
""",
    "a player who is out in an inner turn": """\
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          spend once per turn: pass
          else: pass
        lose(you)
  event lose(who: player):
    turn of who.next: eliminate seat(0).previous
""",
    "a turn whose last statement leaves the loop": """\
rules: |
  play:
    for p in players:
      turn of p: stop
""",
}


@pytest.mark.parametrize("name", SMALL)
def test_small_rulesets(name: str, tmp_path: Path) -> None:
    """It passes `check`, and nothing is at fault with its games."""
    assert tried(f"rulelang: 2\nname: g\nplayers: 2\n{SMALL[name]}", 3, tmp_path) == []
