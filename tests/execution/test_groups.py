"""A group is one wherever it is named: what it is grouped by is one value in loops, choices and parameters."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

GAME = """\
rulelang: 2
name: rows
players: 1
types: {Suit: [cups, coins]}
kinds: {Card: {attributes: {suit: Suit, worth: 1..3}, variables: {row: {type: 0..2}}, start: table}}
pieces:
  Card: [{id: cup, suit: cups, worth: 1, count: 2}, {id: coin, suit: coins, worth: 3, count: 3}]
zones: {table: {holds: Card}, kept: {holds: Card}}
variables: {points: {type: 0..99}, suits: {type: 0..99}}
rules: |
  play:
    turn of seat(0):
      for c in table: c.row := c.worth div 2
      for g in table grouped by row: points += 10 * g.row + of_row(g)
      choose:
        keep(g in table grouped by suit where wanted(it)): take(g)
        else: pass
  function of_row(g: group of Card by row) -> number = g.row + g.key + sum(g.worth)
  function wanted(g: group of Card by suit) -> bool = g.suit = coins and any(same(g, h) for h in table grouped by suit)
  function same(g: group of Card by suit, h: group of Card by suit) -> bool = g.suit = h.suit and count(g) = count(h)
  rule take(g: group of Card by suit):
    suits += of_any(g) + (1 if g.suit = cups else 2)
    move g to kept
  function of_any(g: list of Card) -> number = count(g.suit) + count(distinct(g.suit))
  score points: points
  score suits: suits
"""


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_what_a_group_has_in_common(backend: str, tmp_path: Path) -> None:
    """Two cups in row 0 are worth 2, three coins in row 1 add 10 + 1 + 1 + 9; the coins alone can be kept."""
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(players=1, seed=1, backend=backend)
    (keep,) = state.legal_actions()
    assert keep.id == "keep:g=coin+coin+coin"
    state.apply(keep)
    assert state.scores() == [2 + 21 + (3 + 1) + 2]
