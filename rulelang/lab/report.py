"""What the games of one ruleset say of its balance.

Enters: a ruleset, how many games, bots, budgets. Leaves: a `Report`: samples, figures with their intervals, findings,
tables of cards and actions, the course of games. The same games give the same report to the byte.

Samples: many `random` games for what hangs on outcomes; fewer that are played choice by choice (`traced`), with
estimates of the odds (`odds`), or with the same luck again and again (`deals`); games of the best bots (`best`), and
more of them where a seat looks biased (`seats`); a ladder of budgets; games in which one seat goes without a card or an
action (`without`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from rulelang.compare import askers
from rulelang.lab.findings import Evidence, Test, declared_actions, tests, unequal
from rulelang.lab.ladder import Rung, ladder
from rulelang.lab.measures import Key
from rulelang.lab.statistics import Estimate, Mean, bootstrap, entropy, intraclass, wilson
from rulelang.lab.study import Row, Setting, Study, share
from rulelang.lab.traces import PARTS

TRACED, ODDS, DEALS = 1000, 200, 40
"""At most so many random games are traced; get estimates of the odds; so many deals are played ..."""
AGAIN = 25
"""... so often each."""
RESTRICTED = 4
"""So many cards and actions are gone without, those about which the other games say most."""
DECISIONS = 200_000
"""About so many decisions are traced: fewer games where they are long."""
LONG = 2000
"""Bots that search play no games of which random ones take more decisions."""
PROBE, STUCK = 100, 0.5
"""Where of so many random games this part does not end by itself, no more are played, and none by bots that search."""
CONFIRMED = 3
"""Where a seat of the best bots looks biased, they play so many times as many games more, of other seeds."""
GRID = 20
"""A game's course is drawn at so many equal steps of its decisions."""


@dataclass(frozen=True)
class Plan:
    """How much is played.

    Attributes:
        games: random ones. bot, bot_games: the best bot, and its games; `random` for none. budgets: of the ladder,
            rising; rung_games: see `rulelang.lab.ladder.ladder`.
    """

    games: int = 10_000
    bot: str = "mcts:100"
    bot_games: int = 200
    budgets: tuple[int, ...] = ()
    rung_games: int = 100


@dataclass(frozen=True)
class Sample:
    """Games of one setting; `command` plays them again, or reads them, and prints their figures."""

    name: str
    setting: Setting
    games: int
    command: str


@dataclass(frozen=True)
class Figure:
    """A figure of a sample; `command` is that of the sample."""

    sample: str
    key: Key
    estimate: Estimate


@dataclass(frozen=True)
class CardLine:
    """What a sample says of a card.

    Attributes:
        had, used: the part of the games in which somebody had it, chose something that names it. picked: of the games
            in which searching bots could choose it among others, those in which one did. worth: how much more of the
            win those have who had it than those who had not.
    """

    sample: str
    card: str
    had: Estimate | None
    used: Estimate | None
    picked: Estimate | None
    worth: Estimate | None


@dataclass(frozen=True)
class ActionLine:
    """What a sample says of an action: how often a game takes it; in each part of the game how often a later winner and
    how often another seat; and how often bots take it where chance would take it once."""

    sample: str
    action: str
    taken: Estimate
    winners: tuple[Estimate, ...]
    others: tuple[Estimate, ...]
    rate: Estimate | None


Pair = tuple[Estimate, Estimate]
"""Of later winners and of the others: of each game the mean over its seats of that side."""


@dataclass(frozen=True)
class Restricted:
    """Restricted play: the share of the win that a seat loses by going without a card or an action, from pairs of games
    with the same seed."""

    sort: str
    of: str
    loss: Estimate
    command: str


@dataclass(frozen=True)
class Report:
    """All of it.

    Attributes:
        rungs: of the ladder that `climb` plays again.
        lengths: decisions of a game -> games, of random ones. courses: name -> at each of `GRID` + 1 steps the means of
            later winners and for the others. holdings: what seats have -> the same at the ends of the parts.
        kinds: card -> its kind. askers: action -> the rule that asks for it.
    """

    ruleset: str
    title: str
    hash: str
    players: int
    parties: tuple[str, ...]
    samples: tuple[Sample, ...]
    figures: tuple[Figure, ...]
    tests: tuple[Test, ...]
    cards: tuple[CardLine, ...]
    actions: tuple[ActionLine, ...]
    rungs: tuple[Rung, ...]
    climb: str
    restricted: tuple[Restricted, ...]
    lengths: Mapping[int, int]
    courses: Mapping[str, tuple[Pair, ...]]
    holdings: Mapping[str, tuple[Pair, ...]]
    kinds: Mapping[str, str]
    askers: Mapping[str, str]

    @property
    def findings(self) -> tuple[Test, ...]:
        """The tests that found something: of one flaw by several tests the surest; none of a card or value in an action
        (`discard:hoard`) where the whole card or action is found."""
        best: dict[tuple[str, str, int], Test] = {}
        for test in self.tests:
            key = test.flaw, test.of, test.seat
            if test.found and (key not in best or test.chance < best[key].chance):
                best[key] = test
        wholes = {key: test.of.split(":") for key, test in best.items() if ":" in test.of}
        return tuple(t for key, t in best.items() if not any((t.flaw, of, -1) in best for of in wholes.get(key, ())))

    def figure(self, sample: str, name: str, seat: int = -1, of: str = "") -> Estimate | None:
        """Return a figure by its name; None if the sample has none."""
        key = Key(name, seat, of)
        return next((f.estimate for f in self.figures if f.sample == sample and f.key == key), None)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able values."""
        return {**asdict(self), "figures": [_flat(figure) for figure in self.figures]}

    def to_arrow(self) -> dict[str, Any]:
        """Return tables of pyarrow by name: `figures`, `tests`, `cards`, `actions`, `rungs`, `restricted`.

        Raises:
            UsageError: pyarrow is missing.
        """
        from rulelang.results import arrow

        tables = {
            "figures": [_flat(figure) for figure in self.figures],
            "tests": [_spread(asdict(test)) for test in self.tests],
            "cards": [_spread(asdict(card)) for card in self.cards],
            "actions": [_spread(asdict(action)) for action in self.actions],
            "rungs": [rung.to_json() for rung in self.rungs],
            "restricted": [_spread(asdict(line)) for line in self.restricted],
        }
        library = arrow("`to_arrow`")
        return {name: library.Table.from_pylist(rows) for name, rows in tables.items()}


def _flat(figure: Figure) -> dict[str, Any]:
    return {"sample": figure.sample, **figure.key._asdict(), **asdict(figure.estimate)}


ESTIMATES = frozenset(("estimate", "had", "used", "picked", "worth", "taken", "rate", "loss"))


def _spread(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose estimates are spread over columns."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) or name in ESTIMATES:
            flat |= {f"{name}_{part}": (value or {}).get(part) for part in ("value", "low", "high", "games")}
        else:
            flat[name] = value
    return flat


# ---- playing


def report(study: Study, setting: Setting, plan: Plan = Plan()) -> Report:
    """Play what the plan says, or read it where the study's folder has it, and compute the report.

    Args:
        setting: the ruleset, its players and options; bots and features are the plan's.
    """
    ruleset, executor = study.ruleset(setting), study.executor(setting)
    setting = replace(setting, players=executor.layout.players, features=(), deals=0, without=())
    probe = _played(study, _sample("random", setting, min(plan.games, PROBE)))
    if probe.evidence.stopped < PROBE * STUCK:
        probe = _played(study, _sample("random", setting, plan.games))
    told = {"random": probe}
    samples = {"random": probe.sample}
    samples |= _samples(setting, plan, told["random"])
    study.play([(sample.setting, sample.games) for sample in samples.values()])
    told |= {name: _Told(study, sample) for name, sample in samples.items() if name not in ("random", "deals")}
    if "best" in told and unequal(told["best"].evidence):
        samples["seats"] = _confirmation(samples["best"])
        told["seats"] = _played(study, samples["seats"])
    made = tests([one.evidence for one in told.values()])
    rungs = tuple(ladder(study, setting, plan.budgets, plan.rung_games)) if len(plan.budgets) > 1 else ()
    restricted = tuple(_restricted(study, told["best"], made)) if "best" in told and setting.players > 1 else ()
    figures = [figure for name, one in told.items() for figure in one.figures(name)]
    if "deals" in samples:
        figures += _luck(study, samples["deals"])
    course = told["best"] if "best" in told else told["traced"]
    return Report(
        ruleset.name,
        ruleset.info.title.get("en", ruleset.name),
        ruleset.hash,
        executor.layout.players,
        tuple(executor.layout.party_names),
        tuple(samples.values()),
        tuple(figures),
        tuple(made),
        tuple(line for one in told.values() for line in one.card_lines()),
        tuple(line for one in told.values() for line in one.action_lines()),
        rungs,
        _climb(setting, plan),
        restricted,
        dict(sorted(told["random"].lengths.items())),
        {**told["odds"].courses(), **course.courses()},
        course.holdings(),
        {row.id: kind.name for kind in executor.program.kinds for row in kind.definitions},
        askers([executor]),
    )


def _samples(setting: Setting, plan: Plan, random: _Told) -> dict[str, Sample]:
    """Return all samples but the random one, smaller ones where games are long."""
    length = random.evidence.means.estimate(Key("decisions"))
    decisions = max(length.value, 1) if length is not None else 1
    games = min(random.sample.games, int(DECISIONS / decisions) + 1)
    traced, odds = min(games, TRACED), min(games, ODDS)
    deals = min(DEALS, games // AGAIN)
    wanted = {
        "traced": (replace(setting, features=("trace",)), traced),
        "odds": (replace(setting, features=("odds",)), odds),
    }
    if deals > 1:
        wanted["deals"] = (replace(setting, deals=deals), deals * AGAIN)
    if plan.bot != "random" and plan.bot_games and random.is_playable():
        wanted["best"] = (replace(setting, bots=(plan.bot,), features=("trace", "odds")), plan.bot_games)
    return {name: _sample(name, own, games) for name, (own, games) in wanted.items()}


def _confirmation(best: Sample) -> Sample:
    """Return a sample that tests the seats which the games of the best bots raise suspicion of: games chosen for what
    they show say nothing against its own chance (data splitting: Cox, 1975)."""
    setting = replace(best.setting, features=(), seed=best.setting.seed + 1)
    return _sample("seats", setting, CONFIRMED * best.games)


def _sample(name: str, setting: Setting, games: int) -> Sample:
    return Sample(name, setting, games, command(setting, games))


def _played(study: Study, sample: Sample) -> _Told:
    study.play([(sample.setting, sample.games)])
    return _Told(study, sample)


def command(setting: Setting, games: int) -> str:
    """Return the command that plays a setting's games again and shows their figures."""
    parts = ["rulelang lab measure", *_of_ruleset(setting)]
    if setting.bots != ("random",):
        parts.append(f"--bot {','.join(setting.bots)}")
    parts += [f"--games {games}", f"--seed {setting.seed}"]
    parts += [f"--feature {feature}" for feature in setting.features]
    if setting.deals:
        parts.append(f"--deals {setting.deals}")
    parts += [f"--without {seat}:{sort}:{name}" for seat, sort, name in setting.without]
    return " ".join(parts)


def _of_ruleset(setting: Setting) -> list[str]:
    parts = [setting.path, f"--players {setting.players}"]
    parts += [f"--overlay {overlay}" for overlay in setting.overlays]
    return [*parts, *(f"--option {name}={value}" for name, value in setting.options)]


def _climb(setting: Setting, plan: Plan) -> str:
    """Return the command that plays the ladder again."""
    budgets = ",".join(map(str, plan.budgets))
    parts = ["rulelang lab ladder", *_of_ruleset(setting), f"--budgets {budgets}", f"--games {plan.rung_games}"]
    return " ".join([*parts, f"--seed {setting.seed}"])


class _Told:
    """What the games of a sample tell, read once."""

    def __init__(self, study: Study, sample: Sample) -> None:
        self.sample = sample
        self.evidence = Evidence(sample.name, study.executor(sample.setting))
        self.lengths: Counter[int] = Counter()
        self._courses: dict[str, list[tuple[Mean, Mean]]] = {}
        self._wins = [0.0] * self.evidence.executor.layout.parties
        self._taken: dict[str, list[list[Mean]]] = {}
        self._holds: dict[str, list[tuple[Mean, Mean]]] = {}
        self._met = [0, 0]
        for row in study.rows(sample.setting, sample.games):
            self._add(row)

    def _add(self, row: Row) -> None:
        self.evidence.add(row)
        if "error" in row:
            return
        self.lengths[row["decisions"]] += 1
        for party in range(len(self._wins)):
            self._wins[party] += share(row, party)
        if not row["winners"]:
            return
        for name in ("curve", "odds"):
            if name in row and len(row["scores"]) > 1:
                self._course(name, row)
        if "actions" in row:
            self._strategy(row)

    def _course(self, name: str, row: Row) -> None:
        at, values, winners = row["at"], row[name], row["winners"]
        means = self._courses.setdefault(name, [(Mean(), Mean()) for _ in range(GRID + 1)])
        place = 0
        for step in range(GRID + 1):
            while place + 1 < len(at) and at[place + 1] <= at[-1] * step / GRID:
                place += 1
            for side, value in _of_sides(values[place], winners):
                means[step][side].add(value)

    def _strategy(self, row: Row) -> None:
        players, winners = range(self.evidence.executor.layout.players), row["winners"]
        for action in {**self._taken, **row["actions"]}:
            counts = row["actions"].get(action) or [[0] * PARTS for _ in players]
            sides = self._taken.setdefault(action, [[Mean() for _ in range(PARTS)] for _ in self._met])
            for means, met in zip(sides, self._met, strict=True):
                for mean in means:
                    mean.skip(met - mean.games)  # games before anybody took it
            for part in range(PARTS):
                for side, value in _of_sides([counts[seat][part] for seat in players], winners):
                    sides[side][part].add(value)
        for side, _ in _of_sides(players, winners):
            self._met[side] += 1
        for part, holds in enumerate(row["holds"]):
            for name, amounts in holds.items():
                held = self._holds.setdefault(name, [(Mean(), Mean()) for _ in range(PARTS)])
                for side, value in _of_sides(amounts, winners):
                    held[part][side].add(value)

    # ---- what it says

    def is_playable(self) -> bool:
        """Return whether bots that search can play such games: most end by themselves, and not after too many
        decisions."""
        games, length = self.evidence.means.games, self.evidence.means.estimate(Key("decisions"))
        return length is not None and self.evidence.stopped < STUCK * games and length.value < LONG

    def figures(self, name: str) -> Iterator[Figure]:
        """Yield the figures of the games; of cards and actions there are lines."""
        for measure in self.evidence.means.measures():
            if not measure.key.of:
                yield Figure(name, measure.key, measure.estimate)
        if len(self._wins) > 1 and any(self._wins):
            yield Figure(name, Key("uniformity"), entropy(self._wins))

    def _named(self, name: str, of: str) -> Estimate | None:
        return self.evidence.means.estimate(Key(name, -1, of))

    def card_lines(self) -> Iterator[CardLine]:
        """Yield a line for each card that the games name, in the order of their rows."""
        evidence = self.evidence
        if not evidence.traced:
            return
        for kind in evidence.executor.program.kinds:
            for row in kind.definitions:
                had, used = self._named("had", row.id), self._named("used", row.id)
                offered = evidence.games_offered.get(f"cards:{row.id}")
                contrast = evidence.contrasts.get(row.id)
                if (had is not None or used is not None) and len(kind.definitions) > 1:
                    yield CardLine(
                        self.sample.name,
                        row.id,
                        had,
                        used,
                        wilson(evidence.games_taken[f"cards:{row.id}"], offered) if offered else None,
                        contrast.estimate() if contrast is not None and contrast.games > 1 else None,
                    )

    def action_lines(self) -> Iterator[ActionLine]:
        """Yield a line for each action that was taken, in the order in which rules declare them."""
        for action in declared_actions(self.evidence.executor):
            taken = self._named("taken", action)
            if taken is not None and action in self._taken:
                rate = self.evidence.rate(action)
                winners, others = (tuple(mean.estimate() for mean in side) for side in self._taken[action])
                yield ActionLine(self.sample.name, action, taken, winners, others, rate)

    def courses(self) -> dict[str, tuple[Pair, ...]]:
        """Return the mean course of scores and odds, of later winners and of the others."""
        return {name: _pairs(means) for name, means in self._courses.items()}

    def holdings(self) -> dict[str, tuple[Pair, ...]]:
        """Return what seats have at the ends of the parts of a game."""
        return {name: _pairs(means) for name, means in self._holds.items()}


def _pairs(means: Sequence[tuple[Mean, Mean]]) -> tuple[Pair, ...]:
    return tuple((a.estimate(), b.estimate()) for a, b in means)


def _of_sides(values: Sequence[float], winners: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield the mean over the winners (side 0) and over the others (side 1) of a game, where there are such."""
    for side in (0, 1):
        own = [value for party, value in enumerate(values) if (party not in winners) == side]
        if own:
            yield side, fmean(own)


def _luck(study: Study, sample: Sample) -> Iterator[Figure]:
    """Yield how much of what a seat wins hangs on the luck of the game: games of the same deals, bots of other
    seeds."""
    deals, seats = sample.setting.deals, sample.setting.players
    groups: list[list[list[float]]] = [[[] for _ in range(deals)] for _ in range(seats)]
    for row in study.rows(sample.setting, sample.games):
        if "error" in row:
            return
        for seat in range(seats):
            groups[seat][row["game"] % deals].append(share(row, seat))
    for seat in range(seats):
        yield Figure(sample.name, Key("luck", seat), bootstrap(groups[seat], intraclass))


def _restricted(study: Study, best: _Told, made: Sequence[Test]) -> Iterator[Restricted]:
    """Yield restricted play without the cards and actions about which tests say most."""
    sorts = {"dead_card": "card", "dominant_card": "card", "useless_action": "action"}
    about = [test for test in made if test.flaw in sorts and test.figure != "met"]
    about.sort(key=lambda test: (not test.found, test.chance, test.of))
    chosen = list(dict.fromkeys((sorts[test.flaw], test.of) for test in about))[:RESTRICTED]
    setting, seats = best.sample.setting, best.sample.setting.players
    each = max(best.sample.games // seats, 1)
    plain = replace(setting, features=())
    wanted = {(sort, of): [replace(plain, without=((seat, sort, of),)) for seat in range(seats)] for sort, of in chosen}
    study.play([(own, each) for settings in wanted.values() for own in settings])
    for (sort, of), settings in wanted.items():
        loss = Mean()
        for seat, own in enumerate(settings):
            for row, free in zip(study.rows(own, each), study.rows(setting, each), strict=True):
                if "error" not in row and "error" not in free:
                    loss.add(share(free, seat) - share(row, seat))
        yield Restricted(sort, of, loss.estimate(), command(settings[0], each))
