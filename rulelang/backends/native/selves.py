"""Conditions between two elements that surely hold between an element and itself, as `alike(a, b) and f(a) = f(b)`.

Enters: the condition of a filter and where it stands. Leaves: its text, with the comparison of the two before it. "The
first of those that are like x" then asks nothing where x is that one.
"""

from __future__ import annotations

from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.native.expressions import Scope, Writer, compound
from rulelang.backends.native.folding import lone_value, substituted
from rulelang.backends.native.sharing import SAFE, form
from rulelang.backends.native.text import atomic
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, subexpressions

CERTAIN = SAFE | {"pvar", "owner", "family", "alike", "first", "last", "firsts", "lasts"}
"""Operations that cannot fail, so that they need not be read where the answer is known."""
DEEPEST = 5
"""Functions are looked into no deeper than this."""


def condition_text(w: Writer, e: Expr, x: str, inner: Scope) -> str:
    """The condition of a binding operation for an element (a name)."""
    condition = operands(e)[1]
    text = w.text(condition, inner)
    if not atomic(x) or not any(part.op == "call" for part in subexpressions(condition)):
        return text
    own = number(e)
    for other in sorted({index(part) for part in subexpressions(condition) if part.op == "local"} - {own}):
        name = inner.names.get(other, "")
        if atomic(name) and _reflexive(w, condition, own, other, 0) and _certain(w, condition, 0):
            return f"{x} == {name} || {text}"
    return text


def _reflexive(w: Writer, e: Expr, a: int, b: int, depth: int) -> bool:
    """Whether a condition surely holds where two locals, scalars of one type, are the same."""
    match e.op:
        case "and":
            return all(_reflexive(w, part, a, b, depth) for part in operands(e))
        case "or":
            return any(_reflexive(w, part, a, b, depth) for part in operands(e))
        case "eq" | "ge" | "le" | "same" | "alike":
            left, right = (substituted(part, b, "local", a) for part in operands(e))
            return left.type == right.type and form(left) == form(right)
        case "call":
            code = w.program.procedures[number(e)]
            value = lone_value(code) if depth < DEEPEST and w.compiler.known(e) is UNKNOWN else None
            places = {index(part): place for place, part in enumerate(operands(e)) if part.op == "local"}
            if value is None or a not in places or b not in places:
                return False
            one, other = places[a], places[b]
            types = code.locals[one], code.locals[other]
            return types[0] == types[1] and not compound(types[0]) and _reflexive(w, value, one, other, depth + 1)
    return False


def _certain(w: Writer, e: Expr, depth: int) -> bool:
    """Whether reading an expression changes nothing and cannot fail."""
    if depth > DEEPEST:
        return False
    for part in subexpressions(e):
        if part.op in CERTAIN:
            continue
        value = lone_value(w.program.procedures[number(part)]) if part.op == "call" else None
        if value is None or not _certain(w, value, depth + 1):
            return False
    return True
