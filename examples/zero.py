"""An agent that learns a game by searching: expert iteration, in torch.

    python examples/zero.py connect_four --seconds 1800 --against mcts:100
    python examples/zero.py benchmarks/games/leduc_poker --seconds 600 --against mcts:64

Enters: a ruleset of two seats or more, seconds of the processor. Leaves: the share of games that a search which asks
the network wins against bots, in turn in each seat, a tie shared.

A third of the time the network learns by `examples/ppo.py`, on a batch. Then a tree search plays itself. The network
says what its leaves are worth, many at a time, to each seat by what that seat sees there; and it learns the picks that
the search made and how its games ended (Anthony, Tian, Barber, *Thinking Fast and Slow with Deep Learning and Tree
Search*, 2017).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from examples.ppo import Learner, Settings
from rulelang import State
from rulelang.agents import make_bot
from rulelang.envs import PickGame
from rulelang.envs.core import picks_of
from rulelang.search import Searcher

Example = tuple[tuple[Any, ...], list[int], int]
"""What the seat saw; what it could pick; what it picked."""


class Expert:
    """A search that asks a network, and learns it."""

    def __init__(self, learner: Learner, iterations: int, seed: int) -> None:
        self.learner, self.spec, self.iterations = learner, learner.spec, iterations
        self.dice, self.games = random.Random(seed), 0
        self.most = max(map(abs, self.spec.payoffs or (1.0, 1.0)))
        self.examples: list[tuple[Example, float]] = []

    def values(self, states: list[State]) -> Any:
        """Return what each state is worth to each seat, from 0 to 1, by what that seat sees."""
        games = [PickGame(self.spec, state=state) for state in states]
        seen = [game.observe(seat) for game in games for seat in range(self.spec.players)]
        with torch.no_grad():
            _, values = self.learner.network(
                self._inputs(seen), torch.ones(len(seen), self.spec.size, dtype=torch.bool)
            )
        values = (values / self.most).clamp(-1, 1) / 2 + 0.5
        over = [game.state.is_terminal() for game in games]
        rows = values.reshape(len(states), -1).tolist()
        ends = [[payoff / self.most / 2 + 0.5 for payoff in game.returns()] for game in games]
        return [end if is_over else row for end, is_over, row in zip(ends, over, rows, strict=True)]

    def _inputs(self, seen: Sequence[tuple[Any, ...]]) -> Any:
        dtypes = np.uint8, np.int32, np.uint8
        parts = [
            [np.frombuffer(each, dtype) for each in of]
            for of, dtype in zip(zip(*seen, strict=True), dtypes, strict=True)
        ]
        return self.learner.inputs.of(*map(np.stack, parts))

    def searcher(self, seat: int) -> Searcher:
        """Return a search for a seat."""
        return Searcher(self.iterations, self.dice.randrange(1 << 30), seat, evaluate=self.values, batch=16)

    def play(self) -> None:
        """Let the search play a game against itself; keep its picks and how it ended. Every eighth choice is random, so
        that games differ, and is not kept."""
        game = PickGame(self.spec, self.dice.randrange(1 << 30))
        searchers = [self.searcher(seat) for seat in range(self.spec.players)]
        examples: list[tuple[int, Example]] = []
        while not game.end:
            seat, state = game.seat, game.state
            actions = state.legal_actions(seat)
            by_chance = self.dice.random() < 1 / 8
            action = self.dice.choice(actions) if by_chance else searchers[seat].choose(state, seat)
            for pick in picks_of(self.spec, state, seat, actions.index(action)):
                if not by_chance:
                    examples.append((seat, (game.observe(seat), game.mask(seat), pick)))
                game.step(pick)
        payoffs = game.returns()
        self.most = max(self.most, *map(abs, payoffs))
        self.examples += [(example, payoffs[seat]) for seat, example in examples]
        self.games += 1

    def learn(self, updates: int, size: int = 512) -> None:
        """Learn from the last games."""
        del self.examples[: max(len(self.examples) - 50_000, 0)]
        for _ in range(updates):
            chosen = self.dice.choices(self.examples, k=min(size, len(self.examples)))
            seen = self._inputs([of for (of, _, _), _ in chosen])
            mask = torch.zeros(len(chosen), self.spec.size, dtype=torch.bool)
            for row, ((_, possible, _), _) in enumerate(chosen):
                mask[row, possible] = True
            picks = torch.tensor([pick for (_, _, pick), _ in chosen])
            payoffs = torch.tensor([payoff for _, payoff in chosen], dtype=torch.float32)
            chances, values = self.learner.network(seen, mask)
            loss = nn.functional.nll_loss(chances, picks) + nn.functional.mse_loss(values, payoffs)
            self.learner.optimiser.zero_grad()
            loss.backward()
            self.learner.optimiser.step()

    def share(self, bot: str, games: int) -> float:
        """Return the share of games that the search wins, in turn in each seat, against bots in the others."""
        won = 0.0
        for number in range(games):
            own = number % self.spec.players
            agents: list[Any] = [make_bot(bot, number, seat) for seat in range(self.spec.players)]
            agents[own] = self.searcher(own)
            state = self.spec.ruleset.new_game(self.spec.players, 1_000_003 + number, self.spec.options)
            while not state.is_terminal():
                seat = state.current_players()[0]
                state.apply(agents[seat].choose(state, seat))
            payoffs = state.returns()
            won += (payoffs[own] == max(payoffs)) / payoffs.count(max(payoffs))
        return won / games


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    """Train, and tell the share of wins against each bot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", nargs="?", default="connect_four")
    parser.add_argument("--players", type=int)
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--iterations", type=int, default=64, help="of the search, for each choice")
    parser.add_argument("--against", nargs="*", default=["mcts:64"], help="bots, such as random or mcts:100")
    parser.add_argument("--games", type=int, default=100, help="games against each bot")
    parser.add_argument("--rows", type=int, default=Settings.games, help="games at once while no search plays")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    begun = time.process_time()
    learner = Learner(options.ruleset, options.players, options.seed, Settings(games=options.rows))
    for _ in learner.train(options.seconds / 3):
        pass
    expert = Expert(learner, options.iterations, options.seed)
    for group in learner.optimiser.param_groups:
        group["lr"] = learner.settings.rate / 5
    while time.process_time() - begun < options.seconds:
        expert.play()
        expert.learn(4)
        sys.stderr.write(f"\r{time.process_time() - begun:.0f} s, {expert.games} games of the search ")
    shares = {bot: expert.share(bot, options.games) for bot in options.against}
    for bot, share in shares.items():
        sys.stdout.write(f"\n{options.ruleset}: {share:.3f} against {bot} ({options.games} games)\n")
    return shares


if __name__ == "__main__":
    main()
