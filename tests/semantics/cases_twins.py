"""Games in a few lines that tell nothing, and twins of theirs that tell a secret where a line says `#!`."""

from __future__ import annotations

GAME = """\
rulelang: 2
name: twins
players: 3
types: {Suit: [clubs, hearts]}
kinds:
  Card: {attributes: {suit: Suit, rank: 1..6}, start: deck}
  Pawn: {variables: {steps: {type: 0..9}}}
grids: {Map: {columns: 3, rows: 3}}
pieces:
  Card: [{each: {suit: Suit, rank: 1..6}, id: "{suit}_{rank}", count: 2}]
  Pawn: [{id: pawn, per: player, start: "lair[a1]"}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  pool: {holds: Card, visible: count}
  table: {holds: Card, per: player}
  won: {holds: Card, per: player, visible: count, final: true}
  lair: {holds: Pawn, per: [player, Map], visible: owner}
  yard: {holds: Pawn}
variables:
  bid: {type: 0..9, per: player, visible: owner}
  role: {type: Suit, per: player, visible: owner}
  die: {type: 1..6, per: player, visible: owner}
  goods: {type: 0..9, per: player, visible: owner, start: 3}
  pts: {type: 0..99, per: player}
  claim: {type: 0..6}
  led: {type: "Suit?"}
rules: |
  setup:
    shuffle deck
    for p in players: draw 4 from deck to p.hand
  play:
    repeat 5 times:
      for p in players:
        turn of p: go()
  score pts: pts
"""
CLEAN = {
    "go fish": """\
rule go:
  choose:
    ask(q in others, r from 1 to 6 where it in hand.rank):
      if any(c.rank = r for c in q.hand): move (q.hand where it.rank = r) to hand
      else: draw 1 from deck to hand
    refill when hand is empty: draw 1 from deck to hand
    else: pass
  choose:
    book(r from 1 to 6) when count(hand where it.rank = r) >= 2: move (hand where it.rank = r) to table
    done: pass
""",
    "love letter duel": """\
rule go:
  let q = choose one of others else return
  let g = q.hand
  reveal g to you
  reveal hand to q
  let mine = max(hand.rank) otherwise 0
  let theirs = max(g.rank) otherwise 0
  if mine > theirs: move q.hand to q.table
  else if mine < theirs: move hand to table
""",
    "showdown": """\
rule go:
  let bets = together secretly choose a number from 0 to 3
  reveal bets
  for p in players where bets[it] > 0: reveal p.hand
  let inn = players where bets[it] > 0
  for p in inn with most sum(it.hand.rank): p.pts += 5
  for p in players: move p.hand to p.won
  for p in players: draw 4 from deck to p.hand
""",
    "trick": """\
rule go:
  led := none
  for p in players_from(you):
    as p:
      let c = choose one of hand where led is none or it.suit = led or all(d.suit != led for d in hand) else return
      if led is none: led := c.suit
      move c to table
  let best = top of (players with most sum(c.rank for c in it.table where c.suit = led))
  best.pts += 1
  for p in players: move p.table to best.won
""",
    "sealed bids": """\
rule go:
  for p in players:
    as p: bid := secretly choose a number from 0 to 9
  for p in players: reveal p.bid
  let high = max(p.bid for p in players)
  let best = players where it.bid = high
  if count(best) = 1:
    for p in best: draw 1 from deck to p.hand
  else: draw 1 from deck to pool
""",
    "hidden movement": """\
rule go:
  let c = secretly choose one of Map
  move pawn to lair[c]
  let guess = choose one of Map
  for q in others:
    reveal cell of q.pawn = guess
    if cell of q.pawn = guess:
      move q.pawn to yard
      pts += q.pawn.steps + 1
      move q.pawn to q.lair[a1]
""",
    "draft": """\
rule go:
  let picks = together secretly choose one of hand
  for p in players:
    if some c = picks[p]: move c to p.table
  move hand to pool
  move next.hand to hand
  move pool to next.hand
  pts += count(table where it.suit = hearts)
""",
    "bluffing dice": """\
rule go:
  for p in players:
    let d = roll 1 to 6
    p.die := d
  claim := choose a number from 1 to 6
  as next:
    choose:
      doubt:
        reveal each(p.die for p in players)
        if count(p for p in players where p.die = claim) > 0: pts += 1
        else: next.pts += 1
      believe: pts += 1
""",
    "trading secret goods": """\
rule go:
  let q = choose one of others else return
  choose:
    offer(n from 1 to 3) when n <= goods:
      goods -= n
      q.goods := min(9, q.goods + n)
      pts += n
    pass: pass
""",
    "hidden roles": """\
rule go:
  if pts = 0: role := secretly choose one of Suit
  let vote = together choose one of players
  for q in players where count(p for p in players where vote[p] = it) > 1:
    reveal q.role
    if q.role = hearts: end the game won by q
    q.pts += 1
""",
}
"""Name -> the rule `go` of a turn, and others."""

TWINS = {
    "a menu of some ranks": (
        "go fish",
        "  choose:\n    ask(q in others, r from 1 to 6",
        "  choose:  #!\n    ask(q in others, r from 1 to 5",
    ),
    "a guard of other cards": (
        "go fish",
        "      if any(c.rank = r for c in q.hand): move (q.hand where it.rank = r) to hand\n      else: draw 1 from deck to hand",
        "      if any(c.rank = r and c.suit = hearts for c in q.hand): move (q.hand where it.rank = r) to hand  #!\n      else: draw 1 from deck to hand  #!",
    ),
    "a duel that nobody sees": (
        "love letter duel",
        "  reveal g to you\n  reveal hand to q\n  let mine = max(hand.rank) otherwise 0\n  let theirs = max(g.rank) otherwise 0\n  if mine > theirs: move q.hand to q.table",
        "  let mine = max(hand.rank) otherwise 0\n  let theirs = max(g.rank) otherwise 0\n  if mine > theirs: q.pts += 1  #!",
    ),
    "hands of those who have folded": (
        "showdown",
        "  for p in inn with most sum(it.hand.rank): p.pts += 5",
        "  for p in players with most sum(it.hand.rank): p.pts += 5  #!",
    ),
    "hands that are new": (
        "showdown",
        "  for p in players: draw 4 from deck to p.hand",
        "  for p in players: draw 4 from deck to p.hand\n  for p in inn with most sum(it.hand.rank): p.pts += 5  #!",
    ),
    "a lead that need not be followed": (
        "trick",
        "it.suit = led or all(d.suit != led for d in hand) else return",
        "it.suit = led else return  #!",
    ),
    "bids that nobody shows": (
        "sealed bids",
        "  for p in players: reveal p.bid\n  let high = max(p.bid for p in players)\n  let best = players where it.bid = high\n  if count(best) = 1:\n    for p in best: draw 1 from deck to p.hand\n  else: draw 1 from deck to pool",
        "  let high = max(p.bid for p in players)\n  let best = players where it.bid = high\n  for p in best: draw 1 from deck to p.hand  #!",
    ),
    "one bid that is not shown": (
        "sealed bids",
        "  for p in players: reveal p.bid\n",
        "  if bid > 3: shuffle deck  #!\n  for p in players: reveal p.bid\n",
    ),
    "the cell of a piece in a local": (
        "hidden movement",
        "    reveal cell of q.pawn = guess\n    if cell of q.pawn = guess:\n      move q.pawn to yard\n      pts += q.pawn.steps + 1\n      move q.pawn to q.lair[a1]",
        "    let w = q.pawn\n    if cell of w = guess: pts += 1  #!",
    ),
    "a card of the hand": (
        "draft",
        "  pts += count(table where it.suit = hearts)",
        "  pts += count(hand where it.suit = hearts)  #!",
    ),
    "dice that nobody lifts": (
        "bluffing dice",
        "        reveal each(p.die for p in players)\n        if count(p for p in players where p.die = claim) > 0: pts += 1\n        else: next.pts += 1",
        "        if count(p for p in players where p.die = claim) > 0: pts += 1  #!",
    ),
    "an offer that can't be made": (
        "trading secret goods",
        "  choose:\n    offer(n from 1 to 3) when n <= goods:\n      goods -= n\n      q.goods := min(9, q.goods + n)\n      pts += n\n    pass: pass",
        "  choose:  #!\n    offer(n from 1 to 3) when n <= goods:\n      goods -= n\n      q.goods := min(9, q.goods + n)\n      pts += n\n    else: pass",
    ),
    "another one's goods": (
        "trading secret goods",
        "      pts += n",
        "      pts += q.goods  #!",
    ),
    "a role that nobody shows": (
        "hidden roles",
        "    reveal q.role\n    if q.role = hearts: end the game won by q\n",
        "    if q.role = hearts: eliminate q  #!\n",
    ),
    "roles of the others": (
        "hidden roles",
        "    q.pts += 1",
        "    q.pts += 1\n  if any(p.role = hearts for p in others): draw 1 from deck to pool  #!",
    ),
}
"""Name -> the game, a part of its rules, and what stands in the place of that."""
