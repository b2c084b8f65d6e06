"""Exact solutions of small games: backward induction, and CFR+ where seats have secrets.

Enters: a ruleset, a bound on positions. Leaves: a `Solution`: the game's value to each seat and a policy.

- Where nobody has secrets: backward induction over a table of positions (expectimax; each seat maximises its own
  return, which is minimax for two seats with opposite returns).
- Where two seats with opposite returns have secrets or choose at once: CFR+ with alternating updates and linear
  averaging (Tammelin, *Solving large imperfect information games using CFR+*, 2014) over the whole tree of histories,
  chance in it; information sets are what `State.information_state` tells a seat. The exploitability of the average
  policy is half of what both seats together could gain by best responses (Johanson et al., 2011).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from rulelang.diagnostics import UsageError, counted
from rulelang.game import Ruleset, State
from rulelang.runtime.sight import has_secrets
from rulelang.search.finding import normalised

MOST_POSITIONS = 200_000
"""Bound on positions, or on histories where there are secrets."""
TOLERANCE = 1e-9
CHECK_INTERVAL = 25
"""Iterations of CFR+ between two computations of the exploitability."""


@dataclass(frozen=True)
class Solution:
    """A solved game.

    Attributes:
        method: `backward induction` or `CFR+`. value: expected return of each seat, as in `State.returns`.
        exploitability: mean of what each seat could gain by a best response; 0 by backward induction.
        positions: how many were visited; for CFR+ histories. iterations: of CFR+.
        policy: for each position or information set the acting player (`seat`), a history that leads there (`example`:
            ids of actions and outcomes) and the probability of each action (`actions`).
    """

    method: str
    value: tuple[float, ...]
    exploitability: float
    positions: int
    iterations: int
    policy: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the solution as JSON-able values."""
        return vars(self) | {"value": list(self.value), "policy": list(self.policy)}


def solve(
    ruleset: Ruleset,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    most: int = MOST_POSITIONS,
    exploitability: float = 0.001,
    iterations: int = 10_000,
) -> Solution:
    """Solve a game exactly, or up to an exploitability where seats have secrets or choose at once.

    Args:
        players, options: as for `Ruleset.new_game`. most: bound on positions or histories.
        exploitability: at which CFR+ stops, in units of returns. iterations: of CFR+ at most.

    Raises:
        UsageError: the game has more positions or is too deep; or CFR+ is needed, and it does not have two seats whose
            returns have a constant sum.
    """
    start = ruleset.new_game(players, options=dict(options or {}), chance="explicit")
    program = start.engine[0].program
    hidden = has_secrets(program) or any(decision.together or decision.secret for decision in program.decisions)
    if hidden and start.players != 2:
        raise UsageError("a game with secrets can be solved for two seats alone")
    try:
        if not hidden:
            return _Induction(most).solve(start)
        return _CFRPlus(_Tree(start, most)).solve(exploitability, iterations)
    except RecursionError:
        raise UsageError("this game is too long to be solved") from None


def _too_large(most: int) -> UsageError:
    """Return the error for a game with more than `most` positions."""
    return UsageError(f"this game has more than {counted(most, 'position')}: it is too large to be solved")


def _successors(state: State) -> Iterator[tuple[float, str, State]]:
    """Yield probability (of an action 1), name and state after it of each outcome of chance, or else of each action of
    the seat that chooses first."""
    seat = None if state.is_chance_node() else state.current_players()[0]
    rows = [(float(chance), outcome) for outcome, chance in state.chance_outcomes()] if seat is None else []
    for chance, action in rows or [(1.0, action) for action in state.legal_actions(seat)]:
        after = state.clone()
        after.apply(action, seat)
        yield chance, f"chance:{action}" if seat is None else action.id, after


class _Induction:
    """Backward induction over a transposition table (`values`, by the key of a position)."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: dict[tuple[str, int], tuple[float, ...]] = {}
        self.policy: list[dict[str, Any]] = []

    def solve(self, start: State) -> Solution:
        """Return the solution from a state on.

        Raises:
            UsageError: there are more than `most` positions.
        """
        value = self._value(start, ())
        return Solution("backward induction", value, 0.0, len(self.values), 0, tuple(reversed(self.policy)))

    def _value(self, state: State, path: tuple[str, ...]) -> tuple[float, ...]:
        """Return the value of a position to each seat, from the table if it is there."""
        key = state.search_key()
        if key in self.values:
            return self.values[key]
        if len(self.values) >= self.most:
            raise _too_large(self.most)
        self.values[key] = value = self._evaluate(state, path)
        return value

    def _evaluate(self, state: State, path: tuple[str, ...]) -> tuple[float, ...]:
        """Compute the value of a position to each seat, and append its best action to the policy.

        Args:
            path: ids of the actions and outcomes that led here.
        """
        if state.is_terminal():
            return tuple(state.returns())
        if state.is_chance_node():
            total = [0.0] * state.players
            for chance, outcome, after in _successors(state):
                for seat, part in enumerate(self._value(after, (*path, outcome))):
                    total[seat] += chance * part
            return tuple(total)
        seat = state.current_players()[0]
        best: tuple[float, ...] | None = None
        chosen = ""
        for _, action, after in _successors(state):
            value = self._value(after, (*path, action))
            if best is None or value[seat] > best[seat] + TOLERANCE:
                best, chosen = value, action
        assert best is not None
        self.policy.append({"seat": seat, "example": list(path), "actions": {chosen: 1.0}})
        return best


@dataclass(slots=True)
class _InfoSet:
    """An information set: cumulative regrets of its actions, the policy of this iteration, the histories in it.

    Attributes:
        example: a history in it. gain: regrets of this iteration. sums: policies, weighted by reach and iteration.
    """

    seat: int
    example: tuple[str, ...]
    actions: list[str]
    regret: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    policy: list[float] = field(default_factory=list)
    histories: list[_History] = field(default_factory=list)

    def average(self) -> list[float]:
        """Return the average policy, in the order of the actions; uniform before the first iteration."""
        return normalised(self.sums)


@dataclass(slots=True)
class _History:
    """A node of the tree: an end (`returns`: of seat 0), chance (`chances`), or a decision (`info_set`).

    Attributes:
        reach: probability that the others, chance among them, play to it; set by `_set_reach`.
    """

    returns: float = 0.0
    chances: list[float] | None = None
    info_set: _InfoSet | None = None
    children: list[_History] = field(default_factory=list)
    reach: float = 0.0


class _Tree:
    """The whole tree of histories and its information sets, by a hash of what the seat knows."""

    def __init__(self, start: State, most: int) -> None:
        self.most, self.count = most, 0
        self.sets: dict[bytes, _InfoSet] = {}
        self.total: float | None = None
        self.root = self._build(start, ())

    def _build(self, state: State, path: tuple[str, ...]) -> _History:
        """Return the tree of histories from a state on.

        Raises:
            UsageError: there are more than `most`, or returns have no constant sum.
        """
        self.count += 1
        if self.count > self.most:
            raise _too_large(self.most)
        node = _History()
        if state.is_terminal():
            returns = state.returns()
            self.total = sum(returns) if self.total is None else self.total
            if abs(sum(returns) - self.total) > TOLERANCE:
                raise UsageError("a game with secrets can be solved where what one seat wins the other loses")
            node.returns = returns[0]
            return node
        if not state.is_chance_node():
            seat = state.current_players()[0]
            observation = json.dumps([seat, state.information_state(seat)], sort_keys=True, default=str)
            key = blake2b(observation.encode(), digest_size=16).digest()
            if key not in self.sets:
                ids = [action.id for action in state.legal_actions(seat)]
                self.sets[key] = _InfoSet(seat, path, ids, [0.0] * len(ids), [0.0] * len(ids), [0.0] * len(ids))
            node.info_set = self.sets[key]
            node.info_set.histories.append(node)
        chances = []
        for chance, name, after in _successors(state):
            chances.append(chance)
            node.children.append(self._build(after, (*path, name)))
        if node.info_set is None:
            node.chances = chances
        return node


class _CFRPlus:
    """Counterfactual regret minimisation (CFR+) on a tree of histories."""

    def __init__(self, tree: _Tree) -> None:
        self.tree, self.sets = tree, list(tree.sets.values())

    def solve(self, target: float, iterations: int) -> Solution:
        """Iterate until the exploitability is at most `target`, at most `iterations` times."""
        done, exploitability = 0, float("inf")
        while done < iterations and exploitability > target:
            for _ in range(min(CHECK_INTERVAL, iterations - done)):
                done += 1
                for seat in (0, 1):
                    self._iterate(seat, done)
            exploitability = self.exploitability()
        value, total = self._expected(self.tree.root), self.tree.total or 0.0
        policies = [dict(zip(info.actions, info.average(), strict=True)) for info in self.sets]
        rows = zip(self.sets, policies, strict=True)
        policy = tuple({"seat": i.seat, "example": list(i.example), "actions": actions} for i, actions in rows)
        return Solution("CFR+", (value, total - value), exploitability, self.tree.count, done, policy)

    def _iterate(self, seat: int, weight: int) -> None:
        """Update a seat's regrets and average policy once; `weight`: of this iteration in the average."""
        for info in self.sets:
            info.policy = normalised(info.regret)
        self._walk(self.tree.root, seat, 1.0, 1.0, weight)
        for info in self.sets:
            if info.seat == seat:
                info.regret = [max(old + new, 0.0) for old, new in zip(info.regret, info.gain, strict=True)]
                info.gain = [0.0] * len(info.actions)

    def _walk(self, node: _History, seat: int, own: float, others: float, weight: int) -> float:
        """Return a history's value to a seat under the current policies, and add to its gains and sums.

        Args:
            own, others: probabilities that the seat and that the others, chance among them, play to the history.
        """
        if node.chances is not None:
            rows = zip(node.chances, node.children, strict=True)
            return sum(chance * self._walk(child, seat, own, others * chance, weight) for chance, child in rows)
        info = node.info_set
        if info is None:
            return node.returns if seat == 0 else -node.returns
        pairs = zip(info.policy, node.children, strict=True)
        if info.seat != seat:
            return sum(part * self._walk(child, seat, own, others * part, weight) for part, child in pairs if part)
        values = [self._walk(child, seat, own * part, others, weight) for part, child in pairs]
        value = sum(part * each for part, each in zip(info.policy, values, strict=True))
        for place, each in enumerate(values):
            info.gain[place] += others * (each - value)
            info.sums[place] += weight * own * info.policy[place]
        return value

    def _expected(self, node: _History) -> float:
        """Return a history's value to seat 0 under the average policies."""
        if node.info_set is None and node.chances is None:
            return node.returns
        parts = node.chances if node.info_set is None else node.info_set.average()
        assert parts is not None
        return sum(part * self._expected(child) for part, child in zip(parts, node.children, strict=True))

    def exploitability(self) -> float:
        """Return the mean of the seats' gains by best responses to the average policies."""
        for info in self.sets:
            info.policy = info.average()
        gains = 0.0
        for seat in (0, 1):
            self._set_reach(self.tree.root, seat, 1.0)
            gains += self._best_response(self.tree.root, seat, {})
        return gains / 2

    def _set_reach(self, node: _History, seat: int, others: float) -> None:
        """Set `reach` of a history and all below it."""
        node.reach = others
        info, every = node.info_set, [1.0] * len(node.children)
        parts = node.chances if info is None else every if info.seat == seat else info.policy
        for part, child in zip(parts or (), node.children, strict=True):
            self._set_reach(child, seat, others * part)

    def _best_response(self, node: _History, seat: int, answers: dict[int, int]) -> float:
        """Return a history's value to a seat that plays its best response to the current policies.

        Args:
            answers: by id of an information set, the index of the best action there; filled in on the way.
        """
        info = node.info_set
        if info is None and node.chances is None:
            return node.returns if seat == 0 else -node.returns
        if info is None or info.seat != seat:
            parts = node.chances if info is None else info.policy
            rows = zip(parts or (), node.children, strict=True)
            return sum(part * self._best_response(child, seat, answers) for part, child in rows if part)
        if id(info) not in answers:
            reached = [history for history in info.histories if history.reach]
            values = [
                sum(own.reach * self._best_response(own.children[place], seat, answers) for own in reached)
                for place in range(len(info.actions))
            ]
            answers[id(info)] = values.index(max(values))
        return self._best_response(node.children[answers[id(info)]], seat, answers)
