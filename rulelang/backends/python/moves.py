"""Moves of pieces of which some zones are kept as numbers, as lines of Python.

Enters: the parts of a statement that moves pieces. Leaves: lines that add and subtract numbers, or lines that let the
machine look how each zone is kept, where several sorts of zones may be meant.
"""

from __future__ import annotations

from rulelang.backends.facts import same
from rulelang.backends.interpreter.expressions import operands
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.handfuls import Handfuls
from rulelang.backends.python.scope import Scope
from rulelang.ir.nodes import Expr


def write_counted_move(w: Writer, what: Expr, to: Expr, top: bool, s: Scope, sure: bool) -> None:
    """The lines of `move`. `sure`: what is moved was found in its zone just before."""
    line = w.source.line
    if not what.type.startswith("set<"):
        line(f"move_one_kept(S, {w.text(what, s)}, {w.text(to, s)}, {top})")
        return
    kept = w.bare(what, s)
    target = w.table_of(to, s)
    if what.op == "pieces" and _moves_all(w, operands(what)[0], to, s):
        return
    if kept is None or kept.handfuls is None or target in (-1, kept.table) or not _takes_all(w, target):
        line(f"move_kept(S, {w.text(what, s)}, {w.text(to, s)}, {top})")
        return
    name = kept.name
    if not sure:
        name = w.source.fresh("moved")
        line(f"{name} = {w.source.common(kept.handfuls, f'c[{kept.zone}]', kept.name)}")
    with w.source.block(f"if {name}:"):
        line(f"c[{kept.zone}] -= {name}")
        _put(w, kept.handfuls, name, to, s)


def _takes_all(w: Writer, table: int) -> bool:
    """Whether the zones of a table are bags that are never full."""
    full = any(w.layout.inst_capacity[there] >= 0 for there in w.layout.zone_instances(table))
    return not full and not w.program.zones[table].pile


def _put(w: Writer, handfuls: Handfuls, number: str, to: Expr, s: Scope) -> None:
    """Lines that put what a number stands for into such a zone."""
    if w.held(to, s) is not None:
        w.source.line(f"c[{w.text(to, s)}] += {number}")
        return
    there = w.source.fresh("there")
    w.source.line(f"{there} = z[{w.text(to, s)}]")
    w.source.line(f"{there} += {w.source.unpacked(handfuls, number)}")
    w.source.line(f"{there}.sort()")


def _moves_all(w: Writer, source: Expr, to: Expr, s: Scope) -> bool:
    """Writes the move of everything from one bag to another that is never full, if it is that."""
    origin, target = w.table_of(source, s), w.table_of(to, s)
    if origin < 0 or target < 0 or origin == target or w.facts.may_hide(origin) or not _takes_all(w, target):
        return False
    if w.program.zones[origin].pile:
        return False
    here, handfuls = w.source.fresh("here"), w.held(source, s)
    if handfuls is not None:
        w.source.line(f"{here} = c[{w.text(source, s)}]")
        with w.source.block(f"if {here}:"):
            w.source.line(f"c[{w.text(source, s)}] = 0")
            _put(w, handfuls, here, to, s)
        return True
    handfuls = w.held(to, s)
    if handfuls is None:
        return False
    w.source.line(f"{here} = z[{w.text(source, s)}]")
    w.source.line(f"c[{w.text(to, s)}] += {w.source.packed(handfuls, here)}")
    w.source.line(f"{here}.clear()")
    return True


def write_counted_slots(w: Writer, origin: Expr, amount: Expr, to: Expr, top: bool, s: Scope) -> None:
    """The lines of `move_slots`."""
    line, handfuls, target = w.source.line, w.held(origin, s), w.table_of(to, s)
    all_of_it = amount.op == "size" and same(next(iter(operands(amount))), origin)
    full = target < 0 or any(w.layout.inst_capacity[there] >= 0 for there in w.layout.zone_instances(target))
    if handfuls is None or not all_of_it or full or target == w.table_of(origin, s):
        line(f"move_slots_kept(S, {w.text(origin, s)}, {w.text(amount, s)}, {w.text(to, s)}, {top})")
        return
    here = w.source.fresh("here")
    line(f"{here} = c[{w.text(origin, s)}]")
    with w.source.block(f"if {here}:"):
        line(f"c[{w.text(origin, s)}] = 0")
        line(f"S.fuel -= {w.source.size(handfuls, here)}")
        if not w.program.zones[target].pile:
            _put(w, handfuls, here, to, s)
        else:
            there, items = w.source.fresh("there"), w.source.unpacked(handfuls, here)
            line(f"{there} = z[{w.text(to, s)}]")
            line(f"{there} += {items}" if top else f"{there}[:0] = {items}[::-1]")
