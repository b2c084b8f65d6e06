"""`total_score(p)`: the sum of a party's score lines, wherever a rule wants it."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang

TEXT = """\
rulelang: 2
name: pairs
players: [2, 4]
teams: {4: [[0, 1], [2, 3]]}
kinds: {Card: {identity: true, active: [won], start: pile}}
pieces:
  Card:
    - id: gem
      rules: |
        scores: 3
zones: {pile: {holds: Card}, won: {holds: Card, per: player}}
variables: {coins: {type: 0..20, per: player}}
rules: |
  play:
    for p in players:
      turn of p:
        coins += choose a number from 0 to 4
        if total_score(you) < 4: move gem to won
  score coins: coins
  score cards: count(won)
  winner: most min(total_score(you), min(total_score(p) for p in teammates) otherwise total_score(you))
  tie: most total_score(you) + sum(total_score(p) for p in teammates), then shared
"""


def load(folder: Path, text: str) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def played(ruleset: rulelang.Ruleset, *bids: int) -> rulelang.State:
    state = ruleset.new_game(len(bids))
    for bid in bids:
        state.apply(f"play:coins={bid}")
    return state


def test_the_total_is_the_sum_of_all_lines(tmp_path: Path) -> None:
    """The gem goes to whoever has fewer than four points on their turn, and moves on: 1 card and 3 of its own text."""
    state = played(load(tmp_path, TEXT), 2, 4)
    assert state.scores() == [2 + 1 + 3, 4]
    assert played(load(tmp_path, TEXT), 2, 3).scores() == [2, 3 + 1 + 3]


def test_teams_by_their_weaker_member(tmp_path: Path) -> None:
    """Scores 4, 4, 4, 3+4: the weakest is 4 in both teams, the second has more in all. A tie: shared."""
    ruleset = load(tmp_path, TEXT)
    state = played(ruleset, 4, 4, 4, 3)
    assert (state.scores(), state.winners()) == ([4, 4, 4, 7], [2, 3])
    state = played(ruleset, 3, 4, 4, 4)
    assert (state.scores(), state.winners()) == ([7, 4, 4, 4], [0, 1])
    state = played(ruleset, 4, 4, 4, 4)
    assert state.winners() == [0, 1, 2, 3]


def test_a_line_that_asks_for_the_total_calls_itself(tmp_path: Path) -> None:
    """A score line can't be worked out from the total that it is part of."""
    with pytest.raises(rulelang.RulesetError) as caught:
        load(tmp_path, TEXT.replace("score coins: coins", "score coins: total_score(you)"))
    assert [d.code for d in caught.value.diagnostics] == ["recursion-depth"]
