"""Values: absent ones, ranges, choices and chance where they can't stand."""

from __future__ import annotations

from tests.semantics.case import Case, Check

FIELD = "grids: {Field: {columns: 5, rows: 4}}"

CHECKS = (
    Check(
        "value-absent",
        (
            Case("function f -> number = leader.coins  #!"),
            Case("rule r:\n  turn of leader: pass  #!"),
            Case("rule r: first := leader  #!"),
            Case("function f -> number = max(hand.value) + 1  #!"),
            Case("function f -> bool = max(hand.value) > 1  #!"),
            Case("function f(c: Card) -> Colour = c.colour\nfunction g -> Colour = f(top of shown)  #!"),
            Case("function f -> number = distance(spot, a1)  #!"),
            Case("rule r:\n  for c in leader: pass  #!"),
            Case("rule r:\n  turn of ghost: pass  #!"),
            # What is there, until it may have changed, or only where something else holds.
            Case("rule r:\n  if leader is not none:\n    leader := none\n    leader.coins += 1  #!"),
            Case("rule r(p: player?):\n  if p is none or hard: coins += 1\n  p.coins += 1  #!"),
            Case("rule r:\n  if leader is none: return\n  else: leader := none\n  leader.coins += 1  #!"),
            Case("rule r:\n  if leader is not none: leader := none\n  else: return\n  leader.coins += 1  #!"),
            Case("function f(s: Square?) -> number = s.row if s is not none or hard else 0  #!"),
            Case("event e(p: player?): leader := p\nafter e when leader is not none: leader.coins += 1  #!"),
            # What is certainly there, until something moves, in the next round, or where only another's is.
            *(
                Case(f"rule r:\n  {way}\nrule take(c: Card): move c to tableau")
                for way in (
                    "if hand is not empty:\n    move hand to tableau\n    let c = choose one of hand\n    take(c)  #!",
                    "if hand is not empty:\n    repeat 2 times:\n      let c = choose one of hand\n      take(c)  #!\n",
                    "if hand is not empty or hard:\n    let c = choose one of hand\n    take(c)  #!",
                    "if next.hand is not empty:\n    let c = choose one of hand\n    take(c)  #!",
                    "if any(p.hand is not empty for p in players):\n"
                    "    let c = together choose one of hand\n    take(c[you])  #!",
                    "repeat 2 times:\n    if hand is empty: stop\n  let c = choose one of hand\n  take(c)  #!",
                    "coins += choose a number from 1 to 3 where it > coins  #!",
                )
            ),
            # Read after the rule, which may have changed it; as absent as what it is found among.
            Case(
                "rule r:\n  if leader is not none and possible(clear() then leader.coins > 2): coins += 1  #!\n"
                "rule clear: leader := none"
            ),
            Case("rule r(p: player?):\n  if leader in [p]: leader.coins += 1  #!"),
            # A call in the same statement, or the last round of a loop, may have changed it.
            *(
                Case(f"rule r:\n  if leader is none: return\n  {use}\nrule ask -> 0..3:\n  leader := none\n  return 1")
                for use in (
                    "leader.coins := ask()  #!",
                    "leader.coins += ask()  #!",
                    "move hand to seat(ask() + leader.coins).hand  #!",
                    "while leader.coins < 3: leader := none  #!",
                )
            ),
            Case(
                "rule r:\n  leader.stock_of[red] := 1  #!",
                yaml="variables: {stock_of: {type: 0..9, per: [player, Colour]}}",
            ),
        ),
        Case(
            "function f -> number = max(hand.value) otherwise 0\n"
            "rule r:\n  if some p = leader: p.coins := 1\n  first := leader otherwise you\n  turn of machine: pass\n"
            "  if all(p.hand is not empty for p in players) and coins > 1:\n"
            "    let c = together choose one of hand\n    for p in players: take(c[p])\n"
            "  coins -= 1\n  if hand is empty or hard: return\n  let d = choose one of hand\n  take(d)\n"
            "rule take(c: Card):\n  move c to tableau\n  coins += choose a number from 1 to 3 where it mod 2 = 0\n"
            "rule q(p: player?, s: Square?):\n  if p = seat(1) or (s is none or s.row = 2): return\n"
            "  move top of shown to trash\n  if first.coins = 2: return\n  if leader is none: return\n  else if hard: coins += 1\n"
            "  leader.coins += 1\n  repeat s.row times:\n    if p is none: stop\n    p.coins += distance(s, a1)\n"
            "  while leader is not none and leader.coins < 3: leader.coins += 1\n"
            "  choose:\n    a(n from 1 to 3) when p is not none and p.coins > n: p.coins -= n\n    b: pass\n"
            "  coins += sum(c.row for c in [spot] where c is not none)\n"
            "  if leader is none: return\n  coins := leader.coins + ask()\n"
            "rule ask -> 0..3:\n  leader := none\n  return 1\n"
            "event e(p: player?): leader := p\nafter e(p) when p is not none: p.coins += 1\n"
        ),
    ),
    Check(
        "value-present",
        (
            Case("function f -> number = coins otherwise 1  #!"),
            Case("function f -> bool = coins is none  #!"),
            Case("rule r:\n  if some n = coins: pass  #!"),
            Case("rule r: let n = coins else return  #!"),
            Case("rule r:\n  choose:\n    a: coins += 1\n    b when hard: coins += 2\n    else: never  #!"),
            Case("rule r: coins := 3 else return  #!"),
        ),
        Case("function f -> bool = leader is none or leader = first\nrule r: let p = leader else return"),
    ),
    Check(
        "range-outside",
        (
            Case("rule r: coins := 100  #!"),
            Case("rule r: bid := -1  #!"),
            Case("rule r: secret := 10 + abs(coins)  #!"),
            Case("rule r up to 0 deep: pass  #!"),
            Case(yaml="variables: {x: {type: 1..3, start: 4}}  #!"),
            Case(yaml="grids: {Field: {columns: 2 + count(players), rows: 60 + 6}}  #!"),
            Case("rule r: let x = h9  #!", yaml="grids: {Field: {columns: 5 + count(players), rows: 9}}\n"),
            Case(yaml="variables: {x: {type: player, start: 2}}  #!"),
            Case(yaml='variables: {x: {type: "0..3?", start: 4}}  #!'),
            Case(
                yaml="kinds: {Box: {start: bank2, attributes: {size: 1..3}}}\nzones: {bank2: {holds: Box}}\n"
                "pieces: {Box: [{id: box, size: 9}]}  #!"
            ),
            Case("function f -> number = seat(7).coins  #!"),
            Case("function f -> bool = Side(0, 7) in Side  #!"),
            Case("function f -> bool = Side(2, 0) in Side  #!"),  # not with two players
            Case(
                "function f -> bool = Corner(0, 1) in Corner  #!",
                yaml="types: {Corner: {between: {2: [[0, 1]], 3: [[1, 2], [0, 1]], 4: [[0, 1]]}}}",
            ),
            Case(yaml="variables: {x: {type: bag of Part, capacity: {each: -1}}}  #!"),
            Case("function f -> 1..60 = 70  #!"),
            Case("function f -> 1..60:\n  if hard: return 0  #!\n  return 60"),
            Case("function f(n: 1..3) -> number = n\nfunction g -> number = f(4)  #!"),
        ),
        Case(
            "function f(n: 1..3) -> 1..60 = 20 * n\nfunction g -> number = f(3)\nrule r:\n  coins := 99\n  coins -= 7\n  secret := coins mod 3",
            yaml='variables: {x: {type: player, start: 1}, y: {type: "0..3?", start: 3}, z: {type: 1..3}}',
        ),
    ),
    Check(
        "range-zero",
        (
            Case("function f -> number = coins div 0  #!"),
            Case("function f -> number = coins mod 0  #!"),
            Case("function f -> number = 3 div (1 - 1)  #!"),
        ),
        Case("function f -> number = coins div 2 + 7 mod (coins + 1)"),
    ),
    Check(
        "range-empty",
        (
            Case("rule r: let n = roll 6 to 1  #!"),
            Case("rule r: let n = choose a number from 3 to 2  #!"),
            Case("rule r:\n  choose:\n    a(n from 4 to 1): pass  #!\n    b: pass"),
        ),
        Case("rule r:\n  let n = roll 1 to 6\n  let m = choose a number from 1 to coins"),
    ),
    Check(
        "choice-misplaced",
        (
            Case("function f -> number = (roll 1 to 6)  #!"),
            Case("rule r:\n  if coins > 1 and (roll 1 to 6) > 3: coins += 1  #!"),
            Case("rule r: let n = sum((roll 1 to 6) for p in players)  #!"),
            Case("rule r: let n = (roll 1 to 6) if hard else 1  #!"),
            Case("score s: count((choose 2 of hand))  #!"),
            Case("rule r: let x = together choose one of (choose 2 of hand)  #!"),
            Case("rule r:\n  choose:\n    a(c in (choose 2 of hand)): pass  #!\n    b: pass"),
        ),
        Case("rule r:\n  coins := (roll 1 to 6) + 1\n  for c in choose 2 of hand: move c to trash"),
    ),
    Check(
        "choice-together",
        (
            Case("rule r: let x = together choose a number from 0 to 2 by first  #!"),
            Case("rule r: let x = together choose one of players by you  #!"),
            Case("rule r: let x = together choose 1 of hand by first  #!"),
        ),
        Case("play:\n  let x = together choose a number from 0 to 2\n  let y = choose a number from 0 to 2 by first"),
    ),
    Check(
        "choice-huge",
        (
            Case("rule r:\n  for f in choose any of Field: pass  #!", yaml=FIELD),
            Case("rule r:\n  for f in choose 10 of Field: pass  #!", yaml=FIELD),
            Case("rule r:\n  choose:\n    a(fs = 6 to 9 of Field): pass  #!\n    b: pass", yaml=FIELD),
            Case(
                "rule r: move (choose 2 or more of rack) to shelf  #!",
                yaml='kinds: {Tile: {start: shelf, attributes: {size: 1..19}}}\npieces: {Tile: [{each: {size: 1..19}, id: "t{size}"}]}\n'
                "zones: {rack: {holds: Tile, capacity: 17}, shelf: {holds: Tile}}",
            ),
        ),
        Case(
            "rule r:\n  for f in choose up to 5 of Field: pass\n  for s in choose any of Square: pass\n"
            "  for c in choose any of hand: pass\n  for f in choose down to 2 of (Field where it.row > coins): pass",
            yaml=FIELD,
        ),
    ),
    Check(
        "choice-empty",
        (
            Case("rule r:\n  choose:  #!\n    a when coins > 1: pass"),
            Case("rule r:\n  choose act:  #!\n    a(c in hand): pass\n    b when hard: pass"),
            Case("rule r:\n  choose:  #!\n    a(n from 1 to coins): pass"),
            Case("rule r:\n  choose:  #!\n    a(c in players where it.coins > 1): pass"),
        ),
        Case(
            "rule r:\n  choose:\n    a when coins > 1: pass\n    else: pass\n"
            "  choose:\n    a(p in players): pass\n  choose:\n    a(cs = up to 2 of hand): pass\n"
            "  anyway choose:\n    a when coins > 1: pass"
        ),
    ),
    Check(
        "visibility-unseen",
        (
            Case("function f -> number = sum(pile.value)  #!"),
            Case("function f -> Card? = top of pile  #!"),
            Case("score s: count(vault where it.value > 1)  #!"),
            Case("rule r:\n  if coins > 1 and any(c.value > 1 for c in pile): coins += 1  #!"),
            Case(swap=("active: [tableau]", "active: [vault]  #!")),
        ),
        Case("function f -> number = count(pile)\nrule r:\n  let c = top of pile\n  let n = sum(vault.value)"),
    ),
)
