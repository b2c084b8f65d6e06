"""Statistical tests for flaws of a game, corrected for multiple testing.

Enters: rows of a study. Leaves: `Test`s, of which those that are found are findings. Hypotheses are about the cards
that the layout has and the actions that were offered; `absent` lists the others. Every test is of a minimal effect:
its null hypothesis is that the figure lies on the harmless side of `bound`. Where a flaw needs two conditions the
p-value is the greater of both (intersection-union, Berger 1982). The family-wise error rate of a report is at most 5 %
(Holm). docs/lab.md lists the tests.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from rulelang.compare import action_name, rejected
from rulelang.execution.executor import Executor
from rulelang.ir.nodes import Decision, Procedure, Return
from rulelang.ir.walk import successors
from rulelang.lab.measures import FigureKey, Means, by_odds, declared_actions, leading
from rulelang.lab.statistics import Estimate, Mean, binomial_tail, poisson_head, wilson
from rulelang.lab.study import Row
from rulelang.runtime.sight import has_secrets

SEAT = 0.15
"""Harmless deviation of a seat's share of the win from its equal share, as a part of that."""
STOPPED = 0.01
"""Harmless share of games that `limits` ends."""
EARLY = 1 / 3
"""Part of a game after which leads are tested."""
FEEDBACK, DECIDED = 0.15, 0.7
"""Harmless gain in the chance of winning that an early lead brings beyond itself; harmless part, of what is more than
an equal share, that those with the best early odds win."""
TAKEN = 0.25
"""Least rate at which good bots take a useful action, relative to uniform choice."""
POSSIBLE = 0.01
"""Least share of random games in which an action or card that can be chosen is."""
PICKED, PEERS = 0.15, 0.3
"""Least share of the games that offer a useful card in which good bots choose it, if the median of its kind is at least
PEERS; the same of the times that they choose it in the main action of its kind."""
WORTH, ABOVE, ALONE = 0.4, 0.3, 0.7
"""Harmless lead in the share of the win of a card's owners: over other seats; over the median of at least two other
cards of the kind; over other seats if there are fewer."""
SKILL, HABIT = 0.05, 0.6
"""Least part of what is more than an equal share that thinking must bring; harmless part of the times that an action is
offered with others in which good bots take it."""
NEEDLESS = 0.05
"""Most that going without it may cost of the win, surely, if what good bots seldom choose is to be a flaw."""
FEWEST = 30
"""Fewest games, or choices, for a test."""


@dataclass(frozen=True)
class Test:
    """A test of a null hypothesis.

    Attributes:
        flaw: what a rejection shows. of: the card or action, or its part, as `traces.CountedNames` has it
            (`discard:hoard`, `dig:tin`); seat: the seat; else empty, -1.
        sample: of games. figure: the figure, in the words of docs/lab.md. estimate: its value. bound: of the harmless
            side.
        chance: the p-value. found: whether the null hypothesis is rejected.
        random: whether random play alone shows it: bots that choose at random played the sample, and in games of better
            bots the figure is not beyond its bound on that side.
        unproven: whether good bots seldom choose it, and restricted play does not show that nobody needs it.
    """

    flaw: str
    of: str
    seat: int
    sample: str
    figure: str
    estimate: Estimate
    bound: float
    chance: float
    found: bool = False
    random: bool = False
    unproven: bool = False


class Evidence:
    """The statistics of one sample that tests need, added up game by game.

    Attributes:
        offered: name of a table of `traces`, colon, and an action, a card or both -> decisions at which it could be
            chosen among others, at which it was, expected by chance; games_offered, games_taken: numbers of games.
        means: of all figures. stopped, traced, searched: games that ended by a limit or error, with a trace, with
            searches. actions, met: the names of those taken; of those offered. early_odds: whether who led the odds
            early has won. feedback, conversion: what a lead does (see `_add_lead`). secrets: whether seats have any.
            random: whether all bots choose at random.
    """

    def __init__(self, sample: str, executor: Executor, random: bool = True) -> None:
        self.sample, self.executor, self.random = sample, executor, random
        self.secrets = has_secrets(executor.program)  # then odds, which see all, tell of the deal more than of a lead
        self.means = Means(executor.layout.together, players=executor.layout.players)
        self.offered: dict[str, list[float]] = {}
        self.games_offered: dict[str, int] = {}
        self.games_taken: dict[str, int] = {}
        self.feedback, self.conversion, self.early_odds = Mean(), Mean(), Mean()
        self.stopped, self.traced, self.searched = 0, 0, 0
        self.actions: set[str] = set()
        self.met: set[str] = set()

    def add(self, row: Row) -> None:
        """Add one more game."""
        self.means.add(row)
        if "error" in row:
            self.stopped += 1
            return
        self.stopped += row["ended_by_limit"]
        if "odds" in row and len(row["winners"]) == 1 and not self.secrets:
            leader = leading(row["odds"][: _early(row) + 1], by_odds(row))[-1]
            if leader >= 0:
                self.early_odds.add(float(leader in row["winners"]))
        if "curve" not in row:
            return
        self.traced += 1
        self.searched += row["looks"][0] > 0
        self.actions.update(row["actions"])
        self.met.update(row["met"])
        self._add_choices(row)
        self._add_lead(row)

    def rate(self, action: str) -> Estimate | None:
        """Return how often searching bots take an action for each time that uniform choice would."""
        _, taken, expected = self.offered.get(f"offered:{action}", (0, 0, 0))
        return _rate(taken, expected) if expected else None

    def _add_choices(self, row: Row) -> None:
        """Add how often each action and card was offered and taken."""
        for table in ("offered", "cards", "ways"):
            for name, offer in row[table].items():
                key = f"{table}:{name}"
                total = self.offered.setdefault(key, [0.0, 0.0, 0.0])
                self.offered[key] = [a + b for a, b in zip(total, offer, strict=True)]
                self.games_offered[key] = self.games_offered.get(key, 0) + 1
                self.games_taken[key] = self.games_taken.get(key, 0) + (offer[1] > 0)

    def _add_lead(self, row: Row) -> None:
        """Add whether the early leader won, and that less its chance if all rotations of the later gains among the
        parties were equally likely, as they are if gains do not depend on the lead."""
        curve, place = row["curve"], _early(row)
        if place < 1 or len(curve[0]) < 2 or len(row["winners"]) != 1 or max(curve[-1]) == min(curve[-1]):
            return
        low = self.executor.program.winner.ranking == "fewest"
        sign = -1 if low else 1
        now, end = ([sign * score for score in curve[point]] for point in (place, -1))
        winner, best = row["winners"][0], max(now)
        if end[winner] < max(end) or now.count(best) > 1:
            return
        leader, parties = now.index(best), len(now)
        gains = [last - first for last, first in zip(end, now, strict=True)]
        expected = 0.0
        for turn in range(parties):
            finals = [now[party] + gains[(party + turn) % parties] for party in range(parties)]
            if finals[leader] == max(finals):
                expected += 1 / finals.count(max(finals)) / parties
        self.conversion.add(float(leader == winner))
        self.feedback.add(float(leader == winner) - expected)


def _early(row: Row) -> int:
    """Return the index of the last point of a game's course before `EARLY` of it is over."""
    return max(place for place, at in enumerate(row["at"]) if at <= EARLY * row["at"][-1])


# ---- tests


def tests(samples: Sequence[Evidence], more: Sequence[Test]) -> list[Test]:
    """Return all tests of a game, with those found marked.

    Args:
        samples: random games first, games of the best bots last. more: further tests, to be corrected with these.
    """
    results = [test for evidence in samples for test in _outcome_tests(evidence)]
    results += [test for evidence in samples for test in _lead_tests(evidence)]
    of_choices = (_useless, _unpicked, _misused, _dominant)
    results += [test for evidence in samples for tests_of in of_choices for test in tests_of(evidence)]
    results += [*_impossible(samples), *more]
    rejections = rejected([test.chance for test in results])
    random = {evidence.sample for evidence in samples if evidence.random}
    shown = {_side(test) for test in results if not random.issuperset(test.sample.split(" + "))}
    return [
        replace(test, found=rejection, random=_side(test) not in shown)
        for test, rejection in zip(results, rejections, strict=True)
    ]


def _side(test: Test) -> tuple[str, str, int, str, bool]:
    """Return what a test is about, and on which side of the bound the figure lies."""
    return test.flaw, test.of, test.seat, test.figure, test.estimate.value > test.bound


def surest(results: Sequence[Test], random: bool) -> tuple[Test, ...]:
    """Return the tests that found a flaw: of several of one flaw the surest, and none of a value in an action
    (`discard:hoard`) where the whole card or action is found.

    Args:
        random: those that better bots do not show, instead of those that they do. A game that does not end is a flaw
            where no better bots play it.
    """
    best: dict[tuple[str, str, int], Test] = {}
    for test in sorted((test for test in results if test.found), key=lambda test: (test.random, test.chance)):
        best.setdefault((test.flaw, test.of, test.seat), test)
    judged = any(not test.random for test in results)
    best = {k: t for k, t in best.items() if (t.random and (judged or t.flaw != "deadlock")) == random}
    wholes = {key: test.of.split(":") for key, test in best.items() if ":" in test.of}
    return tuple(t for key, t in best.items() if not any((t.flaw, of, -1) in best for of in wholes.get(key, ())))


def proven(results: Sequence[Test], losses: Mapping[str, Estimate]) -> list[Test]:
    """Return the tests, with those marked as unproven by which good bots seldom choose what they may need.

    Args:
        losses: card or action -> what going without it costs of the win.
    """

    def unproven(test: Test) -> bool:
        loss, chosen = losses.get(test.of), test.flaw in ("useless_action", "dead_card") and test.figure != "met"
        return test.found and chosen and (loss is None or loss.high > NEEDLESS)

    return [replace(test, unproven=unproven(test)) for test in results]


def _outcome_tests(evidence: Evidence) -> Iterator[Test]:
    """Yield the tests for deadlocks and biased seats."""
    games, layout = evidence.means.games, evidence.executor.layout
    if games < FEWEST:
        return
    stopped = wilson(evidence.stopped, games)
    chance = binomial_tail(evidence.stopped, games, STOPPED)
    yield Test("deadlock", "", -1, evidence.sample, "stopped", stopped, STOPPED, chance)
    if layout.players < 2 or layout.together:
        return
    equal = 1 / layout.parties
    for seat in range(layout.players):
        estimate = evidence.means.estimate(FigureKey("win_share", seat))
        mean = evidence.means.mean(FigureKey("win_share", seat))
        if estimate is None or mean is None:
            continue
        above = estimate.value >= equal
        bound = equal * (1 + SEAT if above else 1 - SEAT)
        chance = mean.beyond(bound) if above else 1 - mean.beyond(bound)
        yield Test("seat_bias", "", seat, evidence.sample, "win_share", estimate, bound, min(2 * chance, 1.0))


def unequal(evidence: Evidence) -> bool:
    """Return whether a seat's share of the win is outside its harmless bounds in these games, surely or not."""
    seats = [test for test in _outcome_tests(evidence) if test.flaw == "seat_bias"]
    equal = 1 / evidence.executor.layout.parties
    return any(abs(test.estimate.value - equal) > equal * SEAT for test in seats)


def _lead_tests(evidence: Evidence) -> Iterator[Test]:
    """Yield the tests for runaway leaders."""
    if evidence.executor.layout.together:
        return
    equal = 1 / evidence.executor.layout.parties
    for mean, bound, figure in (
        (evidence.feedback, FEEDBACK, "feedback"),
        (evidence.early_odds, equal + DECIDED * (1 - equal), "conversion"),
    ):
        if mean.games >= FEWEST:
            estimate = mean.estimate(-1.0 if figure == "feedback" else 0.0, 1.0)
            yield Test("runaway_leader", "", -1, evidence.sample, figure, estimate, bound, mean.beyond(bound))


def no_skill(gains: Mean) -> Test:
    """Return the test whether thinking makes no difference.

    Args:
        gains: see `rulelang.lab.skill.skill`.
    """
    return Test("no_skill", "", -1, "skill", "skill", gains.estimate(-1, 1), SKILL, 1 - gains.beyond(SKILL))


def habits(evidence: Evidence) -> dict[str, float]:
    """Return the actions that searching bots nearly always take where they can, each with the chance of that if they
    took it in HABIT of the times."""
    passes, found = passing_actions(evidence.executor), dict[str, float]()
    for key, (offered, taken, _) in sorted(evidence.offered.items()):
        table, _, name = key.partition(":")
        if table == "offered" and offered >= FEWEST and ":" not in name and name not in passes:
            if taken > HABIT * offered:
                found[name] = binomial_tail(int(taken), int(offered), HABIT)
    return found


def one_strategy(action: str, habit: float, shares: Mean, equal: float) -> Test:
    """Return the test whether one strategy wins: to take an action wherever one can.

    Args:
        habit: see `habits`. shares: of the win that it has among the best bots. equal: an equal share.
    """
    bound = equal * (1 - SEAT)
    chance = max(habit, shares.beyond(bound))
    return Test("one_strategy", action, -1, "strategy", "alone", shares.share(), bound, chance)


def _useless(evidence: Evidence) -> Iterator[Test]:
    """Yield a test for each action, and each value chosen in one, but not for declining: whether good bots hardly take
    it."""
    passes = passing_actions(evidence.executor)
    for key, (_, taken, expected) in sorted(evidence.offered.items()):
        table, _, name = key.partition(":")
        if table == "offered" and expected >= FEWEST and name.partition(":")[0] not in passes:
            rate, chance = _rate(taken, expected), poisson_head(int(taken), TAKEN * expected)
            yield Test("useless_action", name, -1, evidence.sample, "taken", rate, TAKEN, chance)


def _rate(taken: float, expected: float) -> Estimate:
    """Return the ratio of a count to its expectation, with the interval of a Poisson count (Byar)."""
    low = taken * (1 - 1 / (9 * taken) - 1.96 / (3 * taken**0.5)) ** 3 if taken else 0.0
    more = taken + 1
    high = more * (1 - 1 / (9 * more) + 1.96 / (3 * more**0.5)) ** 3
    return Estimate(taken / expected, low / expected, high / expected, round(expected))


def _peers(executor: Executor) -> list[list[str]]:
    """Return the ids of the rows of each kind of which the layout has pieces."""
    layout = executor.layout
    return [
        [kind.definitions[row].id for row in sorted({layout.item_definition[i] for i in items if layout.copies[i]})]
        for kind, items in zip(executor.program.kinds, layout.kind_items, strict=True)
    ]


def absent(samples: Sequence[Evidence]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what no test is about: the cards of which the layout has no piece, and the actions that none of the traced
    games offered."""
    executor = samples[0].executor
    present = {card for ids in _peers(executor) for card in ids}
    cards = [row.id for kind in executor.program.kinds for row in kind.definitions if row.id not in present]
    met = {action for evidence in samples for action in evidence.met}
    traced = any(evidence.traced for evidence in samples)
    return tuple(cards), tuple(action for action in declared_actions(executor) if traced and action not in met)


def _unpicked(evidence: Evidence) -> Iterator[Test]:
    """Yield a test for each card: whether good bots hardly choose it where offered, while they choose others of its
    kind."""
    for ids in _peers(evidence.executor):
        counts = {
            card: (evidence.games_taken[key], evidence.games_offered[key])
            for card in ids
            if (key := f"cards:{card}") in evidence.games_offered
        }
        yield from _seldom(evidence, "picked", counts, "", ())


def _misused(evidence: Evidence) -> Iterator[Test]:
    """Yield a test for each card: whether good bots hardly choose it in the main action of its kind. It may be too good
    for that: a card whose owners surely win more than those of the median one is not dead."""
    for ids in _peers(evidence.executor):
        counts: dict[str, dict[str, tuple[float, float]]] = {}
        for key, (offered, taken, _) in sorted(evidence.offered.items()):
            table, _, name = key.partition(":")
            action, _, card = name.rpartition(":")
            if table == "ways" and card in ids:
                counts.setdefault(action, {})[card] = taken, offered
        if counts:
            main = max(counts, key=lambda action: sum(taken for taken, _ in counts[action].values()))
            contrasts = evidence.means.worth.contrasts
            worth = {c: contrasts[c].estimate(-1.0, 1.0) for c in counts[main] if c in contrasts}
            good = [card for card, of in worth.items() if of.low > median(other.value for other in worth.values())]
            yield from _seldom(evidence, "used_so", counts[main], f"{main}:", good)


def _seldom(
    evidence: Evidence, figure: str, counts: Mapping[str, tuple[float, float]], prefix: str, good: Collection[str]
) -> Iterator[Test]:
    """Yield a test for each card of a kind: whether it is seldom taken where offered.

    Args:
        counts: card -> how often taken and offered. prefix: of the names of tests. good: cards that are not dead.
    """
    typical = median(taken / offered for taken, offered in counts.values()) if len(counts) > 2 else 0.0
    for card, (taken, offered) in counts.items():
        if offered >= FEWEST and typical >= PEERS:
            chance = 1.0 if card in good else binomial_tail(int(offered - taken), int(offered), 1 - PICKED)
            share = wilson(taken, int(offered))
            yield Test("dead_card", f"{prefix}{card}", -1, evidence.sample, figure, share, PICKED, chance)


def _dominant(evidence: Evidence) -> Iterator[Test]:
    """Yield a test for each card: whether its owners win far more than other seats, and than owners of other cards of
    its kind."""
    for ids in _peers(evidence.executor):
        if not any(_games_with_card(evidence, card) for card in ids):
            continue
        known = {card: evidence.means.worth.contrasts[card] for card in ids if card in evidence.means.worth.contrasts}
        for card, mean in known.items():
            beside = [other.mean for name, other in known.items() if name != card and other.games >= FEWEST]
            if mean.games >= FEWEST:
                bound = max(WORTH, median(beside) + ABOVE) if len(beside) > 1 else ALONE
                chance = mean.beyond(bound)
                estimate = mean.estimate(-1.0, 1.0)
                yield Test("dominant_card", card, -1, evidence.sample, "worth", estimate, bound, chance)


def _impossible(samples: Sequence[Evidence]) -> Iterator[Test]:
    """Yield a test for each action that was offered, and each card of a kind that is chosen, that no game saw taken."""
    traced = [evidence for evidence in samples if evidence.traced]
    if not traced:
        return
    games = sum(evidence.traced for evidence in traced)
    executor, chance = traced[0].executor, (1 - POSSIBLE) ** games
    none, sample = wilson(0, games), " + ".join(evidence.sample for evidence in traced)
    met = {action for evidence in traced for action in evidence.met}
    for action in (action for action in declared_actions(executor) if action in met):
        if not any(action in evidence.actions for evidence in traced):
            yield Test("useless_action", action, -1, sample, "met", none, POSSIBLE, chance)
    for ids in _peers(executor):
        rates = {card: sum(_games_with_card(evidence, card) for evidence in traced) / games for card in ids}
        if len(ids) > 2 and median(rates.values()) >= PEERS / 3:
            for card in ids:
                if not rates[card]:
                    yield Test("dead_card", card, -1, sample, "met", none, POSSIBLE, chance)


def _games_with_card(evidence: Evidence, card: str) -> float:
    """Return in about how many games a card was chosen."""
    estimate = evidence.means.estimate(FigureKey("used", -1, card))
    return estimate.value * evidence.means.games if estimate is not None else 0.0


def passing_actions(executor: Executor) -> frozenset[str]:
    """Return the names of the actions that only decline the others of their menus: they change nothing, and the game
    continues where it does after another one, or leaves the rule."""
    program = executor.program
    by_name: dict[str, list[bool]] = {}
    for decision in program.decisions:
        for item in range(len(decision.items)):
            declines = _declines(program.procedures[decision.procedure], decision, item)
            by_name.setdefault(action_name(decision, item), []).append(declines)
    return frozenset(name for name, all_decline in by_name.items() if all(all_decline))


def _declines(procedure: Procedure, decision: Decision, item: int) -> bool:
    """Return whether an item has no block of its own, or one that only leaves the rule."""
    start, others = decision.items[item].to, [other.to for other in decision.items if other is not decision.items[item]]
    block = procedure.blocks[start]
    if not block.statements and block.terminator == Return(None):
        return bool(others)
    entered: set[int] = set()
    while others:
        following = successors(procedure.blocks[others.pop()].terminator, ())  # none where somebody is asked
        others += [to for to in following if to not in entered]
        entered.update(following)
    return start in entered
