"""Domain narrowing and tabulation: conditions that read no state are worked out beforehand, as words of bits.

Enters: a layout. Leaves: the layout of the same program. A loop over all values of a small type goes through those
alone that can pass its condition: of that the part that comes first and reads nothing of the state, such as
`distance(start, it) = 2`, is worked out for all values beforehand, as a table of words with a bit for each value that
it lets through. Where that part does not hold, nothing else of the condition is read, so what is left out could neither
pass nor go wrong. What is asked of each of some other set, and reads no state at all, is one comparison of the set's
word with a row of such a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from math import prod

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value, mapped, rewritten, with_arguments
from rulelang.ir.types import BOOL, INT, Type
from rulelang.ir.walk import BINDING, index, local_reads, operands, subexpressions
from rulelang.mir.bits import is_set_of_small, is_small, word_of
from rulelang.mir.bound import with_program
from rulelang.runtime.constants import WORD, NotConstantError, constant, mask
from rulelang.runtime.layout import Layout

FEWEST, MOST = 16, 4096
"""A domain of fewer values is not narrowed; a condition is worked out for no more cases."""
ROUNDS = 1 << 22
"""Nor is it if that may take more rounds of the loops in it, of up to 64 values each: some seconds."""
EVERY = (1 << WORD) - 1
DEEPEST = 3
"""Functions are seen through no deeper than this."""
STATELESS = frozenset((
    "const", "local", "option", "player_count", "domain", "list", "add", "sub", "eq", "ne", "lt", "le", "gt", "ge",
    "and", "or", "not", "if", "is_none", "otherwise", "any", "all", "filter", "member", "count", "eattr", "gattr",
    "toward", "edge", "ray", "neighbours", "distance", "on_edge", "column", "row", "cell_at", "opposite", "direction",
    "lines",
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
        if expr.op not in ("filter", "any", "all"):
            return expr
        source, condition = operands(expr)
        if source.op == "domain":
            return self._over_fewer(expr, source, condition) if expr.op != "all" else expr
        return self._at_once(expr, source, condition) if expr.op != "filter" else expr

    def _over_fewer(self, loop: Expr, source: Expr, condition: Expr) -> Expr:
        """Return a loop over a domain as one over the values that the first part of its condition lets through."""
        size = len(self.layout.domain(source.type.inner))
        first = self._first_part(condition, 0) if FEWEST <= size <= WORD else None
        words = None if first is None else self._words(first, index(loop), size)
        rows = [row for row in words.args[1:] if isinstance(row, int)] if words is not None else []
        if words is None or 2 * sum((row & EVERY).bit_count() for row in rows) > size * len(rows):
            return loop
        few = Expr("elements", source.type, (words,), source.site)
        return replace(loop, args=(index(loop), few, condition))

    def _at_once(self, loop: Expr, source: Expr, condition: Expr) -> Expr:
        """Return what is asked of each of a set of small values, and reads no state, as a comparison of two words."""
        if not is_set_of_small(self.layout, source) or source.op in ("list", "elements"):
            return loop
        whole = self._first_part(condition, 0)
        if whole is None or not self._is_stateless(condition, 0):
            return loop
        condition = whole if loop.op == "any" else Expr("not", BOOL, (whole,), whole.site)
        words = self._words(condition, index(loop), self._size(source.type.inner))
        if words is None:
            return loop
        some = Expr("meets", BOOL, (word_of(source), words), loop.site)
        return some if loop.op == "any" else Expr("not", BOOL, (some,), loop.site)

    def _words(self, condition: Expr, slot: int, size: int) -> Expr | None:
        """Return the word of the values in a slot for which a condition without state holds, read from a table by what
        else it reads; None where there would be too many rows."""
        if slot not in local_reads(condition):
            return None
        types = {index(part): part.type for part in subexpressions(condition) if part.op == "local"}
        others = {read_slot: types[read_slot] for read_slot in sorted(local_reads(condition) - {slot})}
        if not all(is_small(self.layout, type_) for type_ in others.values()):
            return None
        # A seat may be -1: that of the one who acts, where nobody does.
        lows = [-int(type_ == "seat") for type_ in others.values()]
        sizes = [self._size(type_) - low for type_, low in zip(others.values(), lows, strict=True)]
        cases = prod(sizes) * size
        if cases > MOST or cases * WORD ** _nested(condition) > ROUNDS:
            return None
        rows: list[int] = []
        try:
            for places in product(*map(range, sizes)):
                known = {read_slot: n + low for read_slot, n, low in zip(others, places, lows, strict=True)}
                rows.append(mask([value for value in range(size) if self._holds(condition, {**known, slot: value})]))
        except (NotConstantError, ArithmeticError, IndexError):
            return None
        place = Expr("const", INT, (0,))
        for read_slot, of, low in zip(others, sizes, lows, strict=True):
            step = Expr("mul", INT, (place, Expr("const", INT, (of,))))
            read = Expr("cast", INT, (Expr("local", others[read_slot], (read_slot,)),))
            read = Expr("sub", INT, (read, Expr("const", INT, (low,)))) if low else read
            place = read if read_slot == next(iter(others)) else Expr("add", INT, (step, read))
        return Expr("pick", INT, (place, *rows), condition.site)

    def _size(self, type_: Type) -> int:
        """Return how many values a small type has, automata among the seats."""
        return self.layout.size(type_) if type_ == "seat" else len(self.layout.domain(type_))

    def _holds(self, condition: Expr, values: Mapping[int, int]) -> bool:
        return bool(constant(self.layout, condition, values))

    def _is_stateless(self, condition: Expr, depth: int) -> bool:
        """Return whether a condition reads nothing of the state, functions that it calls included."""
        parts = list(subexpressions(condition))
        calls = [part for part in parts if part.op == "call"]
        values = [lone_value(self.layout.program.procedures[index(call)]) for call in calls]
        return all(part.op in STATELESS for part in parts if part.op != "call") and all(
            value is not None and depth < DEEPEST and self._is_stateless(value, depth + 1) for value in values
        )

    def _first_part(self, condition: Expr, depth: int) -> Expr | None:
        """Return a condition without state that holds wherever this one does, so that where it does not hold nothing of
        the state is read to find this one false."""
        if all(part.op in STATELESS for part in subexpressions(condition)):
            return condition
        match condition.op:
            case "and":
                left, right = operands(condition)
                first = self._first_part(left, depth)
                second = self._first_part(right, depth) if first is left else None
                return first if first is None or second is None else replace(condition, args=(first, second))
            case "or":
                parts = [self._first_part(part, depth) for part in operands(condition)]
                return None if None in parts else replace(condition, args=tuple(part for part in parts if part))
            case "any":
                source, body = operands(condition)
                first = self._first_part(body, depth)
                if first is None or any(part.op not in STATELESS for part in subexpressions(source)):
                    return None
                return replace(condition, args=(index(condition), source, first))
            case "call" if depth < DEEPEST:
                value = lone_value(self.layout.program.procedures[index(condition)])
                arguments = dict(enumerate(operands(condition)))
                if value is None or any(part.op not in ("local", "const") for part in arguments.values()):
                    return None
                return self._first_part(with_arguments(value, arguments), depth + 1)
        return None


def _nested(expr: Expr) -> int:
    """Return how many loops stand within each other in an expression."""
    return (expr.op in BINDING) + max(map(_nested, operands(expr)), default=0)
