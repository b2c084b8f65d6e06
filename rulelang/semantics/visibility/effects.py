"""What all see of an effect: that it happens, and what of it. One row for each class of statement and each operation.

Enters: a statement where it stands. Leaves: who may know what all see of it, which `visibility` joins with who may know
that this place is reached. A statement without a row is refused when this module is imported, an operation by a test.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from rulelang.semantics.analysis.writes import purses
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, CStatement, Local, binding, expressions, mentions, subexpressions
from rulelang.semantics.tree.shared import least_size, zone_symbol
from rulelang.semantics.tree.symbols import VariableSym, ZoneSym
from rulelang.semantics.tree.types import BagT, NumberT, PaymentT, PieceT, SetT, Type, bare
from rulelang.semantics.visibility.labelling import (
    Walk,
    bag_size_label,
    key_of,
    label_of,
    labels_of,
    presence_in,
    presence_where,
    size_label,
    values_among,
)
from rulelang.semantics.visibility.labels import PUBLIC, Env, Label, join
from rulelang.vocabulary.operations import LYING, SELECTIONS, STATEMENTS

Symbols = frozenset[ZoneSym | VariableSym]
NONE: Symbols = frozenset()
LabelBy = Callable[[Walk, CExpr, Env], Label]
NAMED = ZoneSym | VariableSym | str


@dataclass(frozen=True)
class VisibleEffect:
    """What all see of an effect.

    Attributes:
        what: it, as the subject of a message; `{}` is the name of the first zone or variable in it.
        seen: gives who may know what all see of it besides that it happens; None where not all see that.
        shows: gives what it shows to all, who saw that before and where it lay: that may be why it happens.
        own: whether a secret choice is made public by it: what is chosen moves. ends: whether it matters only where
            somebody is asked afterwards.
        operations: those of the intermediate representation that a class of statements becomes.
    """

    what: str = ""
    seen: Callable[[Walk, Any, Env], Label | None] = lambda v, s, env: None
    shows: Callable[[Walk, Any, Env], tuple[Label, Symbols]] = lambda v, s, env: (PUBLIC, NONE)
    own: bool = False
    ends: bool = False
    operations: tuple[str, ...] = ()


def effect_of(s: CStatement) -> VisibleEffect:
    """Return what all see of a statement."""
    if (
        isinstance(s, core.CDo)
        and s.op == "spend"
        and isinstance(s.args[0], CExpr)
        and isinstance(s.args[0].type, BagT)
    ):
        return GOODS_MOVED
    return EFFECTS[s.op if isinstance(s, core.CDo) else type(s)]


def name_of(s: CStatement) -> str:
    """Return the name of the first zone, variable or scope of an effect."""
    parts = s.args if isinstance(s, core.CDo) else s.pile.args if isinstance(s, core.CShuffle) else ()
    return next((part if isinstance(part, str) else part.name for part in parts if isinstance(part, NAMED)), "")


def origins(v: Walk, pieces: CExpr, env: Env) -> Symbols:
    """Return the zones that pieces come from, as far as not all see them."""
    match pieces:
        case CExpr(op=op) if op in LYING or op == "family":
            return frozenset(arg for part in subexpressions(pieces) for arg in part.args if isinstance(arg, ZoneSym))
        case CExpr(op="local", args=(Local() as local,)) if local in env.locals:
            return frozenset(sym for sym in env.locals[local].label.why if isinstance(sym, ZoneSym))
        case CExpr(op=op) if op in SELECTIONS:
            return origins(v, binding(pieces)[1], env)
        case CExpr(op="map" | "flatten"):
            _, collection, body = binding(pieces)
            return origins(v, body, env) | origins(v, collection, env)
        case CExpr(op="if"):
            parts = expressions(pieces.args)[1:]
        case _:
            parts = expressions(pieces.args)
    return NONE.union(*(origins(v, part, env) for part in parts))


def _moved(v: Walk, s: core.CMove, env: Env) -> Label | None:
    """How many pieces go where; how many of a zone's own a rule takes out the move is there to show."""
    ends = [zone_symbol(s.zone), *(zone_symbol(part) for part in subexpressions(s.what) if part.op == "zone")]
    if all(zone is not None and not zone.view.counts for zone in ends) and len(ends) > 1:
        return None
    amount = size_label(v, s.what, env)
    itself = not amount.secretly and amount.why <= origins(v, s.what, env)
    return join(PUBLIC if itself else amount, labels_of(v, s.zone.args, env))


def _shown_by_move(v: Walk, s: core.CMove, env: Env) -> tuple[Label, Symbols]:
    """The pieces and their zones, where they go to where all see them."""
    zone = zone_symbol(s.zone)
    shown = origins(v, s.what, env) if zone is not None and zone.view.public else NONE
    return label_of(v, s.what, env), shown


def _drawn(v: Walk, s: core.CDraw, env: Env) -> Label | None:
    """How many pieces are drawn, from where to where; how many of the pile's own, drawing them is there to show."""
    zones = [zone_symbol(s.pile), zone_symbol(s.zone)]
    if all(zone is not None and not zone.view.counts for zone in zones):
        return None
    places = labels_of(v, (*s.pile.args, *s.zone.args), env)
    amount = join(label_of(v, s.count, env), size_label(v, CExpr("pieces", s.pile.type, (s.pile,)), env))
    itself = not amount.secretly and amount.why <= {zones[0]}
    return places if itself else join(amount, places)


def _shuffled(v: Walk, s: core.CShuffle, env: Env) -> Label | None:
    """Which pile is shuffled."""
    zone = zone_symbol(s.pile)
    return None if zone is not None and not zone.view.counts else labels_of(v, s.pile.args, env)


def _chance(v: Walk, s: core.CRandom, env: Env) -> Label | None:
    """Nothing but the outcome: those see it who may know what it is drawn from; a piece those who see where it lies."""
    element = bare(s.args[0].type)
    is_piece = isinstance(element, SetT) and isinstance(bare(element.element), PieceT)
    return PUBLIC if not is_piece and labels_of(v, s.args, env) == PUBLIC else None


def _called(v: Walk, s: core.CCall, env: Env) -> Label | None:
    """That something is called all see of a trade, and of an event for which marks wait."""
    sym = s.procedure
    waiting = {f"{moment} {sym.name}" for moment in ("before", "after")} & set(v.shared.checked.untils)
    return PUBLIC if sym.category == "trade" or (sym.category == "event" and waiting) else None


def _written(v: Walk, s: core.CDo, env: Env) -> Label | None:
    """The value of a variable that all see; of a bag that all may count how much it holds, what of that is its own the
    writing is there to show."""
    sym, value, *indices = s.args
    if not isinstance(sym, VariableSym) or sym.internal:
        return None
    if sym.view.public:
        return labels_of(v, s.args, env)
    if not isinstance(sym.type, BagT) or not sym.view.counts:
        return None
    return join(_beside(v, expressions((value,))[0], [sym], bag_size_label, env), labels_of(v, indices, env))


def _beside(v: Walk, goods: CExpr, symbols: Sequence[VariableSym], label_by: LabelBy, env: Env) -> Label:
    """Return the label of what an effect tells of goods besides what some bags hold, which it is there to tell."""
    before, env.revealed = env.revealed, env.revealed | {("shown", sym, PUBLIC, None): PUBLIC for sym in symbols}
    label, env.revealed = label_by(v, goods, env), before
    return PUBLIC if not label.secretly and label.why and label.why <= {*symbols} else label


def _written_on_piece(v: Walk, s: core.CDo, env: Env) -> Label | None:
    """The value of a variable that all see, on a piece that all see."""
    piece = s.args[1]
    label = _written(v, s, env)
    return label if label is None or label_of(v, expressions((piece,))[0], env) == PUBLIC else None


def _arguments(v: Walk, s: core.CDo, env: Env) -> Label | None:
    """All that the effect is told of."""
    return labels_of(v, s.args, env)


def _to_whom(v: Walk, s: core.CDo, env: Env) -> Label | None:
    """Who is shown something; what it is, and where it lies, those see: where, to whom else it is shown may know."""
    seats, *place = expressions(s.args[1:])
    told, lies = label_of(v, seats, env), labels_of(v, place, env)
    keys = [key_of(v, seat, env) for seat in expressions(seats.args)] if seats.op == "list" else []
    return told if keys and all(env.knows(key, lies) for key in keys) else join(told, lies)


def _revealed(v: Walk, s: core.CDo, env: Env) -> tuple[Label, Symbols]:
    """The value, and the zones and variables that it is made from."""
    value = expressions(s.args)[0]
    named = {arg for part in subexpressions(value) for arg in part.args if isinstance(arg, ZoneSym | VariableSym)}
    label = label_of(v, value, env)
    return label, frozenset(named) | label.why


def _paid(v: Walk, s: core.CDo, env: Env) -> Label | None:
    """What is paid to nobody, or where all see one of the purses; else how much, where all may count one. What it tells
    of a purse itself it is there to show."""
    goods, origin, *target = expressions(s.args)
    ends = [sym for part in (origin, *target) for sym in purses((part,))]
    if target and not any(sym.view.counts for sym in ends):
        return None
    open_ = not target or any(sym.view.public for sym in ends)
    whole = open_ and not isinstance(goods.type, PaymentT)  # how something is paid is chosen
    told = _beside(v, goods, ends, label_of if whole else bag_size_label, env)
    places = [index for part in (origin, *target) for each in subexpressions(part) for index in _indices(each)]
    return join(told, labels_of(v, places, env))


def _indices(purse: CExpr) -> list[CExpr]:
    """Return what says whose purse it is."""
    return expressions(purse.args) if purse.op in ("purse", "purses_of") else []


def _ended(v: Walk, s: CStatement, env: Env) -> Label | None:
    """Nothing but that the game ends: who has won is told when nobody is asked any more."""
    return PUBLIC


def _asked(v: Walk, s: core.CChoose, env: Env) -> Label | None:
    """Who is asked, and whether anybody is."""
    return join(label_of(v, s.seat, env), _whether_asked(v, s, env))


UNSEEN = VisibleEffect()
GOODS_MOVED = VisibleEffect("which goods move", _paid)
EFFECTS: dict[type[CStatement] | str, VisibleEffect] = {
    # What these do is seen by what stands in them, or comes after them.
    **dict.fromkeys((core.CSet, core.CIf, core.CLoop, core.CFor, core.CBreak, core.CReturn), UNSEEN),
    **dict.fromkeys((core.CStep, core.CNever, core.CDo), UNSEEN),
    core.CCall: VisibleEffect("whether this happens", _called),
    core.CExpose: UNSEEN,  # whoever sees the piece where it lies sees it
    core.CChoose: VisibleEffect("whether this is asked", _asked),
    core.CRandom: VisibleEffect("whether chance decides", _chance),
    core.CMove: VisibleEffect(
        "how many pieces move", _moved, _shown_by_move, own=True, operations=("move", "move_slots")
    ),
    core.CDraw: VisibleEffect("how many pieces move", _drawn, operations=("move_slots", "settle")),
    core.CShuffle: VisibleEffect("whether `{}` is shuffled", _shuffled, operations=("shuffle",)),
    # The turn, round or phase that begins, and the event that is called, have been told of.
    core.CMoment: VisibleEffect(operations=("clear_marks", "reset", "undefer")),
    core.CEnd: VisibleEffect("whether the game ends", _ended, ends=True),
    "set_var": VisibleEffect("`{}`", _written),
    "set_pvar": VisibleEffect("`{}`", _written_on_piece),
    "spend": VisibleEffect("what is paid", _paid),
    "reveal": VisibleEffect("whether anything is revealed", _to_whom, _revealed),
    "begin": VisibleEffect("whether a {} begins", _arguments),
    "eliminate": VisibleEffect("who is out", _arguments),
    "defer": VisibleEffect("whether the game ends", _ended, ends=True),
    **{name: UNSEEN for name, op in STATEMENTS.items() if op.reads == {"winners"}},  # told when the game is over
    **dict.fromkeys(("remember", "forget"), UNSEEN),  # of what all see
    "check": UNSEEN,  # a claim that holds in every game that goes on
}
"""What all see of each class of statements, and of each operation of `CDo`."""

missing = sorted(cls.__name__ for cls in CStatement.__subclasses__() if cls not in EFFECTS)
if missing:
    raise TypeError(f"what all see of it is said nowhere: {', '.join(missing)}")


def _whether_asked(v: Walk, s: core.CChoose, env: Env) -> Label:
    """Return who may know whether a decision has an option, so that somebody is asked.

    What the engine asks about an effect (how to pay, what to keep) it asks only where there are several ways: that
    tells something of a purse, but so does the answer, which all see.
    """
    sure = s.ask == "author" and not s.together and (s.otherwise is None or _is_never(s.otherwise))
    trades = s.ask == "engine" and s.otherwise is not None  # one may leave it, if there is anything to do in it
    if s.ask == "anyway" or (s.ask == "engine" and not trades) or sure or s is v.claimed:
        return PUBLIC
    label = PUBLIC
    for item in s.items[: -1 if trades else None]:
        if not item.guards and all(map(_has_value, item.binders)):
            return PUBLIC
        label = join(label, _whether_offered(v, item, env))
    return label


def _is_never(statements: Sequence[CStatement]) -> bool:
    """Return whether statements claim that they are not reached."""
    return bool(statements) and isinstance(statements[0], core.CNever)


def is_claimed(following: Sequence[CStatement]) -> bool:
    """Return whether what follows a choice claims that it had an option: `let x = choose … else never`."""
    return any(isinstance(s, core.CIf) and _is_never(s.then) for s in following)


def _has_value(binder: core.CBinder) -> bool:
    """Return whether there is surely something to choose for a binder."""
    low, high = binder.args[0].type, binder.args[-1].type
    if binder.kind == "number":
        return isinstance(low, NumberT) and isinstance(high, NumberT) and low.high <= high.low
    return binder.kind == "each" and least_size(binder.args[0]) > 0


def _whether_offered(v: Walk, item: core.CItem, env: Env) -> Label:
    """Return who may know whether an item is offered; its binders are bound.

    Where each condition is about one of them, that is whether each has a value.
    """
    conditions = [guard.condition for guard in item.guards]
    own: dict[Local | None, list[CExpr]] = {}
    for condition in conditions:
        about = [binder.local for binder in item.binders if mentions(condition, binder.local)]
        if len(about) > 1:
            own = {None: conditions}
            break
        own.setdefault(about[0] if about else None, []).append(condition)
    label = labels_of(v, own.get(None, ()), env)
    for binder in item.binders:
        label = join(label, _whether_bound(v, binder, own.get(binder.local, []), env))
    return label


def _whether_bound(v: Walk, binder: core.CBinder, conditions: list[CExpr], env: Env) -> Label:
    """Return who may know whether a binder has a value for which conditions hold."""
    source, *bounds = binder.args
    if binder.kind == "each":
        return presence_where(v, binder.local, source, conditions, env)
    among = values_among(binder.local, conditions) if binder.kind == "number" and conditions else None
    if among is not None and _has_all(source.type, bounds[-1].type, among[1]):
        return presence_in(v, among[0], env)
    label = join(presence_in(v, source, env), labels_of(v, conditions, env))
    return reduce(join, [_whether_any(v, bound, source, env) for bound in bounds], label)


def _has_all(low: Type, high: Type, values: Type) -> bool:
    """Return whether the numbers between two are all that a value may be."""
    match low, high, values:
        case NumberT(high=first), NumberT(low=last), NumberT():
            return first <= values.low and values.high <= last
    return False


def _whether_any(v: Walk, bound: CExpr, source: CExpr, env: Env) -> Label:
    """Return who may know whether an amount of a collection is more than none.

    Of the number that there is, that is whether there is any.
    """
    if bound.op in ("count", "size"):
        return presence_in(v, source, env)
    if bound.op in ("min2", "max2"):
        return reduce(join, [_whether_any(v, part, source, env) for part in expressions(bound.args)])
    return label_of(v, bound, env)
