"""A bot that looks one move ahead: it plays the game to its end at random after every option, and takes the best.

Enters: a state and the seat that is asked. Leaves: one of its legal actions. It knows no game and no more than the seat
does: what the seat can't know is dealt anew before each playout, and where no deal is found its option is drawn at
random. Flat Monte Carlo (Abramson, The expected-outcome model of two-player games, 1990), with the same deals and the
same luck for every option, so that they differ by the move alone. It is budgeted by playouts, never by the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

from rulelang.diagnostics import ResampleError
from rulelang.execution.executor import Executor
from rulelang.game import Action, State
from rulelang.runtime.rng import output, seeded, uniform
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State as RuntimeState

PLAYOUTS = 50
"""So many games are played out after each option."""

DEALS = 5
"""So many different deals are looked at, where seats have secrets: a deal takes far longer than a playout."""


class PlayoutAgent:
    """Takes the option after which random play goes best for the seat; `position` is where its generator stands."""

    def __init__(self, seed: int, seat: int, playouts: int = PLAYOUTS) -> None:
        self.position, _ = output(seeded(seed + seat))
        self.playouts = playouts

    def choose(self, state: State, seat: int) -> Action:
        """Return the best of the seat's legal actions; of equally good ones the first."""
        executor, position = state.engine
        actions = state.legal_actions(seat)
        drawn, self.position = output(self.position)
        return actions[best_option(executor, position, seat, drawn, self.playouts)] if len(actions) > 1 else actions[0]


def best_option(executor: Executor, state: RuntimeState, seat: int, seed: int, playouts: int = PLAYOUTS) -> int:
    """Return the number of the option with the highest value for the seat; the state stays as it is.

    The value of an option is the mean payoff, and the mean lead over the best other party in units of the standard
    deviation of all leads: who is sure to win or to lose still plays for points.
    """
    count = executor.interpreter.option_count(state, seat)
    deals = _deals(executor, state, seat, seed, min(playouts, DEALS))
    if not deals:
        return uniform(output(seeded(seed))[0], count)[0]
    payoffs = [0.0] * count
    leads: list[list[int]] = [[] for _ in range(count)]
    rngs = [seeded(seed + 1 + number) for number in range(playouts)]
    for place, deal in enumerate(deals):
        for k in range(count):
            for payoff, lead in _played(executor, deal, seat, k, rngs[place :: len(deals)]):
                payoffs[k] += payoff
                leads[k].append(lead)
    spread = _deviation([lead for row in leads for lead in row])
    values = [payoff / playouts + sum(row) / playouts / spread for payoff, row in zip(payoffs, leads, strict=True)]
    return values.index(max(values))


def _played(
    executor: Executor, state: RuntimeState, seat: int, option: int, rngs: Sequence[int]
) -> Iterator[tuple[float, int]]:
    """Yield the payoff and the lead of a seat after each of the playouts that begin with an option."""
    chosen = state.clone()
    chosen.logging = False
    executor.interpreter.take(chosen, seat, executor.interpreter.nth_option(chosen, seat, option))
    for outcome in executor.playouts(chosen, rngs):
        yield outcome.returns[seat], _lead(outcome.game.scores, seat)


def _deals(executor: Executor, state: RuntimeState, seat: int, seed: int, count: int) -> list[RuntimeState]:
    """Return states that the seat can't tell from this one; none where none was found."""
    if not has_secrets(executor.program):
        return [state]  # what nobody knows is drawn when it is turned up, by the playout's own luck
    try:
        return [executor.resample(state, seat, seed + number) for number in range(count)]
    except ResampleError:
        return []


def _lead(scores: Sequence[int], seat: int) -> int:
    others = [*scores[:seat], *scores[seat + 1 :]]
    return scores[seat] - max(others, default=0)


def _deviation(values: list[int]) -> float:
    """Return the standard deviation; 1 where all are the same."""
    mean = sum(values) / len(values)
    return sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
