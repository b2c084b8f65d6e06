"""Where pieces can lie that nobody knows, and which procedures may wait: two small fixpoints over the checked tree."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rulelang.semantics.analysis.flow import leading_to, walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import ALWAYS, UNSEEN, CStatement
from rulelang.semantics.tree.shared import Analysed, zone_symbol
from rulelang.semantics.tree.symbols import Checked, ProcedureSym, ZoneSym

Move = tuple[ZoneSym, ZoneSym]
"""From where to where something is moved."""


def uncertain_zones(
    analysed: Analysed,
    procedures: Sequence[ProcedureSym],
    shuffled: Collection[ZoneSym] = (),
    moves: Collection[Move] = (),
) -> set[ZoneSym]:
    """Return the zones that may hold unknown pieces: shuffled ones, and unseen ones that unknown pieces can be moved
    to. `shuffled`, `moves`: what procedures beside these do (see `transfers`)."""
    uncertain, own_moves = transfers(analysed, procedures)
    reached = ((b, a) for a, b in (*own_moves, *moves) if b.unseen)
    return leading_to(uncertain.union(shuffled), reached)


def transfers(analysed: Analysed, procedures: Sequence[ProcedureSym]) -> tuple[set[ZoneSym], list[Move]]:
    """Return the zones that procedures shuffle, and the moves by which what is unknown goes elsewhere."""
    uncertain: set[ZoneSym] = set()
    moves: list[Move] = []
    for procedure in procedures:
        for s in walk(analysed.bodies[procedure].statements):
            if isinstance(s, core.CShuffle) and (sym := zone_symbol(s.pile)):
                uncertain.add(sym)
            if isinstance(s, core.CDraw) and (a := zone_symbol(s.pile)) and (b := zone_symbol(s.zone)):
                moves.append((a, b))
                if s.refill and a.decl.refill is not None:
                    uncertain.add(a)
                    moves += [(z, a) for z in analysed.checked.zones if z.name == a.decl.refill]
    return uncertain, moves


def may_wait(analysed: Analysed, procedures: Sequence[ProcedureSym], uncertain: set[ZoneSym]) -> set[ProcedureSym]:
    """Return the procedures that may suspend or end the game: they need frames."""
    waiting: set[ProcedureSym] = set()
    calls: list[tuple[ProcedureSym, ProcedureSym]] = []
    for procedure in procedures:
        for s in walk(analysed.bodies[procedure].statements):
            if isinstance(s, core.CCall):
                calls.append((procedure, s.procedure))
            if s.waits == ALWAYS or (s.waits == UNSEEN and _may_expose(analysed.checked, s, uncertain)):
                waiting.add(procedure)
    return leading_to(waiting, calls)


def _may_expose(checked: Checked, s: CStatement, uncertain: set[ZoneSym]) -> bool:
    """Return whether a piece that nobody knows may come up in a statement."""
    match s:
        case core.CDraw(pile=zone) | core.CShuffle(pile=zone):
            return (sym := zone_symbol(zone)) is None or any(z.kind == sym.kind for z in uncertain)
        case core.CExpose(zone=zone):
            return (sym := zone_symbol(zone)) is None or sym in uncertain
        case core.CMove(zone=zone):
            return bool(shown_tops(checked, uncertain, zone))
    raise AssertionError(s)


def shown_tops(checked: Checked, uncertain: set[ZoneSym], zone: core.CExpr) -> list[ZoneSym]:
    """Return the piles of the same kind whose top is seen and whose next piece may be unknown."""
    sym = zone_symbol(zone)
    if sym is None:
        return []
    return [z for z in checked.kinds[sym.kind].zones if z.view.top and z in uncertain]
