"""The table of `rulelang compare` for people."""

from __future__ import annotations

from rulelang.cli.compare import _row
from rulelang.compare import Measure


def row(games_needed: int | None, difference: float = 0.25) -> list[object]:
    """A row of the table: B - A, the interval, how many games would show it."""
    measure = Measure("turns", -1, "", 1.0, 1.0 + difference, difference, -0.0001, 0.5, False, games_needed)
    found = _row(measure)
    return [found[3], found[4], found[6]]


def test_a_difference_that_no_number_of_games_shows() -> None:
    """Past a million games the number is not told; below, two digits of it are."""
    assert row(17_000_123) == ["+0.250", "0.000 to 0.500", "> 1 million"]
    assert row(12_345) == ["+0.250", "0.000 to 0.500", "~13000"]
    assert row(None) == ["+0.250", "0.000 to 0.500", ""]


def test_nothing_has_no_sign() -> None:
    """What rounds to nothing is not less than nothing."""
    assert row(None, -0.0002)[0] == "+0.000"
    assert row(None, -0.002)[0] == "-0.002"
