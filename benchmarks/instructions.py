"""Counts instructions per decision of native random games with callgrind; other work on the machine changes nothing.

    python benchmarks/instructions.py
    python benchmarks/instructions.py reco:4 ldd:2 othello:2 --games 100

Enters: rulesets, each with a number of players. Leaves: a line for each: instructions per decision, decisions per game,
bytes of generated C. Wants a C compiler and valgrind (the package of that name in most distributions).
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import GAMES
from rulelang.interpreter import Machine
from rulelang.native.compilers import SPEED, find_compiler
from rulelang.native.machine import NativeCode
from rulelang.resources import shipped_rulesets
from rulelang.runtime.rng import seeded

SHIPPED = ("reco:4", "ldd:2", "imaginarium:4")
MAIN = """
#include <stdio.h>
int main(int count, char **given) {
    static State start;
    static W frames[1 << 16], sums[4 + (4 + PARTIES) * PARTIES];
    FILE *file = fopen(given[1], "rb");
    if (count != 5 || !file || fread(&start, sizeof start, 1, file) != 1) return 1;
    if (fread(frames, sizeof(W), sizeof frames / sizeof(W), file) == 0) return 1;
    W played = rulelang_tally(rulelang_new(), &start, frames, strtoull(given[2], NULL, 10), 0, atoll(given[3]),
                              atoll(given[4]), 1, sums);
    printf("%lld %lld\\n", (long long)played, (long long)sums[0]);
    return 0;
}
"""


class Count(NamedTuple):
    """The instructions of random games of one layout.

    Attributes:
        bytes: of generated C.
    """

    name: str
    instructions: int
    decisions: int
    games: int
    bytes: int

    def line(self) -> str:
        """Return the line of the report."""
        each, long = self.instructions / self.decisions, self.decisions / self.games
        return f"{self.name:24}{each:10.1f} instructions a decision {long:8.1f} decisions a game {self.bytes:8,} bytes"


class CountingError(Exception):
    """Valgrind or a compiler is missing or failed."""


def counted(machine: Machine, name: str, games: int, without: Collection[str] = (), seed: int = 1) -> Count:
    """Count the instructions of random games from the start.

    Args:
        without: passes that are switched off.

    Raises:
        CountingError: valgrind or a compiler is missing or failed. UsageError: the program can't be written as C.
    """
    compiler, valgrind = find_compiler(), shutil.which("valgrind")
    if compiler is None or valgrind is None:
        raise CountingError("wants a C compiler and valgrind on PATH")
    native, state = NativeCode(machine, without), machine.new_state(logging=False)
    start = bytes(native.flat.packed(state)) + native.forms.written(state.frames)
    with TemporaryDirectory() as folder:
        room = Path(folder)
        (room / "games.c").write_text(native.c + MAIN, encoding="utf-8")
        (room / "start").write_bytes(start)
        _output([*compiler.command, *SPEED, "-std=gnu11", "-w", "-o", "games", "games.c"], room)
        command = ["--tool=callgrind", "--toggle-collect=rulelang_tally", "--callgrind-out-file=/dev/null", "./games"]
        seats = machine.layout.players
        said = _output([valgrind, *command, "start", str(seeded(seed)), str(games), str(seats)], room)
    collected = re.search(r"Collected : (\d+)", said)
    played = re.search(r"^(\d+) (\d+)$", said, re.MULTILINE)
    if collected is None or played is None or int(played[1]) != games:
        raise CountingError(f"{name}: {said}")
    return Count(name, int(collected[1]), int(played[2]), games, len(native.c))


def _output(command: Sequence[str], room: Path) -> str:
    """Run a command in a folder; return its output.

    Raises:
        CountingError: it failed.
    """
    done = subprocess.run(command, cwd=room, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise CountingError(f"{command[0]} failed: {done.stdout}")
    return done.stdout


def machine_of(case: str) -> Machine:
    """Return the machine of `RULESET:PLAYERS`, with default options.

    Raises:
        UsageError: there is no such ruleset or number of players.
    """
    path, _, players = case.rpartition(":")
    return Machine(rulelang.load(path).program, int(players))


def all_cases() -> list[str]:
    """Return the large rulesets, and all small games with their smallest number of players."""
    large = {case.partition(":")[0] for case in SHIPPED}
    folders = [folder for below in (GAMES, shipped_rulesets()) for folder in sorted(below.glob("*/"))]
    return [*SHIPPED, *(f"{path}:{rulelang.load(path).players[0]}" for path in folders if path.name not in large)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Count and print a line for each ruleset."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="RULESET:PLAYERS", help="all if left out")
    parser.add_argument("--games", type=int, default=50)
    parsed = parser.parse_args(arguments)
    for case in parsed.cases or all_cases():
        try:
            line = counted(machine_of(case), Path(case).name, parsed.games).line()
        except CountingError as error:
            raise SystemExit(f"error: {error}") from None
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
