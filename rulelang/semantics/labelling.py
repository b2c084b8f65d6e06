"""Who may know the value of an expression: a table from each operation to how its label is made.

Enters: expressions of the checked tree, and what is known where they stand. Leaves: their labels, and keys that name
their values. What is no row of `LABELS` is known to those who know all its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from rulelang.diagnostics import Span
from rulelang.semantics.base import Shared
from rulelang.semantics.core import CExpr, Local, expressions
from rulelang.semantics.labels import (
    HIDDEN,
    PUBLIC,
    Env,
    Key,
    Known,
    Label,
    all_but,
    join,
    locals_of,
    only,
)
from rulelang.semantics.rows import RowFinder, Rows, piece_kind
from rulelang.semantics.symbols import Bodies, ProcedureSym, Secrets, VariableSym, ZoneSym
from rulelang.semantics.types import PLAYER, PlayerT
from rulelang.semantics.writes import Writes

APART = ("others", "opponents", "teammates", "players_after")
CONTENTS = ("pieces", "top", "bottom", "tops", "bottoms", "in_zone")
# What is read of who is still in, and what may change with anything that is written.
SEATING = frozenset((*APART, *"players parties players_from next_player previous_player".split()))
UNSTABLE = frozenset(
    "owner zone_of cell_of pvar purses_of family active call possible can_pay payments holdings".split()
)


@dataclass
class Walk:
    """What a walk through the game knows besides the `Env` of a call."""

    shared: Shared
    bodies: Bodies
    revealing: set[ProcedureSym]
    guards: Mapping[ProcedureSym, ProcedureSym]
    writes: Writes
    rows: RowFinder
    pieces: dict[int, tuple[CExpr, frozenset[Local]]] = field(default_factory=dict)
    seen: dict[tuple[object, ...], Label] = field(default_factory=dict)  # the labels of the results of calls
    active: set[tuple[object, ...]] = field(default_factory=set)  # calls that are walked
    calls: int = 0
    read: Label | None = None  # inside a `possible`: who may know everything that was read so far
    reported: Span | None = None  # what was found wrong with the present decision
    secrets: Secrets = field(default_factory=Secrets)
    causes: frozenset[object] = frozenset()  # what decisions were found to depend on: what follows from it too


# ---- keys


def key_of(v: Walk, expr: CExpr, env: Env, bound: dict[Local, Key] | None = None) -> Key:
    """Return a name for the value of an expression, equal only for equal values. What an expression binds itself goes
    by how deep it is bound, so that two that differ in such names only are one."""
    bound = bound or {}
    if expr.op == "local" and isinstance(expr.args[0], Local):
        if expr.args[0] in bound:
            return bound[expr.args[0]]
        known = env.locals.get(expr.args[0])
        return known.key if known is not None else ("local", id(expr.args[0]))
    if expr.op == "cast" and isinstance(expr.args[0], CExpr):
        return key_of(v, expr.args[0], env, bound)
    binds = [arg for arg in expr.args if isinstance(arg, Local)]
    inner = bound | {local: ("bound", len(bound) + number) for number, local in enumerate(binds)}
    parts = (
        key_of(v, arg, env, inner) if isinstance(arg, CExpr) else inner[arg] if isinstance(arg, Local) else arg
        for arg in expr.args
    )
    return (expr.op, *parts, *_stamp(v, expr))


def _stamp(v: Walk, expr: CExpr) -> tuple[int, ...]:
    """Return when the state that an operation reads was last changed."""
    if expr.op in ("var", "purse"):
        return (v.writes.version(expr.args[0]),)
    if expr.op in CONTENTS or expr.op == "size":
        sym = _zone(_zone_read(expr))
        return (v.writes.version(sym.kind if sym is not None else None),)
    if expr.op in SEATING:
        return (v.writes.version("eliminate"),)
    return (v.writes.version(None),) if expr.op in UNSTABLE else ()


def _zone_read(expr: CExpr) -> Any:
    """Return the zone whose contents an operation reads."""
    return expr.args[1 if expr.op == "in_zone" else 0]


def _zone(expr: CExpr) -> ZoneSym | None:
    """Return the zone that an expression names, if it does so itself."""
    sym = expr.args[0] if expr.op == "zone" else None
    return sym if isinstance(sym, ZoneSym) else None


def _mentions(key: Key, part: Key) -> bool:
    return key == part or any(isinstance(k, tuple) and _mentions(k, part) for k in key)


# ---- rows


def rows_of(v: Walk, expr: CExpr, env: Env) -> Rows:
    """Return the rows that a piece can be of."""
    return v.rows.rows(expr, _rows_in(env))


def _rows_in(env: Env) -> Callable[[Local], Rows]:
    """Return the rows that the pieces in locals can be of."""

    def find(local: Local) -> Rows:
        known = env.locals.get(local)
        return known.rows if known is not None else None

    return find


def known_truth(v: Walk, condition: CExpr, env: Env) -> bool | None:
    """Return whether the rows of pieces tell that a condition holds, or that it fails."""
    return v.rows.truth(condition, _rows_in(env)) if _pieces_in(v, condition) else None


def _pieces_in(v: Walk, expr: CExpr) -> frozenset[Local]:
    """Return the locals of an expression that hold pieces."""
    entry = v.pieces.get(id(expr))
    if entry is None:
        piece_locals = frozenset(local for local in locals_of(expr) if piece_kind(local.type) is not None)
        entry = v.pieces[id(expr)] = expr, piece_locals
    return entry[1]


@contextmanager
def narrowed(v: Walk, env: Env, conditions: Sequence[CExpr], holds: bool) -> Iterator[None]:
    """Restrict the pieces in locals, for the duration of the block, to rows for which the conditions may hold (or
    fail)."""
    before: dict[Local, Rows] = {}
    for condition in conditions:
        for local in _pieces_in(v, condition):
            known = env.locals.get(local)
            if known is not None:
                before.setdefault(local, known.rows)
                known.rows = v.rows.narrowed(condition, local, known.rows, _rows_in(env), holds)
    yield
    for local, rows in before.items():
        env.locals[local].rows = rows


# ---- labels


def label_of(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return the label of an expression's value."""
    revealed = env.revealed.get(key_of(v, expr, env)) if env.revealed else None
    result = revealed if revealed is not None else LABELS.get(expr.op, _parts)(v, expr, env)
    if v.read is not None:
        v.read = join(v.read, result)
    return result


def labels_of(v: Walk, args: Sequence[object], env: Env) -> Label:
    """Return the joined label of all arguments that are expressions."""
    result = PUBLIC
    for arg in expressions(args):
        result = join(result, label_of(v, arg, env))
    return result


def _parts(v: Walk, expr: CExpr, env: Env) -> Label:
    return labels_of(v, expr.args, env)


def presence(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return the label of whether an optional value is present: an end of a pile is, unless the pile is empty."""
    if expr.op == "local" and isinstance(expr.args[0], Local):
        known = env.locals.get(expr.args[0])
        if known is not None and known.presence is not None:
            return known.presence
    if expr.op == "cast" and isinstance(expr.args[0], CExpr):
        return presence(v, expr.args[0], env)
    return presence_in(v, expr, env) if expr.op in ("top", "bottom") else label_of(v, expr, env)


def presence_in(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return the label of whether a collection is empty: of a zone's contents, the label of their number."""
    if expr.op in ("pieces", "top", "bottom"):
        return label_of(v, CExpr("size", expr.type, expr.args, expr.span), env)
    return label_of(v, expr, env)


def sight(v: Walk, sym: ZoneSym | VariableSym, place: CExpr | None, env: Env) -> Label:
    """Return the label of what is declared `visible: …`, for the player whose it is where `place` names it."""
    return _sight(sym, _owner(v, place, env) if place is not None else ())


def _sight(sym: ZoneSym | VariableSym, owner: Key) -> Label:
    visible = sym.decl.visible if isinstance(sym, ZoneSym) else sym.visible
    if visible == "all":
        return PUBLIC
    label = HIDDEN
    if visible in ("owner", "others") and owner:
        label = only(owner) if visible == "owner" else all_but(owner)
    return replace(label, why=frozenset((sym,)))


def _owner(v: Walk, expr: CExpr, env: Env) -> Key:
    """Return the seat whose variable or zone an expression names, if it is a player's."""
    sym, *indices = expr.args
    if isinstance(sym, VariableSym | ZoneSym) and sym.per and isinstance(sym.per[0], PlayerT) and indices:
        return key_of(v, expressions(indices)[0], env)
    return ()


def in_force(active: CExpr, owner: Key) -> Label:
    """Return the label of which pieces of a seat are in force."""
    result = PUBLIC
    for zone in active.args[0].active:
        result = join(result, _sight(zone, owner))
    return result


def bind(v: Walk, local: Local, collection: CExpr, env: Env) -> None:
    """Label a local that holds an element of a collection."""
    key: Key = ("local", id(local))
    source: Any = collection
    while source.op in ("filter", "most", "fewest", "difference", "distinct_by") and source.args:
        source = source.args[source.op != "difference"]
    env.apart = {pair for pair in env.apart if key not in pair}
    if source.op in APART and isinstance(source.args[0], CExpr):
        env.apart.add(frozenset((key, key_of(v, source.args[0], env))))
    env.locals[local] = Known(label_of(v, collection, env), key, rows=rows_of(v, collection, env))


# ---- operations


def _local(v: Walk, expr: Any, env: Env) -> Label:
    known = env.locals.get(expr.args[0])
    return known.label if known is not None else PUBLIC


def _variable(v: Walk, expr: Any, env: Env) -> Label:
    sym = expr.args[0]
    return join(PUBLIC if sym.internal else sight(v, sym, expr, env), _parts(v, expr, env))


def _contents(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of what lies in a zone."""
    zone = _zone_read(expr)
    label = _parts(v, expr, env)
    sym = _zone(zone)
    if sym is None:
        return HIDDEN if expr.op in CONTENTS else label
    visible = sym.decl.visible
    if expr.op == "size":
        return join(label, sight(v, sym, None, env)) if visible == "nobody" else label
    only_top = expr.op == "tops" and isinstance(n := expr.args[1], CExpr) and (n.op, n.args) == ("const", (1,))
    return label if visible == "top" and (expr.op == "top" or only_top) else join(label, sight(v, sym, zone, env))


def _family(v: Walk, expr: Any, env: Env) -> Label:
    return join(_parts(v, expr, env), sight(v, expr.args[0], expr, env))


def _active(v: Walk, expr: Any, env: Env) -> Label:
    unseen = frozenset(zone for zone in expr.args[0].active if zone.decl.visible != "all")
    return Label(False, why=unseen) if unseen else PUBLIC


def _conditional(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of one of two values; where the rows of a piece tell which, nothing else is read."""
    condition, *sides = expr.args
    sure = known_truth(v, condition, env)
    result = label_of(v, condition, env) if sure is None else PUBLIC
    for holds, side in zip((True, False), sides, strict=True):
        if sure is not (not holds):
            with narrowed(v, env, [condition], holds):
                result = join(result, label_of(v, side, env))
    return result


def _logic(v: Walk, expr: Any, env: Env) -> Label:
    left, right = expr.args
    result = label_of(v, left, env)
    with narrowed(v, env, [left], expr.op == "and"):
        return join(result, label_of(v, right, env))


def _fold(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of an operation that reads a body for each element of a collection."""
    local, collection, body = expr.args
    bind(v, local, collection, env)
    whose = _whose(body, local) if collection.op == "active" and expr.op == "filter" else None
    if whose is not None:
        # Of a seat's own pieces in force that seat knows, where it sees the zones.
        env.locals[local].label = in_force(collection, key_of(v, whose, env))
    result = env.locals[local].label
    inner = label_of(v, body, env)
    element = CExpr("local", local.type, (local,))
    if collection.op == "active" and inner == only(key_of(v, CExpr("owner", PLAYER, (element,)), env)):
        # A piece's rule may look at what its owner sees; that it applies is then seen.
        inner = PUBLIC
    # What is read of each element's own (`p.hand` for every p) is nobody's to know as a whole.
    if any(_mentions(key, ("local", id(local))) for key in inner.keys):
        inner = Label(False, why=inner.why)
    return join(result, inner)


def _whose(condition: CExpr, piece: Local) -> CExpr | None:
    """Return the seat whose pieces a condition asks for, if it asks for those of one seat."""
    if condition.op == "and":
        return next((seat for part in expressions(condition.args) if (seat := _whose(part, piece))), None)
    if condition.op != "eq":
        return None
    left, right = expressions(condition.args)
    while left.op == "cast" and isinstance(left.args[0], CExpr):
        left = left.args[0]
    owned = left.op == "owner" and isinstance(left.args[0], CExpr) and left.args[0].args[:1] == (piece,)
    return right if owned else None


def _get_seat(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of one seat's value of a `together`: known to that seat if each knows its own."""
    values, seat = expr.args
    label = label_of(v, values, env)
    own = only(("own", key_of(v, values, env)))
    return join(only(key_of(v, seat, env)) if label == own else label, label_of(v, seat, env))


LABELS: dict[str, Callable[[Walk, Any, Env], Label]] = {
    "local": _local,
    **dict.fromkeys(("var", "purse"), _variable),
    **dict.fromkeys((*CONTENTS, "size"), _contents),
    "family": _family,
    "active": _active,
    "if": _conditional,
    **dict.fromkeys(("and", "or"), _logic),
    "is_none": lambda v, expr, env: presence(v, expr.args[0], env),
    **dict.fromkeys("filter map flatten sum any all max min most fewest group distinct_by reachable".split(), _fold),
    "get_seat": _get_seat,
}
"""How an expression is labelled, whose arguments are as its operation demands."""
