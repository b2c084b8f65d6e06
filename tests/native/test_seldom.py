"""Expressions that few rules need, in made-up rulesets: native code plays them as the interpreter does."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from rulelang.interpreter import Machine
from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.walk import operands
from rulelang.native.expressions import UnwrittenError, check_expressions
from rulelang.native.machine import NativeCode
from rulelang.vocabulary.types import BOOL, INT

from .compared import load, same_games

pytestmark = pytest.mark.usefixtures("compiler")

ONE = Expr("const", INT, (1,))
BOARDS = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 30, outcome: scores}
types: {Suit: [cups, coins, swords], Good: {values: [wood, iron]}}
grids:
  Square:
    columns: 4
    rows: 4
    adjacency: orthogonal
    edges: {name: Side, attributes: {cost: 0..2}, defaults: {cost: 1}}
  Great: {columns: 12, rows: 12, adjacency: all}
kinds:
  Card: {attributes: {suit: Suit, worth: 1..3}, start: deck}
  Tool: {attributes: {size: 1..3, price: cost of Good}, start: box}
pieces:
  Card:
    - {id: c1, suit: cups, worth: 1, count: 3}
    - {id: c2, suit: coins, worth: 2, count: 3}
    - {id: c3, suit: swords, worth: 3, count: 3}
  Tool:
    - {id: t1, size: 1, price: 1 wood}
    - {id: t2, size: 2, price: 1 any Good}
    - {id: t3, size: 3, price: 2 wood or 1 iron}
zones:
  deck: {holds: Card, order: pile}
  hand: {holds: Card, per: player}
  row: {holds: Card, per: player}
  box: {holds: Tool}
variables:
  n: {type: 0..999}
  heap: {type: 0..9, per: Square}
  big: {type: 0..9, per: Great}
  way: {type: Direction, start: north}
  points: {type: 0..9999, per: player}
rules: |
  play:
    repeat:
      for p in players:
        turn of p: act()

  function raised(c: Square) -> bool = heap[c] > 0
  function high(c: Square) -> bool = raised(c)
  function higher(c: Square) -> bool = high(c)
  function highest(c: Square) -> bool = higher(c)
  function top_most(c: Square) -> bool = highest(c)
  function quotient(c: Square) -> number = 9 div (1 + heap[c])
  rule act:
    let spot = choose one of Square
    let far = choose one of (Great where it.row < 3) else return
    if some t = top of deck: move t to hand
    heap[spot] := min([9, heap[spot] + 1])
    big[far] := 1
    n := count(reachable(spot by neighbours(it) where heap[it] = 0))
    n += count(players_after(you)) + sum(p.points mod 2 for p in players_after(you))
    n += count(c for c in reachable(spot by neighbours(it)) where heap[c] > 0)
    n += sum(c.worth for p in players for c in p.hand where c.worth > 1)
    n += sum(c.worth for c in hand + row)
    for side in Side where side = edge(spot, a1): n += side.cost
    if some side = edge(spot, a2): n += side.cost
    if some d = direction(far, cell_at(Great, 6, 6) otherwise far): n += 1
    if any(all(top_most(c) for c in line) for line in lines(Square, 3)): n += 1
    if any(all(high(c) for c in line) for line in lines(Square, 3)): n += 1
    if any(all(quotient(c) > 2 for c in line) for line in lines(Square, 3)): n += 1
    if any(all(heap[c] > count(line) for c in line) for line in lines(Square, 3)): n += 1
    n += count(distinct(each(p.hand for p in players)))
    if hand in each(p.row for p in players): n += 1
    if each(p.row for p in players) in each([p.row, p.hand] for p in players): n += 1
    if (hand grouped by suit) in each(p.hand grouped by suit for p in players): n += 1
    n += count(t for t in box for u in box where t.price = u.price)
    n += count(each(t.price for t in box) - each(t.price for t in box where t.size < 2))
    n += count(t for t in box where t.price in each(u.price for u in box where u.size > 1))
    n += count(c for c in Square where c3 in ray(c, way))
    n += count(c for c in Square where spot in neighbours(c) and heap[c] > 0)
    for c in (Square where heap[it] > 0 and heap[it] < n): points += 1
    n += count(each(c.worth for p in players for c in p.hand) where it > 1)
    n += sum(c.worth for c in top n of hand)
    if any(t.worth = c.worth for c in hand for t in row): n += 1
    n += count(g for g in hand grouped by suit where count(g) > 1)
    n += count(Square where heap[it] != high_ones() and 9 - heap[it] != high_ones() and 2 * heap[it] != high_ones())
    points += n mod 7
  function high_ones -> number = count(Square where heap[it] > 2)
  score points: points
"""


def test_boards_and_sets(tmp_path: Path) -> None:
    """Cells, edges, lines and sets."""
    same_games(load(tmp_path, BOARDS))


CHOICES = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 40, outcome: scores}
types: {Suit: [cups, coins, swords], Good: {values: [wood, iron]}}
grids: {Square: {columns: 3, rows: 3, adjacency: orthogonal}}
kinds:
  Card: {attributes: {suit: Suit, worth: 1..3, price: cost of Good}, start: deck}
  Robot: {identity: true, attributes: {worth: 1..3}, variables: {load: {type: bag of Good}}, start: "seat(0).yard"}
  Lost: {identity: true, attributes: {worth: 1..3}, variables: {load: {type: 0..9}}, start: lost}
  Own: {identity: true, attributes: {worth: 1..3}, start: home}
  Flag: {attributes: {worth: 1..3}, start: tray}
pieces:
  Card:
    - {id: c1, suit: cups, worth: 1, price: 1 wood, count: 3}
    - {id: c2, suit: coins, worth: 2, price: 1 any Good, count: 3}
    - {id: c3, suit: swords, worth: 3, price: 2 wood or 1 iron, count: 3}
  Robot: [{id: r, worth: 1, count: 3}]
  Lost: []
  Own: [{id: mine, worth: 1, per: player}]
  Flag: [{id: flag, worth: 1, per: player}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player}
  row: {holds: Card, per: player}
  yard: {holds: Robot, per: player}
  garage: {holds: Robot}
  field: {holds: Card, per: Square}
  lost: {holds: Lost}
  home: {holds: Own}
  tray: {holds: Flag}
variables:
  n: {type: 0..999}
  m: {type: 0..999}
  heap: {type: 0..9, per: Square}
  suit: {type: Suit, start: cups}
  goods: {type: bag of Good, per: player, start: 3 wood + 2 iron}
  stock: {type: bag of Good, per: player}
  points: {type: 0..9999, per: player}
rules: |
  play:
    repeat:
      for p in players:
        turn of p: act()

  rule wait_once:
    for l in lost: l.load := 1
    anyway choose:
      gain(k from 1 to 2) when n > 99: n += k
      else: n += 1
  rule bumped -> number:
    n += 1
    return n
  rule wait_for(price: cost of Good):
    let k = choose a number from 1 to 2
    n += k * count(price)
  function quotient(s: Suit) -> bool = 9 div (1 + n) > 2
  function suit_of(k: number) -> Suit = cups if k > 5 else coins
  function same(s: Suit, t: Suit) -> bool = s = t and n mod 2 = 0
  rule act:
    if some t = top of deck: move t to hand
    if some t = top of deck: move t to row
    let part = choose up to 1 of hand
    move part to row
    stock := p_goods() + 1 wood
    choose first:
      never_there(c in hand) when 1 > 2: n += 1
      else: n += 1
    choose second:
      pair(p in players, s = 1 or more of p.hand): move s to row
      mark(c in hand, k from 1 to n) when c.worth > k: heap[b2] := 1
      priced(c in hand) when possible(wait_for(c.price) then n > 3): n += 1
      sets(p in players, g in p.hand grouped by suit) when count(g) < n: n += count(g)
      one(c in players.hand, k from 1 to 2) when c.worth > k: n += k
      colour(s in Suit) when s = suit or quotient(s): suit := s
      tint(s in Suit) when suit = s or s = suit_of(n): suit := s
      dye(s in Suit) when same(s, suit_of(9 div (1 + n))): suit := s
      gloss(s in Suit) when s = (suit if 9 div (1 + n) > 2 else coins) and n > 1: suit := s
      paint(s in Suit) when same(s, suit) or s = (suit if n > 3 else coins): suit := s
      buy(c in hand, paying c.price from goods): move c to row
      waste(paying 1 any Good from (top of (players with most it.points)).yard.load + goods): n += 1
      weed(c in field, k from 1 to 2) when c.worth > k: n += 1
      any_card(c in Card) when c.worth > n mod 3: n += 1
      later when possible(wait_once() then n > 3): n += 1
      wait: n += 1
    let all_goods = together choose one of hand where it.worth < n
    n += count(k for k in [1, 3, 7] where k = n)
    n += count(k for k in [1, 3, 7] where n = k + k)
    n += count(k for k in [1, 3, 7] where k = k * n)
    if n > 4: move (hand where it.worth > 1) to (row if n > 5 else next.row)
    if any(s = n div 50 for s in numbers(1, 4)) and seat(0).mine.worth > 0: n += 1
    if any(c.owner = you for c in tray): n += 1
    let shown = choose one of hand else return
    move shown to row
    n += shown.worth
    let none_of_all = together choose one of row where 1 > 2
    let tried = together choose one of row where possible(wait_once() then n > 3)
    let bags = together choose up to 1 of goods
    n += count(bags[you])
    n += count(c for c in hand for d in row where c = d)
    if some robot = top of yard:
      move robot to garage
      n += robot.worth
    let bump = bumped()
    if seat(n mod 2) = you: n += 1
    if n > 900: move deck to row
    m := bump mod 100
    points += m mod 7
  function p_goods -> bag of Good = goods
  score points: points
"""


def test_choices(tmp_path: Path) -> None:
    """Items that are never there, of sets and bags, and what guards of constants ask; steps offer the same."""
    ruleset = load(tmp_path, CHOICES)
    same_games(ruleset)
    games = [ruleset.new_game(2, 5, backend=name) for name in ("interpreter", "native")]
    picker = random.Random(1)
    while not games[0].is_terminal():
        seat = games[0].current_players()[0]
        first, second = ([action.id for action in game.legal_actions(seat)] for game in games)
        assert first == second
        chosen = picker.choice(first)
        for game in games:
            game.apply(chosen, seat)
    assert games[0].hash() == games[1].hash()


def test_what_rules_cannot_say(tmp_path: Path) -> None:
    """Sets of sets without repeats, and zones of which one is taken; what changes the game within an expression is not
    written."""
    ruleset = load(tmp_path, CHOICES)

    def changed(expr: Expr) -> Expr:
        expr = mapped(expr, changed)
        if expr.op == "group":
            return Expr("distinct", expr.type, (Expr("union", expr.type, (expr, expr)),), expr.site)
        if expr.op == "pieces":
            (zone,) = operands(expr)
            either = Expr("if", zone.type, (Expr("eq", BOOL, (Expr("player_count", INT), ONE)), zone, zone))
            return replace(expr, args=(either,))
        return expr

    machine = Machine(rewritten(ruleset.program, changed), 2)
    native = NativeCode(machine)
    for seed in range(3):
        one, other = machine.new_state(seed, logging=False), machine.new_state(seed, logging=False)
        machine.random_playout(one)
        native.random_playout(other)
        assert (one.v, one.rng, one.over) == (other.v, other.rng, other.over)
    calls = rewritten(ruleset.program, lambda expr: Expr("add", INT, (expr, ONE)) if expr.op == "call" else expr)
    with pytest.raises(UnwrittenError, match="inside of others"):
        check_expressions(calls)
