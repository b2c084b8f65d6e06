"""The tutorial, walked: every file is written, every change made, every command run, every answer compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.walk import walk

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.mark.slow
def test_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who does what the page says sees what the page shows."""
    monkeypatch.chdir(tmp_path)
    assert walk(PAGE) >= 15
