"""Calls over several `for`: `sum(c.value for p in players for c in p.table)`.

Enters: the function and its argument. Leaves: the same of one `for`, where the function can be asked of each element.
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.syntax.ast import Call, Comprehension, Name


def outermost(function: str, node: Comprehension) -> tuple[str, Comprehension]:
    """Split a call over several `for` clauses into one over the first clause, whose body is a call over the rest.

    Returns function and comprehension: a sum becomes a sum of sums, a count a sum of counts.
    """
    if not isinstance(node.body, Comprehension) or function not in ("sum", "any", "all", "count"):
        return function, node
    inner = Call(node.span, Name(node.span, function), (node.body,))
    return "sum" if function == "count" else function, replace(node, body=inner)
