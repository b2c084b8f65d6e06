"""Confidence intervals and tests, in closed form.

Enters: numbers, one for each game. Leaves: `Estimate`: a value and its interval; probabilities.

Bounded figures have a score interval: Wilson's (Probable inference, 1927) for shares, with the variance that was
measured in place of the greatest one for numbers that are not 0 or 1 alone. Unbounded means have Student's t, by the
expansion of its quantiles in Abramowitz and Stegun, 26.7.5, with Hall's transformation for skewness (On the removal of
skewness by transformation, 1992). Nothing has an interval of no width: of games that are all alike the next may differ.
Tests are of a minimal effect (Murphy and Myors, 1999): that a figure lies beyond a bound that matters, not merely
beside 0, which with enough games any figure does. Many tests at once: `rulelang.compare.rejected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import cbrt, exp, inf, lgamma, log, sqrt
from statistics import NormalDist

LEVEL = 0.05
Z = NormalDist().inv_cdf(1 - LEVEL / 2)
POWERED = 2.8
"""Standard errors of an effect that is found in four of five cases (95 %)."""
TINY = 1e-12
"""Less is a rounding error."""
RESAMPLES = 400
"""Bootstrap samples of comparisons of points (Efron, 1979)."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval, and the number of games (or other units) behind it."""

    value: float
    low: float
    high: float
    games: int


def student(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution, for 95 % intervals.

    Args:
        freedom: degrees of freedom.
    """
    if freedom < 3:
        return (inf, 12.706, 4.303)[max(freedom, 0)]
    return quantile(1 - LEVEL / 2, freedom)


def quantile(chance: float, freedom: int) -> float:
    """Return the quantile of Student's t by the expansion of Cornish and Fisher.

    Args:
        chance: probability below it. freedom: degrees of freedom.
    """
    z = NormalDist().inv_cdf(chance)
    terms = (z, (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return sum(term / float(freedom**power) for power, term in enumerate(terms))


class Mean:
    """The running mean, variance and skewness of one number a game (Welford, 1962; Pébay, 2008)."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.games, self.mean, self._squares, self._cubes = 0, 0.0, 0.0, 0.0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        """Add one more game."""
        before, deviation = self.games, value - self.mean
        self.games += 1
        step = deviation / self.games
        term = deviation * step * before
        self._cubes += term * step * (before - 1) - 3 * step * self._squares
        self._squares += term
        self.mean += step

    def skip(self, games: int) -> None:
        """Add `games` more games whose number is 0."""
        if games > 0:
            before, total, mean = self.games, self.games + games, self.mean
            self._cubes += mean**3 * before * games * (games - before) / total**2
            self._cubes += 3 * mean * games * self._squares / total
            self._squares += mean**2 * before * games / total
            self.mean *= before / total
            self.games = total

    @property
    def error(self) -> float:
        """Return the standard error of the mean, where all games are alike as if one were off by 1; infinite for fewer
        than two games."""
        if self.games < 2:
            return inf
        return sqrt(self._squares / (self.games - 1) / self.games) if self._squares > TINY else 1 / self.games

    @property
    def _lean(self) -> float:
        """Return the skewness over the root of the number of games."""
        if self._squares <= TINY:
            return 0.0
        variance = self._squares / (self.games - 1)
        return self._cubes / self.games / (variance * sqrt(variance)) / sqrt(self.games)

    def estimate(self, low: float = -inf, high: float = inf, level: float = LEVEL) -> Estimate:
        """Return the mean with its interval.

        Args:
            low, high: the least and the greatest value that a game can have; between two finite ones it is a score
                interval. level: chance that the interval misses.
        """
        if -inf < low and high < inf:
            return self._within(low, high, level)
        if self.games < 2:
            return Estimate(self.mean, low, high, self.games)
        reach = quantile(1 - level / 2, self.games - 1) if level != LEVEL else student(self.games - 1)
        below, above = (self.mean - self._skewed(side) * self.error for side in (reach, -reach))
        return Estimate(self.mean, max(min(below, self.mean), low), min(max(above, self.mean), high), self.games)

    def _skewed(self, t: float) -> float:
        """Return Student's quantile, transformed back for the skewness of the games."""
        lean = self._lean
        if abs(lean) < 1e-6:
            return t
        root = 1 + lean * (t - lean / 6)
        return 3 / lean * (cbrt(root) - 1)

    def _within(self, low: float, high: float, level: float) -> Estimate:
        """Return the mean with the score interval of numbers between two bounds.

        Wilson's, with the part of the greatest variance that the games have: the quantile goes from the normal to
        Student's as that becomes smaller, since it is estimated.
        """
        if not self.games:
            return Estimate((low + high) / 2, low, high, 0)
        n, width = self.games, high - low
        share = min(max((self.mean - low) / width, 0.0), 1.0)
        most = n * share * (1 - share) * width**2
        part = min(max(self._squares / most, 1 / n**2), 1.0) if most > TINY else 1.0
        z = NormalDist().inv_cdf(1 - level / 2)
        t = z if part == 1 else quantile(1 - level / 2, n - 1) if level != LEVEL else student(n - 1)
        k = (part * z * z + (1 - part) * t * t) * part / n
        centre, half_width = (share + k / 2) / (1 + k), sqrt(k * share * (1 - share) + k * k / 4) / (1 + k)
        ends = min(max(centre - half_width, 0.0), share), share, max(min(centre + half_width, 1.0), share)
        below, value, above = (low + width * end for end in ends)
        return Estimate(value, below, above, n)

    def share(self) -> Estimate:
        """Return the mean of numbers between 0 and 1, with its score interval."""
        return self.estimate(0.0, 1.0)

    def beyond(self, bound: float) -> float:
        """Return the p-value of the mean if the true one is at most `bound` (one-sided, normal after Hall's
        transformation)."""
        if self.games < 2:
            return 1.0
        t, lean = (self.mean - bound) / self.error, self._lean
        return NormalDist().cdf(-(t + lean * t * t / 3 + lean * lean * t**3 / 27 + lean / 6))


def wilson(count: float, games: int) -> Estimate:
    """Return the share `count` / `games` with Wilson's interval."""
    if not games:
        return Estimate(0.0, 0.0, 1.0, 0)
    share, z2 = count / games, Z * Z
    centre = (share + z2 / (2 * games)) / (1 + z2 / games)
    half_width = Z / (1 + z2 / games) * sqrt(share * (1 - share) / games + z2 / (4 * games * games))
    return Estimate(share, min(max(centre - half_width, 0.0), share), max(min(centre + half_width, 1.0), share), games)


def binomial_tail(count: int, games: int, chance: float) -> float:
    """Return the probability of at least `count` successes in `games` trials, each with probability `chance`."""
    if count <= 0:
        return 1.0
    if chance <= 0:
        return 0.0
    total = 0.0
    for k in range(count, games + 1):
        log_binomial = lgamma(games + 1) - lgamma(k + 1) - lgamma(games - k + 1)
        term = exp(log_binomial + k * log(chance) + (games - k) * log(1 - chance)) if chance < 1 else float(k == games)
        total += term
        if k > games * chance and term < 1e-17:
            break
    return min(total, 1.0)


def poisson_head(count: int, expected: float) -> float:
    """Return the probability of at most `count` events where `expected` are expected."""
    return (
        min(sum(exp(k * log(expected) - expected - lgamma(k + 1)) for k in range(count + 1)), 1.0) if expected else 1.0
    )


def entropy(counts: Sequence[float]) -> Estimate:
    """Return the normalised Shannon entropy of outcomes (1: uniform), with its score interval.

    The entropies of those distributions that Pearson's test of the counts does not reject: with one degree of freedom
    those that take from the counted one or add to it evenly or for one outcome, with all the uniform one.

    Args:
        counts: how often each outcome was.
    """
    games, outcomes = sum(counts), len(counts)
    if outcomes < 2 or not games:
        return Estimate(1.0, 0.0, 1.0, round(games))
    counted = [(count + 0.5) / (games + 0.5 * outcomes) for count in counts]
    directions = [[log(share) for share in counted]]
    directions += [[float(place == which) for place in range(outcomes)] for which in range(outcomes)]

    def tilted(direction: Sequence[float], by: float) -> list[float]:
        weights = [share * exp(by * more) for share, more in zip(counted, direction, strict=True)]
        return [weight / sum(weights) for weight in weights]

    def deviance(shares: Sequence[float]) -> float:
        return sum((n - games * p) ** 2 / (games * p) for n, p in zip(counts, shares, strict=True))

    def uniformity(shares: Iterable[float]) -> float:
        return -sum(share * log(share) for share in shares if share > 0) / log(outcomes)

    freedom = outcomes - 1
    most = freedom * (1 - 2 / (9 * freedom) + NormalDist().inv_cdf(1 - LEVEL) * sqrt(2 / (9 * freedom))) ** 3
    value = uniformity(count / games for count in counts)

    def end(direction: Sequence[float], farthest: float) -> float:
        return uniformity(tilted(direction, _crossing(lambda by: deviance(tilted(direction, by)), Z * Z, farthest)))

    ends = [end(directions[0], -1.0), end(directions[0], 30.0)]
    ends += [end(direction, sign * 30.0) for direction in directions[1:] for sign in (-1, 1)]
    high = 1.0 if deviance([1 / outcomes] * outcomes) <= most else max(ends)
    return Estimate(value, min(*ends, value), max(high, value), round(games))


def _crossing(function: Callable[[float], float], level: float, end: float) -> float:
    """Return how far from 0 towards `end` a function stays at most `level`."""
    inside, outside = 0.0, end
    if function(outside) <= level:
        return outside
    for _ in range(40):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if function(middle) <= level else (inside, middle)
    return inside


def explained(groups: Sequence[Sequence[float]]) -> Estimate:
    """Return the part of the variance of numbers between 0 and 1 that lies between groups of equal size, of at least
    two numbers: 1 where the group decides the number, 0 where it tells nothing of it (ICC(1): Shrout and Fleiss, 1979).

    Its interval is that of the variance within groups; that of all numbers, of which there are far more, counts as
    known.
    """
    size, means = len(groups[0]), [sum(group) / len(group) for group in groups]
    mean = sum(means) / len(groups)
    within = Mean(sum((x - own) ** 2 for x in group) / (size - 1) for group, own in zip(groups, means, strict=True))
    total = sum((x - mean) ** 2 for group in groups for x in group) / len(groups) / size + Mean(means).error ** 2
    part = within.estimate(0.0, size / (size - 1) / 4)
    value, low, high = (min(max(1 - x / total, 0.0), 1.0) if total else 0.0 for x in (part.value, part.high, part.low))
    return Estimate(value, low, high, len(groups) * size)
