"""A machine that tells each statement before it is carried out, for debuggers.

Enters: a machine. Leaves: the machine, which notes the moments of one run: where it stands, in which procedures, with
which state and locals. A machine that is not watched has no part of this.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rulelang.interpreter.blocks import Block, Blocks
from rulelang.interpreter.expressions import Locals
from rulelang.interpreter.machine import Machine
from rulelang.ir.nodes import Branch, CallProc, Chance, Choose, Expr, Return, Terminator
from rulelang.ir.program import Program
from rulelang.runtime.state import State

MOST_MOMENTS = 20_000
"""Of so many moments a run keeps the first ones."""


class RunningProcedure(NamedTuple):
    """A procedure that is being carried out.

    Attributes:
        procedure: its number. site: of the statement at which it is. locals: its values by slot.
        block: where it goes on if it waits for another, and only what is read from there on has its value; else -1.
    """

    procedure: int
    site: int
    locals: tuple[Any, ...]
    block: int = -1


class Moment(NamedTuple):
    """The moment before a statement: the procedures, innermost last, and a copy of the state."""

    stack: tuple[RunningProcedure, ...]
    state: State


class Watched:
    """The moments of the run of one state. What is looked for or only tried (options, `possible`) is not noted.

    Attributes:
        moments: those so far. cut: whether there were more than are kept.
    """

    def __init__(self, machine: Machine) -> None:
        self.moments: list[Moment] = []
        self.cut = False
        self._machine = machine
        self._watched: State | None = None
        self._calls: list[list[Any]] = []
        self._sites: list[int] = []
        machine.blocks = _WatchedBlocks(machine, self)
        machine.compiler = machine.blocks.compiler

    def run(self, state: State, act: Callable[[State], None], sites: Sequence[int] = ()) -> None:
        """Let `act` change a state, and note the moments of that.

        Args:
            sites: where the procedures that wait are, outermost first.
        """
        self.moments, self.cut, self._watched = [], False, state
        self._calls.clear()
        self._sites = [*sites]
        try:
            act(state)
        finally:
            self._watched = None
            self._calls.clear()

    def tell(self, S: State, L: Locals, procedure: int, site: int) -> None:
        """Note that a statement of a procedure comes next."""
        if S is not self._watched or self._machine.asker >= 0 or not site:
            return
        if len(self.moments) >= MOST_MOMENTS:
            self.cut = True
            return
        depth = len(S.frames)
        del self._sites[depth:]
        self._sites += [0] * (depth - len(self._sites))
        if self._calls:
            self._calls[-1][1] = site
        elif depth:
            self._sites[depth - 1] = site
        frames = [
            RunningProcedure(frame[0], self._sites[n], tuple(frame[2]), frame[1] if n < depth - 1 else -1)
            for n, frame in enumerate(S.frames)
        ]
        calls = [RunningProcedure(called, where, tuple(values)) for called, where, values in self._calls]
        self.moments.append(Moment((*frames, *calls), S.clone()))

    def called(self, procedure: int, run: Callable[[State, Locals], Any]) -> Callable[[State, Locals], Any]:
        """Return the function of a procedure on Python's stack, which is noted while it runs."""

        def within(S: State, L: Locals) -> Any:
            if S is not self._watched or self._machine.asker >= 0:
                return run(S, L)
            self._calls.append([procedure, 0, L])
            try:
                return run(S, L)
            finally:
                self._calls.pop()

        return within


def sites_of(program: Program) -> set[int]:
    """Return the sites of the statements of a program, before which there may be a moment."""
    blocks = [block for procedure in program.procedures for block in procedure.blocks]
    statements = {statement.site for block in blocks for statement in block.statements}
    return {site for site in statements | {_site(program, block.terminator) for block in blocks} if site}


def _site(program: Program, terminator: Terminator) -> int:
    """Return where the end of a block stands; 0 for one that nobody wrote."""
    match terminator:
        case CallProc(site=site) | Chance(site=site):
            return site
        case Branch(condition=value) | Return(value=Expr() as value):
            return value.site
        case Choose(decision=decision):
            return program.decisions[decision].site
    return 0


class _WatchedBlocks(Blocks):
    """Blocks whose statements are told before they are carried out."""

    def __init__(self, machine: Machine, watched: Watched) -> None:
        super().__init__(machine.layout, machine)
        self._watched = watched

    def _block(self, procedure: int, number: int) -> Block:
        fuel, effects, *rest = super()._block(procedure, number)
        block = self.program.procedures[procedure].blocks[number]
        told: list[Any] = []
        for node, effect in zip(block.statements, effects, strict=True):
            told += [self._telling(procedure, node.site), effect]
        site = _site(self.program, block.terminator)
        if site:
            told.append(self._telling(procedure, site))
        return fuel, tuple(told), *rest

    def _telling(self, procedure: int, site: int) -> Callable[[State, Locals], None]:
        tell = self._watched.tell

        def telling(S: State, L: Locals) -> None:
            tell(S, L, procedure, site)

        return telling

    def call(self, procedure: int) -> Callable[[State, Locals], Any]:
        """Return a function that runs a procedure that does not suspend, which is noted."""
        return self._watched.called(procedure, super().call(procedure))
