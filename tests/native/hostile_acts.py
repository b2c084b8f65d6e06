"""Rulesets of hostile acts, of which each game chooses: endless ones, deep ones, ones that count too far, take from
what is empty, put into what is full, ask for more than there is.

Enters: nothing. Leaves: `RULESETS`, the texts of whole rulesets by name.
"""

from __future__ import annotations

FUEL = 30_000
"""So much work is enough: the interpreter takes long for more."""
RARE = set(
    """
    endless endless_of_numbers loops members many_times beyond_64_bits beyond_64_bits_at_last divide deep deep_twice
    deep_in_turn looked_through at_once win forever end gain_much gain_more gain_less_than_nothing
    lose_less_than_nothing pay_many_wilds pay_far_too_much choose_many_goods long_lines very_many_places take claim
    below_the_range above_the_range beyond_the_range rest divide_down double waiting load several_too_many out
""".split()
)
"""What ends a game, or takes long, is offered seldom, so that games come to other things too."""
HEAD = f"rulelang: 2\nname: g\nplayers: 2..3\nlimits: {{decisions: 60, fuel: {FUEL}}}\n"


def ruleset(nouns: str, acts: dict[str, str], rules: str = "") -> str:
    """A ruleset whose players do one of these acts in each of their turns."""
    lines = ["play:", "  repeat 40 times:", "    for p in players:", "      turn of p:"]
    lines += ["        mood := roll 1 to 40", "        choose:"]
    lines += [f"          {name}{' when mood = 1' * (name in RARE)}: act_{name}()" for name in acts]
    for name, act in acts.items():
        lines += [f"rule act_{name}:", *(f"  {line}" for line in act.split("\n"))]
    return f"{HEAD}{nouns}rules: |\n" + "".join(f"  {line}\n" for line in lines + rules.strip().split("\n"))


NUMBERS = """\
variables:
  mood: {type: 0..40}
  n: {type: 0..999999999999}
  i: {type: -5..5, start: 0}
  big: {type: -999999999999999999..999999999999999999, start: 1}
  small: {type: 0..9, per: player}
"""
NUMBER_ACTS = {
    "endless": "while n >= 0: n := n + 1 - 1",
    "endless_of_numbers": "while n >= 0: n := count(numbers(1, 900000))",
    "loops": "n := sum(sum(sum(c for c in numbers(1, 99)) for b in numbers(1, 99)) for a in numbers(1, 99))",
    "members": "let a = numbers(1, 3000)\nn := count(x for x in a where x in a)",
    "many_times": "repeat 1000000000000 times: pass",
    "less_than_no_times": "repeat i - 3 times: n := n + 1",
    "from_high_to_low": "n := n + count(numbers(3, i))",
    "extremes_of_nothing": "n := n + (max(x for x in numbers(3, i)) otherwise 7)",
    "beyond_64_bits": "big := 4000000000 * n",
    "beyond_64_bits_at_last": "big := sum(4000000000 * 1000000000 - x for x in numbers(1, 30))",
    "beyond_the_range": "small += 3",
    "below_the_range": "i -= 1",
    "above_the_range": "i += 1",
    "double": "big := big * 2",
    "negate": "big := -big - 1",
    "size": "n := abs(big) mod 999999999",
    "divide": "n := 7 div abs(i)",
    "divide_down": "i := (0 - 7) div (i + 3)",
    "rest": "i := 7 mod (i - 1)",
    "ladder": "n := {3: 6, 4: 900000000000} at (i + n)",
    "deep": "deeper(0)",
    "deep_twice": "twice(0)",
    "deep_in_turn": "ping(0)",
    "waiting": "wait_for(0)",
    "roll": "n := roll 5 to i + 5",
    "roll_much": "n := roll 0 to 999999999999",
    "numbers_much": "n := choose a number from 0 to 999999999999",
    "numbers_none": "let x = choose a number from 3 to i else return\nn := x",
    "numbers_some": "i := choose a number from i to 5",
    "several_much": "let x = choose any of numbers(1, 60)\nn := count(x)",
    "several_too_many": "let x = choose any of numbers(1, 700)\nn := count(x)",
    "several_more_than_there_are": "let x = choose 5 of numbers(1, 3)\nn := count(x)",
    "several_less_than_none": "let x = choose i - 1 to i + 1 of numbers(1, 3)\nn := count(x)",
    "looked_through": """\
choose:
  a(x in numbers(1, 999), y in numbers(1, 999), z in numbers(1, 99)) when x + y + z > 5: n := x
  b: n := 1""",
    "at_once": "let x = together choose a number from 0 to 999999999999\nn := sum(x[p] for p in players) div 9",
    "win": "end the game won by you",
    "out": "if count(players) > 1: eliminate you",
}
NUMBER_RULES = """
rule deeper(x: number) up to 60 deep: deeper(x + 1)
rule twice(x: number) up to 60 deep:
  if x < 40: twice(x + 1)
  if x < 40: twice(x + 1)
rule ping(x: number) up to 60 deep:
  n := x
  pong(x + 1)
rule pong(x: number):
  if x < 70 + i: ping(x)
rule wait_for(x: number) up to 70 deep:
  let more = choose a number from 0 to 9
  if more < 9: wait_for(x + 1)
score first: n
score second: big
"""

CARDS = """\
kinds:
  Card: {attributes: {value: 0..99}, start: deck}
  Robot: {identity: true, start: home, variables: {load: {type: 0..3}}}
pieces:
  Card: [{id: a, value: 1, count: 900}, {id: b, value: 2, count: 3}, {id: c, value: 3}, {id: d, value: 4}]
  Robot: [{id: robot, per: player}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  gone: {holds: Card, order: pile, visible: all}
  empty: {holds: Card, order: pile, visible: all}
  unseen: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  few: {holds: Card, capacity: 2}
  none_at_all: {holds: Card, capacity: 0}
  table: {holds: Card}
  home: {holds: Robot}
  away: {holds: Robot, capacity: 1}
variables: {mood: {type: 0..40}, n: {type: 0..999999999999}}
"""
CARD_ACTS = {
    "draw_all": "draw count(deck) from deck to hand",
    "draw_too_many": "draw 99999 from deck to hand",
    "draw_less_than_none": "draw count(hand) - 5 from deck to table",
    "draw_many": "draw 300 from deck to table",
    "draw_nothing": "draw 3 from empty to table",
    "fill": "draw 1 from deck to few",
    "overfill": "draw 3 from deck to few",
    "fill_nothing": "draw 1 from deck to none_at_all",
    "move_all": "move table to hand",
    "move_all_into_few": "move table to few",
    "move_itself": "move table to table",
    "pile_itself": "move top 3 of deck to deck at bottom",
    "shuffle": "move table to deck\nshuffle deck",
    "shuffle_nothing": "shuffle unseen",
    "top_of_nothing": "let c = top of empty else return\nmove c to hand",
    "top_of_many": "move top 5000 of deck to gone",
    "bottom": "move bottom of deck to gone",
    "read": "n := (top of deck).value otherwise 0",
    "read_all": "n := sum(c.value for c in deck)",
    "back": "move gone to deck\nshuffle deck",
    "choose_one": "let c = choose one of hand else return\nmove c to gone",
    "choose_any": "let c = choose any of hand\nmove c to gone",
    "choose_many": "let c = choose 5 of table\nmove c to gone",
    "choose_alike": "let c = choose any of table where it.value = 1\nmove c to deck at bottom",
    "choose_down_to_less_than_none": "let c = choose down to count(few) - 2 of hand\nmove c to gone",
    "random": "let c = random one of hand else return\nmove c to table",
    "look_through": "n := count(x for x in table where count(y for y in table where y.value > x.value) > 1)",
    "group": "n := sum(count(g) * g.key for g in table grouped by value)",
    "forever": "while count(table) >= 0: move table to table",
    "together": "let x = together choose one of hand\nn := count(players)",
    "there": "for r in home: move r to away",
    "here": "move away to home",
    "load": "for r in home: r.load += 1",
    "end": "end the game",
}

PARTS = """\
types: {Part: {values: [z, b, c, d, e, f, g, h]}}
variables:
  mood: {type: 0..40}
  all_of_them: {type: bag of Part, start: 9 z + 9 b + 9 c + 9 d + 9 e + 9 f + 9 g + 9 h}
  q: {type: bag of Part, per: player, start: 2 z + 1 b}
  r: {type: bag of Part, per: player, capacity: {each: 2, total: 5}}
  n: {type: 0..999999999999}
"""
WILDS = "2 (z or b or c) + 2 (b or c or d) + 2 (c or d or e) + 2 (d or e or f) + 2 (f or g) + 3 (z or h)"
PART_ACTS = {
    "gain": "q += 1000 z",
    "gain_much": "q += 900000000000000000 * 1 z",
    "gain_more": "q += (n) z + (n) b + 400000000 c",
    "gain_less_than_nothing": "q += (n - 5) z",
    "lose": "q -= 9999 z",
    "lose_less_than_nothing": "q -= (n - 5) b",
    "overfill": "r += 2 z + 2 b + 2 c + 2 d",
    "overfill_chosen": "r += 3 any Part",
    "pay_too_much": "if can pay 30 h from q: pay 30 h from q",
    "pay_any": "if can pay 2 any Part from all_of_them: pay 2 any Part from all_of_them",
    "pay_identical": "if can pay 2 identical Part + 1 (z or b) from q: pay 2 identical Part + 1 (z or b) from q",
    "pay_from_both": "if can pay 2 any Part + 1 b from q + r: pay 2 any Part + 1 b from q + r",
    "pay_many_wilds": f"if can pay {WILDS} from all_of_them: pay {WILDS} from all_of_them",
    "pay_many_identical": "if can pay 30 * 2 identical Part + 2 any Part from all_of_them: n := 1",
    "pay_far_too_much": "if can pay 1000000000 * 2 identical Part from all_of_them: n := 1",
    "pay_n_times": "if can pay (n) any Part from q: pay (n) any Part from q",
    "choose_goods": "q += 3 any Part",
    "choose_many_goods": "q += 1000000 any Part",
    "choose_some_of_them": "let x = choose 3 of all_of_them\nq += x",
    "count": "n := count(all_of_them) + count(q)",
    "trade": "trade swap(you)",
}
PART_RULES = """
exchanges swap(s: player) from s.q + s.r:
  exchange one: 2 any Part -> 1 z
  exchange two: 3 identical Part -> 1 h
score parts: count(q)
score all: q.z * 1000000007
"""

GRIDS = """\
grids: {A: {columns: 3, rows: 3}, B: {columns: 64, rows: 64}}
kinds: {Robot: {identity: true, start: home}, Stone: {start: quarry}}
pieces: {Robot: [{id: robot, per: player}], Stone: [{id: stone, count: 20}]}
zones:
  home: {holds: Robot, per: player}
  board: {holds: Robot, per: A, capacity: 1}
  stones: {holds: Stone, per: A, capacity: 2}
  quarry: {holds: Stone}
variables: {mood: {type: 0..40}, v: {type: 0..3, per: A}, n: {type: 0..999999999999}}
"""
GRID_ACTS = {
    "lines": "n := count(l for l in lines(A, 3) where all(v[x] > 0 for x in l))",
    "long_lines": "n := count(l for l in lines(B, 4) where any(x.column > 60 for x in l))",
    "no_lines": "n := count(lines(A, 9))",
    "all_places": "n := sum(v[x] for x in A)",
    "very_many_places": "n := sum(sum(distance(x, y) for y in B) for x in B)",
    "put": "let x = choose one of A where v[it] < 3 else return\nv[x] += 1",
    "take": "let x = choose one of A\nv[x] -= 1",
    "enter": "let x = choose one of A where board[it] is empty else return\nmove robot to board[x]",
    "enter_in_spite": "let x = choose one of A\nmove robot to board[x]",
    "walk": """\
let x = cell of robot else return
let d = choose one of orthogonal where toward(x, it) is not none else return
let y = toward(x, d) else return
move robot to board[y]""",
    "outside": "let x = cell_at(A, n, 3 - n) else return\nv[x] += 1",
    "region": "n := count(region(a1, A where v[it] = 0))",
    "large_region": "n := count(region(a1, A where board[it] is empty)) + count(x for x in B where on_edge(x))",
    "rays": "n := sum(sum(count(ray(x, d)) for d in Direction) for x in A)",
    "far": "n := max(distance(x, a1) for x in A where v[x] > 2) otherwise 0",
    "stone": "let x = choose one of A\nlet s = choose one of quarry else return\nmove s to stones[x]",
    "all_stones": "move quarry to stones[b2]",
}

RULESETS = {
    "numbers": ruleset(NUMBERS, NUMBER_ACTS, NUMBER_RULES),
    "cards": ruleset(CARDS, CARD_ACTS, "setup: shuffle deck\nscore hand: count(hand)"),
    "parts": ruleset(PARTS, PART_ACTS, PART_RULES),
    "grids": ruleset(GRIDS, GRID_ACTS, "score all: n"),
}
