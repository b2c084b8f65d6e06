"""The stages from the checked tree to a verified program, in order."""

from __future__ import annotations

from rulelang.compiler.indices import Indices
from rulelang.compiler.procedures import Lowering, ProcedureLowering
from rulelang.compiler.tables import Tables
from rulelang.compiler.uncertain import may_wait, uncertain_zones
from rulelang.diagnostics import Diagnostics, RulesetError
from rulelang.ir.complete import complete
from rulelang.ir.program import Program
from rulelang.ir.verify import verify
from rulelang.semantics import core
from rulelang.semantics.flow import walk
from rulelang.semantics.symbols import Checked, ProcedureSym


def compile_ruleset(checked: Checked, more: tuple[ProcedureSym, ...] = ()) -> Program:
    """The program of a checked ruleset: tables, procedures, liveness and effects, verified.

    Args:
        more: further procedures that nothing in the ruleset calls (those of scenarios); their index in the program
            follows from the order.

    Raises:
        RulesetError: it uses what is checked but can't be played yet (`arrange`).
    """
    found = unplayed(checked)
    if found.has_errors:
        raise RulesetError(found)
    checked.procedures.extend(p for p in more if p not in checked.procedures)
    indices = Indices(checked)
    uncertain = uncertain_zones(checked)
    lowering = Lowering(indices, uncertain, may_wait(checked, uncertain))
    procedures = tuple(ProcedureLowering(lowering, symbol).run() for symbol in checked.procedures)
    program = Tables(indices, procedures, tuple(lowering.decisions)).program()
    program = complete(program)
    verify(program)
    return program


def unplayed(checked: Checked) -> Diagnostics:
    """What cannot be played: `arrange` has a meaning and is checked, but no backend plays it yet."""
    found = Diagnostics()
    for procedure in checked.procedures:
        for statement in walk(procedure.body.statements):
            if isinstance(statement, core.CDo) and statement.op == "arrange":
                message = "`arrange` is checked, but can't be played in this version"
                found.error("arrange-unplayed", message, statement.span, "group the pieces by single moves for now")
    return found
