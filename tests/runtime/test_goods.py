"""Amounts of goods that are known in play alone, and choices named for ids, against a few lines of Python."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import rulelang

GOODS = ("gold", "tin", "wood")
HELD = {"gold": 2, "tin": 4, "wood": 1}
YAML = """\
rulelang: 2
name: goods
players: 1
types: {Good: {values: [gold, tin, wood]}}
kinds: {Card: {attributes: {bonus: Good}, start: box}}
pieces:
  Card: [{id: mint, bonus: gold}, {id: mine, bonus: tin}, {id: saw, bonus: wood}]
zones: {box: {holds: Card}, hand: {holds: Card, per: player}}
variables:
  purse: {type: bag of Good, per: player, start: 2 gold + 4 tin + 1 wood}
rules: |
  play:
    as seat(0):
      move (choose 1 of box as gift) to hand
      for c in hand:
        let part = choose one of Good as share
        if can pay 3 (part or gold) from purse: pay 3 (part or gold) from purse
        purse += (count(hand) + 1) (c.bonus)
  score tin: purse.tin
"""
CARDS = {"mint": "gold", "mine": "tin", "saw": "wood"}


def payments(part: str) -> list[dict[str, int]]:
    """The ways to pay 3 from what is held with a good and gold."""
    ways = [dict(zip(GOODS, counts, strict=True)) for counts in product(range(4), repeat=3)]
    return [w for w in ways if sum(w.values()) == 3 and all(w[g] <= HELD[g] * (g in (part, "gold")) for g in GOODS)]


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_goods(tmp_path: Path, backend: str) -> None:
    """Each card gives two of its bonus, after each way to pay 3 of a chosen good or gold."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    game = rulelang.load(tmp_path)
    for card, part in product(CARDS, GOODS):
        state = game.new_game(players=1, seed=0, backend=backend)
        assert [a.id for a in state.legal_actions()] == [
            f"play:gift={name}" for name in sorted(CARDS, key=list(CARDS).index)
        ]
        state.apply(f"play:gift={card}")
        assert [a.id for a in state.legal_actions()] == [f"play:share={good}" for good in GOODS]
        state.apply(f"play:share={part}")
        ways = payments(part)
        ids = {"play:pay=" + "+".join(g for g in GOODS for _ in range(way[g])): way for way in ways}
        asked = ids if len(ids) > 1 else {}  # the only way is no question
        assert sorted(a.id for a in state.legal_actions()) == sorted(asked)
        for id_, way in (ids or {"": dict.fromkeys(GOODS, 0)}).items():
            end = state.clone()
            if asked:
                end.apply(id_)
            left = {g: HELD[g] - way[g] + 2 * (CARDS[card] == g) for g in GOODS}
            assert end.observation(0)["variables"]["purse[0]"] == left
