"""`random N at once of C` of pieces with identity, of which several are alike."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import rulelang
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice
from rulelang.runtime.views import observation

TEXT = """
rulelang: 2
name: men
players: 2
kinds: {Man: {identity: true, attributes: {rank: 1..3}, start: camp}}
pieces:
  Man: [{id: guard, rank: 1, count: 3}, {id: scout, rank: 3, count: 2}]
zones:
  camp: {holds: Man}
  hand: {holds: Man, per: player}
rules: |
  play:
    for p in players:
      turn of p: move (random 2 at once of camp) to hand
  score hand: sum(hand.rank)
"""


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_men_that_are_alike_are_one_outcome(backend: str, tmp_path: Path) -> None:
    """Of 10 pairs of 3 guards and 2 scouts 3 are guards, 6 mixed, one scouts; of a guard and two scouts 2 are mixed."""
    (tmp_path / "ruleset.yaml").write_text(TEXT, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, chance="explicit", backend=backend)
    weights = {action.id.partition("=")[2]: weight for action, weight in state.chance_outcomes()}
    assert weights == {"guard+guard": Fraction(3, 10), "guard+scout": Fraction(6, 10), "scout+scout": Fraction(1, 10)}
    state.apply("play:random=guard+guard")
    weights = {action.id.partition("=")[2]: weight for action, weight in state.chance_outcomes()}
    assert weights == {"guard+scout": Fraction(2, 3), "scout+scout": Fraction(1, 3)}
    state.apply("play:random=guard+scout")
    assert state.scores() == [2, 4]


DEALT = """
rulelang: 2
name: dealt
players: 2
kinds: {Card: {attributes: {rank: 1..40}, start: deck}}
pieces:
  Card: [CARDS]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card}
rules: |
  setup: shuffle deck
  play:
    for p in players: draw 5 at once from deck to p.hand
    for p in players:
      turn of p: move (choose one of hand) to table
  score hand: sum(hand.rank)
""".replace("CARDS", ", ".join(f"{{id: c{rank}, rank: {rank}}}" for rank in range(1, 41)))


@pytest.mark.parametrize(("text", "turns"), [(TEXT, 0), (DEALT, 0), (DEALT, 1)])
def test_worlds_are_sampled_without_a_compiler(text: str, turns: int, tmp_path: Path) -> None:
    """A game that drew one by one, as sampled chance does, is replayed, also where no list holds what may be drawn."""
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, seed=1)
    for _ in range(turns):
        state.apply(state.legal_actions()[0])
    executor, position = state.engine
    for seat in (0, 1):
        world = Sampler(executor.interpreter, position.clone(), seat).world(Dice(3), 2000)
        assert world is not None
        seen = [observation(each, seat) for each in (position, world)]
        assert seen[0] == seen[1]
