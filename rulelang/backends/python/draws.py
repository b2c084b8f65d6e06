"""The numbers of the language's generator, many at a time: the same numbers as `rulelang.runtime.rng`, cheaper.

Enters: a state of the generator. Leaves: its outputs one by one, and the state that the generator would then be in.

The outputs of SplitMix64 depend on the state by a multiple of a constant alone, so that a whole batch is mixed at once:
every output has a lane of 128 bits in one long integer, which holds the product of two numbers of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from struct import Struct

from rulelang.runtime.rng import GOLDEN, MASK, uniform

LANE = 128
MORE = 32
"""A first batch has a multiple of so many outputs, about as many as the game before used; later ones have MORE."""
MOST = 512


@cache
def _lanes(count: int) -> tuple[int, int, int, Struct]:
    """A 1 in each lane, the low half of each lane, how far each output's state lies from the first; what takes the low
    halves out."""
    ones = sum(1 << LANE * lane for lane in range(count))
    steps = sum(((lane + 1) * GOLDEN & MASK) << LANE * lane for lane in range(count))
    return ones, ones * MASK, steps, Struct("<" + "Q8x" * count)


def batch(rng: int, count: int) -> tuple[int, ...]:
    """The next outputs of a generator in this state."""
    ones, low, steps, halves = _lanes(count)
    x = ones * rng + steps & low
    x = (x ^ x >> 30 & low) * 0xBF58476D1CE4E5B9 & low
    x = (x ^ x >> 27 & low) * 0x94D049BB133111EB & low
    x ^= x >> 31 & low
    return halves.unpack(x.to_bytes(halves.size, "little"))


class Draws:
    """A stream of outputs; `draw` gives the next one."""

    __slots__ = ("_current", "_next", "_size", "_used", "draw")

    def __init__(self) -> None:
        self._next = 0
        self._used = 0
        self._size = MORE
        self._current: Iterator[int] = iter(())
        self.draw: Callable[[], int] = chain.from_iterable(self._batches()).__next__

    def _batches(self) -> Iterator[Iterator[int]]:
        while True:
            found = batch(self._next, self._size)
            self._next = self._next + self._size * GOLDEN & MASK
            self._used += self._size
            self._size = MORE
            self._current = iter(found)
            yield self._current

    def start(self, rng: int) -> None:
        """Goes on from a state of the generator; what is left of the last batch is thrown away."""
        for _ in self._current:
            pass
        self._next = rng
        self._size = min(self._used // MORE * MORE, MOST) or MORE // 2
        self._used = 0

    def position(self) -> int:
        """The state that the generator is in."""
        left: int = self._current.__length_hint__()  # type: ignore[attr-defined]
        self._used -= left
        return self._next - left * GOLDEN & MASK

    def again(self, product: int, n: int) -> int:
        """A product of an output with `n` whose low half is below n: the same, or another one if it must be refused."""
        threshold = (1 << 64) % n
        while product & MASK < threshold:
            product = self.draw() * n
        return product

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, as `uniform` would give it."""
        if n == 1:
            return 0
        if n <= MASK:
            product = self.draw() * n
            return (product if product & MASK >= n else self.again(product, n)) >> 64
        found, rng = uniform(self.position(), n)
        self.start(rng)
        return found
