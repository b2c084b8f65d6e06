"""Whole games and games from the middle, in native code that watches itself: no access out of bounds, nothing
undefined, and the outcomes of the interpreter."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import rulelang
from rulelang.interpreter import Machine
from rulelang.native import NativeCode
from rulelang.runtime.state import State

from .sanitized import Watched, generators, outcome

ROOT = Path(__file__).resolve().parents[2]
CONFORMANCE, FRAGMENTS = "tests/conformance/rulesets", "tests/fragments"
LAYOUTS: list[tuple[str, int, dict[str, int]]] = [
    ("rulesets/reco", 4, {}),
    ("rulesets/ldd", 3, {}),
    (f"{CONFORMANCE}/payments", 2, {}),
    (f"{CONFORMANCE}/bazaar", 2, {}),
    (f"{CONFORMANCE}/reactions", 2, {}),
    (f"{CONFORMANCE}/connect", 2, {}),
    (f"{CONFORMANCE}/sealed", 3, {}),
    (f"{CONFORMANCE}/refill", 2, {}),
    (f"{CONFORMANCE}/pickpocket", 3, {}),
    (f"{CONFORMANCE}/leduc", 2, {}),
    (f"{FRAGMENTS}/garden", 2, {}),
    (f"{FRAGMENTS}/draft_four", 3, {}),
    (f"{FRAGMENTS}/repair", 2, {}),
    (f"{FRAGMENTS}/emitters", 3, {}),
    (f"{FRAGMENTS}/regroup", 3, {}),
]
FEW = ("payments", "regroup")
"""The others take long and are for `--soak`."""
GAMES, WATCHED_GAMES = 6, 60
POSITIONS, APART = 5, 4


def positions(machine: Machine, native: NativeCode) -> list[State]:
    """States of one game, some decisions apart, from which native code goes on."""
    picker = random.Random(5)
    state = machine.new_state(5, logging=False)
    machine.advance(state)
    found = []
    for step in range(POSITIONS * APART):
        waiting = machine.waiting(state)
        if waiting is None:
            break
        if step % APART == 0 and native.frames_of(state) is not None:
            found.append(state.clone())
        seat = picker.choice(waiting.seats)
        machine.choose(state, seat, picker.choice(machine.options(state, seat)))
    return found


@pytest.mark.parametrize(
    ("path", "players", "options"),
    [
        pytest.param(path, *more, id=name, marks=() if name in FEW else pytest.mark.soak)
        for path, *more in LAYOUTS
        for name in [Path(path).name]
    ],
)
def test_watched_games(path: str, players: int, options: dict[str, int], tmp_path: Path) -> None:
    """Every game is played to its end without a report."""
    ruleset = rulelang.load(ROOT / path)
    other, executor = (ruleset.executor(players, options, backend) for backend in ("native", "interpreter"))
    native = other.native
    assert native is not None
    watched = Watched(native, tmp_path)
    many = WATCHED_GAMES // 4 if path.endswith("ldd") else WATCHED_GAMES
    jobs = [(executor.new_state(logging=False), generators(many))]
    jobs += [
        (state, generators(GAMES, 100 * place)) for place, state in enumerate(positions(executor.interpreter, native))
    ]
    for (state, rngs), found in zip(jobs, watched.play(jobs), strict=True):
        assert None not in found
        for rng, one in list(zip(rngs, found, strict=True))[: GAMES // 2 if path.endswith("ldd") else GAMES]:
            assert outcome(executor, state, rng) == one
