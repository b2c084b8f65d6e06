"""A small good ruleset that uses every section, and the type of the fixture that writes folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Write = Callable[..., Path]

TINY = """\
rulelang: 2
name: tiny
title: {en: Tiny, fr: Petit}
players: 2..4
languages: [en, fr]
sources: {tiny-en: the leaflet}
limits: {decisions: 500, outcome: scores}
teams: {4: [[0, 2], [1, 3]]}
automata: {machine: {players: [2, 3]}}
options:
  deck: {values: [88, 100], default: 88, cites: [tiny-en:3]}
  hard: {type: bool, default: false}
  variant: {values: [base, quick], default: base}
types:
  Colour: [red, blue]
  Family: {attributes: {worth: number}, values: {water: {worth: 2}, market: {worth: 1}}}
  Side: {between: neighbours}
  Front: {between: {2: [[0, 1]], 3: [], 4: [[0, 2], [1, 3]]}}
  Part: {values: [nut, oil, circuit], classes: {base: [nut, oil]}}
grids:
  Plain: {columns: 28, rows: 2}
  Square:
    adjacency: all
    attributes: {terrain: Terrain}
    legend: {".": {terrain: land}, "~": {terrain: river}}
    map: |
      ..~
      .~~
kinds:
  Card:
    attributes: {colour: Colour, value: 1..2, cost: cost of Part, families: list of Family}
    variables: {charge: {type: 0..3, start: 0}}
    marks: [disabled]
    active: [tableau]
    start: deck
  Robot: {start: home, identity: true}
pieces:
  Card:
    - {id: red1, colour: red, value: 1, count: 19, cost: 2 nut, families: [water, market]}
    - {id: red2, colour: red, value: 2, count: "3 if deck = 88 else 4"}
    - id: smith
      colour: red
      value: 2
      cites: [tiny-en:12-14]
      provenance: invented
      rules: |
        scores: 2 * count(tableau where it.colour = red)
        scores: 1
  Robot:
    - {id: robot, per: player, words: {en: a robot}}
zones:
  deck: {holds: Card, order: pile, visible: count, refill: discard}
  discard: {holds: Card}
  held: {holds: Card, per: [player, Colour], visible: owner, capacity: 3}
variables:
  coins: {type: 0..99, per: player, start: 5}
  shed: {type: bag of Part, per: player, start: 1 nut, capacity: {each: 3, total: 10}}
  target: {type: "Robot?"}
marks:
  frozen: {per: player}
  calm: {}
words:
  en: {red1: "a red can"}
"""
