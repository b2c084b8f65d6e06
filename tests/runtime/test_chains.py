"""Replacements that let an event proceed: each is used once on it, those that are left are asked for anew."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import run_scenarios

YAML = """\
rulelang: 2
name: chains
players: 2
kinds:
  Card: {active: [tableau], start: box}
pieces:
  Card:
    - {id: doubler, count: 3, rules: "instead of gain(owner, n): proceed(owner, 2 * n)"}
    - {id: adder, count: 2, rules: "instead of gain(owner, n): proceed(owner, n + 1)"}
    - {id: thief, rules: "instead of gain(who, n) when who != owner and n > 2: proceed(owner, n)"}
    - {id: wall, rules: "instead of gain(owner, n) when n > 3: owner.lost += n"}
    - id: leaver
      count: 2
      rules: |
        instead of gain(owner, n):
          move this to box
          proceed(owner, n + 1)
    - {id: keeper, rules: "may instead of gain(owner, n) when n > 1: proceed(owner, n - 1)"}
    - {id: after, rules: "after gain(owner, n): owner.seen += n"}
zones:
  box: {holds: Card}
  tableau: {holds: Card, per: player}
variables:
  gold: {type: 0..99, per: player}
  lost: {type: 0..99, per: player}
  seen: {type: 0..99, per: player}
  came: {type: 0..9, per: player}
rules: |
  play:
    for p in players:
      turn of p: act()
  rule act:
    choose:
      dig:
        if gain(you, 1): came += 1
      wait: pass
  event gain(who: player, n: number): who.gold += n
  score gold: gold
"""
CASES = [
    # what lies with seat 0 and seat 1, and gold of both, lost, seen and came of seat 0 at each end
    ("[]", "[]", {(1, 0, 0, 0, 1)}),
    ("[doubler]", "[]", {(2, 0, 0, 0, 1)}),
    ("[2 doubler]", "[]", {(4, 0, 0, 0, 1)}),
    ("[3 doubler, after]", "[]", {(8, 0, 0, 8, 1)}),
    ("[doubler, adder]", "[]", {(4, 0, 0, 0, 1), (3, 0, 0, 0, 1)}),
    ("[doubler, 2 adder]", "[]", {(6, 0, 0, 0, 1), (5, 0, 0, 0, 1), (4, 0, 0, 0, 1)}),
    ("[2 leaver]", "[]", {(3, 0, 0, 0, 1)}),  # each is used, though the first is in the box by then
    ("[doubler]", "[doubler]", {(2, 0, 0, 0, 1)}),
    ("[2 doubler]", "[thief, doubler]", {(0, 8, 0, 0, 1)}),  # who gets it then has replacements as well
    ("[2 doubler, wall]", "[]", {(0, 0, 4, 0, 0)}),  # a replacement that lets nothing go on ends the chain
    ("[doubler, keeper]", "[]", {(2, 0, 0, 0, 1), (1, 0, 0, 0, 1)}),  # what may replace comes after what must
    ("[keeper]", "[]", {(1, 0, 0, 0, 1)}),  # a condition is read when it is asked
]  # fmt: skip


NAMES = ("gold", "gold", "lost", "seen", "came")
SEATS = (0, 1, 0, 0, 0)


def scenario(number: int) -> str:
    """One of the cases as a scenario, which follows all choices to their ends."""
    mine, theirs, ends = CASES[number]
    held = [
        " and ".join(f"seat({seat}).{name} = {value}" for seat, name, value in zip(SEATS, NAMES, end, strict=True))
        for end in sorted(ends)
    ]
    zones = f'{{"seat(0).tableau": {mine}, "seat(1).tableau": {theirs}, box: rest}}'
    given = f'given: {{zones: {zones}, do: "turn of seat(0): act()"}}'
    listed = ", ".join(f'{{holds: "{end}"}}' for end in held)
    return f"  - {{name: case {number}, {given}, when: [dig], then: [{{ends: [{listed}]}}]}}\n"


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_each_replacement_is_used_once(tmp_path: Path, backend: str) -> None:
    """Alone, several of one sort, of several sorts in the order that their owner chooses."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    text = "rulelang: 2\nscenarios:\n" + "".join(map(scenario, range(len(CASES))))
    (tmp_path / "scenarios" / "all.yaml").write_text(text, encoding="utf-8")
    game = rulelang.load(tmp_path)
    assert [result.message for result in run_scenarios(game, backend)] == [""] * len(CASES)


def test_a_chain_that_waits_is_saved(tmp_path: Path) -> None:
    """What was used on the event is a part of the state: a doubler and two adders, asked twice in one chain."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    state = rulelang.load(tmp_path).position({"zones": {"seat(0).tableau": ["doubler", "2 adder"], "box": "rest"}})
    state.apply("dig")
    asked = []
    while state.current_players() == [0]:
        asked.append([action.id for action in state.legal_actions()])
        state = state.ruleset.state_from_json(state.to_json())
        state.apply(state.legal_actions()[-1])
    assert asked == [["gain:react=0.doubler", "gain:react=1.adder"]] * 2
    assert state.observation(0)["variables"]["gold[0]"] == 6
