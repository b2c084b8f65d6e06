"""A living process keeps little of what it has read."""

from __future__ import annotations

import gc
import pickle
import shutil
from pathlib import Path

import pytest

from rulelang import programs
from rulelang.diagnostics import Source
from rulelang.memory.check import check
from rulelang.ruleset import files
from tests.soak import times

ROOT = Path(__file__).resolve().parents[2]


def test_old_texts_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file that is edited again and again the last texts are kept, with their trees; the others are gone."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    folder = Path(shutil.copytree(ROOT / "tests/conformance/rulesets/refill", tmp_path / "refill"))
    path = next(folder.glob("*.yaml"))
    text = path.read_text(encoding="utf-8")
    for number in range(times(12)):
        path.write_text(f"{text}\n# {number}\n", encoding="utf-8")
        check(str(folder), ())
    gc.collect()
    texts = {each.text for each in gc.get_objects() if isinstance(each, Source) and each.path.endswith(str(path))}
    assert 1 <= len([each for each in texts if each]) <= files.VERSIONS


def test_sources_and_programs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond their bound those used longest ago are given up; what is used stays one object."""
    monkeypatch.setattr(files, "_SOURCES", {})
    first = files.source_of("a", "x" * 10)
    for number in range(3):
        files.source_of(f"b{number}", "y" * (files.MEMOISED // 2))
        assert files.source_of("a", "x" * 10) is first
    assert [*files._SOURCES] == ["b2", "a"]
    assert programs.KEPT < 100


def test_a_copy_of_a_source_has_no_memo() -> None:
    """What is sent to another process is its text alone."""
    source = Source("a", "b\nc")
    source.memo["trees"] = object()
    copy = pickle.loads(pickle.dumps(source))
    assert (copy.path, copy.lines, copy.memo) == ("a", ("b", "c"), {})
