"""Bayesian optimisation of figures: finds values with which a ruleset meets its targets.

Enters: variations, targets, a function that plays games at points. Leaves: the best point, after each round.

Thompson sampling over the points that values make (Thompson 1933; for Gaussian processes with noise: Russo & Van Roy,
Learning to optimize via posterior sampling, 2014). The measures are modelled (`rulelang.lab.model`), not the miss: they
are smooth and their noise is known. In each round one posterior draw is taken for each point to be played; its best
point is played some games more. So promising points get many games, all others few; games have the same seeds at all
points. The result is the point with the least expected miss among those that were played.
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
"""For each figure the index of its value."""
Measured = dict[Key, tuple[float, float]]
"""Mean and variance of the mean of each measure."""
Play = Callable[[Sequence[tuple[Point, int]]], list[Measured]]
"""(point, number of games) pairs -> what was measured at each; earlier games at the point are included."""

ROUNDS, BATCH = 60, 4
"""A point of a round gets 1 / ROUNDS of all games; points of a round."""
INITIAL_FRACTION = 4
"""At most 1 / INITIAL_FRACTION of the games goes to the initial design."""
CANDIDATES = 400
"""Most points compared in a round: those played, their neighbours, random ones."""
SURE, DRAWS = 0.95, 200
"""The search ends when all targets are met in this part of the draws; number of draws."""


@dataclass
class Search:
    """A search for the point that meets the targets.

    Attributes:
        budget: most games. games: by point, how many were played. measured: by point, the results. best: the best point
            so far. certain: probability that it meets all targets.
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
        """Return how many games were played."""
        return sum(self.games.values())

    def run(self, play: Play, start: Point) -> Iterator[Point]:
        """Play until the budget is used up or the targets are surely met; yield the best point after each round.

        Args:
            play: plays games at points. start: the unchanged ruleset; ignored if a number in it is negative.
        """
        batch = self._initial_design(start)
        while batch:
            for point in batch:
                self.games[point] = self.games.get(point, 0) + self.step
            for point, measured in zip(batch, play([(point, self.games[point]) for point in batch]), strict=True):
                self.measured[point] = measured
            candidates = self._candidates()
            misses = self._misses(candidates)
            self.certain = self._take_best(candidates, misses)
            yield self.best
            left = (self.budget - self.played) // self.step
            # The best points of as many draws as there are points to play.
            drawn = misses[: min(BATCH, left)] if self.certain < SURE and left > 0 else []
            batch = list(dict.fromkeys(candidates[min(range(len(candidates)), key=row.__getitem__)] for row in drawn))

    def _take_best(self, candidates: Sequence[Point], misses: Sequence[Sequence[float]]) -> float:
        """Set `best` to the played point with the least expected miss; return the probability that it meets all
        targets."""
        of_point = {
            point: [row[place] for row in misses] for place, point in enumerate(candidates[: len(self.measured)])
        }
        self.best = min(of_point, key=lambda point: (fmean(of_point[point]), -self.games[point]))
        return fmean(value <= 0 for value in of_point[self.best])

    def _initial_design(self, start: Point) -> list[Point]:
        """Return the initial points: the unchanged ruleset, then a Latin hypercube (McKay and others 1979)."""
        count = max(2, min(2 * len(self.variations) + 3, self.budget // self.step // INITIAL_FRACTION))
        columns = []
        for variation in self.variations:
            column = [place * (len(variation.values) - 1) // max(1, count - 1) for place in range(count)]
            self._random.shuffle(column)
            columns.append(column)
        first = [start] if min(start) >= 0 else []
        return list(dict.fromkeys([*first, *zip(*columns, strict=True)]))

    def _candidates(self) -> list[Point]:
        """Return the points to compare, first those that were played."""
        sizes = [len(variation.values) for variation in self.variations]
        candidates = dict.fromkeys(self.measured)
        if prod(sizes) <= CANDIDATES:
            return list(candidates | dict.fromkeys(product(*map(range, sizes))))
        for place, size in enumerate(sizes):
            candidates |= dict.fromkeys((*self.best[:place], value, *self.best[place + 1 :]) for value in range(size))
        while len(candidates) < CANDIDATES:
            candidates[tuple(self._random.randrange(size) for size in sizes)] = None
        return list(candidates)

    def _misses(self, candidates: Sequence[Point]) -> list[list[float]]:
        """Return the miss of each point in `DRAWS` posterior draws: in the first BATCH of all candidates, in the others
        of those that were played."""
        played = list(self.measured)
        where, at = [self._coordinates(point) for point in played], [self._coordinates(point) for point in candidates]
        of_key = {}
        for key in self.keys:
            means, variances = zip(*(self.measured[point][key] for point in played), strict=True)
            of_key[key] = draws(where, means, variances, at, DRAWS, self._random.randrange(1 << 31))
        return [
            [
                miss(self.targets, {key: drawn[number][place] for key, drawn in of_key.items()}, self.players)
                for place in range(len(candidates) if number < BATCH else len(played))
            ]
            for number in range(DRAWS)
        ]

    def _coordinates(self, point: Point) -> tuple[float, ...]:
        """Return a point's coordinates from 0 to 1: numbers scaled, words one-hot."""
        return tuple(
            number
            for place, variation in zip(point, self.variations, strict=True)
            for number in _scaled(variation, place)
        )


def _scaled(variation: Variation, place: int) -> tuple[float, ...]:
    """Return the coordinates of one value of a figure."""
    try:
        numbers = [int(value) for value in variation.values]
    except ValueError:  # words: each as far from every other
        return tuple(float(place == other) for other in range(len(variation.values)))
    low, high = min(numbers), max(numbers)
    return ((numbers[place] - low) / ((high - low) or 1),)
