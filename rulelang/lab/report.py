"""Builds the report on a ruleset's balance from its games.

Enters: a ruleset, numbers of games, bots, budgets. Leaves: a `Report`: samples, figures with their intervals, findings,
tables of cards and actions, the course of games. The same games give the same report, byte for byte.

Samples: many `random` games for figures of outcomes; fewer that are played choice by choice (`traced`), with estimates
of the odds (`odds`), or with repeated deals (`deals`); games of the best bots (`best`), and more of them where a seat
looks biased (`seats`); games in which one seat alone thinks (`skill`), or takes one action wherever it can
(`strategy`); a ladder of budgets; games in which one seat goes without a card or an action (`without`). Each sample has
seeds of its own, so that no game is counted by two tests of one effect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any

from rulelang.compare import askers
from rulelang.lab.findings import (
    FEWEST,
    SKILL,
    Evidence,
    Test,
    absent,
    habits,
    no_skill,
    one_strategy,
    proven,
    surest,
    tests,
    unequal,
)
from rulelang.lab.ladder import Rung, ladder
from rulelang.lab.measures import FigureKey, declared_actions
from rulelang.lab.skill import skill, skill_settings, strategy, strategy_settings
from rulelang.lab.statistics import Estimate, Mean, entropy, explained, wilson
from rulelang.lab.study import SEED_STEP, Row, Setting, Study, forced_gains, forced_settings, share
from rulelang.lab.traces import PARTS
from rulelang.languages import DEFAULT

TRACED, ODDS, DEALS = 1000, 100, 40
"""Most random games that are traced, most with estimates of the odds; number of deals that are played repeatedly."""
GAMES_PER_DEAL = 25
"""How often each such deal is played."""
RESTRICTED, SUSPECTED = 4, 0.05
"""Most cards and actions that restricted play goes without: those of the surest tests, if their chance is less."""
TRACED_DECISIONS, ODDS_DECISIONS = 200_000, 20_000
"""Most decisions of traced games and of those with odds, about: fewer games where they are long."""
SEARCHED, SEARCHED_DECISIONS = 200, 20_000
"""Games of the best bot where their number is not given, and the most decisions of these, about."""
LONGEST = 2000
"""Most decisions of a random game for searching bots to play such games."""
PROBE, STUCK = 100, 0.5
"""Random games played first; if this part of them does not end by itself, no more are, and none by searching bots."""
CONFIRMATION_FACTOR = 3
"""If a seat of the best bots looks biased, or thinking may bring nothing, they play so many times as many games again,
with other seeds."""
SEEDS = ("random", "traced", "odds", "deals", "best", "seats", "skill", "strategy", "without", "more_skill")
"""Samples in the order of their seeds, which are SEED_STEP apart."""
GRID = 20
"""Equal steps, in decisions, at which the course of a game is sampled."""


@dataclass(frozen=True)
class Plan:
    """Which games are played.

    Attributes:
        games: of random bots. bot, bot_games: the best bot, and its games; `random` for none; None: `SEARCHED`, or
            fewer where games are long. budgets: of the ladder, rising; rung_games: most blocks of a rung.
    """

    games: int = 10_000
    bot: str = "mcts:100"
    bot_games: int | None = None
    budgets: tuple[int, ...] = ()
    rung_games: int = 100


@dataclass(frozen=True)
class Sample:
    """Games of one setting.

    Attributes:
        command: plays them again, or reads them, and prints their figures.
    """

    name: str
    setting: Setting
    games: int
    command: str


@dataclass(frozen=True)
class SampleFigure:
    """A figure of a sample."""

    sample: str
    key: FigureKey
    estimate: Estimate


@dataclass(frozen=True)
class CardLine:
    """The statistics of a card in a sample.

    Attributes:
        had, used: share of games in which a seat had it, chose something that names it. picked: of games in which
            searching bots could choose it among others, the share in which one did. worth: difference in the share of
            the win between seats that had it and those that had not. each: for each time more that a seat had it.
    """

    sample: str
    card: str
    had: Estimate | None
    used: Estimate | None
    picked: Estimate | None
    worth: Estimate | None
    each: Estimate | None


@dataclass(frozen=True)
class ActionLine:
    """The statistics of an action in a sample.

    Attributes:
        taken: how often in a game. winners, others: in each part of a game, how often by later winners and by other
            seats. rate: how often by bots for each time that uniform choices would take it.
    """

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
    with the same seed.

    Attributes:
        sort, of: `card` or `action`, and its name. command: plays such games again.
    """

    sort: str
    of: str
    loss: Estimate
    command: str


@dataclass(frozen=True)
class Report:
    """A balance report.

    Attributes:
        rungs: of the ladder, which the command `climb` plays again.
        lengths: decisions of a game -> number of random games. courses: name -> at each of `GRID` + 1 steps the means
            of later winners and of the others. holdings: possession -> the same at the ends of the parts.
        absent_cards, absent_actions: what no test is about: see `findings.absent`.
        kinds: card -> its kind. askers: action -> the rule that asks for it.
    """

    ruleset: str
    title: str
    hash: str
    players: int
    parties: tuple[str, ...]
    samples: tuple[Sample, ...]
    figures: tuple[SampleFigure, ...]
    tests: tuple[Test, ...]
    absent_cards: tuple[str, ...]
    absent_actions: tuple[str, ...]
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
        """Return the tests that found a flaw; see `findings.surest`."""
        return surest([test for test in self.tests if not test.unproven], random=False)

    @property
    def unproven(self) -> tuple[Test, ...]:
        """Return the tests by which good bots seldom choose what restricted play does not show to be needless: no
        flaws."""
        said = {(test.flaw, test.of) for test in self.findings}
        seldom = surest([test for test in self.tests if test.unproven], random=False)
        return tuple(test for test in seldom if (test.flaw, test.of) not in said)

    @property
    def only_random(self) -> tuple[Test, ...]:
        """Return the tests that found something in random play that games of better bots do not show: no flaws."""
        return surest(self.tests, random=True)

    def figure(self, sample: str, name: str, seat: int = -1, of: str = "") -> Estimate | None:
        """Return a figure by its name; None if the sample has none."""
        key = FigureKey(name, seat, of)
        return next((f.estimate for f in self.figures if f.sample == sample and f.key == key), None)

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON-able values."""
        found = {name: list(map(asdict, getattr(self, name))) for name in ("findings", "unproven", "only_random")}
        return {**asdict(self), "figures": [_flat(figure) for figure in self.figures], **found}

    def to_arrow(self) -> dict[str, Any]:
        """Return the tables `figures`, `tests`, `cards`, `actions`, `rungs`, `restricted` as pyarrow tables, by name.

        Raises:
            UsageError: pyarrow is missing.
        """
        from rulelang.results import arrow

        tables = {
            "figures": [_flat(figure) for figure in self.figures],
            "tests": [_spread_estimates(asdict(test)) for test in self.tests],
            "cards": [_spread_estimates(asdict(card)) for card in self.cards],
            "actions": [_spread_estimates(asdict(action)) for action in self.actions],
            "rungs": [rung.to_json() for rung in self.rungs],
            "restricted": [_spread_estimates(asdict(line)) for line in self.restricted],
        }
        library = arrow("`to_arrow`")
        return {name: library.Table.from_pylist(rows) for name, rows in tables.items()}


def _flat(figure: SampleFigure) -> dict[str, Any]:
    """Return a figure as a flat row."""
    return {"sample": figure.sample, **figure.key._asdict(), **asdict(figure.estimate)}


ESTIMATES = frozenset(("estimate", "had", "used", "picked", "worth", "each", "taken", "rate", "loss"))


def _spread_estimates(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with each estimate spread over four columns."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) or name in ESTIMATES:
            flat |= {f"{name}_{part}": (value or {}).get(part) for part in ("value", "low", "high", "games")}
        else:
            flat[name] = value
    return flat


# ---- playing


def report(study: Study, setting: Setting, plan: Plan = Plan()) -> Report:
    """Play the plan's games, except those that the study's folder has, and compute the report.

    Args:
        setting: the ruleset, its players and options; bots and features are the plan's.
    """
    ruleset, executor = study.ruleset(setting), study.executor(setting)
    together = executor.layout.together
    setting = replace(setting, players=executor.layout.players, features=(), deals=0, without=(), always=())
    probe = _play(study, _sample("random", setting, min(plan.games, PROBE)))
    if probe.evidence.stopped < PROBE * STUCK:
        probe = _play(study, _sample("random", setting, plan.games))
    statistics = {"random": probe}
    samples = {"random": probe.sample}
    samples |= _further_samples(setting, plan, statistics["random"])
    if together:
        samples.pop("deals", None)
    study.play([(sample.setting, sample.games) for sample in samples.values()])
    statistics |= {
        name: _SampleStatistics(study, sample) for name, sample in samples.items() if name not in ("random", "deals")
    }
    if "best" in statistics and unequal(statistics["best"].evidence):
        samples["seats"] = _confirmation(samples["best"])
        statistics["seats"] = _play(study, samples["seats"])
    evidence = [own.evidence for own in statistics.values()]
    rivals = "best" in statistics and setting.players > 1 and not together
    gains = _skill(study, setting, plan.bot, samples) if rivals else None
    more = [no_skill(gains)] if gains is not None and gains.games >= FEWEST else []
    if gains is not None and gains.estimate(-1.0, 1.0).low > SKILL:
        more += _strategies(study, statistics["best"], samples)
    test_results = tests(evidence, more)
    climbs = len(plan.budgets) > 1 and not together
    rungs = tuple(ladder(study, setting, plan.budgets, plan.rung_games)) if climbs else ()
    restricted = tuple(_restricted_play(study, statistics["best"], test_results)) if rivals else ()
    figures = [figure for name, own in statistics.items() for figure in own.figures(name)]
    if "deals" in samples:
        figures += _luck_figures(study, samples["deals"])
    if gains is not None:
        figures.append(SampleFigure("skill", FigureKey("skill"), gains.estimate(-1.0, 1.0)))
    course = statistics["best"] if "best" in statistics else statistics["traced"]
    return Report(
        ruleset.name,
        ruleset.info.title.get(DEFAULT, ruleset.name),
        ruleset.hash,
        executor.layout.players,
        tuple(executor.layout.party_names),
        tuple(samples.values()),
        tuple(figures),
        tuple(proven(test_results, {line.of: line.loss for line in restricted})),
        *absent(evidence),
        tuple(line for own in statistics.values() for line in own.card_lines()),
        tuple(line for own in statistics.values() for line in own.action_lines()),
        rungs,
        _ladder_command(setting, plan),
        restricted,
        dict(sorted(statistics["random"].lengths.items())),
        {**statistics["odds"].courses(), **course.courses()},
        course.holdings(),
        {row.id: kind.name for kind in executor.program.kinds for row in kind.definitions},
        askers([executor]),
    )


def _further_samples(setting: Setting, plan: Plan, random: _SampleStatistics) -> dict[str, Sample]:
    """Return all samples but the random one, smaller where games are long.

    Args:
        random: the statistics of random games.
    """
    length = random.evidence.means.estimate(FigureKey("decisions"))
    decisions = max(length.value, 1) if length is not None else 1
    games = min(random.sample.games, int(TRACED_DECISIONS / decisions) + 1)
    traced, odds = min(games, TRACED), min(games, ODDS, int(ODDS_DECISIONS / decisions) + 1)
    deals = min(DEALS, games // GAMES_PER_DEAL)
    settings = {
        "traced": (_seeded(setting, "traced", features=("trace",)), traced),
        "odds": (_seeded(setting, "odds", features=("odds",)), odds),
    }
    if deals > 1:
        settings["deals"] = (_seeded(setting, "deals", deals=deals), deals * GAMES_PER_DEAL)
    searched = min(SEARCHED, int(SEARCHED_DECISIONS / decisions) + 1) if plan.bot_games is None else plan.bot_games
    if plan.bot != "random" and searched and random.is_playable():
        settings["best"] = (_seeded(setting, "best", bots=(plan.bot,), features=("trace", "odds")), searched)
    return {name: _sample(name, own, games) for name, (own, games) in settings.items()}


def _confirmation(best: Sample) -> Sample:
    """Return a sample to test the seats that look biased in games of the best bots: games that raised a suspicion can't
    confirm it (data splitting: Cox, 1975)."""
    setting = _seeded(_unseeded(best), "seats", features=())
    return _sample("seats", setting, CONFIRMATION_FACTOR * best.games)


def _seeded(setting: Setting, sample: str, **more: Any) -> Setting:
    """Return a setting with the seed of a sample and other fields; `setting` has that of the report."""
    return replace(setting, seed=setting.seed + SEED_STEP * SEEDS.index(sample), **more)


def _unseeded(sample: Sample) -> Setting:
    """Return the setting of a sample with the seed of the report."""
    return replace(sample.setting, seed=sample.setting.seed - SEED_STEP * SEEDS.index(sample.name))


def _skill(study: Study, setting: Setting, bot: str, samples: dict[str, Sample]) -> Mean:
    """Play the sample `skill`, about as many games as `best` has, and where thinking may bring nothing more with other
    seeds; return what thinking gains."""
    own, games = _seeded(setting, "skill"), max(samples["best"].games // setting.players, 1)
    gains = skill(study, own, bot, games)
    if gains.estimate(-1.0, 1.0).low <= SKILL:
        own = _seeded(setting, "more_skill")
        games *= CONFIRMATION_FACTOR
        gains = skill(study, own, bot, games)
    samples["skill"] = _sample("skill", skill_settings(own, bot, games)[1], games)
    return gains


def _strategies(study: Study, best: _SampleStatistics, samples: dict[str, Sample]) -> Iterator[Test]:
    """Play a sample for each action that the best bots take nearly always; yield the tests whether that wins alone."""
    setting = _seeded(_unseeded(best.sample), "strategy")
    games = max(best.sample.games // setting.players, 1)
    for action, habit in habits(best.evidence).items():
        settings = strategy_settings(setting, setting.bots[0], action)
        samples["strategy"] = _sample("strategy", settings[0], games)
        shares = strategy(study, settings, games)
        if shares.games >= FEWEST:
            yield one_strategy(action, habit, shares, 1 / best.evidence.executor.layout.parties)


def _sample(name: str, setting: Setting, games: int) -> Sample:
    """Return a sample with its command."""
    return Sample(name, setting, games, command(setting, games))


def _play(study: Study, sample: Sample) -> _SampleStatistics:
    """Play a sample and return its statistics."""
    study.play([(sample.setting, sample.games)])
    return _SampleStatistics(study, sample)


def command(setting: Setting, games: int) -> str:
    """Return the command that plays a setting's games again and prints their figures."""
    parts = ["rulelang lab measure", *_ruleset_arguments(setting)]
    if setting.bots != ("random",):
        parts.append(f"--bot {','.join(setting.bots)}")
    parts += [f"--games {games}", f"--seed {setting.seed}"]
    parts += [f"--feature {feature}" for feature in setting.features]
    if setting.deals:
        parts.append(f"--deals {setting.deals}")
    for flag, rows in (("--without", setting.without), ("--always", setting.always)):
        parts += [f"{flag} {seat}:{sort}:{name}" for seat, sort, name in rows]
    return " ".join(parts)


def _ruleset_arguments(setting: Setting) -> list[str]:
    """Return the arguments that name a setting's ruleset and options."""
    parts = [setting.path, f"--players {setting.players}"]
    parts += [f"--overlay {overlay}" for overlay in setting.overlays]
    return [*parts, *(f"--option {name}={value}" for name, value in setting.options)]


def _ladder_command(setting: Setting, plan: Plan) -> str:
    """Return the command that plays the ladder again."""
    budgets = ",".join(map(str, plan.budgets))
    parts = ["rulelang lab ladder", *_ruleset_arguments(setting), f"--budgets {budgets}", f"--games {plan.rung_games}"]
    return " ".join([*parts, f"--seed {setting.seed}"])


class _SampleStatistics:
    """The statistics of a sample's games, read once."""

    def __init__(self, study: Study, sample: Sample) -> None:
        self.sample = sample
        random = set(sample.setting.bots) == {"random"}
        self.evidence = Evidence(sample.name, study.executor(sample.setting), random)
        self.lengths: Counter[int] = Counter()
        self._courses: dict[str, list[tuple[Mean, Mean]]] = {}
        self._wins = [0.0] * self.evidence.executor.layout.parties
        self._action_means: dict[str, list[list[Mean]]] = {}
        self._holds: dict[str, list[tuple[Mean, Mean]]] = {}
        self._side_games = [0, 0]
        for row in study.rows(sample.setting, sample.games):
            self._add(row)

    def _add(self, row: Row) -> None:
        """Add one more game."""
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
                self._add_course(name, row)
        if "actions" in row:
            self._add_actions(row)

    def _add_course(self, name: str, row: Row) -> None:
        """Add the course of scores or odds of a game, sampled at GRID steps."""
        times, values, winners = row["at"], row[name], row["winners"]
        means = self._courses.setdefault(name, [(Mean(), Mean()) for _ in range(GRID + 1)])
        place = 0
        for step in range(GRID + 1):
            while place + 1 < len(times) and times[place + 1] <= times[-1] * step / GRID:
                place += 1
            for side, value in _side_means(values[place], winners):
                means[step][side].add(value)

    def _add_actions(self, row: Row) -> None:
        """Add the actions and possessions of a game, by side and part."""
        players, winners = range(self.evidence.executor.layout.players), row["winners"]
        for action in {**self._action_means, **row["actions"]}:
            counts = row["actions"].get(action) or [[0] * PARTS for _ in players]
            sides = self._action_means.setdefault(action, [[Mean() for _ in range(PARTS)] for _ in self._side_games])
            for means, games in zip(sides, self._side_games, strict=True):
                for mean in means:
                    mean.skip(games - mean.games)  # games before anybody took it
            for part in range(PARTS):
                for side, value in _side_means([counts[seat][part] for seat in players], winners):
                    sides[side][part].add(value)
        for side, _ in _side_means(players, winners):
            self._side_games[side] += 1
        for part, holds in enumerate(row["holds"]):
            for name, amounts in holds.items():
                means_of_parts = self._holds.setdefault(name, [(Mean(), Mean()) for _ in range(PARTS)])
                for side, value in _side_means(amounts, winners):
                    means_of_parts[part][side].add(value)

    # ---- results

    def is_playable(self) -> bool:
        """Return whether searching bots can play such games: most end by themselves, within LONGEST decisions."""
        games, length = self.evidence.means.games, self.evidence.means.estimate(FigureKey("decisions"))
        return length is not None and self.evidence.stopped < STUCK * games and length.value < LONGEST

    def figures(self, name: str) -> Iterator[SampleFigure]:
        """Yield the figures of the games, without those of cards and actions."""
        for measure in self.evidence.means.measures():
            if not measure.key.of:
                yield SampleFigure(name, measure.key, measure.estimate)
        if len(self._wins) > 1 and any(self._wins) and not self.evidence.executor.layout.together:
            yield SampleFigure(name, FigureKey("uniformity"), entropy(self._wins))

    def _estimate(self, name: str, of: str) -> Estimate | None:
        """Return the estimate of a measure of a card or action."""
        return self.evidence.means.estimate(FigureKey(name, -1, of))

    def card_lines(self) -> Iterator[CardLine]:
        """Yield the line of each card that the games name, in the order of rows."""
        evidence = self.evidence
        if not evidence.traced:
            return
        for kind in evidence.executor.program.kinds:
            for row in kind.definitions:
                had, used = self._estimate("had", row.id), self._estimate("used", row.id)
                offered = evidence.games_offered.get(f"cards:{row.id}")
                contrast = evidence.means.worth.contrasts.get(row.id)
                if (had is not None or used is not None) and len(kind.definitions) > 1:
                    yield CardLine(
                        self.sample.name,
                        row.id,
                        had,
                        used,
                        wilson(evidence.games_taken[f"cards:{row.id}"], offered) if offered else None,
                        contrast.estimate(-1.0, 1.0) if contrast is not None and contrast.games > 1 else None,
                        evidence.means.worth.each(row.id),
                    )

    def action_lines(self) -> Iterator[ActionLine]:
        """Yield the line of each action that was taken, in the order of declaration."""
        for action in declared_actions(self.evidence.executor):
            taken = self._estimate("taken", action)
            if taken is not None and action in self._action_means:
                rate = self.evidence.rate(action)
                winners, others = (tuple(mean.estimate() for mean in side) for side in self._action_means[action])
                yield ActionLine(self.sample.name, action, taken, winners, others, rate)

    def courses(self) -> dict[str, tuple[Pair, ...]]:
        """Return the mean courses of scores and odds, of later winners and of the others."""
        return {name: _pairs(means) for name, means in self._courses.items()}

    def holdings(self) -> dict[str, tuple[Pair, ...]]:
        """Return the mean possessions at the ends of the parts of a game."""
        return {name: _pairs(means) for name, means in self._holds.items()}


def _pairs(means: Sequence[tuple[Mean, Mean]]) -> tuple[Pair, ...]:
    """Return the estimates of pairs of means."""
    return tuple((a.estimate(), b.estimate()) for a, b in means)


def _side_means(values: Sequence[float], winners: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield the mean over the winners (side 0) and over the others (side 1) of a game, if there are any."""
    for side in (0, 1):
        own = [value for party, value in enumerate(values) if (party not in winners) == side]
        if own:
            yield side, fmean(own)


def _luck_figures(study: Study, sample: Sample) -> Iterator[SampleFigure]:
    """Yield for each seat the share of the variance of its wins that the deal explains: games with the same deals and
    other seeds of the bots."""
    deals, seats = sample.setting.deals, sample.setting.players
    groups: list[list[list[float]]] = [[[] for _ in range(deals)] for _ in range(seats)]
    for row in study.rows(sample.setting, sample.games):
        if "error" in row:
            return
        for seat in range(seats):
            groups[seat][row["game"] % deals].append(share(row, seat))
    for seat in range(seats):
        yield SampleFigure(sample.name, FigureKey("luck", seat), explained(groups[seat]))


def _restricted_play(study: Study, best: _SampleStatistics, test_results: Sequence[Test]) -> Iterator[Restricted]:
    """Play without each of the cards and actions that tests suspect most; yield the losses."""
    sorts = {"dead_card": "card", "dominant_card": "card", "useless_action": "action"}
    about = [t for t in test_results if t.flaw in sorts and t.figure != "met" and t.chance < SUSPECTED]
    about.sort(key=lambda test: (not test.found, test.chance, test.of))
    chosen = list(dict.fromkeys((sorts[test.flaw], test.of) for test in about))[:RESTRICTED]
    seats = best.sample.setting.players
    each = max(best.sample.games // seats, 1)
    plain = _seeded(_unseeded(best.sample), "without", features=())
    pairs = {(sort, of): forced_settings(plain, "without", sort, of, seats) for sort, of in chosen}
    study.play([(own, each) for settings in pairs.values() for own in (plain, *settings)])
    for (sort, of), settings in pairs.items():
        loss = Mean(-gain for gain in forced_gains(study, plain, settings, each))
        yield Restricted(sort, of, loss.estimate(-1.0, 1.0), command(settings[0], each))
