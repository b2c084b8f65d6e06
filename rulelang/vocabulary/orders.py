"""The orders of zones (`order`): how pieces lie in one, for what reads zones, programs and backends."""

from __future__ import annotations

from typing import NamedTuple


class Order(NamedTuple):
    """How pieces lie in a zone.

    Attributes:
        ends: whether rules may name its top and its bottom. kept: whether pieces lie as they came; else equal contents
            are equal zones, in whatever order they came. enters: the end that they come to where rules name none; the
            top is what is looked at first.
    """

    ends: bool
    kept: bool
    enters: str = "top"


ORDERS = {"bag": Order(ends=False, kept=False), "pile": Order(ends=True, kept=True)}
