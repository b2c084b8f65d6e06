"""Draws from bags: each unit is as likely as any other, and only who may know what lies in it is told which came."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

import rulelang
from rulelang import State

YAML = """\
rulelang: 2
name: purses
players: 3
types: {Good: {values: [brick, wool, ore]}}
variables:
  purse: {type: bag of Good, per: player, visible: owner, size: owner, start: 1 ore}
  bank: {type: bag of Good, visible: nobody, start: 2 brick + 1 ore}
  away: {type: bag of Good, visible: nobody}
  mask: {type: bag of Good, per: player, visible: others, start: 1 brick + 2 wool}
  turns: {type: 0..9}
rules: |
  play:
    turn of seat(0):
      choose:
        steal: steal(seat(1))
        copy:
          let there = seat(1).purse
          if some loot = random one of there: away += 1 loot
        call:
          if some loot = random one of goods_of(seat(1)): away += 1 loot
        kind:
          if some loot = random one of (Good where it in seat(1).purse): away += 1 loot
        two:
          let loot = random 2 of seat(1).purse
          purse += loot
        both:
          if some loot = random one of seat(1).purse + purse:
            if loot = ore: away += 1 ore
        bank:
          if some loot = random one of bank: if_ore(loot)
        mask:
          if some loot = random one of seat(1).mask: if_ore(loot)
        open:
          if some loot = random one of 1 brick + 2 ore: if_ore(loot)
        roll:
          let n = roll 0 to count(seat(1).purse)
          if n > 2: away += 1 ore
    turn of seat(2):
      choose:
        wait: turns += 1
        go: turns += 2
  rule steal(victim: player):
    if some loot = random one of victim.purse:
      victim.purse -= 1 loot
      purse += 1 loot
  rule if_ore(g: Good):
    if g = ore: away += 1 ore
  setup: seat(1).purse := 3 brick + 1 wool
  function goods_of(p: player) -> bag of Good = p.purse
  score turns: turns
"""
B, W, ORE = "brick", "wool", "ore"
ODDS = {
    # the purse of seat 1: 3 brick, 1 wool; each unit alike, and with `Good where` each kind
    "steal": {B: (3, 4), W: (1, 4)}, "copy": {B: (3, 4), W: (1, 4)}, "call": {B: (3, 4), W: (1, 4)},
    "kind": {B: (1, 2), W: (1, 2)}, "both": {B: (3, 5), W: (1, 5), ORE: (1, 5)},
    "bank": {B: (2, 3), ORE: (1, 3)}, "mask": {B: (1, 3), W: (2, 3)}, "open": {B: (1, 3), ORE: (2, 3)},
    "roll": {str(n): (1, 5) for n in range(5)},
}  # fmt: skip
TOLD = {
    "steal": {1}, "copy": {1}, "call": {1}, "kind": {1}, "both": set(), "bank": set(), "mask": {0, 2},
    "open": {0, 1, 2}, "roll": {1},
}  # fmt: skip
"""Who sees all that is drawn from: `both` are two purses of two owners, `mask` is seen by all but its owner."""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    folder = tmp_path_factory.mktemp("purses")
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    return rulelang.load(folder)


def drawn(state: State, seat: int | None) -> list[object]:
    """The outcomes of chance that a seat was told."""
    return [event["value"] for event in state.events(seat) if event["type"] == "chance"]


def purse(state: State) -> dict[str, int]:
    """What lies in the purse of seat 0."""
    goods: dict[str, int] = state.observation(0)["variables"]["purse[0]"]
    return goods


def after(game: rulelang.Ruleset, what: str, backend: str, chance: str = "explicit", seed: int = 0) -> State:
    """The game after the choice of seat 0."""
    state = game.new_game(players=3, seed=seed, chance=chance, backend=backend)
    state.apply(what)
    return state


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_each_unit_is_as_likely_as_any_other(game: rulelang.Ruleset, backend: str) -> None:
    """The outcomes are the kinds, each with as many chances as there are units of it."""
    for what, odds in ODDS.items():
        outcomes = after(game, what, backend).chance_outcomes()
        found = {action.id.partition("=")[2]: chance for action, chance in outcomes}
        assert found == {value: Fraction(*odd) for value, odd in odds.items()}, what


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_several_units_are_drawn_without_putting_back(game: rulelang.Ruleset, backend: str) -> None:
    """Two of 3 brick and 1 wool: two bricks with 3/4 * 2/3, which is one half; they are a bag, which can be gained."""
    ends: Counter[tuple[int, int]] = Counter()
    open_states = [(after(game, "two", backend), Fraction(1))]
    while open_states:
        state, weight = open_states.pop()
        if not state.is_chance_node():
            held = purse(state)
            ends[held[B], held[W]] += weight  # type: ignore[assignment]
        for action, chance in state.chance_outcomes():
            child = state.clone()
            child.apply(action)
            open_states.append((child, weight * chance))
    assert ends == {(2, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}


def test_sampled_units_are_the_same_on_both_backends(game: rulelang.Ruleset) -> None:
    """Of 400 seeds a quarter draw wool, the same on both."""
    values = [
        [drawn(after(game, "steal", b, "sampled", n), None) for n in range(400)] for b in ("interpreter", "native")
    ]
    assert values[0] == values[1]
    assert 80 <= sum(value == [W] for value in values[0]) <= 120


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_who_may_not_know_the_bag_is_not_told(game: rulelang.Ruleset, backend: str) -> None:
    """An outcome is told to those who see all that it is drawn from, through locals and functions too; who sees neither
    that nor where it goes can't tell two outcomes apart by anything."""
    for what, told in TOLD.items():
        start = after(game, what, backend)
        ends = []
        for action in start.legal_actions():
            end = start.clone()
            end.apply(action)
            for seat in range(3):
                assert len(drawn(end, seat)) == int(seat in told), (what, seat)
            assert len(drawn(end, None)) == 1
            again = game.state_from_json(end.to_json())
            assert [drawn(again, seat) for seat in range(3)] == [drawn(end, seat) for seat in range(3)]
            ends.append(end)
        if 2 not in told:
            views = {(str(e.information_state(2)), str(e.events(2)), str(e.observation(2))) for e in ends}
            assert len(views) == 1, what


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_worlds_have_each_unit_that_may_have_come(game: rulelang.Ruleset, backend: str) -> None:
    """Seat 2 saw neither purse: its worlds have wool in seat 0's purse in about a quarter of 60; the thief and the one
    who was robbed know what it was."""
    for seed in range(2):
        state = after(game, "steal", backend, "sampled", seed)
        true = purse(state)
        purses = [purse(state.resample(2, n)) for n in range(60)]
        assert 5 <= sum(held[W] for held in purses) <= 27
        for seat in (0, 1):
            assert all(purse(state.resample(seat, n)) == true for n in range(5))
