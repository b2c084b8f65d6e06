"""Intervals and tests against values from tables, exact sums, and figures that were worked out by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb, inf, log, sqrt
from statistics import mean, stdev

import pytest

from rulelang.compare import rejected
from rulelang.lab.measures import FigureKey, by_odds, by_points, changes, drama, figures, leading, measures
from rulelang.lab.statistics import (
    Estimate,
    Mean,
    binomial_tail,
    entropy,
    explained,
    poisson_head,
    student,
    wilson,
)
from rulelang.lab.study import Row
from tests.soak import soaking, times


def test_closed_forms_fit_the_tables() -> None:
    """Student's quantiles to three digits; Wilson's interval of 1 in 10 (Brown, Cai, DasGupta 2001); exact tails."""
    tables = {1: 12.706, 2: 4.303, 5: 2.571, 10: 2.228, 30: 2.042, 1000: 1.962}
    assert {n: pytest.approx(student(n), rel=2e-3) for n in tables} == tables
    share = wilson(1, 10)
    assert [share.low, share.high] == pytest.approx([0.0179, 0.4042], abs=1e-4)
    exact = sum(comb(30, k) * Fraction(1, 5) ** k * Fraction(4, 5) ** (30 - k) for k in range(9, 31))
    assert binomial_tail(9, 30, 0.2) == pytest.approx(float(exact))
    assert poisson_head(2, 3.0) == pytest.approx(0.42319, abs=1e-5)
    assert (binomial_tail(0, 5, 0.1), binomial_tail(5, 5, 1.0), poisson_head(0, 0.0)) == (1, 1, 1)


def test_means_that_are_added_up() -> None:
    """As the whole list gives them, zeros that were skipped included."""
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 0.0, 0.0, 0.0]
    added = Mean(values[:3])
    added.skip(3)
    for value in values[3:5]:
        added.add(value)
    assert added.mean == pytest.approx(mean(values))
    assert added.error == pytest.approx(stdev(values) / len(values) ** 0.5)
    lean = mean((value - mean(values)) ** 3 for value in values) / stdev(values) ** 3 / sqrt(8)
    assert added._lean == pytest.approx(lean)


def test_intervals_by_hand() -> None:
    """Of what is not skewed Student's; of zeros and ones Wilson's; within bounds, and never of no width."""
    even = Mean([1.0, 2.0, 3.0, 4.0, 5.0]).estimate()
    assert (even.low, even.high) == pytest.approx((3 - 2.776 * sqrt(0.5), 3 + 2.776 * sqrt(0.5)), rel=5e-3)
    ones, counted = Mean([1.0] + [0.0] * 9).share(), wilson(1, 10)
    assert (ones.low, ones.high) == pytest.approx((counted.low, counted.high))
    signs = Mean([1.0, 1.0, -1.0, 1.0]).estimate(-1, 1)
    assert (signs.low, signs.high) == pytest.approx((2 * wilson(3, 4).low - 1, 2 * wilson(3, 4).high - 1))
    for value in (0.0, 0.5, 1.0):
        alike = Mean([value] * 5).share()
        assert 0 <= alike.low <= value <= alike.high <= 1
        assert alike.high - alike.low > 0.1
    assert Mean([12.0] * 10).estimate().high == pytest.approx(12 + 2.262 / 10, rel=1e-3)
    assert Mean([3.0, 0.0, 0.0, 0.0]).estimate(low=0.0).low == 0


def test_entropy_and_variance_of_deals_by_hand() -> None:
    """Two parties that win 3 to 1; deals that decide all, half and nothing."""
    value = -(0.75 * log(0.75) + 0.25 * log(0.25)) / log(2)
    assert entropy([75, 25]).value == pytest.approx(value)
    assert entropy([50, 50]).high == 1
    assert 0 < entropy([0, 4]).high < 1
    assert explained([[1, 1], [0, 0], [1, 1], [0, 0]]).value == 1
    assert explained([[1, 0], [0, 1], [1, 0], [0, 1]]).value == 0
    # Within: 0, 0, 1/2, 1/2, the mean 1/4. All: 1/4 around the mean, and 1/4 of 1/6 for that of four means.
    half = explained([[1, 1], [0, 0], [1, 0], [0, 1]])
    assert half.value == pytest.approx(1 - (1 / 4) / (1 / 4 + 1 / 24))


def covered(estimates: Callable[[], Estimate], truth: float, count: int) -> float:
    """The part of intervals that hold the truth."""
    drawn = (estimates() for _ in range(count))
    return mean(one.low - 1e-9 <= truth <= one.high + 1e-9 for one in drawn)


RNG = random.Random(7)
DRAWN: dict[str, tuple[tuple[float, float], float, Callable[[], float]]] = {
    "even shares": ((0, 1), 0.5, lambda: float(RNG.random() < 0.5)),
    "shares of three": ((0, 1), 1 / 3, lambda: float(RNG.random() < 1 / 3)),
    "shares that may be split": ((0, 1), 0.5, lambda: RNG.choice((0.0, 0.0, 0.5, 1.0, 1.0))),
    "parts": ((0, 1), 2 / 7, lambda: RNG.betavariate(2, 5)),
    "parts that are often whole": ((0, 1), 0.65, lambda: 1.0 if RNG.random() < 0.3 else RNG.random()),
    "differences": ((-1, 1), 0.2, lambda: RNG.choice((-1.0, 0.0, 0.0, 1.0, 1.0))),
    "worth": ((-1, 1), 0.05, lambda: RNG.choice((-1.0, -0.5, -0.5, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5, 1.0))),
    "lengths": ((0, inf), 50.0, lambda: RNG.gauss(50, 10)),
    "changes of the lead": ((0, inf), 3.0, lambda: float(sum(RNG.random() < 0.3 for _ in range(10)))),
    "margins": ((0, inf), 4.0, lambda: RNG.gammavariate(4, 1)),
}
"""Figures by what a game may have: bounds, the true mean, a draw."""


@pytest.mark.parametrize("games", [5, *soaking(10, 30, 100)])
def test_intervals_hold_the_truth(games: int) -> None:
    """92 to 98 % of them, of all sorts of figures; discrete ones a little more or less in few games."""
    count, slack = times(150), 0.02 + (0.05 if times(1) == 1 else 0)
    rates = {}
    for name, (bounds, truth, draw) in DRAWN.items():

        def interval(bounds: tuple[float, float] = bounds, draw: Callable[[], float] = draw) -> Estimate:
            return Mean(draw() for _ in range(games)).estimate(*bounds)

        rates[name] = covered(interval, truth, count)
    for shares in ((0.5, 0.5), (0.7, 0.2, 0.1), (0.25,) * 4):
        true = -sum(p * log(p) for p in shares) / log(len(shares))

        def wins(shares: Sequence[float] = shares) -> Estimate:
            drawn = RNG.choices(range(len(shares)), shares, k=games)
            return entropy([float(drawn.count(party)) for party in range(len(shares))])

        rates[f"uniformity {shares}"] = covered(wins, true, count // 3)

    def luck() -> Estimate:
        chances = [RNG.choice((0.0, 1.0, 0.5, 0.5)) for _ in range(games)]
        return explained([[float(RNG.random() < chance) for _ in range(20)] for chance in chances])

    rates["luck"] = covered(luck, 0.5, count // 3)
    assert {name: rate for name, rate in rates.items() if not 0.92 - slack <= rate <= 1} == {}
    assert mean(rates.values()) <= 0.98


def test_the_rest_of_a_game_does_not_hang_on_noise() -> None:
    """Odds of 48 games that differ by less than three standard errors are no lead, nor is a difference of little."""
    row: Row = {"odds": [[0.5, 0.5], [0.65, 0.35], [0.6, 0.4], [0.4, 0.6], [1.0, 0.0]], "playouts": [48, 48, 384, 384]}
    assert leading(row["odds"], by_odds(row)) == [-1, -1, 0, 1, 0]
    assert drama(row["odds"], row["playouts"], 0) == pytest.approx(sqrt(0.2))
    assert drama(row["odds"], row["playouts"], 1) == pytest.approx(sqrt(0.2))


def test_holm_by_hand() -> None:
    """0.01 is less than 0.05 / 4, 0.016 than 0.05 / 3; 0.026 is more than 0.05 / 2, and ends it."""
    assert rejected([0.026, 0.01, 0.04, 0.016]) == [False, True, False, True]


def test_the_course_of_a_game_by_hand() -> None:
    """Who leads, how often that changes, how far the winner was behind."""
    odds = [[0.5, 0.5], [0.7, 0.3], [0.6, 0.4], [0.45, 0.55], [0.2, 0.8], [0.0, 1.0]]
    games = [10_000] * 5
    leaders = leading(odds, by_odds({"odds": odds, "playouts": games}))
    assert leaders == [-1, 0, 0, 0, 1, 1]
    assert changes(leaders) == 1
    assert changes(leading(odds, by_points)) == 1
    assert drama(odds, games, 1) == pytest.approx((sqrt(0.4) + sqrt(0.2)) / 2)
    assert drama(odds, games, 0) == pytest.approx(sqrt(0.6))  # 0.1 is no lead


ROW: Row = {
    "game": 0, "seed": 1, "scores": [20, 19], "ranks": [1, 2], "winners": [0], "decisions": 8, "turns": 4,
    "ended_by_limit": False, "drawn": False,
}  # fmt: skip


def test_figures_of_a_game_by_hand() -> None:
    """A close game; one that nobody won; one in which a rule went wrong."""
    found = figures(ROW)
    assert found[FigureKey("win_share", 0)] == 1
    assert (found[FigureKey("margin")], found[FigureKey("close")], found[FigureKey("decisions_per_turn")]) == (1, 1, 2)
    tied = figures({**ROW, "scores": [3, 9], "winners": [], "drawn": True, "ended_by_limit": True})
    assert (tied[FigureKey("win_share", 0)], tied[FigureKey("close")], tied[FigureKey("completed")]) == (0.5, 0, 0)
    means = {m.key: m.estimate for m in measures([ROW, {"game": 1, "seed": 2, "error": "a rule"}])}
    assert (means[FigureKey("failed")].value, means[FigureKey("completed")].value) == (0.5, 0.5)
    assert means[FigureKey("turns")].games == 1
