"""Bags as sorted tuples, for the references: with, without, sub-bags, and the weights of a blind draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations

Bag = tuple[str, ...]


def bag(*items: str) -> Bag:
    """The bag of these items."""
    return tuple(sorted(items))


def plus(first: Iterable[str], second: Iterable[str]) -> Bag:
    """Both bags together."""
    return bag(*first, *second)


def minus(whole: Iterable[str], part: Iterable[str]) -> Bag:
    """The bag without each item of `part`, which it must hold."""
    left = Counter(whole)
    left.subtract(part)
    assert min(left.values(), default=0) >= 0, "taken from a bag what it does not hold"
    return bag(*left.elements())


def sub_bags(whole: Iterable[str], size: int) -> list[Bag]:
    """The distinct sub-bags of exactly `size` items."""
    return list(dict.fromkeys(combinations(bag(*whole), size)))


def weights(pool: Iterable[str]) -> Mapping[str, int]:
    """How often each distinct item is in the pool: the weights of a blind draw."""
    return Counter(bag(*pool))
