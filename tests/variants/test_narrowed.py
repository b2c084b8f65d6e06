"""A variant for fewer players, and one with a new row without a number: nothing is wrong in the base by that."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from tests.diagnostics_trial.test_trial import findings

BASE = """\
rulelang: 2
name: league
players: 1..4
teams: {4: [[0, 2], [1, 3]]}
automata: {machine: {players: [1]}}
types: {Front: {between: {1: [[0]], 2: [[0, 1]], 3: [[0, 1]], 4: [[0, 1], [2, 3]]}}}
kinds: {Card: {attributes: {value: 1..3}, start: deck}}
pieces: {Card: [{id: c1, value: 1, count: 4}, {id: c2, value: 2, count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player}
variables: {held: {type: 0..9, per: Front}}
rules: |
  setup: shuffle deck
  play:
    for p in players:
      turn of p: draw 1 from deck to hand
    for f in Front: held[f] += count(f.players)
    if some m = machine: draw 1 from deck to m.hand
  score cards: sum(hand.value) + sum(held[f] for f in Front where you in f.players)
words: {en: {Card: {one: card, row: "card {number}"}}}
"""


def variant(folder: Path, text: str) -> Path:
    """A variant of the league."""
    (folder / "league" / "variants" / "other").mkdir(parents=True, exist_ok=True)
    (folder / "league" / "ruleset.yaml").write_text(BASE, encoding="utf-8")
    path = folder / "league" / "variants" / "other"
    (path / "ruleset.yaml").write_text(f"rulelang: 2\nextends: league\n{text}", encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")


def test_fewer_players(tmp_path: Path) -> None:
    """What the base says of games that are no longer offered is left out; the others are played as before."""
    path = variant(tmp_path, "players: 2..3\n")
    assert [str(d) for d in findings(path)] == []
    state = rulelang.load(path).new_game(players=3, seed=1)
    assert state.is_terminal()
    assert len(state.scores()) == 3


def test_what_the_variant_itself_says_must_fit(tmp_path: Path) -> None:
    """Of games that are not offered the variant may say nothing, nor may the base by its own `players`."""
    path = variant(tmp_path, "players: 2..3\nteams: {1: [[0]]}\n")
    assert [(d.code, d.span.line, Path(d.span.path).parent.name) for d in findings(path)] == [
        ("ruleset-players", 4, "other")
    ]
    path = variant(tmp_path, "name: other\n")
    base = tmp_path / "league" / "ruleset.yaml"
    base.write_text(BASE.replace("players: 1..4", "players: 2..4"), encoding="utf-8")
    assert [(d.code, Path(d.span.path).parent.name) for d in findings(path)] == [("ruleset-players", "league")] * 2


def test_a_row_without_a_number(tmp_path: Path) -> None:
    """It is called by its id, and warned of where it stands, unless it has words; a row of the base is at fault."""
    row = "pieces: {Card: [{id: joker, value: 3}]}\n"
    path = variant(tmp_path, row)
    assert [(d.severity, d.code, Path(d.span.path).parent.name) for d in findings(path)] == [
        ("warning", "words-field", "other")
    ]
    path = variant(tmp_path, row.replace("value: 3", "value: 3, words: {en: jester}"))
    assert [str(d) for d in findings(path)] == []
    base = tmp_path / "league" / "ruleset.yaml"
    base.write_text(BASE.replace("id: c1", "id: ace"), encoding="utf-8")
    assert ("error", "words-field") in {(d.severity, d.code) for d in findings(path)}
