"""Recorded games of R-ECO go as recorded, and random games go as those of the hand-written R-ECO do."""

from __future__ import annotations

import statistics

import pytest

from benchmarks.handwritten import reco
from rulelang.record import read_record, replay
from rulelang.simulate import play_game
from tests.shipped import shipped
from tests.soak import soaking, times

from .record_playthroughs import TABLES, file_of


@pytest.mark.parametrize(("players", "deck"), TABLES)
def test_playthrough(players: int, deck: int) -> None:
    """Every choice is still offered, and every hash is the same."""
    record = read_record(file_of(players, deck).read_text(encoding="utf-8"))
    assert record.players == players
    assert record.options == {"deck": deck, "first_player": "by_seat"}
    assert record.scores is not None
    for _ in replay(record):
        pass


@pytest.mark.parametrize("players", [4, *soaking(3, 5)])
def test_random_games_are_those_of_the_handwritten_game(players: int) -> None:
    """Lengths and scores of random games have the same means, within four standard errors of their difference."""
    games = times(60)
    executor = shipped("reco").executor(players)
    ours = [play_game(executor, seed) for seed in range(games)]
    theirs = [reco.play(players, seed) for seed in range(games)]
    for what in (lambda g: g.decisions, lambda g: g.turns, lambda g: g.scores[0], lambda g: max(g.scores)):
        a, b = [what(g) for g in ours], [what(g) for g in theirs]
        error = ((statistics.variance(a) + statistics.variance(b)) / games) ** 0.5
        assert abs(statistics.mean(a) - statistics.mean(b)) < 4 * error
