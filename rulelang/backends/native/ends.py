"""The first and the last element of a set as C text: found without making the set, the last one from the end.

Enters: `first` and `last` of a set. Leaves: their text.
"""

from __future__ import annotations

from rulelang.backends.interpreter.expressions import number, operands
from rulelang.backends.native.expressions import Scope, Writer, allocates, compound, writes
from rulelang.backends.native.finite import last_of
from rulelang.backends.native.inlining import written_out
from rulelang.backends.native.pieces import instances
from rulelang.backends.native.sets import own_elements
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
    if e.op == "last" and (backwards := _last_lying(w, source, s, none)) is not None:
        return backwards
    if e.op == "last":
        return f"({{ W {found} = {none}; {w.each(source, s, lambda x: f'{found} = {x};')} {found}; }})"
    out = w.source.fresh("out")
    loop = w.each(source, s, lambda x: f"{found} = {x}; goto {out};")
    return f"({{ __label__ {out}; W {found} = {none}; {loop} {out}:; {found}; }})"


def _last_lying(w: Writer, source: Expr, s: Scope, none: str) -> str | None:
    """The last known piece, in zones that are no piles, for which a condition holds: it is looked for from the end."""
    while own_elements(source):
        source = operands(source)[0]
    if (found := written_out(w, source, s)) is not None:
        before, value, inner = found
        text = _last_lying(w, value, inner, none)
        return None if text is None else f"({{ {before}{text}; }})"
    condition = operands(source)[1] if source.op == "filter" else None
    pieces = operands(source)[0] if condition is not None else source
    if pieces.op not in ("pieces", "family") or w.writing(source) or not w.layout.identity(pieces.type):
        return None
    if condition is None and pieces.op == "pieces":
        return None
    table = number(pieces) if pieces.op == "family" else w.table_of(operands(pieces)[0], s)
    if table < 0 or w.program.zones[table].pile or not w.facts.small(pieces, *([condition] if condition else [])):
        return None
    there, here, i, x = (w.source.fresh(stem) for stem in ("zone", "here", "i", "piece"))
    test = f" && {w.text(condition, s.bind(number(source), x))}" if condition is not None else ""
    if allocates(test):
        return None
    steps = f"W {i} = g->s.length[{there}]; {i}-- > 0; {x} = {none}"
    back = f"const Z *const {here} = contents(g, {there}); for ({steps}) {{ {x} = {here}[{i}]; "
    if pieces.op == "pieces":
        head = f"const W {there} = {w.text(operands(pieces)[0], s)}; W {x} = {none};"
        return f"({{ {head} {back}if ({x} >= 0{test}) break; }} {x}; }})"
    first, length = instances(w, pieces, s)
    before, start = w.kept(first, "first")
    out = w.source.fresh("out")
    rounds = f"W {there} = {start} + {length} - 1; {there} >= {start}; {there}--"
    loop = f"for ({rounds}) {{ {back}if ({x} >= 0{test}) goto {out}; }} }}"
    return f"({{ __label__ {out}; {before}W {x} = {none}; {loop} {out}:; {x}; }})"
