"""Where a piece lies, and who may know that: one that was found in a zone lies there, one that is called by its name
anywhere; but where it was last seen to go.

Enters: what gives a piece, moves in the order of a walk. Leaves: facts in `Env.revealed` with keys
`("place", key of the piece, zones)`: in one of these zones it lies, and those of the label see where, if they know
which piece it is; labels of what tells where a piece lies; the zones out of which each procedure takes something.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.rows import piece_kind
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, expressions, subexpressions
from rulelang.semantics.tree.shared import zone_symbol
from rulelang.semantics.tree.symbols import Bodies, Checked, KindSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import CellT, PieceT, SetT
from rulelang.semantics.visibility.labelling import (
    LABELS,
    NOTES,
    Walk,
    fits,
    is_among,
    key_of,
    label_of,
    labels_of,
    rows_of,
    shown_to,
    sight,
)
from rulelang.semantics.visibility.labels import (
    HIDDEN,
    NOBODY,
    PUBLIC,
    Env,
    Key,
    Label,
    LocalLabel,
    Renaming,
    declassified,
    join,
)
from rulelang.semantics.visibility.lying import JOINING, NOWHERE, Zones, lying, with_callees
from rulelang.vocabulary.operations import SOURCES

DEEPEST = 8
KEPT = frozenset(("var", "pvar", "get_seat", "answer"))
"""Operations that give what was stored or answered before."""
"""So many functions within one another are looked into."""


def _elusive(v: Walk, name: str | None) -> KindSym | None:
    """Return a kind of pieces that may go where not all see them and still be the same; None for another."""
    kind = v.shared.kind(name) if name is not None else None
    return kind if kind is not None and kind.identity and any(not zone.view.public for zone in kind.zones) else None


def is_named(v: Walk, expr: CExpr, env: Env, depth: int = 0) -> bool:
    """Return whether an expression may give a piece by its name, or one that a variable holds, wherever that lies."""
    match expr:
        case CExpr(op="individual"):
            return True
        case CExpr(op=op) if op in KEPT:
            return piece_kind(expr.type) is not None
        case CExpr(op="local", args=(Local() as local,)):
            return local in env.locals and env.locals[local].named
        case CExpr(op="map" | "flatten", args=(Local(), CExpr() as collection, CExpr() as body)):
            return is_named(v, body, env, depth) or is_named(v, collection, env, depth)
        case CExpr(op="call", args=(ProcedureSym() as sym, *arguments)):
            given = [is_named(v, argument, env, depth) for argument in expressions(arguments)]
            inner = Env(
                {p: LocalLabel(PUBLIC, NOBODY, named=n) for p, n in zip(v.bodies[sym].parameters, given, strict=False)}
            )
            values = [s.value for s in walk(v.bodies[sym].statements) if isinstance(s, core.CReturn)]
            return any(
                value is not None and depth < DEEPEST and is_named(v, value, inner, depth + 1) for value in values
            )
        case CExpr(op=op) if op in SOURCES:
            return is_named(v, expr.args[SOURCES[op]], env, depth)
        case CExpr(op=op) if op in JOINING or op in ("if", "relocate"):
            return any(is_named(v, part, env, depth) for part in expressions(expr.args)[expr.op == "if" :])
    return False


def facts_of(env: Env, piece: Key) -> Iterator[tuple[Zones, Label]]:
    """Yield where the piece with a key lies, each with who sees that."""
    for key, seen in env.revealed.items():
        seats: list[Key] = []
        match key:
            case ("place", of, frozenset() as zones) if of == piece:
                yield zones, seen
            case ("each", Label() as owners, ("place", tuple() as pattern, frozenset() as zones)):
                if fits(pattern, piece, seats) and len(set(seats)) == 1 and is_among(env, seats[0], owners):
                    yield zones, seen


def whereabouts(v: Walk, piece: CExpr, zones: Iterable[ZoneSym], env: Env) -> Label:
    """Return who may know which piece it is, and where in some zones it lies: what finds a piece tells both."""
    label, kind = label_of(v, piece, env), _elusive(v, piece_kind(piece.type))
    while piece.op == "cast" and isinstance(piece.args[0], CExpr):
        piece = piece.args[0]
    if kind is None:
        return label
    known = [seen for _, seen in facts_of(env, key_of(v, piece, env))]
    if not known and not is_named(v, piece, env):
        return label
    sees_all = PUBLIC
    for zone in zones:
        # A piece of a seat lies with that seat, where the zone has owners.
        owner = piece.args[2:] if piece.op == "individual" and zone.owned else ()
        whole = CExpr("family", SetT(PieceT(zone.kind)), (zone, *owner), piece.span)
        shown = PUBLIC if zone.view.public else shown_to(v, whole, sight(v, zone, whole, env), env)
        sees_all = join(sees_all, shown)
    return join(label, reduce(declassified, known, sees_all))


# ---- facts


def note_found(v: Walk, local: Local, source: CExpr, env: Env) -> None:
    """Record of a local that gets pieces where they lie, and whether they are called by name; where those lay that it
    held before is nothing."""
    known = env.locals[local] = replace(env.locals[local], zones=lying(source, env, v.has_identity))
    for old in [fact for fact in env.revealed if fact[:2] == ("place", ("local", id(local)))]:
        del env.revealed[old]
    if _elusive(v, piece_kind(source.type)) is not None:
        env.locals[local] = replace(known, named=is_named(v, source, env))


def note_gone(v: Walk, s: CStatement, env: Env, path: Label) -> None:
    """Follow a move: where pieces lie that may have moved those know who see where these came; and so of what moved."""
    if not isinstance(s, core.CMove | core.CDraw) or v.read is not None:
        return
    kind = _elusive(v, _kind_of(s.zone))
    if kind is None:
        return
    sym = zone_symbol(s.zone)
    target = frozenset((sym,)) if sym is not None else frozenset(kind.zones)
    sources = _taken(v.shared.checked, v.sources, s)
    seen = join(path, labels_of(v, s.zone.args, env))
    seen = join(seen, sight(v, sym, s.zone, env)) if sym is not None else HIDDEN
    for key, known in list(env.revealed.items()):
        place = key[2] if key[0] == "each" else key
        match place:
            case ("place", of, frozenset() as zones) if zones & sources:
                del env.revealed[key]
                new = ("place", of, zones | target)
                env.revealed[("each", key[1], new) if key[0] == "each" else new] = join(known, seen)
    if isinstance(s, core.CMove) and s.what.op in ("local", "individual"):
        of = key_of(v, s.what, env)
        for key in [fact for fact in env.revealed if fact[:2] == ("place", of)]:
            del env.revealed[key]
        env.revealed["place", of, target] = seen


def _kind_of(zone: CExpr) -> str:
    """Return the kind of the pieces that a zone holds."""
    return getattr(zone.type, "kind", "")


def _taken(checked: Checked, sources: Sources, s: CStatement) -> Zones:
    """Return the zones out of which a statement may move something."""
    match s:
        case core.CMove(what=what):
            return sources.zones(what) or _all_of(checked, piece_kind(what.type))
        case core.CDraw(pile=pile):
            sym, of = zone_symbol(pile), _all_of(checked, _kind_of(pile))
            return of if sym is None else frozenset(z for z in of if z is sym or z.name == sym.decl.refill)
    return NOWHERE


# ---- calls


def places_passed(v: Walk, args: Sequence[CExpr], env: Env, names: Renaming) -> dict[Key, Label]:
    """Return what is known of where the pieces lie that a call is given, in the callee's keys."""
    return {
        ("place", ("value", number), zones): names.label(seen)
        for number, arg in enumerate(args)
        if _elusive(v, piece_kind(arg.type)) is not None
        for zones, seen in facts_of(env, key_of(v, arg, env))
    }


def zones_in(key: Key) -> Zones:
    """Return the zones of a fact about where a piece lies; none of another fact."""
    match key[2] if key[0] == "each" else key:
        case ("place", _, frozenset() as zones):
            return zones
    return NOWHERE


def after_call(
    caller: Env, given: Mapping[Key, Label], shown: Mapping[Key, Label], names: Renaming, taken: Zones
) -> None:
    """Take for unknown where pieces lie that a call may have moved unseen."""
    for key in list(caller.revealed):
        zones = zones_in(key)
        if zones and ((inner not in shown) if (inner := names.key_in(key)) in given else zones & taken):
            caller.revealed[key] = replace(HIDDEN, why=taken)


def taken_from(checked: Checked, bodies: Bodies, sources: Sources) -> Mapping[ProcedureSym, Zones]:
    """Return the zones out of which each procedure may move something to where not all see it, directly or through
    calls."""
    return with_callees(checked, bodies, lambda s: _taken(checked, sources, s) if _hides(s) else NOWHERE)


def _hides(s: CStatement) -> bool:
    """Return whether a statement may move something to where not all see it."""
    zone = zone_symbol(s.zone) if isinstance(s, core.CMove | core.CDraw) else None
    return isinstance(s, core.CMove | core.CDraw) and (zone is None or not zone.view.public)


def _all_of(checked: Checked, kind: str | None) -> Zones:
    """Return all zones of a kind."""
    return frozenset(zone for zone in checked.zones if zone.kind == kind)


class Sources:
    """What locals are made from, parameters from all arguments that they are given."""

    def __init__(self, checked: Checked, bodies: Bodies) -> None:
        self._of: dict[Local, list[CExpr]] = {}
        for procedure in checked.procedures:
            for s in walk(bodies[procedure].statements):
                match s:
                    case core.CFor(local=local, collection=source) | core.CSet(local=local, value=source):
                        self._add(local, source)
                    case core.CRandom(result=local):
                        self._add(local, s.args[0])
                    case core.CChoose(items=items):
                        for binder in (binder for item in items for binder in item.binders):
                            self._add(binder.local, binder.args[0])
                    case core.CCall(procedure=called, arguments=arguments):
                        for local, argument in zip(bodies[called].parameters, arguments, strict=False):
                            self._add(local, argument)

    def _add(self, local: Local, source: CExpr) -> None:
        self._of.setdefault(local, []).append(source)

    def zones(self, expr: CExpr) -> Zones | None:
        """Return the zones in which an expression finds pieces; None where it has some by name, from variables or
        from functions."""
        found, sure = self._zones(expr)
        return found if sure and found else None

    def named(self, expr: CExpr) -> Zones:
        """Return the zones that an expression names, and what its locals are made from."""
        return self._zones(expr)[0]

    def _zones(self, expr: CExpr) -> tuple[Zones, bool]:
        """Return the zones that an expression names, and whether its pieces are surely found there."""
        found: set[ZoneSym] = set()
        waiting, done, sure = [expr], set[Local](), True
        while waiting:
            for part in subexpressions(waiting.pop()):
                sure = sure and part.op not in ("individual", "call")
                sure = sure and not (part.op in KEPT and (part.op != "var" or isinstance(part.type, PieceT)))
                found |= {arg for arg in part.args if isinstance(arg, ZoneSym)}
                found |= {zone for arg in part.args if isinstance(arg, KindSym) for zone in arg.active}
                for local in (arg for arg in part.args if isinstance(arg, Local) and arg not in done):
                    done.add(local)
                    waiting += self._of.get(local, ())
        return frozenset(found), sure


def written_unseen(checked: Checked, bodies: Bodies, sources: Sources) -> frozenset[VariableSym]:
    """Return the variables that are written of pieces that were found where not all see them."""
    written = (
        s.args[:2]
        for procedure in checked.procedures
        for s in walk(bodies[procedure].statements)
        if isinstance(s, core.CDo) and s.op == "set_pvar"
    )
    return frozenset(
        sym
        for sym, piece in written
        if isinstance(sym, VariableSym)
        and isinstance(piece, CExpr)
        and any(not zone.view.public for zone in sources.named(piece))
    )


# ---- operations


def _label_of_cell(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know the cell where a piece stands."""
    grid, piece = expr.args
    zones = _zones_of(v, piece)
    boards = [zone for zone in zones if any(isinstance(t, CellT) and t.grid == grid.name for t in zone.per)]
    return whereabouts(v, piece, boards, env)


def _label_of_owner(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know the owner of a piece: of one that belongs to a seat by declaration, who knows which it is."""
    (piece,) = expr.args
    rows = rows_of(v, piece, env) or v.shared.kind(piece_kind(piece.type) or "").definitions
    declared = all(row.decl.per_player for row in rows)
    return label_of(v, piece, env) if declared else whereabouts(v, piece, _zones_of(v, piece), env)


def _label_of_piece_variable(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know a variable of a piece, which where not all see it may be written unseen."""
    sym, piece = expr.args
    return whereabouts(v, piece, _zones_of(v, piece), env) if sym in v.dark else label_of(v, piece, env)


def _zones_of(v: Walk, piece: CExpr) -> list[ZoneSym]:
    """Return the zones in which a piece may lie."""
    name = piece_kind(piece.type)
    return v.shared.kind(name).zones if name is not None else []


LABELS |= {"cell_of": _label_of_cell, "pvar": _label_of_piece_variable, "owner": _label_of_owner}
NOTES.append(note_found)
