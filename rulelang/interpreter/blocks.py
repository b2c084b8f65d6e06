"""Procedures as blocks: tuples of statement closures and a terminator, built when first needed.

Enters: a layout, and who runs states for a look-ahead. Leaves: `Blocks`, which has the closures of all procedures and
decisions of the program.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import FuelError, counted
from rulelang.interpreter import bags, pieces, sets
from rulelang.interpreter.chance import chance_code
from rulelang.interpreter.decisions import DecisionCode
from rulelang.interpreter.endless import error_at_loop_head
from rulelang.interpreter.expressions import BUILDERS, OUT_OF_FUEL, Code, Compiler, Locals
from rulelang.interpreter.lookahead import Lookahead
from rulelang.interpreter.statements import STATEMENTS as STATEMENT_BUILDERS
from rulelang.interpreter.statements import Effect, statement
from rulelang.ir.nodes import Branch, CallProc, Chance, Choose, Expr, Jump, Return
from rulelang.registry import exhaustive
from rulelang.runtime.bounds import fuel_error
from rulelang.runtime.constants import BOUND, PURE
from rulelang.runtime.fuel import CALL_WORK, block_work
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import EXPRESSIONS, STATEMENTS

if TYPE_CHECKING:
    from rulelang.interpreter.machine import Machine

REGISTERED = (bags, pieces, sets)
"""Modules whose import registers operations."""
exhaustive(BUILDERS, EXPRESSIONS, PURE, BOUND, {"const"})
exhaustive(STATEMENT_BUILDERS, STATEMENTS)

JUMP, BRANCH, RETURN, CALL, CHOOSE, CHANCE, END = range(7)

Block = tuple[int, tuple[Effect, ...], int, Any, Any, Any]
"""Fuel, statements, the sort of terminator, and up to three parts of it."""


class Ended(Exception):  # noqa: N818 - a signal, not an error
    """A procedure on Python's stack ended the game."""

    def __init__(self, site: int) -> None:
        super().__init__(site)
        self.site = site


class Blocks:
    """The closures of one layout."""

    def __init__(self, layout: Layout, runner: Machine) -> None:
        self.layout = layout
        self.program = layout.program
        self.runner = runner
        self.compiler = Compiler(layout, self)
        self.compiled: list[list[Block]] = [[] for _ in self.program.procedures]
        self._decisions: dict[int, DecisionCode] = {}
        self._depth = [0] * len(self.program.procedures)
        self._lookaheads: dict[int, Lookahead] = {}

    def decision(self, number: int) -> DecisionCode:
        """Return the code of a decision."""
        if number not in self._decisions:
            self._decisions[number] = DecisionCode(self.compiler, number, self.program.decisions[number])
        return self._decisions[number]

    def of(self, procedure: int) -> list[Block]:
        """Return the blocks of a procedure."""
        if not self.compiled[procedure]:
            count = len(self.program.procedures[procedure].blocks)
            self.compiled[procedure] = [self._block(procedure, number) for number in range(count)]
        return self.compiled[procedure]

    def _block(self, procedure: int, number: int) -> Block:
        """Return a block."""
        c, block = self.compiler, self.program.procedures[procedure].blocks[number]
        fuel, effects = block_work(self.layout, block), tuple(statement(c, node) for node in block.statements)
        match block.terminator:
            case Jump(to=to):
                return fuel, effects, JUMP, to, None, None
            case Branch(condition=condition, then=then, otherwise=otherwise):
                return fuel, effects, BRANCH, c.code(condition), then, otherwise
            case Return(value=value):
                return fuel, effects, RETURN, c.stored(value) if value is not None else _nothing, None, None
            case CallProc() as call:
                arguments = [c.stored(argument) for argument in call.arguments]
                rest = [0] * (len(self.program.procedures[call.procedure].locals) - len(arguments))
                dead = {*self._dead(procedure, call.to), *([call.slot] if call.slot >= 0 else [])}
                return fuel, effects, CALL, (call.procedure, call.to, call.slot, rest), arguments, tuple(dead)
            case Choose(decision=decision):
                return fuel, effects, CHOOSE, self.decision(decision), self._dead(procedure, number), number
            case Chance() as chance:
                return fuel, effects, CHANCE, chance_code(c, chance), self._dead(procedure, number), number
        return fuel, effects, END, block.site, None, None

    def _dead(self, procedure: int, block: int) -> tuple[int, ...]:
        """Return the slots that nothing reads from a block on before it fills them."""
        code = self.program.procedures[procedure]
        return tuple(slot for slot in range(len(code.locals)) if slot not in code.blocks[block].live)

    def call(self, procedure: int) -> Callable[[State, Locals], Any]:
        """Return a function that runs a procedure that does not suspend on a list of locals."""
        code = self.program.procedures[procedure]
        program = self.program
        compiled = self.compiled

        def run(S: State, L: Locals) -> Any:
            blocks = compiled[procedure] or self.of(procedure)
            S.fuel -= CALL_WORK
            b = 0
            try:
                while True:
                    cost, effects, sort, x, y, z = blocks[b]
                    S.fuel -= cost
                    if S.fuel < 0:
                        raise fuel_error(program, code.site, OUT_OF_FUEL)
                    for effect in effects:
                        effect(S, L)
                    if sort == BRANCH:
                        b = y if x(S, L) else z
                    elif sort == JUMP:
                        b = x
                    elif sort == RETURN:
                        return x(S, L)
                    else:
                        raise Ended(x)
            except FuelError as error:
                raise error_at_loop_head(program, error, [(procedure, b)]) from None

        if code.depth == 0:
            return run
        depths, most = self._depth, min(code.depth, program.depth)

        def nested(S: State, L: Locals) -> Any:
            if depths[procedure] > most:
                raise fuel_error(program, code.site, f"more than {counted(most, 'level')} deep")
            depths[procedure] += 1
            try:
                return run(S, L)
            finally:
                depths[procedure] -= 1

        return nested

    def possible(self, expr: Expr) -> Code:
        """Return the closure of a `possible` expression: one, wherever it is built, as it knows when it looks ahead
        itself."""
        if id(expr) not in self._lookaheads:
            self._lookaheads[id(expr)] = Lookahead(self.runner, expr)
        return self._lookaheads[id(expr)].possible


def _nothing(S: State, L: Locals) -> int:
    return 0
