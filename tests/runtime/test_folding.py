"""Constant folding: what reads no state is worked out once for a layout, with bounded work, the same in every form."""

from __future__ import annotations

import pytest

import rulelang
from rulelang.interpreter.expressions import Compiler
from rulelang.ir.nodes import Return
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.layout import Layout

YAML = """\
rulelang: 2
name: folded
players: 2
types: {Terrain: [land, river]}
options: {far: {values: [2, 3], default: 2}}
grids:
  Cell:
    attributes: {terrain: Terrain}
    legend: {".": {terrain: land}, "~": {terrain: river}}
    map: |
      ....
      .~~.
      ....
variables: {coins: {type: 0..9, per: player}}
rules: |
  play:
    turn of seat(0): coins += choose a number from 1 to 2
  score coins: coins
  # Rows 1 to 3, columns 1 to 4; two cells of river in row 2.
  function last_row -> number = max(Cell.row)
  function first_wet -> number = min(c.column for c in Cell where c.terrain = river) otherwise 0
  function wet -> number = count(Cell where it.terrain = river)
  function corner -> number = (toward(c3, east) otherwise a1).column
  function near -> number = count(c for c in Cell where distance(c, a1) <= far)
  function squared(n: number) -> number = sum(m * n for m in numbers(1, n))
  function called -> number = squared(last_row()) + (1 if all(on_edge(c) for c in region(a1, Cell)) else 0)
  function poor -> number = count(players where it.coins = 0)
  function long -> number = count(c for c in Cell where sum(m * c.row for m in numbers(1, 900)) > 0)
"""
FOLDED = {"last_row": 3, "first_wet": 2, "wet": 2, "corner": 4, "near": 6, "called": 18}


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    folder = tmp_path_factory.mktemp("folded")
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    return Layout(rulelang.load(folder).program, 2)


def test_pure_expressions_are_worked_out_beforehand(layout: Layout) -> None:
    """Near: a1, b1, c1, a2, b2, a3. Called: 3 * (1 + 2 + 3), and not all cells lie at the edge."""
    compiler = Compiler(layout, {})  # type: ignore[arg-type]
    found = {}
    for code in layout.program.procedures:
        end = code.blocks[-1].terminator
        if len(code.blocks) == 1 and isinstance(end, Return) and end.value is not None:
            found[code.name] = compiler.known(end.value)
    assert {name: found[name] for name in FOLDED} == FOLDED
    assert found["poor"] is UNKNOWN  # it reads the state
    assert found["long"] is UNKNOWN  # 12 * 900 elements are too many
    assert found["squared"] is UNKNOWN  # it reads its parameter
