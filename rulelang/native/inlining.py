"""Inline functions that are one expression where a loop runs over their result.

Enters: calls. Leaves: the body of the function and the environment in which it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import number, operands, subexpressions
from rulelang.native.expressions import EACH, Environment, Writer, loops
from rulelang.runtime.constants import UNKNOWN

DEEPEST = 3
"""Greatest depth of inlining."""


def inlined_call(
    w: Writer, e: Expr, s: Environment, operations: Container[str] = EACH
) -> tuple[str, Expr, Environment] | None:
    """Inline a call whose function is one expression over which a loop can run, or one of other operations: return the
    declarations of the arguments, the body, and its environment; None for other expressions."""
    if e.op != "call" or s.inlined >= DEEPEST or w.known(e) is not UNKNOWN:
        return None
    value = lone_value(w.program.procedures[number(e)])
    if value is None or value.op not in operations or any(part.op == "possible" for part in subexpressions(value)):
        return None
    before, names = w.temporaries(operands(e), s)
    return before, value, Environment(number(e), dict(enumerate(names)), s.inlined + 1)


@loops("call")
def _each_of_call(w: Writer, e: Expr, s: Environment, body: Callable[[str], str]) -> str:
    """Print a loop over the set that a function returns, inlined if it can be."""
    inlined = inlined_call(w, e, s)
    if inlined is None:
        return w.each_of(w.text(e, s), body)
    before, value, inner = inlined
    return f"{{ {before}{w.each(value, inner, body)} }}"
