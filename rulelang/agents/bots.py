"""The bots by name: `random`; `mcts` or `mcts:N`, a tree search of N iterations (rulelang.search); `playouts` or
`playouts:N` with N playouts for each option.

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
from rulelang.search.core import Core
from rulelang.search.options import SearchOptions
from rulelang.search.searcher import Searcher

BOTS = ("random", "mcts", "playouts")
MOST = {"mcts": 10_000_000, "playouts": 100_000}
USUAL = {"mcts": 1000, "playouts": PLAYOUTS}
_COUNTED = re.compile(r"(mcts|playouts)(?::([1-9][0-9]{0,8}))?")


def _looks_ahead(name: str) -> tuple[str, int]:
    """The bot of a name without its number, and how many iterations or playouts it makes; 0 for the bot that makes
    none.

    Raises:
        UsageError: there is no bot of this name.
    """
    if name == "random":
        return name, 0
    match = _COUNTED.fullmatch(name)
    if match is None:
        raise UsageError(f"there is no bot `{name}`; there are {', '.join(BOTS)}, mcts:N and playouts:N")
    kind = match[1]
    count = int(match[2] or USUAL[kind])
    if count > MOST[kind]:
        raise UsageError(f"`{kind}` takes a number up to {MOST[kind]}")
    return kind, count


def check_bot(name: str) -> None:
    """Nothing if there is a bot of this name.

    Raises:
        UsageError: there is none; the message names those that there are.
    """
    _looks_ahead(name)


def make_bot(name: str, seed: int, seat: int) -> Bot:
    """The bot of this name; UsageError as in `check_bot`."""
    kind, count = _looks_ahead(name)
    if kind == "mcts":
        return Searcher(count, seed, seat)
    return PlayoutAgent(seed, seat, count) if count else RandomAgent(seed, seat)


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
    kind, count = _looks_ahead(name)
    if not count:
        executor.prepare_steps()
    # What deals secrets anew reads the log.
    state = executor.initial_state(seed, logging=count > 0 and has_secrets(executor.program))
    position, _ = output(seeded(seed))
    search = Core(executor, SearchOptions(reuse=True)) if kind == "mcts" else None
    while (waiting := executor.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        chosen = 0
        if not count:
            chosen, rng = uniform(state.rng, len(options))
            state = executor.with_rng(state, rng)
        elif len(options) > 1:
            drawn, position = output(position)
            chosen = (
                search.look(state, seat, drawn, count)[0].index
                if search
                else best_option(executor, state, seat, drawn, count)
            )
        tell(state, waiting.decision, options[chosen])
        state = executor.after_choice(state, seat, options, chosen)
    return state
