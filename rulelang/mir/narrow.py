"""Domain narrowing: a loop over all values of a small type goes through those alone that can pass its condition.

Enters: a layout. Leaves: the layout of the same program. Of a condition the part that comes first and reads nothing of
the state (`distance(start, it) = 2`, `it in ray(start, way)` for some `way`) is worked out for all values beforehand,
as a table of words with a bit for each value that it lets through. Where that part does not hold, nothing else of the
condition is read, so what is left out could neither pass nor go wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value, mapped, rewritten, with_arguments
from rulelang.ir.walk import children, index, local_reads, subexpressions
from rulelang.mir.bits import is_small
from rulelang.mir.bound import with_program
from rulelang.runtime.constants import WORD, NotConstantError, constant, mask
from rulelang.runtime.layout import Layout

FEWEST, MOST = 16, 4096
"""A domain of fewer values is not narrowed; a condition is worked out for no more cases."""
EVERY = (1 << WORD) - 1
DEEPEST = 3
"""Functions are seen through no deeper than this."""
STATELESS = frozenset((
    "const", "local", "option", "player_count", "domain", "list", "add", "sub", "eq", "ne", "lt", "le", "gt", "ge",
    "and", "or", "not", "if", "is_none", "otherwise", "any", "all", "filter", "member", "count", "eattr", "gattr",
    "toward", "ray", "neighbours", "distance", "on_edge", "column", "row", "cell_at", "opposite", "direction", "lines",
))  # fmt: skip
"""Operations that read nothing of the state."""


def narrow(layout: Layout) -> Layout:
    """Return the layout with narrower domains."""
    narrower = _Narrower(layout)
    return with_program(layout, rewritten(layout.program, narrower.narrowed))


class _Narrower:
    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def narrowed(self, expr: Expr) -> Expr:
        """Return the expression with the loops in it over as few values as can be told beforehand."""
        expr = mapped(expr, self.narrowed)
        if expr.op not in ("filter", "any"):
            return expr
        source, condition = children(expr)
        words = self._words(source, index(expr), condition)
        if words is None:
            return expr
        few = Expr("elements", source.type, (words,), source.site)
        return replace(expr, args=(index(expr), few, condition))

    def _words(self, source: Expr, slot: int, condition: Expr) -> Expr | None:
        """Return the word of the values that the first part of the condition lets through, if it leaves out many."""
        if source.op != "domain" or not FEWEST <= (size := len(self.layout.domain(str(source.args[0])))) <= WORD:
            return None
        first = self._first_part(condition, 0)
        if first is None or slot not in local_reads(first):
            return None
        types = {index(part): part.type for part in subexpressions(first) if part.op == "local"}
        others = {other: types[other] for other in sorted(local_reads(first) - {slot})}
        if not all(is_small(self.layout, type_) for type_ in others.values()):
            return None
        sizes = [self.layout.size(type_) for type_ in others.values()]
        if prod(sizes) * size > MOST:
            return None
        rows: list[int] = []
        try:
            for values in product(*map(range, sizes)):
                known = dict(zip(others, values, strict=True))
                rows.append(mask([value for value in range(size) if self._holds(first, {**known, slot: value})]))
        except (NotConstantError, ArithmeticError, IndexError):
            return None
        if 2 * sum((row & EVERY).bit_count() for row in rows) > size * len(rows):
            return None
        place = Expr("const", "int", (0,))
        for other, of in zip(others, sizes, strict=True):
            step = Expr("mul", "int", (place, Expr("const", "int", (of,))))
            read = Expr("cast", "int", (Expr("local", others[other], (other,)),))
            place = read if other == next(iter(others)) else Expr("add", "int", (step, read))
        return Expr("pick", "int", (place, *rows), source.site)

    def _holds(self, condition: Expr, values: Mapping[int, int]) -> bool:
        return bool(constant(self.layout, condition, values))

    def _first_part(self, condition: Expr, depth: int) -> Expr | None:
        """Return a condition without state that holds wherever this one does, so that where it does not hold nothing of
        the state is read to find this one false."""
        if all(part.op in STATELESS for part in subexpressions(condition)):
            return condition
        match condition.op:
            case "and":
                left, right = children(condition)
                first = self._first_part(left, depth)
                second = self._first_part(right, depth) if first is left else None
                return first if first is None or second is None else replace(condition, args=(first, second))
            case "or":
                parts = [self._first_part(part, depth) for part in children(condition)]
                return None if None in parts else replace(condition, args=tuple(part for part in parts if part))
            case "any":
                source, body = children(condition)
                first = self._first_part(body, depth)
                if first is None or any(part.op not in STATELESS for part in subexpressions(source)):
                    return None
                return replace(condition, args=(index(condition), source, first))
            case "call" if depth < DEEPEST:
                value = lone_value(self.layout.program.procedures[index(condition)])
                given = dict(enumerate(children(condition)))
                if value is None or any(part.op not in ("local", "const") for part in given.values()):
                    return None
                return self._first_part(with_arguments(value, given), depth + 1)
        return None
