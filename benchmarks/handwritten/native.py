"""Compiles and runs `reco.c`, the R-ECO written by hand in C.

Enters: a compiler on PATH, a folder for the program, what to play. Leaves: `Games`, the statistics of many games. Run
it to compile into a temporary folder and play:

    python benchmarks/handwritten/native.py --games 1000000 --players 4 --processes 2
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("reco.c")
COMPILERS = ("cc", "gcc", "clang")
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Wshadow", "-Werror")
FAST = ("-O3", "-DNDEBUG")
"""Flags of the program that is measured."""

CHECKED = ("-O1", "-g")
"""Flags with which the invariants of a game are checked after every turn."""

SHARES = 60
"""The shares of one win, in the sums of the C program."""


class NoCompilerError(Exception):
    """None of the compilers is on PATH."""


@dataclass(frozen=True)
class Mean:
    """A mean of many games and its standard error."""

    value: float
    error: float

    @classmethod
    def of_sums(cls, n: int, total: int, squares: int) -> Mean:
        """Return the mean of `n` numbers from their sum and sum of squares; the error of a single one is 0."""
        error = sqrt((n * squares - total * total) / (n * n * (n - 1))) if n > 1 else 0.0
        return cls(total / n, error)


@dataclass(frozen=True)
class Games:
    """The statistics of games.

    Attributes:
        sums: as the C program prints them; those of several ranges add up.
    """

    games: int
    seconds: float
    sums: dict[str, Any]

    @property
    def games_per_second(self) -> float:
        """Return the speed; of concurrent processes with their start."""
        return self.games / self.seconds

    @property
    def decisions(self) -> Mean:
        """Return the decisions in a game, those with a single option included."""
        return Mean.of_sums(self.games, self.sums["decisions"], self.sums["decisions_squares"])

    @property
    def turns(self) -> Mean:
        """Return the turns in a game."""
        return Mean.of_sums(self.games, self.sums["turns"], self.sums["turns_squares"])

    @property
    def scores(self) -> list[Mean]:
        """Return the scores by seat."""
        pairs = zip(self.sums["scores"], self.sums["scores_squares"], strict=True)
        return [Mean.of_sums(self.games, total, squares) for total, squares in pairs]

    @property
    def win_shares(self) -> list[float]:
        """Return each seat's share of all wins, shared wins split."""
        return [share / (SHARES * self.games) for share in self.sums["win_shares_of_60"]]


def compiler() -> str:
    """Return the first C compiler on PATH.

    Raises:
        NoCompilerError: there is none.
    """
    path = next(filter(None, map(shutil.which, COMPILERS)), None)
    if path is None:
        raise NoCompilerError(f"no C compiler on PATH (looked for {', '.join(COMPILERS)})")
    return path


def build(folder: Path, flags: Sequence[str] = FAST) -> Path:
    """Compile the program into a folder; warnings are errors."""
    program = folder / "reco"
    subprocess.run([compiler(), *WARNINGS, *flags, "-o", str(program), str(SOURCE)], check=True)
    return program


@contextmanager
def built(flags: Sequence[str] = FAST) -> Iterator[Path]:
    """Compile the program into a temporary folder for the block."""
    with tempfile.TemporaryDirectory() as folder:
        yield build(Path(folder), flags)


def command(program: Path, games: int, players: int = 4, seed: int = 0, deck: int = 88, first: int = 0) -> list[str]:
    """Return the command that plays the games `first` to `first + games - 1`."""
    numbers = {"games": games, "players": players, "seed": seed, "deck": deck, "first": first}
    return [str(program), *(str(word) for name, n in numbers.items() for word in (f"--{name}", n))]


def play(program: Path, games: int, players: int = 4, seed: int = 0, deck: int = 88, first: int = 0) -> Games:
    """Play games in one process; `seconds` is the program's own measurement, without its start."""
    words = command(program, games, players, seed, deck, first)
    result = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return Games(result["games"], result["seconds"], result["sums"])


def play_side_by_side(
    program: Path, games: int, processes: int, players: int = 4, seed: int = 0, deck: int = 88
) -> Games:
    """Play the same games in concurrent processes, at least one game each.

    `seconds` is the time from the start of the first process to the end of the last one.
    """
    bounds = [games * part // processes for part in range(processes + 1)]
    start = time.perf_counter()
    running = [
        subprocess.Popen(command(program, last - first, players, seed, deck, first), stdout=subprocess.PIPE, text=True)
        for first, last in pairwise(bounds)
    ]
    texts = [process.communicate()[0] for process in running]
    seconds = time.perf_counter() - start
    for process in running:
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, process.args)
    parts = [json.loads(text)["sums"] for text in texts]
    return Games(games, seconds, {name: _added([part[name] for part in parts]) for name in parts[0]})


def _added(values: list[Any]) -> Any:
    """Return the sum of numbers, of lists element by element."""
    if isinstance(values[0], list):
        return [sum(column) for column in zip(*values, strict=True)]
    return sum(values)


def main() -> None:
    """Compile, play, print the statistics as JSON."""
    parser = argparse.ArgumentParser(description="Random games of R-ECO, written by hand in C.")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--players", type=int, choices=(3, 4, 5), default=4)
    parser.add_argument("--deck", type=int, choices=(88, 100), default=88)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    args = parser.parse_args()
    try:
        with built() as program:
            result = play_side_by_side(program, args.games, args.processes, args.players, args.seed, args.deck)
    except NoCompilerError as error:
        parser.exit(1, f"{error}\n")
    report = {
        "games": result.games,
        "processes": args.processes,
        "games_per_second": round(result.games_per_second, 1),
        "mean_decisions": result.decisions.value,
        "mean_turns": result.turns.value,
        "mean_scores": [score.value for score in result.scores],
        "win_shares": result.win_shares,
    }
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
