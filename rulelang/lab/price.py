"""What a card or an action should cost: the value of a figure at which it is as good to be forced to have it as to go
without it.

Enters: a study, a setting, a figure with its values, a card or action. Leaves: a `PricePoint` for each value, and the
`Price`: the value of indifference with its interval, and how many games would tell its neighbours apart.

Restricted play in both directions (after Jaffe et al., Evaluating competitive game balance with restricted play,
2012): in games of the best bots one seat takes it wherever it can, and with the same seed goes without it. A block
goes through all seats, so that none counts more. Games go to the values that are not decided yet (successive
elimination: Even-Dar, Mannor, Mansour, Action elimination and stopping conditions, 2006); the effects of all values
then are made to fall with the price (isotonic regression: Barlow and others, 1972), and the price is where they pass
0. Its interval is a parametric bootstrap of that. Values have seeds of their own, so that their errors are
independent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import ceil, inf
from random import Random

from rulelang.diagnostics import UsageError, counted
from rulelang.lab.figures import Variation
from rulelang.lab.measures import FORCED, FigureKey, Means, check_measure, declared_actions
from rulelang.lab.statistics import LEVEL, POWERED, Estimate, Mean
from rulelang.lab.study import SEED_STEP, Setting, Study, forced_settings, share
from rulelang.lab.sweeps import SweptField

FIRST = 8
"""Blocks of a value before it may be decided."""
DRAWS = 1000
"""Bootstrap samples of the price."""


@dataclass(frozen=True)
class PricePoint:
    """What games say of one value of the figure.

    Attributes:
        taken: of the games of best bots the share in which one chose it; None of an action. always, without: the share
            of the win that a seat gains by taking it wherever it can, loses by going without it, beside free play.
            effect: of always taking it less that of going without it. blocks: of so many seats each.
        verdict: `cheap` if the effect surely is positive, `dear` if it is negative, else `open`.
    """

    value: str
    taken: Estimate | None
    always: Estimate
    without: Estimate
    effect: Estimate
    blocks: int
    verdict: str


@dataclass(frozen=True)
class Price:
    """The result.

    Attributes:
        price: the value of indifference with its interval, beyond the values infinite; None where values are words.
        between: the two values that it lies between, if it does. more: how many more games would tell these apart; None
            if they do already, or no number would.
        games: played in all.
    """

    of: str
    figure: str
    points: tuple[PricePoint, ...]
    price: Estimate | None
    between: tuple[str, str] | None
    more: int | None
    games: int

    def to_json(self) -> dict[str, object]:
        """Return the result as JSON-able values; what is infinite as null."""
        document = asdict(self)
        if self.price is not None:
            document["price"] = {k: None if abs(v) == inf else v for k, v in asdict(self.price).items()}
        return document


class _Arm:
    """A value of the figure, with its settings and what their games came to."""

    def __init__(self, value: str, free: Setting, sort: str, of: str, players: int) -> None:
        self.value, self.free, self._of, self._sort = value, free, of, sort
        self.forced = {how: forced_settings(free, how, sort, of, players) for how in FORCED}
        self.blocks, self.decided = 0, False
        self.effect, self.sides = Mean(), {name: Mean() for name in FORCED}
        self.means = Means(players=players)

    @property
    def settings(self) -> list[Setting]:
        """Return the settings of all games of a block."""
        return [self.free, *(own for settings in self.forced.values() for own in settings)]

    def read(self, study: Study, blocks: int) -> None:
        """Add the games of the blocks up to a number."""
        games = zip(*(study.rows(own, blocks) for own in self.settings), strict=True)
        players = len(self.forced["always"])
        for number, (free, *forced) in enumerate(games):
            if number < self.blocks or any("error" in row for row in (free, *forced)):
                continue
            self.means.add(free)
            seats = range(players)
            base, without, always = (
                sum(share(row, seat) for row, seat in zip(rows, seats, strict=True)) / players
                for rows in ([free] * players, forced[:players], forced[players:])
            )
            self.effect.add(always - without)
            self.sides["always"].add(always - base)
            self.sides["without"].add(base - without)
        self.blocks = blocks

    def point(self, level: float) -> PricePoint:
        """Return what the games say; the verdict holds with an error of `level`."""
        effect = self.effect.estimate(-1.0, 1.0)
        sure = self.effect.estimate(-1.0, 1.0, level)
        verdict = "cheap" if sure.low > 0 else "dear" if sure.high < 0 else "open"
        taken = self.means.estimate(FigureKey("used", -1, self._of)) if self._sort == "card" else None
        if taken is None and self._sort == "card" and ":" not in self._of:
            taken = Mean([0.0] * self.blocks).share()
        without, always = (self.sides[name].estimate(-1.0, 1.0) for name in FORCED)
        return PricePoint(self.value, taken, always, without, effect, self.blocks, verdict)


def price(study: Study, setting: Setting, variation: Variation, of: str, games: int) -> Iterator[Price]:
    """Play games with each value of a figure until all are decided or so many games are played; yield the result after
    each round.

    Args:
        setting: with its bots. of: a card or an action, or a card in an action, `buy:hut`.

    Raises:
        UsageError: there is no such card or action, a value can't be, or the games have no rivals.
    """
    with SweptField(study, setting, [variation]) as field:
        layout = field.executor.layout
        if layout.together or layout.players < 2:
            raise UsageError("a price is found by who wins: it needs two players or more that do not win together")
        action, _, card = of.partition(":")
        check_measure(field.executor, f"always.{action}", False, True)
        sort = "action" if not card and of in declared_actions(field.executor) else "card"
        arms = []
        for number, value in enumerate(variation.values):
            own = replace(field.setting({variation.figure: value}), seed=setting.seed + SEED_STEP * number)
            arms.append(_Arm(value, replace(own, features=("trace",)), sort, of, layout.players))
        each = len(arms[0].settings)
        looks = max(1, (max(games // each // len(arms), FIRST) // FIRST).bit_length() + 1)
        level = LEVEL / looks / len(arms)
        blocks = FIRST
        while left := [arm for arm in arms if not arm.decided]:
            played = sum(arm.blocks for arm in arms) * each
            blocks = min(blocks, max(arm.blocks for arm in left) + max(0, games - played) // (each * len(left)))
            if blocks <= max(arm.blocks for arm in left):
                break
            study.play([(own, blocks) for arm in left for own in arm.settings])
            for arm in left:
                arm.read(study, blocks)
                arm.decided = arm.point(level).verdict != "open"
            blocks *= 2
            yield _result(of, variation, arms, level, each)


def _result(of: str, variation: Variation, arms: Sequence[_Arm], level: float, each: int) -> Price:
    """Return the result of what was played so far."""
    points = tuple(arm.point(level) for arm in arms)
    played = sum(arm.blocks for arm in arms) * each
    try:
        values = [float(arm.value) for arm in arms]
    except ValueError:
        return Price(of, variation.name, points, None, None, None, played)
    order = sorted(range(len(arms)), key=values.__getitem__)
    effects = [arms[n].effect for n in order]
    estimate = indifference([values[n] for n in order], effects)
    between, more = None, None
    for (a, left), (b, right) in pairwise([(n, arms[n].effect) for n in order]):
        if values[a] <= estimate.value < values[b]:
            between = arms[a].value, arms[b].value
            gap = left.mean - right.mean
            spread = left.error**2 * left.games + right.error**2 * right.games
            needed = ceil(POWERED**2 * spread / gap**2) if gap > 0 else None
            missing = None if needed is None else max(needed - min(left.games, right.games), 0) * 2 * each
            more = missing or None
    return Price(of, variation.name, points, estimate, between, more, played)


def indifference(values: Sequence[float], effects: Sequence[Mean]) -> Estimate:
    """Return where effects that fall with a value pass 0, with its interval; infinite where they do not.

    Args:
        values: rising.
    """
    weights = [1 / max(effect.error, 1e-9) ** 2 for effect in effects]
    random = Random(len(values))
    drawn = sorted(
        _root(values, _falling([random.gauss(effect.mean, effect.error) for effect in effects], weights))
        for _ in range(DRAWS)
    )
    cut = int(DRAWS * LEVEL / 2)
    root = _root(values, _falling([effect.mean for effect in effects], weights))
    games = sum(effect.games for effect in effects)
    return Estimate(root, min(drawn[cut], root), max(drawn[-cut - 1], root), games)


def _falling(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the nearest values that nowhere rise, by weighted squares (pool adjacent violators)."""
    pools: list[list[float]] = []
    for value, weight in zip(values, weights, strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] < pools[-1][0]:
            (a, wa, na), (b, wb, nb) = pools[-2:]
            pools[-2:] = [[(a * wa + b * wb) / (wa + wb), wa + wb, na + nb]]
    return [value for value, _, count in pools for _ in range(int(count))]


def _root(values: Sequence[float], effects: Sequence[float]) -> float:
    """Return where effects pass 0, between values in proportion; the middle of several at 0."""
    zeros = [value for value, effect in zip(values, effects, strict=True) if effect == 0]
    if zeros:
        return (zeros[0] + zeros[-1]) / 2
    if effects[0] < 0:
        return -inf
    for (a, left), (b, right) in pairwise(zip(values, effects, strict=True)):
        if left > 0 > right:
            return a + (b - a) * left / (left - right)
    return inf


# ---- whether a ruleset is fair

UNFAIR = 0.15
"""Harmless deviation of a seat's share of the win, as a part of an equal share."""


@dataclass(frozen=True)
class Fairness:
    """How games of one number of players end.

    Attributes:
        seats: each seat's share of the win. figures: name -> means of the game. ends: reason -> how many games.
        verdict: `fair` if all seats surely lie within `UNFAIR` of an equal share, `unfair` if one surely does not, else
            `open`; empty where nobody has a rival. more: about how many games more would decide that, if seats are
            alike.
    """

    players: int
    games: int
    seats: tuple[Estimate, ...]
    figures: Mapping[str, Estimate]
    ends: Mapping[str, int]
    verdict: str
    more: int | None


def fairness(study: Study, setting: Setting, numbers: Sequence[int], games: int) -> Iterator[Fairness]:
    """Play games for each number of players until it is decided whether seats are alike; yield what they say.

    Args:
        games: of each number of players at most.
    """
    for players in numbers:
        own, count = replace(setting, players=players), 0
        together, equal = study.executor(own).layout.together, 1 / study.executor(own).layout.parties
        looks = (max(games // FIRST, 1)).bit_length()
        while count < games:
            count = min(max(2 * count, 2 * FIRST), games)
            study.play([(own, count)])
            means, ends = Means(together), dict.fromkeys(("won", "drawn", "limit", "failed"), 0)
            for row in study.rows(own, count):
                means.add(row)
                ends[_end(row)] += 1
            seats = [means.mean(FigureKey("win_share", seat)) for seat in range(players)]
            known = [mean for mean in seats if mean is not None and players > 1 and not together]
            level = LEVEL / looks / max(len(known), 1)
            sure = [mean.estimate(0.0, 1.0, level) for mean in known]
            low, high = equal * (1 - UNFAIR), equal * (1 + UNFAIR)
            fair = all(low <= one.low and one.high <= high for one in sure)
            unfair = any(one.high < low or one.low > high for one in sure)
            if known and (fair or unfair):
                break
        verdict = "" if not known else "fair" if fair else "unfair" if unfair else "open"
        named = {m.key.name: m.estimate for m in means.measures() if m.key.seat < 0 and not m.key.of}
        shares = tuple(mean.share() for mean in known)
        more = None
        if verdict == "open":
            widest = max(one.high - one.low for one in sure) / 2
            more = max(ceil(count * ((widest / (equal * UNFAIR)) ** 2 - 1)), count // 2)
        yield Fairness(players, count, shares, named, ends, verdict, more)


def _end(row: Mapping[str, object]) -> str:
    """Return why a game ended."""
    if "error" in row:
        return "failed"
    return "limit" if row["ended_by_limit"] else "drawn" if not row["winners"] else "won"


def said(result: Price) -> str:
    """Return the result in words."""
    if result.price is None:
        return "values are words: no price lies between them"
    found = result.price
    ends = [point.value for point in result.points]
    if found.value == -inf:
        return f"{result.of} is too dear at {ends[0]} already"
    if found.value == inf:
        return f"{result.of} is too cheap at {ends[-1]} still"
    low = f"{found.low:.1f}" if found.low > -inf else f"below {ends[0]}"
    high = f"{found.high:.1f}" if found.high < inf else f"above {ends[-1]}"
    text = f"fair at {found.value:.1f} (95 %: {low} to {high})"
    if result.more and result.between:
        text += f"; needs {counted(result.more, 'more game')} to tell {result.between[0]} from {result.between[1]}"
    return text
