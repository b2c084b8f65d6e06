"""The abstract domain of `rulelang.interpreter.abstract`: what is known of a run-time value of which parts are hidden.

Enters: run-time values, and what is known of hidden ones. Leaves: *abstract values*: a run-time value itself where all
of it is known, else an `Unknown` that says which values it may be. Each describes a superset of the possible values
(Cousot and Cousot, "Abstract Interpretation", 1977); `join` gives a superset of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.runtime.bounds import HIGHEST, LOWEST, WHOLE, Interval
from rulelang.vocabulary.types import ABSENT_NUMBER

MOST_VALUES = 512
"""Scalars that may have more values are ranges."""


class Unknown:
    """What is known of a value that is not known."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Several(Unknown):
    """One of two or more scalars (an absent one as it is stored)."""

    values: frozenset[int]


@dataclass(frozen=True, slots=True)
class Range(Unknown):
    """A scalar from `low` to `high`; `absent`: or an absent number."""

    low: int
    high: int
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Counts(Unknown):
    """A bag: of each resource an abstract number."""

    counts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AbstractElements:
    """From `low` to `high` elements of a collection, each of them one of `value`."""

    value: Any
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Members(Unknown):
    """A collection: the elements of all entries; in this order where `ordered`."""

    entries: tuple[AbstractElements, ...]
    ordered: bool = False


class Anything(Unknown):
    """Any value."""

    __slots__ = ()


ANYTHING = Anything()


def is_known(value: Any) -> bool:
    """Return whether an abstract value is a run-time value."""
    return not isinstance(value, Unknown)


def one_of(values: Iterable[int]) -> Any:
    """Return the abstract scalar that has one of these values."""
    distinct = frozenset(values)
    if len(distinct) == 1:
        return next(iter(distinct))
    if len(distinct) <= MOST_VALUES:
        return Several(distinct) if distinct else ANYTHING
    present = distinct - {ABSENT_NUMBER}
    return Range(min(present), max(present), ABSENT_NUMBER in distinct)


def between(low: int, high: int) -> Any:
    """Return the abstract number from `low` to `high`."""
    if low == high:
        return low
    return Several(frozenset(range(low, high + 1))) if high - low < MOST_VALUES else Range(low, high)


def finite(value: Any) -> Sequence[int] | None:
    """Return the scalars that an abstract value may be, in order; None if they are too many or no scalars."""
    if isinstance(value, int):
        return (value,)
    if isinstance(value, Several):
        return sorted(value.values)
    if isinstance(value, Range) and value.high - value.low < MOST_VALUES:
        return [*([ABSENT_NUMBER] if value.absent else []), *range(value.low, value.high + 1)]
    return None


def bounds(value: Any) -> Interval:
    """Return the least and greatest number that an abstract scalar may be, absent ones left out."""
    if isinstance(value, int):
        return value, value
    if isinstance(value, Several):
        present = value.values - {ABSENT_NUMBER}
        return min(present), max(present)
    return (value.low, value.high) if isinstance(value, Range) else WHOLE


def may_be(value: Any, scalar: int) -> bool:
    """Return whether an abstract scalar may be this one."""
    if isinstance(value, int):
        return value == scalar
    if isinstance(value, Several):
        return scalar in value.values
    if isinstance(value, Range):
        return value.absent if scalar == ABSENT_NUMBER else value.low <= scalar <= value.high
    return True


def without(value: Any, scalar: int) -> Any:
    """Return an abstract scalar that is known not to be this one; the value itself where that can't be said."""
    if isinstance(value, Several):
        return one_of(value.values - {scalar})
    if isinstance(value, Range):
        if scalar == ABSENT_NUMBER:
            return Range(value.low, value.high)
        if scalar == value.low < value.high:
            return Range(value.low + 1, value.high, value.absent)
    return value


def in_64_bits(low: int, high: int) -> Any:
    """Return the abstract number of a result: beyond 64 bits there is none, but an error."""
    return between(max(low, LOWEST), min(high, HIGHEST)) if low <= HIGHEST and high >= LOWEST else ANYTHING


def counts_of(bag: Any) -> Sequence[Any] | None:
    """Return the abstract counts of a bag; None for what is no bag."""
    if isinstance(bag, Counts):
        return bag.counts
    return bag if isinstance(bag, tuple) and all(isinstance(count, int) for count in bag) else None


def bag_of(counts: Iterable[Any]) -> Any:
    """Return the bag of these abstract counts."""
    listed = tuple(counts)
    return listed if all(isinstance(count, int) for count in listed) else Counts(listed)


def entries_of(collection: Any) -> tuple[AbstractElements, ...] | None:
    """Return the entries of an abstract collection; None for what is none."""
    if isinstance(collection, Members):
        return collection.entries
    return tuple(AbstractElements(value, 1, 1) for value in collection) if isinstance(collection, list) else None


def members(entries: Iterable[AbstractElements], ordered: bool = False) -> Any:
    """Return the collection of these entries: a list where all of them are known."""
    listed = tuple(entry for entry in entries if entry.high > 0)
    if ordered and all(entry.low == entry.high and is_known(entry.value) for entry in listed):
        return [entry.value for entry in listed for _ in range(entry.low)]
    return Members(listed, ordered)


def join(values: Iterable[Any]) -> Any:
    """Return an abstract value that may be whatever any of these may be."""
    parts: Iterator[Any] = iter(values)
    joined = next(parts, ANYTHING)
    for part in parts:
        if joined is ANYTHING:
            break
        joined = _join(joined, part)
    return joined


def _join(a: Any, b: Any) -> Any:
    if type(a) is type(b) and a == b:
        return a
    if isinstance(a, int | Several) and isinstance(b, int | Several):
        return one_of({*_values(a), *_values(b)})
    if isinstance(a, int | Several | Range) and isinstance(b, int | Several | Range):
        if ABSENT_NUMBER in (a, b):
            present = b if a == ABSENT_NUMBER else a
            return Range(*bounds(present), absent=True)
        (low, high), (least, most) = bounds(a), bounds(b)
        return Range(min(low, least), max(high, most), may_be(a, ABSENT_NUMBER) or may_be(b, ABSENT_NUMBER))
    mine, other = counts_of(a), counts_of(b)
    if mine is not None and other is not None and len(mine) == len(other):
        return bag_of(map(_join, mine, other))
    left, right = entries_of(a), entries_of(b)
    if left is not None and right is not None:
        ordered = all(isinstance(side, list) or side.ordered for side in (a, b))
        return _joined_entries(left, right, ordered)
    return ANYTHING


def _joined_entries(left: tuple[AbstractElements, ...], right: tuple[AbstractElements, ...], ordered: bool) -> Any:
    """Return the collection whose entries are those of either collection."""
    if len(left) == len(right):
        pairs = zip(left, right, strict=True)
        joined = (AbstractElements(_join(a.value, b.value), min(a.low, b.low), max(a.high, b.high)) for a, b in pairs)
        return members(joined, ordered)
    return members(AbstractElements(entry.value, 0, entry.high) for entry in (*left, *right))


def _values(value: Any) -> Iterable[int]:
    return (value,) if isinstance(value, int) else value.values
