"""What may be read before it is known that it is needed: what cannot fail, of values that are there."""

from __future__ import annotations

import pytest

from rulelang.ir.nodes import Expr
from rulelang.mir.early import is_early
from rulelang.vocabulary.types import BOOL, INT, SEAT
from tests.interpreter.build import const, e, local, var
from tests.interpreter.test_expressions import CARD, COINS, HAND, machine_for

maybe_seat, maybe_card = local(0, "opt<seat>"), local(1, "opt<piece:Card>")
seat, card = e("cast", SEAT, maybe_seat), e("cast", CARD, maybe_card)
coins = var(COINS, local(2, SEAT))


@pytest.mark.parametrize(
    ("expr", "early"),
    [
        (e("min2", INT, coins, const(3)), True),
        (e("add", INT, coins, const(3)), True),  # at most 99 and 3
        (e("add", INT, local(3), const(3)), False),  # may overflow
        (e("div", INT, coins, const(3)), False),
        (e("top", "opt<piece:Card>", e("zone", "zone", HAND, local(2, SEAT))), False),
        (e("size", INT, e("zone", "zone", HAND, local(2, SEAT))), True),
        (e("size", INT, e("zone", "zone", HAND, seat)), False),  # of nobody's hand
        (e("attr", INT, 0, 1, local(4, CARD)), True),
        (e("attr", INT, 0, 1, card), False),  # of no card
        (e("eq", BOOL, seat, local(2, SEAT)), True),
        (e("is_none", BOOL, maybe_seat), True),
        (e("eq", BOOL, e("if", SEAT, e("is_none", BOOL, maybe_card), seat, seat), local(2, SEAT)), False),
        (e("call", INT, 2, coins), False),
        (e("offered", BOOL, 0, e("eq", BOOL, coins, const(1))), False),
    ],
)
def test_early(expr: Expr, early: bool) -> None:
    """Whether an expression may be read early, worked out by hand."""
    assert is_early(machine_for().program, expr) == early
