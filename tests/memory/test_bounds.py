"""A living process keeps little of what it has read."""

from __future__ import annotations

import gc
import pickle
import shutil
import weakref
from copy import copy
from pathlib import Path

import pytest

from rulelang.diagnostics import Source
from rulelang.memory.check import check
from rulelang.memos import ENTRY_BYTES, Bounded, kept_with
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


def test_sources_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond their bound those used longest ago are given up; what is used stays one object."""
    monkeypatch.setattr(files, "_SOURCES", Bounded(files.SOURCE_BYTES))
    first = files.source_of("a", "x" * 10)
    for number in range(3):
        files.source_of(f"b{number}", "y" * (files.SOURCE_BYTES // files.CHARACTER // 2))
        assert files.source_of("a", "x" * 10) is first
    assert files._SOURCES.keys() == ["b2", "a"]


def test_what_is_kept_within_bytes() -> None:
    """Those used last stay; the last of all stays though it is too large."""
    memo: Bounded[str, int] = Bounded(10 * ENTRY_BYTES)
    for number in range(8):
        memo.put(str(number), number, ENTRY_BYTES)
        memo.get("3")
    assert memo.keys() == ["4", "5", "6", "7", "3"]
    assert memo.size == 10 * ENTRY_BYTES
    memo.put("7", 70, 0)
    assert (memo.get("7"), memo.size) == (70, 9 * ENTRY_BYTES)
    memo.put("large", 1, 100 * ENTRY_BYTES)
    assert (memo.keys(), memo.size) == (["large"], 101 * ENTRY_BYTES)
    memo.clear()
    assert (len(memo), memo.size) == (0, 0)


class Owner:
    """What results are kept with."""

    name = "a"


def test_what_is_kept_with_an_object_goes_with_it() -> None:
    """A copy, which may be changed, has results of its own."""
    calls: list[tuple[str, int]] = []

    @kept_with
    def named(owner: Owner, number: int) -> list[str]:
        calls.append((owner.name, number))
        return [owner.name] * number

    first = Owner()
    assert named(first, 2) is named(first, 2)
    assert named(first, 1) == ["a"]
    other = copy(first)
    other.name = "b"
    assert named(other, 2) == ["b", "b"]
    assert named(first, 2) == ["a", "a"]
    assert calls == [("a", 2), ("a", 1), ("b", 2)]
    result, gone = weakref.ref(first), named(first, 2)
    del first
    assert result() is None
    assert gone == ["a", "a"]


def test_a_copy_of_a_source_has_no_memo() -> None:
    """What is sent to another process is its text alone."""
    source = Source("a", "b\nc")
    source.memo["trees"] = object()
    copy = pickle.loads(pickle.dumps(source))
    assert (copy.path, copy.lines, copy.memo) == ("a", ("b", "c"), {})
