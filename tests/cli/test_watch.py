"""`check --watch`: again after each change of what is read, and only then; Ctrl-C ends it quietly."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

BASE = """\
rulelang: 2
name: base
title: {en: Base}
players: 2
languages: [en]
variables: {coins: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p: act()
  rule act:
    coins += 1
  score wealth: coins
"""
VARIANT = "rulelang: 2\nname: mine\nextends: base\n"
OVERLAY = "rulelang: 2\nname: over\n"
SCENARIO = "rulelang: 2\nscenarios: 3\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_each_change_is_checked_once(rulelang: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The base, an overlay, a scenario that is new; a note beside them is none, and a look without one is silent."""
    _write(Path("base/ruleset.yaml"), BASE.replace("coins += 1", "coin += 1"))
    _write(Path("mine/ruleset.yaml"), VARIANT)
    _write(Path("over/ruleset.yaml"), OVERLAY)
    looks: list[Callable[[], object]] = [
        lambda: None,
        lambda: _write(Path("base/ruleset.yaml"), BASE),
        lambda: _write(Path("mine/notes.txt"), "nothing"),
        lambda: _write(Path("over/ruleset.yaml"), OVERLAY + "nonsense: 1\n"),
        lambda: _write(Path("over/ruleset.yaml"), OVERLAY),
        lambda: _write(Path("over/scenarios/new.yaml"), SCENARIO),
    ]
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if not looks:
            raise KeyboardInterrupt
        looks.pop(0)()

    monkeypatch.setattr("time.sleep", sleep)
    done = rulelang("check", "mine", "--overlay", "over", "--watch")
    assert done.status == 130
    assert slept == [0.5] * 7
    assert "Traceback" not in done.err
    assert done.err.count("Ctrl-C ends") == 5
    said = re.findall(r"error\[([a-z-]+)\]|^mine: (ok)$", done.out, re.M)
    codes = [code or ok for code, ok in said]
    assert codes == ["name-unknown", "ok", "schema-unknown-key", "ok", "schema-type"]


def test_text_only(rulelang: Run) -> None:
    """A document that never ends is no JSON."""
    for form in ("json", "sarif"):
        done = rulelang("check", "reco", "--watch", "--format", form)
        assert done.status == 2
        assert "--watch" in done.err
