"""Effects that all see, each made to depend on a secret: `x` of seat 0, or what it holds; and games that tell nothing."""

from __future__ import annotations

from typing import NamedTuple

HEAD = """\
rulelang: 2
name: leak
players: 3
grids: {Square: {columns: 2, rows: 2}}
kinds:
  Card: {attributes: {value: 1..3}, variables: {level: {type: 0..3}}, start: deck}
  Spy: {variables: {rank: {type: 0..3}}}
  Ace: {identity: true, start: case}
  Scout: {variables: {rank: {type: 0..3}}}
pieces:
  Card: [{id: one, value: 1, count: 5}, {id: two, value: 2, count: 5}, {id: three, value: 3, count: 5}]
  Ace: [{id: ace}]
  Scout: [{id: scout, per: player, start: "camp[a1]"}]
  Spy: [{id: spy, per: player, start: "den[a1]"}]
types: {Good: {values: [nut, oil]}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  stash: {holds: Card, per: player, visible: owner}
  row: {holds: Card, per: player}
  vault: {holds: Card, visible: nobody}
  den: {holds: Spy, per: [player, Square], visible: owner}
  camp: {holds: Scout, per: [player, Square], visible: owner}
  yard: {holds: Scout}
  case: {holds: Ace}
  sleeve: {holds: Ace, per: player, visible: owner}
variables:
  x: {type: 0..3, per: player, visible: owner}
  watched: {type: Spy?}
  coins: {type: 0..99, per: player, start: 9}
  purse: {type: bag of Good, per: player, start: 3 nut + 3 oil}
  till: {type: bag of Good, per: player, visible: owner, size: owner, start: 1 nut}
  sack: {type: bag of Good, per: player, visible: owner, start: 2 nut + 1 oil}
  ally: {type: bool, per: player, visible: "you = owner or you.ally"}
  plan: {type: 0..3, visible: "you.seat < 2"}
marks: {tired: {per: player}}
rules: |
  event tick: pass
  exchanges market from purse:
    exchange press once per turn: 1 nut -> 1 oil
  setup:
    shuffle deck
    for p in players:
      draw 3 from deck to p.hand
      p.ally := any(c.value = 3 for c in p.hand)
    plan := roll 0 to 3
  play:
    for p in players:
      turn of p:
        x := secretly choose a number from 0 to 3
        for s in den: s.rank := x
        for s in camp: s.rank := x
        let c = secretly choose one of Square
        move spy to den[c]
    for p in players:
      turn of p:
        mark tired until after tick
        draw 1 from deck to vault
        move top of deck to row
        coins += choose a number from 0 to 1
    @
    for p in players:
      turn of p: coins += choose a number from 0 to 1
  score coins: coins + count(stash) + sum(row.level) + purse.nut + sum(den.rank) + sack.nut + (1 if ally else 0)
"""


class Leak(NamedTuple):
    """An effect in `play`, further rules, and what is revealed to all, after which it tells nothing new. The line that
    is found says `#!`."""

    text: str
    rules: str = ""
    shown: str = "reveal seat(0).x"

    def ruleset(self, shown: bool) -> str:
        """The whole ruleset."""
        text = f"{self.shown}\n{self.text}" if shown else self.text
        return HEAD.replace("@", text.replace("\n", "\n    ")) + "".join(
            f"  {line}\n" for line in self.rules.split("\n") if line
        )


IF = "if seat(0).x > 1:"
DEEP = "\n".join(f"rule r{n}: r{n + 1}()" for n in range(70))
"""Rules in each other, more than are walked within each other."""
CARDS = "reveal seat(0).hand"
LEAKS = {
    # statements of the checked tree and operations, by the names that their rows have
    "CEnd": Leak(f"{IF} end the game  #!"),
    "CEnd, with an outcome": Leak(f"{IF} end the game won by seat(1)  #!"),
    "CEnd, of a called rule": Leak(
        "if early(): end the game  #!", f"rule early -> bool:\n  {IF} return true\n  return false"
    ),
    "CEnd, while the other branch asks": Leak(
        f"{IF} end the game  #!\nelse:\n  as seat(1): coins += choose a number from 1 to 2  #!",
    ),
    "defer": Leak(f"turn of seat(1):\n  {IF} end the game after this turn  #!"),
    "eliminate": Leak(f"{IF} eliminate seat(1)  #!"),
    "eliminate, whom": Leak("for p in players where p.seat = seat(0).x: eliminate p  #!"),
    "eliminate, in one's own turn": Leak("turn of seat(0):\n  if x > 1: eliminate seat(1)  #!"),
    "begin turn": Leak(f"{IF}\n  turn of seat(0): pass  #!"),
    "begin round": Leak(f"{IF}\n  round: pass  #!"),
    "begin phase": Leak(f"{IF}\n  phase extra: pass  #!"),
    "CDraw, how many": Leak("draw seat(0).x from deck to seat(1).hand  #!"),
    "CDraw, whether": Leak(f"{IF} draw 1 from deck to seat(1).hand  #!"),
    "CShuffle": Leak(f"{IF} shuffle deck  #!"),
    "CMove, how many": Leak("move (top (seat(0).x) of deck) to seat(1).hand  #!"),
    "CMove, how many of another one's": Leak(
        "let n = count(seat(0).hand where it.value = 3)\nmove (top n of deck) to seat(1).hand  #!", shown=CARDS
    ),
    "CMove, whether": Leak(f"{IF} move top of seat(1).row to seat(2).row  #!"),
    "CMove, where": Leak("move top of seat(1).row to (seat(2) if seat(0).x > 1 else seat(0)).row  #!"),
    "CMove, of what others hold": Leak(f"{IF} move seat(1).hand to seat(1).row  #!"),
    "CCall, of an event for which marks wait": Leak(f"{IF} tick()  #!"),
    "CRandom, whether": Leak(f"{IF}\n  let d = roll 1 to 6  #!\n  seat(1).coins += d"),
    "CRandom, of what": Leak("seat(1).coins += roll 1 to seat(0).x + 1  #!"),
    "CChoose, whether": Leak(f"{IF}\n  as seat(0): coins := choose a number from 1 to 2  #!"),
    "CChoose, how often": Leak(
        "as seat(0): again()", "rule again:\n  if x > 1: x := secretly choose a number from 0 to 1  #!"
    ),
    "CChoose, of what fits": Leak(
        "as seat(0):\n  choose:  #!\n    lay(c in hand where it.value = 3): move c to row\n    else: pass", shown=CARDS
    ),
    "CChoose, together": Leak(
        "let t = together choose up to 1 of (hand where it.value = 3)  #!\nfor p in players: move t[p] to p.row",
        shown="for p in players: reveal p.hand",
    ),
    "CCall, of a trade": Leak(f"as seat(0):\n  {IF} trade market()  #!"),
    "CChoose, of a trade from a purse that not all see": Leak(
        "as seat(0): trade bank()",
        "exchanges bank from till:  #!\n  exchange melt once per turn: 1 nut -> 1 oil",
        shown="reveal seat(0).till",
    ),
    "CChoose, of what is bought": Leak(
        "as seat(0):\n  choose:  #!\n    buy(paying 1 nut from till): coins += 1\n    else: pass",
        shown="reveal seat(0).till",
    ),
    "spend": Leak("as seat(0):\n  pay (x) nut from purse: pass  #!\n  else: pass"),
    "spend, goods that all see": Leak("move (seat(0).x) nut from seat(1).purse to seat(2).purse  #!"),
    "spend, how many": Leak("move (seat(0).x) nut from seat(1).sack to seat(2).sack  #!"),
    "spend, to another": Leak("as seat(0):\n  pay (x) nut from sack to seat(1).sack: pass  #!\n  else: pass"),
    "set_var, how much all may count": Leak("seat(1).sack += (seat(0).x) nut  #!"),
    "CChoose, how to pay": Leak(f"as seat(0):\n  {IF}\n    pay 1 nut from purse:  #!\n      pass\n    else: pass"),
    "reveal, whether": Leak(f"{IF} reveal seat(1).x  #!"),
    "reveal, to whom": Leak("let w = seat(1) if seat(0).x > 1 else seat(2)\nreveal seat(0).hand to w  #!"),
    "set_var": Leak("seat(1).coins += seat(0).x  #!"),
    "set_var, whether": Leak(f"{IF} seat(1).coins := 1  #!"),
    "set_var, of cards": Leak("seat(0).coins += count(seat(0).hand where it.value = 3)  #!", shown=CARDS),
    "set_var, of a mark": Leak(f"{IF} mark seat(1).tired until after tick  #!"),
    "set_var, in a called rule": Leak(f"{IF} hurt(seat(1))", "rule hurt(q: player): q.coins -= 1  #!"),
    "set_var, in an event": Leak(f"{IF} boom(seat(1))", "event boom(q: player): q.coins += 1  #!"),
    "set_var, in a loop": Leak("while seat(0).x > 1:\n  seat(0).x -= 1\n  seat(1).coins += 1  #!"),
    "set_pvar": Leak("for c in seat(1).row: c.level := seat(0).x  #!"),
}
"""By the name of its row in `rulelang.semantics.visibility.effects`, and a word for the kind."""

WAYS = {
    # ways on which a secret reaches an effect
    "sight without its condition": Leak(
        "turn of seat(1):\n  coins += choose a number from 0 to count(others where it.ally)  #!"
    ),
    "sight without its condition, in a call": Leak(
        "turn of seat(1):\n  if some q = anyway secretly choose one of (others where friendly(it)): x := q.seat  #!",
        "function friendly(q: player) -> bool = q.ally",
    ),
    "sight by another's condition": Leak(
        "turn of seat(1):\n  if some q = anyway secretly choose one of (others where next.ally and it.ally): x := q.seat  #!"
    ),
    "a seat that does not look": Leak("turn of seat(2):\n  coins += choose a number from 0 to plan  #!"),
    "what some see, told to all": Leak("seat(1).coins += plan  #!"),
    "a loop over what is held": Leak("for c in seat(0).hand where it.value = 3: seat(1).coins += 1  #!"),
    "a key": Leak("seat(1).coins += count(players with most it.x = 1 then fewest it.coins)  #!"),
    "an order": Leak("let who = top of (players sorted by most it.x)\nwho.coins += 1  #!"),
    "the rows of a table": Leak("seat(1).coins += {true: 1, false: 2} at (seat(0).x > 1)  #!"),
    "lists that are compared": Leak("if [seat(0).x, 1] < [1, 2]: shuffle deck  #!"),
    "runs": Leak("seat(1).coins += count(runs(players by it.x))  #!"),
    "subsets": Leak("seat(1).coins += count(subsets(players, seat(0).x))  #!"),
    "a weight": Leak("let who = random one of players weighted by it.x\nif some w = who: w.coins += 1  #!"),
    "what is given by a rule that was given and has shown another": Leak(
        "outer(seat(0).x, seat(1).x)",
        "rule outer(a: 0..3, b: 0..3):\n  reveal a\n  inner(b)\nrule inner(c: 0..3):\n  if c > 1: shuffle deck  #!",
    ),
    "of a seat that is given by a rule that has shown that of another": Leak(
        "outer(seat(0), seat(1))",
        "rule outer(a: player, b: player):\n  reveal a.x\n  inner(b)\n"
        "rule inner(c: player):\n  if c.x > 1: shuffle deck  #!",
    ),
    "what was read of a piece that others don't see": Leak(
        "for c in seat(0).hand: pick(c)",
        "rule pick(c: Card):\n  let low = c.value < 2\n  move c to seat(0).stash\n  if low: seat(2).coins += 1  #!",
    ),
    "what was read of a piece beside a secret": Leak(
        "for c in seat(0).hand: pick(c)",
        "rule pick(c: Card):\n  let low = c.value < seat(0).x\n  move c to seat(0).row\n  if low: seat(2).coins += 1  #!",
    ),
    "what was read of another piece": Leak(
        "for c in seat(0).hand:\n  for d in seat(1).hand: pick(c, d)",
        "rule pick(c: Card, d: Card):\n  let low = c.value < d.value\n  move c to seat(0).row\n  if low: seat(2).coins += 1  #!",
    ),
    "a number of rounds": Leak("repeat seat(0).x times: seat(1).coins += 1  #!"),
    "a loop that is left": Leak("repeat 3 times:\n  if seat(0).x > 1: stop\n  seat(1).coins += 1  #!"),
    "a rule that is left": Leak("go()", "rule go:\n  if seat(0).x > 1: return\n  seat(1).coins += 1  #!"),
    "a rule that is left before a question": Leak(
        "as seat(0): go()", "rule go:\n  if x > 1: return\n  coins += choose a number from 0 to 1  #!"
    ),
    "a function": Leak("if rich(seat(0)): shuffle deck  #!", "function rich(p: player) -> bool = p.x > 1"),
    "a local": Leak("let big = seat(0).x > 1\nif big: shuffle deck  #!"),
    "a seat in a local": Leak("let who = seat(1) if seat(0).x > 1 else seat(2)\ndraw 1 from deck to who.hand  #!"),
    "a variable of a piece that is called by its name": Leak(
        "seat(1).coins += seat(0).spy.rank  #!", shown="reveal seat(0).den"
    ),
    "where a piece stands": Leak(
        "seat(1).coins += (cell of seat(0).spy).column  #!", shown="reveal cell of seat(0).spy"
    ),
    "the cell of a piece in a local": Leak("let s = seat(0).spy\nif cell of s = a1: shuffle deck  #!"),
    "the cell of a parameter": Leak("look(seat(0).spy)", "rule look(s: Spy): seat(1).coins += (cell of s).column  #!"),
    "the cell of a parameter of a function": Leak(
        "if far(seat(0).spy): shuffle deck  #!", "function far(s: Spy) -> bool = cell of s = b2"
    ),
    "the cell of what a function gives": Leak(
        "let s = sent(seat(0))\nif cell of s = a1: shuffle deck  #!", "function sent(p: player) -> Spy = p.spy"
    ),
    "the cell of an element of a list": Leak(
        "for s in each(p.spy for p in players):\n  if cell of s = a1: seat(1).coins += 1  #!"
    ),
    "the cells of some": Leak("if any(cell of s = a1 for s in each(p.spy for p in players)): shuffle deck  #!"),
    "the cell of a piece in a variable": Leak(
        "watched := seat(0).spy\nif some s = watched:\n  if cell of s = a1: shuffle deck  #!"
    ),
    "where a piece lies that was seen before it left": Leak(
        "let s = seat(1).scout\nmove s to yard\nhide()\nif cell of s = a1: shuffle deck  #!",
        "rule hide:\n  for p in players:\n    turn of p:\n      let c = secretly choose one of Square\n      move scout to camp[c]",
    ),
    "a variable of a piece in a local": Leak("let s = seat(0).spy\nseat(1).coins += s.rank  #!"),
    "a variable of a piece that is moved on one path": Leak(
        "if seat(1).coins > 3: move seat(1).scout to yard\nseat(0).coins += seat(1).scout.rank  #!"
    ),
    "the owner of a piece that is called by its name": Leak("if ace.owner = seat(1): shuffle deck  #!"),
    "the owner of a piece in a local": Leak("let a = ace\nif some p = a.owner: p.coins += 1  #!"),
    "what a rule gives that calls itself": Leak(
        "if deep(seat(0), 3): shuffle deck  #!",
        "rule deep(p: player, k: number) -> bool up to 9 deep:\n  if k = 0: return p.x > 1\n  return deep(p, k - 1)",
    ),
    "what a function gives that calls itself": Leak(
        "if deep(seat(0), 3): shuffle deck  #!",
        "function deep(p: player, k: number) -> bool up to 9 deep = p.x > 1 if k = 0 else deep(p, k - 1)",
    ),
    "what a rule gives to itself": Leak(
        "let d = deep(seat(0), 3)\nif d: pass",
        "rule deep(p: player, k: number) -> bool up to 9 deep:\n  if k = 0: return p.x > 1\n"
        "  let r = deep(p, k - 1)\n  if r: shuffle deck  #!\n  return k = 1",
    ),
    "what a rule gives to itself of a seat that it has drawn": Leak(
        "let r = look(3)",
        "rule look(k: 0..3) -> 0..3 up to 4 deep:\n  let q = random one of players\n  if k = 0: return q.x\n"
        "  let r = look(k - 1)\n  as q:\n    choose:\n      more when r > 1: coins += 1  #!\n      wait: pass\n  return 0",
    ),
    "what rules in each other look ahead to, more than are walked": Leak(
        "as seat(1):\n  choose:\n    a when possible(r0() then coins > 0): coins += 1  #!\n    b: pass",
        f"{DEEP}\nrule r70:\n  if seat(0).x > 1: seat(1).coins := 0",
    ),
    "functions in each other, more than are walked": Leak(
        "if f0(seat(0)): shuffle deck  #!",
        "\n".join(f"function f{n}(p: player) -> bool = f{n + 1}(p)" for n in range(70))
        + "\nfunction f70(p: player) -> bool = p.x > 1",
    ),
    "an argument of functions in each other, more than are walked": Leak(
        "if f0(seat(0).x > 1): shuffle deck  #!",
        "\n".join(f"function f{n}(b: bool) -> bool = f{n + 1}(b)" for n in range(70))
        + "\nfunction f70(b: bool) -> bool = not b",
    ),
    "a parameter": Leak("hurt(seat(0).x)", "rule hurt(n: 0..3): seat(1).coins -= n  #!"),
    "one's own turn, after another choice": Leak(
        "turn of seat(0):\n  let n = choose a number from 0 to 1\n  coins += n\n  if x > 1: eliminate seat(1)  #!"
    ),
    "a question in an item of a secret menu": Leak(
        "as seat(0):\n  secretly choose:\n    a: coins += choose a number from 0 to 1  #!\n    b: pass"
    ),
    "a question under what not all see, before one that the asked seat can't know": Leak(
        "if seat(0).x > 1:\n  seat(1).coins += 1  #!\n  as seat(1): coins += choose a number from 0 to 1  #!"
    ),
}

AGAIN = {
    # what was shown and what all know of it no more
    "goods that came": Leak(
        "reveal seat(0).sack\nmove (random 1 of seat(1).sack) from seat(1).sack to seat(0).sack\n"
        "seat(0).coins := seat(0).sack.nut  #!"
    ),
    "a card drawn": Leak(
        "reveal seat(0).hand\ndraw 1 from deck to seat(0).hand\nseat(0).coins := sum(seat(0).hand.value)  #!"
    ),
    "a card drawn by a rule that calls itself": Leak(
        "reveal seat(0).hand\ndeal(3)",
        "rule deal(k: 0..3) up to 3 deep:\n  if k > 0: deal(k - 1)\n"
        "  if sum(seat(0).hand.value) > 3: shuffle deck  #!\n  draw 1 from deck to seat(0).hand",
    ),
    "a card drawn below rules in each other, more than are walked": Leak(
        "reveal seat(0).hand\nr0()\nif sum(seat(0).hand.value) > 3: shuffle deck  #!",
        f"{DEEP}\nrule r70: draw 1 from deck to seat(0).hand",
    ),
    "a card drawn below rules in each other, more than are walked, in a called rule": Leak(
        "reveal seat(0).hand\ndeal()\nif sum(seat(0).hand.value) > 3: shuffle deck  #!",
        f"{DEEP}\nrule r70: draw 1 from deck to seat(0).hand\nrule deal: r0()",
    ),
    "a card drawn below rules in each other, more than are walked, in the second round": Leak(
        "reveal seat(0).hand\nfor k in numbers(1, 2):\n  if sum(seat(0).hand.value) > 3: shuffle deck  #!\n  r0()",
        f"{DEEP}\nrule r70: draw 1 from deck to seat(0).hand",
    ),
    "a card taken out unseen": Leak(
        "reveal seat(0).hand\nas seat(0):\n  let c = secretly choose one of hand else return\n  move c to stash\n"
        "  coins := sum(hand.value)  #!"
    ),
    "a card chosen from what was shown": Leak(
        "reveal seat(0).hand\nas seat(0):\n  let c = choose one of hand else return\n  move c to stash\n"
        "  coins := sum(hand.value)  #!"
    ),
    "a card drawn in a called rule": Leak(
        "reveal seat(0).hand\nfill(seat(0))\nseat(0).coins := sum(seat(0).hand.value)  #!",
        "rule fill(p: player): draw 1 from deck to p.hand",
    ),
    "another value": Leak(
        "reveal seat(0).x\nas seat(0): x := secretly choose a number from 0 to 3\nseat(1).coins += seat(0).x  #!"
    ),
    "in the second round": Leak(
        "reveal seat(0).x\nfor n in numbers(1, 2):\n  seat(1).coins += seat(0).x  #!\n"
        "  as seat(0): x := secretly choose a number from 0 to 3"
    ),
    "on one path": Leak("if seat(1).coins > 9: reveal seat(0).x\nseat(1).coins += seat(0).x  #!"),
    "of another one": Leak("for p in players_after(seat(0)): reveal p.x\nseat(1).coins += seat(0).x  #!"),
    "of those before a stop": Leak(
        "for p in players:\n  if p.coins > 9: stop\n  reveal p.x\nfor p in players: p.coins += p.x  #!"
    ),
    "of those for whom it holds": Leak(
        "for p in players:\n  if p.coins > 9: reveal p.x\nfor p in players where it.coins > 8: p.coins += p.x  #!"
    ),
    "of those for whom it held": Leak(
        "for p in players:\n  if p.coins > 9: reveal p.x\nseat(0).coins += 1\n"
        "for p in players where it.coins > 9: p.coins += p.x  #!"
    ),
    "another value of one outcome": Leak(
        "let d = roll 1 to 6\nseat(0).x := min(d, 3)\nif d > 2: seat(1).coins += 1  #!"
    ),
    "a sum before another card came": Leak(
        "let held = sum(seat(0).hand.value)\ndraw 1 from deck to seat(0).hand\nmove seat(0).hand to seat(0).row\n"
        "if held > 3: shuffle deck  #!"
    ),
    "the hand of the only one left": Leak(
        "let left = players where it.coins > 9\nif count(left) > 1:\n  for p in left: reveal p.hand\n"
        "for p in left: p.coins += sum(p.hand.value)  #!"
    ),
    "hands of two, if they are more": Leak(
        "let left = players where it.coins > 9\nif count(left) > 2:\n  for p in left: reveal p.hand\n"
        "for p in left with most sum(it.hand.value): p.coins += 5  #!"
    ),
    "hands of others than were several": Leak(
        "let left = players where it.coins > 9\nif count(left) > 1:\n  for p in left: reveal p.hand\n"
        "for p in players with most sum(it.hand.value): p.coins += 5  #!"
    ),
    "a menu of some ranks that are held": Leak(
        "turn of seat(0):\n  choose:  #!\n    ask(k from 1 to 2 where it in hand.value): coins += k\n    else: pass"
    ),
    "a menu of ranks that two hold": Leak(
        "turn of seat(0):\n  choose:  #!\n    ask(q in others, k from 1 to 3 where it in hand.value and q.coins > k): coins += k\n    else: pass"
    ),
    "what a loop lays open of some": Leak(
        "let g = seat(0).hand\nfor c in g:\n  if c.value = 1: move c to seat(0).row\nseat(1).coins += count(g where it.value = 3)  #!"
    ),
    "what a loop takes where not all see it": Leak(
        "let g = seat(0).hand\nfor c in g: move c to seat(0).stash\nseat(1).coins += count(g where it.value = 3)  #!"
    ),
    "what a loop lays open until it is left": Leak(
        "let g = seat(0).hand\nfor c in g:\n  move c to seat(0).row\n  if c.value = 3: stop\nseat(1).coins += count(g where it.value = 3)  #!"
    ),
    "whether any fit, before others move": Leak(
        "let g = any(c.value = 3 for c in seat(0).hand)\nif g: move (seat(0).hand where it.value = 2) to seat(1).hand  #!"
    ),
    "whether any fit, before something else happens": Leak(
        "let g = any(c.value = 3 for c in seat(0).hand)\nif g: seat(1).coins += 1  #!\nif g: move (seat(0).hand where it.value = 3) to seat(1).hand"
    ),
    "how many others fit": Leak(
        "reveal count(seat(0).hand where it.value = 2)\nif any(c.value = 3 for c in seat(0).hand): shuffle deck  #!"
    ),
    "how many lie where nobody looks": Leak("seat(1).coins += count(vault)  #!"),
    "of all but one, at once": Leak(
        "reveal each(p.x for p in players_after(seat(0)))\nfor p in players with most it.x: p.coins += 1  #!"
    ),
    "whether what each has is much": Leak(
        "reveal each(p.x > 1 for p in players)\nfor p in players with most it.x: p.coins += 1  #!"
    ),
    "a sum with another secret in it": Leak(
        "let held = sum(seat(0).hand.value) + seat(0).x\nmove seat(0).hand to seat(0).row\nif held > 3: shuffle deck  #!"
    ),
    "a sum of what went where not all see it": Leak(
        "let held = sum(seat(0).hand.value)\nmove seat(0).hand to seat(0).stash\nif held > 3: shuffle deck  #!"
    ),
    "a sum of more than was laid open": Leak(
        "let held = sum(seat(0).hand.value)\nmove (seat(0).hand where it.value = 3) to seat(0).row\n"
        "if held > 3: shuffle deck  #!"
    ),
    "goods of which not all may have come": Leak(
        "let got = random 1 of seat(0).sack\nseat(0).sack -= 1 oil\nmove got from seat(0).sack to seat(1).sack\n"
        "turn of seat(1): coins += choose a number from 0 to got.nut  #!"
    ),
    "goods that went to another": Leak(
        "let got = random 1 of seat(0).sack\nmove got from seat(0).sack to seat(1).sack\n"
        "turn of seat(2): coins += choose a number from 0 to got.nut  #!"
    ),
    "to one alone": Leak("turn of seat(1):\n  reveal seat(0).x to you\n  coins += seat(0).x  #!"),
}

SILENT = {
    # what was shown, chosen or can be counted
    "sight under its condition": Leak(
        "turn of seat(1):\n  if some q = anyway secretly choose one of (others where ally and not it.ally): x := q.seat"
    ),
    "sight under its condition, through calls": Leak(
        "turn of seat(1):\n  if some q = anyway secretly choose one of (others where ally and friendly(it)): x := q.seat\n"
        "  night(you)",
        "function friendly(q: player) -> bool = q.ally\n"
        "rule night(who: player):\n  if some q = anyway secretly choose one of (others where ally and also(you, it)): x := q.seat\n"
        "function also(who: player, q: player) -> bool = q.ally if who.ally else false",
    ),
    "seats that surely look": Leak(
        "for p in [seat(0), seat(1)]:\n  turn of p: coins += choose a number from 0 to plan\n"
        "for p in players where p.seat < 2:\n  turn of p: coins += choose a number from 0 to plan\n"
        "turn of seat(1): coins += choose a number from 0 to plan"
    ),
    "how many goods there are": Leak(
        "seat(1).coins += count(seat(0).sack)\nif seat(0).sack is empty: seat(1).coins += 1\n"
        "if count(seat(0).sack + seat(1).sack) > 1: seat(1).sack += 1 nut"
    ),
    "goods drawn from what all have seen": Leak(
        "reveal seat(0).sack\nmove (random 1 of seat(0).sack) from seat(0).sack to seat(1).sack\n"
        "seat(0).coins := seat(0).sack.nut"
    ),
    "goods that one was given": Leak(
        "let got = random 1 of seat(0).sack\nmove got from seat(0).sack to seat(1).sack\n"
        "turn of seat(1): coins += choose a number from 0 to got.nut\n"
        "let good = random one of seat(0).sack else end the game\nmove (1 good) from seat(0).sack to seat(1).sack\n"
        "turn of seat(1): coins += choose a number from 0 to (1 if good = nut else 0)"
    ),
    "goods that go as they are": Leak(
        "move (random 1 of seat(0).sack) from seat(0).sack to seat(1).sack\nmove 2 nut from seat(1).sack to seat(2).sack\n"
        "move seat(0).sack from seat(0).sack to seat(2).purse\nas seat(1):\n  pay 1 nut from sack to seat(0).sack: pass\n"
        "  else: pass"
    ),
    "what was read of a piece before all see it": Leak(
        "for c in seat(0).hand: pick(c)",
        "rule pick(c: Card):\n  let low = c.value < 2\n  play(c)\n  if low: seat(2).coins += 1\nevent play(c: Card): move c to seat(0).row",
    ),
    "all hands at once": Leak("reveal players.hand\nfor p in players with most sum(it.hand.value): p.coins += 1"),
    "those of the others, and one's own": Leak(
        "turn of seat(0):\n  for q in others: reveal q.hand\n  reveal hand\n  for q in players: q.coins += sum(q.hand.value)"
    ),
    "by a rule": Leak(
        "for p in players: show(p)\nfor p in players with most sum(it.hand.value): p.coins += 1",
        "rule show(q: player): reveal q.hand",
    ),
    "each in its turn": Leak(
        "for p in players:\n  turn of p: reveal hand\nlet best = top of (players with most sum(it.hand.value))\nbest.coins += 1"
    ),
    "before rules that call each other": Leak(
        "for p in players: reveal p.hand\nscoring()",
        "rule scoring:\n  for p in players: single(p)\nrule single(p: player): p.coins += sum(p.hand.value)",
    ),
    "what a function gives": Leak(
        "for p in players: reveal worth(p)\nfor p in players with most worth(it): p.coins += 1",
        "function worth(p: player) -> number = sum(c.value for c in p.hand)",
    ),
    "before it moves": Leak(
        "for p in players: reveal p.hand\nlet best = players with most sum(it.hand.value)\nfor p in players: move p.hand to p.row\nfor p in best: p.coins += 1"
    ),
    "before a move that all see": Leak(
        "for p in players: reveal p.hand\nfor p in players: move top of deck to p.row\nfor p in players with most sum(it.hand.value) + sum(it.row.value): p.coins += 1"
    ),
    "to two who compare": Leak(
        "turn of seat(0):\n  let q = choose one of others else never\n  reveal q.hand to you\n  reveal hand to q\n  if sum(hand.value) > sum(q.hand.value): eliminate q\n  else if sum(hand.value) < sum(q.hand.value): eliminate you"
    ),
    "to one who compares, in a rule": Leak(
        "turn of seat(0):\n  let q = choose one of others else never\n  duel(q)",
        "rule duel(q: player):\n  reveal q.hand to you\n  if sum(hand.value) > sum(q.hand.value): eliminate q",
    ),
    "to one who is asked": Leak(
        "turn of seat(0):\n  let q = choose one of others else never\n  reveal q.hand to you\n  if sum(hand.value) > sum(q.hand.value): coins += choose a number from 1 to 2"
    ),
    "a menu of ranks that are held, or of an empty hand": Leak(
        "turn of seat(0):\n  choose:\n    ask(q in others, k from 1 to 3 where it in hand.value): move (q.hand where it.value = k) to hand\n"
        "    refill when hand is empty: draw 1 from deck to hand\n    else: pass"
    ),
    "a number of those that are held": Leak(
        "turn of seat(0):\n  let k = choose a number from 1 to 3 where any(c.value = it for c in hand) else return\n  coins += k"
    ),
    "what a loop lays open": Leak(
        "let g = seat(0).hand\nlet high = any(c.value = 3 for c in g)\nfor c in g: move c to seat(0).row\n"
        "seat(1).coins += count(g where it.value = 3)\nif high: shuffle deck"
    ),
    "what a loop shows": Leak(
        "let g = seat(0).hand\nfor c in g: reveal c\nseat(1).coins += count(g where it.value = 3)"
    ),
    "whether any fit, before those move": Leak(
        "let g = any(c.value = 3 for c in seat(0).hand)\nif g: move (seat(0).hand where it.value = 3) to seat(0).stash\n"
        "else: draw 1 from deck to seat(1).hand"
    ),
    "whether any fit, by a function, before those move where nobody looks": Leak(
        "if has(seat(0)): move (seat(0).hand where it.value = 3) to seat(1).hand",
        "function has(p: player) -> bool = any(c.value = 3 for c in p.hand)",
    ),
    "whether a local has any, before it moves": Leak(
        "let g = seat(0).hand where it.value = 3\nif g is not empty: move g to seat(1).hand"
    ),
    "functions of what all know in each other, more than are walked": Leak(
        "if f0(seat(0)): shuffle deck",
        "\n".join(f"function f{n}(p: player) -> bool = f{n + 1}(p)" for n in range(70))
        + "\nfunction f70(p: player) -> bool = p.coins > 1",
    ),
    "what one can pay, or not": Leak(
        "turn of seat(0):\n  pay 1 nut or 1 oil from till: coins += 1\n  else: coins := 0"
    ),
    "a trade by items": Leak(
        "turn of seat(0):\n  choose:\n    melt(paying 1 nut from till): till += 1 oil\n    done: pass"
    ),
    "a loop left by choice": Leak(
        "turn of seat(0):\n  repeat 3 times:\n    choose:\n      sell when count(hand where it.value = 3) > 0: pass\n      done: stop\n    coins += 1\nas seat(1): coins += choose a number from 0 to 1"
    ),
    "a card looked at": Leak(
        "turn of seat(0):\n  reveal top of deck to you\n  choose:\n    keep: move top of deck to hand\n    bury: move top of deck to row"
    ),
    "an end either way": Leak(
        "if sum(seat(0).hand.value) > sum(seat(1).hand.value): end the game won by seat(0)\nend the game won by seat(1)"
    ),
    "a secret bid": Leak(
        "let bid = together secretly choose a number from 0 to coins\nreveal bid\nfor p in players with most bid[it]: p.coins -= bid[p]"
    ),
    "a condition": Leak("reveal seat(0).x > 1\nif seat(0).x > 1: eliminate seat(1)"),
    "a local": Leak("let big = seat(0).x > 1\nreveal big\nif big: shuffle deck"),
    "where it matters": Leak("if seat(0).x > 1:\n  reveal seat(0).x\n  shuffle deck"),
    "how many are held": Leak(
        "for p in players:\n  turn of p:\n    if count(hand) > 2: move (choose 1 of hand) to stash"
    ),
    "up to so many": Leak("for p in players: draw 5 - count(p.hand) from deck to p.hand"),
    "hands that change": Leak(
        "move seat(0).hand to seat(0).stash\nmove seat(1).hand to seat(0).hand\nmove seat(0).stash to seat(1).hand"
    ),
    "a choice of what is held": Leak(
        "turn of seat(0):\n  let c = choose one of hand else return\n  if c.value = 3: draw 1 from deck to hand\n  move c to row"
    ),
    "a choice that asks for more": Leak(
        "turn of seat(0):\n  let c = choose one of hand else return\n  if c.value = 3: coins += choose a number from 1 to 2\n  move c to row"
    ),
    "a card drawn blindly": Leak("turn of seat(0):\n  let c = random one of next.hand else return\n  move c to hand"),
    "a menu with another way": Leak(
        "turn of seat(0):\n  choose:\n    lay(c in hand where it.value = 3): move c to row\n    take: draw 1 from deck to hand"
    ),
    "what must be laid open": Leak(
        "for p in players:\n  if any(c.value = 3 for c in p.hand): move (p.hand where it.value = 3) to p.row"
    ),
    "cards laid unseen, then open": Leak(
        "for p in players:\n  turn of p:\n    let c = secretly choose one of hand else return\n    move c to stash\nfor p in players: move p.stash to p.row\nfor p in players with most sum(it.row.value): p.coins += 1"
    ),
    "what was in a local when it was laid open": Leak(
        "let held = seat(0).hand\nmove seat(0).hand to seat(0).row\n"
        "if any(c.value = 3 for c in held): eliminate seat(0)\nelse: draw 1 from deck to seat(0).hand"
    ),
    "what was worked out before it was laid open": Leak(
        "let held = sum(seat(0).hand.value)\nlet high = held > 3\nmove seat(0).hand to seat(0).row\nif high: shuffle deck"
    ),
    "what was worked out before it was shown": Leak("let big = seat(0).x > 1\nreveal seat(0).x\nif big: shuffle deck"),
    "a place in a local": Leak("let c = cell of seat(0).spy\nreveal c\nseat(1).coins += c.column"),
    "hands of those who are compared, if they are several": Leak(
        "let left = players where it.coins > 9\nif count(left) > 1:\n  for p in left: reveal p.hand\n"
        "for p in left with most sum(it.hand.value): p.coins += 5"
    ),
    "hands of those who are compared, unless there is only one": Leak(
        "let left = players where it.coins > 9\nif count(left) = 1:\n  for p in left: p.coins += 1\n"
        "else:\n  for p in left: reveal p.hand\nfor p in left with most sum(it.hand.value): p.coins += 5"
    ),
    "how many fit, before whether any does": Leak(
        "reveal count(seat(0).hand where it.value = 3)\nif any(c.value = 3 for c in seat(0).hand): shuffle deck"
    ),
    "what fits, before whether any does": Leak(
        "reveal seat(0).hand where it.value = 3\nif any(c.value = 3 for c in seat(0).hand): shuffle deck"
    ),
    "all that lies where nobody looks": Leak("move vault to seat(0).row"),
    "what each has, at once": Leak(
        "reveal each(p.x for p in players)\nlet most = max(p.x for p in players)\n"
        "for p in players where it.x = most: p.coins += 1"
    ),
    "bids of each, at once": Leak(
        "let bid = together secretly choose a number from 0 to coins\nreveal each(bid[p] for p in players)\n"
        "for p in players with most bid[it]: p.coins -= bid[p]"
    ),
    "whether a local is there": Leak(
        "let c = top of (seat(0).hand where it.value = 3)\nreveal c\nif c is not none: shuffle deck"
    ),
    "a variable of each one's piece": Leak(
        "for p in players: reveal p.spy.rank\nfor p in players with most it.spy.rank: p.coins += 1"
    ),
    "a variable of a piece that all see": Leak("move seat(1).scout to yard\nseat(0).coins += seat(1).scout.rank"),
    "a variable of each one's piece that all see": Leak(
        "for p in players: move p.scout to yard\nfor p in players: p.coins += p.scout.rank"
    ),
    "where a piece lies that a rule brings where all see it": Leak(
        "out(seat(1).scout)\nif cell of seat(1).scout is none: seat(0).coins += seat(1).scout.rank",
        "rule out(s: Scout): move s to yard",
    ),
    "a variable of a piece that all see, where others move": Leak(
        "let s = seat(1).scout\nmove s to yard\ndraw 1 from deck to seat(1).hand\nmove seat(0).scout to yard\n"
        "seat(0).coins += s.rank + seat(1).scout.rank"
    ),
    "a variable of one's own piece that all see": Leak(
        "turn of seat(1):\n  move scout to yard\n  if scout.rank > 1: coins += choose a number from 1 to 2"
    ),
    "one's own piece, to oneself": Leak(
        "turn of seat(0):\n  choose:\n    rise when spy.rank > 1 and cell of spy = a1: coins += 1\n    rest: pass"
    ),
    "an end either way, in a rule": Leak(
        "show()", "rule show:\n  if seat(0).x > 1: end the game\n  end the game drawn"
    ),
}

CARD_GAME = """\
rulelang: 2
name: cards
players: 3
types: {Suit: [clubs, hearts]}
kinds: {Card: {attributes: {suit: Suit, rank: 1..6}, start: deck}}
pieces: {Card: [{each: {suit: Suit, rank: 1..6}, id: "{suit}_{rank}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
@
rules: |
#
"""


def of_cards(nouns: str, rules: str) -> str:
    """A game with twelve cards, further zones and variables, and rules."""
    lines = "".join(f"  {line}\n" for line in rules.strip().split("\n"))
    return CARD_GAME.replace("@", nouns.strip("\n")).replace("#\n", lines)


CLEAN = {
    "cards that react to what is played from hands": """\
rulelang: 2
name: plays
players: 2
kinds: {Card: {identity: true, active: [won], start: deck}}
pieces:
  Card:
    - {id: gem, count: 4, rules: "after play(c): coins += 1"}
    - {id: rock, count: 4, rules: "after play(c): coins := 2 * coins"}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  won: {holds: Card, per: player}
  gone: {holds: Card, final: true}
variables: {coins: {type: 0..99, per: player}}
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.won
    for p in players: draw 3 from deck to p.hand
  event play(c: Card): move c to gone
  play:
    for p in players:
      turn of p:
        let c = choose one of hand else never
        play(c)
  score coins: coins
""",
    "tricks": of_cards(
        """
  trick: {holds: Card, per: player}
  gone: {holds: Card, final: true}
variables:
  leader: {type: player}
  led: {type: "Suit?"}
  tricks: {type: 0..9, per: player}
""",
        """
setup:
  shuffle deck
  for p in players: draw 4 from deck to p.hand
play:
  repeat 4 times:
    for p in players_from(leader):
      turn of p: play_card()
    take_trick()
rule play_card:
  let card = choose one of hand where may_play(it) else return
  if led is none: led := card.suit
  move card to trick
function may_play(card: Card) -> bool = led is none or card.suit = led or all(c.suit != led for c in hand)
rule take_trick:
  let best = top of (players with most strength(it))
  leader := best
  best.tricks += 1
  for p in players: move p.trick to gone
  led := none
function strength(p: player) -> number = sum(c.rank for c in p.trick where c.suit = led)
score tricks: tricks
""",
    ),
    "betting and a showdown": of_cards(
        """
  board: {holds: Card}
variables:
  pot: {type: 0..99}
  chips: {type: 0..99, per: player, start: 10}
  folded: {type: bool, per: player}
""",
        """
setup:
  shuffle deck
  for p in players: draw 2 from deck to p.hand
play:
  bet()
  draw 3 from deck to board
  bet()
  showdown()
rule bet:
  for p in players where not it.folded:
    turn of p:
      choose:
        fold when count(q for q in players where not q.folded) > 1: folded := true
        check: pass
        raise(n from 1 to 3) when n <= chips:
          chips -= n
          pot += n
rule showdown:
  for p in players where not it.folded: reveal p.hand
  let winners = (players where not it.folded) with most strength(it)
  for p in winners: p.chips += pot div count(winners)
  pot := 0
function strength(p: player) -> number = max(value_of(c, p) for c in p.hand) otherwise 0
function value_of(c: Card, p: player) -> number = c.rank + 10 * count(board where it.rank = c.rank) + count(p.hand where it.suit = c.suit)
score chips: chips
""",
    ),
    "a showdown of those who stay": of_cards(
        """
variables:
  pot: {type: 0..99}
  chips: {type: 0..99, per: player, start: 10}
  folded: {type: bool, per: player}
""",
        """
setup:
  shuffle deck
  for p in players: draw 2 from deck to p.hand
play:
  for p in players:
    turn of p:
      choose:
        fold when count(others where not it.folded) > 0: folded := true
        stay:
          chips -= 1
          pot += 1
  for p in players:
    if not p.folded: reveal p.hand
  let best = top of ((players where not it.folded) with most sum(it.hand.rank)) else return
  best.chips += pot
  if sum(best.hand.rank) > 9: best.chips += 1
score chips: chips
""",
    ),
    "cards that compare, guess, swap": of_cards(
        """
  discard: {holds: Card, per: player}
  swap: {holds: Card, visible: count}
""",
        """
setup:
  shuffle deck
  for p in players: draw 1 from deck to p.hand
play:
  repeat:
    for p in players:
      turn of p: act()
      if count(players) = 1: end the game won by players
      if deck is empty: showdown()
rule act:
  draw 1 from deck to hand
  let card = choose one of hand else return
  move card to discard
  if card.rank = 1: guard()
  if card.rank = 2: priest()
  if card.rank = 3: baron()
  if card.rank = 4: king()
  if card.rank = 5: prince()
  if card.rank = 6: out(you)
rule out(p: player):
  move p.hand to p.discard
  eliminate p
rule guard:
  let target = choose one of others else return
  let n = choose a number from 2 to 6
  let hit = any(c.rank = n for c in target.hand)
  reveal hit
  if hit: out(target)
rule priest:
  let target = choose one of others else return
  reveal target.hand to you
rule baron:
  let target = choose one of others else return
  reveal target.hand to you
  reveal hand to target
  if held(you) > held(target): out(target)
  else if held(you) < held(target): out(you)
rule king:
  let target = choose one of others else return
  move target.hand to swap
  move hand to target.hand
  move swap to hand
rule prince:
  let target = choose one of others else return
  move target.hand to target.discard
  if any(c.rank = 6 for c in target.discard): out(target)
  else: draw 1 from deck to target.hand
function held(p: player) -> number = sum(p.hand.rank)
rule showdown:
  for p in players: reveal p.hand
  end the game won by players with most held(it)
""",
    ),
    "dice under cups": """\
rulelang: 2
name: dice
players: 2..4
types: {Die: [one, two, three]}
variables:
  face: {type: 1..6, per: [player, Die], visible: owner}
  bid: {type: 0..18}
  bidder: {type: player?}
  lost: {type: 0..9, per: player}
rules: |
  play:
    repeat 3 times:
      round:
        for p in players:
          for d in Die: p.face[d] := roll 1 to 6
        bid := 0
        bidder := none
        bidding()
  rule bidding:
    repeat:
      for p in players:
        turn of p:
          choose:
            more(n from 1 to 18) when n > bid:
              bid := n
              bidder := you
            doubt when bidder is not none:
              for q in players:
                for d in Die: reveal q.face[d]
              if some b = bidder:
                if sixes() >= bid: you.lost += 1
                else: b.lost += 1
              return
            else: return
  function sixes -> number = sum(count(d for d in Die where p.face[d] = 6) for p in players)
  winner: fewest lost
""",
    "sealed bids": """\
rulelang: 2
name: auction
players: 3
kinds: {Lot: {attributes: {worth: 1..5}, start: lots}}
pieces: {Lot: [{each: {worth: 1..5}, id: "lot{worth}"}]}
zones: {lots: {holds: Lot, order: pile, visible: count}, block: {holds: Lot}, won: {holds: Lot, per: player}}
variables:
  coins: {type: 0..20, per: player, start: 10}
  goal: {type: 1..5, per: player, visible: owner}
rules: |
  setup:
    shuffle lots
    for p in players: p.goal := roll 1 to 5
  play:
    repeat 5 times:
      draw 1 from lots to block
      let bid = together choose a number from 0 to coins
      let best = players with most bid[it]
      if count(best) = 1:
        for p in best:
          p.coins -= bid[p]
          move block to p.won
      else:
        let p = top of (players with fewest bid[it])
        move block to p.won
    for p in players: reveal p.goal
    for p in players where any(l.worth = p.goal for l in p.won): p.coins += 3
  score coins: coins + sum(won.worth)
""",
    "a draft": of_cards(
        """
  kept: {holds: Card, per: player, visible: owner}
  passing: {holds: Card, per: player, visible: count}
  shown: {holds: Card, per: player}
variables: {bonus: {type: 0..9, per: player}}
""",
        """
setup:
  shuffle deck
  for p in players: draw 4 from deck to p.hand
play:
  repeat 3 times:
    let pick = together choose one of hand else never
    for p in players: move pick[p] to p.kept
    for p in players: move p.hand to p.passing
    for p in players: move p.passing to p.next.hand
  for p in players: move p.kept to p.shown
  for p in players where count(p.shown where it.suit = hearts) > 1: p.bonus += 2
score shown: sum(shown.rank) + bonus
""",
    ),
    "asking for cards": of_cards(
        """
  books: {holds: Card, per: player}
""",
        """
setup:
  shuffle deck
  for p in players: draw 3 from deck to p.hand
play:
  repeat 9 times:
    for p in players:
      turn of p: fish()
rule fish:
  choose:
    ask(q in others, c in hand):
      reveal c.rank
      reveal q.hand where it.rank = c.rank
      let matches = q.hand where it.rank = c.rank
      if matches is empty: draw 1 from deck to hand
      else: move matches to hand
    wait: pass
  for r in numbers(1, 6):
    if count(hand where it.rank = r) = 2: move (hand where it.rank = r) to books
score books: count(books)
""",
    ),
    "claims and doubts": of_cards(
        """
  open: {holds: Card, per: player}
variables: {coins: {type: 0..50, per: player}}
""",
        """
setup:
  shuffle deck
  for p in players: draw 2 from deck to p.hand
play:
  repeat 5 times:
    for p in players:
      turn of p: act()
rule act:
  choose:
    income: coins += 1
    tax(c in hand):
      let q = next
      let doubted = doubts(q)
      if doubted:
        reveal c to q
        if c.suit = hearts: lose(q)
        else: lose(you)
      else: coins += 3
rule doubts(q: player) -> bool:
  as q:
    choose:
      doubt: return true
      believe: return false
rule lose(p: player):
  as p:
    let c = choose one of hand else return
    move c to open
score coins: coins + count(hand)
""",
    ),
    "hidden ships": """\
rulelang: 2
name: battleship
players: 2
grids: {Square: {columns: 3, rows: 3}}
variables:
  ship: {type: bool, per: [player, Square], visible: owner}
  shot: {type: bool, per: [player, Square]}
  hits: {type: 0..9, per: player}
rules: |
  play:
    for p in players:
      turn of p:
        let spot = secretly choose one of Square
        ship[spot] := true
    repeat 4 times:
      for p in players:
        turn of p:
          let aim = choose one of Square where not next.shot[it] else return
          next.shot[aim] := true
          reveal next.ship[aim]
          if next.ship[aim]:
            hits += 1
            end the game won by p
  score hits: hits
""",
    "trading": """\
rulelang: 2
name: trading
players: 3
types: {Good: [brick, wool]}
kinds: {Ware: {attributes: {good: Good}, start: bank}}
pieces: {Ware: [{id: b, good: brick, count: 9}, {id: w, good: wool, count: 9}]}
zones:
  bank: {holds: Ware, order: pile, visible: count}
  hand: {holds: Ware, per: player, visible: owner}
variables: {finished: {type: bool}, willing: {type: bool, per: player}}
limits: {decisions: 100}
rules: |
  setup:
    shuffle bank
    for p in players: draw 3 from bank to p.hand
  play:
    repeat:
      for p in players:
        turn of p: act()
  rule act:
    choose:
      sell when n_of(wool) > 0: pass
      done: return
    propose(wool, brick)
  function n_of(good: Good) -> number = count(hand where it.good = good)
  rule propose(give: Good, want: Good):
    let proposer = you
    for p in players_after(proposer):
      as p:
        choose:
          accept when n_of(want) >= 1: willing := true
          decline: pass
""",
    "tricks with a function of what is legal": of_cards(
        """
  trick: {holds: Card, per: player}
  gone: {holds: Card, final: true}
variables:
  leader: {type: player}
  led: {type: "Suit?"}
""",
        """
setup:
  shuffle deck
  for p in players: draw 4 from deck to p.hand
play:
  repeat 4 times:
    for p in players_from(leader):
      turn of p:
        let card = choose one of legal(p) else return
        if led is none: led := card.suit
        move card to trick
    for p in players with most strength(it): leader := p
    for p in players: move p.trick to gone
    led := none
function legal(p: player) -> list of Card = (p.hand where it.suit = led) if any(c.suit = led for c in p.hand) else p.hand
function strength(p: player) -> number = sum(c.rank for c in p.trick where c.suit = led)
score x: count(trick)
""",
    ),
    "cards exchanged unseen": of_cards(
        """
  bin: {holds: Card, visible: count, final: true}
variables: {chips: {type: 0..99, per: player}}
""",
        """
setup:
  shuffle deck
  for p in players: draw 3 from deck to p.hand
play:
  for p in players:
    turn of p:
      let gone = secretly choose up to 3 of hand
      move gone to bin
      draw count(gone) from deck to hand
  for p in players: reveal p.hand
  let best = players with most sum(it.hand.rank)
  for p in best: p.chips += 6 div count(best)
score chips: chips
""",
    ),
    "discs laid unseen": of_cards(
        """
  mat: {holds: Card, per: player, order: pile, visible: owner}
  open: {holds: Card, per: player}
variables: {coins: {type: -9..9, per: player}}
""",
        """
setup:
  shuffle deck
  for p in players: draw 4 from deck to p.hand
play:
  repeat 2 times:
    for p in players:
      turn of p:
        let disc = secretly choose one of hand else return
        move disc to mat
  turn of seat(0):
    let n = choose a number from 1 to 3
    let q = choose one of players where it.mat is not empty else return
    repeat n times:
      if some c = top of q.mat:
        reveal c
        if c.rank = 1:
          coins -= 1
          return
        move c to open
    coins += 1
score x: coins
""",
    ),
    "cards that fit or draw": of_cards(
        """
  heap: {holds: Card, order: pile}
""",
        """
setup:
  shuffle deck
  for p in players: draw 3 from deck to p.hand
  draw 1 from deck to heap
play:
  repeat:
    for p in players:
      turn of p:
        choose:
          lay(c in hand where fits(it)): move c to heap
          take when deck is not empty: draw 1 from deck to hand
          say_pass: pass
        if hand is empty: end the game won by p
        if deck is empty: end the game
function fits(c: Card) -> bool =
  c.suit = (top of heap).suit or c.rank = (top of heap).rank if heap is not empty else true
score x: -count(hand)
""",
    ),
    "tricks with a local": """\
rulelang: 2
name: whist3
players: 3
types: {Suit: [clubs, hearts]}
kinds: {Card: {attributes: {suit: Suit, rank: 1..6}, start: deck}}
pieces: {Card: [{each: {suit: Suit, rank: 1..6}, id: "{suit}_{rank}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  trick: {holds: Card, per: player}
  gone: {holds: Card, final: true}
variables:
  leader: {type: player}
  led: {type: "Suit?"}
rules: |
  setup:
    shuffle deck
    for p in players: draw 4 from deck to p.hand
  play:
    repeat 4 times:
      for p in players_from(leader):
        turn of p:
          let fitting = hand where it.suit = led
          let card = choose one of (fitting if count(fitting) > 0 else hand) else return
          if led is none: led := card.suit
          move card to trick
      for p in players with most strength(it): leader := p
      for p in players: move p.trick to gone
      led := none
  function legal(p: player) -> list of Card = (p.hand where it.suit = led) if any(c.suit = led for c in p.hand) else p.hand
  function strength(p: player) -> number = sum(c.rank for c in p.trick where c.suit = led)
  score x: count(trick)
""",
    "hands that only others see": """\
rulelang: 2
name: hanabi
players: 3
types: {Suit: [clubs, hearts]}
kinds: {Card: {attributes: {suit: Suit, rank: 1..6}, start: deck}}
pieces: {Card: [{each: {suit: Suit, rank: 1..6}, id: "{suit}_{rank}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: others}
  stack: {holds: Card}
  trash: {holds: Card, final: true}
variables:
  clues: {type: 0..8, start: 8}
  fuses: {type: 0..3, start: 3}
rules: |
  setup:
    shuffle deck
    for p in players: draw 3 from deck to p.hand
  play:
    repeat:
      for p in players:
        turn of p:
          choose:
            hint(q in others, s in Suit) when clues > 0:
              clues -= 1
              reveal q.hand where it.suit = s
            play:
              if some c = random one of hand:
                if c.rank = count(stack) + 1: move c to stack
                else:
                  move c to trash
                  fuses -= 1
                  if fuses = 0: end the game
              draw 1 from deck to hand
          if deck is empty: end the game
  score x: count(stack)
""",
    "roles that are called": """\
rulelang: 2
name: citadels
players: 3
types: {Role: [thief, king, smith]}
variables:
  role: {type: "Role?", per: player, visible: owner}
  gold: {type: 0..99, per: player}
  robbed: {type: "Role?"}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p: role := secretly choose one of Role
      robbed := none
      for r in Role:
        for p in players where it.role = r:
          reveal p.role
          turn of p:
            if r = robbed: gold := 0
            if r = thief: robbed := choose one of Role
            gold += 2
  score gold: gold
""",
    "a code to guess": """\
rulelang: 2
name: mastermind
players: 2
types: {Peg: [red, blue, green], Place: [left, middle, right]}
variables:
  code: {type: Peg, per: Place, visible: nobody}
  guess: {type: Peg, per: Place}
  hits: {type: 0..3}
rules: |
  setup:
    for place in Place: code[place] := random one of Peg
  play:
    repeat 6 times:
      for p in players:
        turn of p:
          for place in Place: guess[place] := choose one of Peg
          let right_ones = count(place for place in Place where guess[place] = code[place])
          reveal right_ones
          hits := right_ones
          if hits = 3: end the game won by p
  score hits: hits
""",
    "votes on hidden roles": """\
rulelang: 2
name: werewolf
players: 4
types: {Role: [wolf, villager]}
variables:
  role: {type: Role, per: player, visible: owner}
rules: |
  setup:
    let w = random one of players else never
    w.role := wolf
  play:
    repeat 3 times:
      let aim = together secretly choose one of players
      let vote = together choose one of players
      for p in players with most count(q for q in players where vote[q] = it):
        reveal p.role
        if p.role = wolf: end the game
        eliminate p
  score x: 1 if role = wolf else 0
""",
    "bets, folds and a showdown of those who stay, if they are several": """\
rulelang: 2
name: holdem
players: 2..4
types: {Suit: [clubs, diamonds, spades, hearts]}
kinds:
  Card: {attributes: {suit: Suit, rank: 2..14}, start: deck}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  board: {holds: Card}
  muck: {holds: Card, visible: nobody, final: true}
variables:
  chips: {type: 0..1000, per: player, start: 100}
  bet: {type: 0..1000, per: player}
  pot: {type: 0..4000}
  folded: {type: bool, per: player}
  acted: {type: bool, per: player}
  highest: {type: 0..1000}
pieces:
  Card: [{each: {suit: Suit, rank: 2..14}, id: "{suit}_{rank}"}]
rules: |
  setup:
    shuffle deck
    for p in players: draw 2 from deck to p.hand
  play:
    betting()
    draw 3 from deck to board
    betting()
    draw 1 from deck to board
    betting()
    draw 1 from deck to board
    betting()
    showdown()
  function active -> list of player = players where not it.folded
  rule betting:
    for p in players: p.acted := false
    while count(active) > 1 and any(not p.acted or (p.bet < highest and p.chips > 0) for p in active):
      for p in players where not p.folded and (not p.acted or p.bet < highest):
        if count(active) > 1:
          turn of p: act()
    for p in players:
      pot += p.bet
      p.bet := 0
    highest := 0
  rule act:
    acted := true
    choose:
      fold:
        folded := true
        move hand to muck
      call when highest > bet:
        let n = min(highest - bet, chips)
        chips -= n
        bet += n
      check when highest = bet: pass
      raise(n from 1 to 20) when highest - bet + n <= chips and highest < 60:
        chips -= highest - bet + n
        bet += highest - bet + n
        highest := bet
  rule showdown:
    if count(active) > 1:
      for p in active: reveal p.hand
    let best = active with most strength(it)
    for p in best: p.chips += pot div max(1, count(best))
  function strength(p: player) -> number = flush(p) * 1000 + pairs(p) * 100 + (max(p.hand.rank) otherwise 0)
  function flush(p: player) -> number = 1 if any(count(p.hand + board where it.suit = s) >= 5 for s in Suit) else 0
  function pairs(p: player) -> number = count(numbers(2, 14) where same_rank(p, it) >= 2)
  function same_rank(p: player, r: number) -> number = count((p.hand + board) where it.rank = r)
  score chips: chips
""",
    "eight cards that do what they say": """\
rulelang: 2
name: love_letter
players: 2..4
types: {Name: [guard, priest, baron, handmaid, prince, king, countess, princess]}
kinds:
  Card: {attributes: {name: Name, value: 1..8}, start: deck}
pieces:
  Card:
    - columns: [id, name, value, count]
      rows:
        - [guard_card, guard, 1, 5]
        - [priest_card, priest, 2, 2]
        - [baron_card, baron, 3, 2]
        - [handmaid_card, handmaid, 4, 2]
        - [prince_card, prince, 5, 2]
        - [king_card, king, 6, 1]
        - [countess_card, countess, 7, 1]
        - [princess_card, princess, 8, 1]
zones:
  deck: {holds: Card, order: pile, visible: count}
  aside: {holds: Card, visible: count}
  shown: {holds: Card}
  hand: {holds: Card, per: player, visible: owner}
  played: {holds: Card, per: player}
  swap: {holds: Card, visible: count}
marks: {protected: {per: player}}
rules: |
  setup:
    shuffle deck
    draw 1 from deck to aside
    if count(players) = 2: draw 3 from deck to shown
    for p in players: draw 1 from deck to p.hand
  play:
    repeat:
      for p in players:
        if count(players) > 1 and deck is not empty:
          turn of p: take_turn()
      if count(players) <= 1 or deck is empty: stop
    for p in players: reveal p.hand
    end the game won by (players with most sum(it.hand.value))
  rule take_turn:
    draw 1 from deck to hand
    let card = choose one of hand where allowed(it) else return
    move card to played
    if card.name = guard: guess()
    if card.name = priest: look()
    if card.name = baron: duel()
    if card.name = handmaid: mark protected until before turn of you
    if card.name = prince: discards()
    if card.name = king: trade_hands()
    if card.name = princess: lose(you)
  function allowed(card: Card) -> bool:
    if any(c.name = countess for c in hand) and any(c.name = king or c.name = prince for c in hand): return card.name = countess
    return true
  function targets -> list of player = others where not it.protected
  rule lose(p: player):
    move p.hand to p.played
    eliminate p
  rule guess:
    let who = choose one of targets() else return
    let what = choose one of Name where it != guard else return
    reveal any(c.name = what for c in who.hand)
    if any(c.name = what for c in who.hand): lose(who)
  rule look:
    let who = choose one of targets() else return
    reveal who.hand to you
  rule duel:
    let who = choose one of targets() else return
    reveal who.hand to you
    reveal hand to who
    let mine = sum(hand.value)
    let theirs = sum(who.hand.value)
    reveal mine > theirs
    reveal mine < theirs
    if mine > theirs: lose(who)
    if mine < theirs: lose(you)
  rule discards:
    let who = choose one of players where it = you or not it.protected else return
    let ids = who.hand
    move who.hand to who.played
    if any(c.name = princess for c in ids): eliminate who
    else if deck is not empty: draw 1 from deck to who.hand
    else: move aside to who.hand
  rule trade_hands:
    let who = choose one of targets() else return
    move hand to swap
    move who.hand to hand
    move swap to who.hand
""",
    "asking who has what, told by number": """\
rulelang: 2
name: go_fish
players: 3
kinds: {Card: {attributes: {rank: 1..5}, start: deck}}
pieces: {Card: [{each: {rank: 1..5}, id: "c{rank}", count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  books: {holds: Card, per: player, final: true}
rules: |
  setup:
    shuffle deck
    for p in players: draw 4 from deck to p.hand
  play:
    repeat 20 times:
      for p in players:
        turn of p: ask()
      if deck is empty: end the game
  rule ask:
    if hand is empty: draw 1 from deck to hand
    let card = choose one of hand else return
    let rank = card.rank
    let who = choose one of others else return
    reveal rank
    reveal count(who.hand where it.rank = rank)
    if any(c.rank = rank for c in who.hand):
      move (who.hand where it.rank = rank) to hand
    else:
      draw 1 from deck to hand
    lay_books()
  rule lay_books:
    choose:
      book(r from 1 to 5) when count(hand where it.rank = r) = 4:
        move (hand where it.rank = r) to books
      done: pass
  score books: count(books) div 4
""",
    "a dealer with a card that nobody sees": """\
rulelang: 2
name: blackjack
players: 1..4
automata: {dealer: {players: [1, 2, 3, 4]}}
kinds: {Card: {attributes: {value: 1..10}, start: deck}}
pieces: {Card: [{each: {value: 1..10}, id: "c{value}", count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  open: {holds: Card, per: player}
  hole: {holds: Card, per: player, visible: nobody}
variables: {coins: {type: -20..20, per: player}}
rules: |
  setup:
    shuffle deck
    draw 1 from deck to dealer.hole
    draw 1 from deck to dealer.open
    for p in players: draw 2 from deck to p.open
  play:
    for p in players:
      turn of p:
        repeat:
          if sum(open.value) > 21: stop
          choose:
            hit: draw 1 from deck to open
            stand: stop
    move dealer.hole to dealer.open
    while sum(dealer.open.value) < 17 and deck is not empty: draw 1 from deck to dealer.open
    for p in players:
      if sum(p.open.value) > 21: p.coins -= 1
      else if sum(dealer.open.value) > 21 or sum(p.open.value) > sum(dealer.open.value): p.coins += 1
  score coins: coins
""",
    "bids of each that are told at once": """\
rulelang: 2
name: sealed_bid
players: 2..5
kinds: {Lot: {attributes: {worth: 1..9}, start: stock}}
pieces: {Lot: [{each: {worth: 1..9}, id: "lot{worth}"}]}
zones:
  stock: {holds: Lot, order: pile, visible: count}
  table: {holds: Lot}
  won: {holds: Lot, per: player}
variables:
  coins: {type: 0..30, per: player, start: 20, visible: owner}
rules: |
  setup: shuffle stock
  play:
    repeat 5 times:
      draw 1 from stock to table
      let bid = together secretly choose a number from 0 to coins
      reveal each(bid[p] for p in players)
      let top_bid = max(bid[p] for p in players)
      let best = players where bid[it] = top_bid
      if count(best) = 1:
        for p in best:
          p.coins -= bid[p]
          move table to p.won
  score won: sum(won.worth)
""",
}
"""Games that tell nothing that a player has not shown or chosen."""
