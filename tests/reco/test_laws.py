"""The laws of states, on a whole game: the same seed, a clone, a saved state and a re-dealt one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.shipped import shipped
from tests.soak import soaking


def choices(players: int, seed: int) -> tuple[Any, list[tuple[int, str]]]:
    """The start of a sampled game and random choices to its end."""
    start = shipped("reco").new_game(players=players, seed=seed)
    state, picker, made = start.clone(), random.Random(seed), []
    while not state.is_terminal():
        (seat,) = state.current_players()
        action = picker.choice(state.legal_actions(seat))
        made.append((seat, action.id))
        state.apply(action, seat)
    return start, made


@pytest.mark.parametrize("players", [5, *soaking(3, 4)])
def test_a_seed_gives_one_game(players: int) -> None:
    """Through clones at every decision, and JSON at every sixth, the same seed and choices give the same states."""
    ruleset = shipped("reco")
    start, made = choices(players, 11)
    plain, copied, saved = start.clone(), start.clone(), start.clone()
    for step, (seat, action) in enumerate(made):
        copied = copied.clone()
        if step % 6 == 0:
            saved = ruleset.state_from_json(saved.to_json())
        for state in (plain, copied, saved):
            state.apply(action, seat)
        assert plain.hash() == copied.hash() == saved.hash()
    assert plain.is_terminal()
    assert plain.scores() == saved.scores()


@pytest.mark.parametrize("players", [4, *soaking(3, 5)])
def test_unseen_cards_make_no_difference(players: int) -> None:
    """Re-dealt, a seat has seen the same, sees the same and may do the same."""
    start, made = choices(players, 12)
    state = start.clone()
    for step, (seat, action) in enumerate(made):
        if step % 48 == 0:
            for viewer in range(players):
                other = state.resample(viewer, step)
                assert other.observation(viewer) == state.observation(viewer)
                assert other.information_state(viewer) == state.information_state(viewer)
                assert [a.id for a in other.legal_actions(viewer)] == [a.id for a in state.legal_actions(viewer)]
        state.apply(action, seat)


def test_hands_never_leak() -> None:
    """No view of a seat holds another's cards, nor what lies littered before another."""
    start, made = choices(4, 13)
    state = start.clone()
    for seat, action in made[:60]:
        for viewer in range(4):
            for name, zone in state.observation(viewer)["zones"].items():
                secret = name.startswith(("hand[", "littered[")) and not name.endswith(f"[{viewer}]")
                assert not secret or "pieces" not in zone
        state.apply(action, seat)
