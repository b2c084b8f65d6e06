"""Pieces of counted bags that are chosen, sifted and moved about are the same in native code and in the interpreter."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import rulelang
from rulelang.execution.executor import Executor
from rulelang.native.compilers import find_compiler
from rulelang.runtime.canonical import state_hash
from tests.soak import soaking, times

ROOT = Path(__file__).parents[2]
PLAYED = """  let played = choose 1 or more of hand where it.colour = colour
  move played to plant[colour]
"""
MOVED_ABOUT = """  let played = choose 1 or more of hand where it.colour = colour
  let heavy = played where it.value >= 2
  move heavy to littered
  move played to plant[colour]
  let light = hand where it.value < 2 and not it.colour = colour
  let some_light = choose 0 to 2 of light
  if count(some_light) = 2 and sum(light.value) > 2:
    move some_light to stock
    move light to plant[colour]
  let back = choose up to 3 of plant[colour]
  move back to hand
  move back to dump[colour]
"""


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("players", [3, *soaking(5)])
def test_pieces_that_are_moved_about_end_up_in_the_same_zones(tmp_path: Path, players: int) -> None:
    """Some are moved on by the time that they are to be moved again, or go to a pile or a zone that is no bag."""
    folder = tmp_path / "reco"
    shutil.copytree(ROOT / "rulesets" / "reco", folder, ignore=shutil.ignore_patterns("scenarios", "variants"))
    rules = (folder / "reco.rule").read_text(encoding="utf-8")
    assert PLAYED in rules
    (folder / "reco.rule").write_text(rules.replace(PLAYED, MOVED_ABOUT), encoding="utf-8")
    program = rulelang.load(folder).program
    slow, fast = Executor(program, players), Executor(program, players, backend="native")
    assert fast.native is not None
    assert "packed_selection(g, counts" in fast.native.c
    assert "move_counted(g, played_" in fast.native.c
    for seed in range(times(20)):
        states = [executor.new_state(seed, logging=False) for executor in (slow, fast)]
        slow.random_playout(states[0])
        fast.random_playout(states[1])
        assert state_hash(states[0]) == state_hash(states[1])
        assert states[0].rng == states[1].rng
