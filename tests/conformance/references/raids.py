"""Raids.

Each of two or three players has 1 gold and 1 wool and room for 2 of each; more is lost. In turn, twice each: gather
a gold or a wool, or steal from another player two goods of one's choice (fewer if there are fewer; no question when
there are none). Then those with the most gold share 6 points rounded down, those with the most wool 4; who has none
gets nothing. Outcome: points.
"""

from __future__ import annotations

from .bags import Bag, bag, minus, plus, sub_bags
from .tree import Ask, Outcome, best, enumeration


def fitting(shed: Bag) -> Bag:
    """The shed without what is more than two of a good."""
    return bag(*(good for good in ("gold", "wool") for _ in range(min(2, shed.count(good)))))


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    sheds = [bag("gold", "wool") for _ in range(players)]
    for turn in range(2 * players):
        seat = turn % players
        options: list[str | int] = ["gold", "wool", *(other for other in range(players) if other != seat)]
        chosen = ask.decide(options)
        if isinstance(chosen, str):
            gained = bag(chosen)
        else:
            size = min(2, len(sheds[chosen]))
            gained = ask.decide(sub_bags(sheds[chosen], size)) if size else ()
            sheds[chosen] = minus(sheds[chosen], gained)
        sheds[seat] = fitting(plus(sheds[seat], gained))
    points = [0] * players
    for good, prize in (("gold", 6), ("wool", 4)):
        amounts = [shed.count(good) for shed in sheds]
        if max(amounts):
            for seat in best(amounts):
                points[seat] += prize // len(best(amounts))
    return tuple(points)


rows, terminal_probabilities = enumeration(play)
