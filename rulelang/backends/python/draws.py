"""The numbers of the language's generator, many at a time: the same numbers as `rulelang.runtime.rng`, cheaper.

Enters: a state of the generator. Leaves: its outputs one by one, and the state that the generator would then be in.

The outputs of SplitMix64 depend on the state by a multiple of a constant alone, so that a whole batch is mixed at once:
every output has a lane of 128 bits in one long integer, which holds the product of two numbers of 64 bits.

Only the 16 highest bits of each output are taken out, as small numbers are multiplied faster than large ones. They
nearly always tell which number below n an output x stands for: with g, those bits and 1, x * n is below
g * n << 48 by at most n << 48, so that if g * n lies more than n above a multiple of 65536, x * n does not reach down
to that multiple; its high half is g * n >> 16, and its low half is not refused. Else the output is made anew, whole.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from struct import Struct

from rulelang.runtime.rng import GOLDEN, MASK, uniform

LANE = 128
HIGH = 16
"""So many high bits of each output are taken out."""
REST = (1 << HIGH) - 1
MORE = 32
"""A first batch has a multiple of so many outputs, as many as the game before used or a few more; later ones have
MORE."""
MOST = 512


@cache
def _lanes(count: int) -> tuple[int, int, int, int, Struct]:
    """A 1 in each lane, the low half of each lane, how far each output's state lies from the first (the last output in
    the lowest lane), the lowest of the high bits of each; what takes the high bits out."""
    ones = sum(1 << LANE * lane for lane in range(count))
    steps = sum(((count - lane) * GOLDEN & MASK) << LANE * lane for lane in range(count))
    return ones, ones * MASK, steps, ones << 64 - HIGH, Struct("<" + "6xH8x" * count)


def batch(rng: int, count: int) -> tuple[int, ...]:
    """Of each of the next outputs of a generator in this state, the last one first, the high bits and 1 (of which as
    many bits are kept)."""
    ones, low, steps, lowest, halves = _lanes(count)
    x = ones * rng + steps & low
    x = (x ^ x >> 30 & low) * 0xBF58476D1CE4E5B9 & low
    # What is left of the mixing changes the low bits alone; the high half of a lane is not looked at.
    x = (x ^ x >> 27 & low) * 0x94D049BB133111EB + lowest
    return halves.unpack(x.to_bytes(halves.size, "little"))


class Draws:
    """A stream of outputs; `draw` gives what is kept of the next one, or 0 where nothing is made yet.

    A product with 0 never tells a number, so that `exact` is asked then, which makes more.
    """

    __slots__ = ("_left", "_next", "_size", "_used", "draw")

    def __init__(self) -> None:
        self._next = 0
        self._used = 0
        self._size = MORE
        self._left = [0]
        """What was made and is still to come, last one first, after a 0."""
        self.draw: Callable[[], int] = self._left.pop

    def start(self, rng: int) -> None:
        """Goes on from a state of the generator; what is left of the last batch is thrown away."""
        self._left[:] = [0]
        self._next = rng
        self._size = min(-(-self._used // MORE) * MORE, MOST) or MORE // 2
        self._used = 0

    def position(self) -> int:
        """The state that the generator is in; the stream must be started before it goes on."""
        left = len(self._left) - 1
        self._used -= left
        return self._next - left * GOLDEN & MASK

    def exact(self, n: int) -> int:
        """A number from 0 to n - 1 (at least two), as `uniform` would give it for the last output, which it is not
        enough to know the high bits of, and for those that follow if that one must be refused."""
        left = self._left
        if not left:
            left.append(0)
            left += batch(self._next, self._size)
            self._next = self._next + self._size * GOLDEN & MASK
            self._used += self._size
            self._size = MORE
            return self.below(n)
        after = self._next - (len(left) - 1) * GOLDEN & MASK
        found, rng = uniform(after - GOLDEN & MASK, n)
        if rng != after:
            self.start(rng)
        return found

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, as `uniform` would give it."""
        if n == 1:
            return 0
        product = self.draw() * n
        return product >> HIGH if product & REST > n else self.exact(n)
