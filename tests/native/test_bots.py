"""Bots by single steps: the same choices, luck and ends in native code as in the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulelang.agents import BotChoice, play_out
from rulelang.execution.executor import Executor
from rulelang.runtime.waiting import Option
from rulelang.simulate import play_game
from tests.soak import times

from .compared import load, never_interpreted
from .sanitized import generators
from .test_steps import FAIR

pytestmark = pytest.mark.usefixtures("compiler")

OPEN = """\
rulelang: 2
name: g
players: 2
limits: {decisions: 9}
kinds: {Card: {attributes: {worth: 1..9}, start: shop}}
pieces: {Card: [{id: a, worth: 1, count: 4}, {id: b, worth: 2, count: 4}]}
zones: {shop: {holds: Card}, kept: {holds: Card, per: player}}
variables: {luck: {type: 0..99, per: player}}
rules: |
  play:
    let rounds = roll 3 to 6
    repeat rounds times:
      for p in players:
        turn of p:
          if some offered = random one of shop: buy(offered)
  rule buy(card: Card):
    choose:
      take: move card to kept
      leave: luck += roll 1 to 3
      swap(other in shop): move other to kept
  score luck: luck
  score cards: sum(kept.worth)
"""
"""Nobody has secrets; a game of five rounds or six would have 10 or 12 decisions, and is ended by `limits` after 9."""


@pytest.mark.parametrize(("text", "bots"), [(OPEN, ("random", "playouts:2")), (FAIR, ("random", "playouts:1"))])
def test_bots_play_the_same_games(text: str, bots: tuple[str, ...], same_folder: Path) -> None:
    """The choices of all decisions, what the rule that asks was given, the generator's last place, and what came of the
    game, whether it was ended by `limits` too. Where seats have secrets the bot that looks ahead reads the log, which
    native steps leave to Python.
    """
    program = load(same_folder, text).program
    executors = [Executor(program, 2, backend=backend) for backend in ("interpreter", "native")]
    executors[1].prepare_steps()
    limited = set()
    for bot in bots:
        for seed in range(times(3)):
            games: list[Any] = []
            for executor in executors:
                told: list[tuple[int, Option, list[Any]]] = []

                def tell(chosen: BotChoice, told: list[Any] = told) -> None:
                    told.append((chosen.decision, chosen.option, chosen.state.frames[-1]))

                state = play_out(executor, seed, bot, tell)
                games.append((told, state.rng, executor.game(state)))
            assert games[0] == games[1]
            assert games[0][2] == play_game(executors[0], seed, bot)
            limited.add(games[0][2].limited)
    assert limited == ({False, True} if text is OPEN else {False})


@pytest.mark.parametrize("text", [OPEN, FAIR])
def test_playouts_after_a_choice_are_native(text: str, tmp_path: Path) -> None:
    """A bot makes the first choice in Python; native code goes on behind each of the options."""
    program = load(tmp_path, text).program
    one, other = (Executor(program, 2, backend=backend) for backend in ("interpreter", "native"))
    never_interpreted(other)
    state, met = one.new_state(4, logging=False), 0
    one.interpreter.advance(state)
    while (waiting := one.waiting(state)) is not None:
        options = one.interpreter.options(state, waiting.seats[0])
        for place in range(len(options)):
            chosen = state.clone()
            one.interpreter.take(chosen, waiting.seats[0], options[place])
            assert list(other.playouts(chosen, generators(3))) == list(one.playouts(chosen, generators(3)))
            met += 1
        one.interpreter.choose(state, waiting.seats[0], options[-1])
    assert met > 20
