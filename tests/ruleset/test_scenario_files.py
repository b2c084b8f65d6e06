"""Scenario files become scenarios with places, or findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruleset_samples import Write

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset import Scenario, load_scenarios
from tests.messages.said import block, unsaid
from tests.offenders import none

GOOD = """\
rulelang: 2
scenarios:
  - name: four earn the top reward
    cites: [tiny-en:48]
    given:
      players: 4
      options: {deck: 88, hard: true}
      zones: {"seat(0).hand": [red1, 2 red2], "plant[red]": []}
      variables: {"seat(1).coins": 4}
      do: "turn of seat(0): take_turn()"
    when: ["play:colour=red", {seat: 2, id: "play:*"}]
    then:
      - "count(seat(0).won) = 1"
      - {offered: "play:*"}
      - {refused: "sell"}
      - {event: "move:*to=won*"}
      - {scores: [1, 0, -2]}
      - {winners: [0]}
      - {over: true}
  - name: nothing more
    then: [over_or_not]
"""


def load(write: Write, text: str) -> tuple[tuple[Scenario, ...], Diagnostics]:
    found = Diagnostics()
    return load_scenarios(write("t", {"scenarios/a.yaml": text}), found), found


def test_a_good_file(write: Write) -> None:
    """Every key arrives, DSL texts with the place of their first character."""
    (first, second), found = load(write, GOOD)
    assert not len(found)
    assert (first.name, first.span.line, first.players, first.seed) == ("four earn the top reward", 3, 4, 0)
    assert first.options == {"deck": 88, "hard": True}
    assert [(z.text, z.span.column, pieces) for z, pieces, _ in first.zones] == [
        ("seat(0).hand", 16, ((1, "red1"), (2, "red2"))),
        ("plant[red]", 48, ()),
    ]
    assert [(name.text, value.text) for name, value in first.variables] == [("seat(1).coins", "4")]
    assert first.do is not None
    assert first.do.text == "turn of seat(0): take_turn()"
    assert [(step.seat, step.pattern) for step in first.when] == [(None, "play:colour=red"), (2, "play:*")]
    assert [(e.kind, e.value) for e in first.then[1:]] == [
        ("offered", "play:*"),
        ("refused", "sell"),
        ("event", "move:*to=won*"),
        ("scores", (1, 0, -2)),
        ("winners", (0,)),
        ("over", True),
    ]
    assert (second.players, second.when, second.do) == (None, (), None)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("nothing more", "four earn the top reward", "ruleset-duplicate", 20),
        ("{over: true}", "{over: true, winners: [1]}", "schema-size", 19),
        ("{over: true}", "{ovr: true}", "schema-unknown-key", 19),
        ("{winners: [0]}", "{winners: 0}", "schema-type", 18),
        ("    then: [over_or_not]\n", "", "schema-missing", 20),
        ("players: 4", "players: four", "schema-type", 6),
        ("2 red2", "two red2", "schema-form", 8),
        ("{seat: 2, ", "{", "schema-missing", 11),
        ('"count(seat(0).won) = 1"', "5", "schema-type", 13),
        ("rulelang: 2", "rulelang: 3", "ruleset-version", 1),
        ("players: 4", "players: [Ann, Bob]", "schema-type", 6),
        ("options: {deck: 88, hard: true}", "hard: true", "schema-unknown-key", 7),
        ("{scores: [1, 0, -2]}", "{scores: {0: 1, 1: 0}}", "schema-type", 17),
        ("{over: true}", '{"seat(0).hand": [red1]}', "schema-unknown-key", 19),
        ("{over: true}", "{coins: 4}", "schema-unknown-key", 19),
        ('{seat: 2, id: "play:*"}', "play: red1", "schema-type", 11),
        ("name: nothing more", "title: nothing more", "schema-unknown-key", 20),
        ('{seat: 2, id: "play:*"}', "seat 2: play", "schema-unknown-key", 11),
        ('{"seat(0).hand": [red1, 2 red2], "plant[red]": []}', "{seat 0: {hand: [red1]}}", "schema-value", 8),
    ],
)
def test_wrong_files(write: Write, old: str, new: str, code: str, line: int) -> None:
    """A fault is found once, at its place, and leaves the other scenarios usable."""
    assert old in GOOD
    scenarios, found = load(write, GOOD.replace(old, new))
    assert [(d.code, d.span.line) for d in found] == [(code, line)], "\n".join(map(str, found))
    none(unsaid(Path(__file__).with_name("words.txt"), f"scenario file: {new.strip()}", [block(found)]))
    assert scenarios


def test_no_scenarios(write: Write) -> None:
    """A folder without scenarios has none."""
    found = Diagnostics()
    assert load_scenarios(write("t", {"x.rule": ""}), found) == ()
    assert not len(found)
