"""Payments.

Each player has a shed (2 nut, 1 oil, 1 energy) and a store (1 nut, 1 circuit, 1 energy) and pays from both. In
turn, twice each: build one of the plans left that one can pay, or pass. Base parts: nut, oil, circuit. Barn: any 2
base. Cart: 2 identical base. Lamp: 1 energy and 1 (nut or oil), without the energy for the owner of the cart. Duct:
1 circuit and 1 (nut or energy). Which parts go, and from which of the two, is a question if there are two or more
results. At the end, in turn, each player pays 1 energy if there is one, for 1 point. Outcome: worth of the plans
and that point.
"""

from __future__ import annotations

from functools import cache

from .bags import Bag, bag, minus, plus, sub_bags
from .tree import Ask, Outcome, enumeration

WORTH = {"barn": 2, "cart": 3, "lamp": 3, "duct": 4}
BASE = ("nut", "oil", "circuit")


def payments(plan: str, has_cart: bool) -> frozenset[Bag]:
    """Every bag of parts that pays for the plan."""
    if plan == "barn":
        return frozenset(bag(one, other) for one in BASE for other in BASE)
    if plan == "cart":
        return frozenset(bag(part, part) for part in BASE)
    if plan == "duct":
        return frozenset({bag("circuit", "nut"), bag("circuit", "energy")})
    return frozenset(bag(part) if has_cart else bag("energy", part) for part in ("nut", "oil"))


@cache
def results(purses: tuple[Bag, Bag], costs: frozenset[Bag]) -> list[tuple[Bag, Bag]]:
    """What may be left in both purses after paying one of the bags."""
    ones, others = ([part for size in range(3) for part in sub_bags(purse, size)] for purse in purses)
    left = [
        (minus(purses[0], one), minus(purses[1], other))
        for one in ones
        for other in others
        if plus(one, other) in costs
    ]
    return list(dict.fromkeys(left))


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    purses = [(bag("nut", "nut", "oil", "energy"), bag("nut", "circuit", "energy")) for _ in range(players)]
    built: list[list[str]] = [[] for _ in range(players)]
    plans = list(WORTH)
    for turn in range(2 * players):
        seat = turn % players
        costs = {plan: payments(plan, "cart" in built[seat]) for plan in plans}
        plan = ask.decide(["pass", *(plan for plan in plans if results(purses[seat], costs[plan]))])
        if plan != "pass":
            purses[seat] = ask.question(results(purses[seat], costs[plan]))
            plans.remove(plan)
            built[seat].append(plan)
    scores = []
    for seat in range(players):
        left = results(purses[seat], frozenset({bag("energy")}))
        if left:
            purses[seat] = ask.question(left)
        scores.append(sum(WORTH[plan] for plan in built[seat]) + bool(left))
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
