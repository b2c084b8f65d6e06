"""`else` after an assignment, and the ids of what an ability's own block asks."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

TEXT = """\
rulelang: 2
name: errands
players: 1
types: {Colour: [red, blue], Good: {values: [wood, wool]}}
kinds: {Pawn: {attributes: {quick: bool}, identity: true, start: home}}
pieces:
  Pawn:
    - {id: slow, quick: false}
    - id: swift
      quick: true
      rules: |
        on go(pawn): steps += choose a number from 2 to 3
zones:
  home: {holds: Pawn}
  street: {holds: Pawn, per: Colour}
variables:
  steps: {type: 0..20, start: 5}
  best: {type: 0..20}
  liked: {type: Colour}
  wanted: {type: "Colour?"}
  store: {type: bag of Good}
rules: |
  play:
    turn of seat(0):
      for pawn in home: go(pawn)
      measure()
  ability go(pawn: Pawn):
    let colour = choose one of Colour
    move pawn to street[colour]
  rule measure:
    BODY
  score s: steps
"""


def load(folder: Path, body: str) -> rulelang.Ruleset:
    text = TEXT.replace("    BODY\n", body)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def lines(*body: str) -> str:
    return "".join(f"    {line}\n" for line in body)


def test_an_ability_names_what_its_own_block_asks(tmp_path: Path) -> None:
    """As a rule does; what a piece brings is named by the piece."""
    state = load(tmp_path, lines("pass")).new_game(1)
    assert [action.id for action in state.legal_actions()] == ["go:colour=red", "go:colour=blue"]
    state.apply("go:colour=blue")
    assert [action.id for action in state.legal_actions()] == ["swift:steps=2", "swift:steps=3"]


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        # The slow pawn has left: of those at home only the quick one is left, which counts 1.
        (("best := max(1 for p in home) else return", "steps := best"), 1),
        (("best := max(1 for p in street[red]) else return", "steps := best"), 7),
        (("steps += max(2 for p in home) else return",), 9),
        (("steps -= max(2 for p in street[red]) else return", "steps := 0"), 7),
        (("wanted := choose one of Colour where street[it] is empty else return", "steps := 0"), 0),
        (("liked := wanted else return", "steps := 0"), 7),
        (("repeat:", "  best := max(1 for p in street[red]) else stop", "  steps := 0", "steps += 1"), 8),
    ],
)
def test_an_absent_value_leaves_before_it_is_assigned(tmp_path: Path, body: tuple[str, ...], steps: int) -> None:
    """The slow pawn goes to the blue street, the quick one adds 2 to the 5 steps; then the body runs."""
    state = load(tmp_path, lines(*body)).new_game(1)
    state.apply("go:colour=blue")
    state.apply("swift:steps=2")
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    assert state.scores() == [steps]
