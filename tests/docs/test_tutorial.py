"""The tutorial, walked: every file is written, every change made, every command run, every answer compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.walk import walk
from tests.remembered import remembered

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "steps"), [("five_minutes", 6), ("tutorial", 15)])
@remembered("docs/five_minutes.md", "docs/tutorial.md", "tests/docs")
def test_tutorial(page: str, steps: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader who does what the page says sees what the page shows."""
    monkeypatch.chdir(tmp_path)
    assert walk(DOCS / f"{page}.md") >= steps
