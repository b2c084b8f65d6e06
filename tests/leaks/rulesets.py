"""Rulesets at random, with hidden zones and variables of every type and visibility, that tell no more than they say.

Enters: a generator of random numbers. Leaves: the text of a ruleset.

Nothing public depends on a secret but by a choice that all see, a `reveal`, or a piece that moves to where it is seen.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

TYPES = {
    "0..2": "a number from 0 to 2",
    "bool": "",
    "Colour": "one of Colour",
    "Colour?": "one of Colour",
    "player": "one of players",
    "player?": "one of players",
    "Board": "one of Board",
    "Board?": "one of Board",
    "0..2?": "a number from 0 to 2",
}
"""Type of a variable -> what a seat chooses for it; a truth value is a comparison of a number chosen."""
DRAWN = {"0..2": "roll 0 to 2", "Colour": "random one of Colour", "Board": "random one of Board"}
"""Type -> how chance gives a value of it."""
VISIBLE = ("owner", "others", "nobody", "you = owner or you.seat = 0", "you.seat = 1", "team")

HEAD = """\
rulelang: 2
name: {name}
players: {players}
types: {{Colour: [red, blue], Good: {{values: [nut, oil]}}}}
grids: {{Board: {{columns: 2, rows: 1}}}}
kinds:
  Card: {{attributes: {{colour: Colour, value: 1..3}}, start: deck}}
  Pawn: {{variables: {{load: {{type: 0..2}}, goal: {{type: "Colour?"}}}}, marks: [masked], start: home}}
pieces:
  Card:
    - {{id: ant, colour: red, value: 1, count: 2}}
    - {{id: bee, colour: blue, value: 2, count: 2}}
    - {{id: cow, colour: red, value: 3}}
    - {{id: dog, colour: blue, value: 3}}
  Pawn: [{{id: pawn, count: {pawns}}}]
zones:
  deck: {{holds: Card, order: pile, visible: count}}
  hand: {{holds: Card, per: player, visible: owner}}
  hat: {{holds: Card, per: player, visible: others}}
  vault: {{holds: Card, visible: nobody}}
  tower: {{holds: Card, order: pile, visible: top}}
  row: {{holds: Card}}
  home: {{holds: Pawn, order: pile, visible: count}}
  camp: {{holds: Pawn, per: player, visible: owner}}
  field: {{holds: Pawn}}
variables:
  goods: {{type: bag of Good, per: player, visible: owner, start: 1 nut + 1 oil}}
  screen: {{type: bag of Good, per: player, visible: owner, size: owner}}
  pot: {{type: bag of Good, visible: nobody, size: all}}
  shown: {{type: 0..9, per: player}}
{variables}
rules: |
  setup:
    shuffle deck
    shuffle home
    for p in players:
      draw 1 from deck to p.hand
      draw 1 from home to p.camp
  play:
    repeat {rounds} times:
      for p in players:
        turn of p: act()
{together}  rule act:
{body}
{scores}"""


@dataclass(frozen=True)
class Hidden:
    """A hidden variable of a ruleset."""

    name: str
    type: str
    visible: str


def ruleset(dice: random.Random, name: str = "veiled") -> str:
    """Return the text of a ruleset."""
    variables = [
        Hidden(f"v{n}", dice.choice(list(TYPES)), "owner" if n < 2 else dice.choice(VISIBLE)) for n in range(4)
    ]
    writes = [statement for variable in variables for statement in _writes(dice, variable)]
    own = [variable for variable in variables if variable.visible == "owner"]
    moves = dice.sample(MOVES, 5) + _guards(dice, own)
    statements = dice.sample(writes, min(2, len(writes))) + dice.sample(moves, min(5, len(moves)))
    dice.shuffle(statements)
    statements = [re.sub(r"\b(card|n|pawn)\b(?!:)", rf"\g<1>{n}", text) for n, text in enumerate(statements)]
    together = dice.choice(
        ("", "    let bid = together choose a number from 0 to 1\n    shown[seat(0)] := bid[seat(1)]\n")
    )
    return HEAD.format(
        name=name,
        players=2,
        pawns=dice.choice((2, 3, 4)),
        rounds=dice.choice((1, 1, 2)),
        variables="\n".join(
            f'  {v.name}: {{type: "{v.type}", per: player, visible: "{v.visible}"}}' for v in variables
        ),
        together=together.replace("shown[seat(0)]", "seat(0).shown"),
        body="".join(f"    {line}\n" for statement in statements for line in statement.splitlines()).rstrip("\n"),
        scores="".join(
            f"  score s{number}: {line}\n" for number, line in enumerate(dice.sample(_scores(variables), 4))
        ),
    )


def _writes(dice: random.Random, variable: Hidden) -> list[str]:
    """Return statements that set a hidden variable."""
    texts = []
    what = TYPES[variable.type]
    if variable.visible == "owner":
        if what:
            texts.append(f"{variable.name} := secretly choose {what}")
        else:
            texts.append(f"let n = secretly choose a number from 0 to 1\n{variable.name} := n = 1")
    if variable.type in DRAWN:
        texts.append(f"{variable.name} := {DRAWN[variable.type]}")
    return texts


MOVES = (
    "draw 1 from deck to hand",
    "if some card = secretly choose one of hand: move card to vault secretly",
    "let card = choose one of hand else return\nmove card to tower",
    "let card = choose one of hand else return\nmove card to row",
    "draw 1 from deck to hat",
    "shuffle deck",
    "if some card = random one of next.hand: move card to hand",
    "if some card = top of deck: move card to hand",
    "for c in camp: c.goal := secretly choose one of Colour",
    "for c in camp: c.load := roll 0 to 2",
    "if some pawn = top of camp: pawn.load := secretly choose a number from 0 to 2",
    "for c in camp: mark c.masked until after turn of next",
    "draw 1 from home to camp\nif some pawn = secretly choose one of camp: move pawn to home at bottom",
    "if some pawn = choose one of camp: move pawn to field",
    "if some pawn = choose one of field: pawn.load := 2",
    "if some pawn = choose one of field: mark pawn.masked until after turn of next",
    "if some pawn = choose one of camp where it.load > 0: move pawn to field",
    "move field to home\nshuffle home\ndraw 2 from home to field",
    "for p in players: move p.camp to home\nshuffle home\nfor p in players: draw 1 from home to p.camp",
    "if some pawn = secretly choose one of camp: pawn.load := 2 - pawn.load",
    "move top of home to camp\nif some pawn = choose one of camp: move pawn to home\nshuffle home",
    "goods -= secretly choose 1 of goods",
    "move (random 1 of next.goods) from next.goods to goods",
    "move (secretly choose 1 of goods) from goods to next.goods",
    "move goods from goods to screen",
    "move (random 2 of screen) from screen to pot",
    "move (random 1 of pot) from pot to next.goods",
    "pay 1 nut from goods to next.goods:\n  shown := 2\nelse:\n  pass",
    "if can pay 1 any Good from goods: pay 1 any Good from goods",
    "goods += secretly choose 1 of 1 nut + 1 oil",
    "reveal count(hand)",
    "move hand to vault secretly\ndraw 1 from deck to hand",
)
"""Statements that move pieces, reveal or choose something."""


def _guards(dice: random.Random, own: list[Hidden]) -> list[str]:
    """Return choices whose options depend on what the chooser alone sees, and reveals of it."""
    texts = [f"reveal {dice.choice(own).name} to next", f"reveal {dice.choice(own).name}"]
    numbers = [variable.name for variable in own if variable.type == "0..2"]
    if numbers:
        texts.append(f"shown := choose a number from 0 to 3 where it != {numbers[0]} else never")
    return texts


def _scores(variables: list[Hidden]) -> list[str]:
    """Return expressions over what is hidden."""
    lines = [
        "count(hand) + sum(hand.value)",
        "sum(c.value for c in hat where c.colour = red)",
        "count(vault)",
        "sum(camp.load) + count(camp where it.goal is none)",
        "count(camp where it.masked) + count(field)",
        "goods[nut] * 3 - goods[oil]",
        "screen[nut] + 2 * pot[oil]",
        "shown + (2 if tower is empty else 1)",
        "max(c.value for c in hand) otherwise 0",
        "sum(sum(g.value) for g in hand grouped by colour where count(g) >= 2)",
    ]
    values = {
        "0..2": "{v} * 2", "bool": "3 if {v} else 1", "Colour": "2 if {v} = red else 0", "Colour?": "{v} = red",
        "player": "{v}.shown", "player?": "1 if {v} is none else 2", "Board": "1 if {v} = a1 else 0",
        "Board?": "1 if {v} is none else 2", "0..2?": "{v} otherwise 7",
    }  # fmt: skip
    values["Colour?"] = "4 if {v} = red else 1"
    return lines + [values[v.type].format(v=v.name) for v in variables]
