"""Rulesets in which the course of the game tells a secret of seat 0, one for each kind of what all can see.

None shows the secret itself; what hangs on it, an event, an end, a turn, a question or a count, tells it.
"""

from __future__ import annotations

FRAME = """\
rulelang: 2
name: tells
players: 2
kinds: {{Card: {{attributes: {{value: 1..2}}, start: deck}}}}
pieces: {{Card: [{{id: low, value: 1, count: 4}}, {{id: high, value: 2, count: 4}}]}}
zones:
  deck: {{holds: Card, order: pile, visible: count}}
  hand: {{holds: Card, per: player, visible: owner}}
  row: {{holds: Card, visible: count}}
variables:
  x: {{type: 0..2, per: player, visible: owner}}
  y: {{type: 0..2, per: player, visible: owner}}
  guess: {{type: 0..9, per: player}}
marks: {{tired: {{per: player}}}}
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
  play:
    turn of seat(0): hide()
{tell}
    turn of seat(1): tries()
    turn of seat(0): tries()
  rule hide: x := secretly choose a number from 0 to 2
  rule tries: guess := choose a number from 0 to 1
  score hidden: guess + x
"""

FITS = """\
    as seat(0):
      if some c = secretly choose one of hand where it.value > x: move c to hand"""
IF = "    if seat(0).x > 1:"

TELLS = {
    "the end": f"{IF} end the game",
    "who wins": f"{IF} end the game won by seat(1)",
    "the end after a round": "    round:\n      if seat(0).x > 1: end the game after this round",
    "who is out": f"{IF} eliminate seat(1)",
    "a turn": f"{IF}\n      turn of seat(0): pass",
    "a round": f"{IF}\n      round: pass",
    "a phase": f"{IF}\n      phase rest: pass",
    "how many are drawn": "    draw seat(0).x from deck to row",
    "a shuffle": f"{IF} shuffle deck",
    "a move": f"{IF} move top of deck to row",
    "a variable that all see": f"{IF} seat(1).guess := 2",
    "a mark": f"{IF} mark seat(1).tired until after turn of seat(0)",
    "that something is revealed": f"{IF} reveal 1",
    "a roll": f"{IF} seat(1).guess := roll 2 to 3",
    "who is asked": f"{IF}\n      turn of seat(1): tries()",
    "a secret question": f"{IF}\n      as seat(0): y := secretly choose a number from 0 to 2",
    "how often": "    repeat seat(0).x times: shuffle deck",
    "a loop's end": "    for p in players where seat(0).x > 1: draw 1 from deck to p.hand",
    "whether anything fits": FITS,
}  # fmt: skip
"""What tells -> the statement."""
REFUSED = ("who is asked",)
"""Those that are no warnings but errors."""


def tell(name: str) -> str:
    """The text of the ruleset in which this tells the secret; of the frame alone for any other name."""
    return FRAME.format(tell=TELLS.get(name, "    pass"))
