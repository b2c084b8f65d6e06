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
"""What is measured."""

CHECKED = ("-O1", "-g")
"""With the invariants of a game checked after every turn."""

SHARES = 60
"""The C program counts a win in so many parts."""


class NoCompilerError(Exception):
    """None of the compilers is on PATH."""


@dataclass(frozen=True)
class Mean:
    """A mean of many games and its standard error."""

    value: float
    error: float

    @classmethod
    def of_sums(cls, n: int, total: int, squares: int) -> Mean:
        """From the sum of n numbers and of their squares; the error of a single one counts as 0."""
        error = sqrt((n * squares - total * total) / (n * n * (n - 1))) if n > 1 else 0.0
        return cls(total / n, error)


@dataclass(frozen=True)
class Games:
    """What games came to: `sums` as the C program prints them, so that those of several ranges add up."""

    games: int
    seconds: float
    sums: dict[str, Any]

    @property
    def games_per_second(self) -> float:
        """The speed; of processes side by side, their start included."""
        return self.games / self.seconds

    @property
    def decisions(self) -> Mean:
        """Decisions in a game, those with a single option too."""
        return Mean.of_sums(self.games, self.sums["decisions"], self.sums["decisions_squares"])

    @property
    def turns(self) -> Mean:
        """Turns in a game."""
        return Mean.of_sums(self.games, self.sums["turns"], self.sums["turns_squares"])

    @property
    def scores(self) -> list[Mean]:
        """Scores by seat."""
        pairs = zip(self.sums["scores"], self.sums["scores_squares"], strict=True)
        return [Mean.of_sums(self.games, total, squares) for total, squares in pairs]

    @property
    def win_shares(self) -> list[float]:
        """The part of all games that each seat won, shared wins split."""
        return [share / (SHARES * self.games) for share in self.sums["win_shares_of_60"]]


def compiler() -> str:
    """The first C compiler found on PATH.

    Raises:
        NoCompilerError: there is none.
    """
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        raise NoCompilerError(f"no C compiler on PATH (looked for {', '.join(COMPILERS)})")
    return found


def build(folder: Path, flags: Sequence[str] = FAST) -> Path:
    """The program, compiled into a folder; a warning is an error."""
    program = folder / "reco"
    subprocess.run([compiler(), *WARNINGS, *flags, "-o", str(program), str(SOURCE)], check=True)
    return program


@contextmanager
def built(flags: Sequence[str] = FAST) -> Iterator[Path]:
    """The program in a temporary folder, gone with it."""
    with tempfile.TemporaryDirectory() as folder:
        yield build(Path(folder), flags)


def command(program: Path, games: int, players: int = 4, seed: int = 0, deck: int = 88, first: int = 0) -> list[str]:
    """The words that play games `first` to `first + games - 1`."""
    numbers = {"games": games, "players": players, "seed": seed, "deck": deck, "first": first}
    return [str(program), *(str(word) for name, n in numbers.items() for word in (f"--{name}", n))]


def play(program: Path, games: int, players: int = 4, seed: int = 0, deck: int = 88, first: int = 0) -> Games:
    """Games played by one process; `seconds` is what the program measured, without its start."""
    words = command(program, games, players, seed, deck, first)
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return Games(found["games"], found["seconds"], found["sums"])


def play_side_by_side(
    program: Path, games: int, processes: int, players: int = 4, seed: int = 0, deck: int = 88
) -> Games:
    """The same games shared out to processes that run at once, at least one for each.

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
    """Numbers added up; lists of them item by item."""
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
            found = play_side_by_side(program, args.games, args.processes, args.players, args.seed, args.deck)
    except NoCompilerError as error:
        parser.exit(1, f"{error}\n")
    report = {
        "games": found.games,
        "processes": args.processes,
        "games_per_second": round(found.games_per_second, 1),
        "mean_decisions": found.decisions.value,
        "mean_turns": found.turns.value,
        "mean_scores": [score.value for score in found.scores],
        "win_shares": found.win_shares,
    }
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main()
