"""Menus: a choice among items, those of the rule and those that pieces offer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rulelang.diagnostics import Span
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    CExpr,
    Local,
    bound_locals,
    free_locals,
    mentions,
    reads,
    substitute,
    times_read,
)
from rulelang.semantics.tree.shared import CallEdge, const
from rulelang.semantics.tree.symbols import DefinitionSym, LimitInfo, OfferInfo, cite_texts
from rulelang.semantics.tree.types import BOOL, ERROR, NUMBER, PLAYER, PieceT, SetT
from rulelang.semantics.typing.asked import known_of_choice
from rulelang.semantics.typing.bodies import context_of, new_procedure
from rulelang.semantics.typing.choices import BinderDraft, asked_of, guards_of
from rulelang.semantics.typing.context import Context, statement
from rulelang.semantics.typing.payments import payment
from rulelang.semantics.typing.statements import let_value
from rulelang.syntax import ast


@statement(ast.Menu)
def _menu(c: Context, node: ast.Menu) -> None:
    """Emit a menu as a decision: its own items, those that pieces offer, and what happens when none is legal."""
    seat = c.seat(node.by, "who chooses") if node.by is not None else c.seat_here(node.span, "a menu")
    items: list[core.CItem] = []
    sure = False
    for item in node.items:
        with c.nested():
            checked, always = _menu_item(c, item, seat)
        items.append(checked)
        sure = sure or always
    name = node.name.text if node.name is not None else ""
    # Items of different pieces may share a name: their options say which piece offers them.
    offered: dict[tuple[DefinitionSym, ...], list[core.CItem]] = {(): items}
    for offer in c.checked.offers:
        if offer.menu == name:
            offered.setdefault(offer.definitions, []).extend(_offered_items(c, offer, seat))
    for same_offerer in offered.values():
        _distinct_names(c, same_offerer)
    items = [item for same_offerer in offered.values() for item in same_offerer]
    otherwise = c.block(node.otherwise) if node.otherwise is not None else None
    if not sure and otherwise is None and not node.anyway:
        message = "this menu may have nothing to offer, and does not say what happens then"
        c.error("choice-empty", message, node.span, "add `else:`, an item without a condition, or `anyway`")
    if otherwise is None and (node.anyway or not sure):
        otherwise = ()
    if sure and node.otherwise is not None and isinstance(node.otherwise.statements[0], ast.Never):
        message = "this menu always has something to offer, so `else: never` has no effect"
        c.warn("value-present", message, node.otherwise.span, "take it away")
    rule, ask, cites = name or c.procedure.name, "anyway" if node.anyway else "author", cite_texts(node.citations)
    secret = node.secretly
    c.emit(core.CChoose(node.span, rule, seat, tuple(items), otherwise, ask, secret=secret, menu=name, citations=cites))


def _distinct_names(c: Context, items: list[core.CItem]) -> None:
    """Report items of one menu, offered by the same pieces, that have the same name."""
    first: dict[str, core.CItem] = {}
    for item in items:
        earlier = first.setdefault(item.name, item)
        if earlier is not item:
            message = f"two items of this menu are called `{item.name}`"
            hint = "give one of them another name"
            c.error("name-duplicate", message, item.span, hint, [(earlier.span, "the first one")])


def _menu_item(
    c: Context, node: ast.MenuItem, seat: CExpr, definitions: tuple[DefinitionSym, ...] = ()
) -> tuple[core.CItem, bool]:
    """Return an item and whether it is always offered; `seat` is asked, `definitions` are the pieces that offer it."""
    binders: list[core.CBinder] = []
    guards: list[core.CGuard] = []
    lets: dict[Local, CExpr] = {}
    spends: list[core.CDo] = []
    known: list[CExpr] = []
    always = True
    with c.pure(), c.within(facts=c.facts):
        for binder in node.binders:
            if isinstance(binder, ast.Let):
                value = let_value(c, binder)
                lets[c.declare(binder.name, value.type)] = value
                continue
            if isinstance(binder, ast.BindPayment):
                if spends:
                    hint = "add up what it costs: `paying A + B from …`"
                    c.error("name-duplicate", f"`{node.name.text}` pays twice", binder.span, hint)
                elif paid := payment(c, binder):
                    binders.append(paid[0])
                    spends.append(paid[1])
                always = False
                continue
            asked = asked_of(c, binder, binder.name.text, inline=True, named=True)
            if asked is not None and isinstance(binder, ast.BindAmount):
                asked = _at_least_one(c, binder.amount, asked)
            if asked is None:
                c.layers[-1][binder.name.text] = c.new_local(binder.name.text, ERROR, binder.span)
                continue
            c.refuse_hiding(binder.name)
            c.layers[-1][binder.name.text] = asked.binder.local
            c.names.note(binder.name.span, asked.binder.local, declares=True)
            binders.append(asked.binder)
            guards += asked.guards
            known += known_of_choice(c, asked.binder)
            c.facts = [*c.facts, *known, *(guard.condition for guard in asked.guards)]
            always = always and not asked.may_be_empty
        if node.guard is not None:
            guards += guards_of(c, node.guard)
            always = False
        limit = c.shared.limit(node.limit, node.name.text)
        if limit is not None:
            guards.append(_within_limit(c, limit, seat, definitions, node.span))
            always = False
    conditions = [guard.condition for guard in guards if not (spends and guard.condition.op == "can_pay")]
    with c.payable([*known, *conditions]):
        body = (*spends, *c.block(node.body))
    if limit is not None:
        body = (limit.count(seat, node.span), *body)
    for local, value in reversed(lets.items()):
        body = (core.CSet(local.span, local, value), *body) if reads(body, local) else body
    if lets:
        binders, guards = _substituted(c, lets, binders, guards)
    item = core.CItem(node.name.text, tuple(binders), tuple(guards), body, node.span, cite_texts(node.citations))
    return item, always


def _substituted(
    c: Context, lets: dict[Local, CExpr], binders: list[core.CBinder], guards: list[core.CGuard]
) -> tuple[list[core.CBinder], list[core.CGuard]]:
    """Substitute the value of each `let` where binders and guards read it: only the block has locals for them."""
    values: dict[Local, CExpr] = {}

    def with_values(expr: CExpr) -> CExpr:
        """Return an expression with the values of the `let`s; one that would be read many times becomes a call."""
        read = [local for local in values if mentions(expr, local)]
        for local in (*read, *bound_locals(expr)):
            local.named = False  # others take their places: else it would be said that nothing reads them
        if any(times_read(expr, local) >= core.MANY for local in values):
            expr = _called(c, expr)
        return substitute(expr, values, c.body, words=True)

    for local, value in lets.items():
        values[local] = with_values(value)
    return (
        [replace(binder, args=tuple(map(with_values, binder.args))) for binder in binders],
        [replace(guard, condition=with_values(guard.condition)) for guard in guards],
    )


def _called(c: Context, expr: CExpr) -> CExpr:
    """Return an expression as a call of a function that is given what it reads: once, and before a rule is tried in
    it."""
    free = free_locals(expr)
    params = tuple((local.name, local.type) for local in free)
    sym = new_procedure(c.shared, f"{c.procedure.name} when", "function", params, expr.type, expr.span)
    inner = context_of(c.shared, sym)
    parameter_of = {local: inner.read(param) for local, param in zip(free, sym.body.parameters[1:], strict=True)}
    sym.body.statements = (core.CReturn(expr.span, substitute(expr, parameter_of, sym.body, words=True)),)
    c.shared.edges.append(CallEdge(c.procedure, sym, "given", expr.span))
    return CExpr("call", expr.type, (sym, c.you or const(-1, PLAYER, expr.span), *free.values()), expr.span)


def _within_limit(
    c: Context, limit: LimitInfo, seat: CExpr, definitions: tuple[DefinitionSym, ...], span: Span
) -> core.CGuard:
    """Return the condition that the seat has chosen this less often than it may (for each active copy of the
    pieces that offer it)."""
    times = const(limit.times, NUMBER, span)
    if definitions:
        copies, _ = held_by(c, "it", definitions, seat, span)
        times = CExpr("mul", NUMBER, (times, CExpr("count", NUMBER, (copies,), span)), span)
    return core.CGuard(CExpr("lt", BOOL, (limit.used(seat, span), times), span), limit.words, "limit", limit.scope)


def _at_least_one(c: Context, amount: ast.Quantity, asked: BinderDraft) -> BinderDraft:
    """Return an item that wants some is not offered where there is nothing."""
    if amount.mode not in ("exactly", "at_least", "between") or amount.low is None:
        return asked
    binder = asked.binder
    bags = binder.args[0] if binder.kind == "each" else None
    collection, low, high = bags.args if bags is not None else binder.args
    with c.pure():
        minimum = c.value(amount.low, NUMBER, "how many")
    at_most_one = CExpr("min2", NUMBER, (minimum, const(1, NUMBER, amount.span)), amount.span)
    low = CExpr("max2", NUMBER, (low, at_most_one), amount.span)
    if bags is not None:
        args: tuple[CExpr, ...] = (CExpr(bags.op, bags.type, (collection, low, high), bags.span),)
    else:
        args = (collection, low, high)
    return BinderDraft(replace(binder, args=args), asked.guards, True)


def _owner(piece: CExpr) -> CExpr:
    return CExpr("owner", PLAYER, (piece,), piece.span)


def held_by(
    c: Context, name: str, definitions: tuple[DefinitionSym, ...], seat: CExpr, span: Span
) -> tuple[CExpr, Local]:
    """Return the pieces of these rows that are in force for a seat, and the local that stands for each."""
    kind = c.shared.kind(definitions[0].kind)
    piece = c.new_local(name, PieceT(kind.name), span)
    mine = CExpr("eq", BOOL, (_owner(c.read(piece)), seat), span)
    active = CExpr("active", SetT(piece.type), (kind, *definitions), span)
    return CExpr("filter", SetT(piece.type), (piece, active, mine), span), piece


def _offered_items(c: Context, offer: OfferInfo, seat: CExpr) -> Iterator[core.CItem]:
    """Yield the items that pieces add: for each active piece of the seat."""
    offer.used = True
    rows = offer.definitions
    for item in offer.decl.items:
        binders: tuple[core.CBinder, ...] = ()
        state: dict[str, CExpr] = {}
        if rows:
            pieces, element = held_by(c, "it", rows, seat, item.span)
            this = c.new_local("this", element.type, item.span)
            binders = (core.CBinder("each", "this", this, (pieces,), rows[0].id),)
            state = {"this": c.read(this), "owner": _owner(c.read(this))}
        with c.within(layers=[{}], **state):
            checked, _ = _menu_item(c, item, seat, rows)
        cites = checked.citations or c.checked.row_citations(rows)
        piece = rows[0].id if rows else ""
        yield replace(checked, binders=binders + checked.binders, citations=cites, piece=piece)
