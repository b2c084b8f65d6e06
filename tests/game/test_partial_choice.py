"""Answers part by part: `Decision.next`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.game.test_many_subsets import game
from tests.shipped import conformance


def test_any_of_many_is_answered_card_by_card(tmp_path: Path) -> None:
    """Of 16 cards each can come first, then each other; what is chosen so far is a whole answer each time."""
    state, chosen = game(tmp_path, 16), list[str]()
    decision = state.decision()
    assert decision is not None
    assert decision.next().count == 1 << 16
    for number in range(16):
        step = decision.next(chosen)
        assert (len(step.parts), step.prefix) == (16 - number, tuple(chosen))
        assert step.action is not None
        assert step.count == 1 << 16 - number
        chosen.append(step.parts[number % len(step.parts)])
    action = decision.next(chosen).action
    assert action is not None
    assert sorted(part.split("=")[1].split("@")[0] for part in chosen) == sorted(action.id.split("=")[1].split("+"))
    with pytest.raises(ValueError, match="no action has these parts: choice=c99@hand"):
        decision.next(["choice=c99@hand"])


@pytest.mark.parametrize("name", ["bazaar", "hands", "parcels", "sealed", "stores", "tiles"])
def test_parts_lead_to_actions(name: str) -> None:
    """Whatever parts are chosen, one after the other, they become an action that is offered; and each action is come to
    by some parts."""
    pick = random.Random(name)
    state = conformance(name).new_game(seed=3, backend="interpreter")
    for _ in range(12):
        if state.is_terminal():
            break
        decision = state.decision(state.current_players()[0])
        assert decision is not None
        chosen: list[str] = []
        step = decision.next()
        while step.parts and not (step.action is not None and pick.random() < 0.3):
            chosen.append(pick.choice(step.parts))
            step = decision.next(chosen)
        assert step.action in decision.choices
        state.apply(step.action, decision.seat)
