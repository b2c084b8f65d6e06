"""A small ruleset with a variant and a scenario, in which most sorts of names stand in most sorts of places."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "ruleset.yaml": """\
rulelang: 2
name: pond
players: 2..3
languages: [en]

options:
  deep: {type: bool, default: false}

types:
  Colour:
    attributes: {worth: 0..9}
    values:
      green: {worth: 2}
      brown: {worth: 1}

kinds:
  # What lives in the pond.
  Frog:
    identity: true
    attributes: {colour: Colour, size: 0..9}
    variables: {fed: {type: 0..9, start: 0}}
    start: deck

zones:
  deck: {holds: Frog, order: pile, visible: nobody}
  hand: {holds: Frog, per: player, visible: owner}
  bank: {holds: Frog, per: Colour, visible: all}

variables:
  coins: {type: 0..99, per: player, start: 0}

pieces:
  Frog:
    - {id: tiny, colour: green, size: 1}
    - {id: huge, colour: brown, size: 9}
    - {id: grey, colour: green, size: 3}

words:
  en:
    coins: {one: coin, many: coins}
    action.release: {option: "release {frog}", notation: "{worth_of(frog)}{frog}"}
    Frog.size: size
    Frog: {one: frog, many: frogs}
    tiny: the tiny one
    green: green
    brown: brown
""",
    "pond.rule": """\
rulelang 2

setup:
  shuffle deck
  for p in players: draw 1 from deck to p.hand

play:
  for p in players:
    turn of p: turn_of()
  end the game

# What a player does.
rule turn_of:
  choose action:
    release(frog in hand) when deep or worth_of(frog) > 3:
      coins += worth_of(frog)
      frog.fed += 1
      move frog to bank[frog.colour]
    wait: coins += 1

function worth_of(frog: Frog) -> number = frog.colour.worth + frog.size

score purse: coins + sum(frog.fed for frog in bank)
""",
    "scenarios/all.yaml": """\
rulelang: 2
scenarios:
  - name: a frog that is released is paid for
    given:
      players: 2
      options: {deep: true}
      zones: {"seat(0).hand": [tiny], "seat(1).hand": [huge]}
      do: "turn of seat(0): turn_of()"
    when: ["release:frog=tiny"]
    then:
      - "seat(0).coins = worth_of(tiny)"
      - "count(bank[green]) = 1"
""",
    "variants/rich/scenarios/all.yaml": """\
rulelang: 2
scenarios:
  - name: two play
    given: {players: 2}
    then: ["count(players) = 2"]
""",
    "variants/rich/ruleset.yaml": """\
rulelang: 2
extends: pond
name: rich_pond
variables:
  coins: {start: 5}
""",
}


def write(folder: Path) -> Path:
    """Write the ruleset into a folder, and return that."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
