"""What procedures and those that they call hold: statements of a sort, what not all see, blocks within each other.

Enters: the checked bodies. Leaves: sets of procedures, zones and variables, a number of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulelang.semantics.analysis.flow import leading_to, walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, own_expressions, subexpressions
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import BOOL
from rulelang.semantics.visibility.labelling import Walk


def leading(checked: Checked, bodies: Bodies, is_one: Callable[[CStatement], bool]) -> set[ProcedureSym]:
    """Return the procedures with a statement of a sort, directly or through calls."""
    inside = [(p, s) for p in checked.procedures for s in walk(bodies[p].statements)]
    calls = ((p, s.procedure) for p, s in inside if isinstance(s, core.CCall))
    return leading_to([p for p, s in inside if is_one(s)], calls)


def unseen_in(bodies: Bodies, sym: ProcedureSym) -> frozenset[ZoneSym | VariableSym]:
    """Return the zones and variables that not all see and that a procedure names, directly or through calls."""
    unseen, done, waiting = set[ZoneSym | VariableSym](), {sym}, [sym]
    while waiting:
        for part in _parts_of(bodies[waiting.pop()].statements):
            for arg in part.args:
                if isinstance(arg, ZoneSym | VariableSym) and not arg.view.public:
                    unseen.add(arg)
                if isinstance(arg, ProcedureSym) and arg not in done:
                    done.add(arg)
                    waiting.append(arg)
    return frozenset(unseen)


def _parts_of(statements: Sequence[CStatement]) -> Iterator[CExpr]:
    """Yield all expressions in statements, and each call as one."""
    for s in walk(statements):
        if isinstance(s, core.CCall):
            yield CExpr("call", BOOL, (s.procedure,))
        for expr in own_expressions(s):
            yield from subexpressions(expr)


def blocks_within(v: Walk, sym: ProcedureSym) -> int:
    """Return how many blocks of a procedure lie within each other."""

    def within(statements: Sequence[CStatement]) -> int:
        return 1 + max((within(part) for s in statements for part in s.inner()), default=0)

    if sym not in v.nested:
        v.nested[sym] = within(v.bodies[sym].statements)
    return v.nested[sym]
