"""What a statement and a procedure may write: variables, the pieces of a kind, who is out.

Enters: the checked procedures. Leaves: sets of what is written, and a count of how often each was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.rows import piece_kind
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CStatement, expressions, subexpressions
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym, VariableSym
from rulelang.semantics.tree.types import ZoneT

Written = frozenset[object]
NOTHING: Written = frozenset()


def writes(s: CStatement) -> Written:
    """Return what a statement itself writes, without those inside it."""
    match s:
        case core.CDo(op="eliminate"):
            return frozenset(("eliminate",))
        case core.CDo(op="set_var" | "set_pvar"):
            return frozenset(s.args[:1])
        case core.CDo(op="spend"):
            return frozenset(purses(s.args))
        case core.CMove():
            return frozenset({piece_kind(s.what.type)} - {None})
        # What becomes known in a zone is what it was: nothing could read it before.
        case core.CDraw(pile=zone) | core.CShuffle(pile=zone):
            return frozenset((zone.type.kind,)) if isinstance(zone.type, ZoneT) else NOTHING
    return NOTHING


class Writes:
    """Which parts of the state each procedure may write, and how often each was written so far.

    A part is a variable, the name of a kind (where its pieces lie), or `eliminate`. What a procedure may write is the
    least fixed point over the call graph.
    """

    def __init__(self, checked: Checked, bodies: Bodies) -> None:
        self._writes_of: dict[ProcedureSym, Written] = dict.fromkeys(checked.procedures, NOTHING)
        self._versions: Counter[object] = Counter()
        changed = True
        while changed:
            changed = False
            for procedure in checked.procedures:
                written = self.within(bodies[procedure].statements)
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

    def version(self, part: object) -> int:
        """Return how often a part has been written so far; for None, how often any."""
        return self._versions[part]

    def bump(self, parts: Written) -> None:
        """Count one more write of each part."""
        self._versions.update(parts)
        self._versions[None] += len(parts)


def purses(args: Iterable[object]) -> list[VariableSym]:
    """Return the variables that purses name."""
    symbols = (arg for part in expressions(args) for each in subexpressions(part) for arg in each.args)
    return [arg for arg in symbols if isinstance(arg, VariableSym)]
