"""What tests do with `--soak` alone, and how often they try at random: ten times as often with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

FACTOR = 1
"""Set by `conftest.py` before tests are collected."""


def times(number: int) -> int:
    """Return a number of trials."""
    return number * FACTOR


def every(step: int, values: Sequence[T]) -> Sequence[T]:
    """Return values that are all tried with `--soak`; without it the first of so many, and so on."""
    return values if FACTOR > 1 else values[::step]


def soaking(*values: Any) -> list[Any]:
    """Return values of a parameter that are tried with `--soak` only; without it the first stands for all."""
    return [pytest.param(value, marks=pytest.mark.soak) for value in (values if FACTOR > 1 else values[:1])]
