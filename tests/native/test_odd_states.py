"""States that rules don't lead to, or that are too large, and games that C can't hold, are left to the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang import limits
from rulelang.diagnostics import UsageError
from rulelang.ismcts.library import SearchLibrary, Tree, UnsearchableError
from rulelang.ismcts.worlds import NativeWorlds
from rulelang.native import block, machine, steps
from rulelang.native.block import StateTooLargeError
from rulelang.native.expressions import UnwrittenError
from rulelang.native.machine import NativeCode
from rulelang.runtime.state import State
from rulelang.vocabulary.types import Type

from .compared import load

pytestmark = pytest.mark.usefixtures("compiler")

CARDS = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 20, outcome: scores}
types: {Good: {values: [wood, iron]}}
kinds:
  Card: {attributes: {value: 1..3}, start: deck}
  Coin: {identity: true, attributes: {value: 1..3}, variables: {mark: {type: 0..9}}, start: purse}
pieces:
  Card: [{id: low, value: 1, count: 3}, {id: high, value: 2, count: 3}]
  Coin: [{id: coin, value: 1, count: 3}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  shown: {holds: Card, capacity: 2}
  purse: {holds: Coin}
  OTHER
variables:
  points: {type: 0..99, per: player}
  secret: {type: 0..99, visible: nobody}
  goods: {type: bag of Good, per: player, start: 1 wood + 1 iron}
rules: |
  setup:
    shuffle deck
    for p in players: draw 2 from deck to p.hand
  play:
    repeat:
      for p in players:
        turn of p:
          let card = choose one of hand else stop
          points += card.value
          secret := card.value
          let some_goods = choose up to 1 of goods
          goods := goods - some_goods
          let coin = choose one of purse else stop
          coin.mark := 1
          if some t = top of deck: points += t.value
          let both = together choose one of hand
          draw 1 from deck to hand
  score points: points
"""


@pytest.fixture
def game(tmp_path: Path) -> rulelang.Ruleset:
    return load(tmp_path, CARDS.replace("  OTHER\n", ""))


def native_of(ruleset: rulelang.Ruleset) -> NativeCode:
    native = ruleset.executor(2, {}, "native").native
    assert native is not None
    return native


def started(ruleset: rulelang.Ruleset, logging: bool = False) -> State:
    executor = ruleset.executor(2, {}, "interpreter")
    state = executor.interpreter.new_state(1, logging=logging)
    executor.interpreter.advance(state)
    return state


def overfull(state: State) -> None:
    state.z[0] = state.z[0] * 9


def too_many_pools(state: State) -> None:
    state.pools = [[0, 1]] * 99


def certain(state: State) -> None:
    state.pools = [[1, 1]]


def out(state: State) -> None:
    state.out = 1


def ended_later(state: State) -> None:
    state.deferred = 1


def unknown_in_the_open(state: State) -> None:
    state.z[3] = [-1]


ODD: list[Callable[[State], None]] = [overfull, too_many_pools, certain, out, ended_later, unknown_in_the_open]


@pytest.mark.parametrize("spoil", ODD)
def test_odd_states(spoil: Callable[[State], None], game: rulelang.Ruleset) -> None:
    """Native code does not take them."""
    native, state = native_of(game), started(game)
    spoil(state)
    assert native.random_playout(state) is None
    assert native.playouts(state, [1]) is None
    assert native.steps().flattened(state) is None
    tree = Tree(SearchLibrary(native))
    with pytest.raises(UnsearchableError):
        tree.set_root(state, 0, secrets=False)


def test_keys_of_positions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is none of two pools, and of what is too large."""
    game = load(tmp_path, CARDS.replace("  OTHER\n", "").replace("value: 1, count: 3}]\nzones", "value: 1}]\nzones"))
    stepping, state = native_of(game).steps(), started(game)
    flat = stepping.flattened(state)
    assert flat is not None
    assert stepping.key(flat) is not None
    state.pools = [[0, 1], [0, 1]]
    assert stepping.key(state) is None
    monkeypatch.setattr(stepping.blocks, "packed", too_large)
    assert stepping.key(state) is None


def test_outcomes_of_steps(game: rulelang.Ruleset) -> None:
    """They are those of the interpreter."""
    ends = []
    for backend in ("interpreter", "native"):
        executor = game.executor(2, {}, backend)
        if backend == "native":
            executor.prepare_steps()
        state = executor.initial_state(3)
        while (waiting := executor.waiting(state)) is not None:
            seat = waiting.seats[0]
            state = executor.after_choice(state, seat, 0)
        ends.append(executor.outcome(state))
    assert ends[0] == ends[1]


def test_playouts_from_where_several_choose_at_once(game: rulelang.Ruleset) -> None:
    """Native code plays on from before the first answer, as the interpreter does; after it the interpreter alone."""
    executor = game.executor(2, {}, "interpreter")
    native, machine_, state = native_of(game), executor.interpreter, started(game)
    while (waiting := machine_.waiting(state)) is not None and len(waiting.seats) < 2:
        machine_.choose(state, waiting.seats[0], machine_.options(state, waiting.seats[0])[0])
    assert native.playouts(state, [5, 6]) == list(executor.playouts(state, [5, 6]))
    machine_.choose(state, 1, machine_.options(state, 1)[0])
    assert native.playouts(state, [5, 6]) is None
    assert native.random_playout(state) is None


def test_blocks_of_odd_states(game: rulelang.Ruleset, tmp_path: Path) -> None:
    """What is known of all members of a pool is no pool; members of several kinds have room for all."""
    native, state = native_of(game), started(game)
    certain(state)
    with pytest.raises(StateTooLargeError):
        native.flat.packed(state)
    state = started(game)
    state.z[3] = [99]
    with pytest.raises(StateTooLargeError):
        native.flat.packed(state)
    (tmp_path / "two").mkdir()
    second = CARDS.replace("OTHER", "bank: {holds: Coin, order: pile, visible: count}")
    other = load(tmp_path / "two", second.replace("    shuffle deck\n", "    shuffle deck\n    shuffle bank\n"))
    native, state = native_of(other), started(other)
    state.pools = [list(range(5))] * 4
    with pytest.raises(StateTooLargeError):
        native.flat.packed(state)


def too_large(*_: Any) -> Any:
    raise StateTooLargeError


def test_states_that_are_too_large(game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for a block of one gets nothing, or is told."""
    native, state = native_of(game), started(game)
    stepping, library = native.steps(), SearchLibrary(native)
    tree = Tree(library)
    for blocks in (native.flat, stepping.blocks, library.blocks):
        monkeypatch.setattr(blocks, "packed", too_large)
    assert native.random_playout(state) is None
    assert native.playouts(state, [1]) is None
    assert native.tally(1, range(3), 1) == (0, [])
    assert stepping.flattened(state) is None
    assert stepping.key(state) is None
    with pytest.raises(UnsearchableError, match="too large"):
        tree.set_root(state, 0, secrets=False)


def test_states_that_are_not_flat(game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are asked of flat states alone; a state that is full of events takes none."""
    stepping, state = native_of(game).steps(), started(game)
    assert stepping.outcome(state) is None
    assert stepping.after_choice(state, 0, 0) is None
    assert stepping.after_chance(state, 0, 0) is None
    assert stepping.with_rng(state, 1) is None
    assert stepping.options(state, 0) is None
    flat = stepping.flattened(state)
    assert flat is not None
    with pytest.raises(AttributeError, match="nothing"):
        flat.nothing  # noqa: B018
    flat = stepping.flattened(started(game, logging=True))
    assert flat is not None
    monkeypatch.setattr(limits, "in_force", limits.Limits(events=1))
    monkeypatch.setattr(steps, "most_events", lambda decisions: 0)
    assert stepping.after_choice(flat, 0, 0) is None


def test_searches_that_cannot_be(game: rulelang.Ruleset) -> None:
    """The log must tell of the whole game, and there must be memory."""
    library = SearchLibrary(native_of(game))
    with pytest.raises(UnsearchableError, match="the log"):
        Tree(library).set_root(started(game), 0, secrets=True)
    with pytest.raises(UsageError, match="memory"):
        Tree(library, room=1 << 60)
    assert library._anonymiser(Type("piece:Coin"), started(game))(-1) == -1


def test_worlds_that_cannot_be(game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is dealt where no decision waits, where the log is not whole, and where none is found."""
    executor = game.executor(2, {}, "interpreter")
    worlds, state = NativeWorlds(executor.interpreter, SearchLibrary(native_of(game))), started(game, logging=True)
    waiting = executor.interpreter.waiting(state)
    assert worlds.deal(state, 0, 1, None, None) is None
    assert worlds.deal(started(game), 0, 1, waiting, None) is None
    assert worlds.deal(state, 0, 1, waiting, None) is not None
    monkeypatch.setattr(Tree, "sample_state", lambda *_: None)
    assert worlds.deal(state, 0, 2, waiting, None) is None


def test_records_from_somewhere_in_the_middle(game: rulelang.Ruleset) -> None:
    """Bags have keys; of several who choose together those are left out whose commitment is."""
    library, machine_ = SearchLibrary(native_of(game)), game.executor(2, {}, "interpreter").interpreter
    state, since = started(game, logging=True), 0
    for _ in range(12):
        waiting = machine_.waiting(state)
        assert waiting is not None
        machine_.choose(state, waiting.seats[0], machine_.options(state, waiting.seats[0])[-1])
        commits = [place for place, entry in enumerate(state.log) if entry[0] == "commit"]
        since = max([0, *commits[-1:]])
    whole, part = library.record(state)[0], library.record(state, since + 1)[0]
    assert len(part) < len(whole)


def unwritten(*_: Any) -> Any:
    raise UnwrittenError("so many resources")


def endless(*_: Any) -> Any:
    raise RecursionError


@pytest.mark.parametrize(
    ("fails", "says"), [(unwritten, "so many"), (too_large, "states are too large"), (endless, "too deep")]
)
def test_games_that_cannot_be_written(
    fails: Callable[..., Any], says: str, game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said why."""
    monkeypatch.setattr(machine, "c_text", fails)
    with pytest.raises(UsageError, match=says):
        NativeCode(game.executor(2, {}, "interpreter").interpreter).emitted()


def test_blocks_have_a_size(game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """A layout whose states take more than that is not for C."""
    monkeypatch.setattr(block, "LARGEST", 10)
    with pytest.raises(UsageError, match="states are too large"):
        NativeCode(game.executor(2, {}, "interpreter").interpreter).emitted()
