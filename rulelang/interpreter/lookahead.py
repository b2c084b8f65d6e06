"""`possible`: could a condition hold after a procedure, whatever its choices?

Enters: a `possible` expression. Leaves: its closure, a depth-first search on scratch copies. A branch that would
draw, or ask another seat than the one that looks ahead, fails. Inside its own look-ahead the expression counts as true.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import FuelError
from rulelang.interpreter.expressions import Code, Locals
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.runtime.bounds import fuel_error
from rulelang.runtime.distinct import key
from rulelang.runtime.fuel import CELLS, TRIAL
from rulelang.runtime.state import State

if TYPE_CHECKING:
    from rulelang.interpreter.machine import Machine


class Lookahead:
    """The search of one `possible` expression.

    Attributes:
        procedure, arguments: the rule that is run. condition: what is to hold after it. active: whether the search is
            under way, within which `possible` counts as true. step: the fuel of trying one option.
    """

    def __init__(self, runner: Machine, expr: Expr) -> None:
        condition, *arguments = operands(expr)
        self.runner = runner
        self.procedure = number(expr)
        self.site = expr.site
        self.arguments = [runner.compiler.stored(argument) for argument in arguments]
        self.condition: Code = runner.compiler.code(condition)
        self.active = False
        self.step = TRIAL

    def possible(self, S: State, L: Locals) -> bool:
        """Return whether some run of the procedure ends with the condition true, by running it on a copy."""
        if self.active:
            return True
        runner = self.runner
        scratch = S.clone()
        scratch.logging = False
        scratch.explicit = True
        scratch.frames = []
        runner.push(scratch, self.procedure, [code(S, L) for code in self.arguments])
        self.step = TRIAL + (len(S.v) + len(S.z) + S.pieces()) // CELLS
        asker, auto = runner.asker, runner.auto
        self.active = True
        runner.asker, runner.auto = -1, False
        try:
            is_possible, S.fuel = self._search(scratch, L, asker, set())
        finally:
            self.active = False
            runner.asker, runner.auto = asker, auto
        return is_possible

    def _search(self, S: State, L: Locals, asker: int, seen: set[Any]) -> tuple[bool, int]:
        """Return whether some run from here ends with the condition true, and the fuel that is left."""
        runner = self.runner
        try:
            runner.run(S)
        except FuelError:
            if S.fuel >= 0:
                raise
            raise self._used_up() from None
        if not S.frames:
            return bool(self.condition(S, L[:])), S.fuel
        decision = runner.pending_decision(S)
        if decision is None or decision.node.together:
            return False, S.fuel
        values: Locals = S.frames[-1][2]
        seat = decision.seat(S, values[:])
        if asker >= 0 and seat != asker:
            return False, S.fuel
        mark = S.mark(), key(S.frames)
        if mark in seen:
            return False, S.fuel
        seen.add(mark)
        runner.asker = seat
        chunks = decision.chunks(S, values[:])
        runner.asker = -1
        fuel = S.fuel
        for item, chunk in zip(decision.items, chunks, strict=True):
            for chosen in chunk:
                fuel -= self.step
                if fuel < 0:
                    raise self._used_up()
                scratch = S.clone()
                scratch.fuel = fuel
                frame = scratch.frames[-1]
                item.bind(frame[2], item.values(chosen))
                frame[1] = item.to
                holds, fuel = self._search(scratch, L, seat, seen)
                if holds:
                    return True, fuel
        return False, fuel

    def _used_up(self) -> FuelError:
        return fuel_error(self.runner.layout.program, self.site, "looking ahead used up the fuel")
