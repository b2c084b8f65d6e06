"""Rulesets of the repository in the guard build: no index leaves its bounds, and all is as the interpreter has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.game import load
from rulelang.native import guards
from tests.fuzz.executors import differences

from .test_same_answers import FOLDERS, LONG, PLAYED

pytestmark = pytest.mark.usefixtures("compiler")
FEW = {"belt", "push_chain", "secret_bid"}
"""The others are for `--soak`; all of them together have every operation, decision and sort of chance."""
MANY = (PLAYED | {"payments", "bazaar", "reactions", "connect", "refill", "leduc", "draft_four", "repair"}) - LONG


@pytest.mark.parametrize(
    "folder",
    [
        pytest.param(folder, id=folder.name, marks=() if folder.name in FEW else pytest.mark.soak)
        for folder in FOLDERS
        if folder.name in FEW | MANY
    ],
)
def test_games_in_the_guard_build(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game step by step and some to their end."""
    monkeypatch.setenv(guards.NATIVE, guards.GUARDED)
    assert differences(load(folder), 3) == []
