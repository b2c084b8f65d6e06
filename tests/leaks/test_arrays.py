"""What an agent gets is a function of what its seat knows: arrays, masks and rows of events of pairs of positions that
the seat can't tell apart, like individuals exchanged; each kind of leak is brought in and caught."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulelang.game import State
from rulelang.resources import shipped_rulesets
from rulelang.runtime import event_rows, fields, picks, relative
from rulelang.runtime.layout import Layout
from rulelang.runtime.sight import ALL, Sight
from tests import soak
from tests.leaks.arrays import compared
from tests.leaks.compared import written
from tests.shipped import CONFORMANCE, ROOT, shipped

pytestmark = pytest.mark.filterwarnings("ignore:search and resampling use the interpreter")
GAMES = [
    path
    for folder in (shipped_rulesets(), ROOT / "benchmarks" / "games", CONFORMANCE)
    for path in sorted(folder.iterdir())
    if (path / "ruleset.yaml").is_file()
]


@pytest.mark.soak
@pytest.mark.parametrize("path", GAMES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_who_knows_the_same_gets_the_same(path: Path) -> None:
    """10,000 pairs of each ruleset; none where nobody has secrets and no individuals are alike."""
    ruleset = shipped(path)
    found = compared(ruleset, max(ruleset.players), 10_000, "native")
    assert {*found} <= {"pairs", "different", "told apart"}
    assert found["told apart"] <= found["pairs"] / 5


CAMPS = """\
rulelang: 2
name: camps
players: 2
kinds: {Man: {variables: {load: {type: 0..1}}, start: home}, Card: {start: deck}}
pieces:
  Man: [{id: man, count: 4}]
  Card: [{id: low, count: 2}, {id: high, count: 2}]
zones:
  home: {holds: Man, order: pile, visible: count}
  camp: {holds: Man, per: player, visible: owner}
  field: {holds: Man}
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
variables: {coins: {type: 0..300, per: player, visible: owner}}
rules: |
  setup:
    shuffle deck
    for p in players:
      draw 2 from home to p.camp
      draw 1 from deck to p.hand
  play:
    for p in players:
      turn of p: hides()
    for p in players:
      turn of p: shows()
  rule hides:
    for m in camp: m.load := secretly choose a number from 0 to 1
    coins := secretly choose a number from 1 to 3
  rule shows:
    let m = choose one of camp
    move m to field
  score s: coins
"""


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("rulelang.native", "rulelang.native.build"):
        monkeypatch.setattr(f"{module}.find_compiler", lambda: None)


def leaking(folder: Path, pairs: int = 24) -> set[str]:
    """The names of what differs in a game of like individuals, cards and numbers, all secret."""
    found = compared(written(folder, CAMPS), 2, pairs)
    assert found.pop("pairs") == pairs
    assert found.pop("different") > pairs // 3
    return {*found}


def _show(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let arrays be written by another sight than views have."""
    seen = Sight.__init__

    def sight(layout: Layout, seat: int) -> Sight:
        new = Sight.__new__(Sight)
        seen(new, layout, seat)
        change(new)
        return new

    monkeypatch.setattr(relative, "sight_of", sight)


def _show_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    _show(monkeypatch, lambda sight: sight.__setattr__("zones", [ALL] * len(sight.zones)))


def _show_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    _show(monkeypatch, lambda sight: sight.__setattr__("cells", [True] * len(sight.cells)))


def _keep_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "sorted", list, raising=False)


def _pick_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picks._Speller, "_row", lambda self, item: self.vocabulary.rows[item % 4])


def _tell_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        event_rows.EventRows, "_piece", lambda self, piece: event_rows.UNSEEN if piece is None else piece
    )


def _tell_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "entries", lambda self, seat, since=0: self.engine[1].log.since(since))


def _count_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(State, "event_count", lambda self, seat: len(self.engine[1].log) + self.engine[1].v[0])


PLANTED = {
    "zones": ({"counts", "numbers"}, _show_zones),
    "cells": ({"numbers"}, _show_cells),
    "order of rows": ({"numbers"}, _keep_rows_in_order),
    "numbers in picks": ({"mask", "picks"}, _pick_by_number),
    "numbers in events": ({"event rows"}, _tell_numbers),
    "events of others": ({"event rows"}, _tell_all),
    "number of events": ({"event count"}, _count_all),
}
"""A leak -> the names under which it is to be found, and what brings it in."""


@pytest.mark.usefixtures("without_compiler")
def test_like_individuals_with_secrets_tell_nothing(tmp_path: Path) -> None:
    """As the engine is."""
    assert not leaking(tmp_path, soak.times(60))


@pytest.mark.usefixtures("without_compiler")
@pytest.mark.parametrize("leak", PLANTED)
def test_what_tells_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    """In arrays, masks, rows of events, counts."""
    names, bring = PLANTED[leak]
    bring(monkeypatch)
    assert names <= leaking(tmp_path)
