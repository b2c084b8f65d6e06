"""Who is surely still in, and so has a value in what all were asked together before.

Enters: what a local is bound to: a player, players, an element of them. Leaves: facts: that a player is still in, which
holds until somebody may be put out, and that a player has a value in a `together`, which holds for ever. Whoever is in
now was in at any earlier question, as nobody who is out comes back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.analysis.nonempty import APART
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import (
    CBinder,
    CChoose,
    CExpr,
    CRandom,
    CSet,
    CStatement,
    Local,
    expressions,
    negated,
    same,
)
from rulelang.semantics.tree.shared import Shared
from rulelang.vocabulary.operations import ELEMENT, SUBSET

if TYPE_CHECKING:
    from rulelang.semantics.typing.context import Context

WITHIN = {
    **dict.fromkeys(SUBSET, (0,)),
    "union": (0, 1),
    "if": (1, 2),
    "cast": (0,),
}
"""Operation -> the operands of which all that it gives are elements."""


def asks_all(shared: Shared) -> bool:
    """Return whether a question to all players leaves no party without an answer."""
    return not shared.eliminates and not shared.checked.automata


def is_in(c: Context, seat: CExpr) -> bool:
    """Return whether a party (if it is there at all) is surely a player who is still in."""
    if asks_all(c.shared):
        return True
    if seat.op in ELEMENT:
        return are_in(c, expressions(seat.args)[0])
    if seat.op in ("cast", "if", "otherwise"):
        return all(is_in(c, part) for part in expressions(seat.args)[seat.op == "if" :])
    if seat.op in ("next_player", "previous_player"):  # who is in and alone is next to themselves
        return not c.shared.eliminates or is_in(c, expressions(seat.args)[0])
    if seat.op == "const" and not c.shared.eliminates:
        return True
    return any(fact.op == "member" and same(_plain(fact.args[0]), seat) and are_in(c, fact.args[1]) for fact in c.facts)


def are_in(c: Context, seats: CExpr) -> bool:
    """Return whether all of a collection of parties are surely players who are still in."""
    if seats.op in ("players", "players_from", *APART) or asks_all(c.shared):
        return True
    if seats.op == "everyone":
        return not c.shared.eliminates
    if seats.op == "parties":
        return not c.shared.checked.automata
    if seats.op == "list":
        return all(is_in(c, part) for part in expressions(seats.args))
    if seats.op in WITHIN:
        parts = expressions(seats.args)
        return all(are_in(c, parts[place]) for place in WITHIN[seats.op])
    return any(fact.op == "all" and _says_all_in(fact) and same(fact.args[1], seats) for fact in c.facts)


def known_of(c: Context, local: Local, value: CExpr) -> list[CExpr]:
    """Return what is known of a local that has just got a value: a player or players still in, the answers of such a
    player."""
    t = ty.bare(local.type)
    if isinstance(t, ty.SetT):
        return [_all_in(c, local)] if t.element == ty.PLAYER and are_in(c, value) else []
    if isinstance(t, ty.SeatsT):
        seats = [fact.args[0] for fact in c.facts if fact.op == "member" and is_in(c, fact.args[0])]
        return [_has_value(local, seat) for seat in seats] if _may_lack(local) else []
    if t != ty.PLAYER:
        return []
    known = _still_in(c, local) if is_in(c, value) else []
    answers = [answer for fact in c.facts if (answer := _answer(fact)) is not None]
    same_seat = (answer for answer in answers if same(_plain(answer.args[1]), _plain(value)))
    return [*known, *(_has_value(answer.args[0].args[0], _seat(local)) for answer in same_seat)]


def known_after(c: Context, s: CStatement) -> list[CExpr]:
    """Return what is known of the locals that a statement, without the blocks in it, has just given a value."""
    match s:
        case CSet(local=local, value=value):
            return known_of(c, local, value)
        case CRandom(kind="element" | "some", args=(seats, *_), result=local):
            return known_of(c, local, seats) if s.kind == "some" else known_of_element(c, local, seats)
        case CChoose(result=Local() as local):
            return known_of(c, local, s.seat)
        case CChoose(items=(item,)):
            return [fact for binder in item.binders for fact in known_of_choice(c, binder)]
    return []


def known_of_choice(c: Context, binder: CBinder) -> list[CExpr]:
    """Return what is known of the local of a binder."""
    known = {"each": known_of_element, "some": known_of}.get(binder.kind)
    return known(c, binder.local, binder.args[0]) if known is not None else []


def known_of_element(c: Context, local: Local, seats: CExpr) -> list[CExpr]:
    """Return what is known of a local that stands for an element of a collection."""
    return _still_in(c, local) if ty.bare(local.type) == ty.PLAYER and are_in(c, seats) else []


def _still_in(c: Context, local: Local) -> list[CExpr]:
    """Return the facts of a local that holds a player who is still in."""
    seat = _seat(local)
    asked = [seats for seats in c.body.locals if isinstance(seats.type, ty.SeatsT) and _may_lack(seats)]
    players = set_of(c.shared, "players", ty.PLAYER, (), local.span)
    return [CExpr("member", ty.BOOL, (seat, players), local.span), *(_has_value(seats, seat) for seats in asked)]


def _all_in(c: Context, local: Local) -> CExpr:
    """Return the fact that all players in a local are still in."""
    element = Local("it", ty.PLAYER, local.span)
    players = set_of(c.shared, "players", ty.PLAYER, (), local.span)
    is_member = CExpr("member", ty.BOOL, (CExpr("local", ty.PLAYER, (element,)), players), local.span)
    return CExpr("all", ty.BOOL, (element, CExpr("local", local.type, (local,)), is_member), local.span)


def _says_all_in(fact: CExpr) -> bool:
    """Return whether a condition on each element of a collection is that it is a player who is still in."""
    element, _, condition = fact.args
    if condition.op != "member":
        return False
    seat, seats = condition.args
    return seat.op == "local" and seat.args[0] is element and seats.op in ("players", "players_from", *APART)


def _may_lack(seats: Local) -> bool:
    """Return whether it is only for not being asked that a party has no value here."""
    t = seats.type
    return isinstance(t, ty.SeatsT) and isinstance(t.collected, ty.OptionalT) and t.collected != t.element


def _has_value(seats: Local, seat: CExpr) -> CExpr:
    """Return the fact that a party has a value in what was asked."""
    assert isinstance(seats.type, ty.SeatsT)
    value = CExpr("get_seat", seats.type.collected, (CExpr("local", seats.type, (seats,)), seat), seat.span)
    return negated(CExpr("is_none", ty.BOOL, (value,), seat.span))


def _answer(fact: CExpr) -> CExpr | None:
    """Return what a fact says to be there, if that is somebody's answer held in a local."""
    inner = fact.args[0] if fact.op == "not" else fact
    value = inner.args[0] if inner.op == "is_none" and fact.op == "not" else inner
    return value if value.op == "get_seat" and value.args[0].op == "local" else None


def _seat(local: Local) -> CExpr:
    """Return the party that a local holds; of one that may hold nobody, as it is read where it holds one."""
    value = CExpr("local", local.type, (local,), local.span)
    return value if local.type == ty.PLAYER else CExpr("cast", ty.PLAYER, (value,), local.span)


def _plain(value: CExpr) -> CExpr:
    """Return a value without what says that it is there."""
    return _plain(expressions(value.args)[0]) if value.op == "cast" else value
