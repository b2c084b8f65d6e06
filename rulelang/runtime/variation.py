"""Another course that a game may have taken, told by where it leaves the true one and where it comes back to it.

Enters: a course, and stretches of steps that were played otherwise. Leaves: a `Variation`: its steps, its log, the
state that it ends in. Between its stretches it does what the true course does, in a state that differs in places which
nothing there touches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rulelang.runtime.course import Course
from rulelang.runtime.history import Step
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.sight import Redactor
from rulelang.runtime.state import State
from rulelang.runtime.watched import Places

Values = dict[int, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a state differs from the true one, and with what.

    Attributes:
        v, z, where, pools: index -> value, as in `State`. rest: whether anything else differs.
        known: individual -> where it is by the seat's account; piles: zone instance -> contents by that account.
        places: of all of these.
    """

    v: Values = field(default_factory=dict)
    z: Values = field(default_factory=dict)
    where: Values = field(default_factory=dict)
    pools: Values = field(default_factory=dict)
    known: Values = field(default_factory=dict)
    piles: Values = field(default_factory=dict)
    rest: bool = False
    places: frozenset[int] = frozenset()

    def make(self, state: State) -> State:
        """A copy of the true state with what differs."""
        new = state.clone()
        for place, value in self.v.items():
            new.v[place] = value
        for place, value in self.z.items():
            new.z[place] = value[:]
        for place, value in self.where.items():
            new.where[place] = value
        new.pools.extend([] for _ in range(len(new.pools), max(self.pools, default=-1) + 1))
        for place, value in self.pools.items():
            new.pools[place] = value[:]
        return new

    def inform(self, redactor: Redactor) -> Redactor:
        """Change an account of what the seat knows to how it is in this variation."""
        for item, zone in self.known.items():
            redactor.where[item] = zone
        for zone, pile in self.piles.items():
            redactor.piles[zone] = pile[:]
        return redactor


SAME = Difference()


def difference(a: State, b: State, known: Redactor, truly: Redactor) -> Difference:
    """Where a state differs from the true one `b`, by the seat's account `known` and truly so."""
    places = Places(a.layout)
    v = _unequal(a.v, b.v)
    z = _unequal(a.z, b.z)
    where = _unequal(a.where, b.where)
    longest = max(len(a.pools), len(b.pools))
    pools = _unequal(_filled(a.pools, longest), _filled(b.pools, longest))
    heard = _unequal(known.where, truly.where)
    piles = {zone: pile for zone, pile in known.piles.items() if pile != truly.piles[zone]}
    rest = any(
        getattr(a, part) != getattr(b, part)
        for part in ("frames", "over", "winners", "out", "deferred", "turns", "decisions")
    )
    if not (v or z or where or pools or heard or piles or rest):
        return SAME
    differing = {*z, *piles, *(places.cells + cell for cell in v), *(places.pools + pool for pool in pools)}
    differing.update(places.where + item for item in (*where, *heard))
    return Difference(
        v,
        {zone: contents[:] for zone, contents in z.items()},
        where,
        {pool: items[:] for pool, items in pools.items()},
        heard,
        {zone: pile[:] for zone, pile in piles.items()},
        rest,
        frozenset(differing),
    )


def _unequal(a: list[Any], b: list[Any]) -> Values:
    return {} if a == b else {place: x for place, (x, y) in enumerate(zip(a, b, strict=True)) if x != y}


def _filled(pools: list[list[int]], length: int) -> list[list[int]]:
    return pools + [[]] * (length - len(pools))


@dataclass(frozen=True, slots=True)
class Taken:
    """A step of a variation.

    Attributes:
        origin: the number of the true step that it stands for, -1 for one that the true course does not have.
        before: the state that it was taken in, if that was kept. entries: what the log tells of it, None for the same
            as of the true step.
    """

    origin: int
    before: State | None = None
    entries: tuple[Entry, ...] | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps that were played otherwise, from the true step `start` until before the true step `end`.

    Attributes:
        taken, steps: its steps, and what the seat knows of each.
        after: where the state after it differs from the true one. state: that state where the stretch ends the course.
    """

    start: int
    end: int
    taken: tuple[Taken, ...]
    steps: tuple[Step, ...]
    after: Difference
    state: State | None = None


class Variation:
    """A course of `length` true steps but for some stretches.

    Attributes:
        taken: all its steps. steps: what the seat knows of them, as numbered in `taken`.
    """

    def __init__(self, course: Course, steps: list[Step], stretches: tuple[Stretch, ...] = ()) -> None:
        self.course = course
        self.length = len(steps)
        self.stretches = stretches
        self.taken: list[Taken] = []
        self.steps: list[Step] = []
        at = 0
        for stretch in stretches:
            self.taken += map(Taken, range(at, stretch.start))
            self.taken += stretch.taken
            self.steps += steps[at : stretch.start]
            self.steps += stretch.steps
            at = stretch.end
        self.taken += map(Taken, range(at, len(steps)))
        self.steps += steps[at:]

    def begin(self, number: int) -> tuple[int, int, tuple[Stretch, ...]]:
        """Where to start in order to change a step: the number of a true step and the one here that comes then, and
        the stretches that end before that."""
        moved = 0
        for place, stretch in enumerate(self.stretches):
            first = stretch.start + moved
            if number < first:
                return number - moved, number, self.stretches[:place]
            if number < first + len(stretch.taken):
                return stretch.start, first, self.stretches[:place]
            moved += len(stretch.taken) - (stretch.end - stretch.start)
        return number - moved, number, self.stretches

    def now(self, origin: int) -> int:
        """The number of the step here that comes at a true step, which lies in no stretch but maybe starts one."""
        ended = [stretch for stretch in self.stretches if stretch.start < origin >= stretch.end]
        return origin + sum(len(stretch.taken) - (stretch.end - stretch.start) for stretch in ended)

    def entries(self, taken: Taken) -> list[Entry]:
        """Return the log entries of a step."""
        return self.course.entries(taken.origin) if taken.entries is None else list(taken.entries)

    def state(self) -> State:
        """The state that it ends in, with its log."""
        course = self.course
        last = self.stretches[-1] if self.stretches else None
        if last is None:
            return course.states[self.length].clone()
        state = last.after.make(course.states[self.length]) if last.state is None else last.state.clone()
        log: Log = course.states[self.stretches[0].start].log
        for taken in self.taken[self.stretches[0].start :]:
            for entry in self.entries(taken):
                log = log.append(entry)
        state.log = log
        return state
