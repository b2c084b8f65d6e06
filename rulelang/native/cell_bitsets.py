"""Test many lines of a small board with a bitboard: the condition is evaluated once for each cell.

Enters: `any`/`all` over lines of cells, whose condition reads the cell and loop-invariant values alone. Leaves: text
that builds a word with a bit for each cell and compares it with a constant word for each line.
"""

from __future__ import annotations

from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import index, local_reads, number, operands, subexpressions
from rulelang.mir.cells import SPECULABLE
from rulelang.native.expressions import Scope, Writer
from rulelang.runtime.constants import UNKNOWN, WORD

FEW_LINES, MANY_LINES = 4, 512
"""Fewer lines are not worth a bitboard; more would have to take fuel."""


CERTAIN = SPECULABLE | {"pvar", "alike", "let"}
"""Operations that cannot fail."""
DEEPEST = 3
"""Greatest depth of calls that are analysed."""


def is_certain(w: Writer, e: Expr, depth: int = 0) -> bool:
    """Tell whether reading an expression, and the functions that it calls, changes nothing and cannot fail."""
    for part in subexpressions(e):
        if part.op == "call":
            value = lone_value(w.program.procedures[number(part)])
            if value is None or depth == DEEPEST or not is_certain(w, value, depth + 1):
                return False
        elif part.op not in CERTAIN:
            return False
    return True


def quantified_lines(w: Writer, e: Expr, s: Scope) -> str | None:
    """Return the text of `any` or `all` over constant lines of `any` or `all` over cells; None for others."""
    source, inner = operands(e)
    lines: Any = w.known(source)
    if lines is UNKNOWN or inner.op not in ("any", "all") or not FEW_LINES <= len(lines) <= MANY_LINES:
        return None
    line, condition = operands(inner)
    if line.op != "local" or index(line) != number(e) or number(e) in local_reads(condition):
        return None
    if not is_certain(w, condition):
        return None
    if not all(isinstance(cells, list) and all(0 <= cell < WORD for cell in cells) for cells in lines):
        return None
    mask, holds, i = (w.source.fresh(stem) for stem in ("mask", "holds", "i"))
    x = w.name(s, number(inner))
    test = w.released(lambda: w.text(condition, s.bind(number(inner), x)))
    words = [sum(1 << cell for cell in set(cells)) for cells in lines]
    cells = f"{w.source.table([f'UINT64_C({word})' for word in words], 'U')}[{i}]"
    held = f"!({cells} & ~{mask})" if inner.op == "all" else f"({cells} & {mask})"
    some = int(e.op == "any")
    look = f"for (W {x} = 0; {x} < {max(words).bit_length()}; {x}++) {mask} |= (U)({test}) << {x};"
    loop = f"for (W {i} = 0; {i} < {len(lines)}; {i}++) if ({'' if some else '!'}{held}) {{ {holds} = {some}; break; }}"
    return f"({{ U {mask} = 0; W {holds} = {1 - some}; {look} {loop} {holds}; }})"
