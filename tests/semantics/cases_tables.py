"""What the YAML declares, and the tables of rule text: pieces, modifiers, handlers, offers, exchanges, citations."""

from __future__ import annotations

from tests.semantics.case import Case, Check

SPELL = "kinds: {Spell: {start: book}}\nzones: {book: {holds: Spell}}\n"

# 14 pieces of the base, and a thousand of four kinds for each of four seats.
BEADS = """kinds: {{Bead: {{start: shelf}}}}
zones: {{shelf: {{holds: Bead}}}}
pieces:
  Bead:
    - {{id: a, count: 1000, per: player}}
    - {{id: b, count: 1000, per: player}}
    - {{id: c, count: 1000, per: player}}
    - {{id: d, count: 1000, per: player}}
    - {fifth}
"""
GRIDS = "grids: {A: {columns: 64, rows: 64}, B: {columns: 64, rows: 64}}\n"

BOX = "variables: {box: {type: bag of Part, per: player}}"
SIGHT = 'variables: {{x: {{type: 0..9, per: player, visible: "{}"}}}}  #!\n'
POCKET = "zones: {pocket: {holds: Chip, per: player}}"

CHECKS = (
    Check(
        "zone-short",
        (
            Case("setup:\n  for p in players: draw 2 from bank to p.pocket  #!", yaml=POCKET),
            Case(
                "setup:\n  for p in players: deal(p)\nrule deal(p: player): draw 3 from bank to p.pocket  #!",
                yaml=POCKET,
            ),
            Case("setup:\n  repeat 2 times:\n    for p in players: draw 1 from bank to p.pocket  #!", yaml=POCKET),
        ),
        Case("setup:\n  for p in players: draw 1 from bank to p.pocket", yaml=POCKET),
    ),
    Check(
        "capacity-start",
        (
            Case(yaml="variables: {a: {type: bag of Part, start: 4 nut, capacity: {each: 3}}}  #!"),
            Case(yaml="variables: {a: {type: bag of Part, start: 2 nut + 2 oil, capacity: {total: 3}}}  #!"),
            Case(yaml="variables: {a: {type: bag of Part, start: (count(players)) oil, capacity: {oil: 3}}}  #!"),
        ),
        Case(yaml="variables: {a: {type: bag of Part, start: 3 nut + 9 oil, capacity: {nut: 3}}}"),
    ),
    Check(
        "ruleset-uncovered",
        (
            Case(yaml="types: {Front: {between: {2: [[0, 1]], 4: [[0, 1]]}}}  #!"),
            Case(yaml="teams: {3: [[0, 1]]}  #!"),
            Case("score more: {2: 5, 3: 4} at count(players)  #!"),
        ),
        Case("score more: {2: 5, 3: 4, 4: 3} at count(players)", yaml="teams: {3: [[0, 1]], 4: []}"),
    ),
    Check(
        "attribute-missing",
        (
            Case(swap=("id: low, colour: red, value: 1, count: 3}", "id: low, colour: red, count: 3}  #!")),
            Case(yaml="types: {Size: {attributes: {worth: number}, values: {big: {}}}}  #!"),
            Case(yaml="types: {Size: {attributes: {a: bool, b: bool}, values: {big: {a: true}}}}  #!"),
            Case(yaml="types: {Good: {attributes: {worth: number}, values: {wool: {}}}}  #!"),
            Case(
                "function f -> number = sum(w.worth for w in Wall)",
                yaml="types: {Wall: {between: neighbours, attributes: {worth: 1..3}}}  #!",
            ),
            Case(yaml="types: {Wall: {between: {2: [], 3: [[0, 1]], 4: [[0, 1]]}, attributes: {players: 1..3}}}  #!"),
        ),
        Case(yaml='types: {Size: {attributes: {worth: "Colour?"}, values: {big: {}, tall: {worth: red}}}}'),
    ),
    Check(
        "capacity-type",
        (
            Case(yaml="variables: {x: {type: 0..9, capacity: {each: 3}}}  #!"),
            Case(yaml="variables: {x: {type: bool, capacity: {total: 3}}}  #!"),
            Case(yaml="variables: {x: {type: Colour, per: player, capacity: {each: 3}}}  #!"),
        ),
        Case(
            "rule r: x += 2 nut",
            yaml='variables: {x: {type: bag of Part, per: player, capacity: {nut: "1 + count(hand where it.value = 1)"}}}',
        ),
    ),
    Check(
        "position-part",
        (
            Case(yaml="positions: {place: {of: [nowhere], most: 9}}  #!"),
            Case(yaml="positions: {place: {of: [deep], most: 9}}  #!", rules="function deep(n: number) -> number = n"),
            Case(
                yaml="positions: {place: {of: [held], most: 9}}  #!", rules="function held -> list of player = players"
            ),
            Case(yaml='variables: {best: {type: "Card?"}}\npositions: {place: {of: [best], most: 9}}  #!'),
            Case(yaml="marks: {spent: {}}\npositions: {place: {of: [spent], most: 9}}  #!"),
        ),
        Case(
            "rule r:\n  remember place\n  if seen(place) > 1: forget place\nfunction low -> bool = coins < 2",
            yaml="positions: {place: {of: [board, spot, you, low], most: 9}, old: {of: [spot], last: 2, times: 1}}",
        ),
    ),
    Check(
        "position-long",
        (
            Case(yaml="positions: {place: {of: [spot]}}  #!"),
            Case(yaml="positions: {place: {of: [spot], times: 2}}  #!"),
            Case(yaml="positions: {place: {of: [spot, you]}, other: {of: [spot], last: 1}}  #!"),
        ),
        Case(yaml="positions: {place: {of: [spot], last: 1}, other: {of: [spot], most: 5}}"),
    ),
    Check(
        "capacity-beyond",
        (
            Case(yaml="variables: {x: {type: Colour, start: red, beyond: lost}}  #!"),
            Case(yaml="variables: {x: {type: 0..9, beyond: choose}}  #!"),
            Case(yaml="variables: {x: {type: bag of Part, capacity: {each: 3}, beyond: choose}}  #!"),
            Case(yaml="variables: {x: {type: bag of Part, capacity: {each: 3, total: 4}, beyond: lost}}  #!"),
        ),
        Case(
            yaml='variables: {x: {type: "0..9?", beyond: lost}, y: {type: bag of Part, beyond: error}, z: {type: bag of Part, capacity: {total: 4}, beyond: choose}}',
        ),
    ),
    Check(
        "index-order",
        (
            Case(yaml="zones: {box: {holds: Card, per: [Colour, player]}}  #!"),
            Case(yaml="variables: {x: {type: bool, per: [Colour, player]}}  #!"),
            Case(yaml="marks: {m: {per: [Square, player]}}  #!"),
        ),
        Case(yaml="zones: {box: {holds: Card, per: [player, Colour]}}"),
    ),
    Check(
        "visibility-owner",
        (
            Case(yaml="zones: {box: {holds: Card, visible: owner}}  #!"),
            Case(yaml="zones: {box: {holds: Card, per: Colour, visible: others}}  #!"),
            Case(yaml="variables: {x: {type: bool, visible: owner}}  #!"),
            Case(yaml="variables: {x: {type: bag of Part, visible: nobody, size: owner}}  #!"),
        ),
        Case(yaml="zones: {box: {holds: Card, per: [player, Colour], visible: owner}}"),
    ),
    Check(
        "visibility-size",
        (
            Case(yaml="zones: {box: {holds: Card, size: nobody}}  #!"),
            Case(yaml="zones: {box: {holds: Card, per: player, visible: count, size: owner}}  #!"),
            Case(yaml="variables: {x: {type: 0..9, per: player, visible: owner, size: owner}}  #!"),
            Case(yaml="variables: {x: {type: bag of Part, per: player, size: owner}}  #!"),
        ),
        Case(
            yaml="zones: {box: {holds: Card, per: player, visible: owner, size: owner}, lid: {holds: Card, size: all}}\n"
            "variables: {x: {type: bag of Part, per: player, visible: nobody, size: owner}, y: {type: bag of Part, visible: nobody, size: all}}"
        ),
    ),
    Check(
        "visibility-unsettled",
        (
            Case(
                "setup:\n  for p in players: p.done := true\nplay:\n  for p in players: p.done := true",
                yaml=SIGHT.format("you.done"),
            ),
            Case("setup:\n  for p in players: p.bid := 1", yaml=SIGHT.format("owner.bid > 1")),
            Case(
                "setup:\n  for p in players:\n    turn of p: bid := choose a number from 0 to 2",
                yaml=SIGHT.format("you.bid = 1"),
            ),
            Case(yaml=SIGHT.format("secret = 1")),
            Case(yaml=SIGHT.format("count(hand) > 1")),
            Case(
                yaml="variables: {ken: {type: bool, per: player, visible: nobody}, x: {type: 0..9, visible: you.ken}}  #!"
            ),
        ),
        Case(
            "setup:\n  for p in players: p.bid := 1",
            yaml=SIGHT.format("you = owner or (you.seat < 2 and hard) or you.bid = 1").replace("  #!", "")
            + 'zones: {lid: {holds: Card, visible: "you.seat < 2"}, cap: {holds: Card, per: player, visible: team, size: owner}}',
        ),
    ),
    Check(
        "zone-refill",
        (
            Case(yaml="zones: {box: {holds: Card, order: pile, refill: bank}}  #!"),
            Case(yaml="zones: {box: {holds: Card, refill: trash}}  #!"),
            Case(yaml="zones: {box: {holds: Card, order: pile, refill: drawers}}  #!"),
            Case(yaml="zones: {box: {holds: Card, order: pile, refill: nowhere}}  #!"),
        ),
        Case(yaml="zones: {box: {holds: Card, per: Colour, order: pile, visible: count, refill: drawers}}"),
    ),
    Check(
        "ruleset-size",
        (
            Case(yaml=BEADS.format(fifth="{id: e, count: 997, per: player}  #!")),  # 14 + 16000 + 3988 > 20000
            Case(yaml=f"{GRIDS}variables: {{n: {{type: 0..9, per: [A, B]}}}}  #!"),
            Case(yaml=f"{GRIDS}zones: {{heap: {{holds: Card, per: [player, A, Square]}}}}  #!"),
        ),
        Case(
            yaml=BEADS.format(fifth="{id: e, count: 996, per: player}")
            + GRIDS
            + "variables: {n: {type: 0..9, per: [player, A]}}"
        ),
    ),
    Check(
        "piece-start",
        (
            Case(yaml="kinds: {Box: {}}\npieces: {Box: [{id: box}]}  #!"),
            Case(yaml="kinds: {Box: {}}\npieces: {Box: [{id: box, count: 2}]}  #!"),
            Case(yaml="kinds: {Box: {}}\npieces: {Box: [{id: box, per: player}]}  #!"),
        ),
        Case(yaml=f"{SPELL}pieces: {{Spell: [{{id: bolt}}]}}"),
    ),
    Check(
        "piece-inactive",
        (
            Case(yaml=f"{SPELL}pieces:\n  Spell:\n    - id: bolt\n      rules: |\n        scores: 1  #!"),
            Case(
                "event e: pass",
                yaml=f"{SPELL}pieces:\n  Spell:\n    - id: bolt\n      rules: |\n        after e: pass  #!",
            ),
            Case(
                "quantity q -> number = 1",
                yaml=f"{SPELL}pieces:\n  Spell:\n    - id: bolt\n      rules: |\n        modify q: plus 1  #!",
            ),
            Case(
                "rule r:\n  choose act:\n    a: pass",
                yaml=f"{SPELL}pieces:\n  Spell:\n    - id: bolt\n      rules: |\n        offer in act:  #!\n          b: pass",
            ),
        ),
        Case(
            "ability go(s: Spell): pass",
            yaml=f"{SPELL}pieces:\n  Spell:\n    - id: bolt\n      rules: |\n        on go(s): coins += 1",
        ),
    ),
    Check(
        "ability-piece",
        (
            Case("ability go(n: number): pass  #!"),
            Case("ability go: pass  #!"),
            Case("ability go(c: Chip): pass", piece="on go(c): pass  #!"),
            Case("ability go(c: Card): pass\non go(c): pass  #!"),
        ),
        Case("ability go(c: Card, n: number): pass", piece="on go(c, n): coins += n"),
    ),
    Check(
        "ability-value",
        (
            Case("ability go(c: Card): pass", piece="on go(c) = 1  #!"),
            Case("ability go(c: Card) -> number: return 1", piece="on go(c) = 2  #!"),
            Case("ability worth(c: Card) -> number: return 1", piece="on worth(c) = 2 + this.value  #!"),
        ),
        Case("ability worth(c: Card, n: number) -> number = n", piece="on worth(c, n): return n + this.value"),
    ),
    Check(
        "function-statement",
        (
            Case("function f() -> number:\n  coins += 1  #!\n  return 1"),
            Case("score s:\n  let n = 1\n  shuffle deck  #!\n  return n"),
            Case("function f(p: player?) -> number:\n  let q = p else end the game  #!\n  return q.coins"),
        ),
        Case("function f(n: number) -> number:\n  if n = 2: return 1\n  return n + n"),
    ),
    Check(
        "score-piece",
        (
            Case("scores: 1  #!"),
            Case("scores: count(hand)  #!"),
            Case("score s: 1\nscores: 2  #!"),
        ),
        Case("score s: 1", piece="scores: count(tableau)"),
    ),
    Check(
        "tie-shared",
        (
            Case("tie: shared, then most coins  #!"),
            Case("tie: most coins, then shared, then fewest count(hand)  #!"),
            Case("tie: shared, then shared  #!"),
        ),
        Case("tie: most coins, then fewest count(hand), then shared"),
    ),
    Check(
        "modifier-layer",
        (
            Case("quantity q -> bool = true\nmodify q: plus true  #!"),
            Case("quantity q -> cost of Part = 1 nut\nmodify q: at least 1 nut  #!"),
            Case("quantity q -> Colour = red", piece="modify q: minus red  #!"),
        ),
        Case(
            "quantity q -> bool = true\nmodify q: set to false\nquantity c -> cost of Part = 1 nut\n"
            "modify c: plus 1 any base\nquantity s -> list of Colour = []\nmodify s: plus [red]"
        ),
    ),
    Check(
        "modifier-conflict",
        (
            Case("quantity q -> number = 1\nmodify q: set to 2\nmodify q: set to 3  #!"),
            Case("quantity q -> number = 1\nmodify q priority 2: set to 2\nmodify q priority 2: set to 3  #!"),
            Case("quantity q -> number = 1\nmodify q: set to 2\nmodify q: plus 1\nmodify q when hard: set to 3  #!"),
            Case("quantity q -> number = 1\nmodify q: set to 2", piece="modify q: set to 3  #!"),
        ),
        Case(
            "quantity q -> number = 1\nmodify q: set to 2\nmodify q priority 1: set to 3\nmodify q: plus 1\nmodify q: plus 2"
        ),
    ),
    Check(
        "citation-source",
        (
            Case("[leaflt:3]  #!\nrule r: pass"),
            Case("[book:3]  #!\nsetup: pass"),
            Case("[book:3-5]  #!\nscore s: 1"),
            Case("[book:3]  #!\ntie: shared"),
            Case("rule r:\n  [leaflet:1, book:2]  #!\n  turn of you: pass"),
            Case("event e: pass", piece="[book:1]  #!\nafter e: pass"),
            Case(yaml="types: {Mood: {values: [calm], cites: [book:1]}}  #!"),
        ),
        Case("[leaflet:3, leaflet:5-9]\nrule r: pass"),
    ),
    Check(
        "citation-range",
        (
            Case("[leaflet:5-3]  #!\nrule r: pass"),
            Case("[leaflet:9-8]  #!\nplay: pass"),
            Case("[leaflet:0]  #!\nrule r: pass"),
            Case("rule r:\n  [leaflet:2-1]  #!\n  step s: pass"),
        ),
        Case("[leaflet:3-3]\nrule r: pass"),
    ),
    Check(
        "exchange-cycle",
        (
            Case("exchanges e from shed:\n  exchange a: 1 nut -> 1 nut  #!"),
            Case("exchanges e from shed:\n  exchange a: 1 nut -> 1 oil  #!\n  exchange b: 1 oil -> 1 nut"),
            # Twice `a` and thrice `b`: 6 nuts, 4 oil, 6 nuts.
            Case("exchanges e from shed:\n  exchange a: 3 nut -> 2 oil  #!\n  exchange b: 2 oil -> 3 nut"),
            Case("exchanges e from shed:\n  exchange a: 3 nut -> 2 oil  #!\n  exchange b: 4 oil -> 7 nut"),
            Case("exchanges e from shed:\n  exchange a: 2 any base -> 2 nut  #!"),
            Case("exchanges e from shed:\n  exchange a: 0 nut -> 1 oil  #!"),
            Case("exchanges e from shed:\n  exchange a: 1 nut + (2 nut or 0 oil) -> 1 nut  #!"),
            Case("exchanges e from shed:\n  exchange a: 2 nut -> 1 oil  #!\nexchange b in e: 1 oil -> 2 nut"),
            Case("exchanges e from shed:\n  exchange a: 2 nut -> 1 oil  #!", piece="exchange b in e: 1 oil -> 3 nut"),
        ),
        Case(
            "exchanges e from shed:\n  exchange a: 3 nut -> 2 oil\n  exchange b: 2 oil -> 2 nut\n"
            "  exchange c once per turn: 1 nut -> 4 oil\n  exchange d: 4 any base or 3 nut + 2 oil -> 1 any base"
        ),
    ),
    Check(
        "exchange-unknown",
        (
            Case("exchanges e from shed:\n  exchange a: (coins) nut -> 1 oil  #!"),
            Case("function f -> cost of Part = 2 nut\nexchanges e from shed:\n  exchange a: f -> 1 oil  #!"),
            Case("exchanges e from shed:\n  exchange a: 3 nut -> 1 oil if hard else 1 nut  #!"),
        ),
        Case("exchanges e from shed:\n  exchange a once per phase: (coins) nut -> 1 oil"),
    ),
    Check(
        "pay-unpaid",
        (
            Case("rule r: pay 1 nut from shed  #!"),
            Case("rule r:\n  if can pay 1 oil from shed: pay 1 nut from shed  #!"),
            Case("rule r:\n  if can pay 1 nut from shed or hard: pay 1 nut from shed  #!"),
            Case("rule r:\n  if can pay 1 nut from shed:\n    pay 1 nut from shed\n    pay 1 nut from shed  #!"),
            Case("rule r:\n  if can pay 1 nut from shed:\n    repeat 2 times: pay 1 nut from shed  #!"),
            Case("rule r:\n  if can pay 1 nut from shed:\n    as next: pay 1 nut from shed  #!"),
            Case("rule r:\n  choose:\n    a when hard:\n      pay 1 nut from shed  #!\n    b: pass"),
            Case(
                "rule r:\n  choose:\n    a(paying 1 oil or 2 nut from shed) when can pay 1 nut from shed:\n"
                "      pay 1 nut from shed  #!\n    b: pass"
            ),
        ),
        Case(
            "rule r:\n  if can pay 1 nut from shed and not hard: pay 1 nut from shed\n"
            "  pay 1 nut from shed: coins += 1\n  else: pass\n"
            "  choose:\n    a(c in hand) when can pay (c.value) nut from shed: pay (c.value) nut from shed\n"
            "    d(c in hand, let n = c.value, paying (n) nut or (2 * n) oil from shed): coins += n\n    b: pass"
        ),
    ),
    Check(
        "pay-capacity",
        (
            Case("rule r:\n  if can pay 1 nut from shed: pay 1 nut from shed to next.shed  #!"),
            Case("rule r:\n  pay 1 nut from shed to next.shed:  #!\n    pass\n  else: pass"),
            Case("rule r:\n  choose:\n    a(paying 1 nut from shed to next.shed): pass  #!\n    b: pass"),
        ),
        Case(
            "rule r:\n  if can pay 1 nut from shed: pay 1 nut from shed to next.box\n"
            "  choose:\n    a(paying 1 nut or 2 oil from shed to box): pass\n    b: pass",
            yaml=BOX,
        ),
    ),
    Check(
        "move-goods",
        (
            Case("rule r: move 1 nut from shed to next.shed secretly  #!"),
            Case("rule r: move shed from shed to next.shed at bottom  #!"),
            Case("rule r: move top of pile from pile to hand  #!"),
            Case("rule r: move hand from hand to trash  #!"),
            Case("rule r: move (random 1 of next.shed) from next.shed to shed secretly  #!"),
        ),
        Case("rule r:\n  move 1 nut from shed to next.shed\n  move shed from shed to box", yaml=BOX),
    ),
    Check(
        "scenario-players",
        (
            Case(scenario="players: 5"),
            Case(scenario="players: 1"),
            Case(scenario="players: 7"),
        ),
        Case(scenario="players: 3"),
    ),
    Check(
        "scenario-option",
        (
            Case(scenario="options: {deck: 9}"),
            Case(scenario="options: {dek: 8}"),
            Case(scenario="options: {hard: 1}"),
        ),
        Case(scenario="options: {deck: 10, hard: true}"),
    ),
)
