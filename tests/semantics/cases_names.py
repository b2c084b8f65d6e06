"""Names: unknown, declared twice, reserved, used for what they are not."""

from __future__ import annotations

from tests.semantics.case import Case, Check

FORMER = ("rulelang: 2", "rulelang: 1")
CHECKS = (
    Check(
        "name-unknown",
        (
            Case("rule r: coins := moneey  #!"),
            Case("rule r:\n  for p in players:\n    p.coins := count(cupboard)  #!"),
            Case("function f(c: Card) -> bool = c is lwo  #!"),
            Case("rule r: mark frozen until after turns of you  #!"),
            Case("rule r: trade market()  #!"),
            Case("function f -> number = count(hand where value > 1)  #!"),
            Case("exchange e in market: 1 nut -> 1 oil  #!"),
            Case("function f -> Card? = owner  #!"),
        ),
        Case("function f(c: Card) -> bool = c is low and c in hand\nrule r: mark frozen until after turn of you"),
    ),
    Check(
        "name-duplicate",
        (
            Case("rule r: pass\nrule r: pass  #!"),
            Case("rule hand: pass  #!"),
            Case("rule r:\n  let a = 1\n  for a in players: pass  #!"),
            Case("rule r(coins: number): pass  #!"),
            Case("score total: 1\nscore total: 2  #!"),
            Case("setup: pass\nsetup: pass  #!"),
            Case(yaml="types: {Mood: [calm, red]}  #!"),
            Case(swap=("marks: [spent]", "marks: [value]  #!")),
            Case("rule r:\n  choose:\n    a: pass\n    a: pass  #!"),
            Case("rule r:\n  choose:\n    a(c in hand, c in trash): pass  #!\n    b: pass"),
            Case("ability go(c: Card): pass", piece="on go(c): pass\non go(c): pass  #!"),
            Case("rule r:\n  step a: pass", over="after step a: pass\nafter step a: pass  #!"),
            Case("exchanges e from shed:\n  exchange a: 2 nut -> 1 oil\n  exchange a: 3 nut -> 1 oil  #!"),
        ),
        Case("rule r:\n  for a in players: pass\n  for a in everyone: pass\nscore total: 1\nscore other: 2"),
    ),
    Check(
        "name-reserved",
        (
            Case("rule r: let next = 1  #!"),
            Case("rule sum: pass  #!"),
            Case("function f(you: player) -> number = 1  #!"),
            Case(yaml="zones: {others: {holds: Card}}  #!"),
            Case(yaml="variables: {seat: {type: 0..3, per: player}}  #!"),
            Case(swap=("marks: [spent]", "marks: [owner]  #!")),
            # Where it is declared, and not again where it is used.
            Case("rule r: top += 1", yaml="variables: {top: {type: 0..9}}  #!"),
            Case("rule r:\n  if top > 1: pass", yaml="variables:\n  top: {type: 0..9}  #!"),
            Case("rule r: move some to trash\nscore s: count(some)", yaml="zones: {some: {holds: Card}}  #!"),
            Case(
                "rule r:\n  if mood2 = cell: pass",
                yaml="types: {Mood: [calm, cell]}  #!\nvariables: {mood2: {type: Mood}}",
            ),
            Case(yaml="types: {Any: [calm]}\nmarks: {any: {}}  #!"),
            Case(yaml="types: {Good: {values: [wood, score], classes: {dry: [wood]}}}  #!"),
            Case(yaml="types:\n  Good: {values: [wood], classes: {most: [wood]}}  #!"),
            Case(yaml="kinds: {up: {}}  #!"),
            Case(yaml="options: {roll: {values: [1, 2], default: 1}}  #!"),
            Case(swap=("id: low,", "id: where,  #!\n     ")),
            Case("rule mark: pass  #!\nrule r: mark()"),
            Case("rule r:\n  let top = 1  #!\n  if top > 1: pass"),
            Case("rule r:\n  for cell in players: coins := cell.coins  #!"),
            Case("rule r(any: number):  #!\n  if any = 1: pass"),
            Case("rule r:\n  let one = 1  #!\n  let y = one + 1"),
            Case(
                yaml="grids:\n  Map:\n    attributes: {row: Colour}  #!\n    legend: {o: {row: red}}\n    map: |\n      oo\n"
            ),
        ),
        Case(
            "rule r: let following = next\nfunction total(p: player) -> number = p.seat\n"
            "rule turned(mark: number):\n  let round = mark\n  for step in players: step.end := round\n"
            "rule s:\n  step top: pass\n  choose:\n    pass: pass\n    turn: pass\nscore mark: 1",
            yaml="types: {Which: [any, all, one]}\nkinds: {Odd: {attributes: {top: 1..2, score: 1..2}}}\nvariables: {score: {type: 0..9}, end: {type: 0..9, per: player}}",
        ),
    ),
    Check(
        "name-misused",
        (
            Case("rule r: pass\nfunction f -> number = r  #!"),
            Case("exchanges m from shed:\n  exchange a: 2 nut -> 1 oil\nfunction f -> number = m  #!"),
            Case("function f(n: number) -> number = n\nfunction g -> number = f + 1  #!"),
        ),
        Case("function f -> number = 1\nfunction g -> number = f + count(Colour) + count(Card)"),
    ),
    Check(
        "attribute-unknown",
        (
            Case("function f(c: Card) -> number = c.valeu  #!"),
            Case("function f(g: group of Card by valeu) -> number = 1  #!"),
            Case("function f(p: player) -> number = p.stock  #!"),
            Case("function f -> number = sum(hand.cost)  #!"),
            Case("function f(c: Colour) -> number = c.worth  #!"),
            Case("function f -> number = shed.circuit  #!"),
            Case("function f(n: number) -> number = n.size  #!"),
        ),
        Case("function f(c: Card, k: Family) -> number = c.value + k.worth + shed.nut + sum(others.coins)"),
    ),
    Check(
        "index-missing",
        (
            Case("function f -> number = stock  #!"),
            Case("rule r: move hand to drawers  #!"),
            Case("rule r: stock := 3  #!"),
            Case("rule r: reveal stock  #!"),
        ),
        Case("function f -> number = stock[red] + count(drawers)\nrule r: move hand to drawers[red]"),
    ),
    Check(
        "index-extra",
        (
            Case("function f -> number = coins[red]  #!"),
            Case("function f(p: player) -> number = p[red]  #!"),
            Case("rule r: move hand to trash[red]  #!"),
        ),
        Case("function f(p: player) -> number = stock[red] + shed[nut]"),
    ),
    Check(
        "call-unknown",
        (
            Case("rule r: go()  #!"),
            Case("function f -> number = total(hand)  #!"),
            Case("rule r: coins()  #!"),
            Case("function f -> bool = possible(go() then true)  #!"),
        ),
        Case("rule r: s()\nrule s: pass\nfunction f -> bool = possible(s() then true)"),
    ),
    Check(
        "call-arguments",
        (
            Case("rule s(n: number): pass\nrule r: s()  #!"),
            Case("function f -> number = abs(1, 2)  #!"),
            Case("function f -> number = abs(n for n in [1, 2])  #!"),
            Case("function f -> number = sum(1, 2)  #!"),
            Case("function f(n: number) -> bool = Side(0, n) in Side  #!"),
            Case("event e(n: number): pass\nbefore e(a, b): pass  #!"),
            Case("quantity q(c: Card) -> number = 1\nmodify q(c, d): plus 1  #!"),
            Case("event e(a: player, n: number): pass", piece="before e(owner, a, n): pass  #!"),
            Case("event e(a: player, b: player): pass", piece="before e(a) for owner: pass  #!", swap=FORMER),
            Case("event e(a: player, b: player): pass", piece="before e(a) for owner as c: pass  #!", swap=FORMER),
            Case("event e(a: player, n: number): pass", piece="before e(a, n) for owner: pass  #!", swap=FORMER),
            Case("event e(a: player, n: number): pass", piece="instead of e(owner, n): proceed(1)  #!"),
        ),
        Case(
            "rule s(n: number): pass\nrule r: s(1)\nfunction f -> bool = Side(1, 0) in Side\n"
            "event e(n: number): pass\nbefore e(a): pass\nbefore e: pass"
        ),
    ),
    Check(
        "call-void",
        (
            Case("rule s: pass\nrule r: let a = s()  #!"),
            Case("rule s: pass\nrule r: coins += s()  #!"),
            Case("rule s: pass\nrule r:\n  if s(): pass  #!"),
        ),
        Case("rule s -> number: return 1\nevent e: let a = s()\nrule r: let b = e()"),
    ),
    Check(
        "call-unused",
        (
            Case("function f -> number = 1\nrule r: f()  #!"),
            Case("rule r: count(hand)  #!"),
            Case("quantity q -> number = 1\nrule r: q()  #!"),
            Case("ability a(c: Card) -> number = 1\nrule r(c: Card): a(c)  #!"),
        ),
        Case("rule f -> number: return 1\nrule r: f()"),
    ),
    Check(
        "call-misplaced",
        (
            Case("rule s -> number: return 1\nfunction f -> number = s()  #!"),
            Case("rule s -> number: return 1\nability a(c: Card) -> number = 1", piece="on a(c) = s()  #!"),
            Case("rule s -> bool: return true\nrule r:\n  if coins > 1 and s(): coins += 1  #!"),
            Case("rule s(c: Card) -> bool: return true\nrule r: reveal hand where s(it)  #!"),
        ),
        Case("rule s -> bool: return true\nrule r:\n  if s(): coins += 1"),
    ),
    Check(
        "resource-unknown",
        (
            Case("rule r: shed += 1 nutt  #!"),
            Case("rule r: shed += 2 base  #!"),
            Case("rule r: shed += 1 (nut or red)  #!"),
            Case(yaml="variables: {silo: {type: bag of Part, capacity: {tin:  #!\n    3}}}"),
        ),
        Case("rule r: shed += 1 nut + 2 any base + 1 (nut or oil)"),
    ),
    Check(
        "event-unknown",
        (
            Case("event harm: pass\nbefore harn: pass  #!"),
            Case("rule r: pass\nafter r: pass  #!"),
            Case(piece="instead of harm(p): pass  #!"),
        ),
        Case("event harm: pass\nbefore harm: pass"),
    ),
    Check(
        "quantity-unknown",
        (
            Case("quantity price -> number = 1\nmodify pricee: plus 1  #!"),
            Case("function f -> number = 1\nmodify f: plus 1  #!"),
            Case(piece="modify coins: plus 1  #!"),
        ),
        Case("quantity price -> number = 1\nmodify price: plus 1"),
    ),
    Check(
        "ability-unknown",
        (
            Case(piece="on activate(c): pass  #!"),
            Case("rule activate(c: Card): pass", piece="on activate(c): pass  #!"),
            Case("ability activate(c: Card): pass", piece="on activte(c): pass  #!"),
        ),
        Case("ability activate(c: Card): pass", piece="on activate(c): pass"),
    ),
    Check(
        "menu-unknown",
        (
            Case(piece="offer in action:  #!\n  a: pass"),
            Case("rule r:\n  choose act:\n    a: pass\noffer in action:  #!\n  b: pass"),
            Case("rule r:\n  choose:\n    a: pass\noffer in r:  #!\n  b: pass"),
        ),
        Case("rule r:\n  choose act:\n    a: pass\noffer in act:\n  b: pass", piece="offer in act:\n  b: pass"),
    ),
    Check(
        "remove-unknown",
        (
            Case("remove rule r  #!"),
            Case("rule r: pass", over="remove rule q  #!"),
            Case("function f -> number = 1", over="remove rule f  #!"),
            Case("rule r: pass", over="remove winner  #!"),
            Case(
                "exchanges e from shed:\n  exchange a: 2 nut -> 1 oil\n  exchange b: 3 nut -> 1 oil",
                over="remove exchange c in e  #!",
            ),
        ),
        Case("rule r: pass\nwinner: most you.coins", over="remove rule r\nremove winner"),
    ),
    Check(
        "step-unknown",
        (
            Case("rule r:\n  step a: pass\nbefore step b: pass  #!"),
            Case("rule r:\n  step a: pass\nrule q: pass", over="after step a of q: pass  #!"),
            Case("rule r:\n  step a: pass", over="remove step a of s  #!"),
            Case("rule r:\n  step a: pass", over="rule r: pass\ninstead of step a of r: pass  #!"),
        ),
        Case("rule r:\n  if hard:\n    step a: pass", over="before step a: pass\nremove step a of r"),
    ),
    Check(
        "step-ambiguous",
        (
            Case("rule r:\n  step a: pass\nrule q:\n  step a: pass", over="before step a: pass  #!"),
            Case("rule r:\n  step a: pass\n  step a: pass", over="remove step a of r  #!"),
            Case("rule r:\n  step a:\n    step a: pass", over="instead of step a: pass  #!"),
        ),
        Case("rule r:\n  step a: pass\nrule q:\n  step a: pass", over="before step a of q: pass"),
    ),
)
