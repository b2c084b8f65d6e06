"""Copies and pickles of games: independent, equal, and the same game afterwards, on both backends."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import rulelang
from rulelang import SaveError
from rulelang.game import State
from tests.shipped import ROOT, conformance, shipped

from .samples import load_shop

COPIES: dict[str, Callable[[State], State]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda state: pickle.loads(pickle.dumps(state)),
}


def leduc(backend: str, chance: str = "sampled") -> State:
    return shipped(ROOT / "benchmarks/games/leduc_poker").new_game(seed=3, backend=backend, chance=chance)


def raised(backend: str) -> State:
    state = leduc(backend)
    state.apply("raise")
    return state.named(("Ann", ""), 1)


def over(backend: str) -> State:
    state = raised(backend)
    state.apply("fold")
    return state


def half_answered(backend: str) -> State:
    """One of three bids is in, and secret."""
    state = conformance("sealed").new_game(backend=backend)
    state.apply(state.legal_actions(1)[1], 1)
    return state


POSITIONS: dict[str, Callable[[str], State]] = {
    "begun": leduc,
    "at chance": lambda backend: leduc(backend, "explicit"),
    "a few steps on, with names": raised,
    "over": over,
    "some have answered": half_answered,
}


def known(state: State) -> tuple[object, ...]:
    seats = range(state.players)
    views = [(state.information_state(seat), [str(action) for action in state.legal_actions(seat)]) for seat in seats]
    return state.hash(), state.to_json(), views, state.names, state.first, [event["text"] for event in state.events()]


def played_out(state: State) -> tuple[object, ...]:
    while not state.is_terminal():
        state.apply(state.legal_actions()[-1])
    return state.hash(), state.returns(), state.events()


@pytest.mark.parametrize("backend", ["interpreter", "native"])
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("way", COPIES)
def test_a_copy_is_the_same_game_and_independent(way: str, position: str, backend: str) -> None:
    """It shows, offers and tells the same; what is played in it changes nothing of the other, and comes to the same."""
    state = POSITIONS[position](backend)
    before = known(state)
    twin = COPIES[way](state)
    assert twin is not state
    assert known(twin) == before
    assert twin.ruleset.hash == state.ruleset.hash
    assert twin.engine[0].backend == backend
    result = played_out(twin)
    assert known(state) == before
    assert played_out(state) == result


def test_a_position_of_its_own_program_can_be_pickled(tmp_path: Path) -> None:
    """What a `given` does before is compiled with the ruleset, so the pickle brings that program along."""
    load_shop(tmp_path / "shop")
    do = "seat(0).coins := 7"
    state = rulelang.load(tmp_path / "shop").position({"players": 2, "do": do})
    twin = pickle.loads(pickle.dumps(state))
    assert known(twin) == known(state)
    assert twin.observation(0)["variables"]["coins[0]"] == 7


def test_pickles_share_their_ruleset_and_refuse_another_version(tmp_path: Path) -> None:
    """A ruleset is loaded once for all pickles; where its rules have changed since, they are refused by name."""
    ruleset = load_shop(tmp_path / "shop")
    first, second = (pickle.dumps(ruleset.new_game(seed=seed)) for seed in (1, 2))
    assert pickle.loads(first).ruleset is pickle.loads(second).ruleset
    assert copy.deepcopy(ruleset) is copy.copy(ruleset) is ruleset
    other = load_shop(tmp_path / "other")
    text = pickle.dumps(other)
    rule = tmp_path / "other/shop.rule"
    rule.write_text(rule.read_text(encoding="utf-8").replace("repeat 2 times", "repeat 3 times"), encoding="utf-8")
    with pytest.raises(SaveError, match="shop is not the version that was pickled"):
        pickle.loads(text)
