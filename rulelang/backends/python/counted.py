"""Which zones are kept as one number while a random game is played: bags of which every rule can be written so.

Enters: what is known of a program bound to a layout. Leaves: the tables of such zones. A number says how many pieces
of each item lie in the zone (`handfuls`); all that asks for the zone by another way than those in READ and CHANGED, or
may hand it to something that does not know the table, keeps the whole table as lists, and so does what is left to the
interpreter, which knows lists alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.backends.facts import SMALL
from rulelang.backends.interpreter.expressions import UNKNOWN
from rulelang.backends.python.chance import written_out as chance_written_out
from rulelang.backends.python.decisions import written_out as decision_written_out
from rulelang.backends.python.expressions import WRITERS, Writer
from rulelang.backends.python.handfuls import BITS
from rulelang.backends.python.scope import Scope
from rulelang.backends.python.statements import STATEMENTS
from rulelang.ir.nodes import Chance, Choose, Expr, Procedure
from rulelang.ir.walk import block_expressions, children, index, subexpressions

READ = frozenset(("pieces", "size", "top", "bottom", "tops", "bottoms", "in_zone", "relocate"))
"""Expressions that may ask for such a zone."""
CHANGED = frozenset(("move", "move_slots"))
"""Statements that may change it."""


def counted_tables(w: Writer) -> frozenset[int]:
    """The tables of zones that are kept as numbers."""
    program, layout = w.program, w.layout
    if w.looks_ahead or not _all_written(w):
        return frozenset()
    found = set()
    for table, zone in enumerate(program.zones):
        items = layout.kind_items[zone.kind]
        if zone.pile or program.kinds[zone.kind].identity or w.facts.may_hide(table):
            continue
        if any(layout.inst_capacity[there] >= 0 for there in layout.zone_instances(table)):
            continue
        copies = [layout.copies[item] for item in items]
        if sum(copies) <= SMALL and 0 < sum(map(int.bit_length, copies)) <= BITS:
            found.add(table)
    for number, procedure in enumerate(program.procedures):
        found -= set(_otherwise(w, number, procedure))
    return frozenset(found)


def _all_written(w: Writer) -> bool:
    """Whether nothing is left to the interpreter while a random game is played."""
    for number, procedure in enumerate(w.program.procedures):
        for block in procedure.blocks:
            if any(node.op not in STATEMENTS for node in block.statements):
                return False
            for outer in block_expressions(block, w.program.decisions):
                if not all(_written(w, part) for part in _read(w, outer)):
                    return False
            terminator = block.terminator
            if isinstance(terminator, Choose):
                if not decision_written_out(w, w.program.decisions[terminator.decision]):
                    return False
            elif isinstance(terminator, Chance) and not chance_written_out(w, terminator, Scope(number)):
                return False
    return True


def _written(w: Writer, expr: Expr) -> bool:
    """Whether an operation is written out."""
    if expr.op == "lookup":
        _, *pairs = children(expr)
        return not any(w.compiler.known(pair) is UNKNOWN for pair in pairs)
    return expr.op in WRITERS


def _read(w: Writer, expr: Expr) -> Iterator[Expr]:
    """The expression and everything under it that is not a constant."""
    if w.compiler.known(expr) is UNKNOWN:
        yield expr
        for part in children(expr):
            yield from _read(w, part)


def _otherwise(w: Writer, number: int, procedure: Procedure) -> Iterator[int]:
    """The tables of zones that a procedure asks for in another way."""
    decisions = w.program.decisions
    for block in procedure.blocks:
        in_statements = [outer for node in block.statements for outer in children(node)]
        for node in block.statements:
            for place in children(node):
                table = w.facts.zone_table(number, place)
                kept = node.op == "set" and w.facts.zone_table(number, Expr("local", "zone", (index(node),))) == table
                if table >= 0 and not kept and node.op not in CHANGED:
                    yield table
        for outer in block_expressions(block, decisions):
            if not any(outer is other for other in in_statements):
                yield from _tables(w, number, [outer])
            for part in subexpressions(outer):
                if part.op == "family":
                    yield index(part)
                elif part.op == "active":
                    yield from w.program.kinds[index(part)].active
                elif part.op not in READ:
                    yield from _tables(w, number, list(children(part)))


def _tables(w: Writer, procedure: int, places: list[Expr]) -> Iterator[int]:
    """The tables of those of the expressions that are zones."""
    for place in places:
        table = w.facts.zone_table(procedure, place)
        if table >= 0:
            yield table
