"""Represent locals that hold pieces of one zone as packed counts: choosing and moving them takes no list and no loop.

Enters: procedures, and expressions over locals. Leaves: which locals are packed (two C variables: the counts, and a
piece of the zone's first item), assignments to them, and decisions that choose some of their pieces. Where a packed
local is read in any other way, its text is `a_counted` of both variables, which makes the list.
"""

from __future__ import annotations

from functools import partial

from rulelang.ir.nodes import Binder, Choose, Expr, Procedure
from rulelang.ir.types import Type
from rulelang.ir.walk import exits, index, operands
from rulelang.native.block import countable
from rulelang.native.decisions import Leaf, go_without
from rulelang.native.expressions import Scope, Writer, compound
from rulelang.native.packed_counts import counted_set
from rulelang.native.pieces import kind_of
from rulelang.native.text import PackedCounts
from rulelang.runtime.layout import ZONE_SHIFT
from rulelang.runtime.state import SCORED, TIED


def packed_names(w: Writer, number: int, code: Procedure, names: dict[int, str]) -> dict[int, str]:
    """Return, by slot, the locals of a procedure that can be packed: the largest set whose assignments agree."""
    packed: dict[int, str] = {}
    for slot in range(code.parameters, len(code.locals)):
        type_ = code.locals[slot]
        if type_.kind == "set" and type_.inner.kind == "piece":
            if type_.core.name in w.layout.kind_index and countable(w.layout, kind_of(w, type_)):
                packed[slot] = PackedCounts(names[slot])
    while unpackable := _unpackable(w, code, Scope(number, {**names, **packed})) & packed.keys():
        for slot in unpackable:
            del packed[slot]
    return packed


def _unpackable(w: Writer, code: Procedure, s: Scope) -> set[int]:
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


def packed_set(w: Writer, e: Expr, s: Scope) -> tuple[str, str, str] | None:
    """Return the packed form of a set of pieces, or None: declarations, counts, a piece of the zone's first item."""
    if e.op != "relocate":
        return counted_set(w, e, s)
    what, zone = operands(e)
    packed = packed_set(w, what, s) if compound(e.type) else None
    if packed is None:
        return None
    before, target = w.temporary(w.text(zone, s), "zone")
    return packed[0] + before, packed[1], f"FIRST_ITEM({target}) + {target} * {1 << ZONE_SHIFT}"


def assign_packed(w: Writer, name: str, value: Expr, s: Scope) -> bool:
    """Emit the assignment of a packed local; return False if the local or the value is not packed."""
    packed = packed_set(w, value, s) if isinstance(name, PackedCounts) else None
    if not isinstance(name, PackedCounts) or packed is None:
        return False
    before, counts, first = packed
    with w.source.block(""):
        if before:
            w.source.line(before)
        w.source.line(f"{name.counts} = {counts};")
        w.source.line(f"{name.first} = {first};")
    return True


def unpacked_local(w: Writer, type_: Type, name: PackedCounts, listed: str) -> str:
    """Return the statement that packs a list of pieces into a packed local."""
    first = w.layout.kind_items[kind_of(w, type_)].start
    return f"{name.counts} = packed(LIST({listed}), {first}, &{name.first});"


# ---- decisions ------------------------------------------------------------------------------------------------


def packed_choice(w: Writer, number: int, s: Scope) -> Binder | None:
    """Return the binder of a decision that only chooses some pieces of a packed set, else None."""
    node = w.program.decisions[number]
    if node.together or len(node.items) != 1 or node.items[0].pre or node.items[0].guards:
        return None
    binders = node.items[0].binders
    if len(binders) != 1 or binders[0].kind != "some":
        return None
    (binder,) = binders
    return binder if isinstance(s.names[binder.slot], PackedCounts) and packed_set(w, binder.args[0], s) else None


def write_packed_choice(w: Writer, number: int, s: Scope, leaf: Leaf) -> bool:
    """Emit a decision that only chooses some pieces of a packed set; return False for any other."""
    node, binder, line = w.program.decisions[number], packed_choice(w, number, s), w.source.line
    packed = None if binder is None else packed_set(w, binder.args[0], s)
    name = None if binder is None else s.names[binder.slot]
    if binder is None or packed is None or not isinstance(name, PackedCounts):
        return False
    w.source.at(node.site)
    counts, low, high, begin, n, k = map(w.source.fresh, ("counts", "low", "high", "begin", "n", "k"))
    over = TIED if w.program.outcome == "drawn" else SCORED
    asked = f"if (UNLIKELY(g->s.decisions >= MAX_DECISIONS)) capped(g, {over});"
    with w.source.block(""):
        before, text, first = packed
        line(f"{before}const U {counts} = {text};")
        for limit, bound in zip((low, high), binder.args[1:], strict=True):
            line(f"const W {limit} = {w.released(partial(w.text, bound, s))};")
        line(f"const uint16_t *{begin} = NULL;")
        line(f"const W {n} = counted_ways(g, {counts}, {low}, {high}, &{begin}, {node.items[0].site});")
        with w.source.block(f"if (UNLIKELY({n} == 0))"):
            if node.ask == "anyway":
                line(asked)
                line("decided(g);")
            go_without(w, node, leaf)
        conditions = {"engine": f"if ({n} > 1)", "some": f"if (!({n} == 1 && {low} <= 0))"}
        line(f"W {k} = 0;")
        with w.source.block(conditions.get(node.ask, "")):
            line(asked)
            line("decided(g);")
            line(f"{k} = uniform(g, {n});")
        line(f"{name.counts} = counted_way(g, {counts}, {low}, {high}, {begin}, {k}, {node.items[0].site});")
        line(f"{name.first} = {first};")
        leaf(node.items[0].to)
    return True
