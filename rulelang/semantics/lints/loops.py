"""A `while` whose condition nothing in it changes goes on for ever, once it is begun.

Enters: the facts of a ruleset. Leaves: findings `loop-unchanged`. What a condition reads is held against what the body
may write, each with all that it calls: variables, zones, and who is out. Where one of them is not certain, as where a
piece may lie, nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulelang.diagnostics import Diagnostics
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.writes import writes
from rulelang.semantics.lints.facts import Facts, zones_in
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, own_expressions, subexpressions
from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym, ZoneSym
from rulelang.vocabulary.operations import SOURCES, reading

WHEREVER = reading("whereabouts", "deferrals") | {"individual"}
"""Operations that read more than their operands name."""


def lint_loops(facts: Facts, diagnostics: Diagnostics) -> None:
    """Warn of each `while` that nothing in its body leaves, and in which nothing changes what its condition reads."""
    for procedure in facts.authored:
        for loop in walk(procedure.body.statements):
            if isinstance(loop, core.CLoop) and (condition := _condition(loop)) is not None:
                read = _read(facts, loop, condition)
                if read is not None and not _leaves(facts, loop) and not read & _written(facts, loop.body):
                    message = "nothing in this loop changes what its condition reads: once begun, it never ends"
                    hint = "change that in the loop, or leave it with `stop`"
                    diagnostics.warning("loop-unchanged", message, condition.span, hint)


def _condition(loop: core.CLoop) -> CExpr | None:
    """Return the condition of a `while`; None for a `repeat`, or where it holds always."""
    first = next((s for s in loop.body if not isinstance(s, core.CExpose)), None)
    is_while = isinstance(first, core.CIf) and any(
        isinstance(s, core.CBreak) and s.label == loop.label for s in first.otherwise
    )
    return first.condition if isinstance(first, core.CIf) and is_while and first.condition.op != "const" else None


def _statements(facts: Facts, body: Sequence[CStatement]) -> Iterator[CStatement]:
    """Yield the statements of a body and of all that it calls."""
    yield from walk(body)
    for procedure in facts.reached(s.procedure for s in walk(body) if isinstance(s, core.CCall)):
        yield from walk(facts.bodies[procedure].statements)


def _leaves(facts: Facts, loop: core.CLoop) -> bool:
    """Return whether a loop may be left by another way than its condition."""
    own = {s.label for s in walk(loop.body) if isinstance(s, core.CLoop | core.CFor)}
    ways = [s for s in walk(loop.body) if isinstance(s, core.CBreak) and s.label not in own]
    ends = any(isinstance(s, core.CEnd | core.CNever) for s in _statements(facts, loop.body))
    return len(ways) > 1 or ends or any(isinstance(s, core.CReturn) for s in walk(loop.body))


def _read(facts: Facts, loop: core.CLoop, condition: CExpr) -> set[object] | None:
    """Return the variables and zones that a condition reads; None where that is not certain."""
    called = {arg for part in subexpressions(condition) for arg in part.args if isinstance(arg, ProcedureSym)}
    bodies = [facts.bodies[procedure].statements for procedure in facts.reached(called)]
    whole = [condition, *(e for body in bodies for s in walk(body) for e in own_expressions(s))]
    bound = {getattr(s, "result", None) or getattr(s, "local", None) for s in walk(loop.body)}
    read: set[object] = {"eliminate"}
    for part in (part for e in whole for part in subexpressions(e)):
        for arg in part.args:
            if isinstance(arg, VariableSym) and arg.mark:
                return None
            if isinstance(arg, VariableSym | ZoneSym):
                read.add(arg)
            elif isinstance(arg, Local) and arg in bound and part in subexpressions(condition):
                return None
        if part.op in WHEREVER:
            return None
    return read


def _written(facts: Facts, body: Sequence[CStatement]) -> set[object]:
    """Return the variables and zones that a body may change, and `eliminate` if it may take players out."""
    written: set[object] = set()
    for s in _statements(facts, body):
        match s:
            case core.CMove():
                written |= _zones(facts, s.zone)
                written |= _zones(facts, s.what)
            case core.CDraw():
                written |= _zones(facts, s.pile) | _zones(facts, s.zone)
                refills = {zone.decl.refill for zone in zones_in(s.pile)}
                written |= {zone for zone in facts.checked.zones if zone.name in refills}
            case core.CShuffle():
                written |= _zones(facts, s.pile)
            case core.CChoose():
                written |= {binder.variable for item in s.items for binder in item.binders}
            case _:
                written |= writes(s)
    return written


def _zones(facts: Facts, e: CExpr) -> set[object]:
    """Return the zone that an expression of pieces or of a place names, all zones where it is not certain."""
    while e.op in SOURCES:
        e = e.args[SOURCES[e.op]]
    return set(e.args[:1] if e.op == "zone" else facts.checked.zones)
