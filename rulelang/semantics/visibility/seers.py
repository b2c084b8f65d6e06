"""Who is told what chance draws: those who may know what it is drawn from.

Enters: a draw, what is known where it stands. Leaves: `Seers`, whose expressions can be read there; where a walk
reaches a draw in several ways, those who may know it in each. A seat that no expression there names is not told.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, Local, same, subexpressions
from rulelang.semantics.tree.shared import const
from rulelang.semantics.tree.symbols import Seers
from rulelang.semantics.tree.types import PLAYER, PlayerT
from rulelang.semantics.visibility.labelling import Walk, key_of
from rulelang.semantics.visibility.labels import PUBLIC, Env, Key, Label, holds_pieces


def note_seers(v: Walk, s: core.CRandom, env: Env, label: Label) -> None:
    """Note who may be told the outcome of a draw from what has this label; a piece is seen where it lies."""
    if v.read is not None or holds_pieces(s.result.type):
        return
    if label == PUBLIC:
        seers = Seers(True, ())
    else:
        named = dict(_named_seats(v, s, env))
        sure = not label.but or label.keys <= named.keys()
        seers = Seers(
            label.but and sure, tuple(named[key] for key in sorted(label.keys & named.keys(), key=repr)) if sure else ()
        )
    before = v.secrets.seers.get(s)
    v.secrets.seers[s] = seers if before is None else _both(before, seers)


def _named_seats(v: Walk, s: core.CRandom, env: Env) -> Iterator[tuple[Key, CExpr]]:
    """Yield expressions of seats that can be read at a draw, each with its key: parameters, numbered seats, and those
    that what is drawn from reads, unless it binds a part of them."""
    for local in env.parameters:
        if isinstance(local.type, PlayerT) and local in env.locals:
            yield env.locals[local].key, CExpr("local", local.type, (local,), s.span)
    for seat in range(max(v.shared.checked.ruleset.players)):
        yield ("const", seat), const(seat, PLAYER, s.span)
    for arg in s.args:
        bound = {part for e in subexpressions(arg) for part in e.args if e.op != "local" and isinstance(part, Local)}
        for e in subexpressions(arg):
            if isinstance(e.type, PlayerT) and not any(
                part.args[0] in bound for part in subexpressions(e) if part.op == "local"
            ):
                yield key_of(v, e, env), e


def _both(a: Seers, b: Seers) -> Seers:
    """Return who is among both; nobody where that can't be told."""
    if a.but and b.but:
        return Seers(True, (*a.seats, *(seat for seat in b.seats if not _among(seat, a.seats))))
    if not a.but and not b.but:
        return Seers(False, tuple(seat for seat in a.seats if _among(seat, b.seats)))
    some, rest = (b, a) if a.but else (a, b)
    return Seers(False, () if rest.seats else some.seats)


def _among(seat: CExpr, seats: tuple[CExpr, ...]) -> bool:
    """Return whether one of the expressions is the same."""
    return any(same(seat, other) for other in seats)
