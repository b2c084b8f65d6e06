"""The bots by name: `random`, and `playouts` or `playouts:N` with N playouts for each option.

Enters: a name. Leaves: an agent for a seat, or a function that plays whole games without the public surface.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rulelang.agents.base import Bot, RandomAgent
from rulelang.agents.playouts import PLAYOUTS, PlayoutAgent, best_option
from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option

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


def _untold(state: State, decision: int, option: Option) -> None:
    """What `play_out` tells nobody."""


def play_out(executor: Executor, seed: int, name: str, tell: Callable[[State, int, Option], None] = _untold) -> State:
    """The end of the game with this seed, the bot in all seats, by single steps.

    They are native for `random`. A bot that looks ahead takes those of native code where they are prepared already:
    they gain it nothing (docs/decisions/010-single-steps.md).

    `random` chooses uniformly with the state's own generator, so that it plays as `Executor.games` does; the others
    have one of their own, from the seed.

    Args:
        tell: is called for each choice with the state before it, the number of the decision, and the option.
    """
    playouts = _playouts(name)
    if not playouts:
        executor.prepare_steps()
    # What deals secrets anew reads the log.
    state = executor.initial_state(seed, logging=playouts > 0 and has_secrets(executor.program))
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
