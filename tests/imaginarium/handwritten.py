"""Some rules of Imaginarium in plain Python, written from the rulebook alone, to compare the ruleset with.

Enters: machines by their codes, goods as counts. Leaves: which machines may share a place, all regroupings, what places
could make, the ways to pay for a machine, what a theft leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

RAW = ("wood", "copper", "crystal")
GOODS = (*RAW, "coal")

Group = tuple[str, ...]
Goods = Counter[str]

COPIES = {
    "P1": 8, "P2": 7, "P3": 6, "P4": 4, "P5": 2, "P6": 2, "T1": 3, "T2": 3, "T3": 3, "T4": 3, "A1": 2, "A2": 2, "A3": 2,
    "A4": 2, "A5": 1, "A6": 1, "D1": 2, "D2": 2, "D3": 2, "S1": 1, "S2": 3,
}  # fmt: skip
# Multipliers of what may be doubled or tripled (imaginarium-fr:571-666, 762).
MOST = {"P1": 3, "P2": 3, "P3": 3, "P4": 3, "P6": 2, "T1": 2, "T2": 2, "T3": 2, "T4": 3, "S2": 2}
# imaginarium-fr:585, 595, 605, 611, 621.
COMBINED = {
    ("P2", "T1"), ("P3", "T1"), ("P4", "T1"), ("P6", "T1"), ("P2", "T2"), ("P4", "T2"), ("P2", "T3"), ("P3", "T3"),
    ("P5", "T4"),
}  # fmt: skip
MADE = {"P2": "wood", "P3": "copper", "P4": "crystal"}
TURNED = {"T2": "copper", "T3": "crystal"}
STOLEN = {"A1": ("coal", 3), "A2": ("wood", 3), "A3": ("copper", 2), "A4": ("crystal", 2)}
"""What is stolen, and how much (imaginarium-fr:674-702)."""


def legal(group: Group) -> bool:
    """Whether these machines, in the order of their codes, may share a place (imaginarium-fr:296-324)."""
    if len(group) == 1 or all(machine[0] == "D" for machine in group):
        return True
    if len(set(group)) == 1:
        return len(group) <= MOST.get(group[0], 1)
    return group in COMBINED


def regroupings(machines: Sequence[str], places: int) -> set[tuple[Group, ...]]:
    """All distinct ways to put machines into so many places at most (imaginarium-fr:294)."""
    found: set[tuple[Group, ...]] = set()

    def put(left: Sequence[str], groups: list[list[str]]) -> None:
        if not left:
            found.add(tuple(sorted(tuple(sorted(group)) for group in groups)))
            return
        for number in range(len(groups)):
            put(left[1:], [[*group, left[0]] if n == number else group for n, group in enumerate(groups)])
        put(left[1:], [*groups, [left[0]]])

    put(machines, [])
    return {groups for groups in found if len(groups) <= places and all(map(legal, groups))}


def _makes(group: Group) -> list[Goods]:
    """What a place could make of resources, each choice once."""
    first, last = group[0], group[-1]
    if first in MADE and last == first:
        return [Counter({MADE[first]: (1, 3, 5)[len(group) - 1]})]
    if group == ("P5",):
        return [Counter(wood=1, copper=1)]
    if first == "P6" and last == first:
        return [Counter({good: (1, 3)[len(group) - 1]}) for good in RAW]
    if group in COMBINED and last in TURNED:
        return [Counter({TURNED[last]: 1})]
    return [Counter()]


def goals(groups: Sequence[Group]) -> set[str]:
    """Which of the three "could generate" projects a workshop meets (imaginarium-fr:808-816)."""
    met = set()
    for choice in product(*map(_makes, groups)):
        made = sum(choice, Counter[str]())
        kinds = [good for good in RAW if made[good]]
        met |= {"project_six_goods"} if made.total() >= 6 and len(kinds) >= 2 else set()
        met |= {"project_one_of_each"} if len(kinds) == 3 else set()
        met |= {"project_three_alike"} if max(made.values(), default=0) >= 3 else set()
    return met


def payments(price: int, goods: Goods) -> Iterator[Goods]:
    """What is left for each way to pay; none if the machine is lost (imaginarium-fr:215)."""
    coal = min(price, goods["coal"])
    lacking = 2 * (price - coal)
    for wood, copper in product(range(goods["wood"] + 1), range(goods["copper"] + 1)):
        crystal = lacking - wood - copper
        if 0 <= crystal <= goods["crystal"]:
            yield goods - Counter(wood=wood, copper=copper, crystal=crystal, coal=coal)


def robbed(thief: str, seat: int, held: Mapping[int, Goods], defences: Mapping[int, Sequence[str]]) -> dict[int, Goods]:
    """What each has after a theft (imaginarium-fr:674-702, 728-740)."""
    good, most = STOLEN[thief]
    left, given = {other: goods.copy() for other, goods in held.items()}, 0
    for other in held:
        safe = {"D3", "D1" if good == "coal" else "D2"}
        if other != seat and not safe & set(defences.get(other, ())):
            gone = min(most, left[other][good])
            left[other][good] -= gone
            given += gone
    left[seat][good] += min(most, given)
    return left
