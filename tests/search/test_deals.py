"""Worlds of games that are dealt anew round by round: what a seat saw of an earlier deal does not hinder, nor weigh."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import rulelang
from rulelang.runtime.canonical import state_hash
from rulelang.search import Worlds
from tests.leaks.compared import written
from tests.search.posterior import fit, middle, posterior
from tests.soak import times

DICE = """\
rulelang: 2
name: dice
players: 2
types:
  Face: [low, middle, high]
  Die: [red, blue]
kinds:
  Side: {attributes: {face: Face, die: Die}, start: "cup[die]"}
pieces:
  Side: [{each: {die: Die, face: Face}, id: "{die}_{face}", per: player}]
zones:
  cup: {holds: Side, per: [player, Die], order: pile, visible: count}
  thrown: {holds: Side, per: player, visible: owner}
variables: {bid: {type: 0..2, per: player}}
rules: |
  play:
    repeat 2 times:
      for p in players:
        for d in Die:
          move (p.thrown where it.die = d) to p.cup[d]
          shuffle p.cup[d]
          draw 1 from p.cup[d] to p.thrown
      for p in players:
        turn of p: bid := choose a number from 0 to 2
      for p in players: reveal p.thrown
  score s: bid
"""
"""Two dice a seat, which are piles of their sides, thrown unseen, shown, and thrown again."""
CRIB = """\
rulelang: 2
name: crib
players: 2
types: {Rank: [one, two, three, four, five, six]}
kinds:
  Card: {attributes: {rank: Rank}, start: deck}
pieces:
  Card: [{each: {rank: Rank}, id: "{rank}"}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  crib: {holds: Card, visible: count}
  laid: {holds: Card}
rules: |
  play:
    repeat 2 times:
      move laid to deck
      for p in players: move p.hand to deck
      shuffle deck
      for p in players: draw 3 from deck to p.hand
      for p in players:
        turn of p:
          if some card = secretly choose one of hand: move card to crib
      for p in players:
        turn of p:
          if some card = choose one of hand: move card to laid
      move crib to laid
  score s: count(hand)
"""
"""Of three cards one is laid aside unseen, one is laid before all; then what was laid aside is seen, the third card is
not, and all is dealt again."""
PART = """\
rulelang: 2
name: part
players: 2
types: {Rank: [one, two, three, four, five]}
kinds:
  Card: {attributes: {rank: Rank}, start: deck}
pieces:
  Card: [{each: {rank: Rank}, id: "{rank}"}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
variables: {bid: {type: 0..1, per: player}}
rules: |
  play:
    repeat 2 times:
      for p in players: move p.hand to deck
      shuffle deck
      for p in players: draw 2 from deck to p.hand
      for p in players:
        turn of p:
          if some card = secretly choose one of hand: reveal card
      for p in players:
        turn of p: bid := choose a number from 0 to 1
  score s: bid
"""
"""Of two cards each seat shows one; all go back and are dealt again."""
TENS = """\
rulelang: 2
name: tens
players: 3
types: {Suit: [clubs, diamonds, hearts, spades], Rank: [a, b, c, d, e, f, g, h, i, j, k, l, m]}
kinds:
  Card: {attributes: {suit: Suit, rank: Rank}, start: deck}
pieces:
  Card: [{each: {suit: Suit, rank: Rank}, id: "{rank}_of_{suit}"}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card}
  discard: {holds: Card, order: pile, visible: top}
  burnt: {holds: Card, visible: count}
rules: |
  play:
    repeat 3 times:
      for p in players: move p.hand to deck
      move table to deck
      move burnt to deck
      move discard to deck
      shuffle deck
      for p in players: draw 10 from deck to p.hand
      for p in players:
        turn of p:
          let away = secretly choose 2 of hand
          move away to burnt
      repeat 5 times:
        for p in players:
          turn of p:
            if some card = choose one of hand: move card to table
      for p in players:
        turn of p:
          if some card = choose one of hand: move card to discard
      for p in players: reveal p.hand
  score s: count(hand)
"""
"""Three deals of ten cards a seat: some are laid aside unseen, some before all, one on top of a pile, and what is left
is revealed at the end."""
SMALL = {"dice": (DICE, 3), "crib": (CRIB, 6), "part": (PART, 5)}
"""Rulesets, and a number of choices after which the second deal is under way."""


@pytest.mark.parametrize("name", SMALL)
def test_worlds_come_as_often_as_they_should(name: str, tmp_path: Path) -> None:
    """They fit the exact posterior, of each deal, though earlier ones were seen in part."""
    text, steps = SMALL[name]
    state, choices = middle(written(tmp_path, text), 2, 1, steps)
    executor, true = state.engine
    for seat in range(2):
        exact, worlds, drawn = posterior(state, choices, seat), Worlds(state, seat, 1), []
        assert len(exact) > 1
        for _ in range(times(60)):
            worlds.skip(2)
            drawn.append(worlds.deal().hash())
        assert fit(drawn, exact) > 0.001
        dealt = (executor.resample(true, seat, number) for number in range(times(60)))
        assert fit(map(state_hash, dealt), exact) > 0.001


def test_three_deals_of_many_hidden_cards(tmp_path: Path) -> None:
    """Each seat has worlds throughout, that it can't tell from the true state."""
    state, draw = written(tmp_path, TENS).new_game(3, seed=1), random.Random(1)
    differing = 0
    while not state.is_terminal():
        if state.decisions % 21 in (2, 20):
            for seat in range(3):
                world = state.resample(seat, state.decisions)
                assert world.information_state(seat) == state.information_state(seat)
                differing += world.hash() != state.hash()
        state.apply(draw.choice(state.legal_actions(state.current_players()[0])))
    assert differing > 9


@pytest.mark.soak
def test_what_is_dealt_later_guides_no_earlier_deal() -> None:
    """Late in the second deal of hearts, in which cards were passed, each seat has a world."""
    state, draw = rulelang.load("hearts").new_game(4, seed=0, options={"passing": "to_the_left"}), random.Random(0)
    for number in range(108):
        seat = draw.choice(state.current_players())
        if number in (100, 104):
            world = state.resample(seat, number)
            assert world.information_state(seat) == state.information_state(seat)
        state.apply(draw.choice(state.legal_actions(seat)), seat)
