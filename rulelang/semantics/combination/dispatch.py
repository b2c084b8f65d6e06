"""Method combination: what is done around the author's words, lowered to ordinary statements and expressions.

Enters: the checked tree. Leaves: bodies of the checked tree that make explicit the order of reactions to an event, the
layers of a quantity, the choice of an ability's implementation, and the rounds of a trade. Before, after and around
methods are those of CLOS (Bobrow et al., "Common Lisp Object System Specification", 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import TypeVar

from rulelang.diagnostics import Span
from rulelang.semantics.combination.commutation import Commutation
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import Body, CExpr, CStatement, Local, conjunction, expressions, mentions, substitute
from rulelang.semantics.tree.shared import const, number, source_text
from rulelang.semantics.tree.symbols import (
    AbilityInfo,
    Bodies,
    Checked,
    DefinitionSym,
    EventInfo,
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    ImplementInfo,
    LimitInfo,
    ModifierInfo,
    ProcedureSym,
    QuantityInfo,
    RankingInfo,
)
from rulelang.semantics.typing.changes import capacity, must_fit

NOBODY = ty.optional(ty.PLAYER)
T = TypeVar("T")
RUN = 64
"""So many operands of an operation stand in each other at most."""
REPEATED = 2
"""So many modifiers that name the value before them twice stand in each other at most: it doubles with each."""


@dataclass
class ProcedureDraft:
    """A procedure under construction: its body, and how `you` and the parameters are read. `used`: the last parameter
    of a chain of replacements, which holds those that were used on the event. `leavers`: the pieces that what reacts
    also asks though the event has taken them out of force."""

    checked: Checked
    sym: ProcedureSym
    body: Body
    span: Span
    commutation: Commutation
    used: Local | None = None
    leavers: tuple[Leaver, ...] = ()
    lets: tuple[Local, ...] = ()

    @property
    def you(self) -> CExpr:
        """The acting seat."""
        return CExpr("local", ty.PLAYER, (self.body.parameters[0],), self.sym.span)

    @property
    def params(self) -> tuple[CExpr, ...]:
        """The declared parameters, and what an event names by `let`."""
        hidden = 0 if self.used is None else 1
        locals = [*self.body.parameters[1 : len(self.body.parameters) - hidden], *self.lets]
        return tuple(CExpr("local", local.type, (local,), self.sym.span) for local in locals)

    def local(self, name: str, t: ty.Type) -> Local:
        """Add a local variable to the procedure."""
        local = Local(name, t, self.span)
        self.body.locals.append(local)
        return local

    def read(self, local: Local) -> CExpr:
        """Return the expression that reads a local."""
        return CExpr("local", local.type, (local,), self.span)

    def expr(self, op: str, t: ty.Type, *args: object) -> CExpr:
        """Return a typed expression of the checked tree, placed at the span of the frame."""
        return CExpr(op, t, args, self.span)

    def joined(self, op: str, t: ty.Type, parts: Sequence[CExpr]) -> CExpr:
        """Fold one operation over all parts, in their order: from the left, of many in runs, so that values don't stand
        in each other too deep."""
        if len(parts) > RUN:
            runs = [parts[first : first + RUN] for first in range(0, len(parts), RUN)]
            return self.joined(op, t, [self.joined(op, t, run) for run in runs])
        return reduce(lambda left, right: self.expr(op, t, left, right), parts)

    def number(self, value: int) -> CExpr:
        """Return a number constant."""
        return number(value, self.span)

    def empty(self, values: CExpr) -> CExpr:
        """Return the test that a set has no elements."""
        return self.expr("eq", ty.BOOL, self.expr("count", ty.NUMBER, values), self.number(0))

    def active(self, definitions: tuple[DefinitionSym, ...]) -> CExpr:
        """Return the pieces of these rows whose rule text is in force."""
        kind = self.checked.kinds[definitions[0].kind]
        return self.expr("active", ty.SetT(ty.PieceT(kind.name)), kind, *definitions)

    def call(self, sym: ProcedureSym, *piece: CExpr) -> CExpr:
        """Return a call of a pure procedure with the parameters of this one; `piece`: the piece whose rule text it is,
        and its owner."""
        return self.expr("call", sym.returns, sym, self.you, *piece, *self.params)

    def set(self, local: Local, value: CExpr) -> core.CSet:
        """Return the statement that gives a local its value."""
        return core.CSet(self.span, local, value)

    def unused(self, reactions: CExpr) -> CExpr:
        """Return reactions without those that were used in a chain of replacements."""
        return (
            reactions if self.used is None else self.expr("difference", reactions.type, reactions, self.read(self.used))
        )

    def branch(self, condition: CExpr, then: Sequence[CStatement], otherwise: Sequence[CStatement]) -> core.CIf:
        """Return the statement that runs one of two blocks."""
        return core.CIf(self.span, condition, tuple(then), tuple(otherwise))

    def ask(self, seat: CExpr, name: str, local: Local, options: CExpr) -> core.CChoose:
        """Return the decision in which a seat chooses one of some options, if they are several."""
        item = core.CItem(self.sym.name, (core.CBinder("each", name, local, (options,)),), (), (), self.span)
        return core.CChoose(self.span, self.sym.name, seat, (item,), None, "engine")

    def do(self, sym: ProcedureSym, *piece: CExpr, result: Local | None = None, span: Span | None = None) -> core.CCall:
        """Return the statement that calls a procedure with the parameters of this one.

        Args:
            piece: the piece whose rule text it is, and its owner; nothing for rule text of no piece.
            result: the local that gets what the procedure returns.
        """
        return core.CCall(span or self.span, sym, (self.you, *piece, *self.params), result)


def dispatch(checked: Checked) -> Bodies:
    """Return the bodies of events, quantities, abilities, trades and the total score; the tree stays as it is."""
    bodies = Bodies()
    commutation = Commutation(checked)

    def new_frame(sym: ProcedureSym) -> ProcedureDraft:
        """Return a frame for a procedure without a body yet, which is entered in `bodies`."""
        locals = [Local(name, t, sym.span) for name, t in (("you", ty.PLAYER), *sym.params)]
        bodies[sym] = Body(locals, [*locals])
        return ProcedureDraft(checked, sym, bodies[sym], sym.span, commutation)

    for event in checked.events.values():
        frame = new_frame(event.procedure)
        _build_event(frame, event, new_frame(event.proceeding) if event.proceeding is not None else None)
    for quantity in checked.quantities.values():
        _build_quantity(new_frame(quantity.procedure), quantity)
    for ability in checked.abilities.values():
        _build_ability(new_frame(ability.procedure), ability)
    for group in checked.groups.values():
        assert group.purse is not None
        body = bodies[group.trade] = Body([*group.purse.body.parameters], [*group.purse.body.locals])
        _build_trade(
            ProcedureDraft(checked, group.trade, body, group.trade.span, commutation), group, group.purse.purses
        )
    if checked.total is not None:
        frame = new_frame(checked.total)
        lines = [frame.call(line.procedure) for line in checked.scores]
        value = frame.joined("add", ty.NUMBER, [frame.number(0), *lines])
        frame.body.statements = (core.CReturn(frame.span, value),)
    if checked.ranks is not None:
        standing, rank = checked.ranks
        _build_standing(new_frame(standing))
        _build_rank(new_frame(rank), standing)
    return bodies


# ---- ranks

NUMBERS = ty.SetT(ty.NUMBER)


def _everyone(frame: ProcedureDraft) -> CExpr:
    """Return all seats, whether they are still in or not, and then the automata."""
    everyone, parties = (frame.expr(op, ty.SetT(ty.PLAYER)) for op in ("everyone", "parties"))
    return frame.expr("union", everyone.type, everyone, frame.expr("difference", everyone.type, parties, everyone))


def _build_standing(frame: ProcedureDraft) -> None:
    """Give the numbers by which parties are ordered, the greatest first: as `runtime.outcome` ranks them."""
    checked, you = frame.checked, frame.you

    def number_if(condition: CExpr) -> CExpr:
        return frame.expr("cast", ty.NUMBER, condition)

    def is_in(op: str) -> CExpr:
        return frame.expr("member", ty.BOOL, you, frame.expr(op, ty.SetT(ty.PLAYER)))

    criteria = [number_if(is_in("parties"))]
    by_total = RankingInfo("most", checked.total)
    for ranking in (checked.winner or by_total, *checked.ties):
        if ranking.procedure is None:
            continue
        value = frame.call(ranking.procedure)
        if ranking.ranking == "all":
            seat = frame.local("seat", ty.PLAYER)
            won = frame.expr(
                "gt", ty.BOOL, frame.expr("call", ty.NUMBER, ranking.procedure, frame.read(seat)), frame.number(0)
            )
            all_win = frame.expr("all", ty.BOOL, seat, frame.expr("everyone", ty.SetT(ty.PLAYER)), won)
            value = number_if(frame.expr("eq", ty.BOOL, all_win, is_in("everyone")))
        criteria.append(frame.expr("neg", ty.NUMBER, value) if ranking.ranking == "fewest" else value)
    placed = frame.expr("placed", ty.optional(ty.NUMBER), you)
    behind = frame.expr("neg", ty.NUMBER, frame.expr("otherwise", ty.NUMBER, placed, frame.number(0)))
    by_scores = frame.expr("list", NUMBERS, *criteria)
    value = frame.expr(
        "if", NUMBERS, frame.expr("is_none", ty.BOOL, placed), by_scores, frame.expr("list", NUMBERS, behind)
    )
    frame.body.statements = (core.CReturn(frame.span, value),)


def _build_rank(frame: ProcedureDraft, standing: ProcedureSym) -> None:
    """Count the parties that come before one; a team has the standing of its best member."""

    def standing_of(party: CExpr) -> CExpr:
        own = frame.expr("call", NUMBERS, standing, party)
        if not frame.checked.ruleset.teams:
            return own
        member, key, one = frame.local("it", ty.PLAYER), frame.local("it", NUMBERS), frame.local("it", NUMBERS)
        of_member = frame.expr("call", NUMBERS, standing, frame.read(member))
        mates = frame.expr(
            "map", ty.SetT(NUMBERS), member, frame.expr("teammates", ty.SetT(ty.PLAYER), party), of_member
        )
        team = frame.expr("union", ty.SetT(NUMBERS), frame.expr("list", ty.SetT(NUMBERS), own), mates)
        best = frame.expr("most", ty.SetT(NUMBERS), key, team, frame.read(key))
        best = frame.expr("firsts", ty.SetT(NUMBERS), best, frame.number(1))
        return frame.expr("flatten", NUMBERS, one, best, frame.read(one))

    rival = frame.local("it", ty.PLAYER)
    is_before = frame.expr("precedes", ty.BOOL, standing_of(frame.you), standing_of(frame.read(rival)))
    before = frame.expr("filter", ty.SetT(ty.PLAYER), rival, _everyone(frame), is_before)
    value = frame.expr("add", frame.sym.returns, frame.expr("count", ty.NUMBER, before), frame.number(1))
    frame.body.statements = (core.CReturn(frame.span, value),)


# ---- limits


def _count_active_copies(
    frame: ProcedureDraft, definitions: tuple[DefinitionSym, ...], seat: CExpr, pieces: CExpr | None = None
) -> CExpr:
    """Return the number of active pieces of `definitions` that a seat owns; with `pieces`, count among these alone."""
    piece = frame.local("piece", ty.PieceT(definitions[0].kind))
    mine = frame.expr("eq", ty.BOOL, frame.expr("owner", NOBODY, frame.read(piece)), seat)
    owned = frame.expr("filter", ty.SetT(piece.type), piece, pieces or frame.active(definitions), mine)
    return frame.expr("count", ty.NumberT(0), owned)


def _below_limit(
    frame: ProcedureDraft,
    limit: LimitInfo,
    definitions: tuple[DefinitionSym, ...],
    seat: CExpr,
    pieces: CExpr | None = None,
) -> CExpr:
    """Return the condition that a seat has uses left of a limit, which counts for each active copy where it is of
    pieces."""
    used, times = limit.used(seat, frame.span), frame.number(limit.times)
    if definitions:
        times = frame.expr("mul", ty.NUMBER, times, _count_active_copies(frame, definitions, seat, pieces))
    return frame.expr("lt", ty.BOOL, used, times)


# ---- events


def _build_event(frame: ProcedureDraft, info: EventInfo, chain: ProcedureDraft | None) -> None:
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


@dataclass
class Leaver:
    """A piece among the arguments of an event that the event may take out of force: whether it has (`left`), and whose
    it was when the event began."""

    piece: CExpr
    kind: str
    left: Local
    owner: Local


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
        is_there = frame.expr("member", ty.BOOL, leaver.piece, _seen_active(frame, rows))
        if isinstance(piece.type, ty.OptionalT):
            is_some = frame.expr("not", ty.BOOL, frame.expr("is_none", ty.BOOL, piece))
            is_there = frame.expr("and", ty.BOOL, is_some, is_there)
        was_there, owner = frame.read(leaver.left), frame.expr("owner", NOBODY, leaver.piece)
        owner = frame.expr("if", NOBODY, was_there, owner, const(-1, NOBODY, frame.span))
        is_gone = frame.expr("not", ty.BOOL, frame.expr("member", ty.BOOL, leaver.piece, frame.active(rows)))
        before += [frame.set(leaver.left, is_there), frame.set(leaver.owner, owner)]
        after.append(frame.set(leaver.left, frame.expr("and", ty.BOOL, was_there, is_gone)))
        leavers.append(leaver)
    frame.leavers = tuple(leavers)
    reactions = _reactions_of_timing(frame, info, 2)
    frame.leavers = ()
    return [*before, *_reactions_of_timing(frame, info, 1), frame.do(info.body), *after, *reactions]


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
        if seat is not None:
            conditions.append(frame.expr("eq", ty.BOOL, frame.read(leaver.owner), seat))
        if handler.guard is not None:
            conditions.append(frame.call(handler.guard, leaver.piece, owner))
        if handler.limit is not None:
            used, times = handler.limit.used(owner, frame.span), frame.number(handler.limit.times)
            conditions.append(frame.expr("lt", ty.BOOL, used, times))
        reaction = frame.expr("reaction", t, handler.number, leaver.piece)
        some, none = frame.expr("list", ty.SetT(t), reaction), frame.expr("list", ty.SetT(t))
        yield frame.expr("if", ty.SetT(t), frame.joined("and", ty.BOOL, conditions), some, none)


def _owner_of(frame: ProcedureDraft, reaction: CExpr) -> CExpr:
    """Return the owner of the piece of a reaction: of one that the event has taken out of force, who it was."""
    owner = frame.expr("reaction_owner", NOBODY, reaction)
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
        conditions.append(_below_limit(frame, handler.limit, rows, element[1] if rows else frame.you, pieces))
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
                if frame.leavers
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


# ---- quantities

LAYERS = ("set to", "plus", "minus", "at least", "at most")
"""From the first one over the base to the last."""
ADDED = {
    ty.NumberT: ("add", "sub"),
    ty.BagT: ("bag_add", "bag_sub"),
    ty.CostT: ("cost_add", "cost_sub"),
    ty.SetT: ("union", "difference"),
}


def _build_quantity(frame: ProcedureDraft, info: QuantityInfo) -> None:
    """Build the body of a quantity: the author's base value with each modifier applied, in the order of `LAYERS`."""
    assert info.base is not None
    value, depth, before = frame.call(info.base), 0, list[CStatement]()
    modifiers = sorted(info.modifiers, key=lambda m: (LAYERS.index(m.layer), m.priority if m.layer == "set to" else 0))
    for layer, alike in groupby(modifiers, key=lambda m: m.layer):
        some = tuple(alike)
        if len(some) > RUN and layer in ("plus", "minus") and isinstance(value.type, ty.NumberT):
            zero = frame.number(0)
            amounts = [_apply_modifier(frame, replace(m, layer="plus"), zero) for m in some]
            value = frame.expr(
                ADDED[ty.NumberT][layer == "minus"], ty.NUMBER, value, frame.joined("add", ty.NUMBER, amounts)
            )
            continue
        for modifier in some:
            depth += 1 if layer in ("plus", "minus") else RUN // REPEATED
            if depth > RUN:
                so_far, depth = frame.local("so_far", value.type), 0
                before.append(frame.set(so_far, value))
                value = frame.read(so_far)
            value = (_set_to if layer == "set to" else _apply_modifier)(frame, modifier, value)
    frame.body.statements = (*before, core.CReturn(frame.span, value))


def _modifier_instances(frame: ProcedureDraft, m: ModifierInfo) -> tuple[Local, CExpr, CExpr]:
    """Return, for a modifier of pieces, the local for a piece, the active pieces whose condition holds, and the
    modifier's value for that piece."""
    piece = frame.local("this", ty.PieceT(m.definitions[0].kind))
    element = (frame.read(piece), frame.expr("owner", ty.PLAYER, frame.read(piece)))
    pieces = frame.active(m.definitions)
    if m.guard is not None:
        pieces = frame.expr("filter", ty.SetT(piece.type), piece, pieces, frame.call(m.guard, *element))
    return piece, pieces, frame.call(m.value, *element)


def _where_guarded(frame: ProcedureDraft, m: ModifierInfo, new: CExpr, value: CExpr, t: ty.Type) -> CExpr:
    """Return `new` where the condition of a modifier of no piece holds, else `value`."""
    return new if m.guard is None else frame.expr("if", t, frame.call(m.guard), new, value)


def _set_to(frame: ProcedureDraft, m: ModifierInfo, value: CExpr) -> CExpr:
    """Return the value of a quantity after a `set to` modifier; of several pieces the first one sets it."""
    if not m.definitions:
        return _where_guarded(frame, m, frame.call(m.value), value, value.type)
    _, pieces, _ = _modifier_instances(frame, m)
    first = frame.expr("first", ty.PieceT(m.definitions[0].kind), pieces)
    new = frame.call(m.value, first, frame.expr("owner", ty.PLAYER, first))
    some = frame.expr("gt", ty.BOOL, frame.expr("count", ty.NUMBER, pieces), frame.number(0))
    return frame.expr("if", value.type, some, new, value)


def _apply_modifier(frame: ProcedureDraft, m: ModifierInfo, value: CExpr) -> CExpr:
    """Return the value of a quantity after `plus`, `minus` or a bound: the sum of the amounts of all pieces, or the
    strictest bound."""
    bounds = {"at least": ("max2", "max"), "at most": ("min2", "min")}
    op, fold = bounds.get(m.layer, ("", "flatten" if isinstance(value.type, ty.SetT) else "sum"))
    t = ty.NUMBER if op else value.type
    op = op or ADDED[type(t)][m.layer == "minus"]
    if not m.definitions:
        return _where_guarded(frame, m, frame.expr(op, t, value, frame.call(m.value)), value, t)
    piece, pieces, amount = _modifier_instances(frame, m)
    if m.layer not in bounds:
        return frame.expr(op, t, value, frame.expr(fold, amount.type, piece, pieces, amount))
    bound = frame.expr(fold, ty.optional(ty.NUMBER), piece, pieces, amount)
    return frame.expr(op, t, value, frame.expr("otherwise", ty.NUMBER, bound, value))


# ---- abilities


def _build_ability(frame: ProcedureDraft, info: AbilityInfo) -> None:
    """Build the body of an ability: test the piece's row against each implementation, then fall back on the default.
    Of many the rows of one half are tested first, so that tests don't stand in each other too deep."""
    sym = info.procedure

    def is_of(some: Sequence[ImplementInfo]) -> CExpr:
        """Return whether the piece is of a row of these implementations."""
        return frame.expr("is_def", ty.BOOL, frame.params[0], *(row for each in some for row in each.definitions))

    def chosen(
        some: Sequence[ImplementInfo], rest: T, either: Callable[[CExpr, T, T], T], run: Callable[[ProcedureSym], T]
    ) -> T:
        """Return what runs the implementation of the piece's row, or else the rest."""
        if len(some) > RUN:
            first, second = some[: len(some) // 2], some[len(some) // 2 :]
            return either(is_of(first), chosen(first, rest, either, run), chosen(second, rest, either, run))
        return reduce(lambda no, each: either(is_of((each,)), run(each.body), no), reversed(some), rest)

    if sym.pure:
        value = chosen(
            info.implementations,
            frame.call(info.default),
            lambda test, yes, no: frame.expr("if", sym.returns, test, yes, no),
            frame.call,
        )
        frame.body.statements = (core.CReturn(frame.span, value),)
        return

    def through(target: ProcedureSym) -> tuple[CStatement, ...]:
        """Return the statements that call a target and return its result."""
        if isinstance(sym.returns, ty.VoidT):
            return (frame.do(target),)
        result = frame.local("result", sym.returns)
        return (frame.do(target, result=result), core.CReturn(frame.span, frame.read(result)))

    frame.body.statements = chosen(
        info.implementations,
        through(info.default),
        lambda test, yes, no: (frame.branch(test, yes, no),),
        through,
    )


# ---- exchanges


def _build_trade(frame: ProcedureDraft, group: GroupInfo, purses: CExpr) -> None:
    """Build the body of a trade: a loop that offers every exchange that can be paid, and `done`, until `done` or none
    is left.

    Args:
        purses: where costs are paid from; gains go to the first purse.
    """
    label = "trade"
    leave = core.CBreak(frame.span, label)
    before: list[CStatement] = []
    counted: tuple[Local, core.CGuard] | None = None
    if group.times is not None:
        done_times, most = frame.local("made", ty.NumberT(0)), frame.local("most", ty.NUMBER)
        before += [frame.set(done_times, frame.number(0)), frame.set(most, frame.call(group.times))]
        below = frame.expr("lt", ty.BOOL, frame.read(done_times), frame.read(most))
        counted = done_times, core.CGuard(below, "at most so many times", "limit", "use")
    items = [_exchange_item(replace(frame, span=e.span), group, e, purses, counted) for e in group.exchanges]
    items.append(core.CItem("done", (), (), (leave,), frame.span))
    ask = core.CChoose(frame.span, frame.sym.name, frame.you, tuple(items), (leave,), "engine")
    opened, closed = (core.CMoment(frame.span, m, "use", const(-1, NOBODY, frame.span)) for m in ("opened", "closed"))
    frame.body.statements = (*before, opened, core.CLoop(frame.span, label, (ask,)), closed)


def _exchange_item(
    frame: ProcedureDraft, group: GroupInfo, e: ExchangeInfo, purses: CExpr, counted: tuple[Local, core.CGuard] | None
) -> core.CItem:
    """Return an exchange as an item of the trade's menu, with its guards, the choice of payment and gain, and its
    counters.

    Args:
        counted: the local that counts exchanges of the group in this trade, and the guard that bounds it.
    """
    resource = group.resource
    piece = e.definitions[0].id if e.definitions else ""
    guards: list[core.CGuard] = []
    if e.definitions:
        active = frame.expr("gt", ty.BOOL, _count_active_copies(frame, e.definitions, frame.you), frame.number(0))
        guards.append(core.CGuard(active, f"{piece} in force", "active", piece))
    if counted is not None:
        guards.append(counted[1])
    if e.guard is not None:
        guards += _exchange_guards(frame, e.guard)
    if e.limit is not None:
        below = _below_limit(frame, e.limit, e.definitions, frame.you)
        guards.append(core.CGuard(below, e.limit.words, "limit", e.limit.scope))
    cost, gain = frame.call(e.cost), frame.call(e.gain)
    payment, gained = frame.local("pay", ty.PaymentT(resource)), frame.local("gain", ty.BagT(resource))
    ways = frame.expr("payments", ty.SetT(ty.PaymentT(resource)), cost, purses)
    binders = (
        core.CBinder("each", "pay", payment, (ways,), source_text(e.cost.span)),
        core.CBinder("each", "gain", gained, (frame.expr("expansions", ty.SetT(ty.BagT(resource)), gain),)),
    )
    body: list[CStatement] = [
        core.CDo(frame.span, "spend", (frame.read(payment), purses)),
        *_store_gain(frame, purses.args[0], gained),
    ]
    if e.limit is not None:
        body.append(e.limit.count(frame.you, frame.span))
    if counted is not None:
        done_times = counted[0]
        body.append(frame.set(done_times, frame.expr("add", ty.NUMBER, frame.read(done_times), frame.number(1))))
    return core.CItem(e.name, binders, tuple(guards), tuple(body), e.span, e.citations, piece)


def _store_gain(frame: ProcedureDraft, purse: CExpr, gained: Local) -> tuple[CStatement, ...]:
    """Return the statements that add a gain to a purse within its capacity; where the capacity is a total, the seat
    chooses what it keeps, unless all must fit."""
    sym, indices = purse.args[0], expressions(purse.args)
    each, limits, total = room = capacity(frame.checked, frame.body, sym, indices, frame.span)
    current = frame.expr("var", sym.type, sym, *indices)
    remainder = frame.local("keep", sym.type)
    if sym.beyond == "error":
        whole = frame.set(remainder, frame.expr("bag_add", sym.type, current, frame.read(gained)))
        fits = must_fit(sym, frame.read(remainder), room, frame.span)
        return whole, fits, core.CDo(frame.span, "set_var", (sym, frame.read(remainder), *indices))
    if sym.total is not None:
        assert isinstance(gained.type, ty.BagT)
        added = frame.expr("cost", ty.CostT(gained.type.resource), frame.read(gained))
        options = frame.expr("placements", ty.SetT(sym.type, 1), current, added, total, each, *limits)
        keep: CStatement = frame.ask(frame.you, "keep", remainder, options)
    else:
        new = frame.expr("bag_add", sym.type, current, frame.read(gained))
        if sym.each is not None or limits:
            new = frame.expr("bag_clamp", sym.type, new, each, *limits)
        keep = frame.set(remainder, new)
    return keep, core.CDo(frame.span, "set_var", (sym, frame.read(remainder), *indices))


def _exchange_guards(frame: ProcedureDraft, guard: ProcedureSym) -> list[core.CGuard]:
    """Return the conjuncts of an exchange's `when` as guards, each with its source text as reason."""
    assert guard.body.value is not None
    values = dict(zip(guard.body.parameters, (frame.you, *frame.params), strict=True))
    whole = substitute(guard.body.value, values, frame.body)
    return [core.CGuard(part, source_text(part.span)) for part in conjunction(whole)]
