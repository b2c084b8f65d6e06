"""The first and the last element of a set as C text: found without making the set, the last one from the end.

Enters: `first` and `last` of a set. Leaves: their text.
"""

from __future__ import annotations

from rulelang.backends.interpreter.expressions import operands
from rulelang.backends.native.expressions import Scope, Writer, compound, writes
from rulelang.backends.native.finite import last_of
from rulelang.backends.native.inlining import written_out
from rulelang.ir.nodes import Expr
from rulelang.ir.types import absent, present

LYING = frozenset(("pieces", "filter", "family", "map"))
"""Sets that are gone through without being made."""


@writes("first", "last")
def _end(w: Writer, e: Expr, s: Scope) -> str:
    (source,) = operands(e)
    none = w.constant(absent(e.type), "int")
    if compound(present(e.type)) or not (source.op in LYING or written_out(w, source, s)):
        return f"{e.op}_of({w.text(source, s)}, {none})"
    if e.op == "last" and (backwards := last_of(w, source, s)) is not None:
        return backwards
    found = w.source.fresh("end")
    if e.op == "last":
        return f"({{ W {found} = {none}; {w.each(source, s, lambda x: f'{found} = {x};')} {found}; }})"
    out = w.source.fresh("out")
    loop = w.each(source, s, lambda x: f"{found} = {x}; goto {out};")
    return f"({{ __label__ {out}; W {found} = {none}; {loop} {out}:; {found}; }})"
