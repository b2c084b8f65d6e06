"""Small rulesets that look ahead: rules that write one variable, ask, are over, go wrong, have no end, try others; and
rulesets that group pieces.

Enters: nothing. Leaves: `TRIALS` and `GROUPINGS`, the texts of whole rulesets by name; `HOSTILE`, those whose trials go
wrong in some games.
"""

from __future__ import annotations

HEAD = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 60, fuel: 200000}
"""


def ruleset(nouns: str, rules: str, head: str = HEAD) -> str:
    """A ruleset of nouns and rules."""
    return f"{head}{nouns}rules: |\n" + "".join(f"  {line}\n" for line in rules.strip().split("\n"))


NUMBERS = """\
variables:
  n: {type: 0..99}
  m: {type: 0..99, per: player}
  met: {type: bool}
  sum: {type: 0..999999}
  purse: {type: bag of Coin, per: player, start: 2 red + 1 blue}
types: {Coin: {values: [red, blue, green]}}
"""
CARDS = """\
kinds: {Card: {attributes: {value: 1..9}, start: deck}}
pieces:
  Card: [{id: a, value: 1, count: 3}, {id: b, value: 2, count: 2}, {id: c, value: 4}, {id: d, value: 7}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: all}
  table: {holds: Card}
  few: {holds: Card, capacity: 2}
  seen: {holds: Card, order: pile, visible: all}
variables: {n: {type: 0..999}, sum: {type: 0..999999}, done: {type: bool}}
"""
PEOPLE = """\
kinds: {Man: {identity: true, start: home, variables: {load: {type: 0..3}, seen: {type: bool}}}}
pieces: {Man: [{id: tom}, {id: dan}, {id: sam}]}
zones: {home: {holds: Man}, away: {holds: Man, order: pile, visible: all}, gone: {holds: Man}}
variables: {n: {type: 0..999}, sum: {type: 0..999999}, best: {type: "Man?"}}
"""
WALK = """
play:
  repeat 4 times:
    for p in players:
      turn of p:
        n := roll 0 to 9
        choose:
"""


def walk(items: str, rules: str) -> str:
    """Turns that offer these items."""
    lines = [f"          {line}" for line in items.strip().split("\n")]
    return WALK.rstrip() + "\n" + "\n".join(lines) + "\n" + rules


def once(items: str, rules: str) -> str:
    """One turn that offers these items."""
    return (
        walk(items, rules).replace("repeat 4 times", "repeat 1 times").replace("for p in players", "for p in [seat(0)]")
    )


TRIALS = {
    "one variable": ruleset(
        NUMBERS,
        walk(
            """
set when possible(judge(n) then met): sum += 1
not_set when not possible(judge(n) then met): sum += 100
change(k in numbers(0, 4)) when possible(add(k) then sum(q.m for q in players) > 7): m += k
rest: m := n
""",
            """
rule judge(k: number): met := k mod 3 = 1
rule add(k: number): m += k
score all: sum + m
""",
        ),
    ),
    "choices": ruleset(
        NUMBERS,
        walk(
            """
reach(k in numbers(1, 9)) when possible(climb(k) then n = 15): sum += k
reach_otherwise(k in numbers(1, 9)) when k mod 2 = 0 and not possible(climb(k) then n = 15): sum += 1000
spend when possible(pay_for_it() then purse.blue >= 1 and n > 3): pay_for_it()
gain: purse += 1 any Coin
many when possible(wander() then m = 7 and n = 3): m += 1
pass: m := 2
""",
            """
rule climb(k: number):
  repeat 2 times:
    choose:
      up: n += 1
      far(d in numbers(2, k)) when d != 3: n += d
      done when n > 4: return
  let x = pick(k)
  n += x
rule pick(k: number) -> number:
  let a = choose a number from 0 to min(k, 3) else return 9
  if a = 2: return 0
  return a
rule pay_for_it:
  pay 1 red + 1 any Coin from purse: n += 3
  else: pass
  let left = choose any of numbers(1, 3)
  n += sum(left)
rule wander:
  repeat 6 times:
    choose:
      left: m := abs(m - 1)
      right when m < 90: m += 1
      up when n < 9: n += 1
      down when n > 0: n -= 1
score all: sum + m + count(purse)
""",
        ),
    ),
    "pieces": ruleset(
        CARDS,
        "setup:\n  shuffle deck\n  for p in players: draw 3 from deck to p.hand"
        + walk(
            """
lay(c in hand) when possible(put(c) then sum(table.value) mod 3 = 1): move c to table
sort when possible(all_out() then count(few) = 2 and sum(few.value) > 4): all_out()
top when possible(pile_up() then ((top of seen).value otherwise 0) = 4): pile_up()
draw when possible(draw_one() then count(hand) > 3): draw 1 from deck to hand
shuffled when possible(mix() then count(deck) > 0 and count(table) = 0): sum += 100
ask when possible(others_choose() then n > 5): sum += 1000
wait: n := 3
""",
            """
rule put(c: Card): move c to table
rule all_out:
  while count(hand) > 0 and count(few) < 2:
    let c = choose one of hand else return
    if c.value > 2: move c to few
    else: move c to table
  done := true
rule pile_up:
  for c in hand:
    choose:
      here: move c to seen
      there: move c to seen at bottom
      keep: pass
  if n mod 2 = 0: move top of seen to table
rule draw_one: draw 1 from deck to hand
rule mix:
  move table to deck
  shuffle deck
rule others_choose:
  for p in players:
    turn of p: n := n + 1
    let x = choose a number from 0 to 3
    n += x
score all: sum + sum(hand.value) + n
""",
        ),
    ),
    "individuals": ruleset(
        PEOPLE,
        walk(
            """
go(who in home + away) when possible(send(who) then count(home) = 1 and loads() > 2): send(who)
leave when possible(leave_all() then best is not none and best in away): leave_all()
first when possible(leave_all() then first_away()): sum += 10
load(who in home): who.load := min(3, who.load + 1)
back: move away to home
""",
            """
rule send(who: Man):
  if who in home: move who to away
  else: move who to home
  who.seen := true
  if count(away) > 0:
    let other = choose one of away else return
    other.load := 3 - other.load
rule leave_all:
  for x in home:
    choose:
      stay: pass
      go:
        move x to away
        best := x
      go_below:
        move x to away at bottom
function first_away -> bool = any(m is tom for m in top 1 of away)
function loads -> number = sum(m.load for m in away) + count(m for m in home where m.seen)
score all: sum + loads() + n
""",
        ),
    ),
    "trials in trials": ruleset(
        NUMBERS,
        walk(
            """
deep when possible(outer(n) then m = 3): sum += 1
own when possible(itself(3) then n > 11): sum += 10
turns when possible(in_turn(2) then n > 9): sum += 100
plain when possible(outermost() then met): sum += 1000
scored: m := scored()
pass: pass
""",
            """
rule outer(k: number):
  choose:
    a(x in numbers(0, 3)) when possible(inner(x) then n > k): m := x
    b when not possible(inner(9) then n > k + 5): m := 3
    c: m := 1
  if possible(inner(2) then n = k + 3): n += 1
rule inner(x: number):
  let y = choose a number from 0 to x else return
  n += y + 1
rule itself(k: number) up to 5 deep:
  repeat k times:
    choose:
      more when possible(itself(2) then n > 20): n += 2
      less when n < 3 or possible(itself(1) then n < 2): n := n + 1
      else: n += 1
rule in_turn(k: number) up to 4 deep:
  choose:
    go when k > 0 and possible(other_turn(k - 1) then n > 3): in_turn(k - 1)
    add: n += 3
rule other_turn(k: number):
  choose:
    go when k > 0 and possible(in_turn(k - 1) then n > 5): n += 1
    add: n += 2
rule outermost: met := possible(inner(4) then n mod 7 = 6)
function scored -> number = count(k for k in numbers(0, 4) where possible(inner(k) then n > 8))
score all: sum + m + (5 if possible(inner(2) then n > 8) else 0)
""",
        ),
    ),
    "ends": ruleset(
        NUMBERS,
        walk(
            """
over when possible(maybe_end() then m > 4): m += 1
later when possible(end_late() then n > 6): m += 2
won when possible(win() then n > 3): m += 3
plain when possible(end_at_once() then n = 7): m += 4
out when possible(leave() then count(players) = 1): m += 5
pass: m += 1
""",
            """
rule maybe_end:
  repeat 3 times:
    choose:
      more when m < 90: m += 2
      stop: end the game
rule end_late:
  let x = choose a number from 0 to 3
  n += x
  if x = 2: end the game after this turn
  if n > 8: end_at_once()
  n := 0
rule end_at_once:
  n := 7
  end the game
rule win:
  choose:
    mine: end the game won by you
    nobody: n := n + 2
rule leave: eliminate you
score all: sum + m
""",
        ),
    ),
    "chance and others": ruleset(
        NUMBERS,
        walk(
            """
die when possible(roll_it(6) then true): sum += 1
one_side when possible(roll_it(1) then n > 0): sum += 10
lot when possible(draw_lot(2) then true): sum += 100
only_lot when possible(draw_lot(1) then n = 1): sum += 1000
other when possible(other_chooses() then n > 2): sum += 10000
both when possible(both_choose() then true): sum += 100000
nobody when possible(nobody_chooses() then n = 4): sum += 2
pass: pass
""",
            """
rule roll_it(k: number): n := roll 1 to k
rule draw_lot(k: number):
  let x = random one of numbers(1, k)
  n := x otherwise 0
rule other_chooses:
  let x = choose a number from 0 to n
  n := x
  for p in others:
    turn of p:
      if n < 2: n += choose a number from 0 to 3
rule both_choose:
  let x = together choose a number from 0 to 3
  n := sum(x[p] for p in players)
rule nobody_chooses:
  let x = together choose any of numbers(3, 2)
  n := 4 + sum(count(x[p]) for p in players)
score all: sum
""",
        ),
    ),
}


HOSTILE = {
    "trials that go wrong": ruleset(
        NUMBERS,
        once(
            """
beyond when n < 3 and possible(grow(7 + n) then m > 1): sum += 1
deep when n = 3 and possible(deeper(0) then m > 99): sum += 2
endless when n = 4 and possible(endless_choice() then m = 99): sum += 4
loops when n = 5 and possible(endless() then true): sum += 8
wide when n > 5 and n < 8 and possible(widely() then m = 77): sum += 16
ladder when n > 7 and possible(up_and_down(n) then m = 50): sum += 32
pass: pass
""",
            """
rule grow(k: number):
  let x = choose a number from 0 to 3 else return
  m := 92 + k
  sum := sum + x
rule deeper(k: number) up to 9 deep:
  choose:
    on: deeper(k + 1)
    off: pass
rule endless_choice:
  repeat 1000000 times:
    choose:
      a: sum += 1
      b: sum += 2
rule endless:
  while n >= 0:
    n := n + 1 - 1
rule widely:
  let x = choose a number from 1 to 500 * n
  let y = choose a number from 1 to 9 * n
  m := 76 mod n
  sum := (x otherwise 0) + (y otherwise 0)
rule up_and_down(k: number) up to 60 deep:
  m := k
  if k < 58 + n: up_and_down(k + 1)
score all: sum + m
""",
        ),
        HEAD.replace("200000", "50000"),
    ),
}

STONES = """\
kinds: {Stone: {attributes: {weight: 1..5}, variables: {box: {type: 0..%d}, worn: {type: bool}}, start: tray}}
pieces:
  Stone: [{id: a, weight: 1, count: %d}, {id: b, weight: 2, count: 2}, {id: c, weight: 3}, {id: d, weight: 5}]
zones:
  tray: {holds: Stone}
  sack: {holds: Stone}
  heap: {holds: Stone, order: pile, visible: all}
  dark: {holds: Stone, order: pile, visible: count}
variables: {kept: {type: "Stone?"}, n: {type: 0..99}, sum: {type: 0..99999}}
"""
SORT = """
play:
  repeat 3 times:
    for p in players:
      turn of p:
        let first = choose one of tray else return
        first.worn := true
        sort(n mod 5)
        kept := first
        move choose any of tray where it.box = 1 to sack
        move sack to tray
        n += 1 + count(distinct(tray.box))
rule sort(how: number):
  if how = 0: arrange tray by box where sum(it.weight) <= 6
  if how = 1: arrange tray by box
  if how = 2: arrange tray by box where count(it) <= 2 and any(not s.worn for s in it)
  if how = 3:
    move tray to heap
    arrange heap by box where sum(it.weight) mod 3 != 1 and count(distinct(heap.box)) <= 3
    move heap to tray
  if how = 4: arrange tray by box where possible(spread() then n > 1)
rule spread:
  let x = choose one of tray where it.box = 1 else return
  n := x.weight
score boxes: sum(s.box * s.weight for s in tray) + sum(s.box for s in heap) + n
"""
TRIED = """
play:
  repeat 3 times:
    for p in players:
      turn of p:
        n := roll 0 to 3
        choose:
          group when possible(pack() then sum(tray.box) = 5 + n): pack()
          take(s in tray) when possible(leave(s) then most_boxes() > 1): leave(s)
          both when possible(nested() then n > 7): sum += 1
          itself when possible(two() then n = 7): sum += 10
          another when possible(two() then n = 8): sum += 100
          lot when possible(lot() then n = 5): sum += 1000
          mixed when possible(mix() then n = 6): sum += 5000
          wear(s in tray): s.worn := true
          back: move sack to tray
rule pack:
  arrange tray by box where sum(it.weight) <= 5
  move choose 1 of tray where it.box > 1 to sack
rule leave(s: Stone):
  move s to sack
  if count(tray) < 5: arrange tray by box where possible(look(count(it)) then n = 1)
rule two:
  let a = choose one of tray else return
  let b = second() else return
  n := 7 if a = b else 8 if alike(a, b) else 9
rule lot:
  let s = random one of tray where it.weight = 1 else return
  if s in tray: n := 5
rule mix:
  move tray where it.weight = 2 to dark
  shuffle dark
  draw 1 from dark to sack
  if count(sack) > 0: n := 6
rule second -> Stone?:
  let b = choose one of tray else return none
  return b
rule look(k: number): n := k mod 2
rule nested:
  if count(tray) < 4: arrange tray by box where count(it) != 2
  n := 6 + (max(tray.box) otherwise 0)
function most_boxes -> number = max(tray.box) otherwise 0
score boxes: sum(tray.box) + sum + n
"""
GROUPINGS = {
    "groupings": ruleset(STONES % (9, 2), SORT),
    "few boxes": ruleset(STONES % (2, 3), SORT.replace("!= 1 and", "= 0 and")),
    "groupings that are tried": ruleset(STONES % (6, 2), TRIED),
}
