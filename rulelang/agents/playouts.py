"""A bot that looks one move ahead: it plays the game to its end at random after every option, and takes the best.

Enters: a state and the acting seat. Leaves: one of its legal actions. Playouts begin in worlds resampled for the seat,
so that the bot knows no more than it; where none is found the option is drawn at random. Flat Monte Carlo (Abramson,
The expected-outcome model of two-player games, 1990), with the same worlds and the same luck for every option, so that
they differ by the move alone. Its budget is a number of playouts, which a time limit may cut short.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from math import ceil, inf, sqrt

from rulelang.diagnostics import ResampleError
from rulelang.execution.executor import Executor
from rulelang.game import Action, State
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State as RuntimeState

PLAYOUTS = 50
"""Default number of playouts after each option."""

WORLDS = 5
"""Worlds sampled for a choice, where seats have secrets: sampling one takes far longer than a playout."""


class PlayoutAgent:
    """Chooses by flat Monte Carlo (see `best_option`); `position` is the state of its random generator."""

    def __init__(self, seed: int, seat: int, playouts: int = PLAYOUTS, seconds: float | None = None) -> None:
        self.position, _ = output(seeded(seed + seat))
        self.playouts, self.seconds = playouts, seconds

    def choose(self, state: State, seat: int) -> Action:
        """Return the best of the seat's legal actions; of equally good ones the first."""
        executor, position = state.engine
        actions = state.legal_actions(seat)
        drawn, self.position = output(self.position)
        if len(actions) == 1:
            return actions[0]
        return actions[best_option(executor, position, seat, drawn, self.playouts, self.seconds)]


def best_option(
    executor: Executor,
    state: RuntimeState,
    seat: int,
    seed: int,
    playouts: int = PLAYOUTS,
    seconds: float | None = None,
) -> int:
    """Return the index of the option with the highest value for the seat; `state` is not changed.

    The value of an option is the mean payoff, and the mean lead over the best other party in units of the standard
    deviation of all leads: who is sure to win or to lose still plays for points.

    Args:
        seed: of worlds and playouts. playouts: number for each option. seconds: after these no more playouts begin, and
            the best option of those that were tried is taken.
    """
    end = inf if seconds is None else time.monotonic() + seconds
    count = len(executor.options(state, seat))
    worlds = _worlds(executor, state, seat, seed, min(playouts, WORLDS))
    if not worlds:
        return uniform(output(seeded(seed))[0], count)[0]
    payoffs = [0.0] * count
    leads: list[list[int]] = [[] for _ in range(count)]
    rngs = [seeded(seed + 1 + playout) for playout in range(playouts)]
    # With a time limit each round gives every option one playout of each world; all rounds together are the same games.
    rounds = 1 if seconds is None else ceil(playouts / len(worlds))
    trials = (
        (number, world, option, first)
        for first in range(rounds)
        for number, world in enumerate(worlds)
        for option in range(count)
    )
    for number, world, option, first in trials:
        if time.monotonic() > end and any(leads):
            break
        own_rngs = rngs[number :: len(worlds)][first::rounds]
        for payoff, lead in _playout_results(executor, world, seat, option, own_rngs):
            payoffs[option] += payoff
            leads[option].append(lead)
    spread = _deviation([lead for row in leads for lead in row])
    values = [
        payoff / len(row) + sum(row) / len(row) / spread if row else -inf
        for payoff, row in zip(payoffs, leads, strict=True)
    ]
    return values.index(max(values))


def _playout_results(
    executor: Executor, state: RuntimeState, seat: int, index: int, rngs: Sequence[int]
) -> Iterator[tuple[float, int]]:
    """Yield the payoff and the lead of a seat after each of the playouts that begin with the option at an index.

    Native code plays on from decisions, not from within a rule: the option is taken by a step, for each playout anew if
    something is drawn in it.
    """
    if not rngs:
        return
    start = state.clone()
    start.logging = False
    start = executor.immutable(start)
    after = executor.after_choice(executor.with_rng(start, rngs[0]), seat, index)
    if after.rng == rngs[0]:
        outcomes = executor.playouts(after, rngs)
    else:
        steps = (executor.after_choice(executor.with_rng(start, rng), seat, index) for rng in rngs)
        outcomes = (outcome for step in steps for outcome in executor.playouts(step, [step.rng]))
    for outcome in outcomes:
        lead = 0 if executor.layout.one_party else _lead(outcome.game.scores, seat)
        yield outcome.returns[seat], lead


def _worlds(executor: Executor, state: RuntimeState, seat: int, seed: int, count: int) -> list[RuntimeState]:
    """Return `count` states that the seat can't tell from this one; empty where none was found."""
    if not has_secrets(executor.program):
        return [state]  # what nobody knows is drawn in the playout, when it is revealed
    try:
        return [executor.resample(state, seat, seed + number) for number in range(count)]
    except ResampleError:
        return []


def _lead(scores: Sequence[int], seat: int) -> int:
    """Return the points that a seat is ahead of the best other party."""
    return scores[seat] - max([*scores[:seat], *scores[seat + 1 :]])


def _deviation(values: list[int]) -> float:
    """Return the population standard deviation; 1 if all values are equal."""
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
