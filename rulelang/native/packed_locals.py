"""Represent locals that hold pieces of one zone as packed counts: choosing and moving them takes no list and no loop.

Enters: procedures, and expressions over locals. Leaves: which locals are packed (two C variables: the counts, and a
piece of the zone's first item), assignments to them, and decisions that choose some of their pieces. Where a packed
local is read in any other way, its text is `a_counted` of both variables, which makes the list.
"""

from __future__ import annotations

from functools import partial

from rulelang.ir.nodes import Binder, Choose, Expr, Procedure
from rulelang.ir.walk import exits, index, operands
from rulelang.native.binders import Factor
from rulelang.native.block import countable
from rulelang.native.expressions import Environment, Writer
from rulelang.native.packed_counts import counted_set
from rulelang.native.pieces import kind_of
from rulelang.native.text import PackedCounts
from rulelang.runtime.layout import ZONE_SHIFT
from rulelang.vocabulary.types import Type


def packed_names(w: Writer, number: int, code: Procedure, names: dict[int, str]) -> dict[int, str]:
    """Return, by slot, the locals of a procedure that can be packed: the largest set whose assignments agree."""
    packed: dict[int, str] = {}
    for slot in range(code.parameters, len(code.locals)):
        type_ = code.locals[slot]
        if type_.kind == "set" and type_.inner.kind == "piece":
            if type_.core.name in w.layout.kind_index and countable(w.layout, kind_of(w, type_)):
                packed[slot] = PackedCounts(names[slot])
    while unpackable := _unpackable(w, code, Environment(number, {**names, **packed})) & packed.keys():
        for slot in unpackable:
            del packed[slot]
    return packed


def _unpackable(w: Writer, code: Procedure, s: Environment) -> set[int]:
    """Return the slots to which something that has no packed form is assigned."""
    unpackable: set[int] = set()
    for block in code.blocks:
        for node in block.statements:
            if node.op == "set" and isinstance(s.names[index(node)], PackedCounts):
                (value,) = operands(node)
                if packed_set(w, value, s) is None:
                    unpackable.add(index(node))
        chosen = packed_choice(w, block.terminator.decision, s) if isinstance(block.terminator, Choose) else None
        for _, filled in exits(block.terminator, w.program.decisions):
            unpackable |= filled - ({chosen.slot} if chosen else set())
    return unpackable


def packed_set(w: Writer, e: Expr, s: Environment) -> tuple[str, str, str] | None:
    """Return the packed form of a set of pieces, or None: declarations, counts, a piece of the zone's first item."""
    packed = packed_set(w, operands(e)[0], s) if e.op == "relocate" else None
    if packed is None:
        return counted_set(w, e, s)
    before, target = w.temporary(w.text(operands(e)[1], s), "zone")
    return packed[0] + before, packed[1], f"FIRST_ITEM({target}) + {target} * {1 << ZONE_SHIFT}"


def assign_packed(w: Writer, name: str, value: Expr, s: Environment) -> bool:
    """Emit the assignment of a packed local; return False if the local or the value is not packed."""
    packed = packed_set(w, value, s) if isinstance(name, PackedCounts) else None
    if not isinstance(name, PackedCounts) or packed is None:
        return False
    before, counts, first = packed
    with w.source.block(""):
        w.source.line(before)
        w.source.line(f"{name.counts} = {counts};")
        w.source.line(f"{name.first} = {first};")
    return True


def unpacked_local(w: Writer, type_: Type, name: PackedCounts, listed: str) -> str:
    """Return the statement that packs a list of pieces into a packed local."""
    first = w.layout.kind_items[kind_of(w, type_)].start
    return f"{name.counts} = packed(LIST({listed}), {first}, &{name.first});"


# ---- decisions ------------------------------------------------------------------------------------------------


def packed_choice(w: Writer, number: int, s: Environment) -> Binder | None:
    """Return the binder of a decision that only chooses some pieces of a packed set, else None."""
    node = w.program.decisions[number]
    if node.together or len(node.items) != 1 or node.items[0].pre or node.items[0].guards:
        return None
    binders = node.items[0].binders
    return binders[0] if len(binders) == 1 and chooses_packed(w, binders[0], s) else None


def chooses_packed(w: Writer, binder: Binder, s: Environment) -> bool:
    """Return whether a binder fills a packed local with some pieces of a packed set."""
    if binder.kind != "some" or not isinstance(s.names[binder.slot], PackedCounts):
        return False
    return packed_set(w, binder.args[0], s) is not None


class PackedSelections(Factor):
    """Each selection of several pieces of a packed set, by its rank; the local that it fills is packed too."""

    lies = False

    def declare(self) -> None:
        fresh = self.w.source.fresh
        self.counts, self.low, self.high, self.begin = fresh("counts"), fresh("low"), fresh("high"), fresh("begin")
        self.w.source.line(f"U {self.counts} = 0; W {self.low} = 0, {self.high} = 0, {self.count} = 0;")
        self.w.source.line(f"const uint16_t *{self.begin} = NULL;")

    def find(self) -> None:
        w, (binder,) = self.w, self.binders
        packed = packed_set(w, binder.args[0], self.env)
        assert packed is not None
        before, counts, self.first = packed
        w.source.line(f"{before}{self.counts} = {counts};")
        for name, bound in zip((self.low, self.high), binder.args[1:], strict=True):
            w.source.line(f"{name} = {w.released(partial(w.text, bound, self.env))};")
        arguments = f"{self.counts}, {self.low}, {self.high}"
        w.source.line(f"{self.count} = count_packed_selections(g, {arguments}, &{self.begin}, {self.site});")

    def values(self, place: str) -> list[str]:
        name = self.env.names[self.binders[0].slot]
        assert isinstance(name, PackedCounts)
        arguments = f"{self.counts}, {self.low}, {self.high}, {self.begin}, {place}"
        self.w.source.line(f"{name.counts} = packed_selection(g, {arguments}, {self.site});")
        self.w.source.line(f"{name.first} = {self.first};")
        return [""]

    def chooses_none(self) -> str:
        return f"{self.low} <= 0"
