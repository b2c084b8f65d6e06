"""Bags, costs with wildcards, and enumeration of all payments.

Enters: bags (tuples of counts per resource) and costs: (fixed bag, sorted tuple of wilds), a wild being (count, mask,
identical): `count` of the resources whose bit is in the mask, all of one kind if `identical` is 1. Leaves: bags, costs,
payments.

Of a cost with alternatives all parts are wilds, of which those of the n-th alternative (from 1 on) have 2 n added to
their third number; (0, 0, 2 n) stands for nothing. The alternatives are distinct and in order.

A payment is one flat tuple of counts, purse by purse. Functions that list bags take `most` and raise TooManyError
beyond that many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice, product
from math import prod

from rulelang.limits import COST_PARTS, COVERING_STEPS, WAYS

Bag = tuple[int, ...]
Wild = tuple[int, int, int]
Cost = tuple[Bag, tuple[Wild, ...]]


Lack = tuple[int, int]
"""(count, mask): a number of resources among those whose bit is in the mask."""

MOST_LISTED = WAYS
STEPS_PER_BAG = 16
MOST_ASSIGNMENTS = 1000
HALL_WILDS = 5
"""Most wilds whose subsets are enumerated for Hall's condition; for more of them a matching is computed."""


class TooManyError(Exception):
    """There are more bags, payments or parts of a cost than the caller's bound."""


def _in_64_bits(bag: Bag) -> Bag:
    """Return the bag.

    Raises:
        OverflowError: a count needs more than 63 bits.
    """
    if bag and (max(bag) >> 63 > 0 or min(bag) >> 63 < -1):
        raise OverflowError
    return bag


def add(a: Bag, b: Bag) -> Bag:
    """Return the sum of two bags; OverflowError if a count needs more than 63 bits."""
    return _in_64_bits(tuple(map(int.__add__, a, b)))


def bag_scale(number: int, bag: Bag) -> Bag:
    """Return the bag times a number; OverflowError if a count needs more than 63 bits."""
    return _in_64_bits(tuple([number * count for count in bag]))


def bag_size(bag: Bag) -> int:
    """Return the number of resources of a bag; OverflowError if that needs more than 63 bits."""
    return _in_64_bits((sum(bag),))[0]


def subtract(a: Bag, b: Bag) -> Bag:
    """Return the difference of two bags, by kind at least 0."""
    return tuple(x - y if x > y else 0 for x, y in zip(a, b, strict=True))


def bag_kinds(bag: Bag) -> list[int]:
    """Return the resources of which the bag has at least one, in order."""
    return [kind for kind, count in enumerate(bag) if count]


def sub_bags(bag: Bag, low: int, high: int, most: int = MOST_LISTED) -> list[Bag]:
    """Return every bag within this one with `low` to `high` pieces: by size, then more of earlier resources first."""
    bags: list[Bag] = []
    for size in range(max(low, 0), min(high, sum(bag)) + 1):
        bags.extend(_list_limited(_distributions(size, bag), most - len(bags)))
    return bags


def _list_limited(bags: Iterable[Bag], most: int) -> list[Bag]:
    """Return the bags as a list; raise TooManyError beyond `most`."""
    listed = list(islice(bags, most + 1))
    if len(listed) > most:
        raise TooManyError
    return listed


def make_wild(size: int, count: int, mask: Sequence[int], identical: int) -> Cost:
    """Return the cost of `count` resources among those with a 1 in `mask`.

    Args:
        size: number of resources. identical: 1 if they must be of one kind.
    """
    bits = sum(1 << kind for kind, is_member in enumerate(mask) if is_member)
    return (0,) * size, ((count, bits, identical),) if count > 0 else ()


def alternatives(cost: Cost) -> list[Cost]:
    """Return the costs without alternatives, one of which is to be paid."""
    if not any(tag > 1 for _, _, tag in cost[1]):
        return [cost]
    wilds_of: dict[int, list[Wild]] = {}
    for count, mask, tag in cost[1]:
        wilds_of.setdefault(tag >> 1, []).append((count, mask, tag & 1))
    return [_normalised(cost[0], wilds) for _, wilds in sorted(wilds_of.items())]


def _normalised(fixed: Bag, wilds: Iterable[Wild]) -> Cost:
    """Return a cost in which wilds that admit a single resource became fixed."""
    exact, free = list(fixed), []
    for count, mask, identical in wilds:
        if mask and not identical and not mask & (mask - 1):
            exact[mask.bit_length() - 1] += count
        elif count:
            free.append((count, mask, identical))
    return tuple(exact), tuple(free)


def either(*costs: Cost) -> Cost:
    """Return the cost whose alternatives are those of all given costs. Raises TooManyError if there are more than a
    cost may have."""
    options = sorted({_normalised(*option) for cost in costs for option in alternatives(cost)})
    if len(options) == 1:
        return options[0]
    joined: list[Wild] = []
    for number, (fixed, wilds) in enumerate(options, 1):
        parts = [(count, 1 << kind, 0) for kind, count in enumerate(fixed) if count] + list(wilds)
        joined += [(count, mask, identical + 2 * number) for count, mask, identical in parts or [(0, 0, 0)]]
    if len(joined) > COST_PARTS:
        raise TooManyError
    return (0,) * len(options[0][0]), tuple(sorted(joined))


def cost_add(a: Cost, b: Cost) -> Cost:
    """Return the sum of two costs. Wilds with the same mask are merged, unless each must be identical in itself. Raises
    TooManyError if it has more wilds than a cost may have."""
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
    """Return the cost, each alternative of it, reduced by a bag: fixed parts first, then wilds, each to 0 at least."""
    if len(costs := alternatives(cost)) > 1:
        return either(*(cost_subtract(each, bag) for each in costs))
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
    """Return the cost times a number (0 if negative). Wilds of identical resources, and which alternative is paid, may
    differ from one time to the next.

    Raises:
        TooManyError: there are more than `COST_PARTS` wilds. OverflowError: a count needs more than 63 bits.
    """
    number = max(number, 0)
    total: Cost = (bag_scale(number, cost[0]), ())
    if len(alternatives(cost)) > 1:
        for _ in range(number):
            total = cost_add(total, cost)
        return total
    free_wilds = tuple(
        (bag_scale(number, (count,))[0], mask, identical)
        for count, mask, identical in cost[1]
        if not identical and number
    )
    identical_wilds = tuple(wild for wild in cost[1] if wild[2])
    if len(identical_wilds) * number > COST_PARTS:
        raise TooManyError
    identical_wilds *= number
    return cost_add(total, ((0,) * len(cost[0]), free_wilds + identical_wilds))


def cost_size(cost: Cost) -> int:
    """Return the number of resources of a cost: the minimum over its alternatives; OverflowError beyond 63 bits."""
    return min(bag_size((*fixed, *(wild[0] for wild in wilds))) for fixed, wilds in alternatives(cost))


def _kinds(mask: int, size: int) -> list[int]:
    """Return the resources in a mask, of `size` resources."""
    return [kind for kind in range(size) if mask >> kind & 1]


def _distributions(count: int, room: Sequence[int]) -> Iterator[Bag]:
    """Yield every bag of `count` pieces within the bag `room`, more of the first kinds first."""
    if not room:
        if count == 0:
            yield ()
        return
    rest = sum(room[1:])
    for first in range(min(count, room[0]), max(count - rest, 0) - 1, -1):
        for others in _distributions(count - first, room[1:]):
            yield (first, *others)


def _wild_bags(wild: Wild, room: Bag) -> Iterator[Bag]:
    """Yield every bag within `room` that pays a wild."""
    count, mask, identical = wild
    size = len(room)
    if identical:
        for kind in _kinds(mask, size):
            if room[kind] >= count:
                yield tuple(count if other == kind else 0 for other in range(size))
    else:
        yield from _distributions(count, [available if mask >> kind & 1 else 0 for kind, available in enumerate(room)])


def _bags(cost: Cost, limit: Bag | None, most: int) -> list[Bag]:
    """Return every distinct bag within `limit` (None: any) that pays a cost exactly, more of the first resources
    first."""
    if len(costs := alternatives(cost)) > 1:
        every = {bag for each in costs for bag in _bags(each, limit, most)}
        if len(every) > most:
            raise TooManyError
        return sorted(every, reverse=True)
    room = limit if limit is not None else (cost_size(cost),) * len(cost[0])
    if any(available < needed for available, needed in zip(room, cost[0], strict=True)):
        return []
    bags = {cost[0]}
    # Many sums may give few bags: steps are bounded too.
    steps = STEPS_PER_BAG * most
    for wild in cost[1]:
        grown: set[Bag] = set()
        for bag in bags:
            sums = [add(bag, wild_bag) for wild_bag in _list_limited(_wild_bags(wild, subtract(room, bag)), most)]
            grown.update(sums)
            steps -= len(sums) + 1
            if len(grown) > most or steps < 0:
                raise TooManyError
        bags = grown
    return sorted(bags, reverse=True)


def expansions(cost: Cost, most: int = MOST_LISTED) -> list[Bag]:
    """Return every distinct bag that pays a cost exactly, more of the first resources first."""
    return _bags(cost, None, most)


def holdings(size: int, purses: Iterable[Bag]) -> Bag:
    """Return the sum of the purses.

    Args:
        size: number of resources.
    """
    total: Bag = (0,) * size
    for bag in purses:
        total = add(total, bag)
    return total


def payments(cost: Cost, purses: Sequence[Bag], most: int = MOST_LISTED) -> list[tuple[int, ...]]:
    """Return every distinct payment of a cost from purses: by the bag paid, then more from the first purses first.
    Raises TooManyError if they are more than `most`."""
    size = len(cost[0])
    listed: list[tuple[int, ...]] = []
    for bag in _bags(cost, holdings(size, purses), most):
        partial: list[tuple[Bag, ...]] = [()]
        for kind, needed in enumerate(bag):
            splits = _list_limited(_distributions(needed, [purse[kind] for purse in purses]), most)
            if len(partial) * len(splits) > most:
                raise TooManyError
            partial = [(*paid, split) for paid in partial for split in splits]
        listed.extend(tuple(split[purse] for purse in range(len(purses)) for split in paid) for paid in partial)
        if len(listed) > most:
            raise TooManyError
    return listed


def can_pay(cost: Cost, held: Bag) -> bool:
    """Return whether some bag within `held` pays the cost. Only wilds of identical resources need a search.

    Raises:
        TooManyError: that search takes more than COVERING_STEPS.
    """
    if len(costs := alternatives(cost)) > 1:
        return any(can_pay(each, held) for each in costs)
    remaining = []
    for available, needed in zip(held, cost[0], strict=True):
        if available < needed:
            return False
        remaining.append(available - needed)
    wilds = cost[1]
    if not wilds:
        return True
    if sum(remaining) < sum(wild[0] for wild in wilds):
        return False
    identical_wilds = sorted([w for w in wilds if w[2]], reverse=True)
    return _can_pay_identical(
        remaining, identical_wilds, [w for w in wilds if not w[2]], 0, iter(range(COVERING_STEPS))
    )


def _can_pay_identical(
    counts: list[int], identical_wilds: list[Wild], free_wilds: list[Wild], first: int, steps: Iterator[int]
) -> bool:
    """Return whether all wilds can be paid from `counts`, by backtracking over the kinds of the identical ones.

    Args:
        first: lowest kind for the first identical wild. steps: budget; TooManyError once it is used up.
    """
    if not identical_wilds:
        return _can_pay_free(counts, free_wilds)
    count, mask, _ = identical_wilds[0]
    repeats = len(identical_wilds) > 1 and identical_wilds[1] == identical_wilds[0]
    for kind in range(first, len(counts)):
        if mask >> kind & 1 and counts[kind] >= count:
            if next(steps, None) is None:
                raise TooManyError
            counts[kind] -= count
            # Equal wilds take kinds in ascending order: other assignments are permutations.
            fits = _can_pay_identical(counts, identical_wilds[1:], free_wilds, kind if repeats else 0, steps)
            counts[kind] += count
            if fits:
                return True
    return False


def _can_pay_free(counts: list[int], free_wilds: list[Wild]) -> bool:
    """Return whether wilds of any resources can be paid from `counts`."""
    if len(free_wilds) > HALL_WILDS:
        return not _shortfall(tuple(counts), (), free_wilds, ())[1]
    # Hall's theorem: a matching exists if no subset of wilds needs more than the resources that some of them admit.
    for size in range(1, len(free_wilds) + 1):
        for group in combinations(free_wilds, size):
            union = 0
            for _, mask, _ in group:
                union |= mask
            if sum(wild[0] for wild in group) > sum(
                available for kind, available in enumerate(counts) if union >> kind & 1
            ):
                return False
    return True


# ---- missing resources --------------------------------------------------------------------------------


def lacking(cost: Cost, held: Bag) -> list[Lack]:
    """Return the resources missing to pay a cost from `held` when its wilds are paid as well as possible; empty if it
    can be paid. Of alternatives it is the one that lacks least.

    Kinds of identical wilds are tried exhaustively up to MOST_ASSIGNMENTS combinations, else each takes the kind of
    which there is most.
    """
    if len(alternatives(cost)) > 1:
        return min((lacking(way, held) for way in alternatives(cost)), key=lambda lacks: sum(n for n, _ in lacks))
    size = len(held)
    missing = [
        (needed - available, 1 << kind)
        for kind, (available, needed) in enumerate(zip(held, cost[0], strict=True))
        if needed > available
    ]
    remaining = subtract(held, cost[0])
    identical_wilds = [wild for wild in cost[1] if wild[2]]
    free_wilds = [wild for wild in cost[1] if not wild[2]]
    choices = [_kinds(mask, size) for _, mask, _ in identical_wilds]
    ways: list[tuple[int, ...]] = [tuple(max(kinds, key=remaining.__getitem__) for kinds in choices)]
    if prod(map(len, choices)) <= MOST_ASSIGNMENTS:
        ways = list(product(*choices))

    def total(way: tuple[int, ...]) -> int:
        """Return how many resources are missing if the identical wilds are paid with these kinds."""
        short, rest = _shortfall(remaining, identical_wilds, free_wilds, way)
        return sum(short) + sum(count for count, _ in rest)

    best = min(ways, key=total)
    short, rest = _shortfall(remaining, identical_wilds, free_wilds, best)
    for place, (count, kinds) in enumerate(zip(short, choices, strict=True)):
        as_good = [kind for kind in kinds if total((*best[:place], kind, *best[place + 1 :])) == total(best)]
        if count:
            missing.append((count, sum(1 << kind for kind in as_good)))
    return missing + rest


def _shortfall(
    counts: Bag, identical_wilds: Sequence[Wild], free_wilds: Sequence[Wild], chosen_kinds: tuple[int, ...]
) -> tuple[list[int], list[Lack]]:
    """Return what each wild lacks: a list of numbers for identical ones, paid with `chosen_kinds`, and the free ones
    that a maximum matching (augmenting paths) does not cover."""
    spare = list(counts)
    short = []
    for (count, _, _), kind in zip(identical_wilds, chosen_kinds, strict=True):
        taken = min(count, spare[kind])
        spare[kind] -= taken
        short.append(count - taken)
    paid = [[0] * len(spare) for _ in free_wilds]

    def cover(wild: int, amount: int, visited: set[int]) -> int:
        """Pay up to `amount` of a wild along an augmenting path, which may move other wilds' resources; return how
        many."""
        for kind in _kinds(free_wilds[wild][1], len(spare)):
            if kind in visited:
                continue
            visited.add(kind)
            got = min(amount, spare[kind])
            spare[kind] -= got
            for other, row in enumerate(paid):
                if not got and row[kind]:
                    got = cover(other, min(amount, row[kind]), visited)
                    row[kind] -= got
            if got:
                paid[wild][kind] += got
                return got
        return 0

    rest = []
    for number, (count, mask, _) in enumerate(free_wilds):
        while count and (got := cover(number, count, set())):
            count -= got
        if count:
            rest.append((count, mask))
    return short, rest


def placements(
    present: Bag, added: Cost, total: int, each: int, limits: Sequence[int], most: int = MOST_LISTED
) -> list[Bag]:
    """Return every distinct bag that may remain when one of the bags of `added` joins `present`: as much of both as
    fits.

    Args:
        total: most pieces in all; each: most of any kind; limits: most per kind, or empty. -1 means no limit. What is
            present beyond a limit of its kind stays.

    Raises:
        TooManyError: they are more than `most`.
    """
    caps = []
    for kind, present_count in enumerate(present):
        known = [cap for cap in (each, limits[kind] if limits else -1) if cap >= 0]
        caps.append(max(min(known), present_count) if known else -1)
    bags: set[Bag] = set()
    steps = STEPS_PER_BAG * most
    for bag in expansions(added, most):
        joined = add(present, bag)
        fits = tuple(min(count, cap) if cap >= 0 else count for count, cap in zip(joined, caps, strict=True))
        size = min(bag_size(fits), max(total, bag_size(present))) if total >= 0 else bag_size(fits)
        choices = _list_limited(_distributions(size, fits), most)
        bags.update(choices)
        steps -= len(choices)
        if len(bags) > most or steps < 0:
            raise TooManyError
    return sorted(bags, reverse=True)
