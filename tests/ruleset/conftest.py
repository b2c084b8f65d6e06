from __future__ import annotations

from pathlib import Path

import pytest
from ruleset_samples import Write


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that another test or run found valid is known."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes the files of a folder: `write("name", {"ruleset.yaml": text})`."""

    def make(name: str, files: dict[str, str | bytes]) -> Path:
        for file, content in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path / name

    return make
