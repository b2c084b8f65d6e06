"""Method combination: what is done around the author's words, lowered to ordinary statements and expressions.

Enters: the checked tree. Leaves: bodies of the checked tree that make explicit the order of reactions to an event, the
layers of a quantity, the choice of an ability's implementation, and the rounds of a trade. Before, after and around
methods are those of CLOS (Bobrow et al., "Common Lisp Object System Specification", 1988).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from rulelang.diagnostics import Span
from rulelang.semantics import core
from rulelang.semantics import types as ty
from rulelang.semantics.base import const, number, source_text
from rulelang.semantics.changes import capacity
from rulelang.semantics.core import Body, CExpr, CStatement, Local, conjunction, expressions, mentions, substitute
from rulelang.semantics.symbols import (
    AbilityInfo,
    Bodies,
    Checked,
    DefinitionSym,
    EventInfo,
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    LimitInfo,
    ModifierInfo,
    ProcedureSym,
    QuantityInfo,
)

NOBODY = ty.optional(ty.PLAYER)


@dataclass
class Frame:
    """A procedure under construction: its body, and how `you` and the parameters are read."""

    checked: Checked
    sym: ProcedureSym
    body: Body
    span: Span

    @property
    def you(self) -> CExpr:
        """The acting seat."""
        return CExpr("local", ty.PLAYER, (self.body.parameters[0],), self.sym.span)

    @property
    def params(self) -> tuple[CExpr, ...]:
        """The declared parameters."""
        return tuple(CExpr("local", local.type, (local,), self.sym.span) for local in self.body.parameters[1:])

    def local(self, name: str, t: ty.Type) -> Local:
        local = Local(name, t, self.span)
        self.body.locals.append(local)
        return local

    def read(self, local: Local) -> CExpr:
        return CExpr("local", local.type, (local,), self.span)

    def e(self, op: str, t: ty.Type, *args: object) -> CExpr:
        return CExpr(op, t, args, self.span)

    def joined(self, op: str, t: ty.Type, parts: Sequence[CExpr]) -> CExpr:
        """Fold one operation over all parts, from the left."""
        return reduce(lambda left, right: self.e(op, t, left, right), parts)

    def number(self, value: int) -> CExpr:
        return number(value, self.span)

    def empty(self, values: CExpr) -> CExpr:
        return self.e("eq", ty.BOOL, self.e("count", ty.NUMBER, values), self.number(0))

    def active(self, definitions: tuple[DefinitionSym, ...]) -> CExpr:
        """Return the pieces of these rows whose rule text is in force."""
        kind = self.checked.kinds[definitions[0].kind]
        return self.e("active", ty.SetT(ty.PieceT(kind.name)), kind, *definitions)

    def call(self, sym: ProcedureSym, *piece: CExpr) -> CExpr:
        """Return the value of a function of the same parameters, after a piece and its owner if it is one of pieces."""
        return self.e("call", sym.returns, sym, self.you, *piece, *self.params)

    def do(self, sym: ProcedureSym, *piece: CExpr, result: Local | None = None, span: Span | None = None) -> core.CCall:
        return core.CCall(span or self.span, sym, (self.you, *piece, *self.params), result)


def dispatch(checked: Checked) -> Bodies:
    """Return the bodies of events, quantities, abilities, trades and the total score; the tree stays as it is."""
    bodies = Bodies()

    def frame(sym: ProcedureSym) -> Frame:
        locals = [Local(name, t, sym.span) for name, t in (("you", ty.PLAYER), *sym.params)]
        bodies[sym] = Body(locals, [*locals])
        return Frame(checked, sym, bodies[sym], sym.span)

    for event in checked.events.values():
        _event(frame(event.procedure), event, frame(event.proceeding) if event.proceeding is not None else None)
    for quantity in checked.quantities.values():
        _quantity(frame(quantity.procedure), quantity)
    for ability in checked.abilities.values():
        _ability(frame(ability.procedure), ability)
    for group in checked.groups.values():
        assert group.purse is not None
        body = bodies[group.trade] = Body([*group.purse.body.parameters], [*group.purse.body.locals])
        _trade(Frame(checked, group.trade, body, group.trade.span), group, group.purse.purses)
    if checked.total is not None:
        f = frame(checked.total)
        value = f.number(0)
        for line in checked.scores:
            value = f.e("add", ty.NUMBER, value, f.call(line.procedure))
        f.body.statements = (core.CReturn(f.span, value),)
    return bodies


# ---- limits


def _copies(f: Frame, definitions: tuple[DefinitionSym, ...], seat: CExpr, pieces: CExpr | None = None) -> CExpr:
    """Return the number of active pieces of these definitions that a seat has (or of `pieces`)."""
    piece = f.local("piece", ty.PieceT(definitions[0].kind))
    mine = f.e("eq", ty.BOOL, f.e("owner", NOBODY, f.read(piece)), seat)
    return f.e("count", ty.NumberT(0), f.e("filter", ty.SetT(piece.type), piece, pieces or f.active(definitions), mine))


def _below_limit(
    f: Frame, limit: LimitInfo, definitions: tuple[DefinitionSym, ...], seat: CExpr, pieces: CExpr | None = None
) -> CExpr:
    used, times = limit.used(seat, f.span), f.number(limit.times)
    if definitions:
        times = f.e("mul", ty.NUMBER, times, _copies(f, definitions, seat, pieces))
    return f.e("lt", ty.BOOL, used, times)


# ---- events


def _event(f: Frame, info: EventInfo, proceeding: Frame | None) -> None:
    """Replace, or before, body, after, which go into a procedure of their own where a replacement may proceed."""
    sym = info.procedure
    seat = f.params[0] if sym.params and sym.params[0][1] == ty.PLAYER else const(-1, NOBODY, f.span)
    came = f.local("came", ty.BOOL) if sym.returns == ty.BOOL else None
    out: list[CStatement] = [core.CMoment(f.span, "before", sym.name, seat)]
    closing: list[CStatement] = [core.CMoment(f.span, "after", sym.name, seat)]
    if (level := info.level) is not None:
        deep = f.e("var", ty.NUMBER, level)
        out.append(core.CDo(f.span, "set_var", (level, f.e("add", ty.NUMBER, deep, f.number(1)))))
        closing.append(core.CDo(f.span, "set_var", (level, f.e("sub", ty.NUMBER, deep, f.number(1)))))
    if came is not None:
        out.append(core.CSet(f.span, came, const(0, ty.BOOL, f.span)))
    leave = (*closing, core.CReturn(f.span, f.read(came) if came is not None else None))
    out += _round(f, info, 0, came, leave)
    if proceeding is None:
        out += _unreplaced(f, info)
    else:
        out.append(f.do(proceeding.sym))
        proceeding.body.statements = tuple(_unreplaced(proceeding, info))
    out += closing
    if came is not None:
        out.append(core.CReturn(f.span, const(1, ty.BOOL, f.span)))
    f.body.statements = tuple(out)


def _unreplaced(f: Frame, info: EventInfo) -> list[CStatement]:
    """Return the statements before the event, its body, and those after."""
    assert info.body is not None
    return [*_round(f, info, 1), f.do(info.body), *_round(f, info, 2)]


def _round(
    f: Frame, info: EventInfo, position: int, came: Local | None = None, leave: tuple[CStatement, ...] = ()
) -> list[CStatement]:
    """Return the reactions of one timing: what must happen, then who may react is asked. Replacements end with
    `leave`."""
    handlers = [h for h in info.handlers if h.timing == ("instead of", "before", "after")[position]]
    must, may = [h for h in handlers if not h.optional], [h for h in handlers if h.optional]
    out = _reactions(f, must, position, came, leave) if must else []
    return out + (_asked(f, info, may, position, came, leave) if may else [])


def _reactions(
    f: Frame, handlers: list[HandlerInfo], position: int, came: Local | None, leave: tuple[CStatement, ...]
) -> list[CStatement]:
    """Collect the handlers in force and run them.

    Those of no seat come first, then the acting seat's, then in seat order. Of replacements only the first runs,
    and the procedure ends.
    """
    t = ty.ReactionT(f.sym.name)
    waiting, chosen = f.local(f"reactions{position}", ty.SetT(t)), f.local(f"reaction{position}", t)
    label = waiting.name
    start = core.CSet(
        f.span, waiting, f.joined("union", ty.SetT(t), [_in_force(f, t, handler) for handler in handlers])
    )
    runs = _run(f, handlers, chosen, came)
    then = _pick(f, t, waiting, chosen, len(handlers) > 1 or not _is_single(f, handlers[0]))
    none_left = f.empty(f.read(waiting))
    if leave:
        return [start, core.CIf(f.span, none_left, (), (*then, *runs, *leave))]
    rest = f.e("difference", ty.SetT(t), f.read(waiting), f.e("list", ty.SetT(t), f.read(chosen)))
    body = (
        core.CIf(f.span, none_left, (core.CBreak(f.span, label),), ()),
        *then,
        core.CSet(f.span, waiting, rest),
        *runs,
    )
    return [start, core.CLoop(f.span, label, body)]


def _asked(
    f: Frame,
    info: EventInfo,
    handlers: list[HandlerInfo],
    position: int,
    came: Local | None,
    leave: tuple[CStatement, ...],
) -> list[CStatement]:
    """Ask each seat in turn which of its pieces reacts, if any; where these lie unseen, whoever could have one.

    Of events in events nobody is asked at the last level, so that reactions to reactions come to an end.
    """
    t = ty.ReactionT(f.sym.name)
    seat, chosen = f.local("seat", ty.PLAYER), f.local(f"reaction{position}", t)
    mine = f.local("may_react", ty.SetT(t))
    sets = [_in_force(f, t, handler, f.read(seat)) for handler in handlers]
    could = [
        condition
        for handler, some in zip(handlers, sets, strict=True)
        for condition in _could(f, t, handler, some, f.read(seat))
    ]
    react = core.CBinder("each", "react", chosen, (f.read(mine),), handlers[0].definitions[0].id)
    runs = (*_run(f, handlers, chosen, came, f.read(seat)), *leave)
    items = (core.CItem(f.sym.name, (react,), (), runs, f.span), core.CItem("pass", (), (), (), f.span))
    ask = (
        core.CSet(f.span, mine, f.joined("union", ty.SetT(t), sets)),
        core.CChoose(f.span, f.sym.name, f.read(seat), items, None, "author"),
    )
    in_play = f.e("member", ty.BOOL, f.read(seat), f.e("players", ty.SetT(ty.PLAYER)))
    may_ask = f.e("and", ty.BOOL, in_play, f.joined("or", ty.BOOL, could))
    if info.level is not None:
        above = f.e("lt", ty.BOOL, f.e("var", ty.NUMBER, info.level), f.number(info.procedure.depth))
        may_ask = f.e("and", ty.BOOL, above, may_ask)
    label = f"asked{position}"
    return [
        core.CFor(
            f.span, label, seat, f.e("reaction_order", ty.SetT(ty.PLAYER), f.you), (core.CIf(f.span, may_ask, ask, ()),)
        )
    ]


def _could(f: Frame, t: ty.Type, handler: HandlerInfo, reactions: CExpr, seat: CExpr) -> Iterator[CExpr]:
    """Yield the conditions under which a seat could have such a reaction, as far as all see.

    It has one where all see it; or something lies where they don't, and the condition of other things holds.
    """
    zones = f.checked.kinds[handler.definitions[0].kind].active
    unseen = [zone for zone in zones if zone.decl.visible != "all"]
    if len(unseen) < len(zones):
        seen = _in_force(f, t, handler, seat, _seen(f, handler)) if unseen else reactions
        yield f.e("not", ty.BOOL, f.empty(seen))
    if not unseen:
        return
    sizes = [
        f.e("size", ty.NumberT(0), f.e("zone", ty.ZoneT(zone.kind), zone, seat))
        if zone.per == (ty.PLAYER,)
        else f.number(1)
        for zone in unseen
    ]
    parts = [f.e("gt", ty.BOOL, f.joined("add", ty.NUMBER, sizes), f.number(0))]
    if handler.guard is not None:
        assert handler.guard.body.value is not None
        you, this, owner, *params = handler.guard.body.parameters
        values = dict(zip((you, owner, *params), (f.you, seat, *f.params), strict=True))
        own = [part for part in conjunction(handler.guard.body.value) if not mentions(part, this)]
        parts += [substitute(part, values, f.body) for part in own]
    yield f.joined("and", ty.BOOL, parts[::-1])


def _in_force(
    f: Frame, t: ty.Type, handler: HandlerInfo, seat: CExpr | None = None, pieces: CExpr | None = None
) -> CExpr:
    """Return the reactions of one handler (of a seat): one for each active piece whose condition and limit allow it.

    What must happen only happens where all see the piece.
    """
    conditions: list[CExpr] = []
    rows, piece = handler.definitions, None
    element: tuple[CExpr, ...] = ()
    if rows:
        pieces = pieces or (f.active(rows) if handler.optional else _seen(f, handler))
        piece = f.local("this", ty.PieceT(rows[0].kind))
        owner = f.e("owner", ty.PLAYER, f.read(piece))
        element = (f.read(piece), owner if seat is None else seat)
        if seat is not None:
            conditions.append(f.e("eq", ty.BOOL, owner, seat))
    if handler.guard is not None:
        conditions.append(f.call(handler.guard, *element))
    if handler.limit is not None:
        conditions.append(_below_limit(f, handler.limit, rows, element[1] if rows else f.you, pieces))
    condition = f.joined("and", ty.BOOL, conditions) if conditions else None
    if piece is not None and pieces is not None:
        if condition is not None:
            pieces = f.e("filter", ty.SetT(piece.type), piece, pieces, condition)
        return f.e("map", ty.SetT(t), piece, pieces, f.e("reaction", t, handler.number, element[0]))
    single = f.e("list", ty.SetT(t), f.e("reaction", t, handler.number, const(-1, ty.NUMBER, f.span)))
    return single if condition is None else f.e("if", ty.SetT(t), condition, single, f.e("list", ty.SetT(t)))


def _seen(f: Frame, handler: HandlerInfo) -> CExpr:
    """Return the pieces of a handler that are in force where all see them."""
    rows, zones = handler.definitions, f.checked.kinds[handler.definitions[0].kind].active
    seen = [zone for zone in zones if zone.decl.visible == "all"]
    if len(seen) == len(zones):
        return f.active(rows)
    it = f.local("it", ty.PieceT(rows[0].kind))
    lying = [f.e("family", ty.SetT(it.type), zone) for zone in seen]
    visible = f.joined("union", ty.SetT(it.type), lying)
    return f.e("filter", ty.SetT(it.type), it, visible, f.e("is_def", ty.BOOL, f.read(it), *rows))


def _is_single(f: Frame, handler: HandlerInfo) -> bool:
    """Return whether one seat can't have two distinct reactions of this handler: there is no piece, or only one, or its
    pieces are counts in a single place for each seat."""
    if not handler.definitions:
        return True
    row, *others = handler.definitions
    kind = f.checked.kinds[row.kind]
    if kind.identity:
        known = row.count.args[0] if row.count is not None and row.count.op == "const" else 2
        return not others and known == 1 and not row.decl.per_player
    return not others and len(kind.active) == 1 and kind.active[0].per in ((), (ty.PLAYER,))


def _pick(f: Frame, t: ty.Type, waiting: Local, chosen: Local, ordered: bool) -> list[CStatement]:
    """Choose whose reaction is next, and which, where one seat can have several distinct ones (`ordered`)."""
    label = waiting.name
    candidates, seat = f.local(f"{label}_next", ty.SetT(t)), f.local(f"{label}_seat", ty.PLAYER)
    it = f.local("it", t)

    def owned_by(owner: CExpr) -> CStatement:
        same = f.e("eq", ty.BOOL, f.e("reaction_owner", NOBODY, f.read(it)), owner)
        return core.CSet(f.span, candidates, f.e("filter", ty.SetT(t), it, f.read(waiting), same))

    empty = f.empty(f.read(candidates))
    seats = f"{label}_seats"
    of_seat = (owned_by(f.read(seat)), core.CIf(f.span, empty, (), (core.CBreak(f.span, seats),)))
    find = core.CFor(f.span, seats, seat, f.e("reaction_order", ty.SetT(ty.PLAYER), f.you), of_seat)
    item = core.CItem(f.sym.name, (core.CBinder("each", "react", chosen, (f.read(candidates),)),), (), (), f.span)
    is_seat = f.e("member", ty.BOOL, f.read(seat), f.e("everyone", ty.SetT(ty.PLAYER)))
    ask = core.CChoose(f.span, f.sym.name, f.read(seat), (item,), None, "engine")
    take = core.CSet(f.span, chosen, f.e("first", t, f.read(candidates)))
    owned = (find, core.CIf(f.span, is_seat, (ask,), (take,)) if ordered else take)
    first = core.CSet(f.span, seat, const(0, ty.PLAYER, f.span))
    return [first, owned_by(const(-1, NOBODY, f.span)), core.CIf(f.span, empty, owned, (take,))]


def _run(
    f: Frame, handlers: list[HandlerInfo], chosen: Local, came: Local | None, seat: CExpr | None = None
) -> list[CStatement]:
    """Call the handler that was picked (of a seat), which may say whether the event came about after all."""
    runs: list[CStatement] = []
    reaction = f.read(chosen)
    for handler in handlers:
        piece: tuple[CExpr, ...] = ()
        if handler.definitions:
            owner = seat or f.e("reaction_owner", ty.PLAYER, reaction)
            piece = (f.e("reaction_piece", ty.PieceT(handler.definitions[0].kind), reaction), owner)
        result = came if handler.body.returns == ty.BOOL else None
        call = f.do(handler.body, *piece, result=result, span=handler.span)
        body = (call,) if handler.limit is None else (handler.limit.count(piece[1] if piece else f.you, f.span), call)
        if len(handlers) == 1:
            return [*body]
        test = f.e("eq", ty.BOOL, f.e("reaction_handler", ty.NUMBER, reaction), f.number(handler.number))
        runs.append(core.CIf(f.span, test, body, ()))
    return runs


# ---- quantities

LAYERS = ("set to", "plus", "minus", "at least", "at most")
"""From the first one over the base to the last."""
ADDED = {
    ty.NumberT: ("add", "sub"),
    ty.BagT: ("bag_add", "bag_sub"),
    ty.CostT: ("cost_add", "cost_sub"),
    ty.SetT: ("union", "difference"),
}


def _quantity(f: Frame, info: QuantityInfo) -> None:
    """Compute the base of a quantity, then apply each layer to it."""
    assert info.base is not None
    value = f.call(info.base)
    modifiers = sorted(info.modifiers, key=lambda m: (LAYERS.index(m.layer), m.priority if m.layer == "set to" else 0))
    for modifier in modifiers:
        value = (_set_to if modifier.layer == "set to" else _combined)(f, modifier, value)
    f.body.statements = (core.CReturn(f.span, value),)


def _instances(f: Frame, m: ModifierInfo) -> tuple[Local, CExpr, CExpr]:
    """Return the element local, the active pieces for which the modifier holds, and its value for the element."""
    piece = f.local("this", ty.PieceT(m.definitions[0].kind))
    element = (f.read(piece), f.e("owner", ty.PLAYER, f.read(piece)))
    pieces = f.active(m.definitions)
    if m.guard is not None:
        pieces = f.e("filter", ty.SetT(piece.type), piece, pieces, f.call(m.guard, *element))
    return piece, pieces, f.call(m.value, *element)


def _where_guarded(f: Frame, m: ModifierInfo, new: CExpr, value: CExpr, t: ty.Type) -> CExpr:
    """Return the new value of a quantity where a modifier of no piece holds."""
    return new if m.guard is None else f.e("if", t, f.call(m.guard), new, value)


def _set_to(f: Frame, m: ModifierInfo, value: CExpr) -> CExpr:
    if not m.definitions:
        return _where_guarded(f, m, f.call(m.value), value, value.type)
    _, pieces, _ = _instances(f, m)
    first = f.e("first", ty.PieceT(m.definitions[0].kind), pieces)
    new = f.call(m.value, first, f.e("owner", ty.PLAYER, first))
    some = f.e("gt", ty.BOOL, f.e("count", ty.NUMBER, pieces), f.number(0))
    return f.e("if", value.type, some, new, value)


def _combined(f: Frame, m: ModifierInfo, value: CExpr) -> CExpr:
    """Return what a modifier adds, takes away or bounds; of pieces the sum, or the strictest bound, of all."""
    bounds = {"at least": ("max2", "max"), "at most": ("min2", "min")}
    op, fold = bounds.get(m.layer, ("", "flatten" if isinstance(value.type, ty.SetT) else "sum"))
    t = ty.NUMBER if op else value.type
    op = op or ADDED[type(t)][m.layer == "minus"]
    if not m.definitions:
        return _where_guarded(f, m, f.e(op, t, value, f.call(m.value)), value, t)
    piece, pieces, amount = _instances(f, m)
    if m.layer not in bounds:
        return f.e(op, t, value, f.e(fold, amount.type, piece, pieces, amount))
    bound = f.e(fold, ty.optional(ty.NUMBER), piece, pieces, amount)
    return f.e(op, t, value, f.e("otherwise", ty.NUMBER, bound, value))


# ---- abilities


def _ability(f: Frame, info: AbilityInfo) -> None:
    """Call the implementation that the piece brings, else the default."""
    sym = info.procedure
    others = [
        (f.e("is_def", ty.BOOL, f.params[0], *implementation.definitions), implementation.body)
        for implementation in reversed(info.implementations)
    ]
    if sym.pure:
        value = f.call(info.default)
        for mine, body in others:
            value = f.e("if", sym.returns, mine, f.call(body), value)
        f.body.statements = (core.CReturn(f.span, value),)
        return

    def through(target: ProcedureSym) -> tuple[CStatement, ...]:
        if isinstance(sym.returns, ty.VoidT):
            return (f.do(target),)
        result = f.local("result", sym.returns)
        return (f.do(target, result=result), core.CReturn(f.span, f.read(result)))

    f.body.statements = through(info.default)
    for mine, body in others:
        f.body.statements = (core.CIf(f.span, mine, through(body), f.body.statements),)


# ---- exchanges


def _trade(f: Frame, group: GroupInfo, purses: CExpr) -> None:
    """Offer every exchange that can be paid, with `done`, until `done` or none is left."""
    label = "trade"
    before: list[CStatement] = []
    counted: tuple[Local, core.CGuard] | None = None
    if group.times is not None:
        done_times, most = f.local("made", ty.NumberT(0)), f.local("most", ty.NUMBER)
        before += [core.CSet(f.span, done_times, f.number(0)), core.CSet(f.span, most, f.call(group.times))]
        below = f.e("lt", ty.BOOL, f.read(done_times), f.read(most))
        counted = done_times, core.CGuard(below, "at most so many times", "limit", "use")
    items = [_exchange(replace(f, span=e.span), group, e, purses, counted) for e in group.exchanges]
    items.append(core.CItem("done", (), (), (core.CBreak(f.span, label),), f.span))
    ask = core.CChoose(f.span, f.sym.name, f.you, tuple(items), (core.CBreak(f.span, label),), "engine", menu="")
    moment = core.CMoment(f.span, "before", "use", const(-1, NOBODY, f.span))
    f.body.statements = (*before, moment, core.CLoop(f.span, label, (ask,)))


def _exchange(
    f: Frame, group: GroupInfo, e: ExchangeInfo, purses: CExpr, counted: tuple[Local, core.CGuard] | None
) -> core.CItem:
    """Return one exchange as an item of the menu; `counted`: what counts those of the group, and the guard for all."""
    resource = group.resource
    piece = e.definitions[0].id if e.definitions else ""
    guards: list[core.CGuard] = []
    if e.definitions:
        active = f.e("gt", ty.BOOL, _copies(f, e.definitions, f.you), f.number(0))
        guards.append(core.CGuard(active, f"{piece} in force", "active", piece))
    if counted is not None:
        guards.append(counted[1])
    if e.guard is not None:
        guards += _conditions(f, e.guard)
    if e.limit is not None:
        below = _below_limit(f, e.limit, e.definitions, f.you)
        guards.append(core.CGuard(below, e.limit.words, "limit", e.limit.scope))
    cost, gain = f.call(e.cost), f.call(e.gain)
    payment, gained = f.local("pay", ty.PaymentT(resource)), f.local("gain", ty.BagT(resource))
    ways = f.e("payments", ty.SetT(ty.PaymentT(resource)), cost, purses)
    binders = (
        core.CBinder("each", "pay", payment, (ways,), source_text(e.cost.span)),
        core.CBinder("each", "gain", gained, (f.e("expansions", ty.SetT(ty.BagT(resource)), gain),)),
    )
    body: list[CStatement] = [
        core.CDo(f.span, "spend", (f.read(payment), purses)),
        *_stored_gain(f, purses.args[0], gained),
    ]
    if e.limit is not None:
        body.append(e.limit.count(f.you, f.span))
    if counted is not None:
        done_times = counted[0]
        body.append(core.CSet(f.span, done_times, f.e("add", ty.NUMBER, f.read(done_times), f.number(1))))
    return core.CItem(e.name, binders, tuple(guards), tuple(body), e.span, e.citations, piece)


def _stored_gain(f: Frame, purse: CExpr, gained: Local) -> tuple[CStatement, ...]:
    """Return the statements that store the part of a gain that the first purse takes, which is chosen where it has a
    total."""
    sym, indices = purse.args[0], expressions(purse.args)
    each, limits, total = capacity(f.checked, f.body, sym, indices, f.span)
    current = f.e("var", sym.type, sym, *indices)
    remainder = f.local("keep", sym.type)
    if sym.total is not None:
        assert isinstance(gained.type, ty.BagT)
        added = f.e("cost", ty.CostT(gained.type.resource), f.read(gained))
        options = f.e("placements", ty.SetT(sym.type, 1), current, added, total, each, *limits)
        item = core.CItem(f.sym.name, (core.CBinder("each", "keep", remainder, (options,)),), (), (), f.span)
        keep: CStatement = core.CChoose(f.span, f.sym.name, f.you, (item,), None, "engine")
    else:
        new = f.e("bag_add", sym.type, current, f.read(gained))
        if sym.each is not None or limits:
            new = f.e("bag_clamp", sym.type, new, each, *limits)
        keep = core.CSet(f.span, remainder, new)
    return keep, core.CDo(f.span, "set_var", (sym, f.read(remainder), *indices))


def _conditions(f: Frame, guard: ProcedureSym) -> list[core.CGuard]:
    """Return the parts of an exchange's `when`, each with its source text."""
    assert guard.body.value is not None
    values = dict(zip(guard.body.parameters, (f.you, *f.params), strict=True))
    whole = substitute(guard.body.value, values, f.body)
    return [core.CGuard(part, source_text(part.span)) for part in conjunction(whole)]
