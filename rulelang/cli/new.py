"""`rulelang new`: a small, complete ruleset to start from."""

from __future__ import annotations

import re
from pathlib import Path

import click

from rulelang.cli.common import guarded
from rulelang.cli.output import put
from rulelang.diagnostics import UsageError

NAME = re.compile(r"[a-z][a-z0-9_]*")

FILES = {
    "ruleset.yaml": """\
# The nouns: what exists. The rules stand in {name}.rule, the ruleset's own tests in scenarios/.
rulelang: 1
name: {name}
title: {{en: {title}}}
players: 2..4
languages: [en]
limits: {{decisions: 200, outcome: scores}}

options:
  hand_size: {{values: [2, 3], default: 3}}  # how many cards each player is dealt

types:
  Colour: [red, blue]

kinds:
  Card: {{attributes: {{colour: Colour, value: 1..3}}, start: deck}}

pieces:
  Card:
    - {{id: red_1, colour: red, value: 1, count: 3}}
    - {{id: red_2, colour: red, value: 2, count: 2}}
    - {{id: red_3, colour: red, value: 3}}
    - {{id: blue_1, colour: blue, value: 1, count: 3}}
    - {{id: blue_2, colour: blue, value: 2, count: 2}}
    - {{id: blue_3, colour: blue, value: 3}}

zones:
  deck:    {{holds: Card, order: pile, visible: count}}
  hand:    {{holds: Card, per: player, visible: owner}}
  tableau: {{holds: Card, per: player, visible: all}}
""",
    "{name}.rule": """\
rulelang 1

setup:
  shuffle deck
  for p in players: draw hand_size from deck to p.hand

# Each player in turn lays out a card, until all hands are empty.
play:
  while any(p.hand is not empty for p in players):
    for p in players:
      turn of p: lay_out()

rule lay_out:
  let card = choose 1 of hand
  move card to tableau

# The cards of one's better colour count.
score best_colour: max(sum(g.value) for g in tableau grouped by colour) otherwise 0

tie: fewest count(tableau), then shared
""",
    "scenarios/basics.yaml": """\
rulelang: 1
scenarios:
  - name: everyone is dealt three cards
    given: {{players: 2}}
    then:
      - "count(seat(0).hand) = 3"
      - "count(seat(1).hand) = 3"
      - "count(deck) = 6"

  - name: a card laid out leaves the hand
    given:
      players: 2
      zones: {{"seat(0).hand": [red_1, blue_3], "seat(1).hand": []}}
      do: "turn of seat(0): lay_out()"
    when: ["lay_out:card=blue_3"]
    then:
      - "count(seat(0).hand) = 1"
      - "sum(seat(0).tableau.value) = 3"

  # Red 1 + 2 = 3 is more than blue 2.
  - name: the better colour counts
    given:
      players: 2
      zones:
        "seat(0).tableau": [red_1, red_2, blue_2]
        "seat(1).tableau": [blue_1, blue_1]
      do: pass
    then:
      - {{scores: [3, 2]}}
      - {{winners: [0]}}
""",
    "RULINGS.md": """\
# Rulings of {title}

How an ambiguous rule is read, and why. None yet.
""",
}
"""Path in the new folder -> text."""


@click.command()
@click.argument("name", metavar="NAME")
@guarded
def new(name: str) -> None:
    """Make a folder NAME with a small, complete ruleset to start from."""
    folder = Path(name)
    if NAME.fullmatch(folder.name) is None:
        raise UsageError(f"`{folder.name}` can't name a ruleset: use small letters, digits and _")
    fields = {"name": folder.name, "title": folder.name.replace("_", " ").capitalize()}
    try:
        if folder.exists():
            raise UsageError(f"`{name}` exists already")
        for path, text in FILES.items():
            file = folder / path.format(**fields)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.format(**fields), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"`{name}` can't be made: {error.strerror}") from None
    put(f"{folder}: try `rulelang check {folder}`, `rulelang test {folder}` and `rulelang play {folder}`")
