"""Exact solutions of small games: backward induction, and CFR+ where seats have secrets.

Enters: a ruleset, a bound on positions. Leaves: a `Solution`: what the game is worth to each seat and how it is played.

- Where nobody has secrets: backward induction over a table of positions (expectimax; each seat maximises its own
  return, which is minimax for two seats with opposite returns).
- Where two seats with opposite returns have secrets or choose at once: CFR+ with alternating updates and linear
  averaging (Tammelin, *Solving large imperfect information games using CFR+*, 2014) over the whole tree of histories,
  chance in it; information sets are what `State.information_state` tells a seat. The exploitability of the average
  policy is half of what both seats together could gain by best responses (Johanson et al., 2011).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from rulelang.diagnostics import UsageError
from rulelang.game import Ruleset, State
from rulelang.runtime.sight import has_secrets

MOST = 200_000
"""Bound on positions, or on histories where there are secrets."""
CLOSE = 1e-9
CHECKED_EVERY = 25
"""CFR+ computes the exploitability every so many iterations."""


@dataclass(frozen=True)
class Solution:
    """A solved game.

    Attributes:
        method: `backward induction` or `CFR+`. value: what the game is worth to each seat, as `State.returns`.
        exploitability: how much a seat could gain at most by another policy, on average over both; 0 by backward
            induction.
        positions: how many were looked at (of CFR+ histories). iterations: of CFR+.
        policy: for each position or information set who is asked (`seat`), how it is reached (`example`: ids of a
            history that leads there) and the probability of each action (`actions`).
    """

    method: str
    value: tuple[float, ...]
    exploitability: float
    positions: int
    iterations: int
    policy: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the solution as JSON-able values."""
        return {
            "method": self.method, "value": list(self.value), "exploitability": self.exploitability,
            "positions": self.positions, "iterations": self.iterations, "policy": list(self.policy),
        }  # fmt: skip


def solve(
    ruleset: Ruleset,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    most: int = MOST,
    exploitability: float = 0.001,
    iterations: int = 10_000,
) -> Solution:
    """Solve a game.

    Args:
        most: give up beyond so many positions. exploitability: CFR+ ends when its policy comes so close to an
            equilibrium.
        iterations: of CFR+ at most.

    Raises:
        UsageError: it has more positions; or it has secrets, and not two seats with opposite returns.
    """
    start = ruleset.new_game(players, options=dict(options or {}), chance="explicit")
    program = start.engine[0].program
    hidden = has_secrets(program) or any(decision.together or decision.secret for decision in program.decisions)
    if hidden and start.players != 2:
        raise UsageError("a game with secrets can be solved for two seats alone")
    try:
        if not hidden:
            return _Induction(most).solve(start)
        return _Regrets(_Tree(start, most)).solve(exploitability, iterations)
    except RecursionError:
        raise UsageError("this game is too long to be solved") from None


def _too_large(most: int) -> UsageError:
    return UsageError(f"this game has more than {most} positions: it is too large to be solved")


class _Induction:
    """Backward induction. `values`: by the key of a position."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.values: dict[tuple[str, int], tuple[float, ...]] = {}
        self.policy: list[dict[str, Any]] = []

    def solve(self, start: State) -> Solution:
        value = self._value(start, ())
        return Solution("backward induction", value, 0.0, len(self.values), 0, tuple(reversed(self.policy)))

    def _value(self, state: State, path: tuple[str, ...]) -> tuple[float, ...]:
        key = state.search_key()
        if key in self.values:
            return self.values[key]
        if len(self.values) >= self.most:
            raise _too_large(self.most)
        self.values[key] = value = self._evaluate(state, path)
        return value

    def _evaluate(self, state: State, path: tuple[str, ...]) -> tuple[float, ...]:
        """Return the values of a position for the seats, and note the best action there."""
        if state.is_terminal():
            return tuple(state.returns())
        if state.is_chance_node():
            total = [0.0] * state.players
            for outcome, chance in state.chance_outcomes():
                after = state.clone()
                after.apply(outcome)
                for seat, part in enumerate(self._value(after, (*path, f"chance:{outcome}"))):
                    total[seat] += float(chance) * part
            return tuple(total)
        seat = state.current_players()[0]
        best: tuple[float, ...] | None = None
        chosen = ""
        for action in state.legal_actions(seat):
            after = state.clone()
            after.apply(action, seat)
            value = self._value(after, (*path, action.id))
            if best is None or value[seat] > best[seat] + CLOSE:
                best, chosen = value, action.id
        assert best is not None
        self.policy.append({"seat": seat, "example": list(path), "actions": {chosen: 1.0}})
        return best


@dataclass(slots=True)
class _InfoSet:
    """An information set, with sums over the iterations, and the histories in it."""

    seat: int
    example: tuple[str, ...]
    actions: list[str]
    regret: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    policy: list[float] = field(default_factory=list)
    histories: list[_History] = field(default_factory=list)

    def mix(self) -> dict[str, float]:
        """Return the average policy: action -> probability."""
        return dict(zip(self.actions, self.average(), strict=True))

    def average(self) -> list[float]:
        """Return the average policy, in the order of the actions; uniform before the first iteration."""
        return self.normalised(self.sums)

    def normalised(self, weights: list[float]) -> list[float]:
        """Return weights as probabilities of the actions; uniform where all are 0."""
        total = sum(weights)
        return [part / total for part in weights] if total > 0 else [1 / len(weights)] * len(weights)


@dataclass(slots=True)
class _History:
    """A node of the tree: an end (`returns`: of seat 0), chance (`chances`), or a decision (`info_set`)."""

    returns: float = 0.0
    chances: list[float] | None = None
    info_set: _InfoSet | None = None
    children: list[_History] = field(default_factory=list)
    reach: float = 0.0


class _Tree:
    """The whole tree of histories."""

    def __init__(self, start: State, most: int) -> None:
        self.most, self.count = most, 0
        self.sets: dict[bytes, _InfoSet] = {}
        self.sum: float | None = None
        self.root = self._build(start, ())

    def _build(self, state: State, path: tuple[str, ...]) -> _History:
        """Return the tree of histories from a state on."""
        self.count += 1
        if self.count > self.most:
            raise _too_large(self.most)
        node = _History()
        if state.is_terminal():
            returns = state.returns()
            self.sum = sum(returns) if self.sum is None else self.sum
            if abs(sum(returns) - self.sum) > CLOSE:
                raise UsageError("a game with secrets can be solved where what one seat wins the other loses")
            node.returns = returns[0]
            return node
        if state.is_chance_node():
            node.chances = []
            for outcome, chance in state.chance_outcomes():
                after = state.clone()
                after.apply(outcome)
                node.chances.append(float(chance))
                node.children.append(self._build(after, (*path, f"chance:{outcome}")))
            return node
        seat = state.current_players()[0]
        actions = state.legal_actions(seat)
        observation = json.dumps([seat, state.information_state(seat)], sort_keys=True, default=str)
        key = blake2b(observation.encode(), digest_size=16).digest()
        if key not in self.sets:
            zeros = [0.0] * len(actions)
            ids = [action.id for action in actions]
            self.sets[key] = _InfoSet(seat, path, ids, zeros[:], zeros[:], zeros[:])
        node.info_set = self.sets[key]
        node.info_set.histories.append(node)
        for action in actions:
            after = state.clone()
            after.apply(action, seat)
            node.children.append(self._build(after, (*path, action.id)))
        return node


class _Regrets:
    """CFR+ on a tree."""

    def __init__(self, tree: _Tree) -> None:
        self.tree, self.sets = tree, list(tree.sets.values())

    def solve(self, close: float, iterations: int) -> Solution:
        """Iterate until the exploitability is small enough, or so many times."""
        done, exploitability = 0, float("inf")
        while done < iterations and exploitability > close:
            for _ in range(min(CHECKED_EVERY, iterations - done)):
                done += 1
                for seat in (0, 1):
                    self._iterate(seat, done)
            exploitability = self.exploitability()
        value, total = self._expected(self.tree.root), self.tree.sum or 0.0
        policy = tuple({"seat": info.seat, "example": list(info.example), "actions": info.mix()} for info in self.sets)
        return Solution("CFR+", (value, total - value), exploitability, self.tree.count, done, policy)

    def _iterate(self, seat: int, weight: int) -> None:
        for info in self.sets:
            info.policy = info.normalised(info.regret)
        self._walk(self.tree.root, seat, 1.0, 1.0, weight)
        for info in self.sets:
            if info.seat == seat:
                info.regret = [max(old + new, 0.0) for old, new in zip(info.regret, info.gain, strict=True)]
                info.gain = [0.0] * len(info.actions)

    def _walk(self, node: _History, seat: int, own: float, others: float, weight: int) -> float:
        """Return a history's value for a seat by the current policies, and add to regrets and sums. `own`, `others`:
        the probabilities with which they play to it, chance among the others."""
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
        """Return a history's value for seat 0 by the average policies."""
        if node.info_set is None and node.chances is None:
            return node.returns
        parts = node.chances if node.info_set is None else node.info_set.average()
        assert parts is not None
        return sum(part * self._expected(child) for part, child in zip(parts, node.children, strict=True))

    def exploitability(self) -> float:
        """Return half of what the seats' best responses to the average policies gain together."""
        for info in self.sets:
            info.policy = info.average()
        gains = 0.0
        for seat in (0, 1):
            self._reach(self.tree.root, seat, 1.0)
            gains += self._best(self.tree.root, seat, {})
        return gains / 2

    def _reach(self, node: _History, seat: int, others: float) -> None:
        """Note with which probability the others play to each history."""
        node.reach = others
        info, every = node.info_set, [1.0] * len(node.children)
        parts = node.chances if info is None else every if info.seat == seat else info.policy
        for part, child in zip(parts or (), node.children, strict=True):
            self._reach(child, seat, others * part)

    def _best(self, node: _History, seat: int, answers: dict[int, int]) -> float:
        """Return a history's value for a seat that plays its best response."""
        info = node.info_set
        if info is None and node.chances is None:
            return node.returns if seat == 0 else -node.returns
        if info is None or info.seat != seat:
            parts = node.chances if info is None else info.policy
            rows = zip(parts or (), node.children, strict=True)
            return sum(part * self._best(child, seat, answers) for part, child in rows if part)
        if id(info) not in answers:
            values = [
                sum(
                    each.reach * self._best(each.children[place], seat, answers)
                    for each in info.histories
                    if each.reach
                )
                for place in range(len(info.actions))
            ]
            answers[id(info)] = values.index(max(values))
        return self._best(node.children[answers[id(info)]], seat, answers)
