"""A ladder's rule for stopping: its errors, its intervals, its seatings."""

from __future__ import annotations

import random
from math import sqrt
from pathlib import Path
from statistics import fmean

import pytest

from rulelang.lab.ladder import interval, ladder, looks, seatings
from rulelang.lab.statistics import LEVEL
from rulelang.lab.study import Setting, Study


@pytest.mark.parametrize("players", range(2, 8))
def test_each_seat_searches_more_as_often(players: int) -> None:
    """With equal players the mean of a block is the equal share, whatever the seats are worth."""
    blocks = seatings(players)
    times = [sum(seat in strong for strong in blocks) for seat in range(players)]
    assert len(set(times)) == 1
    assert times[0] > 0
    assert {len(strong) for strong in blocks} == {players // 2}


def test_a_team_searches_alike() -> None:
    """Seats of a team are on one side."""
    assert seatings(4, (0, 1, 0, 1)) == [{1, 3}, {0, 2}]


def stops(values: list[float], most: int) -> bool:
    """Whether a rung with these values of blocks would leave their mean of 0.5 out at any look."""
    spent = 0.0
    for count in looks(most):
        low, high = interval(values[:count], LEVEL * (count / most - spent))
        spent = count / most
        if not low <= 0.5 <= high:
            return True
    return False


def test_equal_players_are_seldom_told_apart() -> None:
    """Blocks of two games of equal players, drawn games in half of them: of 250 rungs at most 5 % and three standard
    errors of that are decided; with a true share of 0.65, nearly all are."""
    chance = random.Random(5)

    def draw(share: float) -> list[float]:
        return [fmean(chance.random() < share for _ in range(2)) for _ in range(200)]

    wrong = sum(stops(draw(0.5), 200) for _ in range(250)) / 250
    assert wrong <= LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / 250)
    assert sum(stops(draw(0.65), 200) for _ in range(40)) > 35
    assert looks(200)[0] >= 16
    assert looks(200)[-1] == 200


def test_few_games_that_end_alike_prove_nothing() -> None:
    """Two values are added to each interval."""
    low, high = interval([1.0] * 16, LEVEL / 10)
    assert low < 0.85 < high


def test_a_rung_of_kuhn(tmp_path: Path) -> None:
    """Payoffs count, not wins: a budget against itself gains nothing; what is there is not played again."""
    setting = Setting(str(Path(__file__).parents[1] / "conformance" / "rulesets" / "kuhn"))
    with Study(tmp_path) as study:
        (rung,) = ladder(study, setting, [4, 5], 24)
        again = list(ladder(study, setting, [4, 5], 24))
    assert again == [rung]
    assert rung.equal == 0.0
    assert rung.games_each == 2
    assert rung.low <= rung.share <= rung.high
    assert abs(rung.share) < 2
