"""Chance nodes: their outcomes with integer weights, sampling, and what an outcome does.

Enters: the `Chance` that ends a block. Leaves: `ChanceCode`, which draws at once or waits, as the state says.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from rulelang.diagnostics import counted
from rulelang.interpreter.expressions import Code, Compiler, Locals
from rulelang.ir.nodes import Chance
from rulelang.limits import current
from rulelang.registry import exhaustive
from rulelang.runtime.bounds import rule_error
from rulelang.runtime.distinct import key
from rulelang.runtime.pools import (
    interchangeable_classes,
    make_known,
    pool_outcomes,
    position,
    shared_member,
    take_at_random,
)
from rulelang.runtime.rng import uniform
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import CHANCE

WAITS = -1
"""Returned instead of the next block when the state waits for an outcome (or the game is over)."""

Outcomes = list[tuple[Any, int]]


class ChanceCode(ABC):
    """One chance node. A certain result is taken without waiting.

    Attributes:
        done: whether one outcome completes the node.
    """

    done = True

    def __init__(self, c: Compiler, chance: Chance) -> None:
        self.chance = chance
        self.program = c.program
        self.slot = chance.slot
        self.to = chance.to
        self.source = [c.code(arg) for arg in chance.source]
        self.seers: Code | None = c.code(chance.seers) if chance.seers is not None else None

    @abstractmethod
    def arrive(self, S: State, L: Locals) -> int:
        """Draw and return the next block, or WAITS in explicit mode. Of the locals only the node's own slot changes:
        what its expressions bind, they bind in a copy."""

    @abstractmethod
    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return the outcomes with their weights, in the order that sampling goes by; writes to slots."""

    def take(self, S: State, L: Locals, value: Any) -> None:
        """Let an outcome come true; then `arrive` again, unless `done`."""
        told = () if self.seers is None else (tuple(self.seers(S, L[:])),)
        self._put(L, value)
        self._log(S, value, *told)

    def _log(self, S: State, *what: Any) -> None:
        S.record("chance", self.chance.site, self.chance.kind, *what)

    def _put(self, L: Locals, value: Any) -> None:
        if self.slot >= 0:
            L[self.slot] = value


class _Number(ChanceCode):
    """A number from a range, all equally likely."""

    def __init__(self, c: Compiler, chance: Chance) -> None:
        super().__init__(c, chance)
        self.low, self.high = self.source

    def arrive(self, S: State, L: Locals) -> int:
        """Draw a number between bounds, or wait for it where chance is explicit."""
        scratch = L[:]
        low: int = self.low(S, scratch)
        n = self.high(S, scratch) - low + 1
        if n < 1:
            raise rule_error(self.program, self.chance.site, "there is no number to draw")
        if n == 1:
            self._put(L, low)
            return self.to
        if S.explicit:
            return WAITS
        draw, S.rng = uniform(S.rng, n)
        self.take(S, L, low + draw)
        return self.to

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return all numbers of the range, each with weight 1; RuleError if they are too many to be listed."""
        low, high = self.low(S, L), self.high(S, L)
        most = current().options
        if high - low >= most:
            message = f"this draw has {counted(high - low + 1, 'outcome')}; at most {most} can be listed"
            raise rule_error(self.program, self.chance.site, message)
        return [(value, 1) for value in range(low, high + 1)]


class _Weighted(ChanceCode):
    """One of few outcomes with weights; none at all gives an absent value."""

    none = -1

    def arrive(self, S: State, L: Locals) -> int:
        """Draw one of the weighted outcomes, or wait for it where chance is explicit."""
        outcomes = self.outcomes(S, L[:])
        if len(outcomes) < 2:
            self._put(L, outcomes[0][0] if outcomes else self.none)
            return self.to
        if S.explicit:
            return WAITS
        draw, S.rng = uniform(S.rng, sum(weight for _, weight in outcomes))
        for value, weight in outcomes:
            if draw < weight:
                self.take(S, L, value)
                break
            draw -= weight
        return self.to


class _Element(_Weighted):
    """An element of a set, all equally likely."""

    def __init__(self, c: Compiler, chance: Chance) -> None:
        super().__init__(c, chance)
        (self.elements,) = self.source
        self.refers = c.layout.refers(chance.args[0].type)
        self.none = chance.args[0].type.absent

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return each distinct element with its number of copies; of interchangeable pieces one for its class."""
        elements = self.elements(S, L)
        if self.refers:
            return [(members[0], len(members)) for members in interchangeable_classes(S, elements)]
        counts: dict[Any, list[Any]] = {}
        for value in elements:
            counts.setdefault(key(value), [value, 0])[1] += 1
        return [(value, weight) for value, weight in counts.values()]


class _Unit(_Weighted):
    """A unit of a bag, all equally likely: each kind with as much as there is of it."""

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return each kind that is there with its number of units."""
        (bag,) = self.source
        return [(kind, units) for kind, units in enumerate(bag(S, L)) if units > 0]


class _Unseen(ChanceCode):
    """`expose` and `shared`: a member of a pool becomes known."""

    done = False

    def __init__(self, c: Compiler, chance: Chance) -> None:
        super().__init__(c, chance)
        self.zone = self.source[0]
        self.place: Code | None = self.source[1] if chance.kind == "expose" else None
        self.layout = c.layout
        self.interchangeable = c.layout.interchangeable
        self.at_top = self.place is not None and c.known(chance.args[1]) == 0

    def _find(self, S: State, L: Locals, zone: int) -> int:
        """Return the index in the zone of what is to become known; -1 when nothing is."""
        if self.place is None:
            return shared_member(S, zone)
        contents = S.z[zone]
        index = position(contents, self.place(S, L))
        return index if index >= 0 and contents[index] < 0 else -1

    def arrive(self, S: State, L: Locals) -> int:
        """Draw which members of pools unknown pieces are, one after the other, or wait where chance is explicit."""
        scratch = L[:]
        zone = self.zone(S, scratch)
        if self.at_top and (not S.z[zone] or S.z[zone][-1] >= 0):
            return self.to
        while (index := self._find(S, scratch, zone)) >= 0:
            pool = -S.z[zone][index] - 1
            items = S.pools[pool]
            # Fewer than two outcomes only where individuals are alike: other pools settle as they shrink to one.
            if self.interchangeable[self.layout.inst_kind[zone]] and len(pool_outcomes(S, pool)) == 1:
                make_known(S, zone, index, items[0])
                continue
            if S.explicit:
                return WAITS
            draw, S.rng = uniform(S.rng, len(items))
            self._make_known(S, zone, index, take_at_random(S, pool, draw))
            if self.place is not None:
                break
        return self.to

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        zone = self.zone(S, L)
        index = self._find(S, L, zone)
        return pool_outcomes(S, -S.z[zone][index] - 1) if index >= 0 else []

    def take(self, S: State, L: Locals, value: Any) -> None:
        scratch = L[:]
        zone = self.zone(S, scratch)
        self._make_known(S, zone, self._find(S, scratch, zone), value)

    def _make_known(self, S: State, zone: int, index: int, item: int) -> None:
        make_known(S, zone, index, item)
        self._log(S, item, zone, index)


KINDS: dict[str, type[ChanceCode]] = {
    "number": _Number, "element": _Element, "unit": _Unit, "expose": _Unseen, "shared": _Unseen
}  # fmt: skip
"""Kind of chance -> its code."""
exhaustive(KINDS, CHANCE)


def chance_code(c: Compiler, chance: Chance) -> ChanceCode:
    """Return the code of a chance node."""
    return KINDS[chance.kind](c, chance)
