"""Benchmarks as ratios within one run: the engine against hand-written code, commands against an empty interpreter.

Run `python benchmarks/run.py`. Every figure is the median of several rounds; the two sides of a ratio take
turns, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks.handwritten import reco
from rulelang.simulate import play_game


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def pair(one: Callable[[], object], other: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median seconds of each, measured in turns after one warming round."""
    one(), other()
    times = [(timed(one), timed(other)) for _ in range(rounds)]
    return statistics.median(t for t, _ in times), statistics.median(t for _, t in times)


def command(*words: str) -> Callable[[], object]:
    """Runs a command to its end, its output thrown away."""
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def row(what: str, value: str, wanted: str) -> None:
    """Prints one line of the table."""
    print(f"{what:<62} {value:>10}   {wanted}")  # noqa: T201 - a table for people


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", type=int, default=200)
    args = parser.parse_args()

    def by_hand() -> None:
        for seed in range(args.games):
            reco.play(4, seed)

    machine = rulelang.load("reco").machine(4)

    def by_engine() -> None:
        for seed in range(args.games):
            play_game(machine, seed)

    generated = rulelang.load("reco").machine(4, backend="python")

    def by_python() -> None:
        for seed in range(args.games):
            play_game(generated, seed)

    hand, python_time = pair(by_hand, by_python, args.rounds)
    row("R-ECO 4 players, python against hand-written Python", f"{hand / python_time:.2f} x", "at least 2.0")
    engine, python_time = pair(by_engine, by_python, args.rounds)
    row("R-ECO 4 players, python against the interpreter", f"{engine / python_time:.2f} x", "")
    hand, engine = pair(by_hand, by_engine, args.rounds)
    row("R-ECO 4 players, interpreter against hand-written Python", f"{hand / engine:.2f} x", "at least 0.15")

    python, tool = sys.executable, str(Path(sys.executable).parent / "rulelang")
    empty = command(python, "-c", "pass")
    for what, words, wanted in (
        ("rulelang --help against python -c pass", ("--help",), "at most 6"),
        ("rulelang check reco against python -c pass", ("check", "reco"), "at most 30"),
        ("rulelang simulate reco --games 1 against python -c pass", ("simulate", "reco", "--games", "1"), ""),
    ):
        base, run = pair(empty, command(tool, *words), args.rounds)
        row(what, f"{run / base:.1f} x", wanted)


if __name__ == "__main__":
    main()
