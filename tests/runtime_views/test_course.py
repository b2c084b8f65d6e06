"""A recorded game played again and kept: what its steps touch, who shares it, and that keeping it changes no answer."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from rulelang.interpreter import Machine
from rulelang.runtime.course import KEPT, Course, course_of
from rulelang.runtime.resample import resample
from rulelang.runtime.serial import to_json
from rulelang.runtime.state import State
from rulelang.runtime.watched import Places, Watched

from .games import PAIRS, begun, compiled, step

# Each player draws a card and keeps it; then they count coins for a while, and one looks at the cards at last.
LONG = (
    """
rulelang: 1
name: long
players: 2
kinds:
  Card: {attributes: {value: 1..4}, start: deck}
pieces:
  Card: [{id: ace, value: 1}, {id: two, value: 2}, {id: three, value: 3}, {id: four, value: 4}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
variables:
  coins: {type: 0..99, per: player}
""",
    """
rulelang 1
setup:
  shuffle deck
  for p in players: draw 1 from deck to p.hand
play:
  repeat 10 times:
    for p in players:
      turn of p: coins += choose a number from 1 to 2
  for p in players:
    turn of p: coins += sum(hand.value)
""",
)


def played(ruleset: tuple[str, str], decisions: int, seed: int = 3) -> tuple[Machine, State]:
    machine, state = begun(compiled(*ruleset), seed)
    random = Random(seed)
    while state.decisions < decisions and step(machine, state, random):
        pass
    return machine, state


@pytest.mark.parametrize(
    ("act", "touched"),
    [
        (lambda state: state.z[1], {1}),
        (lambda state: state.z[-1], {2}),
        (lambda state: list(state.z), {0, 1, 2}),
        (lambda state: [*enumerate(state.z)], {0, 1, 2}),
        (lambda state: tuple(state.v), {3, 4}),
        (lambda state: sorted(state.v), {3, 4}),
        (lambda state: state.v[0:1], {3}),
        (lambda state: 7 in state.v, {3, 4}),
        (lambda state: state.v.count(0), {3, 4}),
        (lambda state: state.v.index(state.v[1]), {3, 4}),
        (lambda state: state.v.__setitem__(1, 2), {4}),
        (lambda state: state.v.__setitem__(slice(0, 2), [1, 2]), {3, 4}),
        (lambda state: state.pools.append([1, 2]), {10}),
        (lambda state: len(state.v), set()),
        (lambda state: state.clone(), set()),
        (lambda state: state.clone().z[0], {0}),
        (lambda state: state.mark(), set()),
        (lambda state: state.pieces(), set()),
    ],
)
def test_what_is_read_or_written_is_touched(act: Callable[[State], Any], touched: set[int]):
    """Three zones are places 0 to 2, two variables 3 and 4, where four cards are 5 to 8, pools those after."""
    _, state = played(LONG, 3)
    places = Places(state.layout)
    assert (places.cells, places.where, places.pools) == (3, 5, 9)
    assert len(state.pools) == 1
    watched = Watched.of(state)
    act(watched)
    assert watched.touched == touched


def test_a_snapshot_is_the_state_as_it_is():
    """It is equal to the watched state, plain, and shares only what was not touched."""
    _, state = played(LONG, 3)
    watched = Watched.of(state)
    watched.z[1].append(2)
    watched.v[0] = 5
    after = watched.snapshot(state)
    assert after.z[1] == state.z[1] + [2]
    assert after.z[2] is state.z[2]
    assert (after.v[0], state.v[0] == 5, type(after)) == (5, False, State)


def test_a_later_state_of_a_game_adds_its_steps():
    """The course of a game goes on; an earlier state of it, and one that branches off, share what lies before."""
    machine, state = played(LONG, 4)
    course, length = course_of(machine, state)
    assert length == len(course.steps) == 6  # two cards and four numbers
    later = state.clone()
    step(machine, later, Random(1))
    assert course_of(machine, later) == (course, 7)
    assert course_of(machine, state) == (course, 6)
    for seed in range(5):
        other = state.clone()
        step(machine, other, Random(seed))
        branch, number = course_of(machine, other)
        assert number == 7
        assert branch.states[6] is course.states[6]


def test_few_courses_are_kept():
    """Games that are over long ago take no memory."""
    machine, _ = played(LONG, 2)
    for seed in range(KEPT + 2):
        _, state = played(LONG, 2, seed)
        course_of(machine, state)
    assert len(machine.courses) == KEPT


def test_only_steps_that_touch_a_card_are_played(monkeypatch: pytest.MonkeyPatch):
    """With another card in a rival's hand, nineteen choices of coins need not be made again."""
    machine, state = played(LONG, 19)
    resample(machine, state, 0, 0)
    made: list[object] = []
    choose = machine.choose

    def counted(state: State, seat: int, chosen: Any) -> None:
        made.append(chosen)
        choose(state, seat, chosen)

    monkeypatch.setattr(machine, "choose", counted)
    rivals = {tuple(resample(machine, state, 0, seed).z[2]) for seed in range(40)}
    assert len(rivals) == 3
    assert not made


@pytest.mark.parametrize("seat", [0, 1])
def test_what_was_asked_before_changes_no_answer(seat: int):
    """A machine that has been asked of other states and seats gives what a new one gives."""
    machine, state = played(PAIRS, 3)
    for decisions in (1, 4, 2):
        _, other = played(PAIRS, decisions)
        for seed in range(3):
            resample(machine, other, seed % 2, seed)
    branch = state.clone()
    step(machine, branch, Random(5))
    resample(machine, branch, seat, 1)
    fresh = Machine(machine.program, 2)
    for seed in range(6):
        assert to_json(resample(machine, state, seat, seed)) == to_json(resample(fresh, state, seat, seed))


def test_a_course_that_was_begun_is_not_changed_by_its_branch():
    """A branch has lists of its own."""
    machine, state = played(LONG, 4)
    course, _ = course_of(machine, state)
    branch = Course.begun(course, 3)
    branch.follow(state)
    assert len(course.steps) == len(branch.steps) == 6
    assert branch.states[3] is course.states[3]
    assert branch.states[4] is not course.states[4]
