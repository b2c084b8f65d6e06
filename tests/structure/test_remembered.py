"""What passed is skipped while its files are the same, and never where it failed or a byte is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import remembered, soak


def test_a_test_runs_again_when_a_file_is_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's, one that it names, or one that is new; each case by itself; what fails is run until it passes."""
    ran: list[str] = []
    (tmp_path / "rulelang").mkdir()
    (tmp_path / "tests").mkdir()
    (tmp_path / "page.md").write_text("one")
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(remembered, "IS_SPARSE", True)
    monkeypatch.setattr(soak, "FACTOR", 1)

    @remembered.remembered("page.md")
    def tried(case: str) -> None:
        ran.append(case)
        assert case != "wrong"

    monkeypatch.setattr(remembered, "ROOT", tmp_path)
    remembered.digest.cache_clear()

    def again(case: str) -> bool:
        """Whether the test is run; as another process does it, which has read no file."""
        before = len(ran)
        remembered.digest.cache_clear()
        try:
            tried(case=case)
        except pytest.skip.Exception:
            assert len(ran) == before
        return len(ran) > before

    assert [again("a"), again("a"), again("b"), again("a")] == [True, False, True, False]
    for file in ("rulelang/new.py", "page.md", "tests/helper.py"):
        (tmp_path / file).write_text("another")
        assert [again("a"), again("a")] == [True, False], file
    for _ in range(2):
        with pytest.raises(AssertionError):
            again("wrong")
    monkeypatch.setattr(soak, "FACTOR", 10)
    assert again("a")
    remembered.digest.cache_clear()
