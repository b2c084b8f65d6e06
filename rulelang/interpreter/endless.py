"""Which loop a rule is in that asks nobody, when the fuel is used up.

Enters: a `Program` and the frames, the outermost first, each with the block that it is in. Leaves: the site of the head
of the outermost loop around them that cannot ask anybody, or of a rule among them that calls itself. A loop is a
strongly connected part of a procedure's blocks from which those that ask are taken away; it is found by reachability:
the blocks are few, and this runs once a game.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.diagnostics import FuelError
from rulelang.interpreter.expressions import OUT_OF_FUEL
from rulelang.ir.nodes import Block, CallProc, Choose
from rulelang.ir.program import Program
from rulelang.ir.walk import successors
from rulelang.runtime.bounds import fuel_error

LOOP = "this loop goes on and asks nobody"
CALLS = "this rule calls itself again and again and asks nobody"


def error_at_loop_head(program: Program, error: FuelError, frames: Sequence[tuple[int, int]]) -> FuelError:
    """Return the error, told of what goes on and asks nobody if the fuel was used up in such a thing."""
    endless = _endless(program, frames) if OUT_OF_FUEL in str(error) else None
    if endless is None:
        return error
    site, what = endless
    if what == CALLS and error.span.line != program.sites[site].line:
        return error  # in a loop, or by a set that grew
    return fuel_error(program, site, f"{what}: {OUT_OF_FUEL}")


def _endless(program: Program, frames: Sequence[tuple[int, int]]) -> tuple[int, str] | None:
    """Return the site of what goes on and asks nobody, and what it is; None if the frames are in nothing of the
    sort."""
    for procedure, block in frames:
        after = _blocks_without_decision(program, procedure, block)
        loop = [b for b in after if block in _blocks_without_decision(program, procedure, b)] if block in after else []
        if loop:
            return _loop_head(program, procedure, loop), LOOP
    called = [procedure for procedure, _ in frames]
    again = next((p for p in called if program.procedures[p].depth and p not in _may_ask(program)), None)
    return None if again is None else (program.procedures[again].site, CALLS)


def _loop_head(program: Program, procedure: int, loop: list[int]) -> int:
    """Return the site that stands first among those of a loop; the first block of a rule has that of the rule."""
    whole = program.procedures[procedure]
    sites = {whole.blocks[block].site for block in loop} - {whole.site} or {whole.site}
    return min(sites, key=lambda site: (program.sites[site].line, program.sites[site].column))


def _blocks_without_decision(program: Program, procedure: int, start: int) -> frozenset[int]:
    """Return the blocks that come after a block without anybody being asked."""
    blocks = program.procedures[procedure].blocks
    reached: set[int] = set()
    waiting = [start]
    while waiting:
        block = waiting.pop()
        new = set(_next(program, blocks[block])) - reached
        reached |= new
        waiting += new
    return frozenset(reached)


def _next(program: Program, block: Block) -> list[int]:
    """Return the blocks that may come next, if nobody is asked in this one."""
    end = block.terminator
    return [] if isinstance(end, CallProc) and end.procedure in _may_ask(program) else successors(end, ())


def _may_ask(program: Program) -> frozenset[int]:
    """Return the procedures that may ask somebody, themselves or by what they call."""
    calls = {
        number: {b.terminator.procedure for b in p.blocks if isinstance(b.terminator, CallProc)}
        for number, p in enumerate(program.procedures)
    }
    asking = {
        number for number, p in enumerate(program.procedures) if any(isinstance(b.terminator, Choose) for b in p.blocks)
    }
    while callers := {number for number, called in calls.items() if number not in asking and called & asking}:
        asking |= callers
    return frozenset(asking)
