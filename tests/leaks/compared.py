"""Pairs of states that a seat can't tell apart, and under which names what leaves for it differs.

Enters: a ruleset, a generator of random numbers. Leaves: counts by name; empty where nothing leaks.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import rulelang
from rulelang.game import State
from rulelang.runtime.sight import SPECTATOR
from tests.leaks.histories import alike, histories
from tests.leaks.outgoing import differing, outgoing, sampled

WIDTH, DEPTH, PAIRS = 16, 14, 4
"""Histories of each length, the greatest length, and pairs of each seat, that are looked at."""


def written(folder: Path, text: str) -> rulelang.Ruleset:
    """A ruleset of this text."""
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def pairs(
    ruleset: rulelang.Ruleset, dice: random.Random, width: int = WIDTH, depth: int = DEPTH, most: int = PAIRS
) -> list[tuple[int, State, State]]:
    """Seats with two states that they can't tell apart, both at chance or neither; of each seat at most so many."""
    states = histories(ruleset, 2, dice, width, depth)
    found = []
    for seat in (0, 1, SPECTATOR):
        groups = [group for group in alike(states, seat) if group[0].is_chance_node() == group[-1].is_chance_node()]
        found += [(seat, group[0], group[-1]) for group in dice.sample(groups, min(most, len(groups)))]
    return found


def leaks(ruleset: rulelang.Ruleset, seed: int, backend: str = "interpreter", **bounds: int) -> Counter[str]:
    """Under which names what leaves for a seat differs in pairs of a ruleset's states, how often; `pairs` of them all.

    Args:
        backend: of searches; None: nothing is sampled.
    """
    found: Counter[str] = Counter()
    for seat, a, b in pairs(ruleset, random.Random(seed), **bounds):
        found["pairs"] += 1
        found.update(differing(outgoing(a, seat), outgoing(b, seat)))
        if seat != SPECTATOR:
            found.update(differing(sampled(a, seat, backend), sampled(b, seat, backend)))
    return found
