"""Rules that are tried and pieces that are grouped in native code: the answers of the interpreter, in whole games and
from the middle of games; nothing is given up but what the interpreter finds fault with."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import rulelang
from rulelang.execution.executor import Executor
from rulelang.native import NativeCode
from rulelang.runtime.outcome import Outcome
from tests.execution.test_same_answers import ended, in_bulk, played

from .sanitized import Watched, generators, outcome
from .trial_rulesets import GROUPINGS, HOSTILE, NUMBERS, TRIALS, once, ruleset

pytestmark = pytest.mark.usefixtures("compiler")
GAMES, POSITIONS = 5, 5
WATCHED = ("trials in trials", "groupings that are tried")
WATCHED_GAMES = 40


def executors(folder: Path, text: str) -> tuple[Executor, Executor, NativeCode]:
    """The executors of both backends for a ruleset of this text, and the native code of the second."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    rules = rulelang.load(folder)
    one, other = (rules.executor(2, backend=backend) for backend in ("interpreter", "native"))
    assert other.native is not None
    return one, other, other.native


@pytest.mark.parametrize("name", [*TRIALS, *GROUPINGS])
def test_games(name: str, tmp_path: Path) -> None:
    """Games end in the same state, and native code plays all of them itself; so they do from decisions in between."""
    one, other, native = executors(tmp_path, {**TRIALS, **GROUPINGS}[name])
    for seed in range(GAMES):
        start = one.new_state(seed, logging=False)
        wanted = played(one, start.clone())
        assert in_bulk(native, start, start.rng) == ended(wanted)
        assert played(other, start) == wanted
    picker = random.Random(7)
    state = one.new_state(7, logging=False)
    interpreter = one.interpreter
    interpreter.advance(state)
    for step in range(POSITIONS):
        waiting = interpreter.waiting(state)
        if waiting is None:
            break
        copies = [state.clone() for _ in range(2)]
        for copy in copies:
            copy.rng = step
        assert played(one, copies[0]) == played(other, copies[1])
        seat = picker.choice(waiting.seats)
        interpreter.choose(state, seat, picker.choice(interpreter.options(state, seat)))


def test_what_goes_wrong(tmp_path: Path) -> None:
    """A rule that goes wrong while it is tried, or has no end, ends the game in the same words; other games are
    played."""
    one, other, native = executors(tmp_path, HOSTILE["trials that go wrong"])
    start = one.new_state(logging=False)
    rngs = generators(24)
    (found,) = Watched(native, tmp_path).play([(start, rngs)])
    words: set[str] = set()
    for rng, bulk in zip(rngs, found, strict=True):
        wanted = outcome(one, start, rng)
        assert outcome(other, start, rng) == wanted
        assert bulk == (wanted if isinstance(wanted, Outcome) else None)
        words.add("" if isinstance(wanted, Outcome) else wanted.partition(" (")[0])
    assert words == {
        "",
        "play: looking ahead used up the fuel",
        "play: rules call each other, or values stand in each other, too deep",  # a million choices in a row
        "deeper: more than 9 levels deep",
        "grow: `m` would become 100, outside 0..99",
        "grow: `m` would become 101, outside 0..99",
    }


@pytest.mark.soak
@pytest.mark.parametrize("name", WATCHED)
def test_watched_games(name: str, tmp_path: Path) -> None:
    """Nothing is read or written outside of its room."""
    one, _, native = executors(tmp_path, {**TRIALS, **GROUPINGS}[name])
    start = one.new_state(logging=False)
    rngs = generators(WATCHED_GAMES)
    (found,) = Watched(native, tmp_path).play([(start, rngs)])
    assert None not in found
    assert [outcome(one, start, rng) for rng in rngs[:4]] == found[:4]


# ---- worked out by hand ---------------------------------------------------------------------------------


def points(folder: Path, text: str) -> list[list[int]]:
    """The scores of a game on each backend; it has one course."""
    one, other, native = executors(folder, text)
    found = []
    for executor in (one, one, other):  # an executor plays the same game twice
        state = executor.new_state(logging=False)
        executor.random_playout(state)
        found.append(executor.interpreter.scores(state))
    (bulk,) = native.playouts(one.new_state(logging=False), [1]) or [None]
    assert bulk is not None
    return [*found, bulk.game.scores]


def test_a_seat_that_nobody_asks_for(tmp_path: Path) -> None:
    """Where nobody is asked, `possible` looks through the choices of whoever is asked first, whoever was asked before;
    another one's choice after that leads nowhere."""
    text = ruleset(
        NUMBERS,
        """
play:
  for p in players:
    turn of p:
      if possible(mine(1) then n = 2): sum += 1
      if possible(mine(2) then n = 2): sum += 10
      if possible(of_two() then true): sum += 100
      m := choose a number from 3 to 3
rule mine(k: number):
  let x = choose a number from 0 to 2 else return
  n := x div k
rule of_two:
  mine(1)
  for q in others:
    turn of q: mine(1)
score all: sum
""",
    )
    # n = 2 needs x = 2 with k = 1; with k = 2 it is 1 at most. Both seats look once each.
    assert points(tmp_path, text) == [[2, 2]] * 4


def test_steps_that_lead_back(tmp_path: Path) -> None:
    """A state that was seen is not gone through again: sixteen steps of four each are more ways than fuel allows."""
    text = ruleset(
        NUMBERS,
        once(
            """
reach when possible(wander() then m = 5 and n = 5 and sum = 0): sum := 5
too_far when possible(wander() then m = 9 and n = 8 and sum = 0): sum := 7
else: pass
""",
            """
rule wander:
  n := 0
  repeat 16 times:
    choose:
      left when m > 0: m -= 1
      right: m += 1
      up: n += 1
      down when n > 0: n -= 1
score all: sum
""",
        ),
    ).replace("n := roll 0 to 9", "n := 0")
    # 5 + 5 = 10 steps and 6 back and forth; 9 + 8 = 17 are one too many.
    assert points(tmp_path, text) == [[5, 5]] * 4


SETS = """\
kinds:
  Card: {attributes: {value: 1..9, colour: Colour, price: bag of Coin}, start: deck}
pieces:
  Card:
    - {id: a, value: 1, colour: red, price: 1 gold, count: 3}
    - {id: b, value: 2, colour: blue, price: 2 tin, count: 2}
    - {id: c, value: 4, colour: red, price: 1 gold}
types: {Colour: [red, blue], Coin: {values: [gold, tin]}}
grids: {Field: {columns: 3, rows: 3}}
zones:
  deck: {holds: Card}
  hand: {holds: Card, per: player, visible: all}
variables: {sum: {type: 0..999999}, purse: {type: bag of Coin, per: player, start: 2 gold + 1 tin}}
"""


def test_sets_of_sets(tmp_path: Path) -> None:
    """Groups are the same if their keys and cards are, wherever these lie; sets are taken from sets, bags from bags."""
    text = ruleset(
        SETS,
        """
play:
  for p in players:
    as p: move top 1 of (deck where it.value = 2) to hand
  sum += count(g for g in seat(0).hand grouped by colour where any(h = g for h in seat(1).hand grouped by colour))
  sum += 10 * count(g for g in deck grouped by colour where g in (deck grouped by colour))
  if (seat(0).hand grouped by colour) = (seat(1).hand grouped by colour): sum += 100
  sum += 1000 * count(lines(Field, 3) - lines(Field, 2))
  sum += 10000 * count(deck.price - each(c.price for c in deck where c.value = 4))
  let taken = together choose 2 of purse
  sum += 100000 * sum(count(taken[p]) for p in players)
score all: sum
""",
    )
    # Both hands are a blue card; the deck has one group, the red cards; 3 + 3 + 2 lines of three are none of two; of
    # the prices of four cards those of three are left; two seats take two coins each.
    assert points(tmp_path, text) == [[438_111, 438_111]] * 4
