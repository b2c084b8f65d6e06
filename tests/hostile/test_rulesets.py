"""A hostile ruleset gets a message with its place, at once and in little memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .cases import CASES
from .sandbox import rulelang_in


@pytest.mark.parametrize("name", CASES)
def test_hostile_ruleset(name: str, tmp_path: Path) -> None:
    """No traceback, the right status, the place, little time and memory."""
    case = CASES[name]
    folder = tmp_path / "g"
    folder.mkdir()
    for file, data in case.files.items():
        (folder / file).write_bytes(data)
    outcome = rulelang_in(folder, *case.command)
    assert outcome.problems() == [], outcome.said[-2000:]
    assert outcome.status == case.status, outcome.said[-2000:]
    assert re.search(case.says, outcome.said), outcome.said[-2000:]
