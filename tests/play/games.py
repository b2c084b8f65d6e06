"""Small games for the tests of the terminal, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import rulelang
from rulelang.game import Ruleset

STALLS = """\
rulelang: 2
name: stalls
title: {en: Stalls, fr: Étals}
players: 2..3
languages: [en, fr]
sources: {leaflet-en: the leaflet}
types: {Colour: [red, blue]}
kinds: {Card: {attributes: {colour: Colour, value: 1..2}, start: deck}}
pieces:
  Card:
    - {id: ruby, colour: red, value: 1, count: 4, cites: [leaflet-en:3]}
    - {id: sky, colour: blue, value: 2, count: 4, words: {fr: ciel}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  shop: {holds: Card, per: Colour}
  hand: {holds: Card, per: player, visible: owner}
  kept: {holds: Card, per: player}
variables:
  coins: {type: 0..9, per: player, start: 3}
  lead: {type: player}
marks: {tired: {per: player}}
words:
  fr: {deck: {one: pioche, gender: f}, hand: {one: main, gender: f}, red: {one: rouge, feminine: rouge}, coins: pièces}
rules: |
  setup:
    for p in players: draw 1 from deck to p.hand
    draw 1 from deck to shop[red]
    for p in players: move bottom of deck to p.hand

  play:
    repeat 2 times:
      for p in players:
        turn of p: act()
      if some last = seat(1): lead := last

  [leaflet-en:5-6]
  rule act:
    let colour = choose one of Colour
    choose deal:
      show(card in hand where it.colour = colour): move card to shop[colour]
      [leaflet-en:8]
      buy(card in shop[colour]) when coins >= card.value:
        coins -= card.value
        move card to kept
      rest: mark you.tired until before turn of you

  [leaflet-en:9]
  score kept: sum(kept.value)
  score left: coins
"""
"""Everything is certain: each holds a ruby and a sky, a ruby lies in the red shop."""

SECRETS = """\
rulelang: 2
name: secrets
players: 2
kinds: {Card: {attributes: {value: 1..3}, start: deck}}
pieces: {Card: [{id: one, value: 1}, {id: two, value: 2}, {id: three, value: 3}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card, per: player}
variables: {luck: {type: 0..6, per: player}, spent: {type: 0..9, per: player}}
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.hand

  play:
    repeat 3 times:
      for p in players:
        turn of p: act()

  rule act:
    choose first:
      spend: spent += 1
      save: pass
    choose second:
      throw: luck := roll 1 to 6
      lay(card in hand): move card to table
      keep: pass

  score luck: luck + sum(table.value)
"""

ASKED_ANYWAY = """\
rulelang: 2
name: asked_anyway
players: 2
variables: {hidden: {type: 0..3, per: player, visible: owner}}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          only: hidden := 1
        anyway choose again:
          more when hidden > 1: pass
"""

BOARD = """\
rulelang: 2
name: field
players: 2
types: {Ground: [grass, water]}
grids:
  Square:
    attributes: {ground: Ground}
    legend: {".": {ground: grass}, "~": {ground: water}}
    map: |
      ...
      .~.
kinds:
  Ship: {identity: true, variables: {load: {type: 0..3}}, start: dock}
  Buoy: {start: store}
pieces: {Ship: [{id: ship, per: player}], Buoy: [{id: buoy, count: 3}]}
zones:
  dock: {holds: Ship, per: player}
  sea: {holds: Ship, per: Square, capacity: 1}
  store: {holds: Buoy}
  marks: {holds: Buoy, per: Square}
variables: {depth: {type: 0..9, per: Square}}
limits: {decisions: 20}
rules: |
  setup:
    for p in players: move p.ship to sea[a1 if p.seat = 0 else c2]
    move top 2 of store to marks[b2]
  play:
    repeat:
      for p in players:
        turn of p:
          depth[a2] += choose a number from 1 to 3
          ship.load := 2
"""

MANY = """\
rulelang: 2
name: many
players: 1
types: {Tool: [hammer, saw], Bench: [b1, b2, b3, b4, b5, b6, b7]}
variables: {done: {type: 0..99}}
rules: |
  play:
    turn of seat(0):
      choose:
        use(tool in Tool, at in Bench): done += 1
        sweep: pass
        rest(n from 1 to 3): pass
      choose next:
        use_again(tool in Tool, at in Bench): done += 2
"""


def written(folder: Path, text: str) -> Path:
    """A folder with a ruleset of one file."""
    folder.mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder


def ruleset(folder: Path, text: str) -> Ruleset:
    """A ruleset of one file, loaded."""
    return rulelang.load(written(folder, text))


OPEN = """\
rulelang: 2
name: open
players: 2
languages: [en, fr]
grids:
  Square:
    attributes: {high: bool}
    legend: {"_": {high: false}, "A": {high: true}}
    map: |
      __A
      A__
kinds: {Ant: {identity: true, start: nest}}
pieces: {Ant: [{id: ant, per: player}]}
zones:
  nest: {holds: Ant, per: player}
  field: {holds: Ant, per: Square}
variables: {points: {type: 0..9, per: player}}
limits: {decisions: 20}
rules: |
  setup:
    for p in players: move p.ant to field[b1]
  play:
    repeat:
      for p in players:
        turn of p: act()
  rule act:
    choose:
      go(there in Square): move ant to field[there]
      gain(n from 1 to 3): points += n
      wait: pass
  score points: points
words:
  fr:
    Ant: {one: fourmi, gender: f}
    ant: {one: fourmi, gender: f}
    field: champ
    act: tour
    go: "aller en {there}"
    gain: "gagner {n}"
    wait: attendre
"""
