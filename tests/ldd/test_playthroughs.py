"""Recorded games of Les Derniers Droïdes go as recorded; the laws of states hold on whole games."""

from __future__ import annotations

import random

import pytest

from rulelang.record import read_record, replay
from tests.shipped import shipped
from tests.soak import soaking

from .record_playthroughs import TABLES, file_of

LIMIT = 3  # of each kind of parts, and one more for each extension (ldd-fr:222)


@pytest.mark.parametrize(("players", "difficulty"), TABLES)
def test_playthrough(players: int, difficulty: str) -> None:
    """Every choice is still offered, and every hash is the same."""
    record = read_record(file_of(players, difficulty).read_text(encoding="utf-8"))
    assert record.players == players
    assert record.options["difficulty"] == difficulty
    assert record.scores is not None
    for _ in replay(record):
        pass


@pytest.mark.parametrize("players", [1, 4, *soaking(2, 3)])
def test_sheds_change_by_events_alone_and_never_overflow(players: int) -> None:
    """A shed holds what the log says came and went since the start, each by a rule, and never more than its limit."""
    ruleset = shipped("ldd")
    for seed in range(2):
        state, picker = ruleset.new_game(players=players, seed=seed), random.Random(seed)
        told: dict[tuple[str, str], int] = {}
        seen = 0
        while not state.is_terminal():
            seat = state.current_players()[0]
            state.apply(picker.choice(state.legal_actions(seat)), seat)
            for event in state.events(since=seen):
                seen = event["index"] + 1
                if event["type"] == "set" and event["variable"].startswith("shed["):
                    place = event["variable"], event["resource"]
                    assert event["rule"]
                    assert event["old"] == told.get(place, event["old"])
                    told[place] = event["new"]
            values = state.observation(0)["variables"]
            for shed in [name for name in values if name.startswith("shed[")]:
                room = values[shed.replace("shed", "extensions")]
                for part, count in values[shed].items():
                    assert count == told.setdefault((shed, part), count)
                    assert count <= LIMIT + room[part]
