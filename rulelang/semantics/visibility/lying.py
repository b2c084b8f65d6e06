"""In which zones the pieces in locals can lie.

Enters: expressions, moves in the order of a walk. Leaves: `LocalLabel.zones`, to which a move adds its target where one
of these pieces may be among those that move; the moves of each procedure, those of calls included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions
from rulelang.semantics.tree.shared import zone_symbol
from rulelang.semantics.tree.symbols import Bodies, Checked, KindSym, ProcedureSym, ZoneSym
from rulelang.semantics.tree.types import PieceT
from rulelang.semantics.visibility.labels import NOBODY, PUBLIC, Env, LocalLabel
from rulelang.vocabulary.operations import SOURCES, having

Zones = frozenset[ZoneSym]
Move = tuple[Zones, Zones]
"""Out of which zones something may move, and into which."""
NOWHERE: Zones = frozenset()
IDENTIFYING = having("equates") | (having("membership") - {"is_def"})
"""Operations that say whether two values are the same, or one is among others."""
JOINING = frozenset(("list", "otherwise", "union"))
"""Operations whose pieces are those of all operands, or of one of them."""
CARRYING = {**SOURCES, "relocate": 1, "reaction": 1, "reaction_piece": 0}
"""For each operation whose pieces lie where those of an operand lie, or in the zone that it is, the place of that."""
T = TypeVar("T")


def lying(expr: CExpr, env: Env, has_identity: Callable[[str], bool] = lambda _: False) -> Zones | None:
    """Return the zones in which the pieces of an expression, of reactions, or in a zone, lie; None where that is not
    known.

    Args:
        has_identity: whether the pieces of a kind have identity.
    """
    match expr:
        case CExpr(op="zone" | "family", args=(ZoneSym() as zone, *_)):
            return frozenset((zone,))
        case CExpr(op="active", args=(KindSym() as kind, *_)):
            return frozenset(kind.active)
        case CExpr(op="const"):
            return NOWHERE  # it is none
        case CExpr(op="local", args=(Local() as local,)) if local in env.locals:
            return env.locals[local].zones
        case CExpr(op="map", args=(Local() as element, CExpr() as source, CExpr() as body)):
            known = LocalLabel(PUBLIC, NOBODY, zones=lying(source, env, has_identity))
            return lying(body, Env({**env.locals, element: known}), has_identity)
        case CExpr(op="if", args=(CExpr() as condition, *sides)):
            sure = truth(condition, env, has_identity)
            parts: Sequence[object] = sides if sure is None else sides[not sure :][:1]
        case CExpr(op=op) if op in JOINING:
            parts = expr.args
        case CExpr(op=op) if op in CARRYING:
            parts = (expr.args[CARRYING[op]],)
        case _:
            return None
    every = [lying(part, env, has_identity) for part in expressions(parts)]
    return NOWHERE.union(*(zones for zones in every if zones is not None)) if None not in every else None


def truth(condition: CExpr, env: Env, has_identity: Callable[[str], bool]) -> bool | None:
    """Return whether a condition surely holds or fails by what locals hold and where pieces lie; None if that is not
    known."""
    args = expressions(condition.args)
    match condition:
        case CExpr(op="local", args=(Local() as local,)):
            return env.locals[local].truth if local in env.locals else None
        case CExpr(op="not"):
            inner = truth(args[0], env, has_identity)
            return None if inner is None else not inner
        case CExpr(op="and" | "or" as op):
            sides = [truth(arg, env, has_identity) for arg in args]
            return (op == "or") if (op == "or") in sides else None if None in sides else op == "and"
        case CExpr(op=op) if op in IDENTIFYING and (kinds := [t.kind for a in args if isinstance(t := a.type, PieceT)]):
            # Pieces without identity are the same as those that are alike; one in a set is the one that lies there.
            known = [lying(arg, env, has_identity) for arg in args] if op == "member" or has_identity(kinds[0]) else []
            zones = [some for some in known if some is not None]
            return False if zones and len(zones) == len(known) and not frozenset.intersection(*zones) else None
    return None


# ---- moves


def move_of(checked: Checked, s: CStatement, env: Env) -> Move | None:
    """Return out of which zones a statement may move something, and into which; None if it moves nothing."""
    if not isinstance(s, core.CMove | core.CDraw):
        return None
    pieces = s.what if isinstance(s, core.CMove) else s.pile
    of_kind = frozenset(zone for zone in checked.zones if zone.kind == getattr(s.zone.type, "kind", ""))
    sources, target = lying(pieces, env), zone_symbol(s.zone)
    targets = of_kind if target is None else frozenset((target,))
    if isinstance(s, core.CDraw) and sources is not None:
        refills = {zone.decl.refill for zone in sources}
        if more := {zone for zone in of_kind if zone.name in refills}:
            sources, targets = sources | more, targets | sources
    return of_kind if sources is None else sources, targets


def note_moves(moves: Iterable[Move], env: Env) -> None:
    """Add to the zones in which pieces in locals can lie those into which they may have been moved, in any order."""
    moves = [move for move in moves if move[0] != move[1]]
    for local, known in env.locals.items() if moves else ():
        zones = known.zones
        while zones is not None and (more := zones.union(*(into for out, into in moves if out & zones))) != zones:
            zones = more
        if zones != known.zones:
            env.locals[local] = replace(known, zones=zones)


def note_loop(moves: Iterable[Move], body: Sequence[CStatement], env: Env, has_identity: Callable[[str], bool]) -> None:
    """Add what a loop may have done in another round: where it moves pieces, and what it sets locals to."""
    note_moves(moves, env)
    writers = [(s, local) for s in walk(body) for local in s.bound() if local in env.locals]
    while True:
        before = dict(env.locals)
        for s, local in writers:
            known = env.locals[local]
            more = lying(s.value, env, has_identity) if isinstance(s, core.CSet) else None
            zones = None if known.zones is None or more is None else known.zones | more
            if zones != known.zones or known.truth is not None:
                env.locals[local] = replace(known, zones=zones, truth=None)
        if env.locals == before:
            break


def moves_within(
    checked: Checked, statements: Sequence[CStatement], of: Mapping[ProcedureSym, frozenset[Move]]
) -> set[Move]:
    """Return what statements may move, calls included."""
    inside = list(walk(statements))
    moves = {move for s in inside if (move := move_of(checked, s, Env())) is not None}
    return moves.union(*(of[s.procedure] for s in inside if isinstance(s, core.CCall)))


def moves_of(checked: Checked, bodies: Bodies) -> Mapping[ProcedureSym, frozenset[Move]]:
    """Return what each procedure may move, directly or through calls."""

    def own(s: CStatement) -> frozenset[Move]:
        """Return what a statement moves itself."""
        move = move_of(checked, s, Env())
        return frozenset((move,)) if move is not None else frozenset()

    return with_callees(checked, bodies, own)


def with_callees(
    checked: Checked, bodies: Bodies, own: Callable[[CStatement], frozenset[T]]
) -> Mapping[ProcedureSym, frozenset[T]]:
    """Return for each procedure what its statements have, and those of the procedures that it calls."""
    result: dict[ProcedureSym, frozenset[T]] = {}
    calls: dict[ProcedureSym, set[ProcedureSym]] = {}
    for procedure in checked.procedures:
        inside = list(walk(bodies[procedure].statements))
        calls[procedure] = {s.procedure for s in inside if isinstance(s, core.CCall)}
        result[procedure] = frozenset[T]().union(*map(own, inside))
    changed = True
    while changed:
        changed = False
        for procedure, callees in calls.items():
            more = result[procedure].union(*(result.get(callee, frozenset[T]()) for callee in callees))
            changed |= more != result[procedure]
            result[procedure] = more
    return result
