"""Scenarios that fix options: what there is on the board of those options can be named, and only that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import Result, run_scenarios

GAME = """\
rulelang: 2
name: boards
players: 1..3
types:
  Pair: {between: {1: [], 2: [[0, 1]], 3: [[0, 1], [1, 2], [0, 2]]}}
options:
  small: {type: bool, default: false}
  shape: {values: [dot, cross], default: cross}
  wide: {values: [0, 1, 2], default: 1}
grids:
  Cell: {columns: 2 if small else 4, rows: 1 + count(players)}
  Spot:
    attributes: {wet: "bool?"}
    legend: {".": {}, "~": {wet: true}, "_": none}
    edges: {name: Way}
    map:
      shape:
        dot: |
          .
        cross: |
          _ . _

          ~ . .

          _ ~ _
  Hill: {columns: "max(1, 2 * wide - 1)", rows: 2 + (1 if wide > 1 and not small else 0)}
variables:
  holder: {type: "player?", per: Cell}
  level: {type: 0..9, per: Hill}
  open: {type: bool, per: Way}
  pact: {type: bool, per: Pair}
automata: {Rival: {players: [1]}}
rules: |
  play:
    turn of seat(0): take()
  rule take:
    let c = choose one of Cell where holder[it] is none else return
    holder[c] := you
  score cells: count(Cell where holder[it] = you)
"""
HEAD = "rulelang: 2\nscenarios:\n"


def scenario(number: int, given: str, then: str, variable: str = "") -> str:
    """A scenario in which seat 0 is to take a cell."""
    variables = f", variables: {{{variable}}}" if variable else ""
    do = '"turn of seat(0): take()"'
    return f"  - {{name: s{number}, given: {{{given}, do: {do}{variables}}}, then: [{then}]}}\n"


RIGHT = [
    ("players: 2", '{refused: "take:c=d3"}, "count(neighbours(d3)) = 2"', '"holder[d3]": seat(1)'),
    ("players: 1, options: {small: false}", '{offered: "take:c=d2"}, "count(Cell) = 8"', '"holder[a1]": Rival'),
    ("players: 3, options: {small: true}", '"count(neighbours(b4)) = 2"', '"holder[b4]": seat(2)'),
    ("players: 2", '"open[a2_b2]", "count(Way where open[it]) = 1"', '"open[a2_b2]": true'),
    ("players: 2, options: {shape: dot}", '"count(Spot) = 1 and count(Way) = 0"', ""),
    ("players: 2, options: {wide: 2}", '"level[c3] = 4", "count(Hill) = 9"', '"level[c3]": 4'),
    ("players: 2, options: {wide: 2, small: true}", '"level[c2] = 4", "count(Hill) = 6"', '"level[c2]": 4'),
    ("players: 3", '"count(Pair where pact[it]) = 1"', '"pact[Pair(0, 2)]": true'),
]  # fmt: skip
"""Given, then, a variable that is given; each scenario has a board of its own, and all are compiled together."""
WRONG = [
    ("players: 2, options: {small: true}", '"true"', '"holder[c1]": seat(1)'),
    ("players: 1", '"true"', '"holder[a3]": seat(0)'),
    ("players: 2, options: {shape: dot}", '"true"', '"open[a2_b2]": true'),
    ("players: 2, options: {wide: 2, small: true}", '"level[c3] = 0"', ""),
]  # fmt: skip


def results(folder: Path, rows: list[tuple[str, str, str]], backend: str = "interpreter") -> list[Result]:
    """What came of the scenarios."""
    (folder / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    (folder / "scenarios").mkdir()
    text = HEAD + "".join(scenario(number, *row) for number, row in enumerate(rows))
    (folder / "scenarios" / "all.yaml").write_text(text, encoding="utf-8")
    return list(run_scenarios(rulelang.load(folder), backend))


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_what_the_options_make_can_be_named(backend: str, tmp_path: Path) -> None:
    """Cells by a size or a map, edges with both their cells, pairs and automata of this number of players."""
    assert [result.message for result in results(tmp_path, RIGHT, backend)] == [""] * len(RIGHT)


def test_what_they_do_not_make_can_not(tmp_path: Path) -> None:
    """Each is told that its own board has no such cell."""
    told = [re.findall("`(\\w+)` is not on the board", result.message) for result in results(tmp_path, WRONG)]
    assert told == [["c1"], ["a3"], ["a2_b2"], ["c3"]]
