"""Menus that ask one thing of each of a few constants, or what another item has answered, give the same options."""

from __future__ import annotations

from pathlib import Path

import pytest

from .compared import load, same_games, watched_games

pytestmark = pytest.mark.usefixtures("compiler")

MENUS = """\
rulelang: 2
name: g
players: 2..3
limits: {decisions: 120, outcome: scores}
types:
  Act: {values: [fetch, build, feast, wait]}
  Plan:
    attributes: {acts: list of Act, known: bool}
    values:
      calm: {acts: "[fetch, wait]", known: true}
      busy: {acts: "[fetch, build, feast]", known: true}
      rich: {acts: "[build, feast, wait]", known: false}
      idle: {acts: "[]", known: true}
  Spot:
    attributes: {fee: 0..3}
    values: {north: {fee: 0}, east: {fee: 1}, south: {fee: 2}, west: {fee: 0}, inner: {fee: 3}, outer: {fee: 1}}
  Good: {values: [wood, iron, gold], classes: {plain: [wood, iron]}}
kinds:
  Tile:
    attributes: {size: 1..3}
    variables: {heap: {type: 0..70}}
    marks: [used]
    active: [hand]
    start: bag
  Goal: {identity: true, start: goals}
  Guide: {identity: true, active: [team], start: camp}
pieces:
  Tile:
    - {id: low, size: 1, count: 6}
    - {id: mid, size: 2, count: 5}
    - {id: roof, size: 3, count: 4}
  Guide:
    - id: free
      rules: |
        modify may_plan(way, owner): set to true
    - {id: plain_one}
  Goal:
    - id: heaps
      rules: |
        on met(goal) = count(g for g in hand grouped by heap where 2 in g.size) >= 3
    - id: tower
      rules: |
        on met(goal) = any(count(g) >= 3 and count(distinct(g.size)) = 1 for g in hand grouped by heap)
    - id: woods
      rules: |
        on met(goal) = possible(harvest() then goods.wood >= 4)
    - id: mixed
      rules: |
        on met(goal) = possible(harvest() then count(goods) >= 5 and all(good in goods for good in plain))
    - id: irons
      rules: |
        on met(goal) = possible(harvest() then goods.iron > 2)
zones:
  bag: {holds: Tile}
  hand: {holds: Tile, per: player}
  row: {holds: Tile, per: Spot, capacity: 1}
  goals: {holds: Goal}
  won: {holds: Goal, per: player}
  camp: {holds: Guide}
  team: {holds: Guide, per: player}
variables:
  goods: {type: bag of Good, per: player}
  plan: {type: "Plan?", per: player}
  points: {type: 0..9999, per: player}
marks:
  done: {per: [player, Act]}
rules: |
  play:
    repeat 8 times:
      round:
        for p in players:
          turn of p: take_turn()

  quantity may_plan(way: Plan, s: player) -> bool = way.known and way != s.plan
  function ready(deed: Act) -> bool = not done[deed] and any(deed in x.acts for x in Plan where x = plan)
  function open_spot(spot: Spot) -> bool = row[spot] is empty and (spot.fee > 0 or goods.wood < 6)
  function heap_of(t: Tile, p: player) -> list of Tile = p.hand where it.heap = t.heap
  function tops(p: player) -> list of Tile = p.hand where it = bottom of heap_of(it, p)
  function unlike_ones -> list of Tile = distinct(tops(you) by it, count(heap_of(it, you)))
  function spare -> list of Tile = bag + each(t for t in hand where count(heap_of(t, you)) = 1) where it.size < 3
  function heaps(p: player) -> number = count(distinct(p.hand.heap))
  function few_heaps(p: player) -> bool = heaps(p) < 5
  ability met(goal: Goal) -> bool = false

  rule harvest:
    goods := 0 wood
    for t in tops(you):
      if t.size = 3:
        let good = choose one of plain
        goods += (2) good
      else:
        goods += count(heap_of(t, you)) * (1 wood + 1 iron)

  rule buy(fee: number, t: Tile):
    let due = min(fee, goods.gold)
    pay (due) gold + (fee - due) any plain from goods: move t to hand
    else: goods := 1 gold

  rule take_turn:
    if some spot = choose one of Spot where open_spot(it):
      if some t = top of bag: move t to row[spot]
      goods += (spot.fee) wood + 1 iron
    if some last = bottom of row: points += last.size
    let p = choose one of Plan where may_plan(it, you) else return
    plan := p
    repeat 3 times:
      choose doing:
        fetch(t in spare()) when ready(fetch) and few_heaps(you) and heaps(you) + t.size <= 7:
          mark done[fetch] until after turn of you
          t.heap := min(n for n in numbers(1, 70) where n not in hand.heap) otherwise 70
          buy(t.size + 1, t)
        build(t in unlike_ones(), s in Spot) when ready(build) and not t.used and row[s] is empty:
          mark t.used until after turn of you
          t.heap := 1 + s.fee
        feast when ready(feast) and goods.wood >= 1:
          mark done[feast] until after turn of you
          goods -= 1 wood
          goods += 2 gold + 1 iron
        hire(x in camp) when ready(wait):
          mark done[wait] until after turn of you
          move x to team
        show(t in hand) when t.size = 2 and few_heaps(you): points += t.heap
        enough when few_heaps(you): pass
        else: pass
    repeat 2 times:
      choose claiming:
        claim(goal in goals) when met(goal):
          points += 5
          move goal to won
        done_with_it when any(met(goal) for goal in goals) or count(won) > 2: pass
        else: pass

  score points: points
  score goods: count(goods)
  score used: count(hand where it.heap > 3)
"""

WORDS = (
    "const W some", "const U where", "length[(", "family0_holds_after",
    "__attribute__((noinline))", "APART W p",
)  # fmt: skip
"""What is to be found in the C text, or nothing is tried here."""


def test_games_end_alike(tmp_path: Path) -> None:
    """With words for what menus ask, games are those of the other backends."""
    ruleset = load(tmp_path, MENUS)
    native = ruleset.executor(2, {}, "native").native
    assert native is not None
    assert [text for text in WORDS if text not in native.c] == []
    same_games(ruleset)


@pytest.mark.soak
def test_nothing_is_read_or_written_elsewhere(tmp_path: Path) -> None:
    """Under the eyes of the sanitizers games end as in the interpreter."""
    watched_games(load(tmp_path, MENUS), tmp_path)


HEAPS = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 40, outcome: scores}
types: {Good: {values: [wood, iron]}}
kinds: {Tile: {attributes: {size: 1..3}, variables: {heap: {type: 0..9}}, start: bag}}
pieces: {Tile: [{id: low, size: 1, count: 4}, {id: mid, size: 2, count: 4}]}
zones: {bag: {holds: Tile}, hand: {holds: Tile, per: player}}
variables: {goods: {type: bag of Good, per: player}}
rules: |
  play:
    repeat 4 times:
      for p in players:
        as p: sort_out()

  function heaps(p: player) -> number = count(distinct(p.hand.heap))
  function wide(p: player) -> bool = possible(harvest() then goods.wood >= 3)
  function deep(p: player) -> bool = possible(harvest() then goods.iron >= 2)
  rule harvest:
    goods := 0 wood
    for t in hand:
      if t.heap = 4:
        let good = choose one of Good
        goods += 1 good
      goods += (t.heap) wood + 1 iron
  rule sort_out:
    repeat 2 times:
      if some t = random one of bag: move t to hand
    arrange hand by heap where heaps(you) >= 2 and heaps(you) <= 3 and (wide(you) or deep(you))
  score heaps: sum(hand.heap)
"""


def test_what_groupings_number_is_asked_of_each(tmp_path: Path) -> None:
    """What guards of groupings ask twice, or try, is asked again when the groups have other numbers."""
    same_games(load(tmp_path, HEAPS))


WEIGHTS = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 30, outcome: scores}
kinds: {Tile: {attributes: {size: 1..3}, start: bag}}
pieces: {Tile: [{id: low, size: 1, count: 4}, {id: mid, size: 2, count: 4}, {id: high, size: 3, count: 2}]}
zones: {bag: {holds: Tile}, hand: {holds: Tile, per: player}}
variables: {n: {type: 0..99}, points: {type: 0..999, per: player}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p: act()

  rule weigh(tiles: list of Tile):
    n := sum(tiles.size)
    if n > 90: n := choose a number from 0 to 1
  rule act:
    if some t = random one of bag: move t to hand
    choose:
      light(k from 1 to 3) when possible(weigh(hand where it.size <= k) then n >= 3): points += 1
      heavy(k from 1 to 3) when possible(weigh(hand where it.size <= k) then n >= 6): points += 10 * k
      leave: pass
  score points: points
"""


def test_what_a_rule_is_given_is_told_apart_by_what_it_is(tmp_path: Path) -> None:
    """Sets that lie at one place one after the other are not the same."""
    same_games(load(tmp_path, WEIGHTS))


READY = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 60, outcome: scores}
types: {Way: [left, right, up]}
variables: {done: {type: 0..9, per: [player, Way]}, points: {type: 0..999, per: player}}
rules: |
  play:
    repeat:
      for p in players:
        turn of p: act()

  function ready(p: player, w: Way) -> bool = p.done[w] != 0
  rule act:
    let luck = roll 1 to 3
    choose:
      go(p in players) when ready(p, left) and not ready(p, right) or ready(p, up): points += 1
      run(p in players) when ready(you, left) and not ready(you, right) or ready(you, up): points += 10
      turn(w in Way): done[w] := 1 - done[w]
      leave: points += luck
  score points: points
"""


def test_what_is_asked_of_the_one_that_is_chosen(tmp_path: Path) -> None:
    """One thing asked of several constants and of who is chosen is another one for each of these."""
    same_games(load(tmp_path, READY))
