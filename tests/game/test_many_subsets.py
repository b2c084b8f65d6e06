"""Any of 16 different cards: all 65,536 choices can be listed, found by their id and drawn by number."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang import RuleError

YAML = """\
rulelang: 2
name: subsets
players: 2
kinds: {Card: {attributes: {value: 1..40}, start: deck}}
pieces: {Card: [{each: {value: 1..40}, id: "c{value}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  bin: {holds: Card, final: true}
rules: |
  setup:
    shuffle deck
    for p in players: draw SIZE from deck to p.hand
  play:
    for p in players:
      turn of p: move (choose any of hand) to bin
  score hand: sum(hand.value)
"""


def game(folder: Path, size: int) -> rulelang.State:
    """A game with so many cards in each hand, at its first choice."""
    (folder / "ruleset.yaml").write_text(YAML.replace("SIZE", str(size)), encoding="utf-8")
    return rulelang.load(folder).new_game(players=2, seed=1)


@pytest.mark.soak
def test_any_of_sixteen_cards_can_be_chosen(tmp_path: Path) -> None:
    """Each choice has an id of its own; one by its id leaves the rest in the hand, whose values are the score."""
    state = game(tmp_path, 16)
    ids = [action.id for action in state.legal_actions()]
    assert len(set(ids)) == len(ids) == 2**16
    cards = [
        int(name.removeprefix("c"))
        for name in max(ids, key=lambda id_: id_.count("+"))[len("play:choice=") :].split("+")
    ]
    assert len(cards) == 16
    chosen, kept = cards[::3], sum(cards) - sum(cards[::3])
    state.apply("play:choice=" + "+".join(f"c{value}" for value in chosen))
    assert state.scores()[0] == kept


def test_of_more_it_is_said(tmp_path: Path) -> None:
    """Of 20 cards there are 1,048,576 choices: they are counted and not listed."""
    state = game(tmp_path, 20)
    with pytest.raises(RuleError, match="this decision has 1048576 options; at most 65536 can be listed"):
        state.legal_actions()
    executor, inner = state.engine
    assert executor.interpreter.option_count(inner, 0) == 2**20
