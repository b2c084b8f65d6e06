"""Who knows the same receives the same: everything that leaves for a seat is compared in states with equal information
states, of generated rulesets and of some whose interchangeable pieces carry secrets."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.leaks.compared import leaks, written
from tests.leaks.rulesets import ruleset
from tests.shipped import shipped
from tests.soak import soaking, times

PAWNS = """\
rulelang: 2
name: pawns
players: 2
kinds:
  Pawn: {variables: {load: {type: 0..2}}, marks: [masked], start: home}
pieces:
  Pawn: [{id: pawn, count: 4}]
zones:
  home: {holds: Pawn, order: pile, visible: count}
  camp: {holds: Pawn, per: player, visible: owner}
  field: {holds: Pawn}
variables: {aim: {type: "Pawn?", per: player}}
rules: |
  setup:
    shuffle home
    for p in players: draw 2 from home to p.camp
  play:
    repeat 2 times:
      for p in players:
        turn of p: act()
      for p in players: move p.camp to home secretly
      shuffle home
      for p in players: draw 2 from home to p.camp
    for p in players:
      turn of p: act()
  rule act:
    for c in camp: c.load := secretly choose a number from 0 to 1
    if some pawn = choose one of camp:
      mark pawn.masked until after turn of next
      move pawn to field
      aim := pawn
    if some pawn = choose one of field: move pawn to camp
  score s: sum(camp.load)
"""
"""Interchangeable pieces with secrets: which number a piece has depends on what others hold, and is told to nobody."""


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rulelang.native", "rulelang.native.build"):
        monkeypatch.setattr(f"{module}.find_compiler", lambda: None)


@pytest.mark.usefixtures("without_compiler")
def test_generated_rulesets_tell_nobody_what_it_can_not_know(tmp_path: Path) -> None:
    """Observations, options, refusals, prompts, events, stories, sheets, pages, worlds, searches, errors."""
    compared = 0
    for seed in range(times(2)):
        found = leaks(written(tmp_path, ruleset(random.Random(seed))), seed)
        compared += found.pop("pairs", 0)
        assert not found, seed
    assert compared > times(10)


@pytest.mark.parametrize("backend", ["native", *soaking("interpreter")])
def test_numbers_of_interchangeable_pieces_tell_nothing(
    tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    """Where states differ in which of several like pieces is which, too: by native code and by rejection."""
    if backend == "interpreter":
        request.getfixturevalue("without_compiler")
    found = leaks(written(tmp_path, PAWNS), 5, backend, width=times(10), depth=12 + times(1), most=times(2))
    assert found.pop("pairs") > 1
    assert not found


@pytest.mark.soak
def test_worlds_of_generated_rulesets_by_native_code(tmp_path: Path) -> None:
    """Worlds and searches of native code are a function of what the seat knows, too."""
    for seed in range(100, 100 + times(3)):
        found = leaks(written(tmp_path, ruleset(random.Random(seed))), seed, "native")
        del found["pairs"]
        assert not found, seed


def test_a_world_is_the_same_whatever_was_sampled_before() -> None:
    """Worlds of one state come in any order, each of its seed alone."""
    state, dice = shipped("droids").new_game(4, seed=4), random.Random(4)
    executor, _ = state.engine
    while state.decisions < 40:
        state.apply(dice.choice(state.legal_actions()))
    for seat in range(2):
        worlds: dict[int, str] = {}
        for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
            executor._worlds = None
            for seed in order:
                world = state.resample(seat, seed).hash()
                assert worlds.setdefault(seed, world) == world
