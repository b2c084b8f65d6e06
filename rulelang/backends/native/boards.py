"""What holds for cells of a small board, asked for many lines, rays or surroundings: a word with a bit for each cell.

Enters: quantifiers whose condition reads nothing but the cell and what stays the same. Leaves: text that looks at every
cell once and compares words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.native.expressions import Scope, Writer, allocates, writes
from rulelang.backends.native.sharing import SAFE
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import index, local_reads, subexpressions

WORD = 64
FEW_LINES, MANY_LINES = 4, 512
"""Fewer lines are looked at one by one; so are more, which take fuel."""


def plain(expr: Expr, slots: set[int]) -> bool:
    """Whether a condition reads none of the slots, cannot fail and changes nothing."""
    return local_reads(expr).isdisjoint(slots) and all(part.op in SAFE for part in subexpressions(expr))


def bits(w: Writer, quantifier: Expr, s: Scope, cells: int) -> str | None:
    """The word with a bit for each cell, counted from 0, of which the condition holds."""
    slot, (_, condition) = number(quantifier), operands(quantifier)
    mask, x = w.source.fresh("mask"), w.name(s, slot)
    test = w.text(condition, s.bind(slot, x))
    if allocates(test):
        return None
    return f"({{ U {mask} = 0; for (W {x} = 0; {x} < {cells}; {x}++) {mask} |= (U)({test}) << {x}; (W){mask}; }})"


def _word(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in set(cells))


def _held(wanted: str, mask: str, every: bool) -> str:
    """Whether the condition holds of every or any wanted cell."""
    return f"!((U){wanted} & ~(U){mask})" if every else f"((U){wanted} & (U){mask}) != 0"


def lines_held(w: Writer, e: Expr, s: Scope) -> str | None:
    """`any` or `all` lines of a constant set of which every or any cell fulfils a condition; None: it is not that."""
    source, inner = operands(e)
    lines: Any = w.compiler.known(source)
    if lines is UNKNOWN or inner.op not in ("any", "all") or not FEW_LINES <= len(lines) <= MANY_LINES:
        return None
    line, condition = operands(inner)
    if line.op != "local" or index(line) != number(e) or not plain(condition, {number(e)}):
        return None
    if not all(isinstance(cells, list) and all(0 <= cell < WORD for cell in cells) for cells in lines):
        return None
    found = bits(w, inner, s, max((cell for cells in lines for cell in cells), default=-1) + 1)
    if found is None:
        return None
    every, some = inner.op == "all", e.op == "any"
    table = w.source.table([_signed(_word(cells)) for cells in lines])
    mask, holds, i = (w.source.fresh(stem) for stem in ("held", "holds", "i"))
    stop = f"if ({'' if some else '!'}({_held(f'{table}[{i}]', mask, every)})) {{ {holds} = {int(some)}; break; }}"
    loop = f"for (W {i} = 0; {i} < {len(lines)}; {i}++) {stop}"
    return f"({{ const W {mask} = {found}; W {holds} = {int(not some)}; {loop} {holds}; }})"


def around(w: Writer, expr: Expr, slots: set[int], s: Scope) -> tuple[str, Expr, list[int]] | None:
    """Of `any` or `all` cells of a ray or of the neighbours of a cell that a loop goes through: the word of the cells
    of which the condition holds, the cell, and for each cell the word of those that are meant."""
    if expr.op not in ("any", "all"):
        return None
    source, condition = operands(expr)
    if source.op not in ("ray", "neighbours") or not plain(condition, slots):
        return None
    grid, (cell, *way) = w.layout.grids[number(source)], operands(source)
    if grid.size > WORD or cell.op != "local" or index(cell) not in slots:
        return None
    if way:
        towards = w.compiler.known(way[0])
        if towards is UNKNOWN or not isinstance(towards, int) or towards < 0:
            return None
        meant = [_word(cells) for cells in grid.rays[towards]]
    else:
        meant = [_word(cells) for cells in grid.neighbours]
    found = bits(w, expr, s, grid.size)
    return None if found is None else (found, cell, meant)


def held_around(w: Writer, expr: Expr, cell: Expr, mask: Expr, meant: list[int]) -> Expr:
    """The quantifier as a comparison of words."""
    table = w.source.table(list(map(_signed, meant)))
    return Expr("held_around", "bool", (int(expr.op == "all"), table, cell, mask), expr.site)


@writes("held_around")
def _held_around(w: Writer, e: Expr, s: Scope) -> str:
    cell, mask = w.texts(e, s)
    return f"({_held(f'{e.args[1]}[{cell}]', mask, bool(e.args[0]))})"


def _signed(word: int) -> int:
    return word - (1 << WORD) if word >> (WORD - 1) else word
