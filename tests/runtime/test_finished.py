"""A finished game has nothing of how it came about: equal final positions have equal hashes, and equal saves but for
the log and the counts of decisions and turns.

Each game begins with a choice between two ways that end in the same position, but differ in what the engine keeps for
itself while a game goes on: a row of `WAYS` for each such thing.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.perft import perft_to_end
from tests.native.compared import load

GAME = """\
rulelang: 2
name: ends
players: 2
types: {{Ware: {{values: [nut, oil]}}}}
kinds:
  Shield: {{active: [worn], start: worn, marks: [bright], identity: true}}
pieces:
  Shield:
    - id: shield
      per: player
      rules: |
        may instead of lose(owner, n):
          move this to gone
          lose(owner, n)
        after rung(owner) once per {scope}: pass
        may before knocked(owner) once per {scope}: pass
zones: {{worn: {{holds: Shield, per: player}}, gone: {{holds: Shield}}}}
marks: {{sleepy: {{per: player}}}}
variables:
  points: {{type: 0..9, per: player}}
  purse: {{type: bag of Ware, per: player, start: 2 nut}}
rules: |
  play:
    round:
      phase middle:
        turn of seat(0):
          step ways:
            choose:
              left:
{left}
              right:
{right}
  event lose(victim: player, n: number) up to 2 deep:
    victim.points += n
    end the game
  event rung(who: player): pass
  event knocked(who: player): pass
  exchanges market(s: player) from s.purse:
    exchange there once per {scope}: 1 nut -> 1 oil
    exchange back once per {scope}: 1 oil -> 1 nut
  score points: points
"""
WAYS = {
    "the depth of an event": ("move seat(1).worn to gone\nlose(seat(1), 1)", "lose(seat(1), 1)"),
    "uses of an item": ("choose:\n  search once per {scope}: end the game\n  rest: pass", "end the game"),
    "uses of what must react": ("rung(you)\nend the game", "end the game"),
    "uses of what may react": ("knocked(you)\nend the game", "end the game"),
    "exchanges": ("trade market(you)\nend the game", "end the game"),
    "an end that was put off": ("end the game after this turn\nend the game", "end the game"),
    "an end that is to come twice": ("end the game after this round", "end the game after this turn"),
    "the end of a mark": (
        "mark sleepy until after turn of you\nend the game",
        "mark sleepy until before round\nend the game",
    ),
    "the end of a piece's mark": (
        "for s in worn: mark s.bright until after turn\nend the game",
        "for s in worn: mark s.bright until before middle\nend the game",
    ),
    "winners of an end that did not come": (
        "end the game after this turn won by you\nend the game drawn",
        "end the game drawn",
    ),
}
SCOPES = ("step", "turn", "phase", "round", "game")
ROWS = [(way, "turn") for way in WAYS] + [("exchanges", scope) for scope in SCOPES]
COURSE = ("decisions", "turns", "log", "rng", "digest")
"""What a save has besides the position."""


def finished(ruleset: rulelang.Ruleset, way: str) -> rulelang.State:
    """Return the end of a game that goes one way, then takes the first option until there is none but `done`."""
    state = ruleset.new_game(backend="interpreter")
    state.apply(next(action for action in state.legal_actions() if action.id.endswith(way)))
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    return state


def saved(ruleset: rulelang.Ruleset, state: rulelang.State) -> dict[str, Any]:
    """Return what is saved of a state but for its course; it is the same when it was loaded."""
    text = state.to_json()
    assert ruleset.state_from_json(text).to_json() == text
    return {key: value for key, value in json.loads(text).items() if key not in COURSE}


@pytest.mark.parametrize("way", ["the depth of an event", "uses of an item", "the end of a mark"])
def test_native_keys_tell_as_much_as_hashes(way: str, tmp_path: Path) -> None:
    """There are as many positions for native code as for the interpreter: its keys leave out the same."""
    blocks = (textwrap.indent(block.format(scope="turn"), 16 * " ") for block in WAYS[way])
    ruleset = load(tmp_path, GAME.format(scope="turn", **dict(zip(("left", "right"), blocks, strict=True))))
    hashes, keys = (perft_to_end(ruleset, backend=backend).positions for backend in ("interpreter", "native"))
    assert hashes == keys


@pytest.mark.parametrize(("way", "scope"), ROWS)
def test_final_positions_are_equal(way: str, scope: str, tmp_path: Path) -> None:
    """Both ways lead to one position, though what was kept of them differs."""
    blocks = (textwrap.indent(block.format(scope=scope), 16 * " ") for block in WAYS[way])
    ruleset = load(tmp_path, GAME.format(scope=scope, **dict(zip(("left", "right"), blocks, strict=True))))
    left, right = (finished(ruleset, side) for side in ("left", "right"))
    kept = [(state._state.v, state._state.deferred) for state in (left, right)]
    assert kept[0] != kept[1]
    assert left.hash() == right.hash()
    assert saved(ruleset, left) == saved(ruleset, right)
