"""Counts instructions per decision without each pass in turn: one that is worth less than 3 % everywhere should go.

    python benchmarks/ablation.py
    python benchmarks/ablation.py othello:2 --passes share,bits --games 20

Enters: rulesets, each with a number of players; passes. Leaves: a line for each ruleset: instructions per decision with
all passes, and how many per cent more without each. Wants what `instructions.py` wants.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.instructions import CountingError, all_cases, counted, machine_of
from rulelang.mir import PASSES


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the ablation and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="RULESET:PLAYERS", help="all if left out")
    parser.add_argument("--passes", default=",".join(PASSES), help="all if left out")
    parser.add_argument("--games", type=int, default=10)
    parsed = parser.parse_args(arguments)
    passes = parsed.passes.split(",")
    sys.stdout.write(f"{'':24}{'all passes':>12}{''.join(f'{name:>10}' for name in passes)}\n")
    for case in parsed.cases or all_cases():
        machine, name = machine_of(case), Path(case).name
        try:
            counts = [counted(machine, name, parsed.games, without) for without in ((), *((each,) for each in passes))]
        except CountingError as error:
            raise SystemExit(f"error: {error}") from None
        with_all, *ablated = (count.instructions / count.decisions for count in counts)
        changes = "".join(f"{100 * (cost / with_all - 1):+9.1f}%" for cost in ablated)
        sys.stdout.write(f"{name:24}{with_all:12.1f}{changes}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
