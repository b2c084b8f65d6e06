"""The generator of the language: known answers, range, fairness."""

from __future__ import annotations

from rulelang.runtime.rng import MASK, output, seeded, uniform, weighted
from tests.properties import given, st


def test_known_answers() -> None:
    """SplitMix64 from seed 0 and seed 1234567 gives the published outputs."""
    rng, found = 0, []
    for _ in range(3):
        word, rng = output(rng)
        found.append(word)
    assert found == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    rng, found = 1234567, []
    for _ in range(3):
        word, rng = output(rng)
        found.append(word)
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_uniform_is_the_high_half_of_the_product() -> None:
    """Without a rejection, the number is output * n >> 64 and the state has moved on by one output."""
    word, after = output(99)
    assert uniform(99, 10) == (word * 10 >> 64, after)


def test_one_outcome_uses_no_random_number() -> None:
    """`uniform(1)` leaves the generator as it is."""
    assert uniform(42, 1) == (0, 42)


def test_rejection_makes_it_fair() -> None:
    """Outputs whose low half is below 2**64 mod n are skipped."""
    n = (1 << 63) + 1
    threshold = (1 << 64) % n
    rng = next(seed for seed in range(1000) if output(seed)[0] * n & MASK < threshold)
    assert uniform(rng, n) == uniform(output(rng)[1], n)


@given(st.integers(0, MASK), st.integers(1, 1 << 200))
def test_uniform_stays_in_range(rng: int, n: int) -> None:
    """Numbers lie below n, also when n needs several outputs."""
    assert 0 <= uniform(rng, n)[0] < n


def test_weighted_goes_by_cumulative_weight() -> None:
    """The outcome is the one whose stretch of the cumulative weights holds the number drawn."""
    for seed in range(200):
        point = uniform(seed, 6)[0]
        assert weighted(seed, [1, 2, 3])[0] == [0, 1, 1, 2, 2, 2][point]


def test_seeds_are_cut_to_64_bits() -> None:
    """Any int is a seed."""
    assert seeded(-1) == MASK
    assert seeded(1 << 64) == 0
