"""Information-set Monte Carlo tree search by the interpreter, where there is no compiler: one tree, far slower.

Enters: an executor, a state, a seat. Leaves: visits and values of its options. In games without secrets the answers are
those of native code (c/pilot.h, c/search.h), number for number; else worlds come from `rulelang.runtime.rejection`,
and the answers are others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import accumulate
from math import isqrt
from typing import NamedTuple

from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.ismcts.library import ONE
from rulelang.ismcts.procedures import has_two_sides
from rulelang.runtime.names import ids_of
from rulelang.runtime.outcome import amounts, winners
from rulelang.runtime.rng import MASK, output, seeded, uniform
from rulelang.runtime.state import SCORED, State
from rulelang.runtime.waiting import Option
from rulelang.search.evaluation import Evaluation
from rulelang.search.finding import OptionStats, hinted
from rulelang.search.options import SearchOptions
from rulelang.vocabulary.types import ABSENT_NUMBER

MOST_LISTED, SAMPLED = 512, 8
"""Of a menu with more options: those that the node has, and so many drawn ones."""
GREEDY_SAMPLE, MOST_TRIED = 16, 64
"""Options that a greedy rollout tries at most; that are tried at a leaf for one that wins at once."""
LN2 = 45426
"""ln 2 in fixed point, of 16 bits."""
LARGEST_SCORE = 1 << 20
WORLD_ITERATIONS = 16
"""Iterations in the same world, where worlds come by rejection: a world takes far longer than an iteration."""


class TreeNode:
    """A node of the tree, with the statistics of the action that leads to it.

    Attributes:
        children: by option and seat (-1 unless seats choose at once). choices: how many were made at the node.
        visits, available: how often the action was taken, could be taken. value: sum of the mover's utilities.
        regret, share: its regret and the sum of its probabilities, by regret matching. hint: its index when last
            offered. Fixed point, in units of `ONE`. options: how many there are at the node; 0: not known. proven: 1,
            -1: the mover of the action wins, loses for sure.
    """

    __slots__ = (
        "available", "children", "choices", "hint", "options", "proven", "regret", "share", "value", "visits"
    )  # fmt: skip

    def __init__(self, hint: int) -> None:
        self.children: dict[tuple[Hashable, int], TreeNode] = {}
        self.options = self.proven = 0
        self.choices = self.visits = self.available = self.value = self.regret = self.share = 0
        self.hint = hint


class Edge(NamedTuple):
    """A choice on the path of an iteration: the node that it leads to and the seat that made it.

    Attributes:
        common: the node with the regret that all options of the seat share; None without regret matching.
        share, taken: the option's probability by regret, and the one that it was drawn with, in units of `ONE`.
    """

    node: TreeNode
    seat: int
    common: TreeNode | None = None
    share: int = 0
    taken: int = 1


COMMON = Option(-2, ())
"""The key of the node with the regret that all options of a seat share."""


class PlainTree:
    """The tree of one search.

    Args:
        world: samples a world, used for `WORLD_ITERATIONS` iterations; None: seats have no secrets. evaluation: values
            leaves; None: by rollouts.

    Attributes:
        root: the tree. score_share: of 256; exploration: in units of `ONE`. lead_scale, lowest, highest: by which leads
            are scaled to utilities. rng: state of the generator. iterations: done so far.
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
        self.rollout, self.matches_regret = options.rollout, options.simultaneous == "regret"
        self.state, self.seat, self.sample_world = state, seat, world
        self.score_share, self.exploration = int(options.score_share * 256), int(options.exploration * ONE)
        self.rng = output(seeded(seed))[0]
        self.evaluation = evaluation
        informed = world is None and evaluation is None and self.rollout != "greedy" and options.trees != "multiple"
        self.solves = informed and has_two_sides(self.layout)
        self.root = TreeNode(-1)
        self.lead_scale, self.lowest, self.highest = 256, 0, 0
        self.world: State | None = None
        self.iterations = 0

    def _random(self) -> int:
        """Return the next 64 random bits."""
        word, _ = output((self.rng + 0x9E3779B97F4A7C15) & MASK)
        self.rng = (self.rng + 0x9E3779B97F4A7C15) & MASK
        return word

    def _below(self, n: int) -> int:
        """Return a random whole number from 0 to `n` - 1."""
        return self._random() * n >> 64

    def run(self, iterations: int) -> int:
        """Run `iterations` iterations; return their number."""
        batch = 1 if self.evaluation is None else self.evaluation.batch
        for first in range(0, iterations, batch):
            leaves: list[tuple[State, list[Edge]]] = []
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
        options = self.executor.options(self.state, self.seat)
        keys = self._keys(self.state, waiting.decision, options)
        tag = self.seat if self._at_once(waiting.decision) else -1
        hints = [(node.hint, key) for (key, mover), node in self.root.children.items() if mover == tag and node.visits]
        for index in hinted(options, hints, keys.__getitem__):
            node = self.root.children.get((keys[index], tag))
            if node is not None and node.visits:
                stats.append(OptionStats(index, node.visits, node.value / node.visits / ONE, node.share, node.proven))
        return stats

    def _at_once(self, decision: int) -> bool:
        """Return whether several seats choose at once at a decision."""
        return self.program.decisions[decision].together

    def _keys(self, state: State, decision: int, options: Sequence[Option]) -> Sequence[Hashable]:
        """Return what options are known by in all worlds: their ids where individuals may have other numbers, else
        themselves."""
        if not any(self.layout.interchangeable):
            return options
        return ids_of(state, self.program.decisions[decision], options)

    def _world(self) -> State:
        """Return a copy of the world of this iteration."""
        if self.sample_world is None:
            return self.state.clone()
        if self.world is None or not self.iterations % WORLD_ITERATIONS:
            self.world = self.sample_world()
        return self.world.clone()

    def _iterate(self) -> list[tuple[State, list[Edge]]]:
        """Run an iteration; return its leaf and the path there if an evaluation is to value it, else nothing."""
        live = self._world()
        live.logging, live.explicit = False, False
        live.rng = begun = self._random()
        node, fresh = self.root, False
        path: list[Edge] = []
        joint: list[tuple[Hashable, int]] = []
        while (waiting := self.machine.waiting(live)) is not None:
            seat = waiting.seats[0]
            options = self.machine.options(live, seat)
            keys = self._keys(live, waiting.decision, options)
            index, step, new = self._select(node, keys, seat, waiting.decision)
            child = step.node
            fresh |= new
            path.append(step)
            self.machine.choose(live, seat, options[index])
            if self._at_once(waiting.decision):
                joint.append((keys[index], seat))
                after = self.machine.waiting(live)
                if after is None or after.decision != waiting.decision or len(after.seats) >= len(waiting.seats):
                    node, joint = node.children.setdefault((tuple(joint), -1), TreeNode(-1)), []
            else:
                node = child
            if fresh and not joint:
                break
        for step in path:
            step.node.visits += 1
        if self.evaluation is not None and self.machine.waiting(live) is not None:
            return [(live, path)]
        if self.solves and path and live.rng == begun:
            won = live if self.machine.waiting(live) is None else self._decisive_move(live)
            if won is not None:
                live = won
                self._prove(path, self._outcome(live, path[-1].seat))
        self._roll_out(live)
        _credit(path, self._utilities(live))
        return []

    def _decisive_move(self, live: State) -> State | None:
        """Return a leaf after a move that wins at once; None, after any move, if there is none, as `try_decisive_moves`
        of c/search.h."""
        waiting = self.machine.waiting(live)
        assert waiting is not None
        seat = waiting.seats[0]
        options = self.machine.options(live, seat)
        if len(options) > MOST_TRIED:
            return None
        for option in options:
            after = live.clone()
            self.machine.choose(after, seat, option)
            if self.machine.waiting(after) is None and after.rng == live.rng and self._outcome(after, seat) > 0:
                return after
        self.machine.choose(live, seat, options[self._below(len(options))])
        return None

    def _outcome(self, live: State, seat: int) -> int:
        """Return 1 where a seat's side alone has won a finished game, -1 where the other has, else 0."""
        teams = {self.layout.team_of[other] for other in winners(self.machine, live) if other < self.layout.players}
        return 0 if len(teams) != 1 else 1 if self.layout.team_of[seat] in teams else -1

    def _prove(self, path: Sequence[Edge], proven: int) -> None:
        """Mark what an iteration proves whose last choice wins (1) or loses (-1), as `prove_path` of c/search.h."""
        for place in reversed(range(len(path) if proven else 0)):
            path[place].node.proven = proven
            if not place:
                return
            node = path[place - 1].node
            children = node.children.values()
            if proven < 0 and (len(children) != node.options or any(child.proven >= 0 for child in children)):
                return
            if self.layout.team_of[path[place].seat] != self.layout.team_of[path[place - 1].seat]:
                proven = -proven

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
        """Return the index of the option that gains the seat most by the next decision; of equal ones any."""
        luck, best, best_gain, equal = self._random(), 0, 0, 0
        for number in range(min(len(options), GREEDY_SAMPLE)):
            place = number if len(options) <= GREEDY_SAMPLE else self._below(len(options))
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
        """Return the seat's payoff after an option if it is no share of a win, else its points, which a win or loss
        outweighs."""
        try:
            self.machine.choose(after, seat, option)
            if self.program.payoff >= 0:
                payoff = self.machine.evaluate(after, self.program.payoff, [seat])
                if payoff != ABSENT_NUMBER:
                    return int(payoff)
            if (paid := amounts(self.machine, after)) is not None:
                return paid[seat]
            own = self.machine.scores(after)[seat]
            own = min(max(-own if self.program.winner.ranking == "fewest" else own, -LARGEST_SCORE), LARGEST_SCORE)
            won = winners(self.machine, after) if self.machine.waiting(after) is None else ()
        except RuleError:
            return -1 << 63
        return own + (4 * LARGEST_SCORE if seat in won else -4 * LARGEST_SCORE if won else 0)

    def _select(self, node: TreeNode, keys: Sequence[Hashable], seat: int, decision: int) -> tuple[int, Edge, bool]:
        """Select an option of those with these keys: UCB1 with availability counts, progressive widening, regret
        matching at simultaneous choices if asked for (as `select_in_tree` of c/pilot.h). Return its index, its step,
        whether its node is new."""
        tag = seat if self._at_once(decision) else -1
        indices = self._listed(node, len(keys))
        most = 16 + 2 * isqrt(node.choices)
        if tag >= 0 and self.matches_regret:
            tried = [(index, child) for index in indices if (child := node.children.get((keys[index], tag)))]
            if tried and (len(tried) == len(indices) or len(tried) >= most):
                node.choices += 1
                index, step = self._select_by_regret(node, tried, seat)
                return index, step, False
        fresh: int | None = None
        best: int | None = None
        unexpanded = legal = best_value = 0
        wins = False
        for index in indices:
            child = node.children.get((keys[index], tag))
            if child is None:
                unexpanded += 1
                if not self._below(unexpanded):
                    fresh = index
                continue
            legal += 1
            child.available += 1
            child.hint = index
            value = 1 << 62
            if child.proven:
                value = value if child.proven > 0 else child.value // child.visits - value
                wins |= child.proven > 0
            elif child.visits:
                more = self._exploration_bonus(child)
                if tag >= 0:  # else seats whose numbers are equal choose in step for ever
                    more = more * self._below(256) >> 7
                value = child.value // child.visits + more
            if best is None or value > best_value:
                best, best_value = index, value
        node.choices += 1
        node.options = len(keys) if len(keys) <= MOST_LISTED else 0
        if fresh is not None and not wins and (legal < most or best is None):
            child = node.children[keys[fresh], tag] = TreeNode(fresh)
            child.available = 1
            return fresh, Edge(child, seat), True
        assert best is not None
        return best, Edge(node.children[keys[best], tag], seat), False

    def _listed(self, node: TreeNode, count: int) -> Sequence[int]:
        """Return the indices of the options to select from: all `count`, of a large menu the node's and drawn ones."""
        if count <= MOST_LISTED:
            return range(count)
        hints = [child.hint for child in reversed(node.children.values()) if 0 <= child.hint < count]
        return [*hints[: MOST_LISTED - SAMPLED], *[self._below(count) for _ in range(SAMPLED)]]

    def _select_by_regret(self, node: TreeNode, tried: Sequence[tuple[int, TreeNode]], seat: int) -> tuple[int, Edge]:
        """Select one of the options tried before by regret matching, as `select_by_regret` of c/pilot.h does.

        Args:
            tried: indices of options with their nodes.
        """
        common = node.children.setdefault((COMMON, seat), TreeNode(-1))
        regrets = [max(child.regret + common.regret, 0) for _, child in tried]
        total, count = sum(regrets), len(tried)
        exploring = 4 * ONE // isqrt(common.visits + 16)
        explores = self._below(ONE) < exploring or not total
        point = self._below(count) if explores else self._below(total)
        shares = [regret * ONE // total if total else ONE // count for regret in regrets]
        number = point if explores else next(k for k, end in enumerate(accumulate(regrets)) if point < end)
        for (place, child), share in zip(tried, shares, strict=True):
            child.available += 1
            child.share += share
            child.hint = place
        place, child = tried[number]
        taken = ((ONE - exploring) * shares[number] >> 20) + exploring // count
        return place, Edge(child, seat, common, shares[number], max(taken, 1))

    def _exploration_bonus(self, child: TreeNode) -> int:
        """Return the exploration term of UCB1, c * sqrt(ln(available) / visits), in units of `ONE`."""
        available, more = child.available, 0
        while available > 4096:
            available >>= 1
            more += LN2
        return isqrt((logarithm(available) + more) * (1 << 24) // child.visits) * self.exploration >> 20

    def _utilities(self, state: State) -> list[int]:
        """Return each seat's utility of a finished game, in units of `ONE`, as `compute_utilities` of c/search.h."""
        layout, players = self.layout, self.layout.players
        totals = self.machine.scores(state)
        won = set(winners(self.machine, state))
        winning = len([seat for seat in range(players) if seat in won])
        utilities = []
        for seat in range(players):
            share = ONE // 2
            if layout.one_party or players == 1:
                share = ONE if winning else 0
            elif winning < players and (won or state.over == SCORED):
                share = ONE // 2 + ONE // 2 // winning if seat in won else ONE // 2 - ONE // 2 // (players - winning)
            rivals = [total for party, total in enumerate(totals) if layout.team_of[party] != layout.team_of[seat]]
            lead = totals[seat] - max(rivals) if rivals else totals[seat]
            lead = min(max(lead, -LARGEST_SCORE), LARGEST_SCORE) << 8
            if self.program.winner.ranking == "fewest":
                lead = -lead
            size = abs(lead)
            over = ONE // 2 * (lead >> 4)
            part = (size + self.lead_scale) >> 4
            term = ONE // 2 + _divide_as_c(over, part) if lead else share
            step = size - self.lead_scale
            self.lead_scale = max(self.lead_scale + _divide_as_c(step, 64), 256)
            utilities.append((share * (256 - self.score_share) + term * self.score_share) // 256)
        points = amounts(self.machine, state)
        if points is not None:
            self.lowest, self.highest = min(self.lowest, *points), max(self.highest, *points)
            span = self.highest - self.lowest
            utilities = [(point - self.lowest) * ONE // span if span else ONE // 2 for point in points]
        return utilities


def _credit(path: Sequence[Edge], utilities: Sequence[int]) -> None:
    """Back up the utilities of the seats (in units of `ONE`) along a path, and the sampled regrets."""
    for child, seat, common, share, taken in path:
        child.value += utilities[seat]
        if common is not None:
            expected = common.value // common.visits if common.visits else ONE // 2
            gained = _divide_as_c((utilities[seat] - expected) * ONE, taken)
            child.regret += gained
            common.regret -= _divide_as_c(share * gained, ONE)
            common.visits += 1
            common.value += utilities[seat]


def _divide_as_c(number: int, divisor: int) -> int:
    """Return the quotient rounded towards 0."""
    return number // divisor if number >= 0 else -(-number // divisor)


def _logarithms() -> list[int]:
    """Return the logarithms of 0 (as 0) to 4096, see `logarithm`, by repeated squaring: the same on every machine."""
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
    """Return the natural logarithm of a number from 1 to 4096, in fixed point of 16 bits."""
    if not _LOGARITHMS:
        _LOGARITHMS.extend(_logarithms())
    return _LOGARITHMS[x]
