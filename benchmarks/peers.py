"""Games per second of native code against another program's, in turn, on one core.

    python benchmarks/peers.py breakthrough 'path/to/program 5'
    python benchmarks/peers.py rulesets/hex:2 'taskset -c 0 path/to/program' --rounds 5 --pattern '(\\d+) games/s'

Enters: a ruleset with a number of players, the smallest if left out; a command that plays random games of the same
rules and prints how many per second. Leaves: both speeds and the median of the rounds' ratios. What is printed is
searched for `--pattern`, whose first group is the number; by default it is the last number of the last line.
"""

from __future__ import annotations

import argparse
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of

LAST_NUMBER = r"([\d.]+(?:[eE][+-]?\d+)?)[^\d]*\Z"


class PeerError(Exception):
    """The other program failed, or printed no number."""


def peer_speed(command: Sequence[str], pattern: str) -> float:
    """Run the other program and return the games per second that it prints.

    Raises:
        PeerError: it failed, or printed no number.
    """
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = re.search(pattern, done.stdout.strip())
    if done.returncode or found is None:
        raise PeerError(f"{command[0]}: status {done.returncode}, no number in {done.stdout[-200:]!r}")
    return float(found[1])


class Own:
    """Random games of a ruleset in native code.

    Args:
        case: the ruleset, perhaps with `:PLAYERS`.
    """

    def __init__(self, case: str) -> None:
        path, _, players = case.partition(":")
        ruleset = rulelang.load(path if Path(path).exists() else folder_of(path))
        self.executor = ruleset.executor(int(players or ruleset.players[0]), backend="native")
        self.executor.prepare()
        self.games = 1

    def speed(self, seconds: float) -> float:
        """Return the games per second of processor time, played for about so many seconds."""
        while (taken := self._time()) < seconds / 2:
            self.games = max(2 * self.games, int(self.games * seconds / max(taken, 1e-3)))
        return self.games / taken

    def _time(self) -> float:
        start = time.process_time()
        self.executor.tally(1, range(self.games), 1)
        return time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> None:
    """Race and print a line for each round, then the median of the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset", metavar="RULESET[:PLAYERS]")
    parser.add_argument("command", help="the other program, with its arguments")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of our side in a round")
    parser.add_argument("--pattern", default=LAST_NUMBER)
    parsed = parser.parse_args(arguments)
    own, ratios = Own(parsed.ruleset), []
    for _ in range(parsed.rounds):
        ours = own.speed(parsed.seconds)
        try:
            theirs = peer_speed(shlex.split(parsed.command), parsed.pattern)
        except PeerError as error:
            raise SystemExit(f"error: {error}") from None
        ratios.append(ours / theirs)
        sys.stdout.write(f"{ours:14,.0f} games/s {theirs:14,.0f} of the other {ratios[-1]:8.2f}\n")
        sys.stdout.flush()
    sys.stdout.write(f"median {statistics.median(ratios):.2f}\n")


if __name__ == "__main__":
    main()
