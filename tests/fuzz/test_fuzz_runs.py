"""Whatever is read, a command ends with its status and a message: no traceback, no hang, no text from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.runs import SORTS, faults, run

FEW, MANY = 6, 3000


def check(sort: str, numbers: range, tmp_path: Path) -> None:
    """Assert that the runs of these numbers end well."""
    for number in numbers:
        folder = tmp_path / str(number)
        folder.mkdir()
        arguments, outcome = run(sort, number, folder)
        assert faults(outcome) == [], f"{sort} {number}: {arguments}\n{outcome.said[-2000:]}"


@pytest.mark.parametrize("sort", SORTS)
def test_hostile_runs(sort: str, tmp_path: Path) -> None:
    """Some of each sort of input, the same in every run."""
    check(sort, range(FEW), tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("sort", SORTS)
def test_many_hostile_runs(sort: str, part: int, tmp_path: Path) -> None:
    """Thousands more."""
    check(sort, range(FEW + part * MANY // 4, FEW + (part + 1) * MANY // 4), tmp_path)
