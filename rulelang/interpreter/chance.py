"""Chance nodes: their outcomes with integer weights, sampling, and what an outcome does.

Enters: the `Chance` that ends a block. Leaves: `ChanceCode`, which draws at once or waits, as the state says.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import comb, prod
from typing import Any

from rulelang.diagnostics import counted
from rulelang.interpreter.expressions import Code, Compiler, Locals
from rulelang.ir.nodes import Chance
from rulelang.limits import WAYS, current
from rulelang.registry import exhaustive
from rulelang.runtime.bounds import rule_error
from rulelang.runtime.distinct import distinct, key
from rulelang.runtime.layout import members
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

    def single_outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return the outcomes; of a draw of several things at once those of its next thing alone, as sampling draws and
        logs it, which `take` takes too."""
        return self.outcomes(S, L)

    def take(self, S: State, L: Locals, value: Any) -> None:
        """Let an outcome come true; then `arrive` again, unless `done`."""
        told = self._told(S, L)
        self._put(L, value)
        self._log(S, value, *told)

    def _told(self, S: State, L: Locals) -> tuple[tuple[int, ...], ...]:
        """Return the seats that are told the outcome, as the end of an entry of the log; nothing where all are."""
        return () if self.seers is None else (tuple(self.seers(S, L[:])),)

    def _listed(self, outcomes: Iterable[tuple[Any, int]]) -> Outcomes:
        """Return outcomes that are several things at once as a list; RuleError if they are too many."""
        listed = list(islice(outcomes, WAYS + 1))
        if len(listed) > WAYS:
            message = f"this draw has more than {counted(WAYS, 'outcome')}, too many to be listed"
            raise rule_error(self.program, self.chance.site, message)
        return listed

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
        copied = L[:]
        low: int = self.low(S, copied)
        n = self.high(S, copied) - low + 1
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
        self.elements = self.source[0]
        self.refers = c.layout.refers(chance.args[0].type)
        self.none = chance.args[0].type.absent

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return each distinct element with its number of copies; of interchangeable pieces one for its class."""
        elements = self.elements(S, L)
        if self.refers:
            return [(members[0], len(members)) for members in interchangeable_classes(S, elements)]
        return _with_copies(elements)


class _Some(_Element):
    """`some`: so many elements of a set at once, fewer than it has: one outcome, a tuple of them. Where chance is
    sampled, or the draw is certain, this node gives the empty list, and the `element` nodes after it draw one element
    after the other."""

    def __init__(self, c: Compiler, chance: Chance) -> None:
        super().__init__(c, chance)
        self.count = self.source[1]

    def arrive(self, S: State, L: Locals) -> int:
        """Wait for an outcome where chance is explicit and there are several; else give the empty list."""
        copied = L[:]
        if S.explicit and self.count(S, copied) > 0 and len(super().outcomes(S, copied)) > 1:
            return WAITS
        self._put(L, [])
        return self.to

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return the distinct bags of so many elements, as tuples, with the number of ways in which each comes about;
        RuleError if they are too many to be listed."""
        return self._listed(_sub_bags(super().outcomes(S, L), self.count(S, L)))

    def single_outcomes(self, S: State, L: Locals) -> Outcomes:
        return _with_copies(self.elements(S, L))

    def take(self, S: State, L: Locals, value: Any) -> None:
        """Put the elements, or a single one, in the slot; log each as an `element`, unless those left are all alike."""
        told, rest, drawn = self._told(S, L), list(self.elements(S, L[:])), []
        classes = interchangeable_classes(S, rest) if self.refers else []
        for representative in members((value,)):
            alike = next((same for same in classes if representative in same), ())
            element = next((member for member in (representative, *alike) if member in rest), representative)
            if len(interchangeable_classes(S, rest) if self.refers else distinct(rest)) > 1:
                S.record("chance", self.chance.site, "element", element, *told)
            rest.remove(element)
            drawn.append(element)
        self._put(L, drawn)


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
        copied = L[:]
        zone = self.zone(S, copied)
        if self.at_top and (not S.z[zone] or S.z[zone][-1] >= 0):
            return self.to
        while (index := self._find(S, copied, zone)) >= 0:
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
        copied = L[:]
        zone = self.zone(S, copied)
        self._make_known(S, zone, self._find(S, copied, zone), value)

    def _make_known(self, S: State, zone: int, index: int, item: int) -> None:
        make_known(S, zone, index, item)
        self._log(S, item, zone, index)


class _Several(ChanceCode):
    """`several`: the pieces at the top of a pile become known: one outcome, a tuple of them. Where chance is sampled
    they are drawn one after the other."""

    done = False

    def __init__(self, c: Compiler, chance: Chance) -> None:
        super().__init__(c, chance)
        self.zone, self.count = self.source

    def _unknown(self, S: State, L: Locals) -> tuple[int, list[int]]:
        """Return the zone, and the indices of the members of pools among its top pieces, from the top on."""
        zone = self.zone(S, L)
        contents = S.z[zone]
        last = max(len(contents) - self.count(S, L), 0)
        return zone, [index for index in range(len(contents) - 1, last - 1, -1) if contents[index] < 0]

    def arrive(self, S: State, L: Locals) -> int:
        """Draw which pieces they are, one after the other, or wait where chance is explicit and may come out several
        ways."""
        zone, unknown = self._unknown(S, L[:])
        if S.explicit:
            if self._open(S, zone, unknown):
                return WAITS
            for value, _ in self.outcomes(S, L[:]) if unknown else ():
                self.take(S, L, value)
            return self.to
        certain = self._certain(S, zone, unknown)
        for index in unknown:
            if S.z[zone][index] >= 0:
                continue  # another one that became known left nothing else for it to be
            pool = -S.z[zone][index] - 1
            if len(outcomes := pool_outcomes(S, pool)) == 1:
                make_known(S, zone, index, outcomes[0][0])
                continue
            draw, S.rng = uniform(S.rng, len(S.pools[pool]))
            self._make_known(S, zone, index, take_at_random(S, pool, draw), pool in certain)
        return self.to

    @staticmethod
    def _pools(S: State, zone: int, unknown: list[int]) -> Counter[int]:
        """Return the pools of the unknown pieces, with the number of pieces that come from each."""
        return Counter(-S.z[zone][index] - 1 for index in unknown)

    def _certain(self, S: State, zone: int, unknown: list[int]) -> set[int]:
        """Return the pools whose members are all among the unknown pieces, so that no outcome is told of them."""
        return {pool for pool, number in self._pools(S, zone, unknown).items() if number == len(S.pools[pool])}

    def _open(self, S: State, zone: int, unknown: list[int]) -> list[int]:
        """Return the indices of those unknown pieces of which an outcome is told."""
        told = self._pools(S, zone, unknown).keys() - self._certain(S, zone, unknown)
        told = {pool for pool in told if len(pool_outcomes(S, pool)) > 1}
        return [index for index in unknown if -S.z[zone][index] - 1 in told]

    def outcomes(self, S: State, L: Locals) -> Outcomes:
        """Return the distinct bags of pieces that the unknown ones may be, as sorted tuples, with the number of ways in
        which each comes about; RuleError if they are too many to be listed."""
        zone, unknown = self._unknown(S, L)
        of_pools = (
            self._listed(_sub_bags(pool_outcomes(S, pool), size))
            for pool, size in self._pools(S, zone, unknown).items()
        )
        return self._listed(
            (tuple(sorted(item for bag, _ in bags for item in bag)), prod(ways for _, ways in bags))
            for bags in product(*of_pools)
        )

    def single_outcomes(self, S: State, L: Locals) -> Outcomes:
        zone, unknown = self._unknown(S, L)
        return pool_outcomes(S, -S.z[zone][self._open(S, zone, unknown)[0]] - 1)

    def take(self, S: State, L: Locals, value: Any) -> None:
        """Make the pieces known, or the first one that an outcome is told of."""
        zone, unknown = self._unknown(S, L[:])
        left, certain = list(members((value,))), self._certain(S, zone, unknown)
        if not isinstance(value, tuple):
            unknown = self._open(S, zone, unknown)
        for index in unknown[: len(left)]:
            if S.z[zone][index] >= 0:
                left.remove(self._alike(S, left, S.z[zone][index]))
                continue
            pool = -S.z[zone][index] - 1
            item = next(piece for piece in left if self._alike(S, S.pools[pool], piece) >= 0)
            left.remove(item)
            self._make_known(S, zone, index, self._alike(S, S.pools[pool], item), pool in certain)

    @staticmethod
    def _alike(S: State, items: Sequence[int], piece: int) -> int:
        """Return the item for which a piece of an outcome stands: itself, or one like it; -1 for none."""
        layout = S.layout
        if piece in items:
            return piece
        like = (layout.item_sorts[piece], [S.v[cell] for cell in layout.cells_of(piece)])
        same = (x for x in items if (layout.item_sorts[x], [S.v[cell] for cell in layout.cells_of(x)]) == like)
        return next(same, -1)

    def _make_known(self, S: State, zone: int, index: int, item: int, is_certain: bool) -> None:
        make_known(S, zone, index, item)
        if not is_certain:
            S.record("chance", self.chance.site, "expose", item, zone, index)


def _with_copies(elements: Sequence[Any]) -> Outcomes:
    """Return each distinct element with its number of copies."""
    counts: dict[Any, list[Any]] = {}
    for value in elements:
        counts.setdefault(key(value), [value, 0])[1] += 1
    return [(value, weight) for value, weight in counts.values()]


def _sub_bags(kinds: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the distinct bags of `size` things, of which there are so many of each kind, with the number of ways to
    take each: the multivariate hypergeometric distribution."""
    if not kinds:
        if size == 0:
            yield (), 1
        return
    (item, number), *rest = kinds
    others = sum(n for _, n in rest)
    for taken in range(min(number, size), max(size - others, 0) - 1, -1):
        for bag, ways in _sub_bags(rest, size - taken):
            yield (item,) * taken + bag, comb(number, taken) * ways


KINDS: dict[str, type[ChanceCode]] = {
    "number": _Number, "element": _Element, "some": _Some, "unit": _Unit,
    "expose": _Unseen, "several": _Several, "shared": _Unseen,
}  # fmt: skip
"""Kind of chance -> its code."""
exhaustive(KINDS, CHANCE)


def chance_code(c: Compiler, chance: Chance) -> ChanceCode:
    """Return the code of a chance node."""
    return KINDS[chance.kind](c, chance)
