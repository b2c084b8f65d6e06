"""Families of sub-multisets: counted, picked, listed and recognised alike."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from rulelang.interpreter.decisions import Selections
from tests.properties import given, st

elements = st.lists(st.integers(0, 4), max_size=7)
bounds = st.integers(-1, 8)


def family(values: list[int], low: int, high: int) -> Selections:
    return Selections([[value] * count for value, count in sorted(Counter(values).items())], low, high)


@given(elements, bounds, bounds)
def test_against_all_combinations(values: list[int], low: int, high: int) -> None:
    """Each distinct sub-multiset stands once, by size, then in lexicographic order."""
    found = family(values, low, high)
    wanted = [
        list(chosen)
        for size in range(max(low, 0), min(high, len(values)) + 1)
        for chosen in sorted(set(combinations(sorted(values), size)))
    ]
    assert list(found) == wanted
    assert len(found) == len(wanted)
    assert [found[k] for k in range(len(found))] == wanted
    assert all(chosen in found for chosen in wanted)


@given(elements, bounds, bounds, st.lists(st.integers(0, 5), max_size=7))
def test_contains(values: list[int], low: int, high: int, candidate: list[int]) -> None:
    """Recognised are sorted sub-multisets of a size within the bounds, and nothing else."""
    wanted = low <= len(candidate) <= high and not Counter(candidate) - Counter(values)
    assert (sorted(candidate) in family(values, low, high)) == wanted


def test_huge_families_are_not_listed() -> None:
    """Counting and picking the last of billions is immediate."""
    found = Selections([[n] * 3 for n in range(24)], 12, 12)
    assert len(found) > 10**8
    assert found[len(found) - 1] == [20, 20, 20, 21, 21, 21, 22, 22, 22, 23, 23, 23]


def test_members_of_a_class_stand_for_each_other() -> None:
    """Of alike individuals the first ones are taken."""
    found = Selections([[2, 5, 7], [3]], 2, 2)
    assert list(found) == [[2, 5], [2, 3]]
    assert [2, 5] in found
    assert [5, 7] not in found
