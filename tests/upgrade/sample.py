"""A game as version 1 says it, and as version 2 does: rules, texts in YAML, a variant, scenarios with cases."""

from __future__ import annotations

FORMER = {
    "ruleset.yaml": """\
# A game of lamps.
rulelang: 1   # stays as it is laid out
name: lamps
players: 2
types:
  Colour: [red, blue, green]
# What is burnt.
resources:
    Fuel:    # two sorts
      values: [wick, wax]
      classes: {slow: [wax]}
kinds:
  Lamp:
    attributes: {colours: set of Colour, worth: 0..9}
    active: [hand]
    start: box
pieces:
  Lamp:
    - {id: dim, colours: [red], worth: 1, count: 2}
    - {id: lit, colours: '[red, blue]', worth: 3}
    - id: thief
      colours: '[]'
      worth: 0
      rules: |
        after given(lamp) for owner when lamp is dim or lamp is lit once per turn: owner.oil += 1  # its own
        instead of burn(who, n) for owner as whose:
          if n > 1: proceed(who, min(n, (1 + 2)))
          else: proceed
        before burn for owner.next as who: owner.oil += 1
        modify worth_of for owner as b: plus 1
        modify bonus for owner when (oil = 1 or oil = 2): plus 1
        modify bonus for owner when oil = 3 or oil = 4: plus 1
zones:
  box: {holds: Lamp}
  hand: {holds: Lamp, per: player}
variables:
  wish: {type: Colour, per: player, start: red}
  oil: {type: 0..99, per: player}
  stock: {type: bag of Fuel, per: player}
""",
    "lamps.rule": """\
rulelang 1

function of_colour(lamps: set of Lamp, c: Colour) -> set of Lamp =   # set of Lamp stays in comments
  lamps where c in it.colours

play:
  for p in players:
    turn of p:
      wish := choose a Colour where it != green else never   # not green
      let friend = choose   a player where it != you else never
      if some lamp = choose one of of_colour(box, wish): give(lamp, friend)

rule give(lamp: Lamp, friend: player):
  move lamp to friend.hand
  if can pay 1 any slow from friend.stock: friend.stock += 1 wick
  else: friend.stock += 1 wax
  given(lamp, friend)

event given(lamp: Lamp, whose: player): burn(whose, whose.next, lamp.worth)
event burn(who: player, whose: player, n: number): who.oil += n
quantity worth_of(lamp: Lamp, b: player) -> number = lamp.worth
quantity bonus -> number = 0

score lamps: sum(worth_of(x, you) for x in hand) + bonus + oil + stock.wick
""",
    "scenarios/basics.yaml": """\
rulelang: 1
scenarios:
  - name: takes $what
    given:
      do: "turn of seat(0): wish := choose a $what"
    then: [count(box) = 3]
    cases: [{what: Colour}, {what: Colour where it = red else never}]
""",
    "variants/two_wishes/ruleset.yaml": "rulelang: 1\nextends: lamps\nname: two_wishes\n",
    "variants/two_wishes/more.rule": "rulelang 1\nscore twice: count(of_colour(hand, wish))\n",
}
NOW = {
    "ruleset.yaml": FORMER["ruleset.yaml"]
    .replace("rulelang: 1", "rulelang: 2")
    .replace("set of", "list of")
    .replace("# What is burnt.\nresources:\n    Fuel:", "  Fuel:")
    .replace("\n      values: [wick", "\n    values: [wick")
    .replace("\n      classes: {slow: [wax]}\n", "\n    classes: {slow: [wax]}\n# What is burnt.\n")
    .replace("given(lamp) for owner when", "given(lamp, owner) when")
    .replace("burn(who, n) for owner as whose", "burn(who, owner, n)")
    .replace("proceed(who, min", "proceed(who, owner, min")
    .replace("burn for owner.next as who:", "burn(who) when who = owner.next:")
    .replace("worth_of for owner as b", "worth_of(lamp, owner)")
    .replace("for owner when (oil = 1", "when you = owner and (oil = 1")
    .replace("for owner when oil = 3 or oil = 4", "when you = owner and (oil = 3 or oil = 4)"),
    "lamps.rule": FORMER["lamps.rule"]
    .replace("rulelang 1", "rulelang 2")
    .replace("(lamps: set of", "(lamps: list of")
    .replace("-> set of", "-> list of")
    .replace("choose a Colour", "choose one of Colour")
    .replace("choose   a player", "choose   one of players"),
    "scenarios/basics.yaml": FORMER["scenarios/basics.yaml"]
    .replace("rulelang: 1", "rulelang: 2")
    .replace("choose a", "choose one of"),
    "variants/two_wishes/ruleset.yaml": "rulelang: 2\nextends: lamps\nname: two_wishes\n",
    "variants/two_wishes/more.rule": "rulelang 2\nscore twice: count(of_colour(hand, wish))\n",
}
