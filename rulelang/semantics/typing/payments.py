"""Payments and trades."""

from __future__ import annotations

from rulelang.diagnostics import suggest
from rulelang.semantics.tree.core import CBinder, CCall, CChoose, CDo, CExpr, CItem, expressions, same
from rulelang.semantics.tree.shared import source_text
from rulelang.semantics.tree.types import BOOL, CostT, ErrorT, PaymentT, PurseT, SetT
from rulelang.semantics.typing.calls import checked_arguments, you_argument
from rulelang.semantics.typing.context import Context, statement
from rulelang.semantics.typing.goods import receiver
from rulelang.semantics.typing.paths import purses_at
from rulelang.syntax import ast


def payment(c: Context, node: ast.Pay | ast.BindPayment) -> tuple[CBinder, CDo] | None:
    """Return the choice of a payment, and what takes it from the purses."""
    cost = c.expr(node.cost)
    purses = purses_at(c, node.purses)
    if not isinstance(purses.type, PurseT):
        return None
    resource = purses.type.resource
    cost = c.fit(cost, CostT(resource), "what is paid")
    paid = c.new_local("pay", PaymentT(resource), node.span)
    options = CExpr("payments", SetT(PaymentT(resource)), (cost, purses), node.span)
    binder = CBinder("each", "pay", paid, (options,), source_text(node.cost.span))
    return binder, CDo(node.span, "spend", (c.read(paid), purses, *receiver(c, node.to, purses)))


@statement(ast.Pay)
def _pay(c: Context, node: ast.Pay) -> None:
    """Emit a payment as a choice of what is spent, with what follows if it was paid and if it can't be."""
    payment_parts = payment(c, node)
    if payment_parts is None:
        return
    binder, spend = payment_parts
    cost, purses = expressions(binder.args[0].args)
    if node.paid is None and not isinstance(cost.type, ErrorT) and not _can_surely_pay(c, cost, purses):
        hint = f"guard it with `can pay {source_text(node.cost.span)} from …` (one guard is good for one payment), "
        hint += "or write `pay …:` with `else:`"
        c.error("pay-unpaid", "this may not be payable, and does not say what happens then", node.span, hint)
    paid = c.block(node.paid) if node.paid is not None else ()
    unpaid = c.block(node.unpaid) if node.unpaid is not None else ()
    item = CItem(c.procedure.name, (binder,), (), (spend, *paid), node.span)
    seat = c.seat_here(node.span, "a payment")
    c.emit(CChoose(node.span, c.procedure.name, seat, (item,), unpaid, "engine"))


def _can_surely_pay(c: Context, cost: CExpr, purses: CExpr) -> bool:
    """Return whether a guard around says so; it says it for one payment, and as long as the purse loses nothing
    else."""
    condition = CExpr("can_pay", BOOL, (cost, purses))
    guarantee = next((guard for guard in c.affordable if same(guard, condition)), None)
    if guarantee is not None:
        c.affordable.remove(guarantee)
    return guarantee is not None


@statement(ast.Trade)
def _trade(c: Context, node: ast.Trade) -> None:
    """Check `trade GROUP(…)`: a call of the procedure that offers its exchanges."""
    group = c.checked.groups.get(node.group.text)
    c.names.get(node.group.text, node.group.span)
    if group is None:
        if node.group.text in c.shared.broken:
            return
        hint = suggest(node.group.text, c.checked.groups)
        c.error("name-unknown", f"there is no group of exchanges `{node.group.text}`", node.group.span, hint)
        return
    values = checked_arguments(c, group.trade, node.arguments, node.span)
    if values is not None and not isinstance(c.seat_here(node.span, "a trade").type, ErrorT):
        c.emit(CCall(node.span, group.trade, (*you_argument(c, group.trade, node.span), *values), None))
