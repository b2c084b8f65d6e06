"""Flow: what a rule gives, where it leaves, who acts, loops and calls that come to no end."""

from __future__ import annotations

from tests.semantics.case import Case, Check

HIT = "event hit(p: player, n: number): p.coins += n\nrule r: hit(next, 2)\n"
NO_PLAY = ("name: tiny", "name: tiny  #!")

CHECKS = (
    Check(
        "play-missing",
        (
            Case(swap=NO_PLAY, play=""),
            Case("setup: pass", swap=NO_PLAY, play=""),
            Case("rule r: pass\nscore s: 1", swap=NO_PLAY, play=""),
        ),
        Case("play: pass"),
    ),
    Check(
        "return-missing",
        (
            Case("rule r -> number: pass  #!"),
            Case("rule r -> number:  #!\n  if hard: return 1"),
            Case("rule r -> number:  #!\n  for p in players: return 1"),
            Case("rule r -> number:  #!\n  repeat:\n    if hard: return 1\n    if coins > 3: stop"),
            Case("rule r -> number:  #!\n  choose:\n    a: return 1\n    b: pass"),
            Case("ability go(c: Card) -> number: return 1", piece="on go(c): pass  #!"),
            Case("rule r -> player?:  #!\n  if some p = leader: return p"),
        ),
        Case(
            "rule r -> number:\n  if hard: return 1\n  else if coins > 1: return 2\n  else:\n    repeat:\n      coins += 1\n"
            "      if coins > 3: return 3\n"
            "rule s -> number:\n  choose:\n    a: return 1\n    b: end the game\n    else: return 2"
        ),
    ),
    Check(
        "return-value",
        (
            Case("rule r: return 1  #!"),
            Case("rule r -> number:\n  if hard: return  #!\n  return 1"),
            Case("event e: return coins  #!"),
        ),
        Case("rule r: return\nrule s -> number: return 1"),
    ),
    Check(
        "stop-outside",
        (
            Case("rule r: stop  #!"),
            Case("rule r: let p = choose one of others else stop  #!"),
            Case("rule r:\n  for p in players: s()\nrule s:\n  if hard: stop  #!"),
        ),
        Case("rule r:\n  for p in players:\n    turn of p:\n      if hard: stop"),
    ),
    Check(
        "proceed-misplaced",
        (
            Case("rule r: proceed  #!"),
            Case(HIT, piece="after hit(owner, n): proceed  #!"),
            Case(HIT, piece="instead of hit(owner, n):\n  if n > 1: proceed(owner, 1)\n  proceed  #!"),
            Case(HIT, piece="instead of hit(owner, n):\n  for q in others: proceed  #!"),
        ),
        Case(
            HIT,
            piece="instead of hit(owner, n):\n  if n > 1:\n    proceed\n    return\n  while n > 2:\n    if hard:\n"
            "      proceed(owner, 2)\n      stop\n    coins += 1\nmay instead of hit(n): proceed",
        ),
    ),
    Check(
        "condition-mixed",
        (
            Case("rule r:\n  if done or coins > 2 and not hard: pass  #!"),
            Case("function f(a: bool, b: bool) -> bool = a and b or count(players) > 2 and hard  #!"),
            Case("score s: 1 if (hard or deck = 8 and count(others) > 1) else 0  #!"),
        ),
        Case(
            "function f(a: bool, b: bool) -> bool = (a and b) or (count(players) > 2 and (hard or a))\n"
            "function g(a: bool) -> bool = a or hard or f(a, a and hard)"
        ),
    ),
    Check(
        "loop-endless",
        (
            Case("rule r:\n  repeat: pass  #!"),
            Case("rule r:\n  while coins > 1: pass  #!"),
            Case("rule r:\n  while true: coins += 1  #!"),
            Case("rule r:\n  repeat:  #!\n    for p in players: stop"),
            Case("rule r:\n  repeat:  #!\n    draw 1 from pile to hand"),
            Case("rule r:\n  repeat: s()  #!\nrule s: coins += 1"),
            # A condition that nothing in the loop changes.
            Case("rule r:\n  while secret < 5: secret += 0  #!"),
            Case("rule r:\n  while secret < 5:  #!\n    coins += 1\n    secret := secret"),
            Case("rule r:\n  while secret < 5 and not hard: s()  #!\nrule s: e()\nevent e: coins += 1"),
        ),
        Case(
            "rule t:\n  while secret < 5: secret += 1\n  while secret > 2: e()\nevent e: pass\nafter e: secret -= 1\n"
            "rule r:\n  repeat:\n    coins += 1\n    if coins > 8: stop\n  while coins > 1: coins -= 1\n  repeat: s()\n"
            "rule s:\n  let n = choose a number from 1 to 2"
        ),
    ),
    Check(
        "recursion-depth",
        (
            Case("rule r: r()  #!"),
            Case("rule r: s()  #!\nrule s: r()"),
            Case("function f(n: number) -> number = f(n - 1)  #!"),
            Case("ability a(c: Card) -> number = 1", piece="on a(c) = a(c)  #!"),
            Case("event e: e()  #!"),
            Case("ability a(c: Card): a(c)  #!"),
            Case("event e(p: player): pass\nafter e(p): e(p)  #!"),
            Case("rule r up to 3 deep: s()\nrule s:  #!\n  r()\n  s()"),
            Case("quantity q -> number = 1\nmodify q: plus q()  #!"),
        ),
        Case(
            "function h(n: number) -> number up to 2 * count(players) deep = 0 if n < 1 else h(n - 1)\n"
            "rule r up to 3 deep: s()\nrule s: r()\nevent e up to 2 deep: e()\nability a(c: Card) up to 2 deep: a(c)\nfunction f -> number = g\nfunction g -> number = 1"
        ),
    ),
    Check(
        "you-missing",
        (
            Case("play: coins := 1  #!"),
            Case("setup:\n  if coins is none: pass  #!\n  if coins otherwise 1 > 2: pass  #!\n  if coins: pass  #!"),
            Case("play: let c = choose one of trash  #!"),
            Case("setup: r()  #!\nrule r: s()\nrule s: coins := 1"),
            Case("play: e()  #!\nevent e: pass\nafter e: coins := 1"),
            Case("play: let n = f  #!\nfunction f -> number = count(others)"),
            Case("play: trade bazaar()  #!\nexchanges bazaar from shed:\n  exchange a: 2 nut -> 1 oil"),
            Case("play:\n  pay 1 nut from seat(0).shed: pass  #!\n  else: pass"),
            Case(
                yaml="kinds: {Box: {start: box}}  #!\nzones: {box: {holds: Box, per: player}}\npieces: {Box: [{id: a}]}"
            ),
        ),
        Case(
            "setup: s()\nrule s: stock[red] := 1\nplay:\n  as first: r()\n  for p in players:\n    turn of p: coins := 1\n"
            "rule r: coins := 2"
        ),
    ),
)
