"""The orders of zones (`order`): how pieces lie in one, for what reads zones, programs and backends."""

from __future__ import annotations

from typing import NamedTuple


class Order(NamedTuple):
    """How pieces lie in a zone.

    Attributes:
        ends: whether it has a top and a bottom; else equal contents are equal zones, in whatever order they came.
    """

    ends: bool


ORDERS = {"bag": Order(ends=False), "pile": Order(ends=True)}
