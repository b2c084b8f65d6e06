"""Conditions that how many pieces lie in a zone may settle before anything is made of them.

Enters: `count(s) >= k`, and an `any` over groups that wants so many in one; s is made of the pieces in a zone. Leaves:
the condition that there are enough pieces at all.
"""

from __future__ import annotations

from rulelang.backends.interpreter.expressions import UNKNOWN, operands
from rulelang.backends.native.expressions import Scope, Writer
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import subexpressions

NO_MORE = frozenset(("filter", "map", "group", "distinct", "most", "fewest", "firsts", "lasts"))
"""Sets with no more elements than their first argument."""
CHEAP = frozenset(("zone", "local", "const"))


def enough_lie(w: Writer, e: Expr, s: Scope) -> str:
    """The text of a condition without which this one is false, cheaper than it; empty: there is none."""
    wanted = _wanted(w, e)
    if wanted is None:
        return ""
    source, least = wanted
    if not any(part.op == "group" for part in subexpressions(source)):
        return ""
    while source.op in NO_MORE:
        source = operands(source)[0]
    if source.op != "pieces" or least < 1:
        return ""
    (zone,) = operands(source)
    if not all(part.op in CHEAP for part in subexpressions(zone)):
        return ""
    return f"g->s.length[{w.text(zone, s)}] >= {least}"


def _wanted(w: Writer, e: Expr) -> tuple[Expr, int] | None:
    """A set, and how many elements it must have if the condition holds."""
    if e.op in ("ge", "gt"):
        counted, least = operands(e)
        known = w.compiler.known(least)
        if counted.op != "count" or known is UNKNOWN:
            return None
        return operands(counted)[0], known + (e.op == "gt")
    if e.op == "any":
        source, body = operands(e)
        # The pieces of a group lie in the zone too.
        for part in _joined(body):
            found = _wanted(w, part) if source.op == "group" and part.op in ("ge", "gt") else None
            if found is not None and found[0].op == "group_items" and operands(found[0])[0].op == "local":
                if operands(found[0])[0].args[0] == e.args[0]:
                    return source, found[1]
    return None


def _joined(e: Expr) -> list[Expr]:
    """The conditions that an `and` joins."""
    return [part for side in operands(e) for part in _joined(side)] if e.op == "and" else [e]
