"""What a statement and a procedure may write: variables, the pieces of a kind, who is out.

Enters: the checked procedures. Leaves: sets of what is written, and a count of how often each was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rulelang.records import record
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.rows import piece_kind
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, expressions, subexpressions
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym, VariableSym
from rulelang.semantics.tree.types import Type, ZoneT
from rulelang.vocabulary.operations import NAMED, STATEMENTS

Written = frozenset[object]
NOTHING: Written = frozenset()


def writes(s: CStatement) -> Written:
    """Return what a statement itself writes, without those inside it."""
    if isinstance(s, core.CDo):
        changes = STATEMENTS[s.op].reads
        named = s.args[:1] if s.op in NAMED else purses(s.args) if "purses" in changes else ()
        return frozenset((*named, *(("eliminate",) if "seats" in changes else ())))
    # What becomes known in a zone is what it was: nothing could read it before.
    kinds = (_kind(part.type) for name in s.writes if isinstance(part := getattr(s, name), CExpr))
    return frozenset(kind for kind in kinds if kind is not None)


def _kind(of: Type) -> str | None:
    """Return the kind of the pieces, or of those of the zone."""
    return of.kind if isinstance(of, ZoneT) else piece_kind(of)


@record
class Stamp:
    """When a part of the state was read: how often it had been written; None where a call begins."""

    of: object
    number: int | None


class Writes:
    """Which parts of the state each procedure may write, and how often each was written so far.

    A part is a variable, the name of a kind (where its pieces lie), or `eliminate`. What a procedure may write is the
    least fixed point over the call graph.
    """

    def __init__(self, checked: Checked, bodies: Bodies) -> None:
        self._writes_of: dict[ProcedureSym, Written] = {}
        self._versions: Counter[object] = Counter()
        called: dict[ProcedureSym, set[ProcedureSym]] = {}
        for procedure in checked.procedures:
            statements = [*walk(bodies[procedure].statements)]
            self._writes_of[procedure] = NOTHING.union(*map(writes, statements))
            called[procedure] = {s.procedure for s in statements if isinstance(s, core.CCall)}
        changed = True
        while changed:
            changed = False
            for procedure, calls in called.items():
                written = self._writes_of[procedure].union(*map(self.of, calls))
                if written != self._writes_of[procedure]:
                    self._writes_of[procedure] = written
                    changed = True

    def of(self, procedure: ProcedureSym) -> Written:
        """Return what a call may write."""
        return self._writes_of.get(procedure, NOTHING)

    def within(self, statements: Sequence[CStatement]) -> Written:
        """Return what statements may write, inner ones and calls included."""
        written: set[object] = set()
        for s in walk(statements):
            written |= writes(s)
            if isinstance(s, core.CCall):
                written |= self.of(s.procedure)
        return frozenset(written)

    # ---- versions

    def stamp(self, part: object) -> Stamp:
        """Return how often a part has been written so far; for None, how often any."""
        return Stamp(part, self._versions[part])

    def versions(self) -> Mapping[object, int]:
        """Return how often each part has been written so far."""
        return self._versions.copy()

    def bump(self, parts: Written) -> None:
        """Count one more write of each part."""
        self._versions.update(parts)
        self._versions[None] += len(parts)


def purses(args: Iterable[object]) -> list[VariableSym]:
    """Return the variables that purses name."""
    symbols = (arg for part in expressions(args) for each in subexpressions(part) for arg in each.args)
    return [arg for arg in symbols if isinstance(arg, VariableSym)]
