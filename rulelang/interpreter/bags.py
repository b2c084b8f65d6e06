"""Operations on bags, costs and purses. A purse is the number of its first cell in `State.v`.

Enters: expressions over resources. Leaves: their closures.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from rulelang.interpreter.expressions import Code, Compiler, Locals, builds, instance
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.limits import OPTIONS, WAYS
from rulelang.runtime import payments
from rulelang.runtime.bounds import fuel_error
from rulelang.runtime.state import State


def _listing(c: Compiler, e: Expr, ways: Callable[[State, Locals, int], list[Any]]) -> Code:
    """Return a closure that lists ways: as many as there is fuel for, which they use."""
    program, site = c.program, e.site

    def listed(S: State, L: Locals) -> list[Any]:
        try:
            bags = ways(S, L, min(S.fuel, OPTIONS))
        except payments.TooManyError:
            raise fuel_error(program, site, "there are more ways than can be listed") from None
        S.fuel -= len(bags)
        return bags

    return listed


@builds("expansions")
def _expansions(c: Compiler, e: Expr) -> Code:
    (cost,) = c.codes(e)
    return _listing(c, e, lambda S, L, most: payments.expansions(cost(S, L), most))


@builds("sub_bags")
def _sub_bags(c: Compiler, e: Expr) -> Code:
    bag, low, high = c.codes(e)
    return _listing(c, e, lambda S, L, most: payments.sub_bags(bag(S, L), low(S, L), high(S, L), most))


@builds("subsets")
def _subsets(c: Compiler, e: Expr) -> Code:
    """Build all different collections of so many elements of a set."""
    source, amount = c.codes(e)

    def subsets(S: State, L: Locals, most: int) -> list[list[Any]]:
        size = amount(S, L)
        counts: Counter[Any] = Counter(source(S, L))
        bags = payments.sub_bags(tuple(counts.values()), size, size, min(most, WAYS))
        return [[x for x, n in zip(counts, bag, strict=True) for _ in range(n)] for bag in bags]

    return _listing(c, e, subsets)


@builds("placements")
def _placements(c: Compiler, e: Expr) -> Code:
    """Build the bags that may be left when goods join a bag with limits: in all, of each resource, of some."""
    present, added, total, each, *limits = c.codes(e)
    is_bag = operands(e)[1].type.kind == "bag"

    def placements(S: State, L: Locals, most: int) -> list[payments.Bag]:
        bag, extra, all_, own = present(S, L), added(S, L), total(S, L), each(S, L)
        cost = (extra, ()) if is_bag else extra
        return payments.placements(bag, cost, all_, own, [limit(S, L) for limit in limits], most)

    return _listing(c, e, placements)


# ---- purses -----------------------------------------------------------------------------------------


@builds("purse")
def _purse(c: Compiler, e: Expr) -> Code:
    variable = number(e)
    return instance(c, c.layout.var_base[variable], c.layout.var_strides[variable], operands(e))


@builds("purses_of")
def _purses_of(c: Compiler, e: Expr) -> Code:
    """Build the purses of pieces: for each piece the first cell of its variable."""
    variable = number(e)
    width, base = c.layout.pvar_width[variable], c.layout.pvar_cell(variable, 0)
    (items,) = c.codes(e)
    return lambda S, L: [base + item * width for item in items(S, L)]


def purse_cells(c: Compiler, expr: Expr) -> Code:
    """Return the closure of the distinct first cells of one purse or a set of them."""
    code = c.code(expr)
    if expr.type.kind == "purse":
        return lambda S, L: [code(S, L)]
    return code


@builds("purses")
def _purses(c: Compiler, e: Expr) -> Code:
    """Build the purses of several sources, each once, in order."""
    parts = [purse_cells(c, arg) for arg in operands(e)]
    if len(parts) == 1:
        return parts[0]

    def purses(S: State, L: Locals) -> list[int]:
        return list(dict.fromkeys([cell for part in parts for cell in part(S, L)]))

    return purses


def _purse_bags(c: Compiler, expr: Expr, width: int) -> Code:
    """Return the closure of what each of some purses holds, a bag of `width` resources each."""
    cells = purse_cells(c, expr)
    return lambda S, L: [tuple(S.v[start : start + width]) for start in cells(S, L)]


def holdings(c: Compiler, expr: Expr, width: int) -> Code:
    """Return the closure of what purses hold together, a bag of `width` resources."""
    bags = _purse_bags(c, expr, width)
    return lambda S, L: payments.holdings(width, bags(S, L))


@builds("can_pay")
def _can_pay(c: Compiler, e: Expr) -> Code:
    """Build the test of whether purses hold together what pays a cost."""
    price, source = operands(e)
    cost, held = c.code(price), holdings(c, source, c.layout.size(price.type))
    return lambda S, L: payments.can_pay(cost(S, L), held(S, L))


@builds("payments")
def _payments(c: Compiler, e: Expr) -> Code:
    """Build the list of all distinct payments of a cost from purses."""
    price, source = operands(e)
    cost, bags = c.code(price), _purse_bags(c, source, c.layout.size(price.type))
    return _listing(c, e, lambda S, L, most: payments.payments(cost(S, L), bags(S, L), most))


@builds("holdings")
def _holdings(c: Compiler, e: Expr) -> Code:
    """Build the bag of what purses hold together."""
    return holdings(c, operands(e)[0], c.layout.size(e.type))
