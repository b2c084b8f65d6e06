"""The state of a game: a value with all that later play depends on.

Enters: the writes of a machine. Leaves: `State`, which can be cloned at any time at a cost independent of the length of
the game.

Values in locals are never changed in place, so clones share them.
"""

from __future__ import annotations

from typing import Any

from rulelang.ir.nodes import Choose, Decision
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import EMPTY, Log

Frame = list[Any]
"""[procedure, block, locals, slot of the caller's frame that takes the returned value (-1: dropped)]"""

TURN, ROUND, PHASE, WON, DRAWN = 1, 2, 4, 8, 16
"""Bits of `deferred`: the game ends after this turn, round or phase; once it ends `winners` decides, or nobody wins."""

DEFERRALS = {"turn": TURN, "round": ROUND, "phase": PHASE}

RUNNING, SCORED, DECLARED, TIED = 0, 1, 2, 3
"""Values of `over`."""


class State:
    """One game in progress.

    Attributes:
        v: all variables, then all piece variables; a bag takes one cell per resource.
        z: the contents of every zone instance: an item (>= 0) or a member of pool k as -(k + 1). Piles have their top
            last, bags are sorted.
        where: item -> zone instance for known items of kinds with identity, else -1.
        pools: for each pool the sorted items that its members may still be.
        frames: the stack of procedures, innermost last; locals that are not live are 0. In a frame that waits for a
            `together` decision the result slot holds one value per party, None where it is still to come.
        over: 0 running, 1 scores decide, 2 `winners` were declared, 3 drawn.
        winners: bit mask of parties. out: bit mask of eliminated ones. deferred: bits, see above.
        decisions, turns: how many there were.
        fuel: the work that is left to a run until the next node; whole at every node, and so no part of what is saved.
        is_flat: whether native code left it: then it is never changed. Of that it has `block` and `tape`; in `waiting`
            what it waits for; in `count` how many options of the first of several seats are listed (-1: none), in
            `options` how many there are (0: that is not known); in `limited` whether `limits` ended the game.
    """

    is_flat = False
    waiting: Any
    block: Any
    tape: Any
    count = property(lambda _: -1)
    options = property(lambda _: 0)
    limited = property(lambda _: False)

    __slots__ = (
        "decisions", "deferred", "explicit", "frames", "fuel", "layout", "log", "logging", "out", "over", "pools",
        "rng", "turns", "v", "where", "winners", "z",
    )  # fmt: skip

    def __init__(self, layout: Layout, rng: int, explicit: bool, logging: bool) -> None:
        self.layout = layout
        self.v: list[int] = list(layout.start_v)
        self.z: list[list[int]] = [list(contents) for contents in layout.start_z]
        self.where: list[int] = list(layout.start_where)
        self.pools: list[list[int]] = []
        self.frames: list[Frame] = []
        self.over = 0
        self.winners = 0
        self.out = 0
        self.deferred = 0
        self.rng = rng
        self.explicit = explicit
        self.decisions = 0
        self.turns = 0
        self.fuel = layout.program.fuel
        self.log: Log = EMPTY
        self.logging = logging

    def record(self, *entry: Any) -> None:
        """Append an entry to the log, if the game is logged; LogFullError beyond the bound of `most_events`."""
        if self.logging:
            self.log = self.log.append(entry, self.decisions)

    def clone(self) -> State:
        """Return an independent copy that shares the log."""
        new = State.__new__(State)
        new.v = self.v[:]
        new.z = [contents[:] for contents in self.z]
        new.where = self.where[:]
        new.pools = [items[:] for items in self.pools]
        new.layout = self.layout
        new.frames = [[procedure, block, values[:], slot] for procedure, block, values, slot in self.frames]
        new.over = self.over
        new.winners = self.winners
        new.out = self.out
        new.deferred = self.deferred
        new.rng = self.rng
        new.explicit = self.explicit
        new.decisions = self.decisions
        new.turns = self.turns
        new.fuel = self.fuel
        new.log = self.log
        new.logging = self.logging
        return new

    def pending_question(self) -> int:
        """Return the number of the decision at which the innermost procedure waits; -1 if it waits at none."""
        for procedure, block, *_ in self.frames[-1:]:
            terminator = self.layout.program.procedures[procedure].blocks[block].terminator
            return terminator.decision if isinstance(terminator, Choose) else -1
        return -1

    def pending_decision(self) -> Decision | None:
        """Return the decision at which the innermost procedure waits; None if it waits at none."""
        number = self.pending_question()
        return self.layout.program.decisions[number] if number >= 0 else None

    def mark(self) -> tuple[Any, ...]:
        """Return a value that is equal for copies of one state that differ in frames alone."""
        return (tuple(self.v), tuple(map(tuple, self.z)), self.deferred, self.winners, self.out)

    def pieces(self) -> int:
        """Return the number of pieces."""
        return sum(map(len, self.z))
