"""Inverted index of constant relations: of constant sets those that contain a value are read from a table.

Enters: a layout. Leaves: the layout of the same program. A loop over constant sets whose condition begins with
`value in set`, such as one over `lines(Cell, 4) where spot in it`, goes through `containing(sets, value)`, for which C
has a list of sets for each value (postings, as of an inverted file: Knuth, The Art of Computer Programming 3, 6.5).
Where the test does not come first, nothing that stands before it may fail, nor may the value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value, mapped, rewritten, with_arguments
from rulelang.ir.walk import index, local_reads, operands
from rulelang.mir.bits import TRUE, conjuncts
from rulelang.mir.bound import with_program
from rulelang.mir.early import is_early
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import CONDITIONED
from rulelang.vocabulary.types import BOOL

FEWEST, MOST = 4, 1 << 16
"""Fewer sets are gone through as quickly; a table has no more entries."""
INDEXED = frozenset(("cell", "enum"))
"""Kinds of types whose values are numbered from 0."""


def inverted(layout: Layout) -> Layout:
    """Return the layout with loops over constant sets that contain a value as loops over those alone."""
    known, program = Constants(layout).known, layout.program

    def inlined(condition: Expr) -> Expr:
        """Return the condition, a function that is called with locals and constants written out."""
        if condition.op != "call" or any(part.op not in ("local", "const") for part in operands(condition)):
            return condition
        value = lone_value(program.procedures[index(condition)])
        return condition if value is None else with_arguments(value, dict(enumerate(operands(condition))))

    def tests(part: Expr, slot: int) -> bool:
        """Return whether a condition asks whether the set in a slot has a value that can be looked up."""
        if part.op != "member":
            return False
        value, among = operands(part)
        is_own = among.op == "local" and index(among) == slot and slot not in local_reads(value)
        return is_own and value.type.present.kind in INDEXED

    def changed(expr: Expr) -> Expr:
        expr = mapped(expr, changed)
        if expr.op not in CONDITIONED or expr.op == "all":
            return expr
        source, condition = operands(expr)
        of_sets = source.type.inner.kind == "set" and source.type.inner.inner.scalar
        sets: Any = known(source) if of_sets else UNKNOWN
        if sets is UNKNOWN or len(sets) < FEWEST or sum(map(len, sets)) > MOST:
            return expr
        parts = conjuncts(inlined(condition))
        place = next((place for place, part in enumerate(parts) if tests(part, index(expr))), -1)
        if place < 0:
            return expr
        value = operands(parts[place])[0]
        if place and not all(is_early(program, part) for part in (value, *parts[:place])):
            return expr
        few = Expr("containing", source.type, (source, value), source.site)
        rest = parts[:place] + parts[place + 1 :]
        if expr.op == "filter" and not rest:
            return few
        left = reduce(lambda left, right: Expr("and", BOOL, (left, right), right.site), rest) if rest else TRUE
        return replace(expr, args=(index(expr), few, left))

    return with_program(layout, rewritten(program, changed))
