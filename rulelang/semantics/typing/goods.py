"""Goods that go from one purse to another: `move BAG from PURSE to PURSE`, and to whom a payment goes.

Enters: syntax trees. Leaves: what fits, as a bag, and the statement that passes it on.
"""

from __future__ import annotations

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, expressions, mentions
from rulelang.semantics.tree.shared import const, number, source_text
from rulelang.semantics.tree.symbols import VariableSym
from rulelang.semantics.typing.changes import capacity
from rulelang.semantics.typing.context import Context
from rulelang.semantics.typing.paths import purse_at
from rulelang.syntax import ast

NO_GOODS = "is no purse: goods are moved from bag to bag"


def move_goods(c: Context, node: ast.Move, origin: ast.Expr) -> None:
    """Emit a move of goods: as much as is there and fits. Findings: `type-mismatch`, `move-goods`."""
    what = c.expr(node.what)
    inner = ty.bare(what.type)
    if isinstance(inner.element if isinstance(inner, ty.SetT) else inner, ty.PieceT | ty.ZoneT):
        hint = f"write `move {source_text(node.what.span)} to {source_text(node.to.span)}`"
        c.error("move-goods", "pieces are moved from where they lie", origin.span, hint)
        return
    purses = [single_purse(c, end) for end in (origin, node.to)]
    if not all(isinstance(part.type, ty.PurseT) for part in purses) or isinstance(what.type, ty.ErrorT):
        return
    if node.secretly or node.at_bottom:
        said, hint = ("secretly", "`visible` of the bags says who sees it") if node.secretly else ("at bottom", "")
        c.error("move-goods", f"goods can't be moved `{said}`", node.span, hint or "a bag has no order")
        return
    source, target = purses
    if source.type != target.type:
        c.error("type-mismatch", "these purses hold different resources", origin.span.to(node.to.span))
        return
    assert isinstance(source.type, ty.PurseT)
    bag = ty.BagT(source.type.resource)
    what, span = c.fit(what, bag, "what is moved"), node.span
    held = held_in(source)
    there = CExpr("bag_sub", bag, (what, CExpr("bag_sub", bag, (what, held), span)), span)
    goods = _fitting(c, there, target, span)
    sym = symbol_of(source)
    c.affordable = [guard for guard in c.affordable if not mentions(guard, sym)]
    c.emit(core.CDo(span, "spend", (goods, source, target)))


def single_purse(c: Context, node: ast.Expr) -> CExpr:
    """Return one bag as a purse; report several."""
    purse = purse_at(c, node, NO_GOODS)
    if purse.op == "purses_of" and expressions(purse.args)[0].op != "list":
        return c.error("type-mismatch", "these are the purses of several pieces", node.span, "name one of them")
    return purse


def symbol_of(purse: CExpr) -> VariableSym:
    """Return the variable of a purse."""
    sym = purse.args[0]
    assert isinstance(sym, VariableSym)
    return sym


def held_in(purse: CExpr) -> CExpr:
    """Return what a purse holds, as a bag."""
    sym, indices = symbol_of(purse), expressions(purse.args)
    if purse.op == "purse":
        return CExpr("var", sym.type, (sym, *indices), purse.span)
    (piece,) = expressions(indices[0].args)
    return CExpr("pvar", sym.type, (sym, piece), purse.span)


def _fitting(c: Context, goods: CExpr, target: CExpr, span: Span) -> CExpr:
    """Return as many of some goods as a purse has room for; where a `total` leaves some, its player chooses which."""
    sym, bag = symbol_of(target), goods.type
    indices = expressions(target.args) if target.op == "purse" else []
    each, limits, total = capacity(c.checked, c.body, sym, indices, span)
    held = held_in(target)
    if sym.each is not None or limits:
        whole = CExpr("bag_clamp", bag, (CExpr("bag_add", bag, (held, goods), span), each, *limits), span)
        goods = CExpr("bag_sub", bag, (whole, held), span)
    if sym.total is None:
        return goods
    local, chosen = c.new_local("goods", bag, span), c.new_local("keep", bag, span)
    c.emit(core.CSet(span, local, goods))
    room = CExpr("sub", ty.NUMBER, (total, CExpr("bag_size", ty.NUMBER, (held,), span)), span)
    fits = CExpr("max2", ty.NUMBER, (room, number(0, span)), span)
    most = CExpr("min2", ty.NUMBER, (fits, CExpr("bag_size", ty.NUMBER, (c.read(local),), span)), span)
    options = set_of(c.shared, "sub_bags", bag, (c.read(local), most, most), span)
    item = core.CItem(c.procedure.name, (core.CBinder("each", "keep", chosen, (options,)),), (), (), span)
    if sym.owned and target.op == "purse":
        seat = indices[0]
    else:
        seat = const(0, ty.PLAYER, span) if c.you is None else c.seat_here(span, "this")
    c.emit(core.CChoose(span, c.procedure.name, seat, (item,), None, "engine", acting=c.you))
    return c.read(chosen, span)


def receiver(c: Context, node: ast.Expr | None, purses: CExpr) -> tuple[CExpr, ...]:
    """Return the purse that gets what is paid; none where nobody does. Findings: `type-mismatch`, `pay-capacity`."""
    if node is None:
        return ()
    purse = single_purse(c, node)
    if not isinstance(purse.type, ty.PurseT):
        return ()
    if purse.type != purses.type:
        c.error("type-mismatch", "these purses hold different resources", node.span)
        return ()
    sym = symbol_of(purse)
    if sym.each is not None or sym.limits or sym.total is not None:
        message = f"`{sym.name}` has a `capacity`, so not all that is paid might find room"
        hint = "pay to a bag without one, or `move` what is paid: what finds no room stays"
        c.error("pay-capacity", message, node.span, hint, [(sym.span, f"`{sym.name}`")])
        return ()
    return (purse,)
