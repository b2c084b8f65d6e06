"""The C that counts and takes options gives what `Selections` gives."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import rulelang.native
from rulelang.interpreter.decisions import Selections
from rulelang.native.build import built
from rulelang.native.compilers import find_compiler
from rulelang.runtime.distinct import distinct
from rulelang.runtime.payments import TooManyError

HEADERS = Path(rulelang.native.__file__).parent / "c"
SIZES = """
#define VARIABLES 1
#define BOARDS 0
#define ITEMS 1
#define INSTANCES 1
#define SLOTS 1
#define POOLS 1
#define MEMBERS 1
#define PARTIES 2
#define PROCEDURES 1
#define FUEL 1000000
#define MAX_DECISIONS 100
#define DEPTH 10
typedef int16_t Z;
static const int32_t zone_start[2], zone_room[2], zone_capacity[2];
static const int8_t zone_pile[2], zone_identity[2], item_identity[2];
"""
CALLS = """
static W scratch[1 << 22];
static G game;
static G *ready(void) {
    game.top = scratch;
    game.limit = scratch + (1 << 22);
    game.fuel = FUEL;
    (void)zone_start, (void)zone_room, (void)zone_capacity, (void)zone_pile, (void)zone_identity, (void)item_identity;
    return &game;
}
#define EXPORTED __attribute__((visibility("default")))
EXPORTED W count(const W *list, W low, W high) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const W found = count_selections(g, a_sorted(g, ADDRESS(list)), low, high, 7);
    return found;
}
EXPORTED W nth(const W *list, W low, W high, W k, W *found) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const W sorted = a_sorted(g, ADDRESS(list));
    W *const mark = g->top;
    const W way = a_selection(g, sorted, low, high, k, 7);
    memcpy(found, LIST(way), (size_t)(COUNT(way) + 1) * sizeof(W));
    return g->top - mark <= COUNT(way) + 1;
}
EXPORTED W all(const W *list, W low, W high, W *found) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const W sorted = a_sorted(g, ADDRESS(list)), most = least(high, COUNT(sorted));
    if (greatest(low, 0) > most) return 0;
    W *way = a_list(g, most), n = 0;
    first_selection(sorted, way, greatest(low, 0));
    do {
        memcpy(found, way, (size_t)(way[0] + 1) * sizeof(W));
        found += way[0] + 1;
        n++;
    } while (next_selection(sorted, way, most));
    return n;
}
EXPORTED W counted(U counts, W low, W high, W *found) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const uint16_t *begin = NULL;
    const W n = count_packed_selections(g, counts, low, high, &begin, 7);
    for (W k = 0; k < n; k++) found[k] = (W)packed_selection(g, counts, low, high, begin, k, 7);
    return g->top == scratch ? n : -1;
}
EXPORTED W place(U counts, W k) { return (W)nth_counted(up_to(counts), (U)k); }
EXPORTED W bits(U word) { return bits_in(word); }
EXPORTED W unlike(const W *list, W *found) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const W set = a_distinct(g, ADDRESS(list));
    memcpy(found, LIST(set), (size_t)(COUNT(set) + 1) * sizeof(W));
    return set == ADDRESS(list) ? g->top == scratch : g->top - scratch;
}
EXPORTED W groups(const W *list, const W *keys, W *found) {
    G *g = ready();
    if (setjmp(g->out)) return -1;
    const W set = a_groups(g, ADDRESS(list), ADDRESS(keys));
    W used = 0;
    for (W i = 0; i < COUNT(set); i++) {
        const W n = COUNT(AT(set, i));
        memcpy(found + used, LIST(AT(set, i)), (size_t)(n + 1) * sizeof(W));
        used += n + 1;
    }
    return used;
}
EXPORTED W between(W low, W high) {
    G *g = ready();
    return setjmp(g->out) ? -1 : range_count(g, low, high, 7);
}
EXPORTED W product(W a, W b) {
    G *g = ready();
    return setjmp(g->out) ? -1 : multiply_counts(g, a, b, 7);
}
EXPORTED W sum(W a, W b) {
    G *g = ready();
    return setjmp(g->out) ? -1 : add_counts(g, a, b, 7);
}
EXPORTED W bit(U mask, W k) { return nth_bit(mask, k); }
"""


@cache
def library() -> ctypes.CDLL:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    text = "\n".join([
        (HEADERS / "core.h").read_text(), SIZES, (HEADERS / "state.h").read_text(),
        (HEADERS / "sets.h").read_text(), (HEADERS / "choices.h").read_text(), CALLS,
    ])  # fmt: skip
    found = built(text, compiler, ("-O2", "-shared", "-fPIC", "-fvisibility=hidden"))
    for name in (
        "count",
        "nth",
        "all",
        "counted",
        "place",
        "bits",
        "unlike",
        "groups",
        "between",
        "product",
        "sum",
        "bit",
    ):
        getattr(found, name).restype = ctypes.c_int64
    return found


def words(values: list[int]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * (len(values) + 1))(len(values), *values)


def wide(value: int) -> ctypes.c_int64:
    return ctypes.c_int64(value)


def selections(values: list[int], low: int, high: int) -> Selections:
    classes: dict[int, list[int]] = {}
    for value in sorted(values):
        classes.setdefault(value, []).append(value)
    return Selections(list(classes.values()), low, high)


def hands(seed: int, games: int, most: int) -> Iterator[tuple[list[int], int, int]]:
    """Hands of up to so many cards of one to eight sorts, and how many are to be chosen."""
    rng = random.Random(seed)
    for _ in range(games):
        size = rng.randint(0, most)
        sorts = rng.randint(1, 8) if rng.random() < 0.7 else 200
        values = [rng.randrange(sorts) + rng.choice((0, 5 << 16)) for _ in range(size)]
        low = rng.choice((0, 1, 1, rng.randint(-1, size + 1), size))
        high = rng.choice((size, size, low, rng.randint(-1, size + 1)))
        yield values if rng.random() < 0.5 else sorted(values), low, high


def nth(values: list[int], low: int, high: int, k: int) -> list[int]:
    found = (ctypes.c_int64 * (len(values) + 1))()
    assert library().nth(words(values), wide(low), wide(high), wide(k), found) == 1
    return list(found[1 : 1 + found[0]])


def test_short_hands_have_the_ways_of_selections_in_their_order() -> None:
    """Every way of every hand, counted, taken by its number, and gone through one after another."""
    for values, low, high in hands(1, 1500, 8):
        expected = list(selections(values, low, high))
        assert library().count(words(values), wide(low), wide(high)) == len(expected)
        for k, way in enumerate(expected):
            assert nth(values, low, high, k) == way
        found = (ctypes.c_int64 * (sum(len(way) + 1 for way in expected) + 1))()
        assert library().all(words(values), wide(low), wide(high), found) == len(expected)
        at = 0
        for way in expected:
            assert list(found[at + 1 : at + 1 + found[at]]) == way
            at += 1 + found[at]


def test_counts_have_the_ways_of_the_list_of_what_is_counted() -> None:
    """Short and long ones, of up to eight sorts: counted, and taken by number."""
    rng = random.Random(4)
    for most in [8] * 600 + [14] * 60:
        values = sorted(rng.randrange(8) for _ in range(rng.randint(0, most)))
        size = len(values)
        low = rng.choice((0, 1, rng.randint(-1, size + 1), size))
        high = rng.choice((size, low, rng.randint(-1, size + 1)))
        expected = [counted(way) for way in selections(values, low, high)]
        found = (ctypes.c_int64 * (len(expected) + 1))()
        assert library().counted(ctypes.c_uint64(counted(values)), wide(low), wide(high), found) == len(expected)
        assert [n & (1 << 64) - 1 for n in found[: len(expected)]] == expected


def test_counted_things_are_found_by_their_place() -> None:
    """Each of up to 127 things of eight sorts."""
    rng = random.Random(6)
    for size in (1, 2, 8, 60, 127):
        for _ in range(20):
            values = sorted(rng.randrange(8) for _ in range(size))
            counts = ctypes.c_uint64(counted(values))
            assert [library().place(counts, wide(k)) for k in range(size)] == values


def counted(values: list[int]) -> int:
    return sum(1 << 8 * value for value in values)


def test_long_hands_have_the_ways_of_selections() -> None:
    """Hands that don't fit into packed rows, some ways of each."""
    rng = random.Random(2)
    for values, low, high in hands(3, 1500, 40):
        expected = selections(values, low, high)
        count = len(expected)
        assert library().count(words(values), wide(low), wide(high)) == count
        for k in {0, count - 1, *(rng.randrange(count) for _ in range(6))} if count else ():
            assert nth(values, low, high, k) == expected[k]


def test_too_many_ways_are_never_answered_wrongly() -> None:
    """Where there are more than 2**62 ways, or the table is too large, the game fails; it may where it is close."""
    answered = 0
    for values, low, high in [
        *hands(5, 200, 90),
        (list(range(62)), 0, 62),
        (list(range(62)), 1, 62),
        (list(range(63)), 0, 63),
        (list(range(70)), 70, 70),
        (list(range(70)), 0, 3),
        (list(range(2000)), 0, 600),
        (list(range(1000)), 998, 1000),
        ([3] * 5000, 0, 5000),
        ([1] * 3000 + [2] * 3000, 10, 5000),
    ]:
        found = library().count(words(values), wide(low), wide(high))
        try:
            expected = len(selections(values, low, high))
        except TooManyError:
            assert found == -1
            continue
        assert found in (expected, -1)
        answered += found == expected
    assert answered > 150
    assert library().count(words(list(range(62))), wide(0), wide(62)) == 1 << 62
    assert library().count(words([3] * 5000), wide(0), wide(5000)) == 5001


def test_first_occurrences_are_kept() -> None:
    """Lists with and without repeats, short and long."""
    rng = random.Random(7)
    for size in [*range(60), 300, 5000]:
        for spread in (3, 50, 1 << 40):
            values = [rng.randrange(-spread, spread) for _ in range(size)]
            found = (ctypes.c_int64 * (size + 1))()
            taken = library().unlike(words(values), found)
            expected = distinct(values)
            assert list(found[1 : 1 + found[0]]) == expected
            assert taken == 1 or taken == size + 1 > len(expected)


def test_groups_come_in_order_of_their_keys() -> None:
    """Few and many elements; those of a group stay in their order."""
    rng = random.Random(10)
    for size in [*range(24), *range(24), 100]:
        keys = [rng.randint(-3, 3) for _ in range(size)]
        values = [rng.randrange(1000) for _ in range(size)]
        rows = [[value for value, mine in zip(values, keys, strict=True) if mine == key] for key in sorted(set(keys))]
        expected = [n for row in rows for n in (len(row), *row)]
        found = (ctypes.c_int64 * (len(expected) + 1))()
        assert library().groups(words(values), words(keys), found) == len(expected)
        assert list(found[: len(expected)]) == expected


def test_numbers_of_options_beyond_the_limit_fail() -> None:
    """Ranges, products and sums up to 2**62."""
    low, high = -(1 << 63), (1 << 63) - 1
    limit = 1 << 62
    for first, last in [(0, -1), (5, 5), (low, low), (high, high), (low, high), (0, limit - 1), (0, limit), (-3, 9)]:
        expected = max(last - first + 1, 0) if last - first < limit else -1
        assert library().between(wide(first), wide(last)) == expected
    for a, b in [(0, limit), (1, limit), (2, limit // 2), (2, limit // 2 + 1), (1 << 40, 1 << 40), (3, 4)]:
        assert library().product(wide(a), wide(b)) == (a * b if a * b <= limit else -1)
        assert library().sum(wide(a), wide(b)) == (a + b if a + b <= limit else -1)


def test_bits_are_counted() -> None:
    """Every byte, and some larger words."""
    rng = random.Random(8)
    for word in [*range(256), *(rng.getrandbits(64) for _ in range(50))]:
        assert library().bits(ctypes.c_uint64(word)) == word.bit_count()


def test_bits_are_found_by_their_rank() -> None:
    """Each bit of some masks."""
    rng = random.Random(9)
    for _ in range(200):
        mask = rng.getrandbits(64)
        places = [place for place in range(64) if mask >> place & 1]
        assert [library().bit(ctypes.c_uint64(mask), wide(k)) for k in range(len(places))] == places
