"""Plays the same random games on several backends: do all end, how, and with the same hashes?

    python benchmarks/agree.py imaginarium --games 10000 --jobs 2
    python benchmarks/agree.py imaginarium --players 2,5 --games 300 --first 500 --backends interpreter,native

Enters: a ruleset, numbers of players, backends, which games. Leaves: a line for each number of players and backend: how
many games ended, how many by the limit of decisions, how many stopped with an error (by fuel, or with nothing to
choose), how long they were, and a digest of all final states; then the first game in which backends differ. The digest
of a game is that of its final hash, its generator, decisions, turns, scores and winners, so it is the same wherever it
is played. The exit status is 1 if a game did not end by its own rules, or backends differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from rulelang.diagnostics import RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.parallel import Executors, blocks_of_games
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.rng import game_seed

BACKENDS = ("interpreter", "native")


@dataclass(frozen=True)
class Ended:
    """The result of a game: a digest of its final state, its length, whether `limits` ended it, the error if any."""

    digest: str
    decisions: int
    limited: bool
    error: str = ""


@dataclass
class Run:
    """The games of one backend, in order."""

    backend: str
    seconds: float = 0.0
    games: list[Ended] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """Return the digest of all games."""
        return sha256("".join(game.digest for game in self.games).encode()).hexdigest()[:32]


def play(executor: Executor, seed: int) -> Ended:
    """Play one random game; return its result."""
    state = executor.new_state(seed, logging=False)
    try:
        executor.random_playout(state)
    except RuleError as error:
        return Ended(sha256(str(error).encode()).hexdigest(), state.decisions, False, str(error))
    game = executor.game(state)
    text = f"{state_hash(state)} {state.rng} {state.decisions} {state.turns} {game.scores} {game.winners}"
    return Ended(sha256(text.encode()).hexdigest(), state.decisions, game.limited)


def block(executors: Executors, seed: int, numbers: range) -> list[Ended]:
    """Play the numbered games of a run."""
    return [play(executors[0], game_seed(seed, number)) for number in numbers]


def played(executor: Executor, seed: int, first: int, games: int, jobs: int) -> Run:
    """Play `games` games from number `first` on."""
    run, start = Run(executor.backend), time.perf_counter()
    for part in blocks_of_games(block, (executor,), seed, first + games, jobs, None, first):
        run.games += part
    run.seconds = time.perf_counter() - start
    return run


def line(players: int, run: Run) -> str:
    """Return the line of the report for a run."""
    games = run.games
    mean = sum(game.decisions for game in games) / len(games)
    return (
        f"{players} players  {run.backend:12}{len(games):7} games  {sum(game.limited for game in games)} by the limit  "
        f"{sum(bool(game.error) for game in games)} stopped  {mean:9.1f} decisions, at most "
        f"{max(game.decisions for game in games):6}  {run.seconds:7.1f} s  {run.digest}"
    )


def differing(runs: Sequence[Run]) -> int | None:
    """Return the index of the first game with different results on the backends; None if there is none."""
    for place, games in enumerate(zip(*(run.games for run in runs), strict=True)):
        if len({game.digest for game in games}) > 1:
            return place
    return None


def say(text: str) -> None:
    """Print a line of the report."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and report; return 1 if a game did not end by its own rules, or backends differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset")
    parser.add_argument("--players", help="numbers of players, such as 2,5; all of the ruleset if left out")
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE; repeatable")
    parsed = parser.parse_args(arguments)
    ruleset = rulelang.load(parsed.ruleset)
    sound = True
    for players in map(int, parsed.players.split(",")) if parsed.players else ruleset.players:
        runs: list[Run] = []
        for name in parsed.backends.split(","):
            try:
                executor = ruleset.executor(players, dict(pair.split("=", 1) for pair in parsed.option), name)
            except UsageError as error:
                say(f"{players} players  {name:12}{error}")
                continue
            runs.append(played(executor, parsed.seed, parsed.first, parsed.games, parsed.jobs))
            say(line(players, runs[-1]))
            for number, game in enumerate(runs[-1].games, parsed.first):
                if game.limited or game.error:
                    sound = False
                    say(
                        f"  game {number} (seed {game_seed(parsed.seed, number)}): {game.error or 'ended by the limit'}"
                    )
        place = differing(runs)
        if place is not None:
            sound = False
            number = parsed.first + place
            say(f"  the backends differ in game {number} (seed {game_seed(parsed.seed, number)})")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
