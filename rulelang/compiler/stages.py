"""The stages from the checked tree to a verified program, in order."""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.compiler.fixpoints import may_wait, uncertain_zones
from rulelang.compiler.indices import Indices
from rulelang.compiler.procedures import Lowering, ProcedureLowering
from rulelang.compiler.scopes import scopes_of
from rulelang.compiler.tables import Tables
from rulelang.ir.complete import complete
from rulelang.ir.program import Program
from rulelang.ir.verify import verify
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.symbols import ProcedureSym


def compile_ruleset(
    analysed: Analysed, procedures: Sequence[ProcedureSym] | None = None, verified: Program | None = None
) -> Program:
    """Return the verified program of a checked ruleset: tables, procedures, liveness and effects.

    Args:
        procedures: those of the program, in order (those of scenarios behind the others); None for the ruleset's own.
        verified: the program of the ruleset alone, which was verified.
    """
    if procedures is None:
        procedures = analysed.checked.procedures
    scopes = scopes_of(analysed, procedures)
    indices = Indices(analysed.checked, procedures, tuple(scopes.levels.values()))
    uncertain = uncertain_zones(analysed, procedures)
    lowering = Lowering(analysed, indices, uncertain, may_wait(analysed, procedures, uncertain), scopes)
    lowered = tuple(ProcedureLowering(lowering, symbol).run() for symbol in procedures)
    program = Tables(indices, lowered, tuple(lowering.decisions)).program()
    program = complete(program, verified.procedures if verified is not None else ())
    verify(program, verified=verified, completed=True)
    return program
