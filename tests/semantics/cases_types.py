"""Types: what fits where, what can be stored, what has no type."""

from __future__ import annotations

from tests.semantics.case import Case, Check

ORES = "types: {Ore: {values: [tin], classes: {soft: [tin]}}}\nvariables: {ores: {type: bag of Ore}}"

CHECKS = (
    Check(
        "type-mismatch",
        (
            Case("rule r: pay 1 nut and 1 any base from shed  #!"),
            Case("rule r: coins := true  #!"),
            Case("function f -> number = count(reachable(coins by [it]))  #!"),
            Case("function f -> number = count(reachable(a1 by numbers(1, it.row)))  #!"),
            Case("ability a(c: Card) -> number = 1", piece="on a(c) = red  #!"),
            Case("function f -> number = 1 + red  #!"),
            Case("function f -> bool = red = water  #!"),
            Case("function f -> bool = red < blue  #!"),
            Case("rule r: reveal stock[Colour]  #!"),
            Case("rule r: move top of pile to (trash if hard else none)  #!"),
            Case("rule r: move top of pile to ((trash if hard else none) otherwise shown)  #!"),
            Case("function f(g: group of Card by colour) -> number = 1\nfunction h -> number = f(hand)  #!"),
            Case("function f(g: list of Card) -> bool = g.colour = red  #!"),
            Case("rule r: move hand to bank  #!"),
            Case(
                "rule r(p: player): marked[p, red] := true  #!",
                yaml="variables: {marked: {type: bool, per: [player, Colour]}}",
            ),
            Case("rule r:\n  as first:\n    if you: pass  #!"),
            Case("function f -> number = count(coins sorted by most it)  #!"),
            Case("function f -> number = count(runs(coins by it))  #!"),
            Case("function f -> number = count(subsets(coins, 2))  #!"),
            Case("function f(c: Card) -> number = c  #!"),
            Case("function f -> number = sum(hand)  #!"),
            Case("rule r: let c = choose one of coins  #!"),
            Case("rule r: let c = choose one of lines(Square, 2)  #!"),
            Case("rule r: shed += 1  #!"),
            Case("function f -> bool = 1 in hand  #!"),
            Case("function f -> bool = coins is low  #!"),
            Case("rule r: draw 1 from pile to bank  #!"),
            Case("rule r:\n  turn of 1: pass  #!"),
            Case("function f -> number = 1 if hard else red  #!"),
            Case("rule r: pay 1 nut from coins  #!"),
            Case("rule r: move 1 nut from coins to shed  #!"),
            Case("rule r: move 1 nut from shed to hand  #!"),
            Case("rule r: move 1 nut from shed to tableau.held  #!"),
            Case("rule r: move 1 nut to shed  #!"),
            Case("rule r: move 1 nut from shed to ores  #!", yaml=ORES),
            Case("rule r:\n  if can pay 1 nut from shed: pay 1 nut from shed to ores  #!", yaml=ORES),
            Case("rule r: shed += 1 tin  #!", yaml="types: {Ore: {values: [tin], classes: {ores: [tin]}}}"),
            Case("function f -> number = max([red, blue])  #!"),
            Case("function f -> list of Card = hand + bank  #!"),
            Case("rule r: arrange coins by charge  #!"),
            Case(yaml="types: {Kind: {attributes: {good: bool}, values: {one: {good: 3}}}}  #!"),
            Case(yaml="kinds: {Box: {start: bank}}  #!\npieces: {Box: [{id: box}]}"),
        ),
        Case("rule r:\n  coins := 1\n  shed += 1 nut\n  for c in hand + trash: move c to trash"),
    ),
    Check(
        "type-unknown",
        (
            Case("function f(c: Crad) -> number = 1  #!"),
            Case(yaml="variables: {x: {type: Foo}}  #!"),
            Case(yaml="variables: {x: {type: bag of Card}}  #!"),
            Case(yaml="zones: {box: {holds: Crad}}  #!"),
            Case(yaml="zones: {box: {holds: Card, per: Card}}  #!"),
            Case(yaml="pieces: {Crad: [{id: x, colour: red, value: 1}]}  #!"),
        ),
        Case("function f(c: Card, k: Family?) -> list of Part = []", yaml="zones: {box: {holds: Card, per: Family}}"),
    ),
    Check(
        "type-range",
        (
            Case("function f(n: 3..1) -> number = 1  #!"),
            Case(yaml="variables: {x: {type: 5..2}}  #!"),
            Case(yaml="variables: {x: {type: number}}  #!"),
        ),
        Case("function f(n: 1..1, m: number) -> number = 1", yaml="variables: {x: {type: -3..2}}"),
    ),
    Check(
        "type-stored",
        (
            Case(yaml="variables: {x: {type: cost of Part}}  #!"),
            Case(yaml="variables: {x: {type: list of Colour}}  #!"),
            Case(yaml="variables: {x: {type: Robot}}  #!"),
            Case(yaml="types: {Wall: {between: {2: [], 3: [[0, 1]], 4: [[0, 1]]}}}\nvariables: {x: {type: Wall}}  #!"),
            Case(
                yaml="types: {Wall: {between: {2: [], 3: [[0, 1]], 4: [[0, 1]]}}}\nvariables: {x: {type: Wall, per: Colour}}  #!"
            ),
            Case(yaml="grids: {Lone: {columns: 1, rows: 1, edges: {name: Path}}}\nvariables: {x: {type: Path}}  #!"),
            Case(
                yaml="grids: {Lone: {columns: 2 if hard else 1, rows: 1, edges: {name: Path}}}\n"
                "kinds: {Ant: {start: hill, variables: {on: {type: Path}}}}  #!\n"
                "pieces: {Ant: [{id: ant}]}\nzones: {hill: {holds: Ant}}"
            ),
        ),
        Case(yaml='variables: {x: {type: bag of Part}, y: {type: "Robot?"}}'),
        also=(
            Case(yaml="types: {Wall: {between: neighbours}}\nvariables: {x: {type: Wall}, y: {type: Wall, per: Wall}}"),
            Case(
                yaml="types: {Wall: {between: {2: [], 3: [[0, 1]], 4: [[0, 1]]}}}\n"
                'variables: {x: {type: "Wall?"}, y: {type: Wall, per: Wall}, z: {type: Path}, c: {type: Lone}}\n'
                "grids: {Lone: {columns: 3 if hard else 2, rows: 1, edges: {name: Path}}}"
            ),
        ),
    ),
    Check(
        "type-optional",
        (
            Case("function f -> bag of Part? = 1 nut  #!"),
            Case(yaml='variables: {x: {type: "bag of Part?"}}  #!'),
            Case("function f(c: cost of Part?) -> number = 1  #!"),
        ),
        Case("function f -> Card? = none", yaml='variables: {x: {type: "0..3?"}}'),
    ),
    Check(
        "type-unclear",
        (
            Case("rule r: let x = none  #!"),
            Case("rule r: let x = []  #!"),
            Case("rule r:\n  for x in []: pass  #!"),
            Case("function f -> bool = [] = []  #!"),
            Case("function f -> bool = leader = none  #!"),
            Case("rule r: reveal none if hard else none  #!"),
            Case("function f -> number = sum([])  #!"),
            Case("function f -> bool = leader in [none]  #!"),
        ),
        Case("function f -> list of Colour = []\nfunction g -> player? = none\nfunction h -> bool = players = []"),
    ),
    Check(
        "identity-needed",
        (
            Case(yaml='variables: {x: {type: "Chip?"}}  #!'),
            Case(yaml='variables: {x: {type: "Chip?", per: player}}  #!'),
            Case(yaml='kinds: {Box: {variables: {top: {type: "Chip?"}}}}  #!'),
        ),
        Case(yaml='variables: {x: {type: "Robot?"}, y: {type: "Card?"}}'),
    ),
    Check(
        "zone-order",
        (
            Case(
                "rule r: draw 2 at once from pile to stack  #!",
                yaml="zones: {stack: {holds: Card, order: pile, visible: all}}",
            ),
            Case("rule r: shuffle trash  #!"),
            Case("rule r: draw 1 from hand to trash  #!"),
            Case("rule r: move trash to hand at bottom  #!"),
            Case("rule r: move hand to trash at bottom  #!"),
            Case("rule r: shuffle bank  #!"),
        ),
        Case("rule r:\n  shuffle pile\n  draw 1 from pile to hand\n  move trash to pile at bottom"),
    ),
    Check(
        "grid-none",
        (
            Case("function f(c: Card) -> Square? = cell of c  #!"),
            Case("function f -> number = count(lines(Colour, 3))  #!"),
            Case("function f -> Square? = cell_at(hand, 1, 1)  #!"),
        ),
        Case("function f(b: Robot) -> Square? = cell of b\nfunction g -> number = count(lines(Square, 3))"),
    ),
    Check(
        "grid-place",
        (
            Case(swap=("3, rows: 3}}", "3, rows: 3, corners: {name: Post, at: {b1_west: {}}}}}  #!")),
            Case(swap=("3, rows: 3}}", "3, rows: 3, edges: {name: Rim, at: {a1_west: {}}}}}  #!")),
            Case(swap=("3, rows: 3}}", "3, rows: 3, corners: {name: Post, at: {d1_south: {}}}}}  #!")),
        ),
        Case(
            swap=(
                "{columns: 3, rows: 3}",
                "{columns: 2 if hard else 3, rows: 3, edges: {name: Rim, border: true, at: {c3_east: {}}},"
                " corners: {name: Post, at: {c3_southeast: {}}}}",
            )
        ),
    ),
    Check(
        "grid-lines",
        (
            Case("function f -> number = count(lines(Square, coins))  #!"),
            Case("function f(n: number) -> number = count(lines(Square, n))  #!"),
            Case("function f -> number = count(lines(Square, count(Square where it.column > coins)))  #!"),
        ),
        Case("function f -> number = count(lines(Square, Square.columns + 1))"),
    ),
    Check(
        "syntax-misplaced",
        (
            Case("rule r: s(n for n in [1])  #!\nrule s(n: number): pass"),
            Case("event e(n: number): pass\nrule r: e(n for n in [1])  #!"),
            Case("function f -> number = g(n for n in [1])  #!\nfunction g(n: number) -> number = n"),
        ),
        Case("function f -> number = max(n for n in [1]) + count(distinct(hand by it, it.value))"),
    ),
    Check(
        "lookup-order",
        (
            Case("function f -> number = {2: 1, 1: 2} at coins  #!"),
            Case("function f -> number = {1: 1, 1: 2} at coins  #!"),
            Case("score s: {0: 1, -1: 5} at coins  #!"),
            Case("score s: {red: 1, red: 5, else: 2} at mood  #!"),
            Case("score s: {else: 1, red: 5, else: 2} at mood  #!"),
        ),
        Case("score s: {-1: 1, 0: 5} at coins\nscore t: {blue: 1, red: 5} at mood"),
    ),
    Check(
        "lookup-rest",
        (
            Case("score s: {red: 1} at mood  #!"),
            Case("score s: {north: 1, south: 2} at opposite(north)  #!"),
            Case("score s: {a1: 1, b2: 2} at (cell_at(Square, 1, 1) otherwise a2)  #!"),
            Case("score s: {true: 1} at hard  #!"),
            Case("score s: {red: 1, else: 2, blue: 3} at mood  #!"),
            Case("score s: {0: 1, else: 2} at coins  #!"),
            Case("function f -> Colour = {1: red, 3: blue} at coins  #!"),
        ),
        Case(
            "score s: {red: 1, else: 2} at mood\nscore t: {8: 1, else: 2} at coins\n"
            "score u: {water: 1, market: 2} at water\nscore v: {false: 1, true: 3} at hard\n"
            "score w: {north: 1, east: 2, else: 3} at opposite(south)\n"
            "function f -> Colour = {0: red, 3: blue} at coins\nfunction g -> Colour? = {1: red, else: none} at coins"
        ),
    ),
    Check(
        "assign-target",
        (
            Case("rule r: hand := 1  #!"),
            Case("rule r:\n  let a = 1\n  a += 1  #!"),
            Case("rule r: frozen := true  #!"),
            Case("rule r: mark done until after turn  #!"),
            Case("rule r(n: number): n := 2  #!"),
            Case("exchanges e from tableau.held:  #!\n  exchange a: 2 nut -> 1 oil"),
        ),
        Case("rule r(c: Card):\n  c.charge := 2\n  mark frozen until after turn of you"),
    ),
    Check(
        "arrange-variable",
        (
            Case("rule r: arrange tableau by value  #!"),
            Case("rule r: arrange tableau by spent  #!"),
            Case("rule r: arrange tableau by held  #!"),
        ),
        Case("rule r: arrange tableau by charge where count(it) <= 2"),
    ),
    Check(
        "constant-state",
        (
            Case(yaml='variables: {x: {type: 0..99, start: "stock[red]"}}  #!'),
            Case(yaml="kinds: {Box: {}}\nzones: {bin: {holds: Box, capacity: count(trash)}}  #!"),
            Case(yaml="variables: {x: {type: 0..99, start: secret}}  #!"),
            Case("function f -> number up to secret deep = 1  #!"),
            Case(yaml='variables: {x: {type: 0..99, start: "sum(n for n in numbers(1, 9))"}}  #!'),
        ),
        Case(yaml='variables: {x: {type: 0..99, start: "deck + 2 * count(players)"}}'),
    ),
)
