"""Explicit chance and choices of several seats at once in single steps of native code: the interpreter is not asked."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.runtime.canonical import search_key, state_hash
from tests.soak import times

from .compared import load
from .test_interchangeable import TOKENS

pytestmark = pytest.mark.usefixtures("compiler")

LUCK = """\
rulelang: 2
name: g
players: 2
kinds:
  Card: {attributes: {worth: 1..9}, start: deck}
  Gem: {attributes: {size: 1..3}, variables: {polish: {type: 0..2}}, start: mine}
pieces:
  Card: [{id: a, count: 3, worth: 1}, {id: b, count: 2, worth: 2}, {id: c, worth: 5}]
  Gem: [{id: ruby, count: 3, size: 1}, {id: opal, count: 2, size: 2}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  bin: {holds: Card, visible: nobody}
  open: {holds: Card, visible: all}
  mine: {holds: Gem, order: pile, visible: count}
  shown: {holds: Gem, visible: all}
variables:
  points: {type: 0..99999, per: player, visible: all}
rules: |
  setup:
    shuffle deck
    shuffle mine
    for p in players: draw 1 from deck to p.hand
    draw 2 from mine to shown
  play:
    turn of seat(0):
      points += roll 1 to 6
      points += roll 3 to 3
      points += roll 1 to 2000
    move top 1 of deck to bin
    if some lucky = random one of players: lucky.points += 1
    for p in players:
      turn of p: act()
    move bin to open
    shuffle deck
    for c in top 1 of deck: seat(0).points += c.worth
  rule act:
    if some size = random one of each(g.size for g in shown): points += size
    if some g = random one of shown:
      g.polish := choose a number from 0 to 2
    if possible(gamble() then points > 0): points += 1
    if some g = random one of shown: points += g.polish
    if some c = random one of hand: move c to open
    if count(deck) > 1: draw 2 from deck to hand
  rule gamble: points += roll 0 to 1
  score points: points
"""
"""Numbers (one sort of them too many to be listed), elements that are equal or alike, pieces and individuals that
nobody has seen, what a whole zone shares with another."""

BIDS = """\
rulelang: 2
name: g
players: 3
limits: {decisions: %s, outcome: scores}
kinds: {Card: {attributes: {worth: 1..9}, start: deck}}
pieces: {Card: [{id: a, count: 4, worth: 1}, {id: b, count: 3, worth: 2}, {id: c, count: 2, worth: 5}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  gone: {holds: Card, visible: all}
variables:
  coins: {type: 0..9, per: player, start: 2, visible: all}
rules: |
  setup:
    shuffle deck
    for p in players: draw 3 from deck to p.hand
    move seat(1).hand to gone
  play:
    repeat 2 times:
      let bids = together choose a number from 0 to coins
      let cards = together choose up to 2 of hand
      let ones = together choose one of hand where it.worth <= bids[you]
      for p in players:
        p.coins += count(cards[p])
        move cards[p] to gone
        if some c = ones[p]:
          if c in p.hand: move c to gone
      turn of seat(2):
        coins += choose a number from 0 to 1
        if possible(bid() then coins > 0): coins += 1
  rule bid:
    let again = together choose a number from 0 to 1
    coins += again[seat(0)]
  score coins: coins
"""
"""Answers that are numbers, several cards, a card or none; seats that have nothing to choose; trying to ask several."""


def refused(*_: Any) -> Any:
    """Stands for what the interpreter does."""
    raise AssertionError("the interpreter was asked")


def same_walks(ruleset: rulelang.Ruleset, players: int, seeds: range, unlisted: int = 0) -> int:
    """Random walks with explicit chance through the interpreter and through native code, whose own interpreter may do
    nothing but list `unlisted` nodes; return how many steps there were."""
    one, other = (ruleset.executor(players, {}, name) for name in ("interpreter", "native"))
    other.prepare_steps()
    listing, steps = 0, 0
    keys: dict[str, Any] = {}
    hashes: dict[Any, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        for name in ("advance", "choose", "take_outcome", "options", "waiting"):
            patch.setattr(other.interpreter, name, refused)
        outcomes = other.interpreter.weighted_outcomes

        def counted(state: Any) -> Any:
            nonlocal listing
            listing += 1
            return outcomes(state)

        patch.setattr(other.interpreter, "weighted_outcomes", counted)
        for seed in seeds:
            picker = random.Random(seed)
            states = [executor.initial_state(seed, True, logging=False) for executor in (one, other)]
            while (waiting := one.waiting(states[0])) is not None:
                assert other.waiting(states[1]) == waiting
                seat = picker.choice(waiting.seats) if waiting.seats else -1
                found: Any = one.options(states[0], seat) if waiting.seats else one.outcomes(states[0])
                again = other.options(states[1], seat) if waiting.seats else other.outcomes(states[1])
                assert list(again) == list(found)
                place = picker.randrange(len(found))
                if waiting.seats:
                    states = [e.after_choice(s, seat, place) for e, s in zip((one, other), states, strict=True)]
                else:
                    draw = sum(weight for _, weight in found[:place])
                    value = found[place][0]
                    states = [e.after_chance(s, value, draw) for e, s in zip((one, other), states, strict=True)]
                assert search_key(states[1]) == search_key(states[0])
                assert states[1].turns == states[0].turns
                hashed, (key, _) = state_hash(states[0]), other.search_key(states[1])
                assert keys.setdefault(hashed, key) == key
                assert hashes.setdefault(key, hashed) == hashed
                assert other.search_key(states[0])[0] == key
                steps += 1
            assert states[1].over == states[0].over
            assert other.steps is not None
            assert other.waiting(states[1]) is None
    assert listing == unlisted
    return steps


def test_sorts_of_chance(tmp_path: Path) -> None:
    """Outcomes of each sort lead to the interpreter's states, with their weights; 2,000 are too many for C to list."""
    assert same_walks(load(tmp_path, LUCK), 2, range(times(4)), unlisted=times(4)) > 30


def test_individuals_that_may_be_alike(tmp_path: Path) -> None:
    """Those that nothing tells apart are one outcome."""
    assert same_walks(load(tmp_path, TOKENS), 2, range(3)) > 50


@pytest.mark.parametrize("limit", [60, 3, 4])
def test_choices_of_several_seats(limit: int, tmp_path: Path) -> None:
    """Seats choose in any order; what they chose waits; the limit of decisions ends a game between two of them."""
    assert same_walks(load(tmp_path, BIDS.replace("%s", str(limit))), 3, range(times(3))) > 8


def test_positions_from_elsewhere_are_gone_on_with(tmp_path: Path) -> None:
    """A game saved while some seats have still to choose, and one saved at a chance node, go on in native code."""
    ruleset = load(tmp_path, BIDS.replace("%s", "60"))
    state = ruleset.new_game(3, 1, chance="explicit", backend="interpreter")
    while not state.decisions:
        again = ruleset.state_from_json(state.to_json(), backend="native")
        assert again.chance_outcomes() == state.chance_outcomes()
        for game in (state, again):
            game.apply(game.legal_actions()[-1])
        assert again.hash() == state.hash()
    again = ruleset.state_from_json(state.to_json(), backend="native")
    for seat in (2, 1):
        assert again.current_players() == state.current_players()
        for game in (state, again):
            game.apply(game.legal_actions(seat)[-1], seat)
        assert again.to_json() == state.to_json()
