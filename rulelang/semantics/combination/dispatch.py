"""Method combination: what is done around the author's words, lowered to ordinary statements and expressions.

Enters: the checked tree. Leaves: bodies of the checked tree that make explicit the order of reactions to an event, the
layers of a quantity, the choice of an ability's implementation, and the rounds of a trade. Before, after and around
methods are those of CLOS (Bobrow et al., "Common Lisp Object System Specification", 1988).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import groupby
from typing import TypeVar

from rulelang.semantics.combination.commutation import Commutation
from rulelang.semantics.combination.draft import NOBODY, RUN, ProcedureDraft, below_limit, count_active_copies
from rulelang.semantics.combination.events import build_event
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import Body, CExpr, CStatement, Local, conjunction, expressions, substitute
from rulelang.semantics.tree.shared import const, source_text
from rulelang.semantics.tree.symbols import (
    AbilityInfo,
    Bodies,
    Checked,
    ExchangeInfo,
    GroupInfo,
    ImplementInfo,
    ModifierInfo,
    ProcedureSym,
    QuantityInfo,
    RankingInfo,
)
from rulelang.semantics.typing.changes import capacity, must_fit

T = TypeVar("T")
REPEATED = 2
"""So many modifiers that name the value before them twice stand in each other at most: it doubles with each."""


def dispatch(checked: Checked) -> Bodies:
    """Return the bodies of events, quantities, abilities, trades and the total score; the tree stays as it is."""
    bodies = Bodies()
    commutation = Commutation(checked)
    new_frame = partial(_new_frame, checked, bodies, commutation)
    for event in checked.events.values():
        frame = new_frame(event.procedure)
        build_event(frame, event, new_frame(event.proceeding) if event.proceeding is not None else None)
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
    build_standings(checked, bodies)
    return bodies


def _new_frame(checked: Checked, bodies: Bodies, commutation: Commutation, sym: ProcedureSym) -> ProcedureDraft:
    """Return a frame for a procedure without a body yet, which is entered in `bodies`."""
    locals = [Local(name, t, sym.span) for name, t in (("you", ty.PLAYER), *sym.params)]
    bodies[sym] = Body(locals, [*locals])
    return ProcedureDraft(checked, sym, bodies[sym], sym.span, commutation)


# ---- total scores and ranks


def build_standings(checked: Checked, bodies: Bodies) -> None:
    """Enter the bodies of the total score and of ranks, if anything asks for them; those that are there stay."""
    new_frame = partial(_new_frame, checked, bodies, Commutation(checked))
    if checked.total is not None and checked.total not in bodies:
        frame = new_frame(checked.total)
        lines = [frame.call(line.procedure) for line in checked.scores]
        value = frame.joined("add", ty.NUMBER, [frame.number(0), *lines])
        frame.body.statements = (core.CReturn(frame.span, value),)
    if checked.ranks is not None and checked.ranks[0] not in bodies:
        standing, rank = checked.ranks
        _build_standing(new_frame(standing))
        _build_rank(new_frame(rank), standing)


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
        active = frame.expr("gt", ty.BOOL, count_active_copies(frame, e.definitions, frame.you), frame.number(0))
        guards.append(core.CGuard(active, f"{piece} in force", "active", piece))
    if counted is not None:
        guards.append(counted[1])
    if e.guard is not None:
        guards += _exchange_guards(frame, e.guard)
    if e.limit is not None:
        below = below_limit(frame, e.limit, e.definitions, frame.you)
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
