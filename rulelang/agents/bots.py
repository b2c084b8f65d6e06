"""The bots by name: `random`; `mcts` or `mcts:N`, a tree search of N iterations (rulelang.search), of which `easy`,
`good` and `strong` are three, `mcts:N:greedy` one with another rollout policy; `playouts` or `playouts:N` with N
playouts for each option.

Enters: a name. Leaves: an agent for a seat, or a function that plays whole games without the public surface.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rulelang.agents.base import Bot, RandomAgent
from rulelang.agents.playouts import PLAYOUTS, PlayoutAgent, best_option
from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.search.core import Core
from rulelang.search.finding import OptionStats
from rulelang.search.options import ROLLOUTS, SearchOptions
from rulelang.search.searcher import Searcher

BOTS = ("random", "mcts", "playouts")
MOST = {"mcts": 10_000_000, "playouts": 100_000}
USUAL = {"mcts": 1000, "playouts": PLAYOUTS}
STRENGTHS = {"easy": "mcts:20", "good": "mcts:200", "strong": "mcts:2000"}
"""Bots by strength: what each wins against the one before stands in docs/howto/strong_bot.md."""
_COUNTED = re.compile(rf"(mcts|playouts)(?::([1-9][0-9]{{0,8}}))?(?:(?<=[0-9]):({'|'.join(ROLLOUTS)}))?")


class Named(NamedTuple):
    """What the name of a bot says: the sort of bot, how many iterations or playouts it makes (0 for the one that makes
    none), its rollout policy."""

    kind: str
    number: int = 0
    rollout: str = "uniform"


def _parsed_name(name: str) -> Named:
    """Return the bot of a name.

    Raises:
        UsageError: there is no bot of this name.
    """
    if name == "random":
        return Named(name)
    match = _COUNTED.fullmatch(STRENGTHS.get(name, name))
    if match is None or (match[3] and match[1] != "mcts"):
        known = ", ".join((*BOTS, *STRENGTHS))
        raise UsageError(
            f"there is no bot `{name}`; there are {known}, mcts:N and playouts:N; mcts:N:greedy and mcts:N:mast"
        )
    kind = match[1]
    count = int(match[2] or USUAL[kind])
    if count > MOST[kind]:
        raise UsageError(f"`{kind}` takes a number up to {MOST[kind]}")
    return Named(kind, count, match[3] or "uniform")


def check_bot(name: str) -> None:
    """Raise UsageError if there is no bot of this name.

    Raises:
        UsageError: there is none; the message names those that there are.
    """
    _parsed_name(name)


def make_bot(name: str, seed: int, seat: int) -> Bot:
    """Return the bot of this name; UsageError as in `check_bot`."""
    bot = _parsed_name(name)
    if bot.kind == "mcts":
        return Searcher(bot.number, seed, seat, options=SearchOptions(rollout=bot.rollout))
    return PlayoutAgent(seed, seat, bot.number) if bot.number else RandomAgent(seed, seat)


class Chosen(NamedTuple):
    """A choice in a game of bots: the state before it, whose it was, the number of the decision, the options and the
    place of the one that was taken; what a tree search found of them, the best one first (else empty)."""

    state: State
    seat: int
    decision: int
    options: Sequence[Option]
    place: int
    stats: Sequence[OptionStats]

    @property
    def option(self) -> Option:
        """The option that was taken."""
        return self.options[self.place]


Tell = Callable[[Chosen], None]
Allow = Callable[[State, int, int, Sequence[Option]], Sequence[int]]
"""Of the options of a seat, at a decision with this number, the places of those that it may take: at least one."""


def _untold(chosen: Chosen) -> None:
    """Ignore what `play_out` tells."""


def play_out(
    executor: Executor,
    seed: int,
    bots: str | Sequence[str],
    tell: Tell = _untold,
    own_seed: int | None = None,
    allow: Allow | None = None,
) -> State:
    """Return the end of the game with this seed, played by single steps.

    They are native for `random`. A bot that looks ahead takes those of native code where they are prepared already:
    they gain it nothing (docs/decisions/010-single-steps.md).

    `random` in all seats chooses uniformly with the state's own generator, so that it plays as `Executor.games` does;
    bots that look ahead, and all bots with a seed of their own, share a generator that chance does not use.

    Args:
        bots: one for all seats, or one for each. tell: is called for each choice.
        own_seed: of the bots, so that they play otherwise with the same luck. allow: restricts what seats may take.
    """
    names = [bots] * executor.layout.players if isinstance(bots, str) else bots
    kinds = [_parsed_name(name) for name in names]
    searching, shared = any(bot.number for bot in kinds), own_seed is None
    if not searching:
        executor.prepare_steps()
    # What deals secrets anew reads the log.
    state = executor.initial_state(seed, logging=searching and has_secrets(executor.program))
    position, _ = output(seeded(seed if own_seed is None else own_seed))
    rollouts = {bot.rollout for bot in kinds if bot.kind == "mcts"}
    searches = {rollout: Core(executor, SearchOptions(rollout=rollout, reuse=True)) for rollout in sorted(rollouts)}
    while (waiting := executor.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        places = range(len(options)) if allow is None else allow(state, seat, waiting.decision, options)
        chosen, stats = places[0], list[OptionStats]()
        kind, count, rollout = kinds[seat]
        if not searching and shared:
            place, rng = uniform(state.rng, len(places))
            chosen = places[place]
            state = executor.with_rng(state, rng)
        elif len(options) > 1:
            drawn, position = output(position)
            if not count:
                chosen = places[uniform(drawn, len(places))[0]]
            elif kind == "mcts":
                stats = searches[rollout].search(state, seat, drawn, count)
                chosen = next((option.index for option in stats if option.index in places), chosen)
            elif (best := best_option(executor, state, seat, drawn, count)) in places:
                chosen = best
        tell(Chosen(state, seat, waiting.decision, options, chosen, stats))
        state = executor.after_choice(state, seat, options, chosen)
    return state
