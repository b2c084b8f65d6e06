"""Fills in what follows from the code: the live slots of blocks and the effects of procedures.

Enters: a program whose blocks have no `live` and whose procedures have no `effects` yet. Leaves: the same program
with both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rulelang.ir.effects import effects_of
from rulelang.ir.liveness import live_slots
from rulelang.ir.nodes import Effects, Procedure
from rulelang.ir.program import Program


def complete(program: Program, known: Sequence[Procedure] = ()) -> Program:
    """Return the program with `live` and `effects` computed; what was there before is replaced.

    Args:
        known: complete procedures that may be the first ones; if they all are they are taken.
    """
    first = program.procedures[: len(known)]
    if len(first) < len(known) or not all(map(_is_of, known, first)):
        known = ()
    procedures = [*known]
    effects_of_all = effects_of(program, [procedure.effects for procedure in known])
    for procedure, effects in [*zip(program.procedures, effects_of_all, strict=True)][len(known) :]:
        live = live_slots(procedure, program.decisions)
        blocks = tuple(
            replace(block, live=tuple(sorted(slots))) for block, slots in zip(procedure.blocks, live, strict=True)
        )
        procedures.append(replace(procedure, blocks=blocks, effects=effects))
    return replace(program, procedures=tuple(procedures))


def _is_of(complete_one: Procedure, procedure: Procedure) -> bool:
    """Return whether a procedure is the complete form of another."""
    blocks = tuple(replace(block, live=()) for block in complete_one.blocks)
    return replace(complete_one, blocks=blocks, effects=Effects()) == procedure
