"""A `while` that nothing in it can end is told, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics_trial.test_trial import findings

GAME = """\
rulelang: 2
name: loops
players: 2
kinds:
  Card: {attributes: {value: 1..3}, start: deck, active: [table], variables: {worn: {type: 0..3}}}
  Pawn: {identity: true, start: yard}
pieces:
  Pawn: [{id: rook}]
  Card:
    - {id: one, value: 1, count: 9}
    - {id: two, value: 2, count: 9, rules: "after sing: coins += 1"}
zones:
  yard: {holds: Pawn}
  home: {holds: Pawn, per: player}
  deck: {holds: Card, order: pile, visible: count, refill: bin}
  bin: {holds: Card}
  hand: {holds: Card, per: player}
  table: {holds: Card, per: player}
variables:
  coins: {type: 0..99, per: player}
  stones: {type: 0..99}
  held: {type: Card?}
marks: {hushed: {per: player}}
rules: |
  setup: shuffle deck
  play:
    for p in players:
      turn of p:
        draw 4 from deck to hand
        BODY
  rule draw_one: draw 1 from deck to hand
  rule pay_up:
    if coins > 3: end the game
  rule wear:
    for c in hand: c.worn := 1
  event sing: stones := stones
  function wealth -> number = coins + count(table)
  score coins: coins
"""
ENDLESS = [
    "while count(hand) > 3: coins += 1",
    "while count(hand) > 3: sing()",
    "while coins < 5: draw_one()",
    "while wealth() < 5: draw_one()",
    "while stones < count(players): wear()",
    "while count(table) < 5: draw 1 from deck to hand",
    "while any(c.value = 2 for c in hand): coins += 1",
    "while deck is not empty: stones += 1",
    "while count(table) < 2: let d = roll 1 to 6",
]
ENDING = [
    "while count(hand) > 3: move top 1 of hand to table",
    "while count(hand) > 3: move (choose one of hand) to table",
    "while count(table) < 3: move (random one of hand) to table",
    "while coins < 5: sing()",  # a card's rule adds to them
    "while wealth() < 5: coins += 1",
    "while count(bin) > 0: draw_one()",  # the deck is filled up from there
    "while count(hand) > 3: pay_up()",  # it may end the game
    "while any(c.worn = 0 for c in hand): wear()",
    "while not you.hushed: mark hushed until after turn of you",
    "while (roll 1 to 6) < 6: coins += 1",
    "while next.coins < 5: next.coins += 1",
    "while held is none: held := choose one of hand else return",
    "while count(hand) > 9: return",
    # Whose a piece is that a loop holds changes with where it lies.
    "for man in yard:\n          move man to you.home\n          while man.owner = you: move you.home to next.home",
]


def warned(folder: Path, statement: str) -> list[str]:
    """The codes of errors and of endless loops for a game with this statement in each turn."""
    (folder / "ruleset.yaml").write_text(GAME.replace("BODY", statement), encoding="utf-8")
    found = findings(folder)
    return [d.code for d in found if d.severity == "error" or d.code == "loop-unchanged"]


@pytest.mark.parametrize("statement", ENDLESS)
def test_endless(tmp_path: Path, statement: str) -> None:
    assert warned(tmp_path, statement) == ["loop-unchanged"]


@pytest.mark.parametrize("statement", ENDING)
def test_ending(tmp_path: Path, statement: str) -> None:
    assert warned(tmp_path, statement) == []
