"""Payments that are spent at once are fused with their spending, others are not; constant functions are seen through.
Games are the same as the interpreter's in any case."""

from __future__ import annotations

from typing import Any

import pytest

from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Choose, End, Expr, Jump, Statement
from rulelang.ir.program import Program
from rulelang.native import purses
from rulelang.native.compilers import find_compiler
from rulelang.native.expressions import Writer
from rulelang.native.source import CSource
from rulelang.runtime.canonical import state_hash
from tests.interpreter.build import (
    block,
    const,
    decision,
    do,
    e,
    each,
    function,
    item,
    local,
    nothing,
    procedure,
    program,
    resources,
    var,
    variable,
)

BAG, COST, SEAT = "bag:R", "cost:R", "seat"
PURSE, TAKEN = range(2)
PRICE, GAMES = 2, 60


def bag(*counts: int) -> Expr:
    return e("bag", BAG, *map(const, counts))


def purse(owner: int) -> Expr:
    return e("purse", "purse:R", PURSE, const(owner, SEAT))


def both(*owners: int) -> Expr:
    return e("purses", "set<purse:R>", *map(purse, owners))


def any_two() -> Expr:
    return e("wild", COST, 3, const(2), bag(1, 1, 1), 0)


def spend(*owners: int, slot: int = 0) -> Statement:
    return do("spend", local(slot, "payment:R"), both(*owners))


def market(*spending: Statement, price: Expr | None = None, low: int = 0, more: tuple[Any, ...] = ()) -> Program:
    """Each decision pays two of anything from two purses, while that can be paid."""
    payments = e("payments", "set<payment:R>", price or e("call", COST, PRICE), both(0, 1))
    gains = e("expansions", "set<bag:R>", e("wild", COST, 3, const(1), bag(1, 0, 1), 0))
    grown = e("bag_add", BAG, var(TAKEN, type_=BAG), local(1, BAG))
    return program(
        nothing(),
        procedure(
            "play",
            block(then=Choose(0)),
            block(*spending, do("set_var", TAKEN, grown), then=Jump(0)),
            block(then=End()),
            locals_=("payment:R", BAG),
        ),
        function("price", any_two()),
        enums=(resources("A", "B", "C"),),
        variables=(
            variable("purse", SEAT, type_=BAG, start=bag(3, 2, 4), low=low),
            variable("taken", type_=BAG, start=bag(0, 0, 0)),
        ),
        decisions=(
            decision(
                1,
                const(0, SEAT),
                item("pay", 1, each("pay", 0, "payment:R", payments), each("gain", 1, BAG, gains), *more),
                otherwise=2,
            ),
        ),
    )


def fused_payments(whole: Program) -> dict[tuple[int, int], int]:
    machine = Machine(whole, 2)
    return purses.fused_payments(Writer(machine.layout, CSource(machine.layout.program)))


def same_games(whole: Program) -> int:
    """Plays games that end in the same states; native code gives up those that go wrong, and no others. How
    many there were."""
    if find_compiler() is None:
        pytest.skip("no C compiler")
    slow, quick = Executor(whole, 2), Executor(whole, 2, backend="native")
    given_up: list[int] = []
    quick.interpreter.random_playout = lambda state: given_up.append(seed)  # type: ignore[method-assign]
    wrong = []
    for seed in range(GAMES):
        one, two = slow.new_state(seed, logging=False), quick.new_state(seed, logging=False)
        quick.random_playout(two)
        try:
            slow.random_playout(one)
        except RuleError:
            wrong.append(seed)
            continue
        assert (state_hash(one), one.v, one.rng) == (state_hash(two), two.v, two.rng), seed
    assert given_up == wrong
    return GAMES - len(wrong)


def test_a_payment_that_is_spent_first_of_all_is_fused() -> None:
    whole = market(spend(0, 1))
    assert fused_payments(whole) == {(1, 0): 1}
    assert same_games(whole) == GAMES


def test_a_price_that_depends_on_the_game_is_fused_too() -> None:
    taken = e("bag_sub", BAG, var(TAKEN, type_=BAG), bag(4, 4, 4))
    price = e("cost_add", COST, any_two(), e("cost", COST, taken))
    whole = market(spend(0, 1), price=price)
    assert fused_payments(whole) == {(1, 0): 1}
    assert same_games(whole) == GAMES


@pytest.mark.parametrize(
    "spending",
    [
        (spend(1, 0),),
        (do("set_var", TAKEN, var(TAKEN, type_=BAG)), spend(0, 1)),
        (spend(0, 1), do("evaluate", e("count", "int", e("list", "set<payment:R>", local(0, "payment:R"))))),
    ],
    ids=["other purses", "later", "read again"],
)
def test_a_payment_that_may_be_needed_later_is_none(spending: tuple[Statement, ...]) -> None:
    whole = market(*spending)
    assert fused_payments(whole) == {}
    same_games(whole)


def test_purses_that_may_be_in_debt_are_not_fused() -> None:
    whole = market(spend(0, 1), low=-5)
    assert fused_payments(whole) == {}
    same_games(whole)
