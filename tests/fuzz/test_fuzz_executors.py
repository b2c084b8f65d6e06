"""Mutated rulesets that pass `check` mean the same to both executors, and native code does nothing undefined."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from rulelang.native import guards
from tests.fuzz.executors import differences, mutants
from tests.native.sanitized import watching_compiler

FEW, MANY = 2, 1000
pytestmark = pytest.mark.usefixtures("compiler")


@pytest.fixture(autouse=True)
def _checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All is played in the guard build, whose C has places in it: seen from their folder they are those of every run,
    for which it is kept."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(guards.NATIVE, guards.GUARDED)


def test_mutants_on_both_executors(tmp_path: Path) -> None:
    """A few, step by step and to their end."""
    for number, ruleset in islice(mutants(range(10_000), tmp_path), FEW):
        assert differences(ruleset, number) == [], number


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_many_mutants_watched(part: int, tmp_path: Path) -> None:
    """A thousand, in native code that ends with a report where it does what C leaves undefined."""
    if watching_compiler() is None:
        pytest.skip("there is no C compiler whose programs watch themselves")
    for number, ruleset in islice(mutants(range(20_000 * part, 20_000 * (part + 1)), tmp_path), MANY // 20):
        assert differences(ruleset, number, tmp_path) == [], number
