"""What the pages say of ids, zones without an index, words of rows and findings holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import rulelang
from rulelang.cli import rulelang as command

GAME = """\
rulelang: 2
name: claims
players: 2
languages: [fr, en]
types: {Colour: [red, blue], Good: {values: [nut, oil]}}
kinds:
  Card: {attributes: {colour: Colour}, start: deck}
  Helper: {active: [helpers]}
pieces:
  Card: [{id: c07, colour: red, count: 6}]
  Helper:
    - id: fern
      start: seat(0).helpers
      rules: |
        offer in deed:
          water: coins += 1
zones:
  deck: {holds: Card, order: pile, visible: count}
  row: {holds: Card, per: Colour, final: true}
  store: {holds: Card, per: [player, Colour], final: true}
  helpers: {holds: Helper, per: player}
variables:
  shed: {type: bag of Good, per: player, start: 2 nut}
  cellar: {type: bag of Good, per: player, start: 2 nut}
  coins: {type: 0..99, per: player}
words:
  en:
    Card: {one: card, row: "card {number} ({colour})"}
rules: |
  play:
    for p in players:
      turn of p: act()
  rule act:
    draw 1 from deck to row[red]
    draw 1 from deck to store[blue]
    if red in row.colour: coins += 1
    if any(c.colour = red for c in row): coins += 2
    if count(store) = 1: coins += 4
    if sum(count(p.store) for p in players) = 2: coins += 8
    coins += roll 3 to 3
    let face = roll 1 to 2
    if face = 2: coins += 20
    if can pay 2 any Good from shed + cellar:
      pay 2 any Good from shed + cellar
    choose deed:
      rest: pass
  score a: coins
"""


@pytest.fixture
def claims(tmp_path: Path) -> rulelang.Ruleset:
    """The game in a folder of its own."""
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return rulelang.load(tmp_path)


def test_ids_and_zones(claims: rulelang.Ruleset) -> None:
    """A piece that is certain and a roll of one number are no nodes; equal payments are told purse by purse."""
    state = claims.new_game(chance="explicit")
    nodes = []
    while not state.is_terminal():
        actions = state.legal_actions()
        nodes.append([action.id for action in actions])
        state.apply(actions[0].id)
    payments = ["act:pay=nut+nut|none", "act:pay=nut|nut", "act:pay=none|nut+nut"]
    faces = ["act:face=1", "act:face=2"]
    assert nodes == [faces, payments, ["rest", "water:this=fern"], faces, payments, ["rest"]]
    # In each turn red is in the row (1 + 2), the own store holds one card (4), the roll gives 3; in the second
    # turn all stores together hold two (8).
    assert [state.score_sheet(seat).total for seat in (0, 1)] == [10, 18]


def test_words(claims: rulelang.Ruleset) -> None:
    """The first language is the one if none is named; `{number}` is the 7 of `c07`."""
    assert claims.language() == "fr"
    moved = claims.new_game().events(0, 0, "en")[1]
    assert moved["text"].startswith("Card 7 (red) goes")


def test_mistakes_of_a_menu(tmp_path: Path) -> None:
    """Each item's wrong name is told; of a rule that can't be read its unread lines, and the next one is checked."""
    wrong = GAME.replace("      rest: pass\n", "      rest: coin += 1\n      stay: coins += man\n")
    unread = "  rule other:\n    shufle deck\n    moove deck\n    coin += 1\n"
    wrong = wrong.replace("  score a: coins\n", f"{unread}  score a: coins\n")
    (tmp_path / "ruleset.yaml").write_text(wrong, encoding="utf-8")
    done = CliRunner().invoke(command, ["check", str(tmp_path)])
    named = re.findall(r"error\[[a-z-]+\].*?`(\w+)`", done.output)
    assert sorted(named) == ["coin", "man", "moove", "shufle"]
