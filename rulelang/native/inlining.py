"""Inline functions that are one expression where a loop runs over their result.

Enters: calls. Leaves: the body of the function and the scope in which it is read.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import number, operands, subexpressions
from rulelang.native.expressions import EACH, Scope, Writer, loops
from rulelang.runtime.constants import UNKNOWN

DEEPEST = 3
"""Functions are written out within each other no deeper than this."""


def written_out(w: Writer, e: Expr, s: Scope) -> tuple[str, Expr, Scope] | None:
    """Of a call of a function that only gives what a loop can go through: what comes before, that, and where it
    stands."""
    if e.op != "call" or s.inlined >= DEEPEST or w.known(e) is not UNKNOWN:
        return None
    value = lone_value(w.program.procedures[number(e)])
    if value is None or value.op not in EACH or any(part.op == "possible" for part in subexpressions(value)):
        return None
    before, names = "", {}
    for slot, argument in enumerate(operands(e)):
        more, names[slot] = w.temporary(w.text(argument, s), "given")
        before += more
    return before, value, Scope(number(e), names, s.inlined + 1)


@loops("call")
def _each_of_call(w: Writer, e: Expr, s: Scope, body: Callable[[str], str]) -> str:
    found = written_out(w, e, s)
    if found is None:
        return w.each_of(w.text(e, s), body)
    before, value, inner = found
    return f"{{ {before}{w.each(value, inner, body)} }}"
