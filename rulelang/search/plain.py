"""The same search with the interpreter, where there is no compiler: one tree, far slower.

Enters: an executor, a state, a seat. Leaves: visits and values of its options. In games without secrets the answers are
those of native code (c/pilot.h, c/search.h), number for number; else worlds come from `rulelang.runtime.rejection`,
and the answers are others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import isqrt
from typing import NamedTuple

from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.ir.types import ABSENT_NUMBER
from rulelang.ismcts.library import ONE
from rulelang.runtime.outcome import winners
from rulelang.runtime.rng import MASK, output, seeded, uniform
from rulelang.runtime.state import SCORED, State
from rulelang.runtime.waiting import Option
from rulelang.search.evaluation import Evaluation
from rulelang.search.finding import OptionStats
from rulelang.search.options import SearchOptions

LISTED, FEW = 512, 8
TRIED = 16
"""Options that a greedy rollout tries at most."""
LN2 = 45426
"""ln 2, of 16 bits."""
LARGEST = 1 << 20
EVERY = 16
"""A world that came by rejection serves so many iterations: it takes far longer than they do."""


class Node:
    """A place of the tree: what follows it, how often a choice was made there; of the action that leads to it how
    often it was taken, could be taken, the sum of the mover's utilities, its regret, the sum of its probabilities."""

    __slots__ = ("available", "children", "choices", "hint", "regret", "share", "value", "visits")

    def __init__(self, hint: int) -> None:
        self.children: dict[tuple[Option, int], Node] = {}
        self.choices = self.visits = self.available = self.value = self.regret = self.share = 0
        self.hint = hint


class Step(NamedTuple):
    """A choice of an iteration: the node behind it, who made it; by regret matching, what its seat's options have in
    common, its probability by regret, and that with which it was taken."""

    node: Node
    seat: int
    common: Node | None = None
    share: int = 0
    taken: int = 1


class PlainTree:
    """One search.

    Args:
        world: gives worlds, each of which serves `EVERY` iterations; None: nobody has secrets.
    """

    def __init__(
        self,
        executor: Executor,
        state: State,
        seat: int,
        seed: int,
        options: SearchOptions,
        world: Callable[[], State] | None = None,
        evaluation: Evaluation | None = None,
    ) -> None:
        self.machine, self.executor = executor.interpreter, executor
        self.layout, self.program = executor.layout, executor.program
        self.rollout, self.matches = options.rollout, options.simultaneous == "regret"
        self.state, self.seat, self.deal = state, seat, world
        self.share, self.exploration = int(options.score_share * 256), int(options.exploration * ONE)
        self.rng = output(seeded(seed))[0]
        self.evaluation = evaluation
        self.root = Node(-1)
        self.lead_scale, self.lowest, self.highest = 256, 0, 0
        self.world: State | None = None
        self.iterations = 0

    def _dice(self) -> int:
        word, _ = output((self.rng + 0x9E3779B97F4A7C15) & MASK)
        self.rng = (self.rng + 0x9E3779B97F4A7C15) & MASK
        return word

    def _below(self, n: int) -> int:
        return self._dice() * n >> 64

    def run(self, iterations: int) -> int:
        """Make so many iterations and return how many were made."""
        batch = 1 if self.evaluation is None else self.evaluation.batch
        for first in range(0, iterations, batch):
            leaves: list[tuple[State, list[Step]]] = []
            for _ in range(min(batch, iterations - first)):
                leaves += self._iterate()
                self.iterations += 1
            if self.evaluation is not None and leaves:
                values = self.evaluation.values([state for state, _ in leaves])
                for (_, path), utilities in zip(leaves, values, strict=True):
                    _credit(path, utilities)
        return iterations

    def stats(self) -> list[OptionStats]:
        """Return the statistics of the seat's options that were taken."""
        waiting = self.executor.waiting(self.state)
        assert waiting is not None
        stats = []
        for index, option in enumerate(self.executor.options(self.state, self.seat)):
            node = self.root.children.get((option, self.seat if self._at_once(waiting.decision) else -1))
            if node is not None and node.visits:
                stats.append(OptionStats(index, node.visits, node.value / node.visits / ONE, node.share))
        return stats

    def _at_once(self, decision: int) -> bool:
        return self.program.decisions[decision].together

    def _world(self) -> State:
        if self.deal is None:
            return self.state.clone()
        if self.world is None or not self.iterations % EVERY:
            self.world = self.deal()
        return self.world.clone()

    def _iterate(self) -> list[tuple[State, list[Step]]]:
        """Make an iteration; return its leaf and the path there, if that is to be evaluated."""
        live = self._world()
        live.logging, live.explicit = False, False
        live.rng = self._dice()
        node, fresh = self.root, False
        path: list[Step] = []
        together: list[tuple[Option, int]] = []
        while (waiting := self.machine.waiting(live)) is not None:
            seat = waiting.seats[0]
            option, step, new = self._choice(node, live, seat, waiting.decision)
            child = step.node
            fresh |= new
            path.append(step)
            self.machine.choose(live, seat, option)
            if self._at_once(waiting.decision):
                together.append((option, seat))
                after = self.machine.waiting(live)
                if after is None or after.decision != waiting.decision or len(after.seats) >= len(waiting.seats):
                    node, together = node.children.setdefault((Option(-1, tuple(together)), -1), Node(-1)), []
            else:
                node = child
            if fresh and not together:
                break
        for step in path:
            step.node.visits += 1
        if self.evaluation is not None and self.machine.waiting(live) is not None:
            return [(live, path)]
        self._roll_out(live)
        _credit(path, self._utilities(live))
        return []

    def _roll_out(self, live: State) -> None:
        """Play to the end by the rollout policy; `mast` is `uniform` here."""
        if self.rollout != "greedy":
            self.machine.random_playout(live)
            return
        while (waiting := self.machine.waiting(live)) is not None:
            seat = waiting.seats[0]
            options = self.machine.options(live, seat)
            if len(options) == 1 or self._at_once(waiting.decision):
                best, live.rng = uniform(live.rng, len(options))
            else:
                best = self._greediest(live, seat, options)
            self.machine.choose(live, seat, options[best])

    def _greediest(self, live: State, seat: int, options: Sequence[Option]) -> int:
        """Return the index of the option that gains the seat most by the next decision."""
        luck, best, best_gain, equal = self._dice(), 0, 0, 0
        for number in range(min(len(options), TRIED)):
            place = number if len(options) <= TRIED else self._below(len(options))
            after = live.clone()
            after.rng = luck
            gained = self._gain(after, seat, options[place])
            if not number or gained > best_gain:
                best_gain, equal = gained, 0
            if gained == best_gain:
                equal += 1
                best = best if self._below(equal) else place
        return best

    def _gain(self, after: State, seat: int, option: Option) -> int:
        """Return the seat's payoff after an option where there is one, else its points; whether it has won outweighs
        these."""
        try:
            self.machine.choose(after, seat, option)
            if self.program.payoff >= 0:
                payoff = self.machine.evaluate(after, self.program.payoff, [seat])
                if payoff != ABSENT_NUMBER:
                    return int(payoff)
            own = self.machine.scores(after)[seat]
            own = min(max(-own if self.program.winner.ranking == "fewest" else own, -LARGEST), LARGEST)
            won = winners(self.machine, after) if self.machine.waiting(after) is None else ()
        except RuleError:
            return -1 << 63
        return own + (4 * LARGEST if seat in won else -4 * LARGEST if won else 0)

    def _choice(self, node: Node, live: State, seat: int, decision: int) -> tuple[Option, Step, bool]:
        """Select an option by UCB1 or regret matching; return it with its step, and whether its node is new."""
        options = self.machine.options(live, seat)
        tag = seat if self._at_once(decision) else -1
        places: list[int] | range = range(len(options))
        if len(options) > LISTED:
            known = [child.hint for child in reversed(node.children.values()) if 0 <= child.hint < len(options)]
            places = [*known[: LISTED - FEW], *[self._below(len(options)) for _ in range(FEW)]]
        most = 16 + 2 * isqrt(node.choices)
        if tag >= 0 and self.matches:
            tried = [(place, child) for place in places if (child := node.children.get((options[place], tag)))]
            if tried and (len(tried) == len(places) or len(tried) >= most):
                node.choices += 1
                place, step = self._matched(node, tried, seat)
                return options[place], step, False
        fresh: int | None = None
        best: int | None = None
        unexpanded = legal = best_value = 0
        for place in places:
            child = node.children.get((options[place], tag))
            if child is None:
                unexpanded += 1
                if not self._below(unexpanded):
                    fresh = place
                continue
            legal += 1
            child.available += 1
            child.hint = place
            value = 1 << 62
            if child.visits:
                more = self._bonus(child)
                if tag >= 0:  # else seats whose numbers are equal choose in step for ever
                    more = more * self._below(256) >> 7
                value = child.value // child.visits + more
            if best is None or value > best_value:
                best, best_value = place, value
        node.choices += 1
        if fresh is not None and (legal < most or best is None):
            child = node.children[options[fresh], tag] = Node(fresh)
            child.available = 1
            return options[fresh], Step(child, seat), True
        assert best is not None
        return options[best], Step(node.children[options[best], tag], seat), False

    def _matched(self, node: Node, tried: Sequence[tuple[int, Node]], seat: int) -> tuple[int, Step]:
        """Choose one of the options tried before by regret matching (`regret_choice` of c/pilot.h)."""
        common = node.children.setdefault((Option(-2, ()), seat), Node(-1))
        regrets = [max(child.regret + common.regret, 0) for _, child in tried]
        total, count = sum(regrets), len(tried)
        any_ = 4 * ONE // isqrt(common.visits + 16)
        explores = self._below(ONE) < any_ or not total
        point = self._below(count) if explores else self._below(total)
        shares = [regret * ONE // total if total else ONE // count for regret in regrets]
        number = point if explores else next(k for k, end in enumerate(accumulate(regrets)) if point < end)
        for (place, child), share in zip(tried, shares, strict=True):
            child.available += 1
            child.share += share
            child.hint = place
        place, child = tried[number]
        taken = ((ONE - any_) * shares[number] >> 20) + any_ // count
        return place, Step(child, seat, common, shares[number], max(taken, 1))

    def _bonus(self, child: Node) -> int:
        available, more = child.available, 0
        while available > 4096:
            available >>= 1
            more += LN2
        return isqrt((logarithm(available) + more) * (1 << 24) // child.visits) * self.exploration >> 20

    def _utilities(self, state: State) -> list[int]:
        """Return each seat's utility of a finished game, in units of `ONE`: its share of the win, mixed with its
        lead in points."""
        layout, players = self.layout, self.layout.players
        totals = self.machine.scores(state)
        won = set(winners(self.machine, state))
        winning = len([seat for seat in range(players) if seat in won])
        utilities = []
        for seat in range(players):
            share = ONE // 2
            if players == 1:
                share = ONE if winning else 0
            elif winning < players and (won or state.over == SCORED):
                share = ONE // 2 + ONE // 2 // winning if seat in won else ONE // 2 - ONE // 2 // (players - winning)
            rivals = [total for party, total in enumerate(totals) if layout.team_of[party] != layout.team_of[seat]]
            lead = totals[seat] - max(rivals) if rivals else totals[seat]
            lead = min(max(lead, -LARGEST), LARGEST) << 8
            if self.program.winner.ranking == "fewest":
                lead = -lead
            size = abs(lead)
            over = ONE // 2 * (lead >> 4)
            part = (size + self.lead_scale) >> 4
            term = ONE // 2 + _towards_0(over, part) if lead else share
            step = size - self.lead_scale
            self.lead_scale = max(self.lead_scale + _towards_0(step, 64), 256)
            utilities.append((share * (256 - self.share) + term * self.share) // 256)
        payoff = self.program.payoff
        points = [self.machine.evaluate(state, payoff, [seat]) for seat in range(players)] if payoff >= 0 else []
        if points and ABSENT_NUMBER not in points:
            self.lowest, self.highest = min(self.lowest, *points), max(self.highest, *points)
            span = self.highest - self.lowest
            utilities = [(point - self.lowest) * ONE // span if span else ONE // 2 for point in points]
        return utilities


def _credit(path: Sequence[Step], utilities: Sequence[int]) -> None:
    """Back up the utilities of the seats along a path."""
    for child, seat, common, share, taken in path:
        child.value += utilities[seat]
        if common is not None:
            expected = common.value // common.visits if common.visits else ONE // 2
            gained = _towards_0((utilities[seat] - expected) * ONE, taken)
            child.regret += gained
            common.regret -= _towards_0(share * gained, ONE)
            common.visits += 1
            common.value += utilities[seat]


def _towards_0(number: int, by: int) -> int:
    """Divide as C does, rounding towards 0."""
    return number // by if number >= 0 else -(-number // by)


def _logarithms() -> list[int]:
    """Return natural logarithms of 1 to 4096, of 16 bits, by squaring: whole numbers are the same on every machine."""
    logarithms = [0]
    for x in range(1, 4097):
        y, log2 = x << 32, 0
        while y >= 2 << 32:
            y >>= 1
            log2 += 1 << 16
        bit = 1 << 15
        while bit:
            y = y * y >> 32
            if y >= 2 << 32:
                y >>= 1
                log2 += bit
            bit >>= 1
        logarithms.append(log2 * LN2 >> 16)
    return logarithms


_LOGARITHMS: list[int] = []


def logarithm(x: int) -> int:
    """Return the natural logarithm of a number up to 4096, of 16 bits."""
    if not _LOGARITHMS:
        _LOGARITHMS.extend(_logarithms())
    return _LOGARITHMS[x]
