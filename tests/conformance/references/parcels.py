"""Parcels.

Two pebbles (1), a twig (1), a brick (2) and a rock (3) lie in a tray. One is noted: four options, as the pebbles are
alike. Twice they are put into boxes: two or three, none heavier than `limit`. All assignments of numbers to stones are
walked in which a new number is the lowest that is free; of those that put stones that are alike into the same
boxes the first stands for all. The stone that is noted is like no other. With no way to do it all stays; with no
stone at all nothing is asked. Then the content of one box goes away. Outcome: ten times the weight that went, and
the numbers of the boxes of what is left, that of the noted stone twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .tree import Ask, Outcome, enumeration

STONES = ("pebble", "pebble", "twig", "brick", "rock")
WEIGHT = {"pebble": 1, "twig": 1, "brick": 2, "rock": 3}
BOXES = 3


def growing(length: int) -> Iterator[tuple[int, ...]]:
    """Assignments of numbers from 1 on in which each new number is the lowest that is free, in order."""
    if not length:
        yield ()
        return
    for start in growing(length - 1):
        for number in range(1, max(start, default=0) + 2):
            yield (*start, number)


def groupings(names: Sequence[str], limit: int) -> list[tuple[int, ...]]:
    """One assignment for each way to put stones with these names into boxes that may be."""
    firsts: dict[tuple[tuple[str, ...], ...], tuple[int, ...]] = {}
    for numbers in growing(len(names)):
        boxes = [[name for name, at in zip(names, numbers, strict=True) if at == box] for box in set(numbers)]
        firsts.setdefault(tuple(sorted(tuple(sorted(box)) for box in boxes)), numbers)
    found = []
    for numbers in firsts.values():
        weights: Counter[int] = Counter()
        for name, box in zip(names, numbers, strict=True):
            weights[box] += WEIGHT[name.removeprefix("noted ")]
        if 2 <= len(weights) <= BOXES and max(weights.values()) <= limit:
            found.append(numbers)
    return found


def play(ask: Ask, players: int, limit: int) -> Outcome:
    """One game; the outcome is the score."""
    noted = STONES.index(ask.decide(dict.fromkeys(STONES)))
    tray = list(range(len(STONES)))
    box = dict.fromkeys(tray, 0)
    gone = 0
    for _ in range(2):
        names = ["noted " * (stone == noted) + STONES[stone] for stone in tray]
        if tray and (ways := groupings(names, limit)):
            box.update(zip(tray, ask.decide(ways), strict=True))
        if not tray:
            break
        sent = ask.decide(sorted({box[stone] for stone in tray}))
        gone += sum(WEIGHT[STONES[stone]] for stone in tray if box[stone] == sent)
        tray = [stone for stone in tray if box[stone] != sent]
    return (10 * gone + sum(box[stone] * (1 + (stone == noted)) for stone in tray),)


rows, terminal_probabilities = enumeration(play)
