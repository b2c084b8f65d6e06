"""How often tests try at random: ten times as often with `--soak`."""

FACTOR = 1
"""Set by `conftest.py` before tests are collected."""


def times(number: int) -> int:
    """Return a number of trials."""
    return number * FACTOR
