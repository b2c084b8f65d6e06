"""Plays a ruleset with several values of its figures, on the same seeds: sweeps, and the search for targets.

Enters: a study, a setting, what is varied. Leaves: a `Point` for each combination of values, with its measures and
what they differ by from the ruleset as it is; `Tuned`, the overlay that meets targets best, before and after.

Games of one number have the same seed at all points (common random numbers): luck that two points share cancels in
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

from rulelang.diagnostics import RulesetError, UsageError, suggest
from rulelang.lab.figures import Figure, Variation, overlay, write_overlay
from rulelang.lab.measures import Key, Means, Measure, figures
from rulelang.lab.statistics import LEVEL, RESAMPLES, Mean
from rulelang.lab.study import Row, Setting, Study, share
from rulelang.lab.targets import SEATS, Target, miss
from rulelang.lab.tuning import Measured, Search
from rulelang.lab.tuning import Point as Place
from rulelang.results import arrow

TRACED = frozenset(("taken", "had", "used", "branching", "forced", "gap", "narrowness", "score_lead_changes"))
DREAMT = frozenset(("lead_changes", "drama", "decided"))
"""Measures for which rows must tell the course of games, and the odds in it."""

MOST_POINTS = 10_000
GROUPS = 20
"""Which points are best is asked of so many groups of games, drawn again and again."""
FRESH = 0x5EED
"""What is added to the seed for games that nothing was chosen by."""


@dataclass(frozen=True)
class Point:
    """A ruleset with certain values.

    Attributes:
        values: by the names of figures. measures: over its games; `difference` is to the ruleset as it is, game by
            game. miss: how far it is from the targets, in widths of their ranges; None without targets. best: whether
            no other point is surely nearer to the targets.
    """

    players: int
    values: Mapping[str, str]
    measures: tuple[Measure, ...]
    differences: tuple[Measure, ...]
    miss: float | None = None
    best: bool = False

    @property
    def means(self) -> dict[tuple[str, int, str], float]:
        """Return what was measured in the first games of a setting."""
        shares = {m.key.seat: m.estimate.value for m in self.measures if m.key.name == "win_share"}
        more = {(SEATS, seat, ""): share - shares[self.players - 1] for seat, share in shares.items()}
        return more | {(m.key.name, m.key.seat, m.key.of): m.estimate.value for m in self.measures}

    def to_rows(self) -> list[dict[str, object]]:
        """Return a row for each measure, for tables: the values of figures beside its name, value and interval."""
        own = {"miss": self.miss, "best": self.best}
        told = ({**m.key._asdict(), **asdict(m.estimate)} for m in self.measures)
        return [{**self.values, **row, **own} for row in told]

    def to_json(self) -> dict[str, object]:
        """As JSON-able values."""
        told = {
            name: [{**measure.key._asdict(), **asdict(measure.estimate)} for measure in measures]
            for name, measures in (("measures", self.measures), ("differences", self.differences))
        }
        return {"values": dict(self.values), **told, "miss": self.miss, "best": self.best}


def features(targets: Sequence[Target], wanted: Sequence[str] = ()) -> tuple[str, ...]:
    """Return what rows of games must tell for these targets and measures."""
    names = {target.name.partition(".")[0] for target in targets} | {name.partition(".")[0] for name in wanted}
    return (*(["trace"] if names & TRACED else []), *(["odds"] if names & DREAMT else []))


def to_arrow(points: Sequence[Point]) -> Any:
    """Return all measures of all points as an Arrow table.

    Raises:
        UsageError: pyarrow is missing.
    """
    return arrow("a table of points").Table.from_pylist([row for point in points for row in point.to_rows()])


class Seen:
    """The measures of some games, and by how much each seat's share of the wins is more than the last one's."""

    def __init__(self, players: int) -> None:
        self.means, self._ahead = Means(), [Mean() for _ in range(players - 1)]

    def add(self, row: Row) -> None:
        """Add one more game."""
        self.means.add(row)
        if "error" not in row:
            for seat, mean in enumerate(self._ahead):
                mean.add(share(row, seat) - share(row, len(self._ahead)))

    def mean(self, key: tuple[str, int, str]) -> Mean | None:
        """Return the mean of a measure; None if no game has it."""
        if key[0] == SEATS:
            return self._ahead[key[1]]
        self.means.estimate(Key(*key))  # games without a card count, too
        return self.means.mean(Key(*key))


class Field:
    """Points around a ruleset, played when they are asked for; a context manager.

    Args:
        variations: what is varied. Each value alone is tried at once, so that a wrong one is told before games are
            played.
    """

    def __init__(self, study: Study, setting: Setting, variations: Sequence[Variation]) -> None:
        self.study, self.base, self.variations = study, setting, tuple(variations)
        self._folder = TemporaryDirectory(prefix="rulelang-points-")
        self.players = study.executor(setting).layout.players
        self._means: dict[Setting, Seen] = {}

    def __enter__(self) -> Field:
        try:
            for variation in self.variations:
                for value in variation.values:
                    self._tried({variation.figure: value})
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def _tried(self, values: Mapping[Figure, str]) -> None:
        try:
            self.study.ruleset(self.setting(values))
        except RulesetError as error:
            said = next((d.message for d in error.diagnostics if d.severity == "error"), str(error))
            raise UsageError(f"{', '.join(f'{f.name}={v}' for f, v in values.items())} can't be: {said}") from None

    def setting(self, values: Mapping[Figure, str]) -> Setting:
        """Return the setting with these values; that of the ruleset where they are its own."""
        changed = {figure: value for figure, value in values.items() if value != figure.value}
        if not changed:
            return self.base
        name = ",".join(f"{figure.name}={value}" for figure, value in sorted(changed.items(), key=lambda p: p[0].path))
        folder = Path(self._folder.name) / f"{len(name)}-{abs(hash(name)):x}"
        return replace(self.base, overlays=(*self.base.overlays, str(write_overlay(folder, changed))))

    def values(self, place: Place) -> dict[Figure, str]:
        """Return the values of the figures at a place."""
        return {v.figure: v.values[number] for v, number in zip(self.variations, place, strict=True)}

    def means(self, setting: Setting, games: int) -> Seen:
        """What was measured in the first games of a setting."""
        seen = self._means.setdefault(setting, Seen(self.players))
        for number, row in enumerate(self.study.rows(setting, games)):
            if number >= seen.means.games:
                seen.add(row)
        return seen

    # ---- sweeps

    def sweep(self, games: int, targets: Sequence[Target] = ()) -> list[Point]:
        """Return all combinations of values, so many games each."""
        places = list(product(*(range(len(v.values)) for v in self.variations)))
        if len(places) > MOST_POINTS:
            raise UsageError(f"{len(places)} combinations of values are too many: at most {MOST_POINTS}")
        settings = [self.setting(self.values(place)) for place in places]
        self.study.play([(setting, games) for setting in (self.base, *settings)])
        points = [self._point(place, setting, games, targets) for place, setting in zip(places, settings, strict=True)]
        return self._marked(points, settings, games, targets) if targets else points

    def _point(self, place: Place, setting: Setting, games: int, targets: Sequence[Target]) -> Point:
        seen = self.means(setting, games)
        values = {figure.name: value for figure, value in self.values(place).items()}
        away = miss(targets, self._known(targets, seen), self.players) if targets else None
        return Point(self.players, values, tuple(seen.means.measures()), self._differences(setting, games), away)

    def _differences(self, setting: Setting, games: int) -> tuple[Measure, ...]:
        """Return by how much each measure is more than in the ruleset as it is, from the differences of single
        games."""
        sums: dict[Key, Mean] = {}
        rows = zip(self.study.rows(self.base, games), self.study.rows(setting, games), strict=True)
        for number, (before, after) in enumerate(rows):
            old, new = figures(before), figures(after)
            for key in old.keys() | new.keys():
                if key.of or (key in old and key in new):
                    mean = sums.setdefault(key, Mean())
                    mean.skip(number - mean.games if key.of else 0)
                    mean.add(new.get(key, 0.0) - old.get(key, 0.0))
        return tuple(Measure(key, sums[key].estimate()) for key in sorted(sums))

    def _marked(
        self, points: Sequence[Point], settings: Sequence[Setting], games: int, targets: Sequence[Target]
    ) -> list[Point]:
        """Return the points with the best ones marked: the nearest one, and those that are not surely farther, by a
        bootstrap over groups of games, the same games at all points."""
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
        """Return the means that targets hang on, in each of some groups of games."""
        groups = [Seen(self.players) for _ in range(min(GROUPS, games))]
        for number, row in enumerate(self.study.rows(setting, games)):
            groups[number % len(groups)].add(row)
        keys = [key for target in targets for key in target.keys(self.players)]
        return [{key: mean.mean if (mean := seen.mean(key)) else 0.0 for key in keys} for seen in groups]

    def _known(self, targets: Sequence[Target], seen: Seen) -> dict[tuple[str, int, str], float]:
        """Return the means that targets hang on; a card or action that no game has counts 0.

        Raises:
            UsageError: there is no such measure.
        """
        known = {}
        for target in targets:
            for key in target.keys(self.players):
                mean = seen.mean(key)
                if mean is None and not key[2]:
                    names = [SEATS, *dict.fromkeys(measure.key.name for measure in seen.means.measures())]
                    hint = suggest(key[0], names) or f"there are {', '.join(names)}"
                    raise UsageError(f"games have no measure `{target.name}`: {hint}")
                known[key] = mean.mean if mean is not None else 0.0
        return known

    # ---- tuning

    def tune(self, targets: Sequence[Target], games: int, seed: int = 0) -> Iterator[Tuned]:
        """Yield the values that come nearest to the targets, after each round of games; see `rulelang.lab.tuning`.

        Args:
            games: how many are played at most while values are looked for.
        """
        search = Search(self.variations, targets, self.players, games, seed)
        own = [v.values.index(v.figure.value) if v.figure.value in v.values else -1 for v in self.variations]
        for place in search.run(lambda wanted: self._measured(wanted, targets, search.keys), tuple(own)):
            values = self.values(place)
            yield Tuned(values, search.played, len(search.games), search.certain)

    def _measured(
        self, wanted: Sequence[tuple[Place, int]], targets: Sequence[Target], keys: Sequence[tuple[str, int, str]]
    ) -> list[Measured]:
        settings = [(self.setting(self.values(place)), games) for place, games in wanted]
        self.study.play(settings)
        found = []
        for setting, games in settings:
            seen = self.means(setting, games)
            known = self._known(targets, seen)
            of_key = {key: seen.mean(key) for key in keys}
            # A measure that was the same in all games so far is not known exactly: as if one game had been other by 1.
            floor = 1 / games**2
            found.append({k: (known[k], max(m.error**2, floor) if m is not None else floor) for k, m in of_key.items()})
        return found

    def check(self, values: Mapping[Figure, str], targets: Sequence[Target], games: int) -> tuple[Point, Point]:
        """Return the ruleset before and after, in games that nothing was chosen by."""
        fresh = Field(self.study, replace(self.base, seed=self.base.seed + FRESH), ())
        after = self.setting(values)
        settings = (fresh.base, replace(after, seed=fresh.base.seed))
        self.study.play([(setting, games) for setting in settings])
        named = ({f.name: f.value for f in values}, {f.name: v for f, v in values.items()})
        points = []
        for setting, names in zip(settings, named, strict=True):
            seen = fresh.means(setting, games)
            away = miss(targets, self._known(targets, seen), self.players)
            differ = fresh._differences(setting, games)
            points.append(Point(self.players, names, tuple(seen.means.measures()), differ, away))
        fresh._folder.cleanup()
        return points[0], points[1]


@dataclass(frozen=True)
class Tuned:
    """The best values so far.

    Attributes:
        games, points: how many were played, at how many points. certain: how probably all targets are met.
    """

    values: Mapping[Figure, str]
    games: int
    points: int
    certain: float

    def overlay(self, name: str = "", extends: str = "") -> str:
        """Return the `ruleset.yaml` of a variant with these values."""
        return overlay(self.values, name, extends)
