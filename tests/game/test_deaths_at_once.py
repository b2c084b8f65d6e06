"""Pieces that an event takes away together: those among them that react to it do, with the owners that they had."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from rulelang import State
from tests.leaks.histories import actions, after
from tests.words.games import made

DUEL = """\
rulelang: 2
name: duel
players: 2
kinds:
  Unit: {attributes: {power: 1..2}, variables: {life: {type: 0..2, start: 2}}, active: [field], start: field}
pieces:
  Unit:
    - {id: guard, power: 2, per: player}
    - {id: martyr, power: 1, per: player, rules: "after fall(this): owner.points += 3"}
    - id: vulture
      power: 1
      per: player
      rules: "after fall(dead): owner.points += count(dead where it.owner != owner)"
zones: {field: {holds: Unit, per: player}, graves: {holds: Unit, final: true}}
variables: {points: {type: 0..30, per: player}}
rules: |
  play:
    let striker = together choose one of field
    let target = together choose one of next.field
    for p in players:
      if some t = target[p]:
        if some s = striker[p]: t.life -= s.power
    let fallen = players.field where it.life <= 0
    if fallen is not empty: fall(fallen)
  event fall(units: list of Unit): move units to graves
  score points: points
  score standing: count(field)
"""
POWER = {"guard": 2, "martyr": 1, "vulture": 1}
STRAYS = """\
rulelang: 2
name: strays
players: 2
kinds: {Unit: {IDENTITY, active: [field], start: pool}}
pieces:
  Unit:
    - {id: martyr, count: 3, rules: "after fall(this, by_whom) when owner != by_whom once per game: owner.points += 3"}
    - {id: seer, count: 3, rules: "may after fall(this): owner.points += 1"}
zones: {pool: {holds: Unit}, field: {holds: Unit, per: player}, graves: {holds: Unit, final: true}}
variables: {points: {type: 0..30, per: player}}
rules: |
  setup:
    move (pool where it is martyr) to seat(1).field
    move (pool where it is seer) to seat(0).field
    move (top 1 of (seat(1).field where it is martyr)) to seat(0).field
  play:
    turn of seat(0):
      choose:
        sweep: fall(players.field, you)
        rest: pass
  event fall(units: list of Unit, by_whom: player): move units to graves
  score points: points
"""


def leaves(state: State) -> Counter[tuple[int, ...]]:
    """The scores of all games that can follow, each as often as it does."""
    if state.is_terminal():
        return Counter([tuple(state.scores())])
    return sum((leaves(new) for action in actions(state) if (new := after(state, action)) is not None), Counter())


def duels() -> Counter[tuple[int, ...]]:
    """The same of the duel, by a program of its own."""
    results: Counter[tuple[int, ...]] = Counter()
    for choices in itertools.product(POWER, repeat=4):
        strikers, targets = choices[:2], choices[2:]
        life = {(seat, name): 2 for seat in (0, 1) for name in POWER}
        for seat in (0, 1):
            life[1 - seat, targets[seat]] -= POWER[strikers[seat]]
        fallen = [unit for unit, left in life.items() if left <= 0]
        scores = [0, 0]
        for seat in (0, 1):
            scores[seat] += 3 * ((seat, "martyr") in fallen) + sum(owner != seat for owner, _ in fallen)
            scores[seat] += 3 - sum(owner == seat for owner, _ in fallen)
        results[tuple(scores)] += 1
    return results


def test_who_dies_sees_who_dies_with_him(tmp_path: Path) -> None:
    """81 duels of one round, each with the scores that another program gives."""
    assert leaves(made(tmp_path, DUEL).new_game(chance="explicit")) == duels()


@pytest.mark.parametrize("identity", ["identity: true", "attributes: {}"])
@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_owners_are_those_of_before(tmp_path: Path, identity: str, backend: str) -> None:
    """Seat 1 has two martyrs, of which each reacts once for it; seat 0's martyr and seers fall by its own hand: it is
    asked for a seer, once for each that it may use."""
    state = made(tmp_path, STRAYS.replace("IDENTITY", identity)).new_game(backend=backend)
    state.apply("sweep")
    points = []
    while not state.is_terminal():
        assert state.current_players() == [0]
        options = [action.id for action in state.legal_actions(0)]
        points.append(state.scores())
        state.apply(options[0])
    assert state.scores()[1] == 3 * 2
    assert state.scores()[0] == len(points) > 0
