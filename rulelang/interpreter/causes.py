"""Why a condition fails, looked for through `and`, `or`, `not`, conditionals and the functions that it calls.

Enters: a condition that has just failed, with the state and the locals as they are. Leaves: `Cause`s: what is missing
from a bag, two sides that do not compare as they should, and the functions on the way, for which a ruleset may have
words. As a guard may read nothing that the asked seat does not see, all of it may be told, unless it was revealed as a
whole.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from typing import Any

from rulelang.interpreter.bags import holdings
from rulelang.interpreter.expressions import Compiler, Locals
from rulelang.ir.nodes import Expr, Return
from rulelang.ir.walk import index, number, operands
from rulelang.runtime import payments
from rulelang.runtime.payments import Lack
from rulelang.runtime.refusals import Cause, FailedCall, Side
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import MIRRORED, NEGATED, SIGNS

DEPTH = 8
"""So many nested calls are looked through at most."""


def lacking(c: Compiler, S: State, L: Locals, expr: Expr) -> tuple[str, tuple[Lack, ...]]:
    """Return the resource type of an operation over a cost and purses, and what the purses lack to pay the cost."""
    price, source = operands(expr)
    held = holdings(c, source, c.layout.size(price.type))(S, L)
    return price.type.name, tuple(payments.lacking(c.stored(price)(S, L), held))


class Causes:
    """Looks for what makes one condition fail."""

    def __init__(self, c: Compiler, S: State) -> None:
        self.c, self.S = c, S
        self.program = c.program

    def of(self, condition: Expr, L: Locals) -> tuple[Cause, ...]:
        """Return the causes, any one of which would do away with the refusal if it went; none where nothing can be
        told."""
        return self._of(condition, L, True, ())

    def _value(self, expr: Expr, L: Locals) -> Any:
        return self.c.stored(expr)(self.S, L)

    def _of(self, expr: Expr, L: Locals, expected: bool, calls: tuple[FailedCall, ...]) -> tuple[Cause, ...]:
        """Return why the expression is not as expected; `calls` are the functions that it stands in, the outermost
        first."""
        parts = operands(expr)
        if expr.op == "not":
            return self._of(parts[0], L, not expected, calls)
        if expr.op in ("and", "or"):
            failing = [part for part in parts if bool(self._value(part, L)) != expected]
            if (expr.op == "and") == expected:  # one is enough to fail
                return self._of(failing[0], L, expected, calls)
            alternatives = [self._of(part, L, expected, calls) for part in failing]
            complete = all(alternatives)
            return tuple(cause for causes in alternatives for cause in causes) if complete else self._named(calls)
        if expr.op in ("any", "all") and (expr.op == "all") == expected:
            return self._of_elements(expr, L, expected, calls)
        if expr.op == "if":
            branch = parts[1] if self._value(parts[0], L) else parts[2]
            return self._of(branch, L, expected, calls)
        if expr.op == "call" and len(calls) < DEPTH:
            return self._through(expr, L, expected, calls)
        cause = self._leaf(expr, L, expected, calls)
        return (cause,) if cause is not None else self._named(calls)

    def _of_elements(self, expr: Expr, L: Locals, expected: bool, calls: tuple[FailedCall, ...]) -> tuple[Cause, ...]:
        """Return why the first element that is not as expected is not."""
        elements, body = operands(expr)
        for element in self._value(elements, L):
            inner = [*L]
            inner[number(expr)] = element
            if bool(self._value(body, inner)) != expected:
                return self._of(body, inner, expected, calls)
        return self._named(calls)

    def _named(self, calls: tuple[FailedCall, ...]) -> tuple[Cause, ...]:
        """Return a cause that says no more than which functions it was."""
        return (Cause(calls),) if calls else ()

    def _through(self, expr: Expr, L: Locals, expected: bool, calls: tuple[FailedCall, ...]) -> tuple[Cause, ...]:
        """Return why a function is not as expected."""
        procedure = self.program.procedures[number(expr)]
        values = [self._value(argument, L) for argument in operands(expr)]
        named = zip(procedure.local_names, procedure.locals, values, strict=False)
        calls = (*calls, FailedCall(procedure.name, expected, tuple(named)))
        block = procedure.blocks[0]
        if not block.statements and isinstance(block.terminator, Return) and block.terminator.value is not None:
            inner = [*values, *[0] * (len(procedure.locals) - len(values))]
            return self._of(block.terminator.value, inner, expected, calls)
        return (Cause(calls),)

    # ---- one comparison

    def _leaf(self, expr: Expr, L: Locals, expected: bool, calls: tuple[FailedCall, ...]) -> Cause | None:
        """Return the cause of a condition without parts: a comparison, a cost, a membership; None if nothing can be
        said."""
        parts = operands(expr)
        if expected and expr.op == "can_pay":
            resource, lacks = lacking(self.c, self.S, L, expr)
            return Cause(calls, resource=resource, lacks=lacks)
        if expected and expr.op == "member" and parts[1].op == "bag_kinds":
            kind = self._value(parts[0], L)
            return Cause(calls, resource=operands(parts[1])[0].type.name, lacks=((1, 1 << kind),))
        if expr.op not in NEGATED:
            side = self._side(expr, L)
            return Cause(calls, "is", side) if side is not None else None
        op = expr.op if expected else NEGATED[expr.op]
        left, right = (self._side(part, L) for part in parts)
        if left is None or right is None:
            return None
        if left.sort == "value":
            op, left, right = MIRRORED[op], right, left
        if right.sort == "goods" and left.sort != "goods":
            op, left, right = MIRRORED[op], right, left
        if left.sort == "goods" and SIGNS[op][0] == ">":
            short = right.value - left.value + (op == "gt")
            return Cause(calls, resource=left.name, lacks=((short, 1 << left.number),))
        return Cause(calls, op, left, right) if left.sort != "value" else None

    def _side(self, expr: Expr, L: Locals) -> Side | None:
        """Return one side of a comparison as it can be named; None if it has no name."""
        value, place, parts = self._value(expr, L), index(expr), operands(expr)
        match expr.op:
            case "const":
                return Side("value", "", expr.type, value)
            case "cast":
                return self._side(parts[0], L)
            case "var":
                variable, at = self.program.variables[place], 0
                for part, type_ in zip(parts, variable.index, strict=True):
                    at = at * self.S.layout.size(type_) + self._value(part, L)
                return Side("variable", variable.name, expr.type, value, place, at)
            case "pvar":
                table = self.program.piece_variables[place]
                return Side("mark" if table.mark else "name", table.name, expr.type, value)
            case "attr":
                return Side("name", self.program.kinds[place].attributes[number(expr, 1)][0], expr.type, value)
            case "eattr" | "gattr":
                tables = self.program.enums if expr.op == "eattr" else self.program.grids
                return Side("name", tables[place].attributes[number(expr, 1)][0], expr.type, value)
            case "call":
                return Side("name", self.program.procedures[place].name, expr.type, value)
            case "size" if parts[0].type == "zone":
                return Side("size", "", expr.type, value, self._value(parts[0], L))
            case "bag_get":
                return Side("goods", parts[0].type.name, expr.type, value, number(expr, 1))
            case "bag_pick":
                return Side("goods", parts[0].type.name, expr.type, value, self._value(parts[1], L))
        return None
