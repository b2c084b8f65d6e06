"""Small rulesets for these tests, compiled once, and ways to play them."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostics
from rulelang.interpreter import Machine
from rulelang.ir.program import Program
from rulelang.ruleset.loader import load_ruleset
from rulelang.runtime.state import State
from rulelang.runtime.views import information_state
from rulelang.semantics.check import analyse

CONFORMANCE = Path(__file__).parent.parent / "conformance" / "rulesets"

# Four cards, two for each of two players. Each lays one aside unseen, then plays the other face up.
PAIRS = (
    """
rulelang: 2
name: pairs
players: 2
kinds:
  Card: {attributes: {value: 1..4}, start: deck}
pieces:
  Card: [{id: ace, value: 1}, {id: two, value: 2}, {id: three, value: 3}, {id: four, value: 4}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  aside: {holds: Card, visible: nobody}
  table: {holds: Card, per: player, visible: all}
""",
    """
rulelang 2
setup:
  shuffle deck
  for p in players: draw 2 from deck to p.hand
play:
  for p in players:
    turn of p: move (secretly choose 1 of hand) to aside secretly
  for p in players:
    turn of p: move (choose 1 of hand) to table
""",
)

# Every way of seeing, for zones and variables.
SIGHTS = (
    """
rulelang: 2
name: sights
players: 2
options:
  hard: {type: bool, default: true}
  size: {values: [3, 5], default: 3}
  mood: {values: [calm, wild], default: wild}
automata: {machine: {players: [2]}}
types:
  Colour: [red, blue]
  Part: {values: [nut, oil]}
kinds:
  Card: {start: deck}
  Robot: {variables: {load: {type: 0..9}}, start: home}
pieces:
  Card: [{id: ace}, {id: two}, {id: three}, {id: four}, {id: five}, {id: six}]
  Robot: [{id: robot, per: player}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  open: {holds: Card, order: pile, visible: all}
  mine: {holds: Card, per: player, visible: owner}
  yours: {holds: Card, per: player, visible: others}
  stack: {holds: Card, order: pile, visible: top}
  pit: {holds: Card, visible: nobody}
  home: {holds: Robot, visible: all}
  den: {holds: Robot, per: player, visible: owner}
variables:
  coins: {type: 0..99, per: player, start: 5}
  bid: {type: 0..6, per: player, visible: owner}
  brow: {type: 0..6, per: player, visible: others}
  dark: {type: 0..6, visible: nobody}
  shed: {type: bag of Part, per: player, start: 1 nut}
  mood_of: {type: "Colour?", per: player}
""",
    """
rulelang 2
play:
  turn of seat(0):
    move top of deck to mine
    move top of deck to yours
    move top of deck to stack
    move top of deck to pit
    bid := roll 1 to 6
    brow := roll 1 to 6
    dark := roll 1 to 6
    coins += roll 1 to 6
    shed += 2 oil
    mood_of := blue
    for r in home:
      r.load := 3
    choose wish:
      show:
        if some c = choose one of mine:
          reveal c to players
      keep(n from 1 to 2): coins -= n
  turn of seat(1):
    move top of deck to stack at bottom
    move (choose one of mine) to open
  turn of seat(0):
    for r in home: move r to den
    pass
""",
)

TOKENS = (
    """
rulelang: 2
name: tokens
players: 2
kinds:
  Token: {variables: {charge: {type: 0..3}, mate: {type: "Token?"}}, start: bag}
pieces:
  Token: [{id: token, count: 6}, {id: chief}]
zones:
  bag: {holds: Token, visible: all}
  line: {holds: Token, order: pile, visible: all}
variables:
  marked: {type: "Token?"}
""",
    """
rulelang 2
play:
  turn of seat(0):
    choose:
      stop: pass
""",
)


def load(path: Path) -> Program:
    """The program of a ruleset folder."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(path, diagnostics=diagnostics)
    assert ruleset is not None, list(map(str, diagnostics))
    analysed = analyse(ruleset, diagnostics)
    assert analysed is not None, list(map(str, diagnostics))
    return compile_ruleset(analysed)


@cache
def compiled(yaml: str, rules: str) -> Program:
    """The program of a ruleset given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game"
        path.mkdir()
        (path / "ruleset.yaml").write_text(yaml.lstrip(), encoding="utf-8")
        (path / "game.rule").write_text(rules.lstrip(), encoding="utf-8")
        return load(path)


@cache
def conformance(name: str) -> Program:
    """The program of a ruleset of the conformance suite."""
    return load(CONFORMANCE / name)


def begun(program: Program, seed: int = 0, players: int = 2, explicit: bool = False) -> tuple[Machine, State]:
    """A machine and a game at its first node."""
    machine = Machine(program, players)
    state = machine.new_state(seed, explicit)
    machine.advance(state)
    return machine, state


def step(machine: Machine, state: State, random: Random) -> bool:
    """One random step; False when the game is over."""
    waiting = machine.waiting(state)
    if waiting is None:
        return False
    if waiting.kind == "chance":
        machine.take_outcome(state, random.choice(machine.outcomes(state))[0])
    else:
        seat = random.choice(waiting.seats)
        machine.choose(state, seat, random.choice(machine.options(state, seat)))
    return True


def current(machine: Machine, state: State) -> tuple[int, ...]:
    waiting = machine.waiting(state)
    return waiting.seats if waiting else ()


def known(machine: Machine, state: State, seat: int) -> dict[str, Any]:
    """The seat's information state."""
    return information_state(state, seat, current(machine, state))
