"""The values of a decision's binders as C: their number, and any of them by its index.

Enters: binders that do not depend on those before them, with their guards. Leaves: a `Factor`: lines that find its
values, the text of their number, and the texts of the values of an index. `part_of` chooses the cheapest class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulelang.ir.nodes import Binder, Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import index, operands
from rulelang.mir.options import GROUPING, asks, depends_on_references
from rulelang.native.bags import few_expansions
from rulelang.native.binders import LISTED, Factor, Payments, Room
from rulelang.native.const_bitsets import bit_set_text
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.groupings import Groupings
from rulelang.native.hoisting import hoisted
from rulelang.native.interchangeable import HOLD, LET_GO, interchangeable, reference
from rulelang.native.packed_locals import PackedSelections, chooses_packed
from rulelang.native.purses import countable
from rulelang.native.text import numeral
from rulelang.runtime.constants import MOST_BITS, UNKNOWN, WORD
from rulelang.runtime.distinct import distinct
from rulelang.vocabulary.operations import DISTINCT, SUBSET
from rulelang.vocabulary.types import BITS

UNFILTERED = frozenset(("pieces", "family"))


class Fixed(Factor):
    """A binder over constants without guards: each is an option."""

    lies = False

    def declare(self) -> None:
        """Nothing is needed but the constants."""
        self.fixed = constant_elements(self.w, self.binders[0].args[0]) or []
        self.most = len(self.fixed)
        self.count = numeral(self.most)

    def find(self) -> None:
        """Nor found."""

    def values(self, place: str) -> list[str]:
        """Return the constant of an index: computed, or read from a table."""
        return [_nth_constant(self.w, self.fixed, self.binders[0], place)]


class NumberRange(Factor):
    """A binder over the numbers between two bounds."""

    def declare(self) -> None:
        self.low = self.w.source.fresh("low")
        self.w.source.line(f"W {self.low} = 0, {self.count} = 0;")

    def find(self) -> None:
        low, high = (self.w.text(arg, self.env) for arg in self.binders[0].args)
        self.w.source.line(f"{self.low} = {low};")
        self.w.source.line(f"{self.count} = range_count(g, {self.low}, {high}, {self.site});")

    def values(self, place: str) -> list[str]:
        return [f"{self.low} + {place}"]


class ElementRange(Factor):
    """A binder over the distinct elements of a set, which is built in the arena."""

    most = LISTED

    def declare(self) -> None:
        self.list = self.w.source.fresh("list")
        self.w.source.line(f"W {self.list} = NOTHING, {self.count} = 0;")

    def find(self) -> None:
        self.w.source.line(f"{self.list} = {distinct_list(self.w, self.binders[0].args[0], self.env)};")
        self.w.source.line(f"{self.count} = COUNT({self.list});")

    def values(self, place: str) -> list[str]:
        return [f"AT({self.list}, {place})"]


class Bits(Factor):
    """A binder over the bits of a word (see mir/bitboards.py)."""

    def declare(self) -> None:
        self.mask = self.w.source.fresh("mask")
        source = self.binders[0].args[0]
        self.is_wide = source.op == "elements" and operands(source)[0].type == BITS
        self.most = MOST_BITS if self.is_wide else WORD
        zero = f"Bits {self.mask} = {{0}}" if self.is_wide else f"U {self.mask} = 0"
        self.w.source.line(f"{zero}; W {self.count} = 0;")

    def find(self) -> None:
        w, binder = self.w, self.binders[0]
        w.source.line(f"{self.mask} = {w.texts(binder.args[0], self.env)[0]};")
        w.source.line(f"{self.count} = {'count_bits' if self.is_wide else 'bits_in'}({self.mask});")

    def values(self, place: str) -> list[str]:
        return [f"nth_of_bits(&{self.mask}, {place})" if self.is_wide else f"nth_bit({self.mask}, {place})"]


class BitSet(Bits):
    """A binder over at most 64 constants with guards: those that pass are a bit set."""

    def declare(self) -> None:
        super().declare()
        self.fixed = constant_elements(self.w, self.binders[0].args[0]) or []
        self.most = len(self.fixed)

    def find(self) -> None:
        w, binder = self.w, self.binders[0]
        before, guards, env = hoisted(w, self.guards[0], {binder.slot}, self.env)
        self.w.source.line(before)
        size = len(self.fixed)
        if (at_once := bit_set_text(w, self.guards[0], binder.slot, self.fixed, self.env)) is not None:
            self.w.source.line(f"{self.mask} = {at_once};")
        else:
            i, x = w.source.fresh("i"), w.name(env, binder.slot)
            test = w.released(lambda: _conjunction(w, guards, env.bind(binder.slot, x)))
            value = _nth_constant(w, self.fixed, binder, i)
            body = f"const W {x} = {value}; {self.mask} |= (U)({test}) << {i};"
            loop = f"for (W {i} = 0; {i} < {size}; {i}++) {{ {body} }}"
            self.w.source.line(loop)
        w.source.line(f"{self.count} = bits_in({self.mask});")

    def values(self, place: str) -> list[str]:
        at = self.w.source.fresh("at")
        self.w.source.line(f"const W {at} = nth_bit({self.mask}, {place});")
        return [_nth_constant(self.w, self.fixed, self.binders[0], at)]


class Selections(Factor):
    """Each selection of several elements, by its rank."""

    def declare(self) -> None:
        fresh = self.w.source.fresh
        self.of_classes = asks(self.w.layout, self.binders[0])
        self.set, self.low, self.high = fresh("set"), fresh("low"), fresh("high")
        self.w.source.line(f"W {self.set} = NOTHING, {self.low} = 0, {self.high} = 0, {self.count} = 0;")

    def find(self) -> None:
        w, binder = self.w, self.binders[0]
        source, low, high = (w.text(arg, self.env) for arg in binder.args)
        w.source.line(w.arena(f"{self.set} = {chosen_from(binder, source, self.of_classes)};"))
        w.source.line(f"{self.low} = {low};")
        w.source.line(f"{self.high} = {high};")
        w.source.line(f"{self.count} = count_selections(g, {self.set}, {self.low}, {self.high}, {self.site});")

    def values(self, place: str) -> list[str]:
        return [self.w.arena(selection_at(self.set, self.low, self.high, place, self.of_classes, self.site))]

    def chooses_none(self) -> str:
        return f"({self.low} <= 0)"


class Stored(Factor):
    """The values that pass the guards, stored one by one at the upper end of the arena."""

    most = LISTED

    def declare(self) -> None:
        self.width = len(self.binders)
        self.keeps_addresses = any(compound(binder.type) for binder in self.binders)
        self.kept = self.w.source.fresh("kept")
        self.w.source.line(f"const W *{self.kept} = NULL; W {self.count} = 0;")

    def find(self) -> None:
        self.room.kept = True
        self.w.source.line(f"{self.kept} = g->limit;")
        self.w.source.line(self._level(0, self.env, []))
        each = f" / {self.width}" if self.width > 1 else ""
        self.w.source.line(f"{self.count} = ({self.kept} - g->limit){each};")

    def values(self, place: str) -> list[str]:
        first = f"{place} * {self.width}" if self.width > 1 else place
        return [f"{self.kept}[-{1 + n} - {first}]" for n in range(self.width)]

    def _level(self, level: int, outer: Environment, before: list[str]) -> str:
        """Return nested loops over the values of a binder and of those after it."""
        w, binder = self.w, self.binders[level]
        last = level == len(self.binders) - 1
        head, guards, env = hoisted(w, self.guards[level], {binder.slot}, outer)
        charge = "" if last and not guards else f"BURN({w.work(*self.guards[level])}, {self.site});"

        def body(x: str) -> str:
            inner_scope = env.bind(binder.slot, x)
            copy = ""
            if binder.kind == "some":
                name = w.source.fresh("way")
                copy = w.arena(f"const W {name} = a_copied(g, LIST({x}), COUNT({x}) + 1); ")
            stored = name if copy else x
            if last:
                then = " ".join(f"push_upper(g, {value});" for value in [*before, stored])
            else:

                def deeper() -> str:
                    inner = self._level(level + 1, env.bind(binder.slot, stored), [*before, stored])
                    if not depends_on_references(w.layout, [binder], self.binders[level + 1 :]):
                        return inner
                    return (
                        f"{reference(w, binder.type, stored, HOLD)} {inner} {reference(w, binder.type, stored, LET_GO)}"
                    )

                then = deeper() if self.keeps_addresses else w.freed(deeper)
            if not guards:
                return f"{charge} {copy}{then}"
            test = w.released(lambda: _conjunction(w, guards, inner_scope))
            return f"{charge} if ({test}) {{ {copy}{then} }}"

        return f"{{ {head} {each_value(w, binder, env, self.site, body)} }}"


# ---- what the values of a binder are ---------------------------------------------------------------------


def part_of(
    room: Room, binders: Sequence[Binder], guards: Sequence[Sequence[Expr]], env: Environment, site: int
) -> Factor:
    """Return the cheapest part for binders that do not depend on those before them."""
    w, binder = room.w, binders[0]
    if len(binders) > 1:
        return Stored(room, binders, guards, env, site)
    if binder.kind == GROUPING:
        return Groupings(room, binders, guards, env, site)
    if binder.kind == "some" and not guards[0]:
        packed = chooses_packed(w, binder, env)
        return (PackedSelections if packed else Selections)(room, binders, guards, env, site)
    if binder.kind == "number" and not guards[0]:
        return NumberRange(room, binders, guards, env, site)
    if binder.kind != "each":
        return Stored(room, binders, guards, env, site)
    source = binder.args[0]
    if asks(w.layout, binder):
        return (Stored if guards[0] else ElementRange)(room, binders, guards, env, site)
    fixed = constant_elements(w, source)
    if fixed is None and source.op == "elements" and not guards[0]:
        return Bits(room, binders, guards, env, site)
    if fixed is not None and not guards[0]:
        return Fixed(room, binders, guards, env, site)
    if fixed is not None and len(fixed) <= WORD and not compound(binder.type):
        return BitSet(room, binders, guards, env, site)
    if guards[0]:
        return Stored(room, binders, guards, env, site)
    if source.op == "payments" and countable(w, source):
        return Payments(room, binders, guards, env, site)
    if not is_distinct(w, source) and keeps_equals_together(w, source, env):
        return Stored(room, binders, guards, env, site)
    return ElementRange(room, binders, guards, env, site)


def constant_elements(w: Writer, source: Expr) -> list[Any] | None:
    """Return the distinct elements of a constant set; None for other sets."""
    if source.op == "expansions":
        return few_expansions(w, operands(source)[0])
    known = w.known(source)
    return distinct(known) if known is not UNKNOWN else None


def is_distinct(w: Writer, source: Expr) -> bool:
    """Return whether the set certainly has no duplicates."""
    if source.op in DISTINCT:
        return True
    if source.op in SUBSET:
        return is_distinct(w, operands(source)[0])
    if source.op in ("let", "cell"):
        return is_distinct(w, operands(source)[-1])
    if source.op == "at" and (sets := w.known(operands(source)[0])) is not UNKNOWN:
        return all(len({*each}) == len(each) for each in sets)
    if source.op == "call":
        value = lone_value(w.program.procedures[index(source)])
        return value is not None and is_distinct(w, value)
    return source.op in UNFILTERED | {"active"} and w.layout.identity(source.type)


def keeps_equals_together(w: Writer, source: Expr, env: Environment) -> bool:
    """Return whether equal pieces are certainly adjacent in the set, as in zones that are no piles."""
    while source.op in SUBSET:
        source = operands(source)[0]
    if source.op == "family":
        return not w.program.zones[index(source)].kept
    if source.op != "pieces":
        return False
    table = w.table_of(operands(source)[0], env)
    return table >= 0 and not w.program.zones[table].kept


def distinct_list(w: Writer, source: Expr, env: Environment) -> str:
    """Return the text of the distinct elements of a set as a list: one of each class of interchangeable ones."""
    if source.type.inner.scalar and w.layout.refers(source.type):
        return w.arena(interchangeable("a_representatives", source, w.text(source, env)))
    if is_distinct(w, source):
        return w.text(source, env)
    return w.text(Expr("distinct", source.type, (source,), source.site), env)


def each_value(w: Writer, binder: Binder, env: Environment, site: int, body: Callable[[str], str]) -> str:
    """Return a loop over the distinct values of a binder."""
    if binder.kind == "number":
        low, high = (w.text(arg, env) for arg in binder.args)
        first, n, i = (w.source.fresh(stem) for stem in ("low", "n", "i"))
        x = w.name(env, binder.slot)
        head = f"const W {first} = {low}; const W {n} = range_count(g, {first}, {high}, {site});"
        return f"{{ {head} for (W {i} = 0; {i} < {n}; {i}++) {{ const W {x} = {first} + {i}; {body(x)} }} }}"
    if binder.kind == "some":
        source_text, low, high = (w.text(arg, env) for arg in binder.args)
        name, least, most = (w.source.fresh(stem) for stem in ("set", "low", "high"))
        of_classes = asks(w.layout, binder)
        head = f"const W {name} = {chosen_from(binder, source_text, of_classes)}, {least} = {low}, {most} = {high};"
        return f"{{ {head} {each_selection(w, (name, least, most), of_classes, site, body)} }}"
    source = binder.args[0]
    if asks(w.layout, binder):
        return w.each_of(distinct_list(w, source, env), body)
    fixed = constant_elements(w, source)
    if fixed is not None:
        i, x = w.source.fresh("i"), w.name(env, binder.slot)
        value = _nth_constant(w, fixed, binder, i)
        return f"for (W {i} = 0; {i} < {len(fixed)}; {i}++) {{ const W {x} = {value}; {body(x)} }}"
    if is_distinct(w, source):
        return w.each(source, env, body)
    if keeps_equals_together(w, source, env):
        last = w.source.fresh("last")
        loop = w.each(source, env, lambda x: f"if ({x} != {last}) {{ {last} = {x}; {body(x)} }}")
        return f"{{ W {last} = INT64_MIN; {loop} }}"
    return w.each_of(distinct_list(w, source, env), body)


def chosen_from(binder: Binder, source: str, of_classes: bool) -> str:
    """Return the text of the multiset from which several are selected; `of_classes`: see `a_classes`."""
    return interchangeable("a_classes", binder.args[0], source) if of_classes else f"a_sorted(g, {source})"


def selection_at(set_: str, low: str, high: str, place: str, of_classes: bool, site: int) -> str:
    """Return the text of the selection of a rank."""
    selection = f"a_selection(g, {set_}, {low}, {high}, {place}, {site})"
    return f"a_members(g, {set_}, {selection})" if of_classes else selection


def each_selection(
    w: Writer, names: tuple[str, str, str], of_classes: bool, site: int, body: Callable[[str], str]
) -> str:
    """Return a loop over the selections of `low` to `high` elements from the multiset that `chosen_from` gives."""
    set_, low, high = names
    selection, most, x = (w.source.fresh(stem) for stem in ("selection", "most", "x"))
    head = f"const W {most} = least({high}, COUNT({set_})); W *const {selection} = a_list(g, {most});"
    start = f"first_selection({set_}, {selection}, greatest({low}, 0));"
    shown, fill = selection, ""
    if of_classes:
        shown = w.source.fresh("shown")
        start += f" W *const {shown} = a_list(g, {most});"
        fill = f"fill_members({set_}, ADDRESS({selection}), {shown}); "
    start += f" const W {x} = ADDRESS({shown});"
    loop = f"do {{ {fill}{body(x)} }} while (next_selection({set_}, {selection}, {most}));"
    return w.arena(f"if (count_selections(g, {set_}, {low}, {high}, {site})) {{ {head} {start} {loop} }}")


# ---- texts ------------------------------------------------------------------------------------------------


def _nth_constant(w: Writer, fixed: list[Any], binder: Binder, place: str) -> str:
    """Return the text of the constant of an index."""
    if len(fixed) < 2:
        return w.constant(fixed[0], binder.args[0].type.inner) if fixed else "0"
    if all(isinstance(value, int) for value in fixed):
        if fixed == list(range(fixed[0], fixed[0] + len(fixed))):
            return place if fixed[0] == 0 else f"{fixed[0]} + {place}"
        return f"{w.source.table([int(value) for value in fixed])}[{place}]"
    return f"AT({w.constant(fixed, binder.args[0].type)}, {place})"


def _conjunction(w: Writer, guards: Sequence[Expr], env: Environment) -> str:
    """Return the text of whether all guards hold."""
    texts = [w.text(guard, env) for guard in guards]
    return " && ".join(f"({text})" for text in texts) if texts else "1"
