"""What the printer says of a text, whether it leaves something in the arena, is so."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import rulelang
from rulelang.native.expressions import Writer
from tests.soak import soaking

ROOT = Path(__file__).parents[2]
GAMES = [ROOT / "rulesets/draughts", ROOT / "benchmarks/games/hearts"]
MORE = sorted(path for path in ROOT.glob("*/*/*/ruleset.yaml") if path.parent.name != "skeleton")  # which has gaps
ALLOCATING = re.compile(r"\ba_[a-z]\w*\(|\balloc\(")
"""Functions of the runtime that allocate are called `a_…`, and so are those of procedures that return a list."""


@pytest.mark.parametrize("folder", [*GAMES, *soaking(*(path.parent for path in MORE))], ids=lambda path: path.name)
def test_what_allocates_is_noted(folder: Path, monkeypatch: pytest.MonkeyPatch, compiler: None) -> None:
    """No text that calls an allocating function goes unnoticed."""
    missed: list[str] = []
    seen = 0
    plain = Writer.writes_to_arena

    def held_against_names(writer: Writer, write: Callable[[], str]) -> tuple[str, bool]:
        nonlocal seen
        text, used = plain(writer, write)
        seen += 1
        missed.extend([text] if ALLOCATING.search(text) and not used else [])
        return text, used

    monkeypatch.setattr(Writer, "writes_to_arena", held_against_names)
    ruleset = rulelang.load(folder)
    native = ruleset.executor(ruleset.players[0], backend="native").native
    assert native is not None
    native.text()
    assert (missed, seen > 0) == ([], True)
