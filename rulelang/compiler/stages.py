"""The stages from the checked tree to a verified program, in order."""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.compiler.indices import Indices
from rulelang.compiler.procedures import Lowering, ProcedureLowering
from rulelang.compiler.tables import Tables
from rulelang.compiler.uncertain import may_wait, uncertain_zones
from rulelang.ir.complete import complete
from rulelang.ir.nodes import Procedure
from rulelang.ir.program import Program
from rulelang.ir.verify import verify
from rulelang.semantics.symbols import Checked, ProcedureSym


def compile_ruleset(
    checked: Checked, more: tuple[ProcedureSym, ...] = (), verified: Sequence[Procedure] = ()
) -> Program:
    """Return the verified program of a checked ruleset: tables, procedures, liveness and effects.

    Args:
        more: further procedures that nothing in the ruleset calls (those of scenarios); their index in the program
            follows from the order.
        verified: the procedures of the program of the ruleset alone, which was verified.
    """
    known = set(checked.procedures)
    checked.procedures.extend(p for p in more if p not in known)
    indices = Indices(checked)
    uncertain = uncertain_zones(checked)
    lowering = Lowering(indices, uncertain, may_wait(checked, uncertain))
    procedures = tuple(ProcedureLowering(lowering, symbol).run() for symbol in checked.procedures)
    program = Tables(indices, procedures, tuple(lowering.decisions)).program()
    program = complete(program)
    verify(program, verified=verified)
    return program
