"""Domain narrowing and tabulation: conditions that read no state are worked out beforehand, as words of bits.

Enters: a layout. Leaves: the layout of the same program. A loop over all values of a small type goes through those
alone that can pass its condition: of that the part that comes first and reads nothing of the state, such as
`distance(start, it) = 2`, is worked out for all values beforehand, as a table of words with a bit for each value that
it lets through. Where that part does not hold, nothing else of the condition is read, so what is left out could neither
pass nor go wrong. What is asked of each of some other set, and reads no state at all, is one comparison of the set's
word with a row of such a table.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import fresh_slots, lone_value, mapped, rewritten, substituted, with_arguments
from rulelang.ir.walk import index, local_reads, operands, subexpressions
from rulelang.mir.bits import ROWS, TRUE, is_set_of_small, is_small, word_of
from rulelang.mir.bound import with_program
from rulelang.runtime.constants import MOST_BITS, WORD, NotConstantError, mask, table, unsigned
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import CONDITIONED, FOLDED
from rulelang.vocabulary.types import BITS, BOOL, INT, Type

FEWEST, MOST = 16, 4096
"""A domain of fewer values is not narrowed; a condition is worked out for no more cases, or pairs of its values."""
ROUNDS = 1 << 20
"""Nor is it if that takes more rounds of the loops in it, and calls: a second or two."""
STEPS = 4
"""A condition of fewer operations takes no longer than to look it up."""
LEAVES = frozenset(("const", "local"))
OPT_DIR = Type("opt<dir>")
DEEPEST = 3
"""Functions are seen through no deeper than this."""


def narrow(layout: Layout) -> Layout:
    """Return the layout with narrower domains."""
    narrower = Narrower(layout)
    return with_program(layout, rewritten(layout.program, narrower.narrowed))


class Narrower:
    """Narrows the loops of one layout, and tabulates conditions that read no state."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.stateless: dict[int, bool] = {}

    def narrowed(self, expr: Expr) -> Expr:
        """Return the expression with the loops in it over as few values as can be told beforehand."""
        if (bit := self._tabulated(expr) or self._rows_of_table(expr)) is not None:
            return bit
        expr = mapped(expr, self.narrowed)
        if expr.op == "member":
            return self._member_of_table(expr) or expr
        if expr.op not in CONDITIONED:
            return expr
        source, condition = operands(expr)
        if source.op == "domain" and expr.op == "any" and (direct := self._one_point(expr, condition)) is not None:
            return direct
        if source.op == "domain":
            return self._with_narrower_domain(expr, source, condition) if expr.op != "all" else expr
        return self._as_bits(expr, source, condition) if expr.op != "filter" else expr

    def _tabulated(self, expr: Expr) -> Expr | None:
        """Return a condition without state as a bit of a table; None if it is none, or as quickly worked out."""
        if expr.type != "bool" or not self.is_stateless(expr):
            return None
        expr = self._inlined(expr)
        if sum(part.op not in LEAVES for part in subexpressions(expr)) < STEPS:
            return None
        types = {index(part): part.type for part in subexpressions(expr) if part.op == "local"}
        slots = [slot for slot in local_reads(expr) if is_small(self.layout, types[slot]) and types[slot] != "seat"]
        if not slots:
            return None
        slot = max(slots, key=lambda slot: self._size(types[slot]))
        words = self.words(expr, slot, self._size(types[slot]))
        return words and Expr("in_mask", BOOL, (Expr("local", types[slot], (slot,), expr.site), words), expr.site)

    def _rows_of_table(self, loop: Expr) -> Expr | None:
        """Return a filter over a ray or neighbours as a row of a table, of those that meet the part of its condition
        that reads no state, or a filter over that; None for others."""
        if loop.op != "filter" or operands(loop)[0].op not in ROWS:
            return None
        source, condition = operands(loop)
        first, rest = self._split(condition)
        if first is None:
            return None
        few = self._inlined(replace(loop, args=(index(loop), source, first)))
        settings = self._settings(few)
        if settings is None or len(settings[1]) > MOST:
            return None
        place, known = settings
        try:
            rows = table(self.layout, few, known, ROUNDS)
        except (NotConstantError, ArithmeticError, IndexError):
            return None
        inner = loop.type.inner
        lists = [Expr("list", loop.type, tuple(Expr("const", inner, (cell,)) for cell in row)) for row in rows]
        row = Expr("at", loop.type, (Expr("list", Type(f"set<{loop.type}>"), tuple(lists)), place), loop.site)
        return row if rest is None else replace(loop, args=(index(loop), row, self.narrowed(rest)))

    def _member_of_table(self, expr: Expr) -> Expr | None:
        """Return whether a value is in what a function without state gives as a bit of a table; None for others."""
        value, source = operands(expr)
        if source.op != "call" or not is_set_of_small(self.layout, source) or not self._calls_stateless(index(source)):
            return None
        lets = [(next(fresh_slots), part) for part in operands(source) if part.op not in LEAVES]
        slots = iter([Expr("local", part.type, (slot,), part.site) for slot, part in lets])
        own = Expr("local", source.type.inner, (next(fresh_slots),), expr.site)
        called = mapped(source, lambda part: part if part.op in LEAVES else next(slots))
        member = Expr("member", BOOL, (own, called), expr.site)
        words = self.words(member, index(own), self._size(source.type.inner))
        bit = words and Expr("in_mask", BOOL, (value, words), expr.site)
        for slot, part in reversed(lets):
            bit = bit and Expr("let", BOOL, (slot, part, bit), expr.site)
        return bit

    def _one_point(self, loop: Expr, condition: Expr) -> Expr | None:
        """Return a search for the direction of a ray with a cell on it as one question of that direction (the one-point
        rule: something equals `e` and has a property if `e` has it); None for other loops."""
        if condition.op == "call" and all(part.op in LEAVES for part in operands(condition)):
            value = lone_value(self.layout.program.procedures[index(condition)])
            if value is not None and value.op == "and":
                condition = with_arguments(value, dict(enumerate(operands(condition))))
        if condition.op != "and":
            return None
        ray, rest = operands(condition)
        if ray.op == "and":
            left, right = operands(ray)
            ray, rest = left, replace(condition, args=(right, rest))
        if ray.op != "member" or operands(ray)[1].op != "ray":
            return None
        cell, (start, way) = operands(ray)[0], operands(operands(ray)[1])
        reads = local_reads(cell) | local_reads(start)
        if way.op != "local" or index(way) != index(loop) or index(loop) in reads:
            return None
        direction = Expr("direction", OPT_DIR, (index(operands(ray)[1]), start, cell), ray.site)
        local = Expr("local", OPT_DIR, (next(fresh_slots),), ray.site)
        is_on_ray = Expr("not", BOOL, (Expr("is_none", BOOL, (local,), ray.site),), ray.site)
        rest = substituted(rest, index(loop), lambda way: Expr("cast", way.type, (local,), way.site))
        return Expr("let", BOOL, (index(local), direction, Expr("and", BOOL, (is_on_ray, rest), loop.site)), loop.site)

    def _with_narrower_domain(self, loop: Expr, source: Expr, condition: Expr) -> Expr:
        """Return a loop over a domain as one over the values that the first part of its condition lets through."""
        size = len(self.layout.domain(source.type.inner))
        first, rest = self._split(condition) if FEWEST <= size <= MOST_BITS else (None, condition)
        words = None if first is None else self.words(first, index(loop), size)
        rows = [unsigned(row) for row in words.args[1:] if isinstance(row, int)] if words is not None else []
        many = 2 * sum(row.bit_count() for row in rows) > size * len(rows)
        if words is None or (many and rest is not None):
            return loop
        few = Expr("elements", loop.type if loop.op == "filter" else source.type, (words,), source.site)
        if rest is None and loop.op == "filter":
            return few
        return replace(loop, args=(index(loop), few, rest or TRUE))

    def _as_bits(self, loop: Expr, source: Expr, condition: Expr) -> Expr:
        """Return what is asked of each of a set of small values, and reads no state, as a comparison of two words."""
        if not is_set_of_small(self.layout, source) or source.op in ("list", "elements"):
            return loop
        if not self.is_stateless(condition):
            return loop
        condition = condition if loop.op == "any" else Expr("not", BOOL, (condition,), condition.site)
        words = self.words(condition, index(loop), self._size(source.type.inner))
        if words is None:
            return loop
        some = Expr("meets", BOOL, (word_of(self.layout, source), words), loop.site)
        return some if loop.op == "any" else Expr("not", BOOL, (some,), loop.site)

    def words(self, condition: Expr, slot: int, size: int) -> Expr | None:
        """Return the word of the values in a slot for which a condition without state holds, read from a table by what
        else it reads; None where there would be too many rows."""
        cases = self.cases(condition, slot, size)
        if cases is None:
            return None
        place, rows = cases
        wide, most = (INT, WORD) if size <= WORD else (BITS, MOST_BITS)
        words = [mask([value for value, holds in enumerate(row) if holds], most) for row in rows]
        return Expr("pick", wide, (place, *words), condition.site)

    def cases(self, expr: Expr, slot: int, size: int) -> tuple[Expr, list[list[int]]] | None:
        """Return what an expression without state is for each value in a slot: rows, and which of them by what else it
        reads; None where there would be too many."""
        expr = self._inlined(expr)
        settings = self._settings(expr, slot) if slot in local_reads(expr) else None
        if settings is None:
            return None
        place, others = settings
        cases = len(others) * size
        if cases > max(MOST, size * size):
            return None
        each = ({**known, slot: value} for known in others for value in range(size))
        try:
            values = table(self.layout, expr, each, ROUNDS)
        except (NotConstantError, ArithmeticError, IndexError):
            return None
        return place, [values[start : start + size] for start in range(0, cases, size)]

    def _settings(self, expr: Expr, slot: int = -1) -> tuple[Expr, list[dict[int, int]]] | None:
        """Return all values of the locals that an expression reads, but for a slot, and which of them there are; None
        where they are too many."""
        types = {index(part): part.type for part in subexpressions(expr) if part.op == "local"}
        others = {read_slot: types[read_slot] for read_slot in sorted(local_reads(expr) - {slot})}
        if not all(is_small(self.layout, type_) for type_ in others.values()):
            return None
        # A seat may be -1: that of the one who acts, where nobody does.
        lows = [-int(type_ == "seat") for type_ in others.values()]
        sizes = [self._size(type_) - low for type_, low in zip(others.values(), lows, strict=True)]
        if prod(sizes) > MOST_BITS**2:
            return None
        settings = [
            {read_slot: n + low for read_slot, n, low in zip(others, places, lows, strict=True)}
            for places in product(*map(range, sizes))
        ]
        place = Expr("const", INT, (0,))
        for read_slot, of, low in zip(others, sizes, lows, strict=True):
            step = Expr("mul", INT, (place, Expr("const", INT, (of,))))
            read = Expr("cast", INT, (Expr("local", others[read_slot], (read_slot,)),))
            read = Expr("sub", INT, (read, Expr("const", INT, (low,)))) if low else read
            place = read if read_slot == next(iter(others)) else Expr("add", INT, (step, read))
        return place, settings

    def _size(self, type_: Type) -> int:
        """Return how many values a small type has, automata among the seats."""
        return self.layout.size(type_) if type_ == "seat" else len(self.layout.domain(type_))

    def is_stateless(self, expr: Expr) -> bool:
        """Return whether an expression reads nothing of the state, nor do functions that it calls."""
        return all(
            self._calls_stateless(index(part)) if part.op == "call" else part.op in FOLDED
            for part in subexpressions(expr)
        )

    def _calls_stateless(self, number: int) -> bool:
        """Return whether a function reads nothing of the state, memoised."""
        if (known := self.stateless.get(number)) is None:
            value = lone_value(self.layout.program.procedures[number])
            known = self.stateless[number] = value is not None and self.is_stateless(value)
        return known

    def _inlined(self, expr: Expr) -> Expr:
        """Return an expression without state in which no function is called, so that it reads no unused argument."""
        expr = mapped(expr, self._inlined)
        value = lone_value(self.layout.program.procedures[index(expr)]) if expr.op == "call" else None
        return expr if value is None else self._inlined(with_arguments(value, dict(enumerate(operands(expr)))))

    def _split(self, condition: Expr, depth: int = 0) -> tuple[Expr | None, Expr | None]:
        """Return a condition without state that holds wherever this one does, so that where it does not hold nothing of
        the state is read to find this one false, and what remains to be asked where it holds; None for neither."""
        if self.is_stateless(condition):
            return condition, None
        match condition.op:
            case "and":
                left, right = operands(condition)
                first, rest = self._split(left, depth)
                if first is not None and rest is not None:
                    return first, replace(condition, args=(rest, right))
                if first is not None:
                    second, rest = self._split(right, depth)
                    return first if second is None else replace(condition, args=(first, second)), rest
            case "or":
                either = [first for part in operands(condition) if (first := self._split(part, depth)[0]) is not None]
                if len(either) == 2:
                    return replace(condition, args=tuple(either)), condition
            case "any" | "let":
                source, body = operands(condition)
                first, _ = self._split(body, depth)
                if first is not None and self.is_stateless(source):
                    return replace(condition, args=(index(condition), source, first)), condition
            case "call" if depth < DEEPEST:
                value = lone_value(self.layout.program.procedures[index(condition)])
                arguments = dict(enumerate(operands(condition)))
                if value is not None and all(part.op in ("local", "const") for part in arguments.values()):
                    return self._split(with_arguments(value, arguments), depth + 1)[0], condition
        return None, condition
