"""Fills in what follows from the code: the live slots of blocks and the effects of procedures.

Enters: a program whose blocks have no `live` and whose procedures have no `effects` yet. Leaves: the same program
with both.
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.ir.effects import effects_of
from rulelang.ir.liveness import live_slots
from rulelang.ir.program import Program


def complete(program: Program) -> Program:
    """Return the program with `live` and `effects` computed; what was there before is replaced."""
    procedures = []
    for procedure, effects in zip(program.procedures, effects_of(program), strict=True):
        live = live_slots(procedure, program.decisions)
        blocks = tuple(
            replace(block, live=tuple(sorted(slots))) for block, slots in zip(procedure.blocks, live, strict=True)
        )
        procedures.append(replace(procedure, blocks=blocks, effects=effects))
    return replace(program, procedures=tuple(procedures))
