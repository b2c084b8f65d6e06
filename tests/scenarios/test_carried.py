"""Variables of pieces that a scenario puts somewhere, alike ones among them."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import Result, run_scenarios

YAML = """\
rulelang: 2
name: yard
players: 1
languages: [en]
types: {Good: {values: [wood, wool]}}
kinds:
  Cart: {start: shed, variables: {level: {type: 0..5, start: 1}, load: {type: bag of Good}}, marks: [broken]}
pieces:
  Cart:
    - {id: cart, count: 4}
    - {id: coach}
zones:
  shed: {holds: Cart}
  road: {holds: Cart}
rules: |
  play:
    turn of seat(0):
      let cart = choose one of road else return
      cart.level := 0
  score levels: sum(road.level)
"""


def results(folder: Path, zones: str, then: str, more: str = "") -> list[Result]:
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    text = f"rulelang: 2\nscenarios:\n  - name: s\n{more}    given: {{zones: {zones}, do: pass}}\n    then: {then}\n"
    (folder / "scenarios" / "s.yaml").write_text(text, encoding="utf-8")
    return list(run_scenarios(rulelang.load(folder)))


@pytest.mark.parametrize(
    ("zones", "then"),
    [
        # 2 + 3 of the two carts, 1 of the third; the one in the shed starts with 1.
        (
            "{road: [{piece: cart, level: 2}, {piece: cart, level: 3}, cart]}",
            '["sum(road.level) = 6", "sum(shed.level) = 2", {scores: [6]}]',
        ),
        (
            "{road: [{piece: 3 cart, level: 5}, coach]}",
            '["sum(road.level) = 16", "max(road.level) = 5"]',
        ),
        ("{road: [{piece: cart, level: 1 + 1, load: 2 wool}]}", '["sum(m.load.wool * m.level for m in road) = 4"]'),
        ("{road: [{piece: cart, level: 4}], shed: [{piece: coach, level: 0}, 3 cart]}", '["sum(shed.level) = 3"]'),
    ],
)
def test_each_piece_has_the_values_that_stand_beside_it(tmp_path: Path, zones: str, then: str) -> None:
    """Alike pieces differ then; what is not given is as at the start."""
    assert [(result.ok, result.message) for result in results(tmp_path, zones, then)] == [(True, "")]


def test_a_case_gives_the_value(tmp_path: Path) -> None:
    """`$level` stands for the row's value there too."""
    cases = "    cases:\n      - {level: 2, sum: 3}\n      - {level: 5, sum: 6}\n"
    found = results(tmp_path, "{road: [{piece: cart, level: $level}, cart]}", '["sum(road.level) = $sum"]', cases)
    assert [result.ok for result in found] == [True, True]


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        ("{road: [{piece: cart, levle: 2}]}", "a Cart has no variable `levle`"),
        ("{road: [{piece: cart, broken: true}]}", "a Cart has no variable `broken`"),
        ("{road: [{piece: cart, level: wood}]}", "`level` must be a 0..5"),
        ("{road: [{piece: cart, level: 7}]}", "7"),
        ("{road: [{piece: car, level: 2}]}", "no Cart is called `car`"),
    ],
)
def test_what_does_not_fit_is_told(tmp_path: Path, zones: str, message: str) -> None:
    """The scenario fails and says why."""
    (result,) = results(tmp_path, zones, '["true"]')
    assert not result.ok
    assert message in result.message
