"""The generator that samples chance; its algorithm is part of the language's definition.

Enters: a 64-bit state. Leaves: a number and the next state.

SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the state grows by
GOLDEN and is mixed to one output. `uniform(n)` is Lemire's multiply-high with rejection ("Fast random integer
generation in an interval", 2019) on outputs of 64 bits, or on as many joined outputs (first one highest) as `n`
needs. `uniform(1)` uses no output. A weighted outcome is found by its cumulative integer weight in outcome order.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def output(rng: int) -> tuple[int, int]:
    """Return one output of 64 bits and the next state."""
    rng = (rng + GOLDEN) & MASK
    x = rng
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31), rng


def uniform(rng: int, n: int) -> tuple[int, int]:
    """Return a number from 0 to n - 1, all equally likely, and the next state; n is at least 1."""
    if n == 1:
        return 0, rng
    if n <= MASK:
        while True:
            # `output` inlined: this is the innermost step of every playout.
            rng = (rng + GOLDEN) & MASK
            x = ((rng ^ (rng >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
            product = (x ^ (x >> 31)) * n
            low = product & MASK
            if low >= n or low >= (1 << 64) % n:
                return product >> 64, rng
    bits = 128
    while n >> bits:
        bits += 64
    threshold = (1 << bits) % n
    while True:
        x = 0
        for _ in range(bits // 64):
            word, rng = output(rng)
            x = x << 64 | word
        product = x * n
        if product & ((1 << bits) - 1) >= threshold:
            return product >> bits, rng


def game_seed(seed: int, index: int) -> int:
    """Return the seed of the game number `index` of a run with one seed."""
    return output(seeded(seed + index * GOLDEN))[0]


def weighted(rng: int, weights: Sequence[int]) -> tuple[int, int]:
    """Return the index of an outcome drawn by integer weights, and the next state.

    Raises:
        ValueError: no weight is positive.
    """
    point, rng = uniform(rng, sum(weights))
    for index, weight in enumerate(weights):
        if point < weight:
            return index, rng
        point -= weight
    raise ValueError("weights must be positive")


def seeded(seed: int) -> int:
    """Return the state that a seed starts from: its lowest 64 bits."""
    return seed & MASK


class Dice:
    """A generator that is changed in place.

    Attributes:
        rng: its state.
    """

    def __init__(self, seed: int) -> None:
        self.rng = seeded(seed)

    def below(self, n: int) -> int:
        """Return a random number from 0 to n - 1."""
        value, self.rng = uniform(self.rng, n)
        return value

    def shuffled(self, values: Sequence[Any]) -> list[Any]:
        """Return the values in random order (Fisher-Yates)."""
        shuffled = list(values)
        for last in range(len(shuffled) - 1, 0, -1):
            index = self.below(last + 1)
            shuffled[last], shuffled[index] = shuffled[index], shuffled[last]
        return shuffled

    def outcome(self, outcomes: Sequence[tuple[Any, Fraction]]) -> Any:
        """Return one of the outcomes (value, probability), drawn by probability."""
        scale = lcm(*(chance.denominator for _, chance in outcomes))
        point = self.below(scale)
        for value, chance in outcomes:
            point -= int(chance * scale)
            if point < 0:
                return value
        return outcomes[-1][0]
