"""Plays a ruleset with several values of its figures, on the same seeds: sweeps, and the search for targets.

Enters: a study, a setting, variations. Leaves: a `Point` for each combination of values, with its measures and their
differences to the unchanged ruleset; `Tuned`, the values that meet targets best, and an overlay with them.

Games of one number have the same seed at all points (common random numbers): the luck that two points share cancels in
their difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from rulelang.agents.bots import bot_spec
from rulelang.diagnostics import RulesetError, UsageError, counted
from rulelang.lab.figures import Variation, VariedValue, overlay, write_overlay
from rulelang.lab.measures import (
    FIGURES,
    FORCED,
    FigureKey,
    Means,
    Measure,
    check_measure,
    declared_actions,
    figures,
)
from rulelang.lab.statistics import LEVEL, RESAMPLES, Mean
from rulelang.lab.study import Row, Setting, Study, forced_gains, forced_settings, share
from rulelang.lab.targets import SEATS, Target, miss
from rulelang.lab.traces import FEATURES
from rulelang.lab.tuning import Measured, Search
from rulelang.lab.tuning import Point as Index
from rulelang.results import arrow

MOST_POINTS = 10_000
GROUPS = 20
"""Groups of games that the bootstrap of the best points draws from."""
FRESH = 0x5EED
"""Added to the seed for games that played no part in the choice of values."""


@dataclass(frozen=True)
class Point:
    """A ruleset with certain values of its figures.

    Attributes:
        values: by the names of figures. measures: over its games. differences: to the unchanged ruleset, game by game.
        miss: distance from the targets, in widths of their ranges; None without targets. best: whether no other point
            is surely nearer to the targets.
    """

    players: int
    values: Mapping[str, str]
    measures: tuple[Measure, ...]
    differences: tuple[Measure, ...]
    miss: float | None = None
    best: bool = False

    @property
    def means(self) -> dict[tuple[str, int, str], float]:
        """Return the means of all measures, and of the seats' leads in the share of wins."""
        shares = {m.key.seat: m.estimate.value for m in self.measures if m.key.name == "win_share"}
        more = {(SEATS, seat, ""): share - shares[self.players - 1] for seat, share in shares.items()}
        return more | {(m.key.name, m.key.seat, m.key.of): m.estimate.value for m in self.measures}

    def to_rows(self) -> list[dict[str, object]]:
        """Return a row for each measure, for tables: values of figures, name, value and interval."""
        own = {"miss": self.miss, "best": self.best}
        measures = ({**m.key._asdict(), **asdict(m.estimate)} for m in self.measures)
        return [{**self.values, **row, **own} for row in measures]

    def to_json(self) -> dict[str, object]:
        """Return the point as JSON-able values."""
        estimates = {
            name: [{**measure.key._asdict(), **asdict(measure.estimate)} for measure in measures]
            for name, measures in (("measures", self.measures), ("differences", self.differences))
        }
        return {"values": dict(self.values), **estimates, "miss": self.miss, "best": self.best}


def features(targets: Sequence[Target], measures: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the features of rows that these targets and measures need."""
    names = {target.name.partition(".")[0] for target in targets} | {name.partition(".")[0] for name in measures}
    needed = {FIGURES[name].feature for name in names if name in FIGURES}
    return tuple(feature for feature in FEATURES if feature in needed)


def to_arrow(points: Sequence[Point]) -> Any:
    """Return all measures of all points as an Arrow table.

    Raises:
        UsageError: pyarrow is missing.
    """
    return arrow("a table of points").Table.from_pylist([row for point in points for row in point.to_rows()])


class Aggregate:
    """The measures of some games, and each seat's lead over the last one in the share of wins.

    Attributes:
        forced: figures of forced play, as far as their games were added (`add_forced`).
    """

    def __init__(self, players: int, together: bool = False) -> None:
        self.means, self._ahead = Means(together, players), [Mean() for _ in range(players - 1)]
        self.forced: dict[FigureKey, Mean] = {}

    def add(self, row: Row) -> None:
        """Add one more game."""
        self.means.add(row)
        if "error" not in row:
            for seat, mean in enumerate(self._ahead):
                mean.add(share(row, seat) - share(row, len(self._ahead)))

    def add_forced(self, key: FigureKey, value: float) -> None:
        """Add a pair of games, one of which was forced play."""
        self.means.put(key, self.forced.setdefault(key, Mean()))
        self.forced[key].add(value)

    def mean(self, key: tuple[str, int, str]) -> Mean | None:
        """Return the mean of a measure; None if no game has it."""
        if key[0] == SEATS:
            return self._ahead[key[1]]
        return self.means.mean(FigureKey(*key))


class SweptField:
    """Points around a ruleset, played on demand; a context manager.

    Args:
        variations: the figures with their values. Each value is checked alone on entry, before games are played.
    """

    def __init__(self, study: Study, setting: Setting, variations: Sequence[Variation]) -> None:
        self.study, self.base, self.variations = study, setting, tuple(variations)
        self._folder = TemporaryDirectory(prefix="rulelang-points-")
        self.executor = study.executor(setting)
        self.players = self.executor.layout.players
        self._aggregates: dict[Setting, Aggregate] = {}
        self._forced: tuple[FigureKey, ...] = ()

    def __enter__(self) -> SweptField:
        try:
            for variation in self.variations:
                for value in variation.values:
                    self._check_values({variation.figure: value})
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def _check_values(self, values: Mapping[VariedValue, str]) -> None:
        """Load the ruleset with these values.

        Raises:
            UsageError: it has errors.
        """
        try:
            self.study.ruleset(self.setting(values))
        except RulesetError as error:
            said = next((d.message for d in error.diagnostics if d.severity == "error"), str(error))
            raise UsageError(f"{', '.join(f'{f.name}={v}' for f, v in values.items())} can't be: {said}") from None

    def check_measures(self, targets: Sequence[Target], shown: Sequence[str] = ()) -> None:
        """Check the names of targets, and of measures to be shown, before games are played.

        Raises:
            UsageError: games have no such measure.
        """
        searching = any(bot_spec(bot).kind == "mcts" for bot in self.base.bots)
        for names, single, more in (([target.name for target in targets], True, (SEATS,)), (shown, False, ())):
            for name in names:
                check_measure(self.executor, name, searching, single, more)
        named = (name.partition(".") for name in (*(target.name for target in targets), *shown))
        forced = [(name, of) for name, _, of in named if name in FORCED]
        if unnamed := next((name for name, of in forced if not of), ""):
            raise UsageError(f"`{unnamed}` is of one card or action, `{unnamed}.CHOICE`: its games are played apart")
        self._forced = tuple(FigureKey(name, -1, of) for name, of in dict.fromkeys(forced))

    def _play(self, counts: Sequence[tuple[Setting, int]]) -> None:
        """Play games of settings, and those of forced play that are to be compared with them."""
        forced = (self._forcing(setting, key, games) for setting, games in counts for key in self._forced)
        self.study.play([*counts, *(own for settings in forced for own in settings)])

    def _forcing(self, setting: Setting, key: FigureKey, games: int) -> list[tuple[Setting, int]]:
        """Return the settings of forced play, one for each seat, with their games: together as many as `games`."""
        sort = "action" if key.of in declared_actions(self.executor) else "card"
        each = max(games // self.players, 1)
        return [(own, each) for own in forced_settings(setting, key.name, sort, key.of, self.players)]

    def _effects(self, setting: Setting, key: FigureKey, games: int) -> Iterator[float]:
        """Yield what going without something costs a seat, or always taking it brings, in pairs of games with the same
        seed."""
        forced, (each, *_) = zip(*self._forcing(setting, key, games), strict=True)
        for more in forced_gains(self.study, setting, forced, each):
            yield more if key.name == "always" else -more

    def setting(self, values: Mapping[VariedValue, str]) -> Setting:
        """Return the setting with these values; the base where they are the ruleset's own."""
        changed = {figure: value for figure, value in values.items() if value != figure.value}
        if not changed:
            return self.base
        name = ",".join(f"{figure.name}={value}" for figure, value in sorted(changed.items(), key=lambda p: p[0].path))
        folder = Path(self._folder.name) / f"{len(name)}-{abs(hash(name)):x}"
        return replace(self.base, overlays=(*self.base.overlays, str(write_overlay(folder, changed))))

    def values(self, place: Index) -> dict[VariedValue, str]:
        """Return the values of the figures at a point."""
        return {v.figure: v.values[number] for v, number in zip(self.variations, place, strict=True)}

    def means(self, setting: Setting, games: int) -> Aggregate:
        """Return the aggregate of the first games of a setting."""
        seen = self._aggregates.setdefault(setting, Aggregate(self.players, self.executor.layout.together))
        for number, row in enumerate(self.study.rows(setting, games)):
            if number >= seen.means.games:
                seen.add(row)
        for key in self._forced:
            seen.forced.pop(key, None)
            for effect in self._effects(setting, key, games):
                seen.add_forced(key, effect)
        return seen

    # ---- sweeps

    def sweep(self, games: int, targets: Sequence[Target] = (), shown: Sequence[str] = ()) -> list[Point]:
        """Play all combinations of values; return their points.

        Args:
            games: at each point. targets: for the distance and the best points. shown: further measures.

        Raises:
            UsageError: there are more than MOST_POINTS combinations, or games have no measure of a target.
        """
        self.check_measures(targets, shown)
        places = list(product(*(range(len(v.values)) for v in self.variations)))
        if len(places) > MOST_POINTS:
            raise UsageError(f"{counted(len(places), 'combination')} of values are too many: at most {MOST_POINTS}")
        settings = [self.setting(self.values(place)) for place in places]
        self._play([(setting, games) for setting in (self.base, *settings)])
        named = [{figure.name: value for figure, value in self.values(place).items()} for place in places]
        points = [self._point(names, setting, games, targets) for names, setting in zip(named, settings, strict=True)]
        return self._marked(points, settings, games, targets) if targets else points

    def _point(self, values: Mapping[str, str], setting: Setting, games: int, targets: Sequence[Target]) -> Point:
        """Return the point of a setting; `values` by the names of figures."""
        seen = self.means(setting, games)
        distance = miss(targets, self._target_means(targets, seen), self.players) if targets else None
        return Point(self.players, values, tuple(seen.means.measures()), self._differences(setting, games), distance)

    def _differences(self, setting: Setting, games: int) -> tuple[Measure, ...]:
        """Return the differences of measures to the unchanged ruleset, paired by game."""
        sums: dict[FigureKey, Mean] = {}
        rows = zip(self.study.rows(self.base, games), self.study.rows(setting, games), strict=True)
        for number, (before, after) in enumerate(rows):
            old, new = figures(before), figures(after)
            for key in old.keys() | new.keys():
                anywhere = key.of and FIGURES[key.name].everywhere
                if anywhere or (key in old and key in new):
                    mean = sums.setdefault(key, Mean())
                    mean.skip(number - mean.games if anywhere else 0)
                    mean.add(new.get(key, 0.0) - old.get(key, 0.0))
        return tuple(Measure(key, sums[key].estimate()) for key in sorted(sums))

    def _marked(
        self, points: Sequence[Point], settings: Sequence[Setting], games: int, targets: Sequence[Target]
    ) -> list[Point]:
        """Return the points with the best ones marked: the nearest one, and those not surely farther by a bootstrap
        over groups of games, the same games at all points."""
        random = Random(games)
        groups = [self._groups(setting, games, targets) for setting in settings]
        drawn = [random.choices(range(len(groups[0])), k=len(groups[0])) for _ in range(RESAMPLES)]
        misses = [
            [
                miss(targets, {key: fmean(of_point[n][key] for n in draw) for key in of_point[0]}, self.players)
                for draw in drawn
            ]
            for of_point in groups
        ]
        nearest = min(range(len(points)), key=lambda n: points[n].miss or 0.0)
        farther = [sum(m > least for m, least in zip(row, misses[nearest], strict=True)) for row in misses]
        return [
            replace(point, best=n == nearest or more <= (1 - LEVEL) * RESAMPLES)
            for n, (point, more) in enumerate(zip(points, farther, strict=True))
        ]

    def _groups(
        self, setting: Setting, games: int, targets: Sequence[Target]
    ) -> list[dict[tuple[str, int, str], float]]:
        """Return the means that targets depend on, in each of some groups of games."""
        groups = [Aggregate(self.players, self.executor.layout.together) for _ in range(min(GROUPS, games))]
        for number, row in enumerate(self.study.rows(setting, games)):
            groups[number % len(groups)].add(row)
        for forced in self._forced:
            for number, effect in enumerate(self._effects(setting, forced, games)):
                groups[number % len(groups)].add_forced(forced, effect)
        keys = [key for target in targets for key in target.keys(self.players)]
        return [{key: mean.mean if (mean := seen.mean(key)) else 0.0 for key in keys} for seen in groups]

    def _target_means(self, targets: Sequence[Target], seen: Aggregate) -> dict[tuple[str, int, str], float]:
        """Return the means that targets depend on; 0 for a card or action that no game has.

        Raises:
            UsageError: there is no such measure.
        """
        known = {}
        for target in targets:
            for key in target.keys(self.players):
                mean = seen.mean(key)
                if mean is None and not key[2]:
                    raise UsageError(f"none of these games has a `{target.name}`")
                known[key] = mean.mean if mean is not None else 0.0
        return known

    # ---- tuning

    def tune(self, targets: Sequence[Target], games: int, seed: int = 0) -> Iterator[Tuned]:
        """Yield the values nearest to the targets, after each round of games; see `rulelang.lab.tuning`.

        Args:
            games: most games of the search. seed: of the search.

        Raises:
            UsageError: games have no measure of a target.
        """
        self.check_measures(targets)
        search = Search(self.variations, targets, self.players, games, seed)
        own = [v.values.index(v.figure.value) if v.figure.value in v.values else -1 for v in self.variations]
        for place in search.run(lambda counts: self._measured(counts, targets, search.keys), tuple(own)):
            values = self.values(place)
            yield Tuned(values, search.played, len(search.games), search.certain)

    def _measured(
        self, counts: Sequence[tuple[Index, int]], targets: Sequence[Target], keys: Sequence[tuple[str, int, str]]
    ) -> list[Measured]:
        """Play points up to a number of games each; return mean and variance of each measure."""
        settings = [(self.setting(self.values(place)), games) for place, games in counts]
        self._play(settings)
        measured = []
        for setting, games in settings:
            seen = self.means(setting, games)
            known = self._target_means(targets, seen)
            of_key = {key: seen.mean(key) for key in keys}
            # A measure with equal values in all games is not exact: its variance is that of one value off by 1.
            floor = 1 / games**2
            measured.append(
                {k: (known[k], max(m.error**2, floor) if m is not None else floor) for k, m in of_key.items()}
            )
        return measured

    def check(self, values: Mapping[VariedValue, str], targets: Sequence[Target], games: int) -> tuple[Point, Point]:
        """Return the points of the ruleset before and after, from games that played no part in the choice of values."""
        fresh = SweptField(self.study, replace(self.base, seed=self.base.seed + FRESH), ())
        settings = (fresh.base, replace(self.setting(values), seed=fresh.base.seed))
        fresh.check_measures(targets)
        fresh._play([(setting, games) for setting in settings])
        named = ({f.name: f.value for f in values}, {f.name: v for f, v in values.items()})
        before, after = (fresh._point(*point, games, targets) for point in zip(named, settings, strict=True))
        fresh._folder.cleanup()
        return before, after


@dataclass(frozen=True)
class Tuned:
    """The best values so far.

    Attributes:
        games, points: how many were played. certain: probability that all targets are met.
    """

    values: Mapping[VariedValue, str]
    games: int
    points: int
    certain: float

    def overlay(self, name: str = "", extends: str = "") -> str:
        """Return the `ruleset.yaml` of a variant with these values."""
        return overlay(self.values, name, extends)
