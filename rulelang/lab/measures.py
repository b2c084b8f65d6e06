"""Figures of games, and their means with intervals.

Enters: rows of a study. Leaves: for each game numbers by `Key`; over games `Measure`s. docs/lab.md defines each with
its source; those of a game's course follow Browne (Automatic generation and evaluation of recombination games, 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import NamedTuple

from rulelang.compare import action_name
from rulelang.diagnostics import UsageError, suggest
from rulelang.execution.executor import Executor
from rulelang.lab.statistics import Estimate, Mean
from rulelang.lab.study import Row, share

CLOSE = 0.05
"""Largest margin of a close game, as a part of the best score."""
NOISE = 0.15
"""Difference of odds that a party needs to take the lead: two estimates often differ by less by luck."""


class Sort(NamedTuple):
    """What is known of a figure of games by its name.

    Attributes:
        of: what there is one of it for: `` (the game), `seat`, `card` or `action`. feature: of rows that have it, or
            ``. unit: `share` (between 0 and 1, Wilson's interval), `part` (between 0 and 1) or `` (a number).
        needs: `parties` (at least two), `search` (bots that search) or ``.
    """

    of: str = ""
    feature: str = ""
    unit: str = ""
    needs: str = ""


SORTS: Mapping[str, Sort] = {
    "win_share": Sort("seat", unit="share"),
    "score": Sort("seat"),
    "turns": Sort(),
    "decisions": Sort(),
    "decisions_per_turn": Sort(),
    "completed": Sort(unit="share"),
    "drawn": Sort(unit="share"),
    "shared": Sort(unit="share"),
    "failed": Sort(unit="share"),
    "margin": Sort(needs="parties"),
    "close": Sort(unit="share", needs="parties"),
    "branching": Sort(feature="trace"),
    "forced": Sort(feature="trace", unit="part"),
    "gap": Sort(feature="trace", needs="search"),
    "narrowness": Sort(feature="trace", unit="part", needs="search"),
    "score_lead_changes": Sort(feature="trace", needs="parties"),
    "taken": Sort("action", "trace"),
    "had": Sort("card", "trace", "share"),
    "used": Sort("card", "trace", "share"),
    "lead_changes": Sort(feature="odds", needs="parties"),
    "drama": Sort(feature="odds", needs="parties"),
    "decided": Sort(feature="odds", unit="part", needs="parties"),
}
"""All figures of games, in the order in which they are listed."""


def check_measure(executor: Executor, text: str, searching: bool, single: bool, more: Sequence[str] = ()) -> None:
    """Check that games have the measure that a text names: a figure, and with a point its seat, card or action.

    Args:
        searching: whether bots that search play. single: whether it must be one measure: no `used` of all cards.
        more: further names.

    Raises:
        UsageError: they have not; the message lists those that there are.
    """
    if text in more:
        return
    layout = executor.layout
    members = {
        "": [],
        "seat": [str(party) for party in range(layout.parties)],
        "card": [row.id for kind in executor.program.kinds for row in kind.definitions],
        "action": declared_actions(executor),
    }
    had = {"": True, "parties": layout.parties > 1, "search": searching}
    known = {name: sort for name, sort in SORTS.items() if had[sort.needs] and (members[sort.of] or not sort.of)}
    name, point, of = text.partition(".")
    if name in known and (of in members[known[name].of] if point else not (single and known[name].of)):
        return
    if name in known and known[name].of:
        word = known[name].of
        raise UsageError(f"`{text}` names no {word}: `{name}.{word.upper()}` is of {', '.join(members[word])}")
    forms = [*more, *(f"{name}.{sort.of.upper()}" if sort.of else name for name, sort in known.items())]
    hint = f"; {near}" if (near := suggest(name, [*more, *known])) else ""
    raise UsageError(f"these games have no measure `{text}`; there are {', '.join(forms)}{hint}")


def declared_actions(executor: Executor) -> list[str]:
    """Return the names of all actions that rules let seats choose."""
    decisions = [decision for decision in executor.program.decisions if decision.ask != "engine"]
    return list(dict.fromkeys(action_name(d, item) for d in decisions for item in range(len(d.items))))


class Key(NamedTuple):
    """The name of a figure, with its seat (-1: the game) and its card or action (or neither)."""

    name: str
    seat: int = -1
    of: str = ""


@dataclass(frozen=True)
class Measure:
    """The mean of a figure over games."""

    key: Key
    estimate: Estimate


def figures(row: Row) -> dict[Key, float]:
    """Return the figures of one game; of a failed one only that it failed."""
    if "error" in row:
        return {Key("failed"): 1.0, Key("completed"): 0.0}
    scores: list[int] = row["scores"]
    parties = range(len(scores))
    values = {
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
        values[Key("decisions_per_turn")] = row["decisions"] / row["turns"]
    if len(scores) > 1:
        best, second = sorted(scores, reverse=True)[:2]
        if any(scores):
            values[Key("margin")] = float(best - second)
            values[Key("close")] = float(best - second <= CLOSE * max(abs(best), abs(second)))
    if "curve" in row:
        values |= _trace_figures(row)
    if "odds" in row and len(scores) > 1:
        values |= _odds_figures(row)
    return values


def _trace_figures(row: Row) -> dict[Key, float]:
    """Return the figures of the feature `trace`: options, searches, leads, actions, cards."""
    decisions, options, forced = row["options"]
    values: dict[Key, float] = {}
    if decisions:
        values[Key("branching")] = options / decisions
        values[Key("forced")] = forced / decisions
    searched, gap, near = row["looks"]
    if searched:
        values[Key("gap")] = gap / searched
        values[Key("narrowness")] = near / searched
    curve = row["curve"]
    if len(curve) > 2 and len(curve[0]) > 1 and any(any(point) for point in curve):
        leaders = leading(curve, 0)
        values[Key("score_lead_changes")] = changes(leaders)
    for name, seats in row["actions"].items():
        values[Key("taken", -1, name)] = float(sum(map(sum, seats)))
    for name in row["had"]:
        values[Key("had", -1, name)] = 1.0
    for name in row["used"]:
        values[Key("used", -1, name)] = 1.0
    return values


def _odds_figures(row: Row) -> dict[Key, float]:
    """Return the figures of the feature `odds`: lead changes, drama, when the game was decided."""
    odds = row["odds"]
    leaders = leading(odds, NOISE)
    values = {Key("lead_changes"): changes(leaders)}
    if len(row["winners"]) == 1:
        winner = row["winners"][0]
        values[Key("drama")] = drama(odds[:-1], winner)
        last = max((place for place, leader in enumerate(leaders) if leader != winner), default=-1)
        at = row["at"]
        values[Key("decided")] = at[last + 1] / at[-1] if at[-1] and last + 1 < len(at) else 0.0
    return values


# ---- the course of a game


def leading(curve: Sequence[Sequence[float]], slack: float) -> list[int]:
    """Return the leader at each point: the one before, until another party is ahead by more than `slack`; -1 while
    there is none.

    Args:
        curve: at each point the values of the parties.
    """
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
    """Return the number of lead changes."""
    led = [leader for leader in leaders if leader >= 0]
    return float(sum(a != b for a, b in pairwise(led)))


def drama(odds: Sequence[Sequence[float]], winner: int) -> float:
    """Return the mean square root of the winner's deficit, over the positions at which it was behind; 0 if it never was
    (Browne, 2008)."""
    behind = [max(values) - values[winner] for values in odds]
    roots = [sqrt(value) for value in behind if value > 0]
    return sum(roots) / len(roots) if roots else 0.0


# ---- over games


class Means:
    """The means of all figures, added up game by game. A card or action that a game does not name counts 0 there; any
    other missing figure is left out."""

    def __init__(self) -> None:
        self.games = 0
        self._means: dict[Key, Mean] = {}

    def add(self, row: Row) -> dict[Key, float]:
        """Add one more game; return its figures."""
        values = figures(row)
        self.games += 1
        for key, number in values.items():
            mean = self._means.get(key)
            if mean is None:
                mean = self._means[key] = Mean()
            if key.of and mean.games < self.games - 1:
                mean.skip(self.games - 1 - mean.games)
            mean.add(number)
        return values

    def mean(self, key: Key) -> Mean | None:
        """Return the running mean of a figure; None if no game has it."""
        return self._means.get(key)

    def estimate(self, key: Key) -> Estimate | None:
        """Return the mean of a figure with its interval; None if no game has it."""
        mean = self._means.get(key)
        if mean is None:
            return None
        if key.of:
            mean.skip(self.games - mean.games)
        return mean.share() if SORTS[key.name].unit == "share" else mean.estimate()

    def measures(self) -> list[Measure]:
        """Return all measures, sorted by key."""
        keys = sorted(self._means)
        return [Measure(key, estimate) for key in keys if (estimate := self.estimate(key)) is not None]


def measures(rows: Iterable[Row]) -> list[Measure]:
    """Return the means of all figures of these games."""
    means = Means()
    for row in rows:
        means.add(row)
    return means.measures()
