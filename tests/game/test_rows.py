"""Counts and starts that follow from what a row states."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

TEXT = """\
rulelang: 2
name: rows
players: 2..4
types:
  Season: [spring, summer]
  Suit: {attributes: {worth: number}, values: {red: {worth: 1}, blue: {worth: 2}}}
kinds:
  Card:
    attributes: {season: Season, mark: 2..4, suit: Suit}
    count: suit.worth if mark <= count(players) else 0
    start: deck[season]
pieces:
  Card:
    - {id: a, season: spring, mark: 2, suit: red}
    - {id: b, season: summer, mark: 3, suit: blue}
    - {id: c, season: summer, mark: 2, suit: blue, count: mark * 2, start: "deck[spring if suit = blue else season]"}
zones: {deck: {holds: Card, per: Season}}
rules: |
  play:
    for p in players:
      turn of p: move (choose one of deck) to deck[spring]
  score more: count(deck[summer]) + you.seat
"""


def load(folder: Path, text: str = TEXT) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


@pytest.mark.parametrize(
    ("players", "spring", "summer"),
    [(2, ["a", "c", "c", "c", "c"], []), (3, ["a", "c", "c", "c", "c"], ["b", "b"])],
)
def test_a_kind_gives_count_and_start_by_attributes(
    tmp_path: Path, players: int, spring: list[str], summer: list[str]
) -> None:
    """A row without a count takes the kind's, worked out with its attributes; b comes with three players."""
    zones = load(tmp_path).new_game(players).observation(0)["zones"]
    assert zones["deck[spring]"]["pieces"] == spring
    assert zones["deck[summer]"]["pieces"] == summer


def test_attributes_are_checked_where_they_are_named(tmp_path: Path) -> None:
    """An unknown name and an index of the wrong type are found once, at the kind's line, not once for each row."""
    wrong = TEXT.replace("if mark <=", "if marks <=").replace("start: deck[season]", "start: deck[suit]")
    with pytest.raises(rulelang.RulesetError) as caught:
        load(tmp_path, wrong)
    found = [(d.code, d.span.line, d.hint) for d in caught.value.diagnostics]
    assert found == [("name-unknown", 10, "did you mean `mark`?"), ("type-mismatch", 11, "")]
