"""An agent that learns a game by playing itself: proximal policy optimisation with masks, in torch.

    python examples/ppo.py reco --players 3 --seconds 1800 --against random
    python examples/ppo.py connect_four --seconds 1800 --against random mcts:100

Enters: a ruleset of two seats or more, seconds of the processor. Leaves: the share of games that the agent wins in one
seat, in turn each, against bots in the others, a tie shared; with `--save FILE` the network and its spec.

One network plays all seats, as what each sees is relative to it: two layers, then a score for each pick and the payoff
that the seat expects. PPO is that of Schulman, Wolski, Dhariwal, Radford, Klimov (2017); advantages are generalised
(Schulman, Moritz, Levine, Jordan, Abbeel 2016) along the picks of each seat, whose next value is that of its own next
pick or its payoff. What can't be picked has no probability, neither in play nor in the ratio.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from rulelang.envs import Batch, Spec


@dataclass(frozen=True)
class Settings:
    """What may be tuned.

    Attributes:
        games, steps: rows of the batch, picks of each before the network learns. width: of both layers. rate: of Adam.
            clip: how far a probability may move. epochs, minibatch: how often, and how many picks at once. trace: the
            weight of later advantages (lambda). entropy: how much is given for keeping options open.
    """

    games: int = 128
    steps: int = 64
    width: int = 256
    rate: float = 5e-4
    clip: float = 0.2
    epochs: int = 3
    minibatch: int = 512
    trace: float = 0.95
    entropy: float = 0.01


class Inputs:
    """What a seat sees as floats: bounded numbers from 0 to 1, others by the logarithm of their size; small ones that
    stand for things (places of piles, words) a float for each."""

    MOST = 16

    def __init__(self, spec: Spec) -> None:
        fields = sorted(spec.fields, key=lambda field: (field.array != "counts", field.offset))
        low = np.array([field.low for field in fields for _ in field.slots], np.float32)
        high = np.array([field.high for field in fields for _ in field.slots], np.float32)
        self.low, self.span = low, np.maximum(high - low, 1)
        self.wide = self.span > 1 << 20
        self.split = np.flatnonzero((self.span > 1) & (self.span < self.MOST))
        firsts = np.cumsum([0, *(self.span[self.split] + 1)]).astype(int)
        self.firsts, self.of_split = firsts[:-1], int(firsts[-1])
        self.size = len(low) + self.of_split + len(spec.picks)

    def of(self, counts: Any, numbers: Any, prefix: Any) -> Any:
        """Return the inputs of rows of a batch, as torch's floats."""
        seen = np.concatenate((counts, numbers), 1).astype(np.float32)
        units: Any = np.zeros((len(seen), self.of_split), np.float32)
        places = (seen[:, self.split] - self.low[self.split]).astype(int) + self.firsts
        np.put_along_axis(units, places, 1, 1)
        scaled = np.where(self.wide, np.sign(seen) * np.log1p(np.abs(seen)), (seen - self.low) / self.span)
        return torch.from_numpy(np.concatenate((scaled, units, np.minimum(prefix, 4) / 4), 1, dtype=np.float32))


class Network(nn.Module):  # type: ignore[misc]
    """A score for each pick, and the payoff that the seat expects."""

    def __init__(self, inputs: int, picks: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.scores, self.value = nn.Linear(width, picks), nn.Linear(width, 1)
        nn.init.orthogonal_(self.scores.weight, 0.01)
        nn.init.zeros_(self.value.weight)

    def forward(self, seen: Any, mask: Any) -> tuple[Any, Any]:
        """Return the logarithm of each pick's probability, and the values."""
        hidden = self.body(seen)
        scores = self.scores(hidden).masked_fill(~mask, -1e9)
        return torch.log_softmax(scores, 1), self.value(hidden).squeeze(1)


def drawn(chances: Any) -> Any:
    """Return a pick for each row, drawn by logarithms of probabilities."""
    return torch.multinomial(chances.exp(), 1).squeeze(1)


def advantages(seats: Any, values: Any, ended: Any, payoffs: Any, trace: float) -> tuple[Any, Any]:
    """Return of each pick the advantage, and whether it is known: whether its seat picked again or the game ended.

    Args:
        seats, values, ended: (steps, games). payoffs: (steps, games, seats), where a game ended.
    """
    steps, games = seats.shape
    rows, result, known = np.arange(games), np.zeros_like(values), np.zeros(seats.shape, bool)
    later, gain = np.zeros(payoffs.shape[1:], np.float32), np.zeros(payoffs.shape[1:], np.float32)
    is_known = np.zeros(payoffs.shape[1:], bool)
    for step in range(steps - 1, -1, -1):
        over = ended[step]
        later[over], gain[over], is_known[over] = payoffs[step][over], 0, True
        seat = seats[step]
        result[step] = later[rows, seat] - values[step] + trace * gain[rows, seat]
        known[step] = is_known[rows, seat]
        later[rows, seat], gain[rows, seat], is_known[rows, seat] = values[step], result[step], True
    return result, known


class Learner:
    """A network and the batch by which it learns."""

    def __init__(self, ruleset: str, players: int | None, seed: int, settings: Settings) -> None:
        torch.manual_seed(seed)
        self.settings = settings
        self.batch = Batch(ruleset, settings.games, players, seed=seed)
        self.spec = self.batch.spec
        self.inputs = Inputs(self.spec)
        self.network = Network(self.inputs.size, self.spec.size, settings.width)
        self.optimiser = torch.optim.Adam(self.network.parameters(), settings.rate, eps=1e-5)
        self.picks = 0

    def seen(self, batch: Batch) -> tuple[Any, Any]:
        """Return inputs and mask of a batch, as they are now."""
        return self.inputs.of(batch.counts, batch.numbers, batch.prefix), torch.from_numpy(batch.mask.copy())

    def played(self) -> tuple[Any, ...]:
        """Play `steps` picks in each row; return inputs, masks, picks, their probabilities and values (all flat), and
        the advantages; those alone of which these are known."""
        batch, rows = self.batch, []
        for _ in range(self.settings.steps):
            seen, mask = self.seen(batch)
            with torch.no_grad():
                chances, values = self.network(seen, mask)
            picks = drawn(chances)
            seat = batch.seat.copy()
            batch.step(picks.numpy())
            told = chances.gather(1, picks[:, None]).squeeze(1)
            rows.append((seen, mask, picks, told, values, seat, batch.end != 0, batch.reward.copy()))
        seen, mask, picks, told, values, seats, ended, payoffs = zip(*rows, strict=True)
        old = torch.stack(values)
        gains, known = advantages(np.stack(seats), old.numpy(), np.stack(ended), np.stack(payoffs), self.settings.trace)
        flat, keep = torch.from_numpy(gains).flatten(), torch.from_numpy(known).flatten()
        self.picks += int(keep.sum())
        parts = (torch.cat(seen), torch.cat(mask), torch.cat(picks), torch.cat(told), old.flatten() + flat, flat)
        return tuple(part[keep] for part in parts)

    def learn(self, share: float) -> None:
        """Play and learn once; `share` is how much of the rate is left."""
        settings = self.settings
        seen, mask, picks, told, targets, gains = self.played()
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        for group in self.optimiser.param_groups:
            group["lr"] = settings.rate * max(share, 0.05)
        for _ in range(settings.epochs):
            for part in torch.randperm(len(picks)).split(settings.minibatch):
                chances, values = self.network(seen[part], mask[part])
                ratio = (chances.gather(1, picks[part][:, None]).squeeze(1) - told[part]).exp()
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                gain = torch.minimum(ratio * gains[part], clipped * gains[part]).mean()
                entropy = -(chances.exp() * chances.masked_fill(~mask[part], 0)).sum(1).mean()
                loss = nn.functional.mse_loss(values, targets[part]) / 2 - gain - settings.entropy * share * entropy
                self.optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.optimiser.step()

    def train(self, seconds: float) -> Iterator[float]:
        """Learn for so many seconds of the processor; yield how many are over after each time."""
        begun = time.process_time()
        while (over := time.process_time() - begun) < seconds:
            self.learn(1 - over / seconds)
            yield time.process_time() - begun

    def share(self, bot: str, games: int) -> tuple[float, float]:
        """Return the share of games that the network wins against bots, in turn in each seat, and the half-width of its
        95 % interval (of a mean of games)."""
        results: list[float] = []
        for seat in range(self.spec.players):
            others = {other: bot for other in range(self.spec.players) if other != seat}
            rows, wanted = min(games, 64), len(results) + max(games // self.spec.players, 1)
            batch = Batch(self.spec.ruleset, rows, self.spec.players, seed=1_000_003, bots=others)
            while len(results) < wanted:
                with torch.no_grad():
                    chances, _ = self.network(*self.seen(batch))
                batch.step(chances.argmax(1).numpy())
                best = batch.reward.max(1) == batch.reward[:, seat]
                shared = (batch.reward == batch.reward.max(1, keepdims=True)).sum(1)
                won = np.where(best, 1 / shared, 0)
                results += won[batch.end != 0].tolist()
        return float(np.mean(results)), float(1.96 * np.std(results) / len(results) ** 0.5)


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """Train, and tell the share of wins against each bot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", nargs="?", default="connect_four")
    parser.add_argument("--players", type=int)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--against", nargs="*", default=["random"], help="bots, such as random or mcts:100")
    parser.add_argument("--games", type=int, default=400, help="games against each bot")
    parser.add_argument("--rows", type=int, default=Settings.games, help="games at once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path)
    options = parser.parse_args(arguments)
    learner = Learner(options.ruleset, options.players, options.seed, Settings(games=options.rows))
    for over in learner.train(options.seconds):
        sys.stderr.write(f"\r{over:.0f} s, {learner.picks:,} picks ")
    shares = {}
    for bot in options.against:
        shares[bot], half = learner.share(bot, options.games)
        sys.stdout.write(f"\n{options.ruleset}: {shares[bot]:.3f} ± {half:.3f} against {bot}\n")
    if options.save:
        torch.save({"spec": learner.spec.to_json(), "network": learner.network.state_dict()}, options.save)
    return shares


if __name__ == "__main__":
    main()
