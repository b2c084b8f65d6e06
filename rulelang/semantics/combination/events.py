"""Bodies of events: what replaces them, what comes before, the author's words, what comes after.

Enters: the draft of an event, its handlers. Leaves: statements in which reactions come one after the other, each once;
who orders or chooses them is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rulelang.semantics.combination.draft import NOBODY, Leaver, LeavingList, ProcedureDraft, below_limit
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, CStatement, Local, conjunction, mentions, substitute
from rulelang.semantics.tree.shared import const
from rulelang.semantics.tree.symbols import (
    DefinitionSym,
    EventInfo,
    HandlerInfo,
)

FEW = 16
"""Up to so many handlers after an event stand twice, as pieces that left are seldom: looking for them took a tenth of
the instructions of a game in which cards are taken apart in front of others that react (`ldd:2`)."""


def build_event(frame: ProcedureDraft, info: EventInfo, chain: ProcedureDraft | None) -> None:
    """Build the body of an event: the first replacement that is in force, else the before handlers, the author's body
    and the after handlers. Where a replacement may let the event proceed, that is the body of `chain`, which each such
    replacement calls for the rest: a replacement that was used on the event is not in force any more.
    """
    sym = info.procedure
    seat = frame.params[0] if sym.params and sym.params[0][1] == ty.PLAYER else const(-1, NOBODY, frame.span)
    happened = frame.local("came", ty.BOOL) if sym.returns == ty.BOOL else None
    out: list[CStatement] = [core.CMoment(frame.span, "before", sym.name, seat)]
    closing: list[CStatement] = [core.CMoment(frame.span, "after", sym.name, seat)]
    for let in info.lets:
        local = frame.local(let.name, let.returns)
        out.append(frame.set(local, frame.call(let)))
        frame.lets = (*frame.lets, local)
    if (level := info.level) is not None:
        deep = frame.expr("var", ty.NUMBER, level)
        out.append(core.CDo(frame.span, "set_var", (level, frame.expr("add", ty.NUMBER, deep, frame.number(1)))))
        closing.append(core.CDo(frame.span, "set_var", (level, frame.expr("sub", ty.NUMBER, deep, frame.number(1)))))
    if chain is not None:
        none_used = frame.expr("list", ty.SetT(ty.ReactionT(sym.name)))
        out.append(core.CCall(frame.span, chain.sym, (frame.you, *frame.params, none_used), happened))
        out += closing
        if happened is not None:
            out.append(core.CReturn(frame.span, frame.read(happened)))
        frame.body.statements = tuple(out)
        _build_chain(chain, info)
        return
    if happened is not None:
        out.append(frame.set(happened, const(0, ty.BOOL, frame.span)))
    early_exit = (*closing, core.CReturn(frame.span, frame.read(happened) if happened is not None else None))
    out += [*_reactions_of_timing(frame, info, 0, happened, early_exit), *_before_body_after(frame, info), *closing]
    if happened is not None:
        out.append(core.CReturn(frame.span, const(1, ty.BOOL, frame.span)))
    frame.body.statements = tuple(out)


def _build_chain(chain: ProcedureDraft, info: EventInfo) -> None:
    """Build what is left of an event: its replacements but for those used, else all that follows them; it returns
    whether the event came about."""
    chain.used = chain.body.parameters[-1]
    happened = chain.local("came", ty.BOOL)
    early_exit = (core.CReturn(chain.span, chain.read(happened)),)
    chain.body.statements = (
        chain.set(happened, const(0, ty.BOOL, chain.span)),
        *_reactions_of_timing(chain, info, 0, happened, early_exit),
        *_before_body_after(chain, info),
        core.CReturn(chain.span, const(1, ty.BOOL, chain.span)),
    )


def _before_body_after(frame: ProcedureDraft, info: EventInfo) -> list[CStatement]:
    """Return the before handlers of an event, its body and its after handlers, in this order. What is after it also
    asks the pieces among its arguments that were in force when it began, with the owners that they had then."""
    assert info.body is not None
    before, after = list[CStatement](), list[CStatement]()
    leavers = list[Leaver]()
    handlers = [handler for handler in info.handlers if handler.timing == "after" and handler.definitions]
    for piece in frame.params:
        rows = tuple({row: 0 for h in handlers for row in h.definitions if ty.bare(piece.type) == ty.PieceT(row.kind)})
        if not rows:
            continue
        kind = rows[0].kind
        leaver = Leaver(
            replace(piece, type=ty.PieceT(kind)), kind, frame.local("left", ty.BOOL), frame.local("whose", NOBODY)
        )
        is_row = frame.expr("is_def", ty.BOOL, leaver.piece, *rows)
        is_there = frame.expr("member", ty.BOOL, leaver.piece, _seen_active(frame, rows))
        is_there = frame.expr("and", ty.BOOL, is_row, is_there)
        if isinstance(piece.type, ty.OptionalT):
            is_some = frame.expr("not", ty.BOOL, frame.expr("is_none", ty.BOOL, piece))
            is_there = frame.expr("and", ty.BOOL, is_some, is_there)
        was_there, owner = frame.read(leaver.left), frame.expr("owner", NOBODY, leaver.piece)
        owner = frame.expr("if", NOBODY, was_there, owner, const(-1, NOBODY, frame.span))
        is_gone = frame.expr("not", ty.BOOL, frame.expr("member", ty.BOOL, leaver.piece, frame.active(rows)))
        before += [frame.set(leaver.left, is_there), frame.set(leaver.owner, owner)]
        after.append(frame.set(leaver.left, frame.expr("and", ty.BOOL, was_there, is_gone)))
        leavers.append(leaver)
    lists = [_leaving_list(frame, piece, handlers, before, after) for piece in frame.params]
    lists_left = [leaving for leaving in lists if leaving is not None]
    reactions = _reactions_of_timing(frame, info, 2)
    if leavers or lists_left:
        frame.leavers, frame.lists = tuple(leavers), tuple(lists_left)
        with_left = _reactions_of_timing(frame, info, 2)
        frame.leavers, frame.lists = (), ()
        left = [frame.read(leaver.left) for leaver in leavers]
        left += [frame.expr("not", ty.BOOL, frame.empty(frame.read(leaving.gone))) for leaving in lists_left]
        some_left = frame.joined("or", ty.BOOL, left)
        is_short = len(handlers) <= FEW
        reactions = [frame.branch(some_left, tuple(with_left), tuple(reactions))] if is_short else with_left
    return [*before, *_reactions_of_timing(frame, info, 1), frame.do(info.body), *after, *reactions]


def _leaving_list(
    frame: ProcedureDraft,
    pieces: CExpr,
    handlers: Sequence[HandlerInfo],
    before: list[CStatement],
    after: list[CStatement],
) -> LeavingList | None:
    """Return what of a list of pieces the event may take out of force, and add what notes that to the statements before
    and after it; None if nothing of it reacts."""
    collection = ty.bare(pieces.type)
    element = ty.bare(collection.element) if isinstance(collection, ty.SetT) else collection
    rows = tuple({row: 0 for h in handlers for row in h.definitions if element == ty.PieceT(row.kind)})
    if not rows or element == collection:
        return None
    kind = rows[0].kind
    several = ty.SetT(ty.PieceT(kind))
    leaving = LeavingList(
        kind, frame.local("there", several), frame.local("owners", ty.SetT(NOBODY)), frame.local("gone", several)
    )
    it, there = frame.local("it", ty.PieceT(kind)), frame.read(leaving.there)
    is_row = frame.expr("is_def", ty.BOOL, frame.read(it), *rows)
    is_there = frame.expr("member", ty.BOOL, frame.read(it), _seen_active(frame, rows))
    in_force = frame.expr("and", ty.BOOL, is_row, is_there)
    of = frame.local("it", ty.PieceT(kind))
    owners = frame.expr("map", ty.SetT(NOBODY), of, there, frame.expr("owner", NOBODY, frame.read(of)))
    before += [
        frame.set(leaving.there, frame.expr("filter", several, it, pieces, in_force)),
        frame.set(leaving.owners, owners),
    ]
    one = frame.local("it", ty.PieceT(kind))
    is_gone = frame.expr("not", ty.BOOL, frame.expr("member", ty.BOOL, frame.read(one), frame.active(rows)))
    after.append(frame.set(leaving.gone, frame.expr("filter", several, one, there, is_gone)))
    return leaving


def _owner_in(frame: ProcedureDraft, leaving: LeavingList, piece: CExpr) -> CExpr:
    """Return whose a piece of a list was when the event began."""
    there, place = frame.read(leaving.there), frame.local("place", ty.NUMBER)
    last = frame.expr("sub", ty.NUMBER, frame.expr("count", ty.NUMBER, there), frame.number(1))
    places = frame.expr("numbers", ty.SetT(ty.NUMBER), frame.number(0), last)
    is_it = frame.expr("eq", ty.BOOL, frame.expr("at", piece.type, there, frame.read(place)), piece)
    found = frame.expr("first", ty.optional(ty.NUMBER), frame.expr("filter", places.type, place, places, is_it))
    number = frame.expr("otherwise", ty.NUMBER, found, frame.number(0))
    return frame.expr("at", NOBODY, frame.read(leaving.owners), number)


def _of_leavers(frame: ProcedureDraft, t: ty.Type, handler: HandlerInfo, seat: CExpr | None = None) -> Iterator[CExpr]:
    """Yield for each piece that the event may have taken out of force the reactions of a handler that it still has: one
    or none.

    Args:
        seat: only those of this owner.
    """
    for leaver in frame.leavers:
        if not handler.definitions or leaver.kind != handler.definitions[0].kind:
            continue
        owner = frame.expr("cast", ty.PLAYER, frame.read(leaver.owner))
        conditions = [frame.read(leaver.left), frame.expr("is_def", ty.BOOL, leaver.piece, *handler.definitions)]
        conditions += _still(frame, handler, leaver.piece, owner, seat)
        reaction = frame.expr("reaction", t, handler.number, leaver.piece)
        some, none = frame.expr("list", ty.SetT(t), reaction), frame.expr("list", ty.SetT(t))
        yield frame.expr("if", ty.SetT(t), frame.joined("and", ty.BOOL, conditions), some, none)
    for leaving in frame.lists:
        if not handler.definitions or leaving.kind != handler.definitions[0].kind:
            continue
        it = frame.local("this", ty.PieceT(leaving.kind))
        owner = frame.expr("cast", ty.PLAYER, _owner_in(frame, leaving, frame.read(it)))
        conditions = [frame.expr("is_def", ty.BOOL, frame.read(it), *handler.definitions)]
        conditions += _still(frame, handler, frame.read(it), owner, seat)
        which = frame.expr(
            "filter",
            ty.SetT(it.type),
            it,
            frame.read(leaving.gone),
            frame.joined("and", ty.BOOL, conditions),
        )
        of = frame.local("this", it.type)
        yield frame.expr("map", ty.SetT(t), of, which, frame.expr("reaction", t, handler.number, frame.read(of)))


def _still(
    frame: ProcedureDraft, handler: HandlerInfo, piece: CExpr, owner: CExpr, seat: CExpr | None
) -> Iterator[CExpr]:
    """Yield the conditions under which a piece that has left still has the reaction of a handler.

    Args:
        seat: only if it was this one's.
    """
    if seat is not None:
        yield frame.expr("eq", ty.BOOL, owner, seat)
    if handler.guard is not None:
        yield frame.call(handler.guard, piece, owner)
    if handler.limit is not None:
        used, times = handler.limit.used(owner, frame.span), frame.number(handler.limit.times)
        yield frame.expr("lt", ty.BOOL, used, times)


def _owner_of(frame: ProcedureDraft, reaction: CExpr) -> CExpr:
    """Return the owner of the piece of a reaction: of one that the event has taken out of force, who it was."""
    owner = frame.expr("reaction_owner", NOBODY, reaction)
    for leaving in frame.lists:
        piece = frame.expr("reaction_piece", ty.PieceT(leaving.kind), reaction)
        is_gone = frame.expr("member", ty.BOOL, piece, frame.read(leaving.gone))
        owner = frame.expr("if", NOBODY, is_gone, _owner_in(frame, leaving, piece), owner)
    for leaver in frame.leavers:
        piece = frame.expr("reaction_piece", ty.PieceT(leaver.kind), reaction)
        is_it = frame.expr("and", ty.BOOL, frame.read(leaver.left), frame.expr("eq", ty.BOOL, piece, leaver.piece))
        owner = frame.expr("if", NOBODY, is_it, frame.read(leaver.owner), owner)
    return owner


def _reactions_of_timing(
    frame: ProcedureDraft,
    info: EventInfo,
    position: int,
    happened: Local | None = None,
    early_exit: tuple[CStatement, ...] = (),
) -> list[CStatement]:
    """Return the statements for all handlers of one timing: mandatory reactions run, then seats choose among optional
    ones.

    Args:
        position: 0 for replacements (`instead of`), 1 for `before`, 2 for `after`.
        happened: the local that says whether the event happened, where it returns that.
        early_exit: what ends the event after a replacement.
    """
    handlers = [h for h in info.handlers if h.timing == ("instead of", "before", "after")[position]]
    mandatory, optional = [h for h in handlers if not h.optional], [h for h in handlers if h.optional]
    out = _mandatory_reactions(frame, mandatory, position, happened, early_exit, info.by) if mandatory else []
    return out + (_optional_reactions(frame, info, optional, position, happened, early_exit) if optional else [])


def _mandatory_reactions(
    frame: ProcedureDraft,
    handlers: list[HandlerInfo],
    position: int,
    happened: Local | None,
    early_exit: tuple[CStatement, ...],
    by: int,
) -> list[CStatement]:
    """Return the statements that collect the mandatory reactions in force and run them one after the other.

    Reactions of no seat come first, then the acting seat's, then those of others in seat order. Those of a seat that
    commute with all others happen in the order of their rows, the others in one that it chooses. With `early_exit` (of
    replacements) only the first one runs, and the event ends; it is chosen by the seat of parameter number `by`, if
    there is one.
    """
    t = ty.ReactionT(frame.sym.name)
    waiting, chosen = frame.local(f"reactions{position}", ty.SetT(t)), frame.local(f"reaction{position}", t)
    label = waiting.name
    in_force = [some for h in handlers for some in (_in_force(frame, t, h), *_of_leavers(frame, t, h))]
    all_in_force = frame.joined("union", ty.SetT(t), in_force)
    start = frame.set(waiting, frame.unused(all_in_force) if early_exit else all_in_force)
    runs = _run_handler(frame, handlers, chosen, happened)
    single = {handler: _has_single_reaction(frame, handler) for handler in handlers}
    ordered = len(handlers) > 1 or not single[handlers[0]]
    free = frame.commutation.free(handlers, single) if ordered and not early_exit else set()
    ordered = ordered and (bool(early_exit) or any(h.definitions and h not in free for h in handlers))
    then = _pick_next_reaction(frame, t, waiting, chosen, ordered, sorted(handler.number for handler in free))
    if early_exit and by >= 0:
        then = _pick_by(frame, waiting, chosen, frame.params[by])
    none_left = frame.empty(frame.read(waiting))
    if early_exit:
        return [start, frame.branch(none_left, (), (*then, *runs, *early_exit))]
    rest = frame.expr("difference", ty.SetT(t), frame.read(waiting), frame.expr("list", ty.SetT(t), frame.read(chosen)))
    body = (
        frame.branch(none_left, (core.CBreak(frame.span, label),), ()),
        *then,
        frame.set(waiting, rest),
        *runs,
    )
    return [start, core.CLoop(frame.span, label, body)]


def _optional_reactions(
    frame: ProcedureDraft,
    info: EventInfo,
    handlers: list[HandlerInfo],
    position: int,
    happened: Local | None,
    early_exit: tuple[CStatement, ...],
) -> list[CStatement]:
    """Return the statements that let each seat in turn choose one of its optional reactions, or pass.

    A seat is asked where it may have a reaction as far as all see (`_may_have_reaction`), so that the question tells
    nothing hidden. In an event with a depth nobody is asked at the last level, so that reactions to reactions end.
    """
    t = ty.ReactionT(frame.sym.name)
    seat, chosen = frame.local("seat", ty.PLAYER), frame.local(f"reaction{position}", t)
    mine, reacted = frame.local("may_react", ty.SetT(t)), frame.local("reacted", ty.SetT(t))
    left = [[*_of_leavers(frame, t, handler, frame.read(seat))] for handler in handlers]
    sets = [
        frame.joined("union", ty.SetT(t), [_in_force(frame, t, handler, frame.read(seat)), *gone])
        for handler, gone in zip(handlers, left, strict=True)
    ]
    if early_exit:
        sets = [frame.unused(some) for some in sets]
    else:  # a piece that has come to a later seat has reacted already
        sets = [frame.expr("difference", ty.SetT(t), some, frame.read(reacted)) for some in sets]
    could = [
        condition
        for handler, some in zip(handlers, sets, strict=True)
        for condition in _may_have_reaction(frame, t, handler, some, frame.read(seat), bool(early_exit))
    ]
    could += [frame.expr("not", ty.BOOL, frame.empty(some)) for gone in left for some in gone]
    react = core.CBinder("each", "react", chosen, (frame.read(mine),), handlers[0].definitions[0].id)
    runs = (*_run_handler(frame, handlers, chosen, happened, frame.read(seat)), *early_exit)
    if not early_exit:
        one = frame.expr("list", ty.SetT(t), frame.read(chosen))
        runs = (frame.set(reacted, frame.expr("union", ty.SetT(t), frame.read(reacted), one)), *runs)
    items = (core.CItem(frame.sym.name, (react,), (), runs, frame.span), core.CItem("pass", (), (), (), frame.span))
    ask = (
        frame.set(mine, frame.joined("union", ty.SetT(t), sets)),
        core.CChoose(frame.span, frame.sym.name, frame.read(seat), items, None, "author"),
    )
    in_play = frame.expr("member", ty.BOOL, frame.read(seat), frame.expr("players", ty.SetT(ty.PLAYER)))
    may_ask = frame.expr("and", ty.BOOL, in_play, frame.joined("or", ty.BOOL, could))
    if info.level is not None:
        assert info.procedure.levels is not None
        above = frame.expr("lt", ty.BOOL, frame.expr("var", ty.NUMBER, info.level), info.procedure.levels)
        may_ask = frame.expr("and", ty.BOOL, above, may_ask)
    order = frame.expr("reaction_order", ty.SetT(ty.PLAYER), frame.you)
    none = () if early_exit else (frame.set(reacted, frame.expr("list", ty.SetT(t))),)
    return [*none, core.CFor(frame.span, f"asked{position}", seat, order, (frame.branch(may_ask, ask, ()),))]


def _may_have_reaction(
    frame: ProcedureDraft, t: ty.Type, handler: HandlerInfo, reactions: CExpr, seat: CExpr, replaces: bool
) -> Iterator[CExpr]:
    """Yield the public conditions under which a seat may have a reaction of this handler; it is asked if any of them
    holds.

    Where all see the active pieces, that is whether it has a reaction. Where some lie hidden, it is whether their zones
    hold any piece and those parts of the handler's condition hold that do not mention the piece.
    """
    zones = frame.checked.kinds[handler.definitions[0].kind].active
    unseen = [zone for zone in zones if not zone.view.public]
    if len(unseen) < len(zones):
        seen = _in_force(frame, t, handler, seat, _publicly_active(frame, handler)) if unseen else reactions
        seen = frame.unused(seen) if unseen and replaces else seen
        yield frame.expr("not", ty.BOOL, frame.empty(seen))
    if not unseen:
        return
    sizes = [
        frame.expr("size", ty.NumberT(0), frame.expr("zone", ty.ZoneT(zone.kind), zone, seat))
        if zone.per == (ty.PLAYER,)
        else frame.number(1)
        for zone in unseen
    ]
    parts = [frame.expr("gt", ty.BOOL, frame.joined("add", ty.NUMBER, sizes), frame.number(0))]
    if handler.guard is not None:
        assert handler.guard.body.value is not None
        you, this, owner, *params = handler.guard.body.parameters
        values = dict(zip((you, owner, *params), (frame.you, seat, *frame.params), strict=True))
        own = [part for part in conjunction(handler.guard.body.value) if not mentions(part, this)]
        parts += [substitute(part, values, frame.body) for part in own]
    yield frame.joined("and", ty.BOOL, parts[::-1])


def _in_force(
    frame: ProcedureDraft, t: ty.Type, handler: HandlerInfo, seat: CExpr | None = None, pieces: CExpr | None = None
) -> CExpr:
    """Return the set of reactions of one handler: one for each active piece whose condition and limit allow it.

    Args:
        seat: count only pieces of this owner; None for all.
        pieces: the pieces to look at; None for the active ones, of a mandatory handler only those that all see.
    """
    conditions: list[CExpr] = []
    rows, piece = handler.definitions, None
    element: tuple[CExpr, ...] = ()
    if rows:
        pieces = pieces or (frame.active(rows) if handler.optional else _publicly_active(frame, handler))
        piece = frame.local("this", ty.PieceT(rows[0].kind))
        owner = frame.expr("owner", ty.PLAYER, frame.read(piece))
        element = (frame.read(piece), owner if seat is None else seat)
        if seat is not None:
            conditions.append(frame.expr("eq", ty.BOOL, owner, seat))
    if handler.guard is not None:
        conditions.append(frame.call(handler.guard, *element))
    if handler.limit is not None:
        conditions.append(below_limit(frame, handler.limit, rows, element[1] if rows else frame.you, pieces))
    condition = frame.joined("and", ty.BOOL, conditions) if conditions else None
    if piece is not None and pieces is not None:
        if condition is not None:
            pieces = frame.expr("filter", ty.SetT(piece.type), piece, pieces, condition)
        return frame.expr("map", ty.SetT(t), piece, pieces, frame.expr("reaction", t, handler.number, element[0]))
    single = frame.expr("list", ty.SetT(t), frame.expr("reaction", t, handler.number, const(-1, ty.NUMBER, frame.span)))
    none = frame.expr("list", ty.SetT(t))
    return single if condition is None else frame.expr("if", ty.SetT(t), condition, single, none)


def _publicly_active(frame: ProcedureDraft, handler: HandlerInfo) -> CExpr:
    """Return the active pieces of a handler that lie in zones that all seats see."""
    return _seen_active(frame, handler.definitions)


def _seen_active(frame: ProcedureDraft, rows: tuple[DefinitionSym, ...]) -> CExpr:
    """Return the pieces of rows whose text is in force in zones that all seats see."""
    zones = frame.checked.kinds[rows[0].kind].active
    seen = [zone for zone in zones if zone.view.public]
    if len(seen) == len(zones):
        return frame.active(rows)
    it = frame.local("it", ty.PieceT(rows[0].kind))
    none = frame.expr("list", ty.SetT(it.type))
    lying = [frame.expr("family", ty.SetT(it.type), zone) for zone in seen]
    visible = frame.joined("union", ty.SetT(it.type), lying or [none])
    return frame.expr("filter", ty.SetT(it.type), it, visible, frame.expr("is_def", ty.BOOL, frame.read(it), *rows))


def _has_single_reaction(frame: ProcedureDraft, handler: HandlerInfo) -> bool:
    """Return whether a seat never has two distinguishable reactions of this handler, so that there is no order to
    choose.

    That is so without pieces, with one unique piece, or where all copies lie in a single zone of each seat and are
    alike.
    """
    if not handler.definitions:
        return True
    row, *others = handler.definitions
    kind = frame.checked.kinds[row.kind]
    if kind.identity:
        known = row.count.args[0] if row.count is not None and row.count.op == "const" else 2
        return not others and known == 1 and not row.decl.per_player
    return not others and len(kind.active) == 1 and kind.active[0].per in ((), (ty.PLAYER,))


def _pick_next_reaction(
    frame: ProcedureDraft, t: ty.Type, waiting: Local, chosen: Local, ordered: bool, free: list[int]
) -> list[CStatement]:
    """Return the statements that take the next reaction from `waiting` into `chosen`: of no seat, else of the first in
    seat order.

    Args:
        ordered: whether one seat can have several distinct reactions and is asked which comes first.
        free: numbers of handlers whose reactions come before that, unasked.
    """
    label = waiting.name
    candidates, seat = frame.local(f"{label}_next", ty.SetT(t)), frame.local(f"{label}_seat", ty.PLAYER)
    it = frame.local("it", t)

    def owned_by(owner: CExpr) -> CStatement:
        """Return the statement that filters the waiting reactions by owner into `candidates`."""
        same = frame.expr("eq", ty.BOOL, _owner_of(frame, frame.read(it)), owner)
        return frame.set(candidates, frame.expr("filter", ty.SetT(t), it, frame.read(waiting), same))

    empty = frame.empty(frame.read(candidates))
    seats = f"{label}_seats"
    of_seat = (owned_by(frame.read(seat)), frame.branch(empty, (), (core.CBreak(frame.span, seats),)))
    find = core.CFor(frame.span, seats, seat, frame.expr("reaction_order", ty.SetT(ty.PLAYER), frame.you), of_seat)
    is_seat = frame.expr("member", ty.BOOL, frame.read(seat), frame.expr("everyone", ty.SetT(ty.PLAYER)))
    ask = frame.ask(frame.read(seat), "react", chosen, frame.read(candidates))
    take = frame.set(chosen, frame.expr("first", t, frame.read(candidates)))
    pick: tuple[CStatement, ...] = (ask,)
    if free:
        loose = frame.local(f"{label}_free", ty.SetT(t))
        numbers = frame.expr("list", ty.SetT(ty.NUMBER), *map(frame.number, free))
        is_free = frame.expr("member", ty.BOOL, frame.expr("reaction_handler", ty.NUMBER, frame.read(it)), numbers)
        unasked = frame.set(chosen, frame.expr("first", t, frame.read(loose)))
        pick = (
            frame.set(loose, frame.expr("filter", ty.SetT(t), it, frame.read(candidates), is_free)),
            frame.branch(frame.empty(frame.read(loose)), (ask,), (unasked,)),
        )
    owned = (find, frame.branch(is_seat, pick, (take,)) if ordered else take)
    first = frame.set(seat, const(0, ty.PLAYER, frame.span))
    return [first, owned_by(const(-1, NOBODY, frame.span)), frame.branch(empty, owned, (take,))]


def _pick_by(frame: ProcedureDraft, waiting: Local, chosen: Local, seat: CExpr) -> list[CStatement]:
    """Return the statements by which a seat chooses the next of all reactions that wait, whoever's they are."""
    is_seat = frame.expr("member", ty.BOOL, seat, frame.expr("everyone", ty.SetT(ty.PLAYER)))
    take = frame.set(chosen, frame.expr("first", chosen.type, frame.read(waiting)))
    return [frame.branch(is_seat, (frame.ask(seat, "react", chosen, frame.read(waiting)),), (take,))]


def _run_handler(
    frame: ProcedureDraft, handlers: list[HandlerInfo], chosen: Local, happened: Local | None, seat: CExpr | None = None
) -> list[CStatement]:
    """Return the statements that call the handler of the chosen reaction and count its use.

    Args:
        chosen: the local that holds the reaction.
        happened: set by handlers that return whether the event happened.
        seat: the owner of the piece; None to read it from the reaction.
    """
    runs: list[CStatement] = []
    reaction = frame.read(chosen)
    for handler in handlers:
        piece: tuple[CExpr, ...] = ()
        if handler.definitions:
            owner = seat or (
                frame.expr("cast", ty.PLAYER, _owner_of(frame, reaction))
                if frame.leavers or frame.lists
                else frame.expr("reaction_owner", ty.PLAYER, reaction)
            )
            piece = (frame.expr("reaction_piece", ty.PieceT(handler.definitions[0].kind), reaction), owner)
        chained = handler.body.returns == ty.BOOL and frame.used is not None
        arguments = (frame.you, *piece, *frame.params, *([frame.read(frame.used)] if chained and frame.used else ()))
        body: list[CStatement] = [core.CCall(handler.span, handler.body, arguments, happened if chained else None)]
        if handler.limit is not None:
            body.insert(0, handler.limit.count(piece[1] if piece else frame.you, frame.span))
        if len(handlers) == 1:
            return body
        taken = frame.expr("reaction_handler", ty.NUMBER, reaction)
        test = frame.expr("eq", ty.BOOL, taken, frame.number(handler.number))
        runs.append(frame.branch(test, body, ()))
    return runs
