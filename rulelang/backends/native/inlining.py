"""Functions written out where what they give is gone through, and sets that a loop would make again for each element.

Enters: calls of functions that do nothing but give a value; loops. Leaves: the value and where it stands; what is made
before a loop, and the loop that reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from rulelang.backends.interpreter.expressions import number, operands
from rulelang.backends.native.expressions import EACH, Scope, Writer, compound, loops
from rulelang.backends.native.sharing import rebuilt
from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import form, local_reads, subexpressions
from rulelang.runtime.constants import UNKNOWN

DEEPEST = 3
"""Functions are written out within each other no deeper than this."""

_slots = count(1 << 22)


def written_out(w: Writer, e: Expr, s: Scope) -> tuple[str, Expr, Scope] | None:
    """Of a call of a function that only gives what a loop can go through: what comes before, that, and where it
    stands."""
    if e.op != "call" or s.inlined >= DEEPEST or w.compiler.known(e) is not UNKNOWN:
        return None
    value = lone_value(w.program.procedures[number(e)])
    if value is None or value.op not in EACH or any(part.op == "possible" for part in subexpressions(value)):
        return None
    before, names = "", {}
    for slot, argument in enumerate(operands(e)):
        more, names[slot] = w.kept(w.text(argument, s), "given")
        before += more
    return before, value, Scope(number(e), names, s.inlined + 1)


@loops("call")
def _each_of_call(w: Writer, e: Expr, s: Scope, body: Callable[[str], str]) -> str:
    found = written_out(w, e, s)
    if found is None:
        return w.each_of(w.text(e, s), body)
    before, value, inner = found
    return f"{{ {before}{w.each(value, inner, body)} }}"


def settled(w: Writer, e: Expr, s: Scope) -> tuple[str, Expr, Scope]:
    """Sets that functions give, the same for each element of a loop, made once: the text for it, the loop that reads
    them, and where it stands."""
    lines: list[str] = []
    known: dict[Any, Expr] = {}
    place = s

    def once(expr: Expr) -> Expr:
        nonlocal place
        if expr.op == "possible":
            return expr
        if expr.op != "call" or not compound(expr.type) or number(e) in local_reads(expr):
            return rebuilt(expr, once)
        # What calls itself may be asked only where that comes to an end.
        if w.compiler.known(expr) is not UNKNOWN or w.program.procedures[number(expr)].depth:
            return expr
        if (found := known.get(form(expr))) is None:
            name, slot = w.source.fresh("known"), next(_slots)
            lines.append(f"const W {name} = {w.text(expr, place)};")
            place = place.bind(slot, name)
            found = known[form(expr)] = Expr("local", expr.type, (slot,), expr.site)
        return found

    source, body = operands(e)
    new = once(body)
    if not lines:
        return "", e, s
    source = known.get(form(source), source)
    return " ".join(lines), Expr(e.op, e.type, (number(e), source, new), e.site), place
