"""Figures of games, and their means with intervals.

Enters: rows of a study. Leaves: for each game numbers by `Key`; over games `Measure`s. What each is and where it comes
from stands in docs/lab.md; those of a game's course follow Browne (Automatic generation and evaluation of recombination
games, 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from rulelang.lab.statistics import Estimate, Mean
from rulelang.lab.study import Row, share

CLOSE = 0.05
"""A game is close if the second is behind by at most this part of the best score."""
NOISE = 0.15
"""By less than this, which two estimates of chances often differ by luck, nobody takes the lead from another."""
SHARES = frozenset(("win_share", "completed", "drawn", "shared", "close", "had", "used", "failed"))
"""Figures between 0 and 1 whose intervals are Wilson's."""


class Key(NamedTuple):
    """What a figure is of: a seat (-1: the game), a card or an action (or neither)."""

    name: str
    seat: int = -1
    of: str = ""


@dataclass(frozen=True)
class Measure:
    """The mean of a figure over games."""

    key: Key
    estimate: Estimate


def figures(row: Row) -> dict[Key, float]:
    """Return the figures of one game; of one in which a rule went wrong only that it did."""
    if "error" in row:
        return {Key("failed"): 1.0, Key("completed"): 0.0}
    scores: list[int] = row["scores"]
    parties = range(len(scores))
    found = {
        **{Key("win_share", party): share(row, party) for party in parties},
        **{Key("score", party): float(scores[party]) for party in parties},
        Key("turns"): float(row["turns"]),
        Key("decisions"): float(row["decisions"]),
        Key("completed"): float(not row["ended_by_limit"]),
        Key("drawn"): float(row["drawn"]),
        Key("shared"): float(len(row["winners"]) > 1),
        Key("failed"): 0.0,
    }
    if row["turns"]:
        found[Key("decisions_per_turn")] = row["decisions"] / row["turns"]
    if len(scores) > 1:
        best, second = sorted(scores, reverse=True)[:2]
        if any(scores):
            found[Key("margin")] = float(best - second)
            found[Key("close")] = float(best - second <= CLOSE * max(abs(best), abs(second)))
    if "curve" in row:
        found |= _of_trace(row)
    if "odds" in row and len(scores) > 1:
        found |= _of_odds(row)
    return found


def _of_trace(row: Row) -> dict[Key, float]:
    decisions, options, forced = row["options"]
    found: dict[Key, float] = {}
    if decisions:
        found[Key("branching")] = options / decisions
        found[Key("forced")] = forced / decisions
    searched, gap, near = row["looks"]
    if searched:
        found[Key("gap")] = gap / searched
        found[Key("narrowness")] = near / searched
    curve = row["curve"]
    if len(curve) > 2 and len(curve[0]) > 1 and any(any(point) for point in curve):
        leaders = leading(curve, 0)
        found[Key("score_lead_changes")] = changes(leaders)
    for name, seats in row["actions"].items():
        found[Key("taken", -1, name)] = float(sum(map(sum, seats)))
    for name in row["had"]:
        found[Key("had", -1, name)] = 1.0
    for name in row["used"]:
        found[Key("used", -1, name)] = 1.0
    return found


def _of_odds(row: Row) -> dict[Key, float]:
    odds = row["odds"]
    leaders = leading(odds, NOISE)
    found = {Key("lead_changes"): changes(leaders)}
    if len(row["winners"]) == 1:
        winner = row["winners"][0]
        found[Key("drama")] = drama(odds[:-1], winner)
        last = max((place for place, leader in enumerate(leaders) if leader != winner), default=-1)
        at = row["at"]
        found[Key("decided")] = at[last + 1] / at[-1] if at[-1] and last + 1 < len(at) else 0.0
    return found


# ---- the course of a game


def leading(curve: Sequence[Sequence[float]], slack: float) -> list[int]:
    """Return who leads at each point: who led before, until another is ahead by more than `slack`; -1 while none is."""
    leader, leaders = -1, []
    for values in curve:
        if values:
            best = max(range(len(values)), key=lambda party: values[party])
            others = [value for party, value in enumerate(values) if party != (best if leader < 0 else leader)]
            if leader < 0:
                if values[best] > max(others) + slack:
                    leader = best
            elif values[best] > values[leader] + slack:
                leader = best
        leaders.append(leader)
    return leaders


def changes(leaders: Sequence[int]) -> float:
    """Lead changes: how often another party takes the lead."""
    led = [leader for leader in leaders if leader >= 0]
    return float(sum(a != b for a, b in pairwise(led)))


def drama(odds: Sequence[Sequence[float]], winner: int) -> float:
    """Return the mean, over the positions at which the later winner was behind, of the root of how much; 0 if it never
    was."""
    behind = [max(values) - values[winner] for values in odds]
    roots = [sqrt(value) for value in behind if value > 0]
    return sum(roots) / len(roots) if roots else 0.0


# ---- over games


class Means:
    """The means of all figures, added up as games come. A card or action that a game does not name counts 0 there; any
    other figure that a game does not have is left out."""

    def __init__(self) -> None:
        self.games = 0
        self._means: dict[Key, Mean] = {}

    def add(self, row: Row) -> dict[Key, float]:
        """Add one more game; return its figures."""
        found = figures(row)
        self.games += 1
        for key, value in found.items():
            mean = self._means.get(key)
            if mean is None:
                mean = self._means[key] = Mean()
            if key.of and mean.games < self.games - 1:
                mean.skip(self.games - 1 - mean.games)
            mean.add(value)
        return found

    def mean(self, key: Key) -> Mean | None:
        """Return the mean of a figure as it is added up."""
        return self._means.get(key)

    def estimate(self, key: Key) -> Estimate | None:
        """Return the mean of a figure; None if no game has it."""
        mean = self._means.get(key)
        if mean is None:
            return None
        if key.of:
            mean.skip(self.games - mean.games)
        return mean.share() if key.name in SHARES else mean.estimate()

    def measures(self) -> list[Measure]:
        """Return all of them, in order."""
        keys = sorted(self._means)
        return [Measure(key, estimate) for key in keys if (estimate := self.estimate(key)) is not None]


def measures(rows: Iterable[Row]) -> list[Measure]:
    """Return the means of all figures of these games."""
    means = Means()
    for row in rows:
        means.add(row)
    return means.measures()
