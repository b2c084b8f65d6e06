"""What holds for cells of a small board, asked for many lines: a word with a bit for each cell.

Enters: quantifiers whose condition reads nothing but the cell and what stays the same. Leaves: text that looks at every
cell once and compares words.
"""

from __future__ import annotations

from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import index, local_reads, number, operands, subexpressions
from rulelang.native.expressions import Scope, Writer
from rulelang.native.sharing import SHARED
from rulelang.runtime.constants import UNKNOWN, WORD

FEW_LINES, MANY_LINES = 4, 512
"""Fewer lines are looked at one by one; so are more, which take fuel."""


CERTAIN = SHARED | {"pvar", "alike", "let"}
"""Operations that cannot fail."""
DEEPEST = 3
"""Functions are looked into no deeper than this."""


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


def lines_held(w: Writer, e: Expr, s: Scope) -> str | None:
    """Write `any` or `all` lines of a constant set of which every or any cell fulfils a condition; None for others."""
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
    wanted = f"{w.source.table([f'UINT64_C({word})' for word in words], 'U')}[{i}]"
    held = f"!({wanted} & ~{mask})" if inner.op == "all" else f"({wanted} & {mask})"
    some = int(e.op == "any")
    look = f"for (W {x} = 0; {x} < {max(words).bit_length()}; {x}++) {mask} |= (U)({test}) << {x};"
    loop = f"for (W {i} = 0; {i} < {len(lines)}; {i}++) if ({'' if some else '!'}{held}) {{ {holds} = {some}; break; }}"
    return f"({{ U {mask} = 0; W {holds} = {1 - some}; {look} {loop} {holds}; }})"
