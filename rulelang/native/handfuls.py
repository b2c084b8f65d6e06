"""Locals with pieces of one zone, held as counts: choosing and moving such pieces takes no list and no loop over them.

Enters: procedures, and expressions over locals. Leaves: which locals are held so: as two names, the counts and a piece
of the first item in the zone; decisions that choose some of them. Elsewhere the text of such a local is `a_counted` of
both, which makes the list.
"""

from __future__ import annotations

from functools import partial

from rulelang.ir.nodes import Binder, Choose, Expr, Procedure
from rulelang.ir.types import Type
from rulelang.ir.walk import exits, index, operands
from rulelang.native.block import countable
from rulelang.native.counts import counted_set
from rulelang.native.decisions import Leaf
from rulelang.native.expressions import Scope, Writer, compound
from rulelang.native.pieces import kind_of
from rulelang.native.text import PackedCounts
from rulelang.runtime.layout import ZONE_SHIFT
from rulelang.runtime.state import SCORED, TIED


def handful_names(w: Writer, number: int, code: Procedure, names: dict[int, str]) -> dict[int, str]:
    """The locals of a procedure that never hold anything but pieces of one kept as counts, with their texts."""
    found: dict[int, str] = {}
    for slot in range(code.parameters, len(code.locals)):
        type_ = code.locals[slot]
        if type_.kind == "set" and type_.inner.kind == "piece":
            if type_.core.name in w.layout.kind_index and countable(w.layout, kind_of(w, type_)):
                found[slot] = PackedCounts(names[slot])
    while found:
        other = _other(w, code, Scope(number, {**names, **found})) & found.keys()
        if not other:
            break
        for slot in other:
            del found[slot]
    return found


def _other(w: Writer, code: Procedure, s: Scope) -> set[int]:
    """The locals that may hold something else."""
    other: set[int] = set()
    for block in code.blocks:
        for node in block.statements:
            if node.op == "set" and isinstance(s.names[index(node)], PackedCounts):
                (value,) = operands(node)
                if handful(w, value, s) is None:
                    other.add(index(node))
        chosen = handful_choice(w, block.terminator.decision, s) if isinstance(block.terminator, Choose) else None
        for _, filled in exits(block.terminator, w.program.decisions):
            other |= filled - ({chosen.slot} if chosen else set())
    return other


def handful(w: Writer, e: Expr, s: Scope) -> tuple[str, str, str] | None:
    """Of pieces of one zone: what comes before, the counts, a piece of the first item there."""
    if e.op != "relocate":
        return counted_set(w, e, s)
    what, zone = operands(e)
    found = handful(w, what, s) if compound(e.type) else None
    if found is None:
        return None
    before, there = w.kept(w.text(zone, s), "zone")
    return found[0] + before, found[1], f"FIRST_ITEM({there}) + {there} * {1 << ZONE_SHIFT}"


def set_handful(w: Writer, name: str, value: Expr, s: Scope) -> bool:
    """Lines that put pieces into a local of this text, if it is held so."""
    found = handful(w, value, s) if isinstance(name, PackedCounts) else None
    if not isinstance(name, PackedCounts) or found is None:
        return False
    before, counts, first = found
    with w.source.block(""):
        if before:
            w.source.line(before)
        w.source.line(f"{name.counts} = {counts};")
        w.source.line(f"{name.first} = {first};")
    return True


def unpacked_local(w: Writer, type_: Type, name: PackedCounts, listed: str) -> str:
    """A statement that makes such a local of a list of pieces."""
    first = w.layout.kind_items[kind_of(w, type_)].start
    return f"{name.counts} = packed(LIST({listed}), {first}, &{name.first});"


# ---- decisions ------------------------------------------------------------------------------------------------


def handful_choice(w: Writer, number: int, s: Scope) -> Binder | None:
    """The binder of a decision that does nothing but choose some of a handful."""
    node = w.program.decisions[number]
    if node.together or len(node.items) != 1 or node.items[0].pre or node.items[0].guards:
        return None
    binders = node.items[0].binders
    if len(binders) != 1 or binders[0].kind != "some":
        return None
    (binder,) = binders
    return binder if isinstance(s.names[binder.slot], PackedCounts) and handful(w, binder.args[0], s) else None


def write_handful_choice(w: Writer, number: int, s: Scope, leaf: Leaf) -> bool:
    """The lines of such a decision; False for any other."""
    node, binder, line = w.program.decisions[number], handful_choice(w, number, s), w.source.line
    found = None if binder is None else handful(w, binder.args[0], s)
    name = None if binder is None else s.names[binder.slot]
    if binder is None or found is None or not isinstance(name, PackedCounts):
        return False
    w.source.at(node.site)
    counts, low, high, begin, n, k = map(w.source.fresh, ("counts", "low", "high", "begin", "n", "k"))
    over = TIED if w.program.outcome == "drawn" else SCORED
    asked = f"if (UNLIKELY(g->s.decisions >= MAX_DECISIONS)) capped(g, {over});"
    with w.source.block(""):
        before, text, first = found
        line(f"{before}const U {counts} = {text};")
        for limit, bound in zip((low, high), binder.args[1:], strict=True):
            line(f"const W {limit} = {w.released(partial(w.text, bound, s))};")
        line(f"const uint16_t *{begin} = NULL;")
        line(f"const W {n} = counted_ways(g, {counts}, {low}, {high}, &{begin}, {node.items[0].site});")
        with w.source.block(f"if (UNLIKELY({n} == 0))"):
            if node.ask == "anyway":
                line(asked)
                line("decided(g);")
            if node.otherwise >= 0:
                leaf(node.otherwise)
            else:
                line(f"fail(g, {node.site});")
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
