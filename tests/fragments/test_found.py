"""What the fragments brought to light in the checker and the compiler, each in the smallest ruleset that shows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import rulelang
from rulelang.game.ruleset import Ruleset
from rulelang.game.state import State
from rulelang.perft import perft

Write = Callable[[str], Ruleset]

HEADER = """\
rulelang: 2
name: small
players: 2
marks: {jammed: {per: player}}
variables: {points: {type: 0..9, per: player}}
rules: |
"""


@pytest.fixture
def ruleset(tmp_path: Path) -> Write:
    """The ruleset whose rules are given (or whose whole YAML, where it has a header of its own)."""

    def write(text: str) -> Ruleset:
        whole = text if text.startswith("rulelang") else HEADER + "".join(f"  {line}\n" for line in text.splitlines())
        (tmp_path / "ruleset.yaml").write_text(whole)
        return rulelang.load(tmp_path)

    return write


def play(ruleset: Ruleset, *ids: str) -> State:
    state = ruleset.new_game(players=2)
    for option in ids:
        state.apply(option)
    return state


LEAVES = {
    "return": """\
play:
  mark seat(0).jammed until after turn of seat(0)
  leave()
  points_of_the_first()
rule points_of_the_first:
  if not seat(0).jammed: seat(0).points := 1
rule leave:
  turn of seat(0):
    choose:
      go: return
      stay: pass
score total: points
""",
    "stop": """\
play:
  mark seat(0).jammed until after turn of seat(0)
  repeat 2 times:
    turn of seat(0):
      choose:
        go: stop
        stay: pass
  if not seat(0).jammed: seat(0).points := 1
score total: points
""",
}


@pytest.mark.parametrize("how", LEAVES)
def test_a_turn_left_early_is_a_turn_that_ended(ruleset: Write, how: str) -> None:
    """Marks that last until after the turn are gone, however the turn was left."""
    state = play(ruleset(LEAVES[how]), "go")
    while not state.is_terminal():
        state.apply("stay")
    assert state.scores() == [1, 0]


def test_a_game_that_ends_after_this_turn_ends_when_the_turn_is_left(ruleset: Write) -> None:
    game = ruleset("""\
play:
  for p in players: act(p)
rule act(p: player):
  turn of p:
    choose:
      last:
        end the game after this turn
        return
      more: pass
""")
    assert play(game, "last").is_terminal()


def test_a_value_returned_out_of_a_turn_is_read_inside_it(ruleset: Write) -> None:
    game = ruleset("""\
play:
  mark seat(0).jammed until after turn of seat(0)
  if jam(): seat(0).points := 1
rule jam -> bool:
  turn of seat(0):
    choose:
      go: return jammed
      stay: pass
  return false
score total: points
""")
    assert play(game, "go").scores() == [1, 0]


def test_a_phase_is_of_the_seat_that_acts(ruleset: Write) -> None:
    """A mark until after a phase of a seat outlasts the same phase of another seat."""
    game = ruleset("""\
play:
  mark seat(1).jammed until after running of seat(1)
  for p in players: run(p)
  points_of_the_second()
rule run(p: player):
  turn of p:
    phase running: pass
    if p.seat = 0 and seat(1).jammed: p.points := choose a number from 1 to 2
rule points_of_the_second:
  if not seat(1).jammed: seat(1).points := 3
score total: points
""")
    assert play(game, "run:points=2").scores() == [2, 3]


def test_a_pile_whose_top_all_see_shows_the_next_piece(ruleset: Write) -> None:
    """Counted by hand: two low cards and a high one lie in one of two piles; the other pile has nothing to show.

    The top is low or high (row 1). After low is taken the next top is chance again; after high it is certain.
    """
    game = ruleset("""\
rulelang: 2
name: small
players: 2
types: {Side: [left, right]}
kinds: {Card: {attributes: {value: 1..2}}}
pieces:
  Card:
    - {id: low, value: 1, count: 2, start: "deck[left]"}
    - {id: high, value: 2, start: "deck[left]"}
    - {id: other, value: 2, count: 2, start: "deck[right]"}
zones:
  deck: {holds: Card, per: Side, order: pile, visible: top}
  hand: {holds: Card, per: player, visible: owner}
rules: |
  setup:
    for side in Side: shuffle deck[side]
  play:
    for p in players:
      turn of p:
        choose:
          take: draw 1 from deck[left] to hand
          skip: pass
""")
    rows = [(row.chance, row.decision, row.terminal) for row in perft(game, 4)]
    assert rows == [(1, 0, 0), (0, 2, 0), (1, 3, 0), (1, 2, 5), (0, 0, 6)]


def test_each_kind_of_a_bag_may_have_a_capacity_of_its_own(ruleset: Write) -> None:
    """Two capacities that read variables of the same player, and a bag indexed by a resource."""
    game = ruleset("""\
rulelang: 2
name: small
players: 2
types: {Good: {values: [wool, iron]}}
variables:
  room: {type: bag of Good, per: player, start: 1 iron}
  goods: {type: bag of Good, per: player, capacity: {wool: 1 + room.wool, iron: 1 + room.iron}}
rules: |
  play:
    for p in players: p.goods += 5 wool + 5 iron
  score least: min(goods[good] for good in Good)
  score most: max(goods[good] for good in Good)
""")
    assert play(game).scores() == [3, 3]
