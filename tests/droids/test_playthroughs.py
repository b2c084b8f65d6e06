"""Recorded games of Droids go as recorded; orders and things are neither lost nor made."""

from __future__ import annotations

import random

import pytest

from rulelang.record import read_record, replay
from rulelang.simulate import play_game
from tests.shipped import shipped
from tests.soak import times

from .record_playthroughs import TABLES, file_of


@pytest.mark.parametrize(("players", "scenario"), TABLES)
def test_playthrough(players: int, scenario: str) -> None:
    """Every choice is still offered, and every hash is the same."""
    record = read_record(file_of(players, scenario).read_text(encoding="utf-8"))
    assert (record.players, record.options["scenario"]) == (players, scenario)
    for _ in replay(record):
        pass


@pytest.mark.parametrize(("players", "scenario"), [(3, "minefield"), (1, "hunt")])
def test_what_lies_anywhere_stays_as_many(players: int, scenario: str) -> None:
    """The numbers of orders and of robots are those of the start, and all orders are back when a round is over."""
    state = shipped("droids").new_game(players=players, options={"scenario": scenario}, seed=3)
    picker, counts = random.Random(3), set()
    while not state.is_terminal():
        zones = state.observation(0)["zones"]
        counts.add(sum(held["count"] for held in zones.values()))
        state.apply(picker.choice(state.legal_actions()))
    assert len(counts) == 1
    left = {name: held["count"] for name, held in state.observation(0)["zones"].items() if held["count"]}
    assert not any(name.startswith(("rack", "emitters", "current")) for name in left)


@pytest.mark.parametrize(("players", "scenario"), TABLES)
def test_random_games_end(players: int, scenario: str) -> None:
    """Far from the limit of decisions."""
    executor = shipped("droids").executor(players, {"scenario": scenario}, "interpreter")
    assert max(play_game(executor, seed).decisions for seed in range(times(1))) < 2000


def test_orders_that_are_not_placed_stay_hidden() -> None:
    """The others see to which bins they go back and how many, not which they are (droids-fr:170, droids-fr:185)."""
    state = shipped("droids").new_game(players=2, options={"scenario": "minefield"}, seed=3)
    picker = random.Random(3)
    while not any(action.id == "halt" for action in state.legal_actions()):
        state.apply(picker.choice(state.legal_actions()))
    seat = state.current_players()[0]
    other = 1 - seat
    rack = state.observation(other)["zones"][f"rack[{seat}]"]
    assert rack["count"] > 0
    assert "pieces" not in rack
    told = state.event_count(other)
    state.apply("halt", seat)
    moves = [event for event in state.events(other, since=told) if event["type"] == "move"]
    assert sum(event["count"] for event in moves) == rack["count"]
    assert all(piece is None for event in moves for piece in event["pieces"])
    assert not any(event["type"] == "reveal" for event in state.events(other, since=told))
