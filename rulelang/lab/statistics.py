"""Confidence intervals and tests, in closed form.

Enters: numbers, one for each game. Leaves: `Estimate`: a value and its interval; probabilities.

Shares have Wilson's score interval (Probable inference, 1927), which holds for any figure between 0 and 1, since none
has a greater variance than one that is 0 or 1. Means have Student's, by the expansion of its quantiles in Abramowitz
and Stegun, 26.7.5. Tests are of a minimal effect (Murphy and Myors, 1999): that a figure lies beyond a bound that
matters, not merely beside 0, which with enough games any figure does. Many tests at once: `rulelang.compare.rejected`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, lgamma, log, sqrt
from random import Random
from statistics import NormalDist

LEVEL = 0.05
Z = NormalDist().inv_cdf(1 - LEVEL / 2)
RESAMPLES = 400
"""Bootstrap samples (Efron, 1979)."""


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
    """The running mean and variance of one number a game (Welford, 1962)."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.games, self.mean, self._squares = 0, 0.0, 0.0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        """Add one more game."""
        self.games += 1
        deviation = value - self.mean
        self.mean += deviation / self.games
        self._squares += deviation * (value - self.mean)

    def skip(self, games: int) -> None:
        """Add `games` more games whose number is 0."""
        if games > 0:
            total = self.games + games
            self._squares += self.mean**2 * self.games * games / total
            self.mean *= self.games / total
            self.games = total

    @property
    def error(self) -> float:
        """Return the standard error of the mean; infinite for fewer than two games."""
        return sqrt(self._squares / (self.games - 1) / self.games) if self.games > 1 else inf

    def estimate(self) -> Estimate:
        """Return the mean with Student's interval."""
        half_width = student(self.games - 1) * self.error if self.error else 0.0
        return Estimate(self.mean, self.mean - half_width, self.mean + half_width, self.games)

    def share(self) -> Estimate:
        """Return the mean of numbers between 0 and 1, with Wilson's interval."""
        return wilson(self.mean * self.games, self.games)

    def beyond(self, bound: float) -> float:
        """Return the p-value of the mean if the true one is at most `bound` (one-sided, normal)."""
        if self.games < 2:
            return 1.0
        if not self.error:
            return 0.0 if self.mean > bound else 1.0
        return NormalDist().cdf((bound - self.mean) / self.error)


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
    """Return the normalised Shannon entropy of outcomes (1: uniform), with an interval by the delta method (Basharin,
    1959)."""
    games = round(sum(counts))
    shares = [count / sum(counts) for count in counts if count > 0]
    most = log(len(counts)) if len(counts) > 1 else 1.0
    value = -sum(p * log(p) for p in shares)
    spread = max(sum(p * log(p) ** 2 for p in shares) - value**2, 0.0)
    half_width = Z * sqrt(spread / max(games, 1)) / most
    return Estimate(value / most, max(value / most - half_width, 0.0), min(value / most + half_width, 1.0), games)


def bootstrap(groups: Sequence[Sequence[float]], statistic: Callable[[Sequence[Sequence[float]]], float]) -> Estimate:
    """Return a statistic of groups with its percentile bootstrap interval; it is deterministic.

    Args:
        groups: resampled with replacement.
    """
    random = Random(len(groups))
    values = sorted(statistic(random.choices(groups, k=len(groups))) for _ in range(RESAMPLES))
    cut = int(RESAMPLES * LEVEL / 2)
    return Estimate(statistic(groups), values[cut], values[-cut - 1], sum(map(len, groups)))


def intraclass(groups: Sequence[Sequence[float]]) -> float:
    """Return the share of the variance that lies between groups of equal size: ICC(1) (Shrout and Fleiss, 1979)."""
    size, count = len(groups[0]), len(groups)
    means = [sum(group) / size for group in groups]
    mean = sum(means) / count
    between = size * sum((m - mean) ** 2 for m in means) / (count - 1)
    within = sum((x - m) ** 2 for group, m in zip(groups, means, strict=True) for x in group) / (count * (size - 1))
    total = between + (size - 1) * within
    return (between - within) / total if total else 0.0
