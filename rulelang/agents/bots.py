"""The bots by name: `random`, and `playouts` or `playouts:N` with N playouts for each option.

Enters: a name. Leaves: an agent for a seat, or a function that plays whole games without the public surface.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rulelang.agents.base import Bot, RandomAgent
from rulelang.agents.playouts import PLAYOUTS, PlayoutAgent, best_option, has_secrets
from rulelang.backends.executor import Executor
from rulelang.backends.interpreter import Option
from rulelang.diagnostics import UsageError
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.state import State

BOTS = ("random", "playouts")
MOST_PLAYOUTS = 100_000
_COUNTED = re.compile(r"playouts(?::([1-9][0-9]{0,8}))?")


def _playouts(name: str) -> int:
    """How many playouts the name asks for; 0 for the bot that makes none.

    Raises:
        UsageError: there is no bot of this name.
    """
    if name == "random":
        return 0
    found = _COUNTED.fullmatch(name)
    if found is None:
        raise UsageError(f"there is no bot `{name}`; there are {', '.join(BOTS)} and playouts:N")
    count = int(found[1] or PLAYOUTS)
    if count > MOST_PLAYOUTS:
        raise UsageError(f"a bot makes at most {MOST_PLAYOUTS} playouts")
    return count


def check_bot(name: str) -> None:
    """Nothing if there is a bot of this name.

    Raises:
        UsageError: there is none; the message names those that there are.
    """
    _playouts(name)


def make_bot(name: str, seed: int, seat: int) -> Bot:
    """The bot of this name; UsageError as in `check_bot`."""
    playouts = _playouts(name)
    return PlayoutAgent(seed, seat, playouts) if playouts else RandomAgent(seed, seat)


def play_out(executor: Executor, state: State, name: str, seed: int) -> None:
    """Plays a game that has not begun to its end, the bot in all seats.

    `random` chooses uniformly with the state's own generator; the others have one of their own, from the seed.
    """
    playouts = _playouts(name)
    if not playouts:
        executor.random_playout(state)
        return
    interpreter = executor.interpreter
    interpreter.advance(state)
    position, _ = output(seeded(seed))
    while (waiting := interpreter.waiting(state)) is not None:
        seat = waiting.seats[0]
        chosen = 0
        if interpreter.option_count(state, seat) > 1:
            drawn, position = output(position)
            chosen = best_option(executor, state, seat, drawn, playouts)
        interpreter.choose(state, seat, interpreter.nth_option(state, seat, chosen))


def play_steps(executor: Executor, seed: int, name: str, tell: Callable[[State, int, Option], None]) -> State:
    """Plays the game that `play_out` plays, and tells each choice: the state before, the number of the decision, the
    option.

    It takes single steps of native code where the executor has them; the last state is without log, unless seats have
    secrets that the bot deals anew.
    """
    playouts = _playouts(name)
    executor.prepare_steps()
    state = executor.initial_state(seed, logging=bool(playouts) and has_secrets(executor.program))
    position, _ = output(seeded(seed))
    while (waiting := executor.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        chosen = 0
        if not playouts:
            chosen, rng = uniform(state.rng, len(options))
            state = executor.with_rng(state, rng)
        elif len(options) > 1:
            drawn, position = output(position)
            chosen = best_option(executor, state, seat, drawn, playouts)
        tell(state, waiting.decision, options[chosen])
        state = executor.after_choice(state, seat, options, chosen)
    return state
