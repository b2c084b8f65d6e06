"""An agent that learns a game by playing itself: policy gradients (REINFORCE) with masks on a batch, in numpy alone.

    python examples/learn.py benchmarks/games/tic_tac_toe --seconds 60

Enters: a ruleset of two seats or more, seconds of the processor. Leaves: the share of games that the agent wins against
random picks before and after, a drawn game counted half.

One network plays all seats, as what each sees is relative to it: a layer of tanh, then a score for each pick; what
can't be picked has none. All picks of a game are reinforced by the payoff of the seat that made them, less the mean.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from rulelang.envs import Batch

WIDTH, GAMES, STEPS = 64, 64, 32
RATE, ENTROPY = 1e-2, 0.01


class Policy:
    """A network with one hidden layer, trained by Adam (Kingma, Ba 2015)."""

    def __init__(self, inputs: int, picks: int, dice: Any) -> None:
        self.weights = [
            dice.normal(0, inputs**-0.5, (inputs, WIDTH)).astype(np.float32),
            np.zeros((WIDTH, picks), np.float32),
        ]
        self._moments = [[np.zeros_like(w), np.zeros_like(w)] for w in self.weights]
        self._updates = 0

    def chances(self, seen: Any, mask: Any) -> tuple[Any, Any]:
        """Return the hidden layer, and the probability of each pick."""
        hidden = np.tanh(seen @ self.weights[0])
        scores = np.where(mask, hidden @ self.weights[1], -1e9)
        chances = np.exp(scores - scores.max(1, keepdims=True))
        return hidden, chances / chances.sum(1, keepdims=True)

    def learn(self, seen: Any, mask: Any, picks: Any, gains: Any) -> None:
        """Make picks more likely by their gains."""
        hidden, chances = self.chances(seen, mask)
        logs = np.where(mask, np.log(chances + 1e-9), 0)
        entropy = -(chances * logs).sum(1, keepdims=True)
        slope = -chances * gains[:, None] - ENTROPY * chances * (logs + entropy)
        slope[np.arange(len(picks)), picks] += gains
        slope /= len(picks)
        below = (slope @ self.weights[1].T) * (1 - hidden**2)
        self._updates += 1
        for weight, moment, change in zip(self.weights, self._moments, (seen.T @ below, hidden.T @ slope), strict=True):
            for place, (power, keep) in enumerate(((1, 0.9), (2, 0.999))):
                moment[place] = keep * moment[place] + (1 - keep) * change**power
            first, second = moment[0] / (1 - 0.9**self._updates), moment[1] / (1 - 0.999**self._updates)
            weight += RATE * first / (np.sqrt(second) + 1e-8)


def seen(batch: Batch) -> Any:
    """Return what the seats see that pick, with the picks they have made: floats about as large as 1."""
    return (
        np.concatenate((batch.counts, batch.numbers, batch.prefix, np.ones((len(batch.seat), 1))), 1).astype(np.float32)
        / SCALE
    )


SCALE = np.float32(2)


def drawn(chances: Any, dice: Any) -> Any:
    """Return a pick for each row."""
    return (chances.cumsum(1) < dice.random((len(chances), 1)) * chances.sum(1, keepdims=True)).sum(1)


def trained(ruleset: str, seconds: float, dice: Any) -> Policy:
    """Return a policy after so many seconds of self-play."""
    batch = Batch(ruleset, GAMES, seed=1)
    policy = Policy(seen(batch).shape[1], batch.spec.size, dice)
    end = time.process_time() + seconds
    while time.process_time() < end:
        rows: list[tuple[Any, ...]] = []
        for _ in range(STEPS):
            at, mask, seat = seen(batch), batch.mask.copy(), batch.seat.copy()
            picks = drawn(policy.chances(at, mask)[1], dice)
            batch.step(picks)
            rows.append((at, mask, picks, seat, batch.end != 0, batch.reward.copy()))
        known: Any = np.zeros(GAMES, bool)
        payoff: Any = np.zeros((GAMES, batch.spec.players))
        examples = []
        for at, mask, picks, seat, ended, reward in reversed(rows):
            known, payoff = known | ended, np.where(ended[:, None], reward, payoff)
            examples.append((at[known], mask[known], picks[known], payoff[np.arange(GAMES), seat][known]))
        at, mask, picks, gains = (np.concatenate(parts) for parts in zip(*examples, strict=True))
        if len(picks):
            policy.learn(at, mask, picks, (gains - gains.mean()).astype(np.float32))
    return policy


def share(ruleset: str, policy: Policy, games: int, dice: Any) -> float:
    """Return the share of wins of the policy in one seat, in turn each, against random picks in the others."""
    batch = Batch(ruleset, GAMES, seed=2)
    own: Any = np.arange(GAMES) % batch.spec.players
    results: list[float] = []
    while len(results) < games:
        chances = policy.chances(seen(batch), batch.mask)[1]
        picks = drawn(np.where((batch.seat == own)[:, None], chances, batch.mask.astype(float)), dice)
        batch.step(picks)
        results += ((np.sign(batch.reward[np.arange(GAMES), own]) + 1) / 2)[batch.end != 0].tolist()
    return float(np.mean(results))


def main(arguments: Sequence[str] | None = None) -> tuple[float, float]:
    """Train, and tell the shares of wins before and after."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", nargs="?", default="benchmarks/games/tic_tac_toe")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--games", type=int, default=2000, help="games of each of the two tests")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    dice = np.random.default_rng(options.seed)
    before = share(options.ruleset, trained(options.ruleset, 0, dice), options.games, dice)
    after = share(options.ruleset, trained(options.ruleset, options.seconds, dice), options.games, dice)
    sys.stdout.write(f"{options.ruleset}: {before:.3f} before, {after:.3f} after {options.seconds:.0f} s\n")
    return before, after


if __name__ == "__main__":
    main()
