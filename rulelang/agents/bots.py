"""The bots by name: `random`; `mcts` or `mcts:N`, a tree search of N iterations (rulelang.search), of which `easy`,
`good` and `strong` are three, `mcts:N:greedy` one with another rollout policy; `playouts` or `playouts:N` with N
playouts for each option.

Enters: a name. Leaves: an agent for a seat, or a function that plays whole games without the public surface.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rulelang import numbers
from rulelang.agents.base import Bot, RandomAgent
from rulelang.agents.playouts import PLAYOUTS, PlayoutAgent, best_option
from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.runtime.rng import game_seed, output, seeded, uniform, weighted
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option, Waiting
from rulelang.search.core import Core
from rulelang.search.finding import OptionStats
from rulelang.search.options import ROLLOUTS, SearchOptions
from rulelang.search.searcher import Searcher
from rulelang.vocabulary.operations import GIVING

BOTS = ("random", "mcts", "playouts")
SHOWN = 40
"""So much of a name that no bot has is shown."""
LARGEST_COUNTS = {"mcts": 10_000_000, "playouts": 100_000}
DEFAULT_COUNTS = {"mcts": 1000, "playouts": PLAYOUTS}
STRENGTHS = {"easy": "mcts:20", "good": "mcts:200", "strong": "mcts:2000"}
"""Names of bots by strength; docs/howto/strong_bot.md says how often each wins against the one before."""
OFFERED = ("random", *STRENGTHS)
"""The bots that strangers may ask of a server."""
_COUNTED = re.compile(rf"(mcts|playouts)(?::([1-9][0-9]{{0,8}}))?(?:(?<=[0-9]):({'|'.join(ROLLOUTS)}))?")


class BotSpec(NamedTuple):
    """A parsed bot name: one of `BOTS`, its iterations or playouts (0: `random`), the rollout policy of a search."""

    kind: str
    budget: int = 0
    rollout: str = "uniform"


def bot_spec(name: str) -> BotSpec:
    """Parse the name of a bot.

    Raises:
        UsageError: there is no bot of this name.
    """
    if name == "random":
        return BotSpec(name)
    match = _COUNTED.fullmatch(STRENGTHS.get(name, name))
    if match is None or (match[3] and match[1] != "mcts"):
        known = ", ".join((*BOTS, *STRENGTHS))
        raise UsageError(
            f"there is no bot `{name[:SHOWN]}`; there are {known}, mcts:N and playouts:N; mcts:N:greedy and mcts:N:mast"
        )
    kind = match[1]
    count = numbers.ITERATIONS.read(match[2]) if match[2] else DEFAULT_COUNTS[kind]
    if count > LARGEST_COUNTS[kind]:
        raise UsageError(f"`{kind}` takes a number up to {LARGEST_COUNTS[kind]}")
    return BotSpec(kind, count, match[3] or "uniform")


def check_bot(name: str) -> str:
    """Return the name of a bot, checked.

    Raises:
        UsageError: there is no bot of this name; the message lists those that there are.
    """
    bot_spec(name)
    return name


def make_bot(name: str, seed: int, seat: int, seconds: float | None = None, backend: str = "auto") -> Bot:
    """Return a new bot; raises as `check_bot`.

    Args:
        name: such as `mcts:200`. seed: of its random generator, which the seat goes into too. seconds: after these it
            takes the best choice so far, which then depends on the speed of the machine; None: it has its whole budget.
            backend: of a tree search; on `interpreter` nothing is compiled.
    """
    bot = bot_spec(name)
    if bot.kind == "mcts":
        return Searcher(bot.budget, seed, seat, seconds, SearchOptions(rollout=bot.rollout, backend=backend))
    return PlayoutAgent(seed, seat, bot.budget, seconds) if bot.budget else RandomAgent(seed, seat)


class BotChoice(NamedTuple):
    """A choice in a game of bots.

    Attributes:
        state: before it. decision: its number in the program. taken: index of the option that was taken.
        stats: of the options, the best first, if a tree search chose; else empty.
    """

    state: State
    seat: int
    decision: int
    options: Sequence[Option]
    taken: int
    stats: Sequence[OptionStats]

    @property
    def option(self) -> Option:
        """The option that was taken."""
        return self.options[self.taken]


OnChoice = Callable[[BotChoice], None]
Allow = Callable[[State, int, int, Sequence[Option]], Sequence[int]]
"""State, seat, number of the decision, options -> indices of the options that the seat may take, at least one."""


def _ignore(chosen: BotChoice) -> None:
    """Do nothing."""


class _KeyedChance:
    """Draws outcomes of chance by their source: the rule that draws, of a pile the pile's alone, else for each seat
    that chose last, and how often it drew before.

    Attributes:
        seat: the one that chose last; -1 before the first choice.
    """

    def __init__(self, executor: Executor, seed: int) -> None:
        self._executor, self._seed, self.seat = executor, seed, -1
        self._drawn: Counter[tuple[int, int]] = Counter()

    def after_chance(self, state: State, waiting: Waiting) -> State:
        """Return the state after an outcome of the pending chance node."""
        assert waiting.chance is not None
        source = waiting.site, -1 if waiting.chance.kind not in GIVING else self.seat
        key = game_seed(game_seed(game_seed(self._seed, source[0]), source[1] + 1), self._drawn[source])
        self._drawn[source] += 1
        outcomes = self._executor.outcomes(state)
        drawn, _ = weighted(key, [weight for _, weight in outcomes])
        before = sum(weight for _, weight in outcomes[:drawn])
        return self._executor.after_chance(state, outcomes[drawn][0], before)


def play_out(
    executor: Executor,
    seed: int,
    bots: str | Sequence[str],
    on_choice: OnChoice = _ignore,
    own_seed: int | None = None,
    allow: Allow | None = None,
) -> State:
    """Play a game of bots by single steps; return its final state.

    With `own_seed` chance is keyed: the n-th number of a source hangs on the seed, the source and n alone, whatever
    else was drawn before (common random numbers).

    Steps and lists of options are native where the executor is; `random` asks for that on `auto` too.

    `random` in all seats chooses uniformly with the state's own generator, so that it plays as `Executor.games` does;
    bots that look ahead, and all bots with a seed of their own, share a generator that chance does not use.

    Args:
        seed: of chance. bots: a name for all seats, or one for each. on_choice: called after each choice is made.
        own_seed: of the bots, to play differently under the same chance. allow: restricts the options of seats.

    Raises:
        UsageError: there is no bot of a name. RuleError: a rule went wrong.
    """
    names = [bots] * executor.layout.players if isinstance(bots, str) else bots
    specs = [bot_spec(name) for name in names]
    looks_ahead, shares_chance = any(bot.budget for bot in specs), own_seed is None
    executor.prepare_steps()
    # Resampling reads the log.
    keyed = None if shares_chance else _KeyedChance(executor, seed)
    state = executor.initial_state(seed, keyed is not None, logging=looks_ahead and has_secrets(executor.program))
    position, _ = output(seeded(seed if own_seed is None else own_seed))
    rollouts = {bot.rollout for bot in specs if bot.kind == "mcts"}
    searches = {rollout: Core(executor, SearchOptions(rollout=rollout, reuse=True)) for rollout in sorted(rollouts)}
    while (waiting := executor.waiting(state)) is not None:
        if keyed is not None and waiting.kind == "chance":
            state = keyed.after_chance(state, waiting)
            continue
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        allowed = range(len(options)) if allow is None else allow(state, seat, waiting.decision, options)
        chosen, stats = allowed[0], list[OptionStats]()
        kind, count, rollout = specs[seat]
        if not looks_ahead and shares_chance:
            place, rng = uniform(state.rng, len(allowed))
            chosen = allowed[place]
            state = executor.with_rng(state, rng)
        elif len(options) > 1:
            drawn, position = output(position)
            if not count:
                chosen = allowed[uniform(drawn, len(allowed))[0]]
            elif kind == "mcts":
                stats = searches[rollout].search(state, seat, drawn, count)
                chosen = next((option.index for option in stats if option.index in allowed), chosen)
            elif (best := best_option(executor, state, seat, drawn, count)) in allowed:
                chosen = best
        on_choice(BotChoice(state, seat, waiting.decision, options, chosen, stats))
        if keyed is not None:
            keyed.seat = seat
        state = executor.after_choice(state, seat, chosen, options)
    return state
