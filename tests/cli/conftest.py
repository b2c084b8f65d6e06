from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rulelang.cli import run


@dataclass
class Done:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def rulelang(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in an empty folder: `rulelang("check", "reco")`."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Done:
        capsys.readouterr()
        status = run(arguments)
        found = capsys.readouterr()
        return Done(status, found.out, found.err)

    return command
