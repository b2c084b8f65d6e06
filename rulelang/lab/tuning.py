"""Looks for the values of some figures with which a ruleset meets its targets.

Enters: a study, a setting, targets, which figures may take which values, how many games. Leaves: `Tuned`: the values,
how near they come, before and after.

Bayesian optimisation over the points that values make, by Thompson sampling (Thompson 1933; for Gaussian processes with
noise: Russo & Van Roy, Learning to optimize via posterior sampling, 2014). The measures are modelled
(`rulelang.lab.model`), not the miss: they are smooth and their noise is known. In each round so many truths are drawn
as points are to be played; each draw's best point is played a few games more. So points that look good get many games,
all others few; games have the same seeds at all points. In the end the point with the least expected miss is taken,
among those that were played.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from statistics import fmean

from rulelang.lab.figures import Variation
from rulelang.lab.model import check_library, draws
from rulelang.lab.targets import Key, Target, miss

Point = tuple[int, ...]
"""For each figure which of its values it takes."""
Measured = dict[Key, tuple[float, float]]
"""Mean and variance of the mean of each measure."""
Play = Callable[[Sequence[tuple[Point, int]]], list[Measured]]
"""Has so many games at each point, those before included, and says what was measured in them."""

ROUNDS, AT_ONCE = 60, 4
"""A round's points are played a sixtieth of all games each; so many points in a round."""
BEGIN = 4
"""A quarter of the games goes to points all over the place at most."""
LOOKED_AT = 400
"""So many points are compared in a round, of more that there are: those played, their neighbours, others by chance."""
SURE, DRAWS = 0.95, 200
"""The search ends when all targets are met in so many of the draws."""


@dataclass
class Search:
    """Where to play next, given what was measured.

    Attributes:
        games: how many were played at each point. measured: what was found there. best: the best point so far. certain:
            how probably it meets all targets.
    """

    variations: Sequence[Variation]
    targets: Sequence[Target]
    players: int
    budget: int
    seed: int = 0
    games: dict[Point, int] = field(default_factory=dict)
    measured: dict[Point, Measured] = field(default_factory=dict)
    best: Point = ()
    certain: float = 0.0

    def __post_init__(self) -> None:
        check_library()
        self._random = random.Random(self.seed)
        self.step = max(10, self.budget // ROUNDS)
        self.keys = list(dict.fromkeys(key for target in self.targets for key in target.keys(self.players)))

    @property
    def played(self) -> int:
        """How many games were played."""
        return sum(self.games.values())

    def run(self, play: Play, start: Point) -> Iterator[Point]:
        """Play until the games are used up or the targets are surely met; yield the best point after each round.

        Args:
            start: the ruleset as it is; none of the points if a number in it is negative.
        """
        wanted = self._spread(start)
        while wanted:
            for point in wanted:
                self.games[point] = self.games.get(point, 0) + self.step
            for point, measured in zip(wanted, play([(point, self.games[point]) for point in wanted]), strict=True):
                self.measured[point] = measured
            asked = self._asked()
            misses = self._misses(asked)
            self.certain = self._take_best(asked, misses)
            yield self.best
            left = (self.budget - self.played) // self.step
            # The best points of as many draws as there are points to play.
            drawn = misses[: min(AT_ONCE, left)] if self.certain < SURE and left > 0 else []
            wanted = list(dict.fromkeys(asked[min(range(len(asked)), key=row.__getitem__)] for row in drawn))

    def _take_best(self, asked: Sequence[Point], misses: Sequence[Sequence[float]]) -> float:
        """Return the point with the least expected miss of those that were played, and how probably it meets all
        targets."""
        of_point = {point: [row[place] for row in misses] for place, point in enumerate(asked[: len(self.measured)])}
        self.best = min(of_point, key=lambda point: (fmean(of_point[point]), -self.games[point]))
        return fmean(value <= 0 for value in of_point[self.best])

    def _spread(self, start: Point) -> list[Point]:
        """Return points to begin with: the ruleset as it is, then a Latin hypercube (McKay and others 1979)."""
        count = max(2, min(2 * len(self.variations) + 3, self.budget // self.step // BEGIN))
        columns = []
        for variation in self.variations:
            column = [place * (len(variation.values) - 1) // max(1, count - 1) for place in range(count)]
            self._random.shuffle(column)
            columns.append(column)
        first = [start] if min(start) >= 0 else []
        return list(dict.fromkeys([*first, *zip(*columns, strict=True)]))

    def _asked(self) -> list[Point]:
        """Return the points that are compared, first those that were played."""
        sizes = [len(variation.values) for variation in self.variations]
        asked = dict.fromkeys(self.measured)
        if prod(sizes) <= LOOKED_AT:
            return list(asked | dict.fromkeys(product(*map(range, sizes))))
        for place, size in enumerate(sizes):
            asked |= dict.fromkeys((*self.best[:place], value, *self.best[place + 1 :]) for value in range(size))
        while len(asked) < LOOKED_AT:
            asked[tuple(self._random.randrange(size) for size in sizes)] = None
        return list(asked)

    def _misses(self, asked: Sequence[Point]) -> list[list[float]]:
        """Return how far points are from the targets, in `DRAWS` draws of what may be true: in the first ones all of
        `asked`, in the others those that were played."""
        played = list(self.measured)
        where, at = [self._place(point) for point in played], [self._place(point) for point in asked]
        of_key = {}
        for key in self.keys:
            means, variances = zip(*(self.measured[point][key] for point in played), strict=True)
            of_key[key] = draws(where, means, variances, at, DRAWS, self._random.randrange(1 << 31))
        return [
            [
                miss(self.targets, {key: drawn[number][place] for key, drawn in of_key.items()}, self.players)
                for place in range(len(asked) if number < AT_ONCE else len(played))
            ]
            for number in range(DRAWS)
        ]

    def _place(self, point: Point) -> tuple[float, ...]:
        """Return a point's coordinates: numbers by their size, words one beside the other."""
        return tuple(
            number
            for place, variation in zip(point, self.variations, strict=True)
            for number in _scaled(variation, place)
        )


def _scaled(variation: Variation, place: int) -> tuple[float, ...]:
    try:
        numbers = [int(value) for value in variation.values]
    except ValueError:  # words: each as far from every other
        return tuple(float(place == other) for other in range(len(variation.values)))
    low, high = min(numbers), max(numbers)
    return ((numbers[place] - low) / ((high - low) or 1),)
