"""Scenarios with a table of cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.model import Text
from rulelang.ruleset.scenarios import Scenario, load_scenarios
from tests.messages.said import block, unsaid
from tests.offenders import none

FILE = """rulelang: 2
scenarios:
  - name: earning
    cites: [leaflet:12]
    cases:
      - {card: red1, before: 1 + 1, after: 4}
      - {card: red2, before: 0, after: 3}
    given:
      players: $after
      zones: {"seat(0).hand": [2 $card], "plant[$card]": []}
      variables: {"seat(0).coins": $before}
      do: |
        turn of seat(0):
          earn($after - $before)
    when: ["play:$card", {maybe: "act:$card"}]
    then: ["coins = $after", {scores: [$after, 0]}, {lines: {$card: [1, $after]}}]
  - name: without
    then: ["1 = 1"]
"""


def read(folder: Path, text: str, title: str = "") -> tuple[tuple[Scenario, ...], list[tuple[str, int, int]]]:
    """The scenarios of a file of this text, and the codes and places of what is wrong; its words stand in the table."""
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "scenarios" / "a.yaml").write_text(text, encoding="utf-8")
    found = Diagnostics()
    scenarios = load_scenarios(folder, found)
    if title:
        none(unsaid(Path(__file__).with_name("words.txt"), title, [block(found)]))
    return scenarios, [(d.code, d.span.line, d.span.column) for d in found]


def test_each_row_is_a_scenario(tmp_path: Path) -> None:
    """The values of a row stand wherever its names did: in keys, texts, lists and as numbers."""
    (first, second, last), found = read(tmp_path, FILE)
    assert found == []
    assert [s.name for s in (first, second, last)] == ["earning: red1", "earning: red2", "without"]
    assert [s.span.line for s in (first, second)] == [6, 7]
    assert (first.players, second.players) == (4, 3)
    assert [(zone.text, pieces) for zone, pieces, _ in first.zones] == [
        ("seat(0).hand", ((2, "red1"),)),
        ("plant[red1]", ()),
    ]
    assert [(name.text, value.text) for name, value in first.variables] == [("seat(0).coins", "1 + 1")]
    assert first.do is not None
    assert first.do.text == "turn of seat(0):\n  earn(4 - 1 + 1)\n"
    assert [(step.pattern, step.maybe) for step in first.when] == [("play:red1", False), ("act:red1", True)]
    assert [e.value for e in second.then if e.kind != "condition" and e.kind != "lines"] == [(3, 0)]
    assert [line.name for e in second.then for line in e.lines] == ["red2"]


def test_places_are_those_of_the_text_as_it_reads(tmp_path: Path) -> None:
    """A value of its own stands in its row; in a text each character stands where it is once the values are in."""
    (first, _, _), _ = read(tmp_path, FILE)
    (_, value), *_ = first.variables
    assert (value.span.line, value.span.column) == (6, 30)
    assert first.do is not None
    source = first.do.span.source
    assert source is not None
    assert source.lines[first.do.span.line].strip() == "earn(4 - 1 + 1)"
    condition = first.then[0].value
    assert isinstance(condition, Text)
    assert condition.text == "coins = 4"
    span = condition.span
    assert span.source is not None
    assert span.source.lines[span.line - 1][span.column - 1 : span.end_column - 1] == "coins = 4"


def test_a_name_that_says_a_value(tmp_path: Path) -> None:
    """The row's first value is not said again."""
    scenarios, found = read(tmp_path, FILE.replace("name: earning", "name: $card is earned"))
    assert found == []
    assert [s.name for s in scenarios] == ["red1 is earned", "red2 is earned", "without"]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            "{card: red2, before: 0",
            "{card: red2, befor: 0",
            [("scenario-case", 7, 22), ("scenario-case", 11, 36), ("scenario-case", 12, 11)],
        ),
        ("{card: red2, before: 0", "{card: red2, extra: 1, before: 0", [("scenario-case", 7, 22)]),
        ("{card: red2, before: 0", "{card: red1, before: 0", [("ruleset-duplicate", 7, 9)]),
        ("{card: red2, before: 0", "{card: red2, before: [[0]]", [("schema-type", 7, 31)]),
        ("{card: red2, before: 0", "{card: red2, before: [0]", [("scenario-case", 12, 11)]),
        ("after: 3", "after: three", [("schema-type", 7, 40)] * 3),
    ],
)
def test_wrong_cases(tmp_path: Path, old: str, new: str, found: list[tuple[str, int, int]]) -> None:
    """What does not fit is told at its place, once; the other scenarios are there."""
    assert old in FILE
    scenarios, wrong = read(tmp_path, FILE.replace(old, new), f"case: {new}")
    assert wrong == found
    assert "without" in [s.name for s in scenarios]


LISTS = """rulelang: 2
scenarios:
  - name: so many cards
    cases:
      - {cards: [], more: [one], when: [wait, wait]}
      - {cards: [red1, 2 blue], more: [], when: []}
    given: {zones: {hand: $cards, "plant[red]": [$cards, 3 red2, $more]}}
    when: $when
    then: ["1 = 1"]
"""


def test_a_value_may_be_a_list(tmp_path: Path) -> None:
    """It stands alone, or its items stand in another list; the scenario's name says them one after the other."""
    (first, second), found = read(tmp_path, LISTS)
    assert found == []
    assert [s.name for s in (first, second)] == ["so many cards: none", "so many cards: red1, 2 blue"]
    assert [pieces for _, pieces, _ in first.zones] == [(), ((3, "red2"), (1, "one"))]
    assert [pieces for _, pieces, _ in second.zones] == [
        ((1, "red1"), (2, "blue")),
        ((1, "red1"), (2, "blue"), (3, "red2")),
    ]
    assert [len(s.when) for s in (first, second)] == [2, 0]
    second_span = second.zones[0][2]
    assert (second_span.line, second_span.column) == (6, 17)
