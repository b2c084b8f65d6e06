"""Positions of all sorts of things: both executors keep the same cells, saves bring them back, damage is found."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

import rulelang
from rulelang.game.ruleset import Ruleset
from rulelang.runtime import positions
from rulelang.runtime.layout import Layout

YAML = """
rulelang: 2
name: positions
players: 2
options: {asking: {type: bool, default: true}}
types: {Good: {values: [wood, clay]}}
grids: {Spot: {columns: 2, rows: 1}}
kinds:
  Chip: {start: bank}
  Man: {identity: true, start: camp}
pieces:
  Chip: [{id: red, count: 3}, {id: blue, count: 2}]
  Man: [{id: guard, count: 2}, {id: scout}]
zones:
  bank: {holds: Chip}
  purse: {holds: Chip, per: player}
  pile: {holds: Chip, order: pile, visible: all}
  camp: {holds: Man}
  board: {holds: Man, per: Spot, capacity: 1}
variables:
  mood: {type: "-3..3?", per: player}
  hour: {type: 0..1}
  store: {type: bag of Good, capacity: {each: 2}}
  told: {type: 0..9999}
positions:
  all_of_it: {of: [bank, purse, pile, camp, board, mood, hour, store, you, odd, far], most: 40}
  table: {of: [purse, board], times: 2, most: 40}
  newest: {of: [hour, mood], last: 2}
limits: {decisions: 60, outcome: scores}
rules: |
  play:
    repeat 10 times:
      for p in players:
        turn of p:
          choose:
            take(c in bank): move c to purse
            lay(c in purse): move c to pile
            lift when pile is not empty: move top of pile to bank
            place(m in camp, s in Spot where board[s] is empty): move m to board[s]
            leave(s in Spot where board[s] is not empty): move board[s] to camp
            feel(n from -3 to 3): mood := n
            forgive: mood := none
            gain(g in Good): store += 1 g
            rest: forget table
          hour := 1 - hour
          remember all_of_it
          remember table
          remember newest
          if asking: told += seen(all_of_it) + 10 * seen(table) + 100 * seen(newest)
  function odd -> bool = hour = 1
  function far -> number = -500000000000000000 * 9 + 7 * told
  score told: told
"""


@pytest.fixture(scope="module")
def ruleset(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    """The game, loaded once."""
    folder = tmp_path_factory.mktemp("positions")
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    return rulelang.load(folder)


def test_both_executors_remember_the_same(ruleset: Ruleset) -> None:
    """Random games have equal hashes at each step; what was saved goes on as it was; without positions, as without."""
    for seed in range(6):
        pick = random.Random(seed)
        states = [ruleset.new_game(seed=seed, backend=backend) for backend in ("interpreter", "native")]
        while not states[0].is_terminal():
            action = pick.choice(states[0].legal_actions()).id
            for state in states:
                state.apply(action)
            assert states[0].hash() == states[1].hash()
        assert states[0].scores() == states[1].scores()
    state = ruleset.new_game(seed=1, backend="interpreter")
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    again = ruleset.state_from_json(state.to_json())
    assert again.hash() == state.hash() != state.hash(positions=False)


def test_what_nothing_asks_for_is_not_kept(ruleset: Ruleset) -> None:
    """With an option that leaves out every `seen` a state is as small as without positions."""
    asked, unasked = (ruleset.executor(2, {"asking": asking}, "interpreter").layout for asking in (True, False))
    widths = [form.width for form in unasked.positions.values()]
    assert widths == [0, 0, 0]
    assert len(asked.start_v) - len(unasked.start_v) == sum(form.width for form in asked.positions.values()) > 120


def test_what_is_asked_for_is_looked_up_once(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """For each program and each option of it; only the last ones are kept."""
    program, walked = replace(ruleset.program), list[int]()
    compared = positions.compared

    def noted(layout: Layout) -> object:
        walked.append(layout.options[0])
        return compared(layout)

    monkeypatch.setattr(positions, "compared", noted)
    monkeypatch.setattr(positions, "_compared", {})
    layouts = [Layout(program, 2, (asking,)) for asking in (1, 0, 1, 0)]
    assert walked == [1, 0]
    assert layouts[0].start_v == layouts[2].start_v != layouts[3].start_v
    for _ in range(positions.MEMOISED):
        Layout(replace(program), 2, (1,))
    Layout(program, 2, (0,))
    assert walked == [1, 0, *[1] * positions.MEMOISED, 0]
    assert len(positions._compared) == positions.MEMOISED


def test_damaged_memories_are_refused(ruleset: Ruleset) -> None:
    """Entries out of order, too many, or counted beyond their end are no state."""
    state = ruleset.new_game(seed=1, backend="interpreter")
    for _ in range(4):
        state.apply(state.legal_actions()[0])
    document = json.loads(state.to_json())
    layout = ruleset.executor(2, {"asking": True}, "interpreter").layout
    for form in layout.positions.values():
        for cell, value in ((form.base, form.room + 1), (form.base, 0), (form.base + form.stride, 1 << 40)):
            cells = list(document["variables"])
            cells[cell] = value
            if cells != document["variables"] and not (form.last and cell != form.base):
                with pytest.raises(rulelang.SaveError):
                    ruleset.state_from_json(json.dumps({**document, "variables": cells}))
