"""A check that remembers finds what one that remembers nothing finds, and looks at what is new alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rulelang.cli.check import with_variants
from rulelang.memory import check as checking
from rulelang.memory.check import check
from rulelang.memory.items import items_in
from rulelang.memory.meaning import folder_of
from rulelang.memory.store import BYTES, Memory
from rulelang.rerun import rerun
from rulelang.semantics.scenarios import texts
from tests.memory.edits import edits
from tests.soak import soaking, times

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """R-ECO without its variants in a folder of its own, with an empty cache."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    return Path(
        shutil.copytree(ROOT / "rulesets" / "reco", tmp_path / "reco", ignore=shutil.ignore_patterns("variants"))
    )


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the scenarios that are checked."""
    names: list[str] = []

    def noted(analysed: Any, scenarios: Any) -> Any:
        names.extend(scenario.name for scenario in scenarios)
        return original(analysed, scenarios)

    original = texts.checking_scenarios
    monkeypatch.setattr(texts, "checking_scenarios", noted)
    return names


def findings(path: str, remembering: bool) -> str:
    """The findings of a check as JSON."""
    return json.dumps([finding.to_json() for finding in check(path, (), remembering=remembering)])


@pytest.mark.parametrize("name", ["reco", *soaking("", "ldd", "imaginarium", "droids")[1:]])
def test_remembering_says_what_fresh_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After random edits of all kinds, mixed and undone."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    folder = Path(shutil.copytree(ROOT / "rulesets" / name, tmp_path / name))
    path = str(folder)
    assert findings(path, True) == "[]"
    faultless = 0
    for edit in edits(folder, Random(36), times(13)):  # 520 over the four games with --soak
        for each in with_variants((path,), ()) if times(1) > 1 else (path,):
            fresh = findings(each, False)
            assert findings(each, True) == fresh, edit
            faultless += fresh == "[]"
    assert faultless


EDITS: tuple[tuple[str, str, str, int], ...] = (
    ("rulebook.yaml", "rulelang: 2", "rulelang: 2 # a comment", 0),
    ("reco.rule", "rulelang 2\n", "rulelang 2\n\n# a comment\n", 0),
    ("scenarios", "scenarios:\n", "scenarios:\n  # a comment\n\n", 0),
    ("scenarios", "  - name: ", "  - name: another ", 1),
)


@pytest.mark.parametrize(("file", "old", "new", "most"), EDITS)
def test_what_is_new_is_checked_alone(game: Path, checked: list[str], file: str, old: str, new: str, most: int) -> None:
    """A comment is nothing new; of a scenario file the item that changed is."""
    assert not len(check(str(game), ()))
    assert len(checked) > 50
    path = game / file
    path = next(path.glob("*.yaml")) if path.is_dir() else path
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    checked.clear()
    assert not len(check(str(game), ()))
    assert len(checked) == most


FAULTS: tuple[tuple[str, str, list[str], int], ...] = (
    ("colour=red", "colour=rde", ["scenario-pattern"], 1),
    ("      - {card: red1}\n", "      - {card: red1}\n      - {card: rde1}\n", ["scenario-pattern", "name-unknown"], 4),
    ("{scores: [-2, 10, 2]}", "{score: [-2, 10, 2]}", ["schema-unknown-key"], 30),
    ("  - name: otherwise seat 0 begins\n", "", 4 * ["yaml-duplicate-key"], 20),
)
"""In a scenario file: what is written otherwise, what is found, how many scenarios are checked for it at most."""


def test_with_a_fault_others_stay_known(game: Path, checked: list[str]) -> None:
    """An error in one scenario says nothing of the others; it is told again, also after the scenarios have been run."""
    assert not len(check(str(game), ()))
    for old, new, codes, most in FAULTS:
        path = next(path for path in (game / "scenarios").glob("*.yaml") if old in path.read_text(encoding="utf-8"))
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        for run in (False, "cases" in text, False):
            checked.clear()
            assert [finding.code for finding in check(str(game), ())] == codes
            assert len(checked) <= most
            if run and (folder := folder_of(game)) is not None:
                rerun(str(game), folder)
                folder.memory.save()
        path.write_text(text, encoding="utf-8")


def test_a_comment_is_not_even_analysed(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In rules and scenarios alike; one that may not be there is looked at."""
    assert not len(check(str(game), ()))
    monkeypatch.setattr(checking, "read_ruleset", None)
    for path in (game / "reco.rule", next((game / "scenarios").glob("*.yaml"))):
        path.write_text(path.read_text(encoding="utf-8") + "\n# more\n", encoding="utf-8")
        assert not len(check(str(game), ()))
    monkeypatch.undo()
    text = path.read_text(encoding="utf-8")
    for fault, code in ((f"# {'x' * 100_000}", "ruleset-long-line"), ("# a\ttab", "yaml-tab"), ("\t", "yaml-tab")):
        path.write_text(f"{text}{fault}\n", encoding="utf-8")
        assert [finding.code for finding in check(str(game), ())] == [code]


def test_a_scenario_of_a_known_name_is_told(game: Path) -> None:
    """Though the first of the name is not read again."""
    assert not len(check(str(game), ()))
    first, second = sorted((game / "scenarios").glob("*.yaml"))[:2]
    item = items_in(first.read_text(encoding="utf-8"))[0]
    lines = first.read_text(encoding="utf-8").split("\n")[item.first : item.end]
    second.write_text(second.read_text(encoding="utf-8").rstrip("\n") + "\n" + "\n".join(lines), encoding="utf-8")
    assert [finding.code for finding in check(str(game), ())] == ["ruleset-duplicate"]


def test_nothing_kept_has_a_place(game: Path) -> None:
    """What is kept are digests, names and numbers; no path, no message, no line."""
    check(str(game), ())
    folder = folder_of(game)
    assert folder is not None
    names = {scenario for row in folder.memory.tables["items"].values() for scenario in row[0]}
    kept = [*_texts(folder.memory.tables)]
    assert len(names) > 50
    assert not [text for text in kept if text not in names and (str(game) in text or "/" in text or " " in text)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value
    else:
        assert isinstance(value, int)


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its bound what was used longest ago is given up; a file of another key is not read."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    memory = Memory("0" * 32)
    for number in range(6):
        memory.put("big", str(number), "x" * (BYTES // 5))
    memory.get("big", "0")
    memory.save()
    again = Memory("0" * 32)
    assert {"0", "5"} <= set(again.tables["big"]) < set("0123456")
    assert "1" not in again.tables["big"]
    assert Memory("1" * 32).tables == {}
    assert len(list((tmp_path / "cache" / "memory").iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("rulelang: 2\nscenarios:\n  - name: a\n    then: [x]\n  # c\n\n  - name: b\n    do: |\n      x\n", 2),
        ("rulelang: 2\nscenarios:\n- name: a\n  then:\n  - x\n- name: b\n", 2),
        ("rulelang: 2\nscenarios: [{name: a}]\n", 0),
        ("rulelang: 2\nscenarios:\n  - name: a\nmore: 1\n", 0),
        ("rulelang: 2\nscenarios:\n  - name: a\n - name: b\n", 0),
        ("rulelang: 2\n", 0),
        ("", 0),
    ],
)
def test_items_are_cut_by_their_indentation(text: str, count: int) -> None:
    """Where that does not show them there are none, and the file is read whole."""
    items = items_in(text)
    assert len(items) == count
    assert all(first.end == second.first for first, second in pairwise(items))


def test_a_warning_of_the_rules_leaves_scenarios_known(game: Path, checked: list[str]) -> None:
    """What is wrong with a citation has nothing to do with them; it is said each time."""
    check(str(game), ())
    path = game / "reco.rule"
    text = re.sub(r"(\[reco-\w+:)\d+(-\d+)?\]", r"\g<1>9999]", path.read_text(encoding="utf-8"), count=1)
    path.write_text(text, encoding="utf-8")
    fresh = findings(str(game), False)
    checked.clear()
    assert "citation-outside" in fresh
    assert findings(str(game), True) == findings(str(game), True) == fresh
    assert checked == []
