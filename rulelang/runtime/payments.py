"""Bags, costs with wildcards, and every way to pay them.

Enters: bags (tuples of counts per resource) and costs: (fixed bag, sorted tuple of wilds), a wild being (count, mask,
identical): so many of the resources whose bit is in the mask, all of one kind if identical is 1. Leaves: bags, costs,
payments.

Of a cost with alternatives all parts are wilds, of which those of the n-th alternative (from 1 on) have 2 n added to
their third number; (0, 0, 2 n) stands for nothing. The alternatives are distinct and in order.

A payment is one flat tuple of counts, purse by purse. What lists bags takes `most` and raises TooManyError beyond
that many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, product
from math import prod

from rulelang.limits import COST_PARTS, COVERING_STEPS, OPTIONS

Bag = tuple[int, ...]
Wild = tuple[int, int, int]
Cost = tuple[Bag, tuple[Wild, ...]]


Lack = tuple[int, int]
"""So many of the resources whose bit is in the mask."""

ENOUGH = OPTIONS
WAYS_PER_BAG = 16
FEW_WAYS = 1000
FEW_WILDS = 5
"""With more, groups of them are not gone through one by one."""


class TooManyError(Exception):
    """There are more ways than the caller can bear."""


def add(a: Bag, b: Bag) -> Bag:
    """Return the sum per kind."""
    return tuple(map(int.__add__, a, b))


def bag_scale(number: int, bag: Bag) -> Bag:
    """Return the bag so many times."""
    product = tuple([number * count for count in bag])
    if product and max(map(abs, product)) >> 63:
        raise OverflowError
    return product


def subtract(a: Bag, b: Bag) -> Bag:
    """Return the difference per kind, stopping at zero."""
    return tuple(x - y if x > y else 0 for x, y in zip(a, b, strict=True))


def bag_kinds(bag: Bag) -> list[int]:
    """Return the resources of which there is at least one, in order."""
    return [kind for kind, count in enumerate(bag) if count]


def sub_bags(bag: Bag, low: int, high: int, most: int = ENOUGH) -> list[Bag]:
    """Return every bag within this one with `low` to `high` pieces, by size, then with more of earlier resources
    first."""
    bags: list[Bag] = []
    for size in range(max(low, 0), min(high, sum(bag)) + 1):
        bags.extend(_limited(_spread(size, bag), most - len(bags)))
    return bags


def _limited(ways: Iterable[Bag], most: int) -> list[Bag]:
    listed = list(islice(ways, most + 1))
    if len(listed) > most:
        raise TooManyError
    return listed


def make_wild(size: int, count: int, mask: Sequence[int], identical: int) -> Cost:
    """Return the cost of `count` resources among those with a 1 in `mask`."""
    bits = sum(1 << kind for kind, is_member in enumerate(mask) if is_member)
    return (0,) * size, ((count, bits, identical),) if count > 0 else ()


def alternatives(cost: Cost) -> list[Cost]:
    """Return the costs without alternatives of which one is to be paid."""
    if not any(tag > 1 for _, _, tag in cost[1]):
        return [cost]
    wilds_of: dict[int, list[Wild]] = {}
    for count, mask, tag in cost[1]:
        wilds_of.setdefault(tag >> 1, []).append((count, mask, tag & 1))
    return [_exact(cost[0], wilds) for _, wilds in sorted(wilds_of.items())]


def _exact(fixed: Bag, wilds: Iterable[Wild]) -> Cost:
    """Return a cost whose wilds of one resource alone are fixed."""
    exact, free = list(fixed), []
    for count, mask, identical in wilds:
        if mask and not identical and not mask & (mask - 1):
            exact[mask.bit_length() - 1] += count
        elif count:
            free.append((count, mask, identical))
    return tuple(exact), tuple(free)


def either(*costs: Cost) -> Cost:
    """Return a cost of which one of several is to be paid, as whoever pays chooses."""
    ways = sorted({_exact(*way) for cost in costs for way in alternatives(cost)})
    if len(ways) == 1:
        return ways[0]
    joined: list[Wild] = []
    for number, (fixed, wilds) in enumerate(ways, 1):
        parts = [(count, 1 << kind, 0) for kind, count in enumerate(fixed) if count] + list(wilds)
        joined += [(count, mask, identical + 2 * number) for count, mask, identical in parts or [(0, 0, 0)]]
    if len(joined) > COST_PARTS:
        raise TooManyError
    return (0,) * len(ways[0][0]), tuple(sorted(joined))


def cost_add(a: Cost, b: Cost) -> Cost:
    """Return both costs together. Wilds that may be paid alike are joined, unless each must be identical in itself."""
    first, second = alternatives(a), alternatives(b)
    if len(first) > 1 or len(second) > 1:
        return either(*(cost_add(x, y) for x in first for y in second))
    counts: dict[int, int] = {}
    wilds: list[Wild] = []
    for count, mask, identical in (*a[1], *b[1]):
        if identical and count > 1:
            wilds.append((count, mask, 1))
            if len(wilds) > COST_PARTS:
                raise TooManyError
        else:
            counts[mask] = counts.get(mask, 0) + count
    wilds.extend((count, mask, 0) for mask, count in counts.items())
    return add(a[0], b[0]), tuple(sorted(wilds))


def cost_subtract(cost: Cost, bag: Bag) -> Cost:
    """Return the cost, each alternative of it, lowered by a bag: fixed parts first, then wilds; it stops at zero."""
    if len(ways := alternatives(cost)) > 1:
        return either(*(cost_subtract(way, bag) for way in ways))
    fixed = subtract(cost[0], bag)
    spare = list(subtract(bag, cost[0]))
    wilds = []
    for count, mask, identical in cost[1]:
        for kind, available in enumerate(spare):
            used = min(available, count) if mask >> kind & 1 else 0
            spare[kind] -= used
            count -= used
        if count:
            wilds.append((count, mask, identical))
    return fixed, tuple(sorted(wilds))


def cost_scale(number: int, cost: Cost) -> Cost:
    """Return a cost so many times; below zero is none. Wilds of identical resources, and which alternative is paid, may
    differ from one time to the next."""
    number = max(number, 0)
    total: Cost = (tuple(number * count for count in cost[0]), ())
    if len(alternatives(cost)) > 1:
        for _ in range(number):
            total = cost_add(total, cost)
        return total
    loose = tuple((count * number, mask, identical) for count, mask, identical in cost[1] if not identical and number)
    tight = tuple(wild for wild in cost[1] if wild[2])
    if len(tight) * number > COST_PARTS:
        raise TooManyError
    tight *= number
    return cost_add(total, ((0,) * len(cost[0]), loose + tight))


def cost_size(cost: Cost) -> int:
    """Return the number of resources of a cost, of its alternatives the fewest."""
    return min(sum(fixed) + sum(wild[0] for wild in wilds) for fixed, wilds in alternatives(cost))


def _kinds(mask: int, size: int) -> list[int]:
    return [kind for kind in range(size) if mask >> kind & 1]


def _spread(count: int, room: Sequence[int]) -> Iterator[Bag]:
    """Yield every way to take `count` out of `room`, as much as possible of the first kinds first."""
    if not room:
        if count == 0:
            yield ()
        return
    rest = sum(room[1:])
    for taken in range(min(count, room[0]), max(count - rest, 0) - 1, -1):
        for others in _spread(count - taken, room[1:]):
            yield (taken, *others)


def _wild_ways(wild: Wild, room: Bag) -> Iterator[Bag]:
    count, mask, identical = wild
    size = len(room)
    if identical:
        for kind in _kinds(mask, size):
            if room[kind] >= count:
                yield tuple(count if other == kind else 0 for other in range(size))
    else:
        yield from _spread(count, [available if mask >> kind & 1 else 0 for kind, available in enumerate(room)])


def _bags(cost: Cost, limit: Bag | None, most: int) -> list[Bag]:
    """Return every distinct bag within `limit` that satisfies a cost exactly, most of the first resources first."""
    if len(ways := alternatives(cost)) > 1:
        every = {bag for way in ways for bag in _bags(way, limit, most)}
        if len(every) > most:
            raise TooManyError
        return sorted(every, reverse=True)
    room = limit if limit is not None else (cost_size(cost),) * len(cost[0])
    if any(available < needed for available, needed in zip(room, cost[0], strict=True)):
        return []
    bags = {cost[0]}
    # Many ways may lead to few bags: the ways are bounded too.
    tries = WAYS_PER_BAG * most
    for wild in cost[1]:
        grown: set[Bag] = set()
        for bag in bags:
            sums = [add(bag, way) for way in _limited(_wild_ways(wild, subtract(room, bag)), most)]
            grown.update(sums)
            tries -= len(sums) + 1
            if len(grown) > most or tries < 0:
                raise TooManyError
        bags = grown
    return sorted(bags, reverse=True)


def expansions(cost: Cost, most: int = ENOUGH) -> list[Bag]:
    """Return every distinct bag that satisfies a cost exactly, most of the first resources first."""
    return _bags(cost, None, most)


def holdings(size: int, purses: Iterable[Bag]) -> Bag:
    """Return the sum of the purses."""
    total: Bag = (0,) * size
    for bag in purses:
        total = add(total, bag)
    return total


def payments(cost: Cost, purses: Sequence[Bag], most: int = ENOUGH) -> list[tuple[int, ...]]:
    """Return every distinct payment, by the bag paid, then most from the first purses first."""
    size = len(cost[0])
    listed: list[tuple[int, ...]] = []
    for bag in _bags(cost, holdings(size, purses), most):
        partial: list[tuple[Bag, ...]] = [()]
        for kind, needed in enumerate(bag):
            ways = _limited(_spread(needed, [purse[kind] for purse in purses]), most)
            if len(partial) * len(ways) > most:
                raise TooManyError
            partial = [(*paid, way) for paid in partial for way in ways]
        listed.extend(tuple(way[purse] for purse in range(len(purses)) for way in paid) for paid in partial)
        if len(listed) > most:
            raise TooManyError
    return listed


def can_pay(cost: Cost, held: Bag) -> bool:
    """Return whether some bag within `held` satisfies the cost; ways are tried only for wilds of identical
    resources."""
    if len(ways := alternatives(cost)) > 1:
        return any(can_pay(way, held) for way in ways)
    left = []
    for available, needed in zip(held, cost[0], strict=True):
        if available < needed:
            return False
        left.append(available - needed)
    wilds = cost[1]
    if not wilds:
        return True
    if sum(left) < sum(wild[0] for wild in wilds):
        return False
    tight = sorted([w for w in wilds if w[2]], reverse=True)
    return _search(left, tight, [w for w in wilds if not w[2]], 0, iter(range(COVERING_STEPS)))


def _search(left: list[int], tight: list[Wild], loose: list[Wild], first: int, steps: Iterator[int]) -> bool:
    """Return whether the wilds can be paid, the first tight one with a kind from `first` on; TooManyError if out of
    steps."""
    if not tight:
        return _covers(left, loose)
    count, mask, _ = tight[0]
    alike = len(tight) > 1 and tight[1] == tight[0]
    for kind in range(first, len(left)):
        if mask >> kind & 1 and left[kind] >= count:
            if next(steps, None) is None:
                raise TooManyError
            left[kind] -= count
            # Those that are alike take kinds in order: any other way is the same one.
            fits = _search(left, tight[1:], loose, kind if alike else 0, steps)
            left[kind] += count
            if fits:
                return True
    return False


def _covers(left: list[int], loose: list[Wild]) -> bool:
    if len(loose) > FEW_WILDS:
        return not _uncovered(tuple(left), (), loose, ())[1]
    # Hall's condition: any group of wilds asks for no more than the resources that one of them admits.
    for size in range(1, len(loose) + 1):
        for group in combinations(loose, size):
            union = 0
            for _, mask, _ in group:
                union |= mask
            if sum(wild[0] for wild in group) > sum(
                available for kind, available in enumerate(left) if union >> kind & 1
            ):
                return False
    return True


# ---- what is missing ----------------------------------------------------------------------------------


def lacking(cost: Cost, held: Bag) -> list[Lack]:
    """Return what is missing to pay a cost from `held` when its wilds are paid as well as can be; nothing if it can be
    paid. Of alternatives it is that which lacks least.

    Wilds of identical resources are tried with each resource while these are few ways, else each with the resource
    that there is most of.
    """
    if len(alternatives(cost)) > 1:
        return min((lacking(way, held) for way in alternatives(cost)), key=lambda lacks: sum(n for n, _ in lacks))
    size = len(held)
    missing = [
        (needed - available, 1 << kind)
        for kind, (available, needed) in enumerate(zip(held, cost[0], strict=True))
        if needed > available
    ]
    left = subtract(held, cost[0])
    tight = [wild for wild in cost[1] if wild[2]]
    loose = [wild for wild in cost[1] if not wild[2]]
    choices = [_kinds(mask, size) for _, mask, _ in tight]
    ways: list[tuple[int, ...]] = [tuple(max(kinds, key=left.__getitem__) for kinds in choices)]
    if prod(map(len, choices)) <= FEW_WAYS:
        ways = list(product(*choices))

    def total(way: tuple[int, ...]) -> int:
        short, rest = _uncovered(left, tight, loose, way)
        return sum(short) + sum(count for count, _ in rest)

    best = min(ways, key=total)
    short, rest = _uncovered(left, tight, loose, best)
    for place, (count, kinds) in enumerate(zip(short, choices, strict=True)):
        as_good = [kind for kind in kinds if total((*best[:place], kind, *best[place + 1 :])) == total(best)]
        if count:
            missing.append((count, sum(1 << kind for kind in as_good)))
    return missing + rest


def _uncovered(
    left: Bag, tight: Sequence[Wild], loose: Sequence[Wild], way: tuple[int, ...]
) -> tuple[list[int], list[Lack]]:
    """Return how much each wild lacks when the tight ones are paid with these kinds: a list for the tight ones, and
    the loose ones that are not covered."""
    spare = list(left)
    short = []
    for (count, _, _), kind in zip(tight, way, strict=True):
        taken = min(count, spare[kind])
        spare[kind] -= taken
        short.append(count - taken)
    paid = [[0] * len(spare) for _ in loose]

    def take(wild: int, amount: int, passed: set[int]) -> int:
        """Cover up to `wanted` of a wild, if need be by letting another wild take something else."""
        for kind in _kinds(loose[wild][1], len(spare)):
            if kind in passed:
                continue
            passed.add(kind)
            got = min(amount, spare[kind])
            spare[kind] -= got
            for other, row in enumerate(paid):
                if not got and row[kind]:
                    got = take(other, min(amount, row[kind]), passed)
                    row[kind] -= got
            if got:
                paid[wild][kind] += got
                return got
        return 0

    rest = []
    for number, (count, mask, _) in enumerate(loose):
        while count and (got := take(number, count, set())):
            count -= got
        if count:
            rest.append((count, mask))
    return short, rest


def placements(
    present: Bag, added: Cost, total: int, each: int, limits: Sequence[int], most: int = ENOUGH
) -> list[Bag]:
    """Return every distinct bag that may be left when one of the bags of `added` joins `present`: as much of the two as
    fits.

    Args:
        total: most in all; each: most of any kind; limits: most per kind, or empty. -1 means no limit. What is present
            beyond a limit of its kind stays.
    """
    caps = []
    for kind, present_count in enumerate(present):
        known = [cap for cap in (each, limits[kind] if limits else -1) if cap >= 0]
        caps.append(max(min(known), present_count) if known else -1)
    bags: set[Bag] = set()
    tries = WAYS_PER_BAG * most
    for bag in expansions(added, most):
        joined = add(present, bag)
        fits = tuple(min(count, cap) if cap >= 0 else count for count, cap in zip(joined, caps, strict=True))
        size = min(sum(fits), max(total, sum(present))) if total >= 0 else sum(fits)
        ways = _limited(_spread(size, fits), most)
        bags.update(ways)
        tries -= len(ways)
        if len(bags) > most or tries < 0:
            raise TooManyError
    return sorted(bags, reverse=True)
