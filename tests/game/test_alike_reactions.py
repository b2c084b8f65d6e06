"""Reactions of individuals that are alike can be put in order."""

from __future__ import annotations

from pathlib import Path

import rulelang

RULESET = """rulelang: 2
name: bells
players: 2
kinds: {Bell: {marks: [cracked], active: [tower], start: "seat(0).tower"}}
pieces:
  Bell:
    - {id: small, count: 2, rules: "after ring(who): who.heard += 1"}
    - {id: large, rules: "after ring(who): who.heard := 0"}
zones: {tower: {holds: Bell, per: player}}
variables: {heard: {type: 0..9, per: player}}
rules: |
  play:
    turn of seat(0): ring(you)
  event ring(who: player): pass
  score heard: heard
"""


def test_alike_individuals_react(tmp_path: Path) -> None:
    """Every order of two small bells and a large one can be played to the end."""
    (tmp_path / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    pending = [rulelang.load(tmp_path).new_game(chance="explicit")]
    ends = set()
    while pending:
        state = pending.pop()
        if state.is_terminal():
            ends.add(state.scores()[0])
        for action in state.legal_actions():
            pending.append(state.clone())
            pending[-1].apply(action)
    assert ends == {0, 1, 2}
