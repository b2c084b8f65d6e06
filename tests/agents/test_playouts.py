"""The bot that looks one move ahead: what it takes, what it may not know, and that it is the same everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.agents import check_bot, make_bot, play_out
from rulelang.agents.playouts import best_option
from rulelang.interpreter import Machine
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.sight import has_secrets
from rulelang.simulate import simulate

OPEN = """\
rulelang: 2
name: takings
players: 2
variables: {points: {type: 0..99, per: player}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          choose:
            little: points += 1
            much: points += 5
            gamble: points += roll 0 to 6
  score points: points
"""

# Whoever guesses the other's card wins; nothing tells it.
SECRET = """\
rulelang: 2
name: guessing
players: 2
kinds: {Card: {start: deck}}
pieces: {Card: [{id: red}, {id: blue}, {id: green}, {id: black}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
types: {Colour: [is_red, is_blue, is_green, is_black]}
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
  play:
    turn of seat(0):
      let guess = choose one of Colour where it != is_red or not any(c is red for c in hand)
      reveal next.hand
      let theirs = choose one of next.hand by next else return
      if theirs is red and guess = is_red: end the game won by you
      if theirs is blue and guess = is_blue: end the game won by you
      if theirs is green and guess = is_green: end the game won by you
      if theirs is black and guess = is_black: end the game won by you
      end the game won by next
"""


def load(folder: Path, text: str) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def test_it_takes_what_is_best(tmp_path: Path) -> None:
    """Five points are more than one and more than a die's three on average, in every turn of every seed."""
    for seed in range(5):
        state = load(tmp_path, OPEN).new_game(2, seed=seed)
        bots = [make_bot("playouts:20", seed, seat) for seat in range(2)]
        while not state.is_terminal():
            seat = state.current_players()[0]
            action = bots[seat].choose(state, seat)
            assert action.id == "much"
            state.apply(action)


def test_it_leaves_the_state_alone(tmp_path: Path) -> None:
    """Choosing does not change the state; the same seed chooses the same."""
    state = load(tmp_path, OPEN).new_game(2, seed=3)
    before = state.to_json()
    first = make_bot("playouts:5", 1, 0).choose(state, 0)
    assert state.to_json() == before
    assert make_bot("playouts:5", 1, 0).choose(state, 0).id == first.id


def test_it_knows_no_more_than_its_seat(tmp_path: Path) -> None:
    """Nothing tells the other's hidden card, so it is guessed as often as by luck."""
    ruleset = load(tmp_path, SECRET)
    assert has_secrets(ruleset.program)
    assert not has_secrets(load(tmp_path, OPEN).program)
    wins = sum(_wins(ruleset, seed) for seed in range(30))
    assert wins < 20  # a third by luck; all 30 for one who peeks


def _wins(ruleset: rulelang.Ruleset, seed: int) -> bool:
    state = ruleset.new_game(2, seed=seed)
    bot = make_bot("playouts:10", seed, 0)
    while not state.is_terminal():
        seat = state.current_players()[0]
        state.apply(bot.choose(state, seat) if seat == 0 else state.legal_actions()[0])
    return state.winners() == [0]


def test_a_time_limit_that_is_not_reached_changes_nothing(tmp_path: Path) -> None:
    """Also where worlds have not all as many playouts: seven among five of them."""
    executor, position = load(tmp_path, SECRET).new_game(2, seed=1).engine
    assert len(executor.options(position, 0)) > 1
    assert best_option(executor, position, 0, 3, 7, seconds=600) == best_option(executor, position, 0, 3, 7)


def test_games_with_the_bot(tmp_path: Path) -> None:
    """`simulate` plays it in all seats, with the same results for any number of processes."""
    ruleset = load(tmp_path, OPEN)
    found = simulate(ruleset, games=70, bot="playouts:12")
    assert all(seat.mean_score > 13 for seat in found.seats)  # by luck alone it would be 9
    again = simulate(ruleset, games=70, bot="playouts:12", jobs=2)
    assert again.seats == found.seats


@pytest.mark.parametrize("name", ["", "playout", "playouts:", "playouts:0", "playouts:-1", "playouts:1e3", "random:3"])
def test_no_such_bot(name: str) -> None:
    """A name that means no bot is refused with those that there are."""
    with pytest.raises(rulelang.UsageError, match="there are random, mcts, playouts, easy, good, strong, mcts:N and"):
        check_bot(name)


def test_too_many_playouts() -> None:
    """Nobody waits for a bot for ever."""
    with pytest.raises(rulelang.UsageError, match="up to 100000"):
        check_bot("playouts:100001")


def test_native_playouts_begin_behind_a_choice(tmp_path, monkeypatch):
    """Also where something is drawn before the next decision, though native code plays on from decisions alone; the
    choice is the interpreter's."""
    ruleset = load(tmp_path, OPEN)
    executors = [ruleset.executor(2, backend=backend) for backend in ("interpreter", "native")]
    state = executors[0].initial_state(3, logging=False)
    by_interpreter = [best_option(executors[0], state, 0, seed, 3) for seed in range(4)]

    def refused(*arguments):
        raise AssertionError(arguments)

    executors[1].prepare_steps()
    state = executors[1].initial_state(3, logging=False)
    monkeypatch.setattr(Machine, "random_playout", refused)
    assert [best_option(executors[1], state, 0, seed, 3) for seed in range(4)] == by_interpreter


@pytest.mark.parametrize(("name", "bot"), [("tictactoe", "mcts:3"), ("tictactoe", "playouts:3"), ("tricks", "mcts:3")])
def test_native_games_of_bots_list_their_options_natively(name, bot, monkeypatch):
    """The interpreter lists none, with secrets and without; the games are the interpreter's."""
    ruleset = rulelang.load(f"tests/conformance/rulesets/{name}")
    executors = [ruleset.executor(ruleset.players[0], backend=backend) for backend in ("interpreter", "native")]
    known = not has_secrets(ruleset.program)
    by_interpreter = play_out(executors[0], 5, bot) if known else None

    def refused(*arguments):
        raise AssertionError(arguments)

    monkeypatch.setattr(Machine, "options", refused)
    final = play_out(executors[1], 5, bot)
    assert executors[1].waiting(final) is None
    assert by_interpreter is None or state_hash(by_interpreter) == state_hash(final)
