"""Single steps in native code: the same states, options and errors as the interpreter's, on states that are values."""

from __future__ import annotations

import gc
import random
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang import limits
from rulelang.diagnostics import IllegalAction, RuleError, UsageError
from rulelang.game.actions import Action
from rulelang.game.state import State
from rulelang.native.flat import FlatState
from rulelang.native.frames import WordForms
from rulelang.vocabulary.types import Type
from tests.shipped import shipped
from tests.soak import soaking

from .compared import load
from .sanitized import watched_steps

pytestmark = pytest.mark.usefixtures("compiler")

FAIR = """\
rulelang: 2
name: g
players: 2..3
types:
  Good: {values: [wood, coal, iron], classes: {raw: [wood, coal]}}
kinds: {Card: {attributes: {worth: 1..9}, start: deck}, Ware: {attributes: {price: cost of Good}, start: stall}}
pieces:
  Card: [{id: a, count: 3, worth: 1}, {id: b, count: 4, worth: 2}, {id: c, count: 2, worth: 5}]
  Ware: [{id: rug, price: 2 any raw}, {id: pot, price: 2 identical raw}, {id: cup, price: 1 iron}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  gone: {holds: Card, visible: all}
  stall: {holds: Ware, visible: all}
  owned: {holds: Ware, per: player, visible: all}
variables:
  goods: {type: bag of Good, per: player, start: 2 wood + 2 coal + 1 iron, visible: all}
  points: {type: -99..99, per: player, visible: all}
rules: |
  setup:
    shuffle deck
    for p in players: draw 2 from deck to p.hand
  play:
    repeat 2 times:
      let bids = together choose a number from 1 to 3
      for p in players: p.points += bids[p]
      let leaders = players with most it.points
      for p in players:
        turn of p: act(p in leaders)
      for p in leaders: p.points += 1
  rule act(ahead: bool):
    let kept = choose up to 2 of hand
    let luck = roll 1 to 6
    if ahead:
      let got = gain(luck)
      points += got
    move kept to gone
    if count(deck) > 0: draw 1 from deck to hand
    choose:
      buy(ware in stall) when can pay ware.price from goods:
        pay ware.price from goods
        move ware to owned
        let way = choose a number from 1 to 2
        points += way
      leave: pass
  rule gain(luck: number) -> number:
    let stake = choose a number from 0 to 1
    return luck * stake
  score points: points + 2 * count(owned)
"""
"""Answers of several seats, chance, sets and bags that wait while others are asked, rules that give values."""


def pair(ruleset: rulelang.Ruleset, players: int, seed: int, chance: str = "sampled") -> tuple[State, State]:
    """The same game in the interpreter and in native code."""
    one, other = (ruleset.new_game(players, seed, backend=name, chance=chance) for name in ("interpreter", "native"))
    return one, other


def offered(state: State, seat: int | None) -> list[Any]:
    """What can be done, in full."""
    if state.is_chance_node():
        return [(action.id, action.data, probability) for action, probability in state.chance_outcomes()]
    return [(action.id, action.data, action.text("en"), action.line) for action in state.legal_actions(seat)]


def told(state: State) -> list[Any]:
    """All that can be asked of a position."""
    seats = range(state.players)
    return [
        state.to_json(), state.hash(), state.is_terminal(), state.is_chance_node(), state.current_players(),
        state.decisions, state.turns, state.scores(), state.winners(), state.returns(),
        [state.observation(seat) for seat in seats], [state.information_state(seat) for seat in seats],
        state.events(),
    ]  # fmt: skip


def go_on(one: State, other: State, picker: random.Random) -> None:
    """The same choice, or outcome, in both."""
    seat = picker.choice(one.current_players()) if not one.is_chance_node() else None
    found = offered(one, seat)
    assert offered(other, seat) == found
    chosen = picker.choice(found)[0]
    one.apply(chosen, seat)
    other.apply(chosen, seat)


@pytest.mark.parametrize("chance", ["sampled", "explicit"])
@pytest.mark.parametrize("players", [3, *soaking(2)])
def test_games_are_the_interpreters(chance: str, players: int, same_folder: Path) -> None:
    """Everything that can be asked is the same at every node, and steps are native code's."""
    ruleset, flat = load(same_folder, FAIR), 0
    for seed in range(4):
        one, other = pair(ruleset, players, seed, chance)
        picker = random.Random(seed)
        while not one.is_terminal():
            position = other.engine[1]
            flat += isinstance(position, FlatState) and position.block is not None
            if picker.random() < 0.3:
                assert told(other) == told(one)
            go_on(one, other, picker)
        assert told(other) == told(one)
    assert flat > 40


def test_states_are_values(same_folder: Path) -> None:
    """A copy is the same object; going on from one of them leaves the other as it was, its log too."""
    ruleset = load(same_folder, FAIR)
    one, other = pair(ruleset, 2, 5)
    picker = random.Random(1)
    for _ in range(4):
        go_on(one, other, picker)
    copy = other.clone()
    assert copy.engine[1] is other.engine[1]
    before = other.hash()
    while not copy.is_terminal():
        copy.apply(copy.legal_actions()[0])
    assert other.hash() == before
    assert told(other) == told(one)
    again = ruleset.state_from_json(other.to_json(), backend="native")
    assert told(again) == told(one)


def test_a_new_seed(same_folder: Path) -> None:
    """A copy with another seed goes on as the interpreter's does, and its log is made with that seed."""
    ruleset = load(same_folder, FAIR)
    games = pair(ruleset, 2, 5)
    picker = random.Random(2)
    for number in range(3):
        for _ in range(3):
            go_on(*games, picker)
        one, other = (state.clone(reseed=number) for state in games)
        games = one, other
    assert told(games[1]) == told(games[0])


def test_the_log_needs_no_second_game(same_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What happened is told by native code, also in lines of play that part: the interpreter takes no step."""
    ruleset = load(same_folder, FAIR)
    one, state = pair(ruleset, 2, 3)

    def choose(*_: Any) -> None:
        raise AssertionError("a step was taken")

    monkeypatch.setattr(state.engine[0].interpreter, "choose", choose)
    picker, states = random.Random(5), [(one, state)]
    while not state.is_terminal():
        for place in (picker.randrange(len(state.legal_actions())), -1):
            states.append((one.clone(), state.clone()))
            for game in states[-1]:
                game.apply(game.legal_actions()[place])
        for game in (one, state):
            game.apply(game.legal_actions()[0])
    picker.shuffle(states)
    assert all(other.events() == wanted.events() for wanted, other in states)
    assert all(other.to_json() == wanted.to_json() for wanted, other in states)


USES: dict[str, Callable[[State], Any]] = {
    "seat": lambda game: [len(game.legal_actions(0)), len(game.legal_actions(1)), len(game.legal_actions(player=0))],
    "no seat": lambda game: len(game.legal_actions(None)),
    "another seat": lambda game: game.legal_actions(9),
    "arguments": lambda game: game.legal_actions(0, 1),  # type: ignore[call-arg]
    "many arguments": lambda game: game.apply(*range(12)),
    "a name": lambda game: game.is_terminal(now=True),  # type: ignore[call-arg]
    "an id": lambda game: game.apply(game.legal_actions()[1].id),
    "an action by name": lambda game: game.apply(action=game.legal_actions()[2]),
    "an action with its seat": lambda game: game.apply(game.legal_actions(1)[0], 1),
    "an action with another seat": lambda game: game.apply(game.legal_actions(1)[2], 0),
    "an action of a list that was read": lambda game: game.apply([*game.legal_actions()][1]),
    "an action of a copy": lambda game: game.apply(game.clone(reseed=1).legal_actions()[1]),
    "an action in a copy": lambda game: copy_after(game, game.legal_actions()[1]).events(),
    "an action of before": lambda game: apply_thrice(game, game.legal_actions()[0]),
    "no action": lambda game: game.apply(3),  # type: ignore[arg-type]
    "an action that is none": lambda game: game.apply(Action(game.legal_actions()[0].source, 77)),
    "a place that is none": lambda game: game.apply(Action(game.legal_actions()[0].source, "x")),  # type: ignore[arg-type]
    "elements": lambda game: [game.legal_actions()[place].id for place in (0, -1, True)],
    "a large place": lambda game: game.legal_actions()[1 << 70],
    "a slice": lambda game: [action.id for action in game.legal_actions()[1:]],
    "no place": lambda game: game.legal_actions()["x"],  # type: ignore[call-overload]
    "questions": lambda game: (game.decision(1), game.current_players(), repr(game)),
}
"""What can be done with a game that its methods in C leave to those in Python, or almost."""


def apply_thrice(game: State, action: Action) -> None:
    """An action that is not listed any more is found by its id, or refused."""
    for _ in range(3):
        game.apply(action)


def copy_after(game: State, action: Action) -> State:
    """A copy that went on, with another seed."""
    copy = game.clone(reseed=3)
    copy.apply(action)
    return copy


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_methods_in_c_are_those_in_python(use: Callable[[State], Any], same_folder: Path) -> None:
    """Whatever is given to them, games of native code do the same as others, and raise the same."""
    outcomes: list[Any] = []
    for game in pair(load(same_folder, FAIR), 3, 1):
        said: Any
        try:
            said = repr(use(game))
        except (TypeError, IndexError, IllegalAction, UsageError) as error:
            said = type(error), str(error).partition("(")[0] if not isinstance(error, TypeError) else ""
        outcomes.append((said, told(game)))
    assert outcomes[0] == outcomes[1]


def test_a_game_that_begins_in_c_lacks_nothing(same_folder: Path) -> None:
    """All slots of what C makes are set; another class of games keeps its methods."""
    ruleset = load(same_folder, FAIR)
    game = ruleset.new_game(2, 1, backend="native")
    for _ in range(3):
        game.apply(game.legal_actions()[0])
        actions = game.legal_actions()
        made: tuple[Any, ...] = (game, actions, game._asker, game._tape, actions[0])
        for each in made:
            names = {name for base in type(each).__mro__ for name in getattr(base, "__slots__", ())}
            assert [name for name in names - {"_data", "_offers", "__weakref__"} if not hasattr(each, name)] == []
    assert type(game) is not State
    assert type(game.clone()) is type(game)

    class Mine(State):
        """A class of one's own."""

    mine = Mine(ruleset, *game.engine)
    mine.apply(mine.legal_actions()[0])
    assert type(mine) is Mine
    assert len(mine.events()) > len(game.events())


def test_limits_of_games_that_begin(same_folder: Path) -> None:
    """Those in force when a game begins bound it, in C too."""
    ruleset, before = load(same_folder, FAIR), limits.current()
    limits.use(limits.Limits(options=2))
    try:
        game = ruleset.new_game(2, 1, backend="native")
        with pytest.raises(RuleError, match="options"):
            game.legal_actions()
        limits.use(limits.Limits(events=1))
        with pytest.raises(RuleError, match="more happened"):
            ruleset.new_game(2, 1, backend="native").apply("play:number=1", 0)
    finally:
        limits.use(before)
    assert len(ruleset.new_game(2, 1, backend="native").legal_actions()) == 3


def test_games_leave_no_memory(same_folder: Path) -> None:
    """A game that is over, and its copies, are given back at once."""
    ruleset = load(same_folder, FAIR)

    def play(seed: int) -> None:
        picker, state = random.Random(seed), ruleset.new_game(2, seed, backend="native")
        while not state.is_terminal():
            copy = state.clone()
            copy.apply(copy.legal_actions()[0])
            action = picker.choice(state.legal_actions())
            state.apply(action if seed % 2 else action.id)

    gc.collect()
    gc.disable()
    blocks: list[int] = []
    try:
        for _ in range(4):  # at first Python and the ruleset memoise
            for seed in range(8):
                play(seed)
            blocks.append(sys.getallocatedblocks())
    finally:
        gc.enable()
    assert blocks[-1] - blocks[-2] < 20


MANY = """\
rulelang: 2
name: g
players: 1
kinds: {Card: {start: box}}
pieces: {Card: [%s]}
zones: {box: {holds: Card, visible: all}, out: {holds: Card, visible: all}}
variables: {n: {type: 0..3, visible: all}}
rules: |
  play:
    turn of seat(0): start()
    repeat 3 times:
      turn of seat(0): n += choose a number from 1 to 2
  rule start: move (choose 4 of box) to out
  score points: n
"""
MANY = MANY.replace("%s", ", ".join(f"{{id: c{number}}}" for number in range(16)))


def test_many_options_are_listed_by_python(same_folder: Path) -> None:
    """Where native code has no room to list the options, it still goes on by their numbers."""
    one, other = pair(load(same_folder, MANY), 1, 0)
    assert len(other.legal_actions()) == 1820
    for state in (one, other):
        state.apply(state.legal_actions()[1000])
    assert told(other) == told(one)


def test_what_goes_wrong_is_said_and_the_state_stays(same_folder: Path) -> None:
    """Errors are those of the interpreter, with its words; the state is as it was."""
    games = pair(load(same_folder, MANY), 1, 0)
    for state in games:
        state.apply(state.legal_actions()[7])
        state.apply("play:n=2")
    before, messages = games[0].hash(), []
    for state in games:
        with pytest.raises(RuleError) as failed:
            state.apply("play:n=2")
        messages.append(str(failed.value))
        with pytest.raises(IllegalAction) as refused:
            state.apply("play:n=3")
        messages.append(str(refused.value))
        assert state.hash() == before
        state.apply("play:n=1")
    assert messages[:2] == messages[2:]
    assert told(games[1]) == told(games[0])


def test_threads_may_share_a_machine(same_folder: Path) -> None:
    """Several threads that play at the same time play the games of one."""
    ruleset = load(same_folder, FAIR)

    def game(seed: int) -> str:
        state, picker = ruleset.new_game(3, seed, backend="native"), random.Random(seed)
        while not state.is_terminal():
            state.apply(picker.choice(state.legal_actions()))
        return state.hash()

    wanted = [game(seed) for seed in range(8)]
    found: dict[int, str] = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: game(n)})) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[seed] for seed in range(8)] == wanted


@pytest.mark.parametrize("name", ["fair", pytest.param("reco", marks=pytest.mark.soak)])
def test_nothing_is_read_or_written_elsewhere(name: str, same_folder: Path, tmp_path: Path) -> None:
    """Under the eyes of the sanitizers random steps lead to the end of every game."""
    if name == "reco":
        reco = shipped("reco").executor(4, {}, "native")
        assert reco.native is not None
        watched_steps(reco.native, reco.new_state(1), 20, tmp_path, {"over"})
        return
    fair = load(same_folder, FAIR).executor(3, {}, "native")
    assert fair.native is not None
    watched_steps(fair.native, fair.new_state(1), 20, tmp_path, {"over"})


@pytest.mark.parametrize("name", ["reco", "ldd"])
def test_frames_come_back_as_they_were(name: str) -> None:
    """The locals of waiting procedures, with sets and bags among them, are the same after a way there and back."""
    ruleset = shipped(name)
    state, picker, several = ruleset.new_game(seed=4, backend="interpreter"), random.Random(4), 0
    native = ruleset.executor(backend="native").native
    assert native is not None
    for _ in range(60):
        frames = state.engine[1].frames
        assert native.forms.read(native.forms.written(frames)) == frames
        several += any(isinstance(value, list | tuple) for frame in frames for value in frame[2])
        state.apply(picker.choice(state.legal_actions()))
    assert several or name == "reco"


def test_values_of_all_sorts_come_back_as_they_were() -> None:
    """Sets of sets, costs with wilds, groups, absent values and payments."""
    forms = WordForms(shipped("ldd").executor(backend="interpreter").layout)
    values: list[tuple[str, Any]] = [
        ("int", 5), ("set<int>", [3, 1, 2]), ("set<int>", []), ("set<set<int>>", [[1], [], [2, 3]]),
        ("opt<set<seat>>", -1), ("payment:Part", (1, 0, 2)), ("seats<int>", [7, -1]),
        ("set<set<seat>>", [[1], []]), ("bag:Part", (0, 1, 2, 3)), ("opt<bag:Part>", -1),
        ("cost:Part", ((0, 1, 2, 3), ((1, 3, 0), (2, 1, 1)))), ("set<bag:Part>", [(0, 1, 2, 3), (0, 0, 0, 0)]),
    ]  # fmt: skip
    for type_, value in values:
        parts: list[int] = []
        form = forms.form(Type(type_))
        word = value if isinstance(value, int) else forms._part(form, value, parts)
        assert forms.value(form, word, parts) == value, type_
