"""Sets of the few pieces in force that a rule is about: a list with room for all of them, filled one by one.

Enters: filters and maps over pieces in force, whose bodies may call functions, and unions of such. Leaves: their text.
All others are written as they are elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.backends.interpreter.expressions import number, operands
from rulelang.backends.native.expressions import Scope, Writer, compound, writes
from rulelang.backends.native.pieces import of_definitions
from rulelang.backends.native.sets import made, union
from rulelang.ir.nodes import Expr
from rulelang.ir.types import element

FEW = 16
OF_ONE = ("filter", "map")


def most(w: Writer, e: Expr) -> int:
    """How many elements there may be, if all come from known individuals in force; more than FEW for other sets."""
    if e.op in OF_ONE and not compound(element(e.type)):
        return most(w, operands(e)[0])
    if e.op == "union":
        return sum(most(w, part) for part in operands(e))
    if e.op == "active" and w.layout.identity(e.type):
        return len(of_definitions(w, number(e), e.args[1:]))
    return FEW + 1


def _each(w: Writer, e: Expr, s: Scope, body: Callable[[str], str]) -> str:
    if e.op == "union":
        return " ".join(_each(w, part, s, body) for part in operands(e))
    return w.each(e, s, body)


@writes(*OF_ONE, "union")
def _few(w: Writer, e: Expr, s: Scope) -> str:
    room = most(w, e)
    if room > FEW:
        return union(w, e, s) if e.op == "union" else made(w, e, s)
    if not room:
        return "NOTHING"
    found = w.source.fresh("found")
    loop = w.freed(_each(w, e, s, lambda x: f"PUSH({found}, {x});"))
    return f"({{ W *const {found} = a_list(g, {room}); {loop} ADDRESS({found}); }})"
