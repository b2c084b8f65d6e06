"""The logs of both executors where a statement changes what its own words read: they mean what they meant before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rulelang.native.flat import FlatState

from .compared import load
from .test_steps import go_on, pair, told

pytestmark = pytest.mark.usefixtures("compiler")

CHANGING = """\
rulelang: 2
name: g
players: 3
types: {Good: {values: [wood, iron]}}
kinds:
  Card: {attributes: {value: 1..3}, start: deck}
  Coin:
    identity: true
    variables: {store: {type: bag of Good, start: 2 wood + 2 iron}}
    marks: [worn]
    start: purse
pieces:
  Card: [{each: {value: 1..3}, id: "card{value}", count: 2}]
  Coin: [{id: one}, {id: two}, {id: three}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  gone: {holds: Card, visible: all}
  purse: {holds: Coin, visible: all}
  spent: {holds: Coin, visible: all}
variables:
  n: {type: 0..99}
  at: {type: 0..9, per: player}
  whose: {type: player, start: seat(0)}
  goods: {type: bag of Good, per: player, start: 2 wood + 2 iron, visible: all}
rules: |
  setup:
    for p in players: draw 1 from deck to p.hand
  function first_at -> player = (seat(0) if seat(0).at = 0 else seat(1))
  function poor -> player = (seat(0) if seat(0).goods.wood < 3 else seat(1))
  function rich -> player = (seat(0) if seat(0).goods.wood > 1 else seat(1))
  function fresh -> Coin = (one if not one.worn else two)
  function empty -> Coin = (one if one.store.wood < 3 else two)
  rule take_one(c: Coin):
    move c to spent secretly
    n += 1
  play:
    repeat 2 times:
      turn of seat(0):
        choose:
CASES
  score points: at
ACTS
"""
STATEMENTS = (
    "first_at().at := 1",
    "first_at().at += 1 + first_at().at",
    "whose.at := 3 / whose := whose.next / whose.at += whose.next.at",
    "whose := (seat(1) if whose = seat(0) else seat(0))",
    "poor().goods += 1 wood + 1 iron",
    "rich().goods -= 1 wood + 1 iron",
    "poor().goods += n * (1 wood + 1 iron)",
    "poor().goods += seat(0).goods.wood * (1 wood + 1 iron)",
    "poor().goods := rich().goods + 1 wood",
    "poor().goods += poor().goods",
    "poor().goods += 0 wood",
    "for q in Good: poor().goods += 1 q",
    "let had = seat(0).goods / seat(0).goods := seat(1).goods + 1 iron / seat(1).goods := had",
    "empty().store += 1 wood + 1 iron",
    "pay 1 wood + 1 iron from poor().goods: n += 1 / else: n += 2",
    "mark fresh().worn until after turn of you / mark fresh().worn until after turn of you",
    "move top of purse to spent / move top of purse to spent",
    "move (purse where it = bottom of purse) to spent",
    "move (purse where possible(take_one(it) then n > 0)) to spent",
    "move (purse where possible(take_one(it) then n > 0)) to spent secretly",
    "for c in purse: move c to (spent if count(spent) = 0 else purse)",
    "for c in hand: move c to (gone if count(gone) = 0 else seat(1).hand)",
    "draw 2 from deck to (seat(0) if count(seat(0).hand) < 2 else seat(1)).hand",
    "draw (1 + count(gone)) from deck to gone / draw count(deck) from deck to gone",
    "draw (1 + count(hand)) at once from deck to hand / draw count(deck) at once from deck to hand",
    "move (random 2 at once of purse) to spent / move (random 1 at once of purse) to spent",
    "n := roll n to n + 3 / n := roll n to n + 3",
    "if some c = random one of purse: move c to spent",
    "shuffle deck / reveal top of hand",
    "while count(purse) > 1: move top of purse to spent",
    "repeat count(purse) times: move top of purse to spent",
    "turn of you.next: eliminate you",
    "eliminate you.previous.previous",
    "for q in players: eliminate q.next",
    "eliminate you.next / end the game won by you.next",
)
"""What a seat does; ` / ` stands between lines."""


@pytest.mark.parametrize("chance", ["sampled", "explicit"])
def test_statements_that_change_what_their_words_read(chance: str, same_folder: Path) -> None:
    """Each is done twice in a game of its own: at the start, and on what it changed."""
    cases = "\n".join(f"          act{number}: act{number}()" for number in range(len(STATEMENTS)))
    acts = (f"  rule act{number}:\n    " + text.replace(" / ", "\n    ") for number, text in enumerate(STATEMENTS))
    ruleset = load(same_folder, CHANGING.replace("CASES", cases).replace("ACTS", "\n".join(acts)))
    for number, statement in enumerate(STATEMENTS):
        picker = random.Random(number)
        one, other = pair(ruleset, 3, number, chance)
        while not one.is_terminal():
            if one.is_chance_node():
                go_on(one, other, picker)
            else:
                for game in (one, other):
                    game.apply(game.legal_actions()[number])
            assert isinstance(other.engine[1], FlatState), statement
            assert told(other) == told(one), statement
