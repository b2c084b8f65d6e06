"""What the procedures of scenarios add to what is known of those of the ruleset, when they are not compiled with them.

Enters: the checked procedures of scenarios. Leaves: `Others`, with which analyses of a whole program come to the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulelang.compiler.fixpoints import Move, transfers, uncertain_zones
from rulelang.compiler.scopes import scopes_of, with_sorts
from rulelang.semantics.tree.core import CCall, CDo, CStatement, own_expressions, subexpressions
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym, ZoneSym


@dataclass(frozen=True)
class Others:
    """What procedures do that are not compiled.

    Attributes:
        calls: what they call, with the sorts of the scopes around it. shuffled: zones that they shuffle.
        moves: from where to where they move what may be unknown.
    """

    calls: frozenset[tuple[ProcedureSym, tuple[str, ...]]] = frozenset()
    shuffled: frozenset[ZoneSym] = frozenset()
    moves: frozenset[Move] = frozenset()

    def __or__(self, other: Others) -> Others:
        """Return what both do."""
        return Others(self.calls | other.calls, self.shuffled | other.shuffled, self.moves | other.moves)

    def changes(self, analysed: Analysed) -> bool:
        """Return whether the ruleset's procedures would be compiled otherwise with them."""
        own = analysed.checked.procedures
        alone, both = scopes_of(analysed, own), scopes_of(analysed, own, self.calls)
        if (alone.openings, alone.loose, {*alone.levels}) != (both.openings, both.loose, {*both.levels}):
            return True
        return uncertain_zones(analysed, own) != uncertain_zones(analysed, own, self.shuffled, self.moves)


def others_of(analysed: Analysed, procedures: Sequence[ProcedureSym]) -> Others | None:
    """Return what procedures of scenarios do; None if it is more than `Others` tells, such as ending the game at the
    end of a round."""
    lines = [line for procedure in procedures for line in with_sorts(procedure.body.statements, ())]
    variables = {*analysed.checked.variables, *analysed.checked.piece_variables}
    if any(_does_more(statement, variables) for statement, _ in lines):
        return None
    shuffled, moves = transfers(analysed, procedures)
    calls = {(s.procedure, around) for s, around in lines if isinstance(s, CCall)}
    return Others(frozenset(calls), frozenset(shuffled), frozenset(moves))


def _does_more(statement: CStatement, variables: set[VariableSym]) -> bool:
    """Return whether a statement puts an end off, marks something, tries something, or has a table of its own."""
    if isinstance(statement, CDo):
        first = statement.args[0] if statement.args else None
        if statement.op == "defer" or (isinstance(first, VariableSym) and (first not in variables or first.mark)):
            return True
    return any(part.op == "possible" for e in own_expressions(statement) for part in subexpressions(e))
