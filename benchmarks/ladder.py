"""Does each doubling of a search's budget win more games than the budget before?

    python benchmarks/ladder.py rulesets/reco --players 4 --first 50 --rungs 5 --games 100

At each rung every other seat searches with N iterations, the others with 2 N;
each game is played again with the seats the other way round. The share of wins of those who search more is printed
with its 95 % interval (of the means of pairs), beside an equal share.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import mean, stdev

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from rulelang.execution.executor import Executor
from rulelang.runtime.rng import game_seed
from rulelang.search.core import Core
from rulelang.search.options import SearchOptions


def played(executor: Executor, search: Core, seed: int, budgets: list[int]) -> list[float]:
    """Each seat's part of the win in a game in which seats search with these budgets."""
    state = executor.initial_state(seed)
    number = 0
    while (waiting := executor.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = executor.options(state, seat)
        number += 1
        looks = search.look(state, seat, game_seed(seed, number), budgets[seat]) if len(options) > 1 else []
        state = executor.after_choice(state, seat, options, looks[0].index if looks else 0)
    won = executor.game(state).winners
    seats = [seat for seat in range(len(budgets)) if seat in won] or list(range(len(budgets)))
    return [1 / len(seats) if seat in seats else 0.0 for seat in range(len(budgets))]


def rung(executor: Executor, budget: int, games: int, seed: int) -> tuple[float, float, float]:
    """The share of wins of the larger budget with half of its 95 % interval, and an equal share."""
    players = executor.layout.players
    sides = [seat % 2 for seat in range(players)]
    shares = []
    for number in range(games):
        pair = []
        for turned in (0, 1):
            strong = [seat for seat in range(players) if sides[seat] != turned]
            budgets = [2 * budget if seat in strong else budget for seat in range(players)]
            search = Core(executor, SearchOptions(reuse=True))
            parts = played(executor, search, game_seed(seed, number), budgets)
            pair.append(sum(parts[seat] for seat in strong) - len(strong) / players)
        shares.append(mean(pair))
    return 0.5 + mean(shares), 1.96 * stdev(shares) / len(shares) ** 0.5, 0.5


def main() -> None:
    """Prints a line for each rung."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("path")
    arguments.add_argument("--players", type=int, default=2)
    arguments.add_argument("--first", type=int, default=50, help="the smallest budget")
    arguments.add_argument("--rungs", type=int, default=5)
    arguments.add_argument("--games", type=int, default=100, help="pairs of games at each rung")
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    executor = rulelang.load(given.path).executor(given.players)
    for number in range(given.rungs):
        budget, start = given.first << number, time.process_time()
        share, half, equal = rung(executor, budget, given.games, given.seed)
        line = f"{2 * budget} against {budget}: {share:.3f} ± {half:.3f} of the wins (equal: {equal:.3f})"
        sys.stdout.write(f"{line}, {given.games} pairs, {time.process_time() - start:.0f} s\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
