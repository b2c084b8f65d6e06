"""Worlds of games whose interchangeable pieces carry variables of their own into shuffled piles."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rulelang.game import State
from rulelang.ismcts.worlds import NativeWorlds
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.state import State as RuntimeState
from rulelang.search import Worlds
from tests.leaks.compared import leaks, written
from tests.search.posterior import fit, middle, posterior
from tests.soak import soaking, times

PACKED = """\
rulelang: 2
name: packed
players: 2
kinds:
  Pawn: {{variables: {{load: {{type: 0..2}}}}, start: home}}
pieces:
  Pawn: {pieces}
zones:
  home: {{holds: Pawn, order: pile, visible: count}}
  camp: {{holds: Pawn, per: player, visible: owner}}
variables: {{shown: {{type: 0..2, per: player}}}}
rules: |
  setup:
    shuffle home
    for p in players: draw 1 from home to p.camp
  play:
    repeat 2 times:
      for p in players:
        turn of p:
          if some pawn = random one of camp: pawn.load := secretly choose a number from 0 to 2
      for p in players: move p.camp to home
      shuffle home
      for p in players: draw 1 from home to p.camp
    for p in players:
      turn of p: shown := choose a number from 0 to 2
  score s: shown
"""
"""What a seat gave its pawn tells it from the others only if they have something else, which the other seat does not
know: whether the pile has a draw, and of how many pawns, hangs on it."""
AIMED = """\
rulelang: 2
name: aimed
players: 2
kinds:
  Pawn: {variables: {load: {type: 0..2}, row: {type: 0..3}}, start: home}
pieces:
  Pawn: [{id: pawn, count: 5}]
zones:
  home: {holds: Pawn, order: pile, visible: count}
  camp: {holds: Pawn, per: player}
variables: {aim: {type: "Pawn?", per: player}}
rules: |
  setup:
    shuffle home
    for p in players: draw 2 from home to p.camp
  play:
    repeat 2 times:
      for p in players:
        turn of p:
          if some pawn = random one of camp: pawn.load := secretly choose a number from 0 to 1
          if some pawn = choose one of camp: aim := pawn
          arrange camp by row where count(it) <= 2
      for p in players: move p.camp to home
      shuffle home
      for p in players: draw 2 from home to p.camp
  score s: sum(camp.load)
"""
"""Pawns that are told apart by what refers to them alone: they are chosen and arranged in an order that nobody sees."""
ONE_SORT, TWO_SORTS = "[{id: pawn, count: 3}]", "[{id: pawn, count: 2}, {id: rook, count: 2}]"


@pytest.fixture
def dealt(monkeypatch: pytest.MonkeyPatch) -> Counter[bool]:
    """How often native code was asked for a world, by whether it had one."""
    deal, counts = NativeWorlds.deal, Counter[bool]()

    def counted(self: NativeWorlds, state: RuntimeState, seat: int, seed: int, waiting: Any, form: Any) -> Any:
        world = deal(self, state, seat, seed, waiting, form)
        if waiting is not None:
            counts[world is not None] += 1
        return world

    monkeypatch.setattr(NativeWorlds, "deal", counted)
    return counts


@pytest.mark.parametrize("text", [PACKED.format(pieces=ONE_SORT), *soaking(PACKED.format(pieces=TWO_SORTS), AIMED)])
def test_native_code_has_a_world_whatever_is_hidden(text: str, tmp_path: Path, dealt: Counter[bool]) -> None:
    """It leaves no state to rejection; worlds and searches are the same for all that a seat can't tell apart."""
    found = leaks(written(tmp_path, text), 1, "native", width=times(24), depth=20, most=times(6))
    assert found.pop("pairs") > 8
    assert not found
    assert dealt[True]
    assert not dealt[False]


def test_a_world_is_played_again_as_it_was(tmp_path: Path, dealt: Counter[bool]) -> None:
    """Of options that look alike it takes the same, so that a proposal that is dropped does not end it."""
    state, _ = middle(written(tmp_path, AIMED), 2, 13, 10)
    for number in range(2):
        state.resample(0, number)
    assert dealt == {True: 2}


@pytest.mark.parametrize("pieces", [ONE_SORT, *soaking(TWO_SORTS)])
def test_individuals_come_up_as_often_as_they_should(pieces: str, tmp_path: Path) -> None:
    """Worlds fit the exact posterior: what a seat saw come up is likelier the more pawns look like it."""
    state, choices = middle(written(tmp_path, PACKED.format(pieces=pieces)), 2, 11, 4)
    executor, true = state.engine
    for seat in range(2):
        exact = posterior(state, choices, seat)
        assert len(set(exact.values())) > 1
        worlds, drawn = Worlds(state, seat, 1), []
        for _ in range(times(150)):
            worlds.skip(10)
            drawn.append(worlds.deal().hash())
        assert fit(drawn, exact) > 0.001
        assert fit((state_hash(executor.resample(true, seat, number)) for number in range(times(150))), exact) > 0.001


def test_a_seat_can_not_tell_a_world_with_other_individuals(tmp_path: Path) -> None:
    """What it saw come up comes up in each world, as it looked."""
    ruleset = written(tmp_path, PACKED.format(pieces=TWO_SORTS))
    for seed in range(times(4)):
        state, _ = middle(ruleset, 2, seed, random.Random(seed).randrange(2, 5))
        for seat in range(2):
            known = state.information_state(seat)
            executor, true = state.engine
            for number in range(times(4)):
                world = State(state.ruleset, executor, executor.resample(true, seat, number))
                assert world.information_state(seat) == known
