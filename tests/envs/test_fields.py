"""What a seat sees as numbers: worked out by hand for a small ruleset, bounds and names in positions of games."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rulelang.envs import PickGame, Spec, spec
from tests.envs.test_picks import ALL, LARGE
from tests.shipped import shipped
from tests.soak import times
from tests.words.games import made

TABLE = """\
rulelang: 2
name: table
players: 2
kinds:
  Card: {attributes: {rank: 1..3}, start: deck}
  Man: {variables: {strength: {type: 0..5, start: 1}}, start: camp}
pieces:
  Card: [{id: one, rank: 1, count: 2}, {id: two, rank: 2, count: 2}, {id: six, rank: 3}]
  Man: [{id: man, per: player, count: 2}]
types: {Good: {values: [nut, oil]}}
grids: {Board: {columns: 2, rows: 2}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  heap: {holds: Card, order: pile, visible: top}
  shelf: {holds: Card, order: pile}
  camp: {holds: Man}
  square: {holds: Man, per: Board, capacity: 1}
variables:
  purse: {type: bag of Good, per: player, start: 1 nut}
  secret: {type: 0..9, per: player, visible: owner, start: "3 + you.seat"}
  leader: {type: player?}
rules: |
  setup:
    move (deck where it.rank = 1) to seat(1).hand
    move (deck where it.rank = 2) to shelf
    move (deck where it.rank = 3) to heap
  play:
    leader := seat(1)
    for p in players:
      turn of p: act(2)
  rule act(n: number):
    choose:
      place(m in camp, c in Board) when m.owner = you:
        m.strength := 2 + n
        move m to square[c]
      else: pass
"""


def seen(of: Spec, game: PickGame, seat: int) -> dict[str, list[int]]:
    """The numbers that a seat sees, by field; those that are all 0 left out."""
    counts, numbers, _ = game.observe(seat)
    result = {}
    for field in of.fields:
        array = counts if field.array == "counts" else numbers
        values = list(array[field.offset : field.offset + len(field.slots)])
        if any(values):
            result[field.name] = values
    return result


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    return spec(made(tmp_path_factory.mktemp("table"), TABLE))


ALIKE = {
    "zone:heap": [1, 3],  # six is the third card
    "zone:shelf": [2, 2, 0, 0, 0],
    "zone:camp": [4],
    "individuals:Man": [6, 1] * 4,  # deck 0, hands 1 and 2, heap 3, shelf 4, camp 5: 1 more
    "variable:purse[+0]/nut": [1, 0],
    "variable:purse[+1]/nut": [1, 0],
    "game:turn": [1],
    "game:question": [1],
}
SEEN = {
    0: ALIKE | {"zone:hand[+1]": [2], "variable:secret[+0]": [3], "variable:leader": [1], "game:asked": [1, 0],
                "argument:act.n": [2]},
    1: ALIKE | {"zone:hand[+0]": [2, 0, 0, 0], "variable:secret[+0]": [4], "game:seat": [1], "game:asked": [0, 1]},
}  # fmt: skip


@pytest.mark.parametrize("seat", SEEN)
def test_a_seat_sees_what_declarations_show_it(table: Spec, seat: int) -> None:
    """A hand whole or its size, the top of a heap, a pile from its top, rows of men, own secrets, seats by distance
    (the leader, seat 1, is 1 for seat 0 and 0 for itself), the question, its argument for who is asked."""
    assert seen(table, PickGame(table), seat) == SEEN[seat]


def test_like_individuals_are_sorted_and_boards_are_planes(table: Spec) -> None:
    """The man that seat 0 placed on b1 is the last of its two rows, whichever it was, and stands on the first plane for
    seat 0, on the second for seat 1. Fields have a slot for each number and no two slots are called the same."""
    game = PickGame(table)
    game.state.apply("place:m=man@0,c=b1")
    men = {seat: seen(table, game, seat) for seat in (0, 1)}
    assert men[0]["individuals:Man"] == [6, 1, 8, 4, 6, 1, 6, 1]
    assert men[1]["individuals:Man"] == [6, 1, 6, 1, 6, 1, 8, 4]
    assert men[0]["planes:square"] == [0, 1, 0, 0, 0, 0, 0, 0]
    assert men[1]["planes:square"] == [0, 0, 0, 0, 0, 1, 0, 0]
    assert men[1]["argument:act.n"] == [2]
    names = [(field.name, slot) for field in table.fields for slot in field.slots]
    assert len({*names}) == len(names) == table.counts + table.numbers


@pytest.mark.parametrize("name", [*ALL, *LARGE], ids=lambda name: Path(name).name)
def test_numbers_lie_within_their_bounds(name: str | Path) -> None:
    """Of every seat, along random games; and where a field begins and ends, the next one begins."""
    ruleset, dice = shipped(name), random.Random(str(name))
    of = spec(ruleset, max(ruleset.players))
    ends = {"counts": 0, "numbers": 0}
    for field in of.fields:
        assert field.offset == ends[field.array]
        ends[field.array] += len(field.slots)
    assert ends == {"counts": of.counts, "numbers": of.numbers}
    state = ruleset.new_game(max(ruleset.players), seed=2)
    for _ in range(times(3)):
        for seat in range(state.players):
            counts, numbers, _ = PickGame(of, state=state).observe(seat)
            for field in of.fields:
                array = counts if field.array == "counts" else numbers
                values = array[field.offset : field.offset + len(field.slots)]
                assert field.low <= min(values) <= max(values) <= field.high, field.name
        for _ in range(4):
            if state.is_terminal():
                state = ruleset.new_game(max(ruleset.players), seed=dice.randrange(99))
            state.apply(dice.choice(state.legal_actions()))
