"""What native code need not do again and again, or need not do at all, changes no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .compared import load, never_interpreted, same_games, watched_games

pytestmark = pytest.mark.usefixtures("compiler")

DEEDS = """\
rulelang: 2
name: g
players: 2..3
limits: {decisions: 80, outcome: scores}
types:
  Spot:
    attributes: {number: 2..9, free: bool, near: list of Spot}
    values:
      a: {number: 4, free: true, near: "[b, c]"}
      b: {number: 9, free: false, near: "[a]"}
      c: {number: 2, free: true, near: "[]"}
      d: {number: 7, free: true, near: "[a, b, c, d]"}
  Good: {values: [wood, iron, coal]}
kinds:
  Token:
    attributes: {worth: 1..3}
    variables: {level: {type: 0..80}}
    marks: [used, hurt]
    start: bag
  Deed: {identity: true, start: deeds}
pieces:
  Token:
    - {id: one, worth: 1, count: 4}
    - {id: two, worth: 2, count: 3}
    - {id: six, worth: 3, count: 1}
  Deed:
    - id: rich
      rules: |
        on judge(deed): met := goods.wood >= 2
    - id: deft
      rules: |
        on judge(deed):
          produce()
          if goods.coal > 4:
            let g = choose one of Good
            goods += 1 g
          met := count(goods) >= 9
    - id: bold
      rules: |
        on judge(deed):
          let g = choose one of Good
          goods += (2) g
          met := goods[g] >= 6
zones:
  bag: {holds: Token}
  hand: {holds: Token, per: player}
  row: {holds: Token, per: Spot, capacity: 2}
  deeds: {holds: Deed}
variables:
  goods: {type: bag of Good, per: player}
  debt: {type: "bag of Good", per: player}
  seat_of: {type: "Spot?", per: player}
  met: {type: bool}
  points: {type: 0..9999, per: player}
marks:
  tired: {per: [player, Spot]}
rules: |
  play:
    repeat 6 times:
      round:
        for p in players:
          turn of p: act()

  function levels(p: player) -> number = count(distinct(p.hand.level))
  function fits(p: player) -> bool = levels(p) <= 3 + (1 if p.seat_of = a else 0)
  function same_level(t: Token, p: player) -> list of Token = p.hand where it.level = t.level
  function leaders(p: player) -> list of Token = p.hand where it = top of same_level(it, p)
  function lone(p: player) -> list of Token = p.hand where count(same_level(it, p)) = 1
  function kinds_of(group: list of Token) -> list of Token = distinct(group)
  function to_use -> list of Token = distinct(leaders(you))
  function ready(s: Spot) -> bool = not tired[s] and any(s in x.near for x in Spot where x = seat_of)
  function good_enough(deed: Deed) -> bool = possible(judge(deed) then met)
  function next_level(p: player) -> number = min(n for n in numbers(1, 80) where n not in p.hand.level) otherwise 80
  function too_many(t: Token) -> number = levels(you) - (1 if t in hand else 0)
  ability judge(deed: Deed): met := false
  rule produce:
    goods += 1 wood + 1 iron
    for t in leaders(you):
      goods += (count(same_level(t, you))) coal
      if t.worth = 3: goods -= 5 coal

  event rest(s: player):
    points += 1

  rule act:
    if some spot = choose one of Spot where it != seat_of: seat_of := spot
    let here = seat_of otherwise a
    let there = bottom of (Spot where it.free and it.number < 9 and row[it] is empty)
    let nine = top of (Spot where it.number = 11 - here.number)
    if some n = nine: points += n.number
    if some t = there: mark tired[t] until after turn of you
    repeat 2 times:
      choose doing:
        take(t in bag) when levels(you) < 6 and fits(you):
          t.level := next_level(you)
          move t to hand
        join(t in hand, u in lone(you)) when t != u and too_many(t) < levels(you) + count(kinds_of(hand)):
          t.level := u.level
        place(t in kinds_of(hand), s in Spot) when ready(s) and count(row[s]) < 2 and fits(you):
          move t to row[s]
          t.level := 0
        use(t in to_use()) when not t.used:
          mark t.used until after rest of you
          goods += (t.worth) wood
          debt += 1 iron
        pick(s in Spot) when ready(s):
          if some t = random one of row[s]:
            mark t.hurt until before turn of you.next
            move t to bag
        claim(feat in deeds) when good_enough(feat):
          goods -= 1 wood + 2 coal
          debt -= 1 iron
          points += 1 + count(x for x in deeds where good_enough(x))
        relax when any(good_enough(x) for x in deeds) or fits(you): rest(you)
        else: return

  score points: points
  score goods: count(goods) - count(debt)
  score used: count(hand where it.used) + count(t for t in bag where t.hurt)
"""
"""Functions asked again and again by a decision, sets made again by a loop, constants found by an attribute, small
numbers that are counted, marks that end, bags that change in place, rules tried that mostly ask nobody."""

SHORTCUTS = (
    "cell", "_directly(g", "note_mark(g", "known", "beyond(g, *",
)  # fmt: skip
"""What is to be found in the C text, or nothing is tried here."""


def test_games_end_alike(tmp_path: Path) -> None:
    """With all shortcuts games are those of the other backends."""
    ruleset = load(tmp_path, DEEDS)
    native = ruleset.executor(2, {}, "native").native
    assert native is not None
    assert [text for text in SHORTCUTS if text not in native.c] == []
    same_games(ruleset)


@pytest.mark.soak
def test_nothing_is_read_or_written_elsewhere(tmp_path: Path) -> None:
    """Under the eyes of the sanitizers games end as in the interpreter."""
    ruleset = load(tmp_path, DEEDS)
    watched_games(ruleset, tmp_path)


FULL = """\
rulelang: 2
name: g
players: 1
kinds: {Token: {marks: [worn], start: bag}}
pieces: {Token: [{id: red, count: 40}]}
zones: {bag: {holds: Token}}
variables: {left: {type: 0..99}, kept: {type: 0..99}}
rules: |
  play:
    let first = top of bag else return
    for t in bag:
      if t != first: mark t.worn until after turn of seat(0)
    mark first.worn until before round
    kept := count(bag where it.worn)
    turn of seat(0): pass
    left := count(bag where it.worn)
  score left: left + 100 * kept
"""


def test_more_marks_than_are_listed(tmp_path: Path) -> None:
    """Forty marks are set; those of a turn end with it, the one that waits for a round stays."""
    executor = load(tmp_path, FULL).executor(1, {}, "native")
    never_interpreted(executor)
    (found,) = executor.playouts(executor.new_state(logging=False), [1])
    assert found.game.scores == [1 + 100 * 40]
