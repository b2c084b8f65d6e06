"""Constant folding: functions whose value is the same whenever they are called are written out where they are called.

Enters: a layout. Leaves: the layout of the same program with such calls replaced by their values, so that whoever asks
for what is known of an expression sees through them.
"""

from __future__ import annotations

from rulelang.ir.calls import call_weights
from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value, mapped, rewritten, with_arguments
from rulelang.ir.walk import index, local_reads, operands, subexpressions
from rulelang.mir.bound import with_program
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.layout import Layout

PLAIN = frozenset(("local", "const", "var", "pvar", "zone", "attr", "eattr", "owner"))
"""Operations that cannot fail: an argument made of them need not be read."""
FREE_CALLS = 1000
"""Of more, the interpreter may say that there are too many."""


def fold(layout: Layout) -> Layout:
    """Return the layout with calls of constant functions replaced by their values."""
    constants = Constants(layout)
    program = layout.program
    values: dict[int, Expr] = {}

    def change(expr: Expr) -> Expr:
        new = mapped(expr, change)
        if expr.op != "call" or index(expr) not in values or not _plain_call(new):
            return new
        return with_arguments(values[index(expr)], {})  # what it binds gets slots that its caller does not have

    weights = call_weights(program)
    before = -1
    while len(values) > before:
        before = len(values)
        for number, code in enumerate(program.procedures):
            if number not in values and weights[number] <= FREE_CALLS and (value := lone_value(code)) is not None:
                fixed = _fixed(constants, change(value))
                if fixed is not None:
                    values[number] = fixed
    return with_program(layout, rewritten(program, change)) if values else layout


def _plain_call(call: Expr) -> bool:
    return all(part.op in PLAIN for argument in operands(call) for part in subexpressions(argument))


def _fixed(constants: Constants, value: Expr) -> Expr | None:
    """An expression for a known value; it reads no locals."""
    known = constants.known(value)
    if known is UNKNOWN:
        return None
    if isinstance(known, int):
        return Expr("const", value.type, (int(known),), value.site)
    return None if local_reads(value) else value
