"""Small wrong texts, each for a message that no other table has: what they say stands in `words.txt`.

Each key is a code. `RULES` are rulesets that add to the base of `tests/semantics/case.py`, `NOUNS` what stands after the head of a `ruleset.yaml`,
`SYNTAX` what stands after the version of a `.rule` file, `VALUES` texts of a single value or type.
"""

from __future__ import annotations

from tests.lints.game import Edit, edit
from tests.semantics.case import Case

F, B, R = "function f -> number = ", "function f -> bool = ", "rule r: "
MENU = "play:\n  for p in players:\n    turn of p:\n      choose:\n        "
RIM = ("Square: {columns: 3, rows: 3}", "Square: {columns: 3, rows: 3, edges: {name: Rim}}")
COAST = ("Square: {columns: 3, rows: 3}", "Square: {columns: 3, rows: 3, corners: {name: Post}}")
ORE = "types: {Ore: {values: [tin]}}\nvariables: {hoard: {type: bag of Ore, per: player}}"
POSITION = "positions: {place: {of: [spot], most: 9}, own: {of: [you, spot], most: 9}, shy: {of: [secret], most: 9}}"
LINES = (
    'variables: {may: {type: bool, per: player}, who: {type: "player?"}}\n'
    'notation: {position: "{board} {who} {may}", signs: {board: {crate: c, bot: Bbde}, who: ab, may: Mm}}'
)
LOUD = "hard: {type: bool, default: false}"


def scenario(given: str, then: str = "over: true", rules: str = "", yaml: str = "") -> Case:
    return Case(rules, yaml, tests=f"given: {{{given}}}\nwhen: []\nthen: [{{{then}}}]")


RULES: dict[str, tuple[Case, ...]] = {
    "syntax-word": (Case("ability use(card: Card, who: player): pass", piece="(you)"),),
    "capacity-start": (
        Case(yaml="variables: {box: {type: bag of Part, per: player, capacity: {total: 3}, start: 2 nut + 2 oil}}"),
    ),
    "choice-together": (Case("play:\n  let x = together choose one of (hand grouped by colour)"),),
    "attribute-unknown": (Case(B + "first.crate is none"),),
    "name-misused": (Case(F + "place", yaml=POSITION),),
    "call-arguments": (
        Case(F + "seen(1 + 1)", yaml=POSITION),
        Case(F + "count(hand, bank)"),
        Case(F + "sum(hand.value, 1)"),
        Case("event gain(c: Card, n: number): pass\ninstead of gain(c): proceed(c, 1)"),
        Case("event gain(c: Card, n: number): pass\ninstead of gain: proceed(1)"),
    ),
    "call-misplaced": (
        Case("score s: mean(n for n in shared_ranks(you))"),
        Case("score s: 1\npayoff: mean(n for n in [1, 2])"),
        Case("payoff: rank(you)\nevent e: pass\nrule r: e()", piece="after e: pass"),
    ),
    "call-unknown": (
        Case(F + "hard()"),
        Case(F + "hand()"),
        Case(rules="rule s: pass\nrule u: pass", over="remove rule s\nrule t: s()"),
    ),
    "choice-misplaced": (
        Case(R + "coins += 1 by first"),
        Case("function f -> number:\n  let x = choose one of hand\n  return 1"),
        Case(F + "(choose one of [1, 2])"),
    ),
    "exchange-unknown": (
        Case("exchanges e from shed:\n" + "".join(f"  exchange a{n}: 5 any base -> {n} any base\n" for n in range(1, 9))),
        Case(f"exchanges e from shed:\n  exchange a: {' + '.join(['(1 nut or 1 oil)'] * 9)} -> 9 nut"),
    ),
    "grid-none": (
        Case(B + "edge(a1, b1) is none"),
        Case(B + "corner(a1, northeast) is none"),
        Case(yaml="zones: {gate: {holds: Card, per: player, beside: way}}\nvariables: {way: {type: Direction, per: player}}"),
    ),
    "grid-place": tuple(
        Case(swap=("{columns: 3, rows: 3}", f"{{columns: 3, rows: 3, {part}: {{name: Rim, at: {{{name}: {{}}}}}}}}"))
        for part, name in (
            ("corners", "d4_northwest"), ("corners", "a1_north"), ("corners", "a1_nrthwest"), ("corners", "b2_northwest"),
            ("edges", "a1_west"), ("edges", "b1_west"), ("edges", "a1_a3"),
        )
    ),
    "name-duplicate": (
        Case("rule base: pass"),
        Case(MENU + "a(paying 1 nut from shed, paying 1 oil from shed): pass\n        b: pass"),
        Case("exchanges e from shed:\n  exchange a: 2 nut -> 1 oil\nexchanges e from shed:\n  exchange b: 2 nut -> 1 oil"),
    ),
    "index-extra": (
        Case(tests='given: {players: 2}\nwhen: []\nthen: ["seat(0).hand[0] is low"]'),
        Case(F + "count([1, 2][0])"),
        Case("rule r: (players where it.coins > 0)[0].coins += 1"),
    ),
    "name-reserved": (Case("function f(owner: Card) -> number = 1"),),
    "name-unknown": (
        Case(R + "remember plaice", yaml=POSITION),
        Case(B + "b2_northwest.cells is empty", swap=COAST),
        Case(B + "d4_northwest.cells is empty", swap=COAST),
        Case(B + "b2_north.cells is empty", swap=COAST),
        Case(B + "a1_west.cells is empty", swap=RIM),
        Case(R + "forget place"),
        Case("event e(p: player, n: number) by n: pass\nrule r: e(first, 1)"),
        Case(F + "value"),
        Case(F + "it"),
        Case("function f -> list of Card = [low]"),
        Case(F + "a", yaml="", play="score a: 1\nplay: pass\n"),
        Case(piece="exchange melt: 1 nut -> 1 oil"),
        Case(piece="exchange melt in x: 1 nut -> 1 oil"),
        Case(yaml="zones: {bag: {holds: Card, carried_by: crate}}"),
        Case(yaml="zones: {gate: {holds: Card, shown: [worth_of]}}"),
        Case(yaml="pieces: {Chip: [{id: x, size: 1, start: cellar}]}"),
        scenario("players: 3, zones: {trash: [{piece: low, zzz: 1}]}"),
        scenario("players: 3", "lines: {zzz: [1, 2, 3, 0]}"),
    ),
    "range-outside": (
        Case("rule r: let x = random one of Colour weighted by -1"),
        Case(
            B + "count(c3_southeast.cells) = 1",
            swap=("columns: 3, rows: 3", "columns: 2 if hard else 3, rows: 3, corners: {name: Post}"),
        ),
        Case(
            tests='given: {players: 2, options: {hard: true}, zones: {"board[c1]": [crate]}}\nwhen: []\nthen: [{over: true}]',
            swap=("columns: 3, rows: 3", "columns: 2 if hard else 3, rows: 3"),
        ),
    ),
    "ruleset-unknown-name": (Case(yaml="untold: [zzz]"),),
    "rulebook-order": (
        Case(
            yaml="rulebook:\n  leaflet:\n    - {lines: 2, title: A, is: rule}\n    - {lines: 2, title: B, is: rule}",
            rules="[leaflet:2]\nscore a: 1",
        ),
    ),
    "scenario-option": (
        scenario("options: {zzz: 1}"),
        scenario("options: {coins: 5}"),
        scenario("options: {hard: yes}"),
        scenario("players: 3, options: {mode: b}", yaml="options: {mode: {values: [a, b], default: a, players: {b: [2]}}}"),
    ),
    "scenario-pieces": (
        scenario("zones: {trash: {top: [low]}}"),
        scenario("zones: {trash: rest, vault: rest}"),
        scenario("players: 2, zones: {trash: [3 smith]}"),
        scenario(
            "players: 2, zones: {trash: [rare]}",
            yaml="pieces: {Card: [{id: rare, colour: red, value: 1, count: 1 if hard else 0}]}",
        ),
    ),
    "ruleset-map": (Case(swap=("{columns: 3, rows: 3}", "{columns: 3, rows: 3, letters: abcdefga}")),),
    "scenario-position": (
        Case(yaml='notation: {position: "{zzz}"}'),
        Case(yaml='notation: {position: "{stock}"}'),
        scenario("position: 3/3/3"),
        Case(yaml='notation: {position: "{mood}", signs: {bank: ab}}'),
        Case(yaml='notation: {position: "{mood}", signs: {mood: {red: r, blue: r}}}'),
        Case(yaml='variables: {may: {type: bool, per: player}}\nnotation: {position: "{may}"}'),
        Case(yaml='notation: {position: "{board}", signs: {board: {crate: c}}}'),
        Case(yaml='notation: {position: "{board}", signs: {board: {crate: c, bot: b}}}'),
        *(scenario(f"position: {line}", yaml=LINES) for line in ("3/3", "4/3/3", "x2/3/3", "3/3/3 x", "3/3/3 - (", "3/3/3 - x")),
    ),
    "type-mismatch": (
        Case(F + "count(hand with most it.colour)"),
        Case(F + "count(hand sorted by fewest it.value then most [red, it.colour])"),
        Case(F + "count(players with most it.next)"),
        Case(F + "count(runs(hand by it.colour))"),
        Case(F + "count(subsets(hand grouped by colour, 2))"),
        Case(B + "[red] < [blue]"),
        Case(B + "max(red, blue) = red"),
        Case(B + "red < blue"),
        Case(F + "{1: 2, blue: 3} at coins"),
        Case(F + "{1: 2, blue: 3} at mood"),
        Case(F + "{rod: 2, blue: 3} at mood"),
        Case("function f(p: player) -> number = {red: 1, else: 2} at p"),
        Case(F + "{red: 1, else: [1]} at mood"),
        Case("function f(s: Side) -> number = {red: 1, else: 2} at s"),
        *(
            Case(F + value)
            for value in (
                "count(1)", "count(coins in hand)", "sum(n for n in coins)", "min(coins)", "count(distinct(lines(Square, 2)))",
                "count(distinct(coins))", "count(reachable(hand by [it]))", "abs(red)", "count(seat(true).hand)", "total_score(red)",
                "count(numbers(red, 1))", "count(players_from(red))", "max(1, red)", "count([1, red])", "count(coins where it > 1)",
                "count(coins with most it)", "count(coins grouped by value)", "count(hand grouped by held)", "count(top 2 of coins)",
                "count(top of lines(Square, 2))", "leader otherwise 1", "count([] if hard else 1)", "stock[1]", "shed[red]",
                "{1: 2, 3: 4} at red", "count(distinct(hand by it.held))", "count(distinct(c.held for c in hand))", "count(ray(a1, red))", "distance(a1, red)", "count(region(a1, red))",
            )
        ),
        *(
            Case(B + value)
            for value in (
                "leader", "1 < shed", "alike(1, 2)", "alike(hand, [red])", "1 in 2", "1 = hand", "1 nut in shed", "not 1", "red or (1 = 1)", "hard or 1", "red = hand", "[red] = red",
                "top of tableau is low", "cell of 1 is none", "cell_at(Square, red, 1) is none", "cell_at(Square, 1, red) is none",
                "toward(a1, red) is none",
            )
        ),
        *(
            Case(R + statement)
            for statement in (
                "mood += 1", "leader -= 1", "mark frozen until after turn of red", "eliminate 1", "draw 1 from red to trash",
                "draw 1 from pile to red", "shuffle red", "let x = random one of lines(Square, 2)", "let x = random one of coins",
                "let x = choose a number from red to 3", "let x = choose a number from 1 to red", "end the game with red",
            )
        ),
        Case(B + "loud", swap=(LOUD, f"{LOUD}, loud: {{values: [yes_, no], default: no}}")),
        Case(B + "loud", swap=(LOUD, f"{LOUD}, loud: {{values: [much, little], default: much}}")),
        Case(B + "edge(a1, red) is none", swap=RIM),
        Case(B + "corner(a1, b1) is none", swap=COAST),
        Case(B + "turned(a1, b1, 2) = north", swap=COAST),
        Case(B + "turned(a1, north, red) = north", swap=COAST),
        Case(B + "count(neighbours(1)) = 2", swap=COAST),
        Case(B + "count(neighbours(red)) = 2", swap=COAST),
        Case(B + "edge(a1, a9) is none", swap=RIM, yaml="grids: {Map: {columns: 2, rows: 9}}"),
        Case(swap=("columns: 3, rows: 3", "columns: hard, rows: 3")),
        Case(swap=("columns: 3, rows: 3", "columns: 3, rows: hard")),
        Case(R + "shed := 1 nut + 1 tin", yaml=ORE),
        Case(R + "pay 1 nut from shed + hoard", yaml=ORE),
        Case("function f -> cost of Part = (1 any base + 1 nut) - (1 any base)"),
        Case("function f -> cost of Part = 1 nut or 1"),
        Case("function f -> Direction = opposite(red)"),
        Case("winner: all when 1"),
        Case("play:\n  let x = together choose one of hand\n  mood := x"),
        Case("play:\n  let x = together choose a number from 1 to 3\n  for p in players: p.coins := x"),
        Case(R + "s(red)\nrule s(n: number): pass"),
        Case(swap=('start: "board[a1]"', "start: red")),
        Case("function worth_of(n: Family) -> number = 1", yaml="zones: {gate: {holds: Card, shown: [worth_of]}}"),
        Case(yaml="zones: {gate: {holds: Card, per: [player, Colour, Family], beside: way}}"),
        Case(yaml="zones: {gate: {holds: Card, per: [player, Colour, Family], beside: coins}}"),
        scenario("zones: {red: [low]}"),
        scenario('variables: {"seat(0).shed": red}'),
    ),
    "type-unclear": (Case(B + "leader != none"), Case(B + "leader = none")),
    "type-unknown": (Case("rule f() -> None: pass"), Case("function f(x: string) -> number = 1"), Case("function f(x: list) -> number = 1")),
    "value-absent": (
        Case(F + "{a1: 1, else: 2} at spot"),
        Case("function g -> list of Card = leader.hand"),),
    "visibility-leak": (
        Case("rule r:\n  remember shy\n  if seen(shy) > 1: pass", yaml=POSITION),
        Case("play:\n  as (first if secret = 1 else leader otherwise first): let c = choose one of trash"),
    ),
    "words-field": (Case(yaml="words: {en: {Card: {row: 'card {number}'}}}"),),
    "words-unknown": (Case(yaml="words: {en: {zzz: a}}"),),
    "you-missing": (
        Case("setup: remember own", yaml=POSITION),
        Case("play:\n  arrange shown by charge"),
        Case("event gain(c: Card): pass\nmay after gain(c): coins += 1"),
        Case("function s -> number = coins", tests='given: {}\nwhen: []\nthen: ["s() = 1"]'),
    ),
}  # fmt: skip

SPOKEN = "name: market_day\n"
LINTS: dict[str, tuple[Edit, ...]] = {
    "words-missing": (
        edit((SPOKEN, f"{SPOKEN}languages: [en, xx]\n")),
        edit((SPOKEN, f"{SPOKEN}languages: [xx]\nwords: {{xx: {{hand: a}}}}\n")),
        edit((SPOKEN, f"{SPOKEN}about: {{goal: {{text: {{en: x}}}}}}\nlanguages: [en, xx]\n")),
        edit((SPOKEN, f"{SPOKEN}languages: [en, fr]\n")),
        edit((SPOKEN, f"{SPOKEN}languages: [fr, en]\nwords: {{fr: {{hand: main}}}}\n")),
    ),
}
"""Edits of the game of `tests/lints`."""

NOUNS: dict[str, tuple[str, ...]] = {
    "name-reserved": (
        "grids: {G: {columns: 2, rows: 2, edges: {name: E, attributes: {cells: number}}}}",
        "grids: {G: {columns: 2, rows: 2, attributes: {corners: number}, defaults: {corners: 1}, corners: {name: E}}}",
        "grids: {G: {columns: 2, rows: 2, edges: {name: F}, corners: {name: E, attributes: {edges: number}}}}",
    ),
    "ruleset-map": (
        "grids:\n  G:\n    legend: {'.': {}}\n    map:\n      zzz:\n        a: |\n          .",
        f"grids:\n  G:\n    legend: {{'.': {{}}}}\n    map: |\n      {'.' * 70}",
        "grids: {G: {columns: 3, rows: 3, letters: abcdefga}}",
    ),
    "ruleset-option": ("options: {m: {values: [a], default: a, players: {a: [2, 3]}}}",),
    "ruleset-unknown-name": ("kinds: {Card: {attributes: {value: 1..3}, shown: [zzz]}}",),
    "schema-empty": ("zones: {deck: null}", "variables:\n  x:\n  type: 0..9\n  per: player", "variables:\n  x:\n  type: 0..9"),
    "schema-form": ("options: {m: {values: [a], type: bool, default: a}}", "languages: [\"4\"]", "languages: [english]"),
    "schema-missing": ("kinds: {Card: {}}\npieces:\n  Card:\n    - low: {count: 2}",),
    "schema-type": (
        "variables: {x: {type: [a, b]}}",
        "pieces: {Card: {low: {count: 3}}}",
        "options: {size: [2, 3]}", "options: {size: 3}", "limits: 200", "types: [red, blue]", "languages: {a: b}", "variables: {x: {type: {bag: Part}}}",
        "options: {size: {values: 2-4, default: 2}}", "variables: {x: 9}", "variables: {x: true}", "limits: {decisions: two}", "title:\n  - a",
        "pieces:\n  Card:\n    - {id: a, rules: [after b: stop]}", "kinds: {Card: {attributes: [colour, value]}}",
        "title: {a: b}",
    ),
    "schema-unknown-key": (
        "zones: {deck: {holds: Card, shuffled: true}}", "limits: {turns: 50}",
        "zones: {deck: {holds: Card, perPlayer: true}}", "variables: {x: {min: 0, max: 9}}",
        "scenarios: [a]", "remove: a", "description: abc", "min_players: 2", "grids: {G: {name: x, columns: 1, rows: 1}}", "kinds: {Card: {}}\nzones: {deck: {holds: Card, pile: true}}"),
    "yaml-anchor": ("title: *x",),
    "yaml-escape": ('title: "\\u202e"',),
    "yaml-several-lines": ("variables:\n  x: {type: 0..9, start: [1,\n    2]}",),
    "yaml-syntax": (
        "pieces:\n  Card:\n    {id: a}\n    {id: b}",
        "title: & x", 'title: "\\q"', 'title: "\\x1"', "title: |x\n  a", "title: [a: b: c]", "title: [a,,b]", "title: ? a",
        "title: `a", "title: !x!y z", 'title: "\\UFFFFFFFF"', "zones:\n  a: {holds: C},", "title: a: b", "title: a\n%YAML 1.2", 'title: "a": b', 'title: "a" b', "title: [a]\n  b",
        "&a b", 'title: "a', "title: a\n- c", "title: {a: [b}", "title: {a: b: c}",
        "pieces:\n  Card:\n    - {id: a}\n    b: {count: 3}", "zones:\n  - deck\n  hand: {holds: Card}",
        "zones:\n   deck: {holds: Card}\n  hand: {holds: Card}", "rules: play: pass", "limits:\n  decisions: 3\n    outcome: scores",
        "variables: {x: {type: >=0}}", "title: {en: @a}", "pieces:\n  Card:\n    - {id: a} * 3", "pieces:\n  Card:\n    - {id: a} b", "kinds:\n  Card {active: [a]},\nzones: {}", "pieces:\n  Card:\n    - id: a\n    count: 3", "languages: [@a]",
    ),
}  # fmt: skip

SYNTAX: dict[str, tuple[str, ...]] = {
    "syntax-misplaced": ("event e(let x = 1, n: number): pass",),
    "syntax-assign": ("play:\n  x = choose one of hand", "play:\n  (a) = 3", "play:\n  x := a := 3"),
    "syntax-call": ("play:\n  c.go(1)",),
    "syntax-character": ("play:\n  let café = 3", "play:\n  let 漢字 = 3", "play:\n  x := 3 “"),
    "syntax-citation": (
        "play:\n  [a:1]\n  x := 3",
        "score x: 1 [a:1]",
        "score x: 1\n[a:1]",
        "play:\n  if a: stop\n  [a:1]\n  else: stop",
    ),
    "syntax-colon": ("score a 1", "play:\n  choose:\n    a paying 1 nut from shed if b: pass"),
    "syntax-depth": (f"score x: {'(' * 200}1{')' * 200}",),
    "syntax-keyword": ("play:\n  while := 3",),
    "syntax-former": ("rule f(x: set of Card): pass", "after e for owner: pass", "play:\n  let x = choose a Colour"),
    "syntax-missing": ("play:\n  if hand not empty: stop", "play:\n  let x = choose number from 1 to 3"),
    "syntax-unexpected": (
        "play:\n  choose:\n    a: pass\n    3: pass",
        "play:\n  coins += hand nut",
        "play:\n  for n in 1..x: pass",
        "play:\n  let x = first of hand",
    ),
    "syntax-word": ("play:\n  elif", "play: pass\n    pass", "play:\n  shufle:\n    stop"),
}

PARTS: dict[str, tuple[tuple[str, str], ...]] = {
    # what the text is of, and the text
    "syntax-missing": (("type", "1 to 3"),),
    "syntax-unexpected": (("value", "1 2"), ("type", "number or bool"), ("value", "a ? b : c")),
    "syntax-version": (("rules", "rulelang 2\nplay: pass"),),
    "syntax-word": (("piece", "setup: pass"), ("piece", "zzz")),
}
