"""Figures of games, and their means with intervals.

Enters: rows of a study. Leaves: for each game numbers by `FigureKey`; over games `Measure`s. docs/lab.md defines each
with its source; those of a game's course follow Browne (Automatic generation and evaluation of recombination games,
2008).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt
from statistics import fmean
from typing import NamedTuple

from rulelang.compare import action_name
from rulelang.diagnostics import UsageError, suggest
from rulelang.execution.executor import Executor
from rulelang.lab.statistics import Estimate, Mean
from rulelang.lab.study import Row, share
from rulelang.lab.traces import NOISE, SURE, is_ahead, lead_error
from rulelang.lab.worth import Worth

CLOSE = 0.05
"""Largest margin of a close game, as a part of the best score."""

Value = float | Sequence[float] | Mapping[str, float] | None


BOUNDS: Mapping[str, tuple[float, float]] = {
    "share": (0.0, 1.0), "part": (0.0, 1.0), "difference": (-1.0, 1.0), "count": (0.0, inf), "": (-inf, inf)
}  # fmt: skip
"""Unit -> the least and the greatest value that a game can have."""


class Figure(NamedTuple):
    """What is known of a figure by its name; its words are `name_NAME` of a language, of a test's `says_NAME`.

    Attributes:
        of: what there is one of it for: `` (the game), `seat`, `card`, `action`, `choice` (a card or an action),
            `sample` (all games together), `test`.
        feature: of rows that have it, or ``. unit: of `BOUNDS`; `share` and `part` lie between 0 and 1, a `difference`
            of two such between -1 and 1, a `count` is at least 0, `` any number. All but the last two are shown as
            percentages.
        needs: `parties` (at least two, not all of which win or lose), `rivals` (the same, or one alone), `together`
            (all win or lose), `search` (bots that search) or ``.
        value: computes it from the row of a game: a number, one for each seat, or those of cards or actions by name;
            None where the game has none. It is None itself where single games have none: of `sample` and `test`, of
            what games are compared with each other for.
        everywhere: whether a game that does not name a card or action counts as 0 for it.
    """

    of: str = ""
    feature: str = ""
    unit: str = ""
    needs: str = ""
    value: Callable[[Row], Value] | None = None
    everywhere: bool = True


def _ratio(number: float, total: float) -> float | None:
    return number / total if total else None


def _margin(row: Row) -> float | None:
    """Return the points between the first and the second; None where nobody has any."""
    best, second = sorted(row["scores"], reverse=True)[:2]
    return best - second if any(row["scores"]) else None


def _close(row: Row) -> bool | None:
    margin = _margin(row)
    return None if margin is None else margin <= CLOSE * max(map(abs, sorted(row["scores"])[-2:]))


def _score_lead_changes(row: Row) -> float | None:
    curve = row["curve"]
    scored = len(curve) > 2 and len(curve[0]) > 1 and any(any(point) for point in curve)
    return changes(leading(curve, by_points)) if scored else None


def _drama(row: Row) -> float | None:
    return drama(row["odds"], row["playouts"], row["winners"][0]) if len(row["winners"]) == 1 else None


def _least_lead(row: Row) -> float | None:
    """Return the smallest lead in odds that counts, the mean over positions."""
    least = [
        max(NOISE, SURE * lead_error(first, second, playouts))
        for odds, playouts in zip(row["odds"], row["playouts"], strict=False)
        for first, second in [sorted(odds, reverse=True)[:2]]
    ]
    return fmean(least) if least else None


def _decided(row: Row) -> float | None:
    """Return after which part of the game the winner's lead stays."""
    if len(row["winners"]) != 1:
        return None
    leaders, at = leading(row["odds"], by_odds(row)), row["at"]
    last = max((place for place, leader in enumerate(leaders) if leader != row["winners"][0]), default=-1)
    return at[last + 1] / at[-1] if at[-1] and last + 1 < len(at) else 0.0


FORCED = ("without", "always")
"""Figures of forced play, called like the fields of `Setting`: what a seat loses of the win when it takes a card or an
action only if nothing else is offered; what it gains when it takes it wherever it can."""

FIGURES: Mapping[str, Figure] = {
    "win_share": Figure(
        "seat", unit="share", needs="rivals", value=lambda row: [share(row, n) for n in range(len(row["scores"]))]
    ),
    "score": Figure("seat", value=lambda row: row["scores"]),
    "turns": Figure(unit="count", value=lambda row: row["turns"]),
    "decisions": Figure(unit="count", value=lambda row: row["decisions"]),
    "decisions_per_turn": Figure(unit="count", value=lambda row: _ratio(row["decisions"], row["turns"])),
    "completed": Figure(unit="share", value=lambda row: not row["ended_by_limit"]),
    "drawn": Figure(unit="share", value=lambda row: row["drawn"]),
    "shared": Figure(unit="share", needs="rivals", value=lambda row: len(row["winners"]) > 1),
    "won": Figure(unit="share", needs="together", value=lambda row: bool(row["winners"])),
    "failed": Figure(unit="share", value=lambda _: 0),
    "margin": Figure(unit="count", needs="parties", value=_margin),
    "close": Figure(unit="share", needs="parties", value=_close),
    "branching": Figure(feature="trace", unit="count", value=lambda row: _ratio(row["options"][1], row["options"][0])),
    "forced": Figure(feature="trace", unit="part", value=lambda row: _ratio(row["options"][2], row["options"][0])),
    "gap": Figure("", "trace", "count", "search", lambda row: _ratio(row["looks"][1], row["looks"][0])),
    "gap_noise": Figure("", "trace", "count", "search", lambda row: _ratio(row["looks"][2], row["looks"][0])),
    "narrowness": Figure("", "trace", "part", "search", lambda row: _ratio(row["looks"][3], row["looks"][0])),
    "score_lead_changes": Figure(feature="trace", unit="count", needs="parties", value=_score_lead_changes),
    "taken": Figure(
        "action", "trace", "count", value=lambda row: {name: sum(map(sum, n)) for name, n in row["actions"].items()}
    ),
    "had": Figure("card", "trace", "share", value=lambda row: dict.fromkeys(row["had"], 1)),
    "used": Figure("card", "trace", "share", value=lambda row: dict.fromkeys(row["used"], 1)),
    "picked": Figure(
        "card", "trace", "share", "search", lambda row: {card: n[1] > 0 for card, n in row["cards"].items()}, False
    ),
    "worth": Figure("card", "trace", "difference", "parties"),
    **dict.fromkeys(FORCED, Figure("choice", unit="difference", needs="parties")),
    "lead_changes": Figure("", "odds", "count", "parties", lambda row: changes(leading(row["odds"], by_odds(row)))),
    "drama": Figure("", "odds", "part", "parties", _drama),
    "decided": Figure("", "odds", "part", "parties", _decided),
    "least_lead": Figure("", "odds", "part", "parties", _least_lead),
    "uniformity": Figure("sample", unit="part"),
    "luck": Figure("sample", unit="part"),
    "skill": Figure("sample", unit="difference"),
    **{name: Figure("test", unit="part") for name in "stopped conversion alone met used_so".split()},
    "feedback": Figure("test", unit="difference"),
}
"""All figures, in the order in which they are listed."""
_SIGNS = {"": "scores", "trace": "curve", "odds": "odds"}
"""Feature -> what rows that have it hold."""


def _met_needs(parties: int, together: bool, searching: bool) -> set[str]:
    """Return which needs of figures are met (`Figure.needs`)."""
    needs = {"": True, "rivals": not together, "together": together, "search": searching}
    needs["parties"] = parties > 1 and not together
    return {need for need, is_met in needs.items() if is_met}


def known_measures(executor: Executor, searching: bool) -> dict[str, list[str]]:
    """Return the figures that games have, each with the seats, cards or actions that it is of; none of the game's own.

    Args:
        searching: whether bots that search play.
    """
    layout = executor.layout
    cards, actions = [row.id for kind in executor.program.kinds for row in kind.definitions], declared_actions(executor)
    members = {
        "": [],
        "seat": [str(party) for party in range(layout.parties)],
        "card": cards,
        "action": actions,
        "choice": [*cards, *actions],
    }
    met = _met_needs(layout.parties, layout.together, searching)
    known = {name: figure for name, figure in FIGURES.items() if figure.of in members and figure.needs in met}
    return {name: members[figure.of] for name, figure in known.items() if members[figure.of] or not figure.of}


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
    known = known_measures(executor, searching)
    name, point, of = text.partition(".")
    if name in known and (of in known[name] if point else not (single and known[name])):
        return
    if known.get(name):
        word = FIGURES[name].of
        raise UsageError(f"`{text}` names no {word}: `{name}.{word.upper()}` is of {', '.join(known[name])}")
    forms = [*more, *(f"{name}.{FIGURES[name].of.upper()}" if of else name for name, of in known.items())]
    hint = f"; {near}" if (near := suggest(name, [*more, *known])) else ""
    raise UsageError(f"these games have no measure `{text}`; there are {', '.join(forms)}{hint}")


def declared_actions(executor: Executor) -> list[str]:
    """Return the names of all actions that rules let seats choose."""
    decisions = [decision for decision in executor.program.decisions if decision.ask != "engine"]
    return list(dict.fromkeys(action_name(d, item) for d in decisions for item in range(len(d.items))))


class FigureKey(NamedTuple):
    """The name of a figure, with its seat (-1: the game) and its card or action (or neither)."""

    name: str
    seat: int = -1
    of: str = ""


@dataclass(frozen=True)
class Measure:
    """The mean of a figure over games."""

    key: FigureKey
    estimate: Estimate


def figures(row: Row, together: bool = False) -> dict[FigureKey, float]:
    """Return the figures of one game; of a failed one only that it failed. `together`: all win or all lose."""
    if "error" in row:
        return {FigureKey("failed"): 1.0, FigureKey("completed"): 0.0}
    values: dict[FigureKey, float] = {}
    met = _met_needs(len(row["scores"]), together, True)
    for name, figure in FIGURES.items():
        if figure.value is None or _SIGNS[figure.feature] not in row:
            continue
        value = figure.value(row) if figure.needs in met else None
        if isinstance(value, Mapping):
            values |= {FigureKey(name, -1, of): float(number) for of, number in value.items()}
        elif isinstance(value, Sequence):
            values |= {FigureKey(name, party): float(number) for party, number in enumerate(value)}
        elif value is not None:
            values[FigureKey(name)] = float(value)
    return values


# ---- the course of a game


Ahead = Callable[[int, float, float], bool]
"""Index of a point, values of two parties there -> whether the first is ahead of the second."""


def by_points(_: int, own: float, other: float) -> bool:
    """Return whether a party is ahead by points."""
    return own > other


def by_odds(row: Row) -> Ahead:
    """Return how odds of a game tell who is ahead: surely, where they are estimates."""
    playouts = row["playouts"]
    return lambda place, own, other: is_ahead(own, other, playouts[place] if place < len(playouts) else None)


def leading(curve: Sequence[Sequence[float]], ahead: Ahead) -> list[int]:
    """Return the leader at each point: the one before, until another party is ahead of it; -1 while there is none.

    Args:
        curve: at each point the values of the parties.
    """
    leader, leaders = -1, []
    for place, values in enumerate(curve):
        if values:
            best, *others = sorted(range(len(values)), key=lambda party: -values[party])
            before = others if leader < 0 else [leader]
            if best != leader and all(ahead(place, values[best], values[party]) for party in before):
                leader = best
        leaders.append(leader)
    return leaders


def changes(leaders: Sequence[int]) -> float:
    """Return the number of lead changes."""
    led = [leader for leader in leaders if leader >= 0]
    return float(sum(a != b for a, b in pairwise(led)))


def drama(odds: Sequence[Sequence[float]], playouts: Sequence[int], winner: int) -> float:
    """Return the mean square root of the winner's deficit, over the positions at which it surely was behind; 0 if it
    never was (Browne, 2008).

    Args:
        odds, playouts: of positions; odds behind these are left out.
    """
    roots = [
        sqrt(max(values) - values[winner])
        for values, games in zip(odds, playouts, strict=False)
        if is_ahead(max(values), values[winner], games)
    ]
    return sum(roots) / len(roots) if roots else 0.0


# ---- over games


class Means:
    """The means of all figures, added up game by game. A card or action that a game does not name counts 0 there, if it
    does `everywhere`; any other missing figure is left out.

    Args:
        together: whether all win or lose. players: number of seats; 0: nothing is told of the worth of cards.
    """

    def __init__(self, together: bool = False, players: int = 0) -> None:
        self.games = 0
        self.together = together
        self.worth = Worth(players if not together else 0)
        self._means: dict[FigureKey, Mean] = {}

    def add(self, row: Row) -> dict[FigureKey, float]:
        """Add one more game; return its figures."""
        values = figures(row, self.together)
        self.games += 1
        for key, number in values.items():
            mean = self._means.get(key)
            if mean is None:
                mean = self._means[key] = Mean()
            if key.of and FIGURES[key.name].everywhere:
                mean.skip(self.games - 1 - mean.games)
            mean.add(number)
        if "had" in row:
            self.worth.add(row)
        return values

    def put(self, key: FigureKey, mean: Mean) -> None:
        """Set a figure that compares games with each other."""
        self._means[key] = mean

    def mean(self, key: FigureKey) -> Mean | None:
        """Return the mean of a figure; None if no game has it."""
        if key.name == "worth":
            return self.worth.contrasts.get(key.of)
        mean = self._means.get(key)
        if mean is not None and key.of and FIGURES[key.name].everywhere and FIGURES[key.name].value is not None:
            mean.skip(self.games - mean.games)
        return mean

    def estimate(self, key: FigureKey) -> Estimate | None:
        """Return the mean of a figure with its interval; None if no game has it."""
        mean = self.mean(key)
        return None if mean is None else mean.estimate(*BOUNDS[FIGURES[key.name].unit])

    def measures(self) -> list[Measure]:
        """Return all measures, sorted by key."""
        keys = sorted({*self._means, *(FigureKey("worth", -1, card) for card in self.worth.contrasts)})
        return [Measure(key, estimate) for key in keys if (estimate := self.estimate(key)) is not None]


def measures(rows: Iterable[Row], together: bool = False, players: int = 0) -> list[Measure]:
    """Return the means of all figures of these games; arguments as of `Means`."""
    means = Means(together, players)
    for row in rows:
        means.add(row)
    return means.measures()
