"""Intervals and tests against values from tables, exact sums, and figures that were worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log, sqrt
from statistics import mean, stdev

import pytest

from rulelang.compare import rejected
from rulelang.lab.measures import FigureKey, changes, drama, figures, leading, measures
from rulelang.lab.statistics import Mean, binomial_tail, entropy, intraclass, poisson_head, student, wilson


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
    estimate = added.estimate()
    assert estimate.high - estimate.value == pytest.approx(2.365 * stdev(values) / sqrt(8), rel=2e-3)


def test_entropy_and_intraclass_by_hand() -> None:
    """Two parties that win 3 to 1; deals that decide all, and nothing."""
    value = -(0.75 * log(0.75) + 0.25 * log(0.25)) / log(2)
    assert entropy([75, 25]).value == pytest.approx(value)
    assert intraclass([[1, 1], [0, 0], [1, 1], [0, 0]]) == pytest.approx(1)
    assert intraclass([[1, 0], [0, 1], [1, 0], [0, 1]]) == pytest.approx(-1)


def test_holm_by_hand() -> None:
    """0.01 is less than 0.05 / 4, 0.016 than 0.05 / 3; 0.026 is more than 0.05 / 2, and ends it."""
    assert rejected([0.026, 0.01, 0.04, 0.016]) == [False, True, False, True]


def test_the_course_of_a_game_by_hand() -> None:
    """Who leads, how often that changes, how far the winner was behind."""
    odds = [[0.5, 0.5], [0.7, 0.3], [0.6, 0.4], [0.45, 0.55], [0.2, 0.8], [0.0, 1.0]]
    leaders = leading(odds, 0.15)
    assert leaders == [-1, 0, 0, 0, 1, 1]
    assert changes(leaders) == 1
    assert changes(leading(odds, 0)) == 1
    assert drama(odds[:-1], 1) == pytest.approx((sqrt(0.4) + sqrt(0.2)) / 2)
    assert drama(odds[:-1], 0) == pytest.approx((sqrt(0.1) + sqrt(0.6)) / 2)


ROW = {
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
