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
"""So many positions, or histories where there are secrets, are looked at."""
CLOSE = 1e-9
LOOKS = 25
"""The exploitability is worked out each so many iterations."""


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
        """All of it as JSON-able values."""
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
        self.values[key] = found = self._worked_out(state, path)
        return found

    def _worked_out(self, state: State, path: tuple[str, ...]) -> tuple[float, ...]:
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
class _Set:
    """An information set, with sums over the iterations, and the histories in it."""

    seat: int
    example: tuple[str, ...]
    actions: list[str]
    regret: list[float] = field(default_factory=list)
    gain: list[float] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    now: list[float] = field(default_factory=list)
    histories: list[_History] = field(default_factory=list)

    def average(self) -> list[float]:
        total = sum(self.sums)
        return [part / total for part in self.sums] if total > 0 else [1 / len(self.actions)] * len(self.actions)


@dataclass(slots=True)
class _History:
    """A node of the tree: an end (`returns`: of seat 0), chance (`chances`), or a decision (`at`)."""

    returns: float = 0.0
    chances: list[float] | None = None
    at: _Set | None = None
    below: list[_History] = field(default_factory=list)
    reach: float = 0.0


class _Tree:
    """The whole tree of histories."""

    def __init__(self, start: State, most: int) -> None:
        self.most, self.count = most, 0
        self.sets: dict[bytes, _Set] = {}
        self.sum: float | None = None
        self.root = self._grown(start, ())

    def _grown(self, state: State, path: tuple[str, ...]) -> _History:
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
                node.below.append(self._grown(after, (*path, f"chance:{outcome}")))
            return node
        seat = state.current_players()[0]
        actions = state.legal_actions(seat)
        told = json.dumps([seat, state.information_state(seat)], sort_keys=True, default=str)
        key = blake2b(told.encode(), digest_size=16).digest()
        if key not in self.sets:
            zeros = [0.0] * len(actions)
            ids = [action.id for action in actions]
            self.sets[key] = _Set(seat, path, ids, zeros[:], zeros[:], zeros[:])
        node.at = self.sets[key]
        node.at.histories.append(node)
        for action in actions:
            after = state.clone()
            after.apply(action, seat)
            node.below.append(self._grown(after, (*path, action.id)))
        return node


class _Regrets:
    """CFR+ on a tree."""

    def __init__(self, tree: _Tree) -> None:
        self.tree, self.sets = tree, list(tree.sets.values())

    def solve(self, close: float, iterations: int) -> Solution:
        made, exploitability = 0, float("inf")
        while made < iterations and exploitability > close:
            for _ in range(min(LOOKS, iterations - made)):
                made += 1
                for seat in (0, 1):
                    self._iterate(seat, made)
            exploitability = self.exploitability()
        value, total = self._expected(self.tree.root), self.tree.sum or 0.0
        policy = tuple(
            {"seat": of.seat, "example": list(of.example), "actions": dict(zip(of.actions, of.average(), strict=True))}
            for of in self.sets
        )
        return Solution("CFR+", (value, total - value), exploitability, self.tree.count, made, policy)

    def _iterate(self, seat: int, weight: int) -> None:
        for of in self.sets:
            total = sum(of.regret)
            of.now = [part / total for part in of.regret] if total > 0 else [1 / len(of.actions)] * len(of.actions)
        self._walk(self.tree.root, seat, 1.0, 1.0, weight)
        for of in self.sets:
            if of.seat == seat:
                of.regret = [max(old + new, 0.0) for old, new in zip(of.regret, of.gain, strict=True)]
                of.gain = [0.0] * len(of.actions)

    def _walk(self, node: _History, seat: int, own: float, others: float, weight: int) -> float:
        """What a history is worth to a seat, by the policies of now. `own`, `others`: the probabilities that they
        play to it, chance among the others."""
        if node.chances is not None:
            rows = zip(node.chances, node.below, strict=True)
            return sum(chance * self._walk(child, seat, own, others * chance, weight) for chance, child in rows)
        of = node.at
        if of is None:
            return node.returns if seat == 0 else -node.returns
        pairs = zip(of.now, node.below, strict=True)
        if of.seat != seat:
            return sum(part * self._walk(child, seat, own, others * part, weight) for part, child in pairs if part)
        values = [self._walk(child, seat, own * part, others, weight) for part, child in pairs]
        value = sum(part * each for part, each in zip(of.now, values, strict=True))
        for place, each in enumerate(values):
            of.gain[place] += others * (each - value)
            of.sums[place] += weight * own * of.now[place]
        return value

    def _expected(self, node: _History) -> float:
        """What a history is worth to seat 0 by the average policies."""
        if node.at is None and node.chances is None:
            return node.returns
        parts = node.chances if node.at is None else node.at.average()
        assert parts is not None
        return sum(part * self._expected(child) for part, child in zip(parts, node.below, strict=True))

    def exploitability(self) -> float:
        """Half of what the seats' best responses to the average policies gain together."""
        for of in self.sets:
            of.now = of.average()
        found = 0.0
        for seat in (0, 1):
            self._reach(self.tree.root, seat, 1.0)
            found += self._best(self.tree.root, seat, {})
        return found / 2

    def _reach(self, node: _History, seat: int, others: float) -> None:
        """Notes with which probability the others play to each history."""
        node.reach = others
        parts = node.chances if node.at is None else node.at.now if node.at.seat != seat else [1.0] * len(node.below)
        for part, child in zip(parts or (), node.below, strict=True):
            self._reach(child, seat, others * part)

    def _best(self, node: _History, seat: int, answers: dict[int, int]) -> float:
        """What a history is worth to a seat that answers best."""
        of = node.at
        if of is None and node.chances is None:
            return node.returns if seat == 0 else -node.returns
        if of is None or of.seat != seat:
            parts = node.chances if of is None else of.now
            rows = zip(parts or (), node.below, strict=True)
            return sum(part * self._best(child, seat, answers) for part, child in rows if part)
        if id(of) not in answers:
            values = [
                sum(each.reach * self._best(each.below[place], seat, answers) for each in of.histories if each.reach)
                for place in range(len(of.actions))
            ]
            answers[id(of)] = values.index(max(values))
        return self._best(node.below[answers[id(of)]], seat, answers)
