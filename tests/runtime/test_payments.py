"""Costs with wildcards, payments and placements against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import product

from rulelang.runtime import payments as p
from tests.properties import given, settings, st

KINDS = 3
bags = st.tuples(*[st.integers(0, 3)] * KINDS)
wilds = st.tuples(st.integers(1, 3), st.integers(1, 2**KINDS - 1), st.integers(0, 1))
costs = st.builds(
    lambda fixed, parts: (fixed, tuple(sorted(parts))),
    st.tuples(*[st.integers(0, 2)] * KINDS),
    st.lists(wilds, max_size=2),
)
purses = st.lists(bags, min_size=1, max_size=2)


def units(cost: p.Cost) -> set[p.Bag]:
    """Every bag that satisfies the cost, by choosing a resource for each single icon."""
    choices = []
    for count, mask, identical in cost[1]:
        kinds = [kind for kind in range(KINDS) if mask >> kind & 1]
        ways = [(kind,) * count for kind in kinds] if identical else list(product(kinds, repeat=count))
        choices.append(ways)
    found = set()
    for picked in product(*choices):
        counts = Counter(kind for way in picked for kind in way)
        found.add(tuple(cost[0][kind] + counts[kind] for kind in range(KINDS)))
    return found


def within(bag: p.Bag, limit: p.Bag) -> bool:
    return all(a <= b for a, b in zip(bag, limit, strict=True))


@given(costs)
def test_expansions_are_all_ways(cost: p.Cost) -> None:
    """Each distinct bag that satisfies a cost stands once, most of the first resources first."""
    found = p.expansions(cost)
    assert set(found) == units(cost)
    assert found == sorted(set(found), reverse=True)
    assert all(sum(bag) == p.cost_size(cost) for bag in found)


@given(costs, bags)
def test_what_is_missing_is_the_least(cost: p.Cost, held: p.Bag) -> None:
    """As few resources are missing as any bag that satisfies the cost lacks; none if it can be paid."""
    lacks = p.lacking(cost, held)
    assert sum(count for count, _ in lacks) == min(sum(p.subtract(bag, held)) for bag in units(cost))
    assert (not lacks) == p.can_pay(cost, held)


@given(costs.filter(lambda cost: len(cost[1]) < 2), bags, st.integers(0, KINDS - 1))
def test_what_is_missing_is_enough(cost: p.Cost, held: p.Bag, choice: int) -> None:
    """With what is missing, of any of the resources that are named, the cost can be paid."""
    for count, mask in p.lacking(cost, held):
        kinds = [kind for kind in range(KINDS) if mask >> kind & 1]
        kind = kinds[choice % len(kinds)]
        held = tuple(there + count * (kind == other) for other, there in enumerate(held))
    assert p.can_pay(cost, held)


@settings(deadline=None)
@given(costs, purses)
def test_payments_are_all_splits(cost: p.Cost, held: list[p.Bag]) -> None:
    """Each distinct way to take a satisfying bag out of the purses stands once."""
    ranges = [range(count + 1) for purse in held for count in purse]
    wanted = units(cost)
    every = [flat for flat in product(*ranges) if tuple(sum(flat[kind::KINDS]) for kind in range(KINDS)) in wanted]
    found = p.payments(cost, held)
    assert sorted(found) == sorted(every)
    assert p.can_pay(cost, p.holdings(KINDS, held)) == bool(every)


def test_more_than_can_be_taken_makes_no_difference() -> None:
    """Two of the first and one of the first or second: three of the first and one of the second are of use."""
    cost: p.Cost = ((2, 0, 0), ((1, 0b011, 0),))
    assert p.payments(cost, [(3, 1, 0)]) == p.payments(cost, [(9, 4, 7)]) == [(3, 0, 0), (2, 1, 0)]


@settings(deadline=None)
@given(
    bags,
    st.one_of(costs),
    st.integers(-1, 6),
    st.integers(-1, 4),
    st.one_of(st.just(()), st.tuples(*[st.integers(-1, 4)] * KINDS)),
)
def test_placements_keep_as_much_as_fits(
    present: p.Bag, added: p.Cost, total: int, each: int, limits: tuple[int, ...]
) -> None:
    """Whichever bag is added, every bag of it and of what is there that is as large as the limits let stands once."""
    left: set[p.Bag] = set()
    caps = [[c for c in (each, limits[kind] if limits else -1) if c >= 0] for kind in range(KINDS)]
    for extra in units(added):
        joined = p.add(present, extra)
        ways = [
            bag
            for bag in product(*(range(count + 1) for count in joined))
            if all(not c or bag[kind] <= max(min(c), present[kind]) for kind, c in enumerate(caps))
            if total < 0 or sum(bag) <= max(total, sum(present))
        ]
        most = max(map(sum, ways))
        left.update(bag for bag in ways if sum(bag) == most)
    assert p.placements(present, added, total, each, limits) == sorted(left, reverse=True)


@given(costs, bags)
def test_a_discount_pays_part_of_the_cost(cost: p.Cost, discount: p.Bag) -> None:
    """A lowered cost is never larger, and lowering a cost without wilds is subtraction per kind."""
    lower = p.cost_subtract(cost, discount)
    assert p.cost_size(lower) >= p.cost_size(cost) - sum(discount)
    assert p.cost_size(lower) <= p.cost_size(cost)
    assert p.cost_subtract((cost[0], ()), discount) == (p.subtract(cost[0], discount), ())


@given(costs, costs)
def test_costs_add_up(a: p.Cost, b: p.Cost) -> None:
    """What satisfies a sum is what satisfies its parts together."""
    both = {p.add(x, y) for x in units(a) for y in units(b)}
    assert set(p.expansions(p.cost_add(a, b))) == both


@given(costs, costs, costs, bags)
def test_one_of_several_costs(a: p.Cost, b: p.Cost, c: p.Cost, bag: p.Bag) -> None:
    """What satisfies one of them; sums and differences are those of each; equal ones are one, in any order."""
    a, b = p.either(a), p.either(b)
    both = p.either(a, b)
    assert p.expansions(both) == sorted({*p.expansions(a), *p.expansions(b)}, reverse=True)
    assert p.can_pay(both, bag) == (p.can_pay(a, bag) or p.can_pay(b, bag)) == (p.lacking(both, bag) == [])
    assert p.either(p.cost_add(both, c)) == p.either(p.cost_add(a, c), p.cost_add(b, c))
    assert p.either(p.cost_subtract(both, bag)) == p.either(p.cost_subtract(a, bag), p.cost_subtract(b, bag))
    assert p.either(both, c) == p.either(c, b, a)
    assert p.cost_size(both) == min(p.cost_size(a), p.cost_size(b))


@given(costs)
def test_twice_a_cost_is_the_cost_added_to_itself(cost: p.Cost) -> None:
    """Scaling agrees with adding; zero times is nothing."""
    assert p.cost_scale(2, cost) == p.cost_add(cost, cost)
    assert p.cost_scale(0, cost) == ((0,) * KINDS, ())
    assert p.cost_scale(1, cost) == p.cost_add(cost, ((0,) * KINDS, ()))


def test_wild_masks() -> None:
    """A wild's mask is a bit for each resource that it admits; none of it is no wild."""
    assert p.make_wild(3, 2, (1, 0, 1), 1) == ((0, 0, 0), ((2, 5, 1),))
    assert p.make_wild(3, 0, (1, 0, 1), 1) == ((0, 0, 0), ())
