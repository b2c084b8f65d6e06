"""The leak suite finds leaks: each that was there once is brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulelang.execution.executor import Executor
from rulelang.game import Action, State
from rulelang.native import machine
from rulelang.runtime import relative, views
from rulelang.runtime.layout import Layout
from rulelang.runtime.sight import Redactor, Sight
from rulelang.runtime.state import State as RuntimeState
from rulelang.runtime.veil import Veil
from tests.leaks.compared import leaks, written
from tests.leaks.tells import tell
from tests.leaks.test_leaks import PAWNS

SECRETS = """\
rulelang: 2
name: secrets
players: 2
variables:
  friend: {type: player, per: player, visible: owner}
  coins: {type: 0..3, per: player, visible: owner}
  shown: {type: 0..3, per: player, start: "you.seat"}
rules: |
  play:
    for p in players:
      turn of p: hides()
    for p in players:
      turn of p: shown := choose a number from 0 to 3
  rule hides:
    friend := secretly choose one of players
    coins := secretly choose a number from 0 to 1
  score friends: friend.shown
  score even: 1 if coins = 1 else 0
"""


@pytest.fixture(autouse=True)
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rulelang.native", "rulelang.native.build"):
        monkeypatch.setattr(f"{module}.find_compiler", lambda: None)


def found(tmp_path: Path, text: str, **bounds: int) -> set[str]:
    """Under which names the suite finds differences in a ruleset."""
    width, most = bounds.get("width", 12), bounds.get("most", 4)
    names = leaks(written(tmp_path, text), 1, width=width, depth=7, most=most)
    assert names.pop("pairs") > 3
    return set(names)


def test_a_ruleset_with_secrets_leaks_nothing(tmp_path: Path) -> None:
    """As the engine is."""
    assert not found(tmp_path, SECRETS)


def test_a_sheet_of_the_true_state_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hidden variable of type player that keeps its true value, as all types without lowest and highest once did."""
    veiled = Veil.__init__

    def unveiled(self: Veil, state: RuntimeState, sight: Sight) -> None:
        veiled(self, state, sight)
        for cell in state.layout.cells_of_variable(0):
            list.__setitem__(self.v, cell, state.v[cell])

    monkeypatch.setattr(Veil, "__init__", unveiled)
    assert {"sheets", "page sheet en", "page sheet fr"} <= found(tmp_path, SECRETS)


def test_a_world_that_hangs_on_the_true_state_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The seed of chance is mixed with the hash of the true state."""
    resample = Executor.resample

    def peeking(self: Executor, state: RuntimeState, seat: int, seed: int) -> RuntimeState:
        return resample(self, state, seat, seed ^ sum(state.v))

    monkeypatch.setattr(Executor, "resample", peeking)
    assert {"saved world 0", "saved world 1"} <= found(tmp_path, SECRETS)


def test_knowledge_of_who_was_asked_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secret questions stand in no information state, but worlds and searches have those of the true game."""
    told = Redactor._choice

    def untold(self: Redactor, entry: Any) -> Any:
        seen = told(self, entry)
        return None if seen is not None and seen[0] == "commit" else seen

    text = tell("a secret question")
    assert not found(tmp_path, text)
    monkeypatch.setattr(Redactor, "_choice", untold)
    monkeypatch.setattr(views, "_asked", lambda state, seat: None)
    assert {"saved world 0", "saved world 1"} <= found(tmp_path, text, width=24)


def test_options_that_hang_on_what_is_hidden_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their order, by another's secret."""
    options = State.legal_actions

    def sorted_by_a_secret(self: State, player: int | None = None) -> list[Action]:
        listed = options(self, player)
        seat = listed[0].seat if listed else None
        return listed[:: -1 if seat is not None and self.engine[1].v[3 - seat] else 1]

    monkeypatch.setattr(State, "legal_actions", sorted_by_a_secret)
    assert "options" in found(tmp_path, SECRETS, width=24, most=8)


MENDS = {
    "return cell_refers[cell] && value >= 0 ? item_label[value] : value": "return value",
    "if (!cell_refers[cell] || value < 0) return (U)value": "return (U)value",
}
"""How native code compares variables that refer to one of several like pieces -> how it once did."""


@pytest.mark.soak
def test_native_worlds_that_hang_on_numbers_of_pieces_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A variable that refers to one of several like pieces is compared by the number that this had in the true game."""
    monkeypatch.undo()
    loaded = machine.loaded

    def peeking(text: str) -> Any:
        for now, once in MENDS.items():
            assert now in text
            text = text.replace(now, once)
        return loaded(text)

    monkeypatch.setattr("rulelang.ismcts.library.loaded", peeking)
    names = leaks(written(tmp_path, PAWNS), 5, "native", width=40, depth=22, most=20)
    assert {"saved world 0", "saved world 1"} <= set(names)


def test_an_array_that_shows_a_hidden_cell_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays written as if a seat saw all variables, and nothing else that leaves does."""
    seen = Sight.__init__

    def all_seen(self: Sight, layout: Layout, seat: int) -> None:
        seen(self, layout, seat)
        self.cells = [True] * len(self.cells)

    def sight(layout: Layout, seat: int) -> Sight:
        with monkeypatch.context() as patch:
            patch.setattr(Sight, "__init__", all_seen)
            return Sight(layout, seat)

    monkeypatch.setattr(relative, "sight_of", sight)
    assert found(tmp_path, SECRETS) == {"arrays"}
