"""`State.resample`: a function of what the seat knows and of the seed, wherever a game stands, or an error."""

from __future__ import annotations

import random

import pytest

import rulelang
from rulelang.diagnostics import ResampleError, RuleError
from rulelang.game import State
from tests.shipped import CONFORMANCE, shipped


def load(name: str, is_shared: bool = True) -> rulelang.Ruleset:
    path = CONFORMANCE / name if (CONFORMANCE / name).exists() else name
    return shipped(path) if is_shared else rulelang.load(path)


def step(state: State, draw: random.Random) -> None:
    seat = None if state.is_chance_node() else state.current_players()[0]
    state.apply(draw.choice(state.legal_actions(seat)), seat)


def to_chance(name: str, players: int, decisions: int, is_shared: bool = True) -> State:
    """A game with explicit chance that waits for chance, after so many decisions or a few more."""
    state, draw = load(name, is_shared).new_game(players, seed=4, chance="explicit"), random.Random(4)
    while not (state.is_chance_node() and state.decisions >= decisions):
        step(state, draw)
    return state


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rulelang.native", "rulelang.native.build"):
        monkeypatch.setattr(f"{module}.find_compiler", lambda: None)


def check(state: State) -> int:
    """Every seat is told the same by each world, and the worlds of a world are those of the state; how many differ."""
    differing = 0
    for seat in range(state.players):
        for seed in range(3):
            other = state.resample(seat, seed)
            assert other.information_state(seat) == state.information_state(seat)
            assert other.is_chance_node() == state.is_chance_node()
            assert other.current_players() == state.current_players()
            assert other.resample(seat, 7).hash() == state.resample(seat, 7).hash()
            assert state.ruleset.state_from_json(other.to_json()).hash() == other.hash()
            differing += other.hash() != state.hash()
    return differing


@pytest.mark.parametrize(("name", "players", "decisions"), [("leduc", 2, 1), ("reco", 4, 30), ("refill", 2, 2)])
def test_where_a_state_waits_for_chance(name: str, players: int, decisions: int) -> None:
    """What is hidden at the last decision is dealt by native code, what came after it by rejection."""
    assert check(to_chance(name, players, decisions)) or name == "refill"


@pytest.mark.usefixtures("without_compiler")
@pytest.mark.parametrize(
    ("name", "players", "decisions"), [("kuhn", 2, 0), ("leduc", 2, 1), ("tricks", 3, 0), ("refill", 2, 2)]
)
def test_where_a_state_waits_for_chance_and_there_is_no_compiler(name: str, players: int, decisions: int) -> None:
    """All of it comes by rejection."""
    check(to_chance(name, players, decisions, is_shared=False))


@pytest.mark.parametrize(("name", "players", "chance"), [("peek", 2, "sampled"), ("reco", 3, "explicit")])
def test_games_that_are_over(name: str, players: int, chance: str) -> None:
    """A finished game is dealt anew too."""
    state, draw = load(name).new_game(players, seed=4, chance=chance), random.Random(4)
    while not state.is_terminal():
        step(state, draw)
    check(state)


@pytest.mark.usefixtures("without_compiler")
@pytest.mark.parametrize(("name", "players"), [("peek", 2), ("sealed", 3), ("pickpocket", 3), ("answers", 3)])
def test_without_a_compiler(name: str, players: int) -> None:
    """At every decision of small games, those that several seats have to make at once among them."""
    state, draw, differing = load(name, is_shared=False).new_game(players, seed=2), random.Random(2), 0
    while not state.is_terminal():
        differing += check(state)
        step(state, draw)
    assert differing


@pytest.mark.usefixtures("without_compiler")
def test_no_world_is_an_error_that_says_how_there_is_one() -> None:
    """In the middle of R-ECO no game fits by chance; the true one is not taken instead."""
    state, draw = load("reco", is_shared=False).new_game(4, seed=4), random.Random(4)
    while state.decisions < 60:
        step(state, draw)
    with pytest.raises(rulelang.ResampleError, match=r"2000 games or 10000 steps.*`native`") as raised:
        state.resample(0, 1)
    assert isinstance(raised.value, RuleError)


def test_where_nobody_has_secrets_the_state_is_the_world() -> None:
    """It has a generator of its own, from the seed; no log is needed."""
    state = load("connect").new_game(2, seed=4)
    executor, position = state.engine
    other = state.resample(0, 1)
    assert other.hash() == state.hash()
    assert other.engine[1].rng not in (position.rng, state.resample(0, 2).engine[1].rng)
    silent = executor.initial_state(4, logging=False)
    assert executor.resample(silent, 0, 1).rng == other.engine[1].rng


def test_a_saved_position_is_an_error() -> None:
    """A position that was saved knows no more how it began, whatever else fits."""
    position = load("peek").position({"zones": {"seat(0).hand": ["ant"], "seat(1).hand": ["cow"]}})
    assert position.resample(1, 1).information_state(1) == position.information_state(1)
    saved = position.ruleset.state_from_json(position.to_json())
    with pytest.raises(ResampleError, match="log"):
        saved.resample(1, 1)
