"""Why something is refused: what the parts of the guard that failed are, or what there is nothing of.

Enters: guards and binders, at the moment when they fail. Leaves: `Refusal`s. Nothing here runs unless it is asked for.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from typing import Any

from rulelang.interpreter.causes import Causes, lacking
from rulelang.interpreter.expressions import Code, Compiler, Locals
from rulelang.ir.nodes import Binder, Expr, Guard
from rulelang.ir.shown import shown_parts
from rulelang.ir.walk import operands
from rulelang.runtime import payments
from rulelang.runtime.refusals import FailedPart, Refusal
from rulelang.runtime.state import State
from rulelang.vocabulary.types import INT

WHOLE = "whole"
"""The word of a guard that was revealed as a whole: why it fails must not be looked into."""


class Explainer:
    """Reads what is to be told of the guards and binders of a decision; closures are built when first needed."""

    def __init__(self, c: Compiler) -> None:
        self.compiler = c
        self._codes: dict[Expr, Code] = {}

    def refusal(self, S: State, L: Locals, item: int, values: tuple[Any, ...], failed: Guard | Binder) -> Refusal:
        """Return the refusal for what has just failed, with the locals as they are."""
        if isinstance(failed, Guard):
            resource, lacks = self._lacks(S, L, failed.condition, "can_pay")
            explained = failed.kind == "condition" and not lacks and failed.word != WHOLE
            causes = Causes(self.compiler, S).of(failed.condition, L) if explained else ()
            return Refusal(item, values, failed, None, self._facts(S, L, failed), resource, lacks, causes)
        source = failed.args[0]
        facts: tuple[FailedPart, ...] = ()
        if failed.kind == "number":
            facts = tuple(FailedPart("", "value", INT, self._code(bound)(S, L)) for bound in failed.args)
        lacks_of_payments = self._lacks(S, L, source, "payments")
        return Refusal(item, values, None, failed, facts, *lacks_of_payments, source=self._source(S, L, source))

    def _source(self, S: State, L: Locals, source: Expr) -> str | int:
        """Return the zone whose pieces are chosen from, or the function that gives them; -1 if it is neither."""
        inner = operands(source)
        if source.op == "pieces" and inner[0].op == "zone":
            return int(self._code(inner[0])(S, L))
        number = source.args[0] if source.op == "call" else -1
        return self.compiler.program.procedures[number].name if isinstance(number, int) and number >= 0 else -1

    def _code(self, expr: Expr) -> Code:
        if expr not in self._codes:
            self._codes[expr] = self.compiler.stored(expr)
        return self._codes[expr]

    def _facts(self, S: State, L: Locals, guard: Guard) -> tuple[FailedPart, ...]:
        """Return the values that a failed guard read, as far as its author lets them be shown."""
        shown = zip(guard.operands, shown_parts(guard.condition), strict=False)
        return tuple(
            FailedPart(operand.text, operand.says, part.type, self._code(part)(S, L))
            for operand, part in shown
            if operand.says != "nothing"
        )

    def _lacks(self, S: State, L: Locals, expr: Expr, op: str) -> tuple[str, tuple[payments.Lack, ...]]:
        """Return what is missing to pay, if the expression has this operation; else nothing."""
        return lacking(self.compiler, S, L, expr) if expr.op == op else ("", ())
