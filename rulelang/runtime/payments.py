"""Bags, costs with wildcards, and every way to pay them.

Enters: bags (tuples of counts per resource) and costs: (fixed bag, sorted tuple of wilds), a wild being (count, mask,
identical): so many of the resources whose bit is in the mask, all of one kind if identical is 1. Leaves: bags, costs,
payments.

A payment is one flat tuple of counts, purse by purse. What lists bags takes `most` and raises TooManyError beyond
that many.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

Bag = tuple[int, ...]
Wild = tuple[int, int, int]
Cost = tuple[Bag, tuple[Wild, ...]]


ENOUGH = 1 << 20


class TooManyError(Exception):
    """There are more ways than the caller can bear."""


def add(a: Bag, b: Bag) -> Bag:
    """The sum per kind."""
    return tuple(map(int.__add__, a, b))


def subtract(a: Bag, b: Bag) -> Bag:
    """The difference per kind, stopping at zero."""
    return tuple(x - y if x > y else 0 for x, y in zip(a, b, strict=True))


def bag_kinds(bag: Bag) -> list[int]:
    """The resources of which there is at least one, in order."""
    return [kind for kind, count in enumerate(bag) if count]


def sub_bags(bag: Bag, low: int, high: int, most: int = ENOUGH) -> list[Bag]:
    """Every bag within this one with `low` to `high` pieces, by size, then with more of earlier resources first."""
    found: list[Bag] = []
    for size in range(max(low, 0), min(high, sum(bag)) + 1):
        found.extend(_few(_spread(size, bag), most - len(found)))
    return found


def _few(ways: Iterable[Bag], most: int) -> list[Bag]:
    found = list(islice(ways, most + 1))
    if len(found) > most:
        raise TooManyError
    return found


def make_wild(size: int, count: int, mask: Sequence[int], identical: int) -> Cost:
    """The cost of `count` resources among those with a 1 in `mask`."""
    bits = sum(1 << kind for kind, there in enumerate(mask) if there)
    return (0,) * size, ((count, bits, identical),) if count > 0 else ()


def cost_add(a: Cost, b: Cost) -> Cost:
    """Both costs together. Wilds that may be paid alike are joined, unless each must be identical in itself."""
    counts: dict[int, int] = {}
    found: list[Wild] = []
    for count, mask, identical in (*a[1], *b[1]):
        if identical and count > 1:
            found.append((count, mask, 1))
        else:
            counts[mask] = counts.get(mask, 0) + count
    found.extend((count, mask, 0) for mask, count in counts.items())
    return add(a[0], b[0]), tuple(sorted(found))


def cost_subtract(cost: Cost, bag: Bag) -> Cost:
    """The cost lowered by a bag: fixed parts first, then wilds that admit the resource; it stops at zero."""
    fixed = subtract(cost[0], bag)
    spare = list(subtract(bag, cost[0]))
    wilds = []
    for count, mask, identical in cost[1]:
        for kind, there in enumerate(spare):
            used = min(there, count) if mask >> kind & 1 else 0
            spare[kind] -= used
            count -= used
        if count:
            wilds.append((count, mask, identical))
    return fixed, tuple(sorted(wilds))


def cost_scale(number: int, cost: Cost) -> Cost:
    """A cost so many times; below zero is none. Wilds of identical resources may differ from one time to the next."""
    number = max(number, 0)
    found: Cost = (tuple(number * count for count in cost[0]), ())
    loose = tuple((count * number, mask, identical) for count, mask, identical in cost[1] if not identical and number)
    tight = tuple(wild for wild in cost[1] if wild[2]) * number
    return cost_add(found, ((0,) * len(cost[0]), loose + tight))


def cost_size(cost: Cost) -> int:
    """How many resources a cost asks for."""
    return sum(cost[0]) + sum(wild[0] for wild in cost[1])


def _kinds(mask: int, size: int) -> list[int]:
    return [kind for kind in range(size) if mask >> kind & 1]


def _spread(count: int, room: Sequence[int]) -> Iterator[Bag]:
    """Every way to take `count` out of `room`, as much as possible of the first kinds first."""
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
        yield from _spread(count, [there if mask >> kind & 1 else 0 for kind, there in enumerate(room)])


def _bags(cost: Cost, limit: Bag | None, most: int) -> list[Bag]:
    """Every distinct bag within `limit` that satisfies a cost exactly, most of the first resources first."""
    room = limit if limit is not None else (cost_size(cost),) * len(cost[0])
    if any(there < needed for there, needed in zip(room, cost[0], strict=True)):
        return []
    found = {cost[0]}
    for wild in cost[1]:
        grown: set[Bag] = set()
        for bag in found:
            grown.update([add(bag, way) for way in _few(_wild_ways(wild, subtract(room, bag)), most)])
            if len(grown) > most:
                raise TooManyError
        found = grown
    return sorted(found, reverse=True)


def expansions(cost: Cost, most: int = ENOUGH) -> list[Bag]:
    """Every distinct bag that satisfies a cost exactly, most of the first resources first."""
    return _bags(cost, None, most)


def holdings(size: int, purses: Iterable[Bag]) -> Bag:
    """What purses hold together."""
    total: Bag = (0,) * size
    for bag in purses:
        total = add(total, bag)
    return total


def payments(cost: Cost, purses: Sequence[Bag], most: int = ENOUGH) -> list[tuple[int, ...]]:
    """Every distinct payment, by the bag paid, then most from the first purses first."""
    size = len(cost[0])
    found: list[tuple[int, ...]] = []
    for bag in _bags(cost, holdings(size, purses), most):
        partial: list[tuple[Bag, ...]] = [()]
        for kind, needed in enumerate(bag):
            ways = _few(_spread(needed, [purse[kind] for purse in purses]), most)
            if len(partial) * len(ways) > most:
                raise TooManyError
            partial = [(*paid, way) for paid in partial for way in ways]
        found.extend(tuple(way[purse] for purse in range(len(purses)) for way in paid) for paid in partial)
        if len(found) > most:
            raise TooManyError
    return found


def can_pay(cost: Cost, held: Bag) -> bool:
    """Whether some bag within `held` satisfies the cost; ways are tried only for wilds of identical resources."""
    left = []
    for there, needed in zip(held, cost[0], strict=True):
        if there < needed:
            return False
        left.append(there - needed)
    wilds = cost[1]
    if not wilds:
        return True
    return _covers(left, [w for w in wilds if w[2]], [w for w in wilds if not w[2]])


def _covers(left: list[int], tight: list[Wild], loose: list[Wild]) -> bool:
    if tight:
        count, mask, _ = tight[0]
        for kind in _kinds(mask, len(left)):
            if left[kind] >= count:
                left[kind] -= count
                fits = _covers(left, tight[1:], loose)
                left[kind] += count
                if fits:
                    return True
        return False
    # Hall's condition: any group of wilds asks for no more than the resources that one of them admits.
    for size in range(1, len(loose) + 1):
        for group in combinations(loose, size):
            union = 0
            for _, mask, _ in group:
                union |= mask
            if sum(wild[0] for wild in group) > sum(there for kind, there in enumerate(left) if union >> kind & 1):
                return False
    return True


def placements(
    present: Bag, added: Cost, total: int, each: int, limits: Sequence[int], most: int = ENOUGH
) -> list[Bag]:
    """Every distinct bag that may be kept of `present` and `added` together, each as large as fits.

    Args:
        total: most in all; each: most of any kind; limits: most per kind, or empty. -1 means no limit. What is present
            beyond a limit of its kind stays.
    """
    caps = []
    for kind, there in enumerate(present):
        known = [cap for cap in (each, limits[kind] if limits else -1) if cap >= 0]
        caps.append(max(min(known), there) if known else -1)
    best = 0
    found: set[Bag] = set()
    for bag in expansions(added, most):
        joined = add(present, bag)
        fits = tuple(min(count, cap) if cap >= 0 else count for count, cap in zip(joined, caps, strict=True))
        kept = min(sum(fits), max(total, sum(present))) if total >= 0 else sum(fits)
        if kept > best:
            best, found = kept, set()
        if kept == best:
            found.update(_few(_spread(kept, fits), most))
    return sorted(found, reverse=True)
