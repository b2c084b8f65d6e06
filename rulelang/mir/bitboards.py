"""Bitboards: what is asked of each cell of a board, asked of all of them at once, in a set with a bit for each.

Enters: a layout. Leaves: the layout of the same program. `mask(filter(all cells, variable[cell] = value))` is a
bitboard, which C keeps up to date (native/bitboards.py); conditions made of such comparisons, and of those that read
no state, are words, joined by `bit_and`, `bit_or` and `bit_xor`. A loop over cells, and a binder of an option, goes
through the bits of a word; whether all or some cells pass is a comparison of words, how many do is a count of bits.
What is asked of the piece in one zone is a bit of a bitboard, if that is there for something else.
No part of a word can fail, nor what stood before it, so that nothing goes wrong that did not, and what did still does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from rulelang.ir.nodes import Binder, Decision, Expr, Item
from rulelang.ir.rewrite import fresh_slots, lone_value, mapped, rewritten, substituted, with_arguments
from rulelang.ir.walk import index, local_reads, operands, subexpressions
from rulelang.mir.bits import ROWS, TRUE, bits, bits_type, conjuncts, is_small, unwraps, word_of
from rulelang.mir.bound import with_program
from rulelang.mir.early import is_early, is_total
from rulelang.mir.fields import MOST_VALUES, Field, bitboard_of, fields_of, read_at, read_of_piece, values_of, zone_at
from rulelang.mir.narrow import Narrower
from rulelang.runtime.constants import PURE, UNKNOWN, Constants, constant
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import BINDING, EQUALITIES, LOGIC, SIGNS
from rulelang.vocabulary.types import BOOL, INT, ZONE, Type

FEW_VALUES = 2
"""A comparison with more values takes longer than a loop."""
FEW_LINES, MANY_LINES = 4, 512
"""Fewer lines are not worth a word of what holds of their cells; more would have to take fuel."""
LISTED = ROWS | {"local"}
"""Sets that are at hand."""
FEW = 8
"""Elements of a domain that are gone through for a word."""
CHEAP = 4
"""Most operations of an argument that is read in place of a parameter."""
DEEPEST = 3
"""Functions are seen through no deeper than this."""


def bitboards(layout: Layout) -> Layout:
    """Return the layout with what is asked of cells asked of words."""
    finder = _Finder(layout)
    program = rewritten(layout.program, finder.changed)
    layout = with_program(layout, replace(program, decisions=tuple(map(finder.decision, program.decisions))))
    return with_program(layout, rewritten(layout.program, _Members(layout).changed))


class _Members:
    """Rewrites what is asked of the piece in one zone as bits of bitboards that the program reads anyway."""

    def __init__(self, layout: Layout) -> None:
        self.finder, self.fields = _Finder(layout), frozenset(fields_of(layout))

    def changed(self, expr: Expr) -> Expr:
        """Return the expression with `any` of the pieces in such a zone as a bit, but for what says what a board is."""
        if bitboard_of(self.finder.layout, expr) is not None:
            return expr
        expr = mapped(expr, self.changed)
        if expr.op != "any" or operands(expr)[0].op != "pieces":
            return expr
        source, condition = operands(expr)
        (zone,) = operands(source)
        if zone.op != "zone" or len(operands(zone)) != 1 or any(map(unwraps, subexpressions(zone))):
            return expr
        (cell,) = operands(zone)
        slot = next(fresh_slots)
        at = replace(zone, args=(index(zone), Expr("local", cell.type, (slot,), cell.site)))
        loop = replace(expr, args=(index(expr), replace(source, args=(at, *source.args[1:])), condition))
        word = self.finder.in_zone(loop, slot, cell.type, 0) if is_small(self.finder.layout, cell.type) else None
        return expr if word is None or not self._is_read(word) else Expr("in_mask", BOOL, (cell, word), expr.site)

    def _is_read(self, word: Expr) -> bool:
        """Return whether a word is a bitboard that the program reads, or several joined by `bit_and`."""
        if (board := bitboard_of(self.finder.layout, word)) is not None:
            return board[0] in self.fields
        return word.op == "bit_and" and all(map(self._is_read, operands(word)))


class _Finder:
    """Rewrites the expressions of a layout that bit sets can answer."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.procedures = layout.program.procedures
        self.narrower = Narrower(layout)
        self.known = Constants(layout).known

    # ---- loops

    def changed(self, expr: Expr) -> Expr:
        """Return the expression with loops over cells as operations on words."""
        if expr.op == "filter" and (whole := self._transposed_whole(expr)) is not None:
            return whole
        expr = mapped(expr, self.changed)
        match expr.op:
            case "filter":
                return self._filtered(expr)
            case "any" | "all":
                return self._lines(expr) or self._quantified(expr)
            case "count":
                return self._counted(operands(expr)[0]) or expr
            case "member":
                value, source = operands(expr)
                word = self._word_of(source) if source.op not in ROWS and self.known(source) is UNKNOWN else None
                return expr if word is None else Expr("in_mask", BOOL, (value, word), expr.site)
        return expr

    def _transposed_whole(self, loop: Expr) -> Expr | None:
        """Return a filter over all cells as a word in which loops are transposed; None where none is."""
        if operands(loop)[0].op != "domain" or not is_small(self.layout, loop.type.inner):
            return None
        word = self._word_of(loop)
        return Expr("elements", loop.type, (word,), loop.site) if word is not None and _has_loops(word) else None

    def _filtered(self, loop: Expr) -> Expr:
        """Return a filter over cells with the conditions that bit sets answer moved into its source."""
        source, condition = operands(loop)
        if source.op not in ("domain", "elements") or (base := self._word_of(source)) is None:
            return loop
        words, rest = self._split(condition, index(loop), loop.type.inner)
        if not any(map(self._reads_bitboards, words)):
            return loop
        few = Expr("elements", loop.type, (self._all_of([base, *words]),), loop.site)
        return replace(loop, args=(index(loop), few, rest)) if rest is not None else few

    def _quantified(self, loop: Expr) -> Expr:
        """Return `any` or `all` over cells as an intersection of bit sets, where both sides are bit sets."""
        source, condition = operands(loop)
        word, type_ = self._word_of(source), source.type.inner
        passing = None if word is None else self._word(condition, index(loop), type_)
        if word is None or passing is None or not any(map(self._reads_bitboards, (word, passing))):
            return loop
        meets = Expr("meets", BOOL, (word, passing if loop.op == "any" else self._but(passing, type_)), loop.site)
        return meets if loop.op == "any" else Expr("not", BOOL, (meets,), loop.site)

    def _lines(self, loop: Expr) -> Expr | None:
        """Return what is asked of lines of cells, each a constant set, as comparisons with a word of the cells."""
        source, inner = operands(loop)
        if inner.op not in ("any", "all") or index(operands(inner)[0]) != index(loop):
            return None
        has_index = source.op == "containing"
        lines = self.known(operands(source)[0] if has_index else source)
        if lines is UNKNOWN or not FEW_LINES <= len(lines) <= MANY_LINES:
            return None
        type_, condition = source.type.inner.inner, operands(inner)[1]
        if not is_small(self.layout, type_) or index(loop) in local_reads(condition):
            return None
        word = self._word(condition, index(inner), type_)
        if word is None:
            if has_index or not self._is_certain(condition):
                return None
            word = self._found(condition, index(inner), type_)
        word = self._all_of([word, self._all(type_)]) if inner.op == "any" else self._but(word, type_)
        slot = next(fresh_slots)
        wide = bits_type(self.layout, type_)
        words = Expr("list", Type(f"set<{wide}>"), tuple(bits(self.layout, type_, line) for line in lines), source.site)
        if has_index:
            words = Expr("containing", words.type, (words, operands(source)[1]), source.site)
        meets = Expr("meets", BOOL, (Expr("local", wide, (slot,), inner.site), word), inner.site)
        body = meets if inner.op == "any" else Expr("not", BOOL, (meets,), inner.site)
        return Expr(loop.op, BOOL, (slot, words, body), loop.site)

    def _counted(self, source: Expr) -> Expr | None:
        """Return the number of elements of a set as a number of bits."""
        if source.op == "filter" and operands(source)[0].op == "union":
            parts, condition = operands(operands(source)[0]), operands(source)[1]
            source = replace(
                source,
                op="union",
                args=tuple(replace(source, args=(index(source), part, condition)) for part in parts),
            )
        if source.op == "union":
            one, other = map(self._counted, operands(source))
            return None if one is None or other is None else Expr("add", INT, (one, other), source.site)
        word = self._word_of(source)
        return Expr("ones", INT, (word,), source.site) if word is not None and self._reads_bitboards(word) else None

    # ---- options

    def decision(self, node: Decision) -> Decision:
        """Return a decision whose binders go through the bits of words."""
        return node if node.together else replace(node, items=tuple(map(self._item, node.items)))

    def _item(self, item: Item) -> Item:
        """Return an item of a decision whose binders over cells go through the bits that meet their guards."""
        binders, guards, level = list(item.binders), list(item.guards), -1
        slots = [binder.slot for binder in binders]
        at: dict[int, list[int]] = {}
        for number, guard in enumerate(guards):
            read = local_reads(guard.condition)
            level = max([level, *(place for place, slot in enumerate(slots) if slot in read)])
            at.setdefault(level, []).append(number)
        for place, numbers in at.items():
            if place < 0 or not self._goes_through_cells(binders[place]):
                continue
            binder, conditions = binders[place], [guards[number].condition for number in numbers]
            source = binder.args[0]
            words, rest = self._split(_joined("and", conditions), binder.slot, source.type.inner)
            if not any(map(self._reads_bitboards, words)):
                continue
            word = self._all_of([self._all(source.type.inner), *words, *operands(source)])
            binders[place] = replace(binder, args=(Expr("elements", source.type, (word,), source.site),))
            for number in numbers:
                guards[number] = replace(guards[number], condition=TRUE, operands=(), kind="condition")
            guards[numbers[-1]] = replace(guards[numbers[-1]], condition=rest or TRUE)
        return replace(item, binders=tuple(binders), guards=tuple(guards))

    def _goes_through_cells(self, binder: Binder) -> bool:
        return binder.kind == "each" and binder.args[0].op in ("domain", "elements")

    # ---- words

    def _split(self, condition: Expr, slot: int, type_: Type) -> tuple[list[Expr], Expr | None]:
        """Return words of values that together pass a part of a condition, and what is left of it."""
        words: list[Expr] = []
        rest: list[Expr] = []
        for part in conjuncts(condition):
            word = self._word(part, slot, type_) if all(map(self._is_certain, rest)) else None
            (rest if word is None else words).append(part if word is None else word)
        return words, _joined("and", rest) if rest else None

    def _word(self, expr: Expr, slot: int, type_: Type, depth: int = 0) -> Expr | None:
        """Return the word of the values in a slot for which a condition holds; None where only a loop finds them."""
        if slot not in local_reads(expr):
            known = self.known(expr)
            if known is not UNKNOWN:
                return self._all(type_) if known else bits(self.layout, type_, ())
            all_, none, infallible = self._all(type_), bits(self.layout, type_, ()), self._infallible(expr)
            return infallible and Expr("if", all_.type, (infallible, all_, none), expr.site)
        parts = operands(expr)
        match expr.op:
            case "and" | "or":
                left, right = (self._word(part, slot, type_, depth) for part in parts)
                return None if left is None or right is None else _joined(f"bit_{expr.op}", [left, right])
            case "not":
                word = self._word(parts[0], slot, type_, depth)
                return None if word is None else self._but(word, type_)
            case "member" if parts[0].op == "local" and slot not in local_reads(parts[1]):
                is_list = parts[1].op == "local" and is_small(self.layout, parts[1].type.inner)
                word = word_of(self.layout, parts[1]) if is_list else self._word_of(parts[1])
                return word and self._infallible(word)
            case "any" | "all" if (word := self.in_zone(expr, slot, type_, depth)) is not None:
                return word
            case "any" | "all" if parts[0].op == "local" or not self.narrower.is_stateless(expr):
                some = self._transposed(expr, slot, type_, depth)
                return some if some is None or expr.op == "any" else self._but(some, type_)
            case "let" if not self.narrower.is_stateless(expr):
                return self._of_cases(expr, slot, type_, depth)
            case "call" if depth < DEEPEST:
                value = self._inlined(expr)
                if value is not None and not self.narrower.is_stateless(expr):
                    word = self._word(value, slot, type_, depth + 1)
                    return word or self._word(self.changed(value), slot, type_, depth + 1)
        if self.narrower.is_stateless(expr):
            words = self.narrower.words(expr, slot, len(self.layout.domain(type_)))
            if words is not None:
                return words
        if expr.op in SIGNS and slot not in local_reads(parts[0]) & local_reads(parts[1]):
            own, value = parts if slot in local_reads(parts[0]) else parts[::-1]
            if self.narrower.is_stateless(own):
                return self._tabulated(expr, own, value, slot, type_)
        return self._compared(expr, slot, type_)

    def _transposed(self, loop: Expr, slot: int, type_: Type, depth: int) -> Expr | None:
        """Return the word of the values for which an `any` holds, or an `all` does not: of what is gone through, each
        that meets the conditions that do not read the value gives the word of those for which the others hold."""
        condition = operands(loop)[1]
        asked = condition if loop.op == "any" else Expr("not", BOOL, (condition,), condition.site)
        return self._some(operands(loop)[0], index(loop), conjuncts(asked), (slot, type_), depth)

    def _some(
        self,
        source: Expr,
        own: int,
        conditions: list[Expr],
        value: tuple[int, Type],
        depth: int,
        peeled: bool = False,
    ) -> Expr | None:
        """Return the word of the values for which some element in a slot meets all conditions; `peeled`: of which some
        were those of the source."""
        slot, type_ = value
        if slot in local_reads(source):
            if source.op == "filter":
                inner, condition = operands(source)
                condition = substituted(condition, index(source), lambda local: replace(local, args=(own,)))
                return self._some(inner, own, [*conjuncts(condition), *conditions], value, depth, peeled=True)
            if source.op == "union":
                parts = [self._some(part, own, conditions, value, depth, peeled) for part in operands(source)]
                words = [part for part in parts if part is not None]
                return _joined("bit_or", words) if len(words) == len(parts) else None
            if source.op == "list" and len(operands(source)) == 1:
                (only,) = operands(source)
                asked = _joined("and", conditions)
                return self._word(substituted(asked, own, lambda local: only), slot, type_, depth)
            called = self._inlined(source) if source.op == "call" and depth < DEEPEST else None
            return called and self._some(called, own, conditions, value, depth + 1, peeled)
        fixed = [part for part in conditions if slot not in local_reads(part)]
        varying = [part for part in conditions if slot in local_reads(part)]
        word = self._word(_joined("and", varying), slot, type_, depth) if varying else None
        # Of what cells are asked each by each, few are gone through: the ways, a row, a list.
        is_few = source.op in LISTED or (
            source.op == "domain" and (not peeled or len(self.layout.domain(source.type.inner)) <= FEW)
        )
        if word is None or not is_few or not all(map(self._is_certain, fixed)):
            return None
        if fixed:
            source = self.changed(Expr("filter", source.type, (own, source, _joined("and", fixed)), source.site))
            board = self._word_of(source)
            source = source if board is None else Expr("elements", source.type, (board,), source.site)
        every = Type(f"set<{type_}>")
        each = Expr("elements", every, (word,), word.site)
        return word_of(self.layout, Expr("flatten", every, (own, source, each), word.site))

    def _of_cases(self, let: Expr, slot: int, type_: Type, depth: int) -> Expr | None:
        """Return the word of the values for which a condition on a direction holds that hangs on the value; it must not
        hold without a direction."""
        way, condition = operands(let)
        if way.type.present != "dir" or slot not in local_reads(way) or not self.narrower.is_stateless(way):
            return None

        none = substituted(condition, index(let), lambda local: Expr("const", way.type, (-1,)))
        if (held := self.known(none)) is UNKNOWN or held:
            return None
        own = next(fresh_slots)
        one = Expr("local", way.type.present, (own,), let.site)

        def put(part: Expr) -> Expr:
            if part.op == "local" and index(part) == index(let):
                return Expr("cast", way.type, (one,), part.site)
            if part.op == "is_none" and operands(part)[0].op == "local" and index(operands(part)[0]) == index(let):
                return Expr("const", BOOL, (0,), part.site)
            return mapped(part, put)

        conditions = [part for part in conjuncts(put(condition)) if (held := self.known(part)) is UNKNOWN or not held]
        leads = Expr("eq", BOOL, (way, Expr("cast", way.type, (one,), let.site)), let.site)
        ways = Expr("domain", Type("set<dir>"), ("dir",), let.site)
        return self._some(ways, own, [leads, *conditions], (slot, type_), depth)

    def _tabulated(self, expr: Expr, own: Expr, value: Expr, slot: int, type_: Type) -> Expr | None:
        """Return the word of a comparison of what reads no state with a value, read from a table by that value."""
        cases, infallible = self.narrower.cases(own, slot, len(self.layout.domain(type_))), self._infallible(value)
        if cases is None or infallible is None:
            return None
        place, rows = cases
        # Beyond all values that there are one is as good as another.
        low, high = min(map(min, rows)) - 1, max(map(max, rows)) + 1
        if high - low > MOST_VALUES:
            return None
        order = 1 if own is operands(expr)[0] else -1
        words = [
            bits(self.layout, type_, [at for at, each in enumerate(row) if PURE[expr.op](*(each, other)[::order])])
            for row in rows
            for other in range(low, high + 1)
        ]
        width, least, most = (Expr("const", INT, (n,)) for n in (high - low + 1, low, high))
        within = Expr("max2", INT, (Expr("min2", INT, (Expr("cast", INT, (infallible,)), most)), least))
        column = Expr("sub", INT, (within, least))
        at = Expr("add", INT, (Expr("mul", INT, (place, width)), column))
        return Expr("pick", words[0].type, (at, *(word.args[0] for word in words)), expr.site)

    def _compared(self, expr: Expr, slot: int, type_: Type) -> Expr | None:
        """Return the word of a comparison of a variable's value at each cell."""
        reads = [part for part in subexpressions(expr) if slot in local_reads(part)]
        fields = [(part, field) for part in reads if (field := read_at(part, slot)) is not None]
        if len(fields) != 1 or sum(part.op != "zone" for part in reads) > 3:
            return None
        ((read, field),) = fields
        if not (values := values_of(self.layout, field)):
            return None
        if field.of == "size":
            values = range(2)
        others = [part for part in operands(expr) if part is not read and expr is not read]
        if expr.op in EQUALITIES and self.known(others[0]) is UNKNOWN and field.of == "var":
            infallible = self._infallible(operands(others[0])[0] if unwraps(others[0]) else others[0])
            word = infallible and self._bitboard(read, slot, type_, infallible)
            return word if word is None or expr.op == "eq" else self._but(word, type_)
        if any(self.known(part) is UNKNOWN for part in others):
            return None
        passing = [value for value in values if self._holds(expr, read, value)]
        failing = [value for value in values if value not in passing]
        few = [1] if field.of == "size" and 0 < len(passing) < len(values) else min(passing, failing, key=len)
        if len(few) > FEW_VALUES:
            return None
        words = [self._bitboard(read, slot, type_, Expr("const", read.type, (value,))) for value in few]
        some = _joined("bit_or", words) if words else bits(self.layout, type_, ())
        return some if few == passing else self._but(some, type_)

    def in_zone(self, loop: Expr, slot: int, type_: Type, depth: int) -> Expr | None:
        """Return the word of the cells in whose zone of one piece at most it is so that `any` or `all` pieces pass."""
        source, condition = operands(loop)
        conditions = [(condition, index(loop))]
        while source.op == "filter" and loop.op == "any":
            conditions.append((operands(source)[1], index(source)))
            source = operands(source)[0]
        table = zone_at(operands(source)[0], slot) if source.op == "pieces" else None
        if table is None or not values_of(self.layout, occupied := Field("size", table)):
            return None
        words = [self._of_piece(part, (own, slot), table, type_, depth) for part, own in conditions]
        known = [word for word in words if word is not None]
        if len(known) < len(words):
            return None
        if loop.op == "any" and any(map(self._has_pieces_alone, known)):
            return _joined("bit_and", known)
        own = next(fresh_slots)
        zone = Expr("zone", ZONE, (occupied.table, Expr("local", type_, (own,), loop.site)), loop.site)
        size = Expr("eq", BOOL, (Expr("size", INT, (zone,), loop.site), Expr("const", INT, (1,))), loop.site)
        lying = self._found(size, own, type_)
        if loop.op == "all":
            return _joined("bit_or", [self._but(lying, type_), *known])
        return _joined("bit_and", [*known, lying])

    def _has_pieces_alone(self, word: Expr) -> bool:
        """Return whether all cells of a word certainly have a piece."""
        board = bitboard_of(self.layout, word)
        return (board is not None and board[0].of != "var") or (
            word.op == "bit_and" and any(map(self._has_pieces_alone, operands(word)))
        )

    def _of_piece(self, expr: Expr, slots: tuple[int, int], table: int, type_: Type, depth: int) -> Expr | None:
        """Return a word of cells that has, of those where a piece lies, the ones whose piece meets a condition.

        Args:
            slots: that of the piece, and that of the cell. table: of the zone that the piece lies in.
        """
        piece, slot = slots
        if piece not in local_reads(expr):
            return self._word(expr, slot, type_, depth)
        parts = operands(expr)
        if expr.op in LOGIC:
            words = [self._of_piece(part, slots, table, type_, depth) for part in parts]
            known = [word for word in words if word is not None]
            if len(known) < len(words):
                return None
            joined = _joined(f"bit_{expr.op}", known)
            return self._but(joined, type_) if expr.op == "not" else joined
        if expr.op == "call" and depth < DEEPEST and (value := self._inlined(expr)) is not None:
            return self._of_piece(self.changed(value), slots, table, type_, depth + 1)
        if expr.op not in EQUALITIES or slot in local_reads(parts[1]):
            return None
        field, value = read_of_piece(self.layout, table, parts[0], piece), self._infallible(parts[1])
        if field is None or value is None or piece in local_reads(value):
            return None
        own, each = next(fresh_slots), next(fresh_slots)
        zone = Expr("zone", ZONE, (table, Expr("local", type_, (own,), expr.site)), expr.site)
        local = Expr("local", operands(parts[0])[0].type, (each,), expr.site)
        equal = Expr("eq", BOOL, (mapped(parts[0], lambda part: local), value), expr.site)
        pieces = Expr("pieces", Type(f"set<{local.type}>"), (zone,), expr.site)
        word = self._found(Expr("any", BOOL, (each, pieces, equal), expr.site), own, type_)
        return word if expr.op == "eq" else self._but(word, type_)

    def _holds(self, expr: Expr, read: Expr, value: int) -> bool:
        """Return whether a condition is true if the variable read in it had this value."""

        def put(part: Expr) -> Expr:
            return Expr("const", part.type, (value,)) if part is read else mapped(part, put)

        return bool(constant(self.layout, put(expr)))

    def _bitboard(self, read: Expr, slot: int, type_: Type, value: Expr) -> Expr:
        own = next(fresh_slots)
        read = substituted(read, slot, lambda local: replace(local, args=(own,)))
        return self._found(Expr("eq", BOOL, (read, value), read.site), own, type_)

    def _found(self, condition: Expr, slot: int, type_: Type) -> Expr:
        """Return the word of the values for which a condition holds, each asked."""
        every = Expr("domain", Type(f"set<{type_}>"), (str(type_),), condition.site)
        return word_of(self.layout, Expr("filter", every.type, (slot, every, condition), condition.site))

    def _word_of(self, source: Expr, depth: int = 0) -> Expr | None:
        """Return the word of a set of cells that stand in it once each; None where it takes a loop to find it."""
        if not is_small(self.layout, source.type.inner):
            return None
        match source.op:
            case "domain":
                return self._all(source.type.inner)
            case "elements":
                return operands(source)[0]
            case "ray" | "neighbours":
                return word_of(self.layout, source)
            case "filter":
                inner, condition = operands(source)
                base = self._word_of(inner, depth)
                word = None if base is None else self._word(condition, index(source), source.type.inner)
                if base is None or word is None or (inner.op in ROWS and _has_loops(word)):
                    return None  # a row is short: its cells are asked as quickly
                return self._all_of([base, word])
            case "call" if depth < DEEPEST and (called := self._inlined(source)) is not None:
                return self._word_of(self.changed(called), depth + 1)
        return None

    def _all(self, type_: Type) -> Expr:
        return bits(self.layout, type_, self.layout.domain(type_))

    def _all_of(self, words: list[Expr]) -> Expr:
        """Return the word of the values that are in all words, the first of which may be that of all values."""
        return _joined("bit_and", words[1:] if len(words) > 1 and words[0].op == "const" else words)

    def _but(self, word: Expr, type_: Type) -> Expr:
        every = self._all(type_)
        if word.op == "bit_xor" and operands(word)[1] == every:
            return operands(word)[0]
        return Expr("bit_xor", word.type, (word, every), word.site)

    def _reads_bitboards(self, word: Expr) -> bool:
        return any(bitboard_of(self.layout, part) is not None for part in subexpressions(word))

    def _inlined(self, call: Expr) -> Expr | None:
        """Return the one expression that a called function returns, with its arguments put in; None if it has more
        or an argument takes more than a few steps or may fail."""
        value = lone_value(self.procedures[index(call)])
        if value is None or not all(map(self._is_cheap, operands(call))):
            return None
        return with_arguments(value, dict(enumerate(operands(call))))

    def _is_cheap(self, argument: Expr) -> bool:
        """Return whether an argument may be read instead of the parameter, any number of times."""
        parts = list(subexpressions(argument))
        return len(parts) <= CHEAP and argument.type.scalar and is_early(self.layout.program, argument)

    def _infallible(self, expr: Expr, depth: int = 0, row: bool = False) -> Expr | None:
        """Return an expression without calls and loops of the same value that can't fail; None if there is none.

        Args:
            row: whether it is a row of a table whose word is read.
        """
        if bitboard_of(self.layout, expr) is not None:
            return expr
        if expr.op == "call":
            value = self._inlined(expr) if depth < DEEPEST else None
            return None if value is None else self._infallible(self.changed(value), depth + 1)
        is_word = expr.op == "mask" and operands(expr)[0].op in LISTED
        is_single = expr.type.scalar and expr.op not in BINDING and is_total(self.layout.program, expr)
        if unwraps(expr) or not (row or is_word or is_single):
            return None
        parts = {id(part): self._infallible(part, depth, is_word) for part in operands(expr)}
        return None if None in parts.values() else mapped(expr, lambda part: parts[id(part)] or part)

    def _is_certain(self, expr: Expr, depth: int = 0) -> bool:
        """Return whether reading an expression can't fail."""
        for part in subexpressions(expr):
            if part.op == "call":
                value = lone_value(self.procedures[index(part)])
                if value is None or depth == DEEPEST or not self._is_certain(value, depth + 1):
                    return False
            elif not is_total(self.layout.program, part):
                return False
        return True


def _has_loops(word: Expr) -> bool:
    """Return whether words are joined in a loop."""
    return any(part.op == "flatten" for part in subexpressions(word))


def _joined(op: str, parts: list[Expr]) -> Expr:
    return reduce(lambda left, right: Expr(op, right.type, (left, right), right.site), parts)
