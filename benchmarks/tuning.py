"""How near `lab tune` comes to the best point of an exhaustive sweep, with a tenth of its games.

    python benchmarks/tuning.py --seeds 5

Small rulesets, each with targets that some of its points meet. All points are played GAMES times; `tune` has a tenth of
those games. Its choice is judged by games that neither has used: by its part of the possible gain, which is the miss of
the unchanged ruleset less that of the best point.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rulelang.game import load
from rulelang.lab.figures import Figures, VariedValue
from rulelang.lab.study import Setting, Study
from rulelang.lab.sweeps import SweptField, features
from rulelang.lab.targets import target

GAMES = Path(__file__).parents[1] / "tests" / "lab" / "games"
CASES = {
    "race": (("seats=..0.02", "turns=14..16"), ("goal=10..45/5", "head_start=0..7")),
    "stalls": (("score.0=9..10", "drawn=..0.05"), ("rounds=2..8", "wage=0..3", "gold.worth=1..8")),
    "duel": (("seats=..0.05", "turns=9..11"), ("lives.start=4..20/2", "first.strength=0..4", "second.strength=0..4")),
}


@dataclass(frozen=True)
class Case:
    """The result of a search: its games, those of the sweep, and the misses of three points."""

    games: int
    swept: int
    before: float
    best: float
    chosen: float

    @property
    def gained(self) -> float:
        """Return the part of the possible gain."""
        return (self.before - self.chosen) / (self.before - self.best)


def measured(name: str, seeds: range, games: int = 200) -> Iterator[Case]:
    """Sweep a ruleset once and tune it once for each seed; yield the results."""
    aims, varied = CASES[name]
    targets = [target(text) for text in aims]
    path = str(GAMES / name)
    variations = [Figures(load(path)).variation(text) for text in varied]
    setting = Setting(path, features=features(targets))
    judge = replace(setting, seed=12345)
    total = games * prod(len(v.values) for v in variations)
    with (
        Study() as study,
        SweptField(study, setting, variations) as swept,
        SweptField(study, judge, variations) as judged,
    ):
        points = swept.sweep(games, targets)
        places = list(product(*(range(len(v.values)) for v in variations)))
        nearest = min(range(len(points)), key=lambda n: points[n].miss or 0.0)

        def true_miss(values: Mapping[VariedValue, str]) -> float:
            """Return the miss of a point in fresh games."""
            return judged.check(values, targets, 10 * games)[1].miss or 0.0

        before = true_miss({v.figure: v.figure.value for v in variations})
        best = true_miss(swept.values(places[nearest]))
        for seed in seeds:
            with SweptField(study, replace(setting, seed=1000 + seed), variations) as field:
                tuned = list(field.tune(targets, total // 10, seed))[-1]
            yield Case(tuned.games, total, before, best, true_miss(tuned.values))


def main() -> None:
    """Run all cases and print a line for each ruleset and seed."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seeds", type=int, default=5)
    arguments.add_argument("--games", type=int, default=200, help="at each point of the sweep")
    parsed = arguments.parse_args()
    for name in CASES:
        for seed, case in enumerate(measured(name, range(parsed.seeds), parsed.games)):
            line = f"{name}, seed {seed}: {case.gained:.3f} gained with {case.games} of {case.swept} games"
            sys.stdout.write(f"{line} (missed by {case.before:.2f}, best {case.best:.2f}, chosen {case.chosen:.2f})\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
