"""Reads the expressions that are fixed when a program is bound: sizes, starts, capacities, attributes.

Enters: an expression over options, the number of players and locals. Leaves: its value. Backends fold with it too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Expr
from rulelang.ir.types import absent
from rulelang.runtime import payments

if TYPE_CHECKING:
    from rulelang.runtime.layout import Layout


MANY = 1024
"""A collection with more elements is not made when a program is bound."""


class NotConstantError(Exception):
    """The expression needs a state."""


def divide(a: int, b: int) -> int:
    """The quotient rounded down; a ZeroDivisionError when b is 0."""
    return a // b


def look_up(number: int, pairs: Sequence[int]) -> int:
    """The value of the largest key not above the number, else 0; `pairs` alternates keys and values."""
    best: tuple[int, int] | None = None
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if key <= number and (best is None or key >= best[0]):
            best = key, value
    return best[1] if best else 0


def clamp(bag: payments.Bag, each: int, *limits: int) -> payments.Bag:
    """A bag cut to a limit of each kind and to one per kind; -1 is no limit."""
    cut = bag if each < 0 else tuple(min(count, each) for count in bag)
    if not limits:
        return cut
    return tuple(count if limit < 0 else min(count, limit) for count, limit in zip(cut, limits, strict=True))


def numbers(low: int, high: int) -> list[int]:
    """The numbers from low to high; many of them are left to the run, where they cost fuel."""
    if high - low >= MANY:
        raise NotConstantError("numbers")
    return list(range(low, high + 1))


PURE: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": divide,
    "mod": operator.mod,
    "neg": operator.neg,
    "abs": abs,
    "min2": min,
    "max2": max,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "gt": lambda a, b: int(a > b),
    "ge": lambda a, b: int(a >= b),
    "not": lambda a: int(not a),
    "lookup": lambda n, *pairs: look_up(n, pairs),
    "list": lambda *values: list(values),
    "numbers": numbers,
    "count": len,
    "total": sum,
    "member": lambda value, values: int(value in values),
    "bag": lambda *counts: tuple(counts),
    "bag_add": payments.add,
    "bag_sub": payments.subtract,
    "bag_scale": payments.bag_scale,
    "bag_has": lambda a, b: int(all(map(operator.ge, a, b))),
    "bag_size": sum,
    "bag_pick": lambda bag, value: bag[value],
    "bag_clamp": clamp,
    "cost": lambda bag: (bag, ()),
    "cost_add": payments.cost_add,
    "cost_sub": payments.cost_subtract,
    "cost_scale": payments.cost_scale,
    "cost_fixed": lambda cost: cost[0],
    "cost_size": payments.cost_size,
    "bag_kinds": payments.bag_kinds,
    "opposite": lambda way: (way + 4) % 8,
}
"""Operations that are functions of their (expression) arguments alone."""


def _immediates(expr: Expr, layout: Layout, values: Sequence[Any]) -> Any:
    """Operations with immediate arguments or tables of the layout."""
    args = expr.args
    match expr.op:
        case "option":
            return layout.options[_int(args[0])]
        case "player_count":
            return layout.players
        case "automaton":
            return layout.automata[_int(args[0])]
        case "everyone":
            return list(range(layout.players))
        case "seat_of":
            return values[0] if 0 <= values[0] < layout.players else -1
        case "domain":
            return layout.domain(str(args[0]))
        case "eattr":
            return layout.enum_columns[_int(args[0])][_int(args[1])][values[0]]
        case "gattr":
            return layout.grid_columns[_int(args[0])][_int(args[1])][values[0]]
        case "zone":
            return layout.zone_instance(_int(args[0]), values)
        case "bag_get":
            return values[0][_int(args[1])]
        case "bag_one":
            return tuple(int(kind == values[0]) for kind in range(_int(args[0])))
        case "wild":
            return payments.make_wild(_int(args[0]), values[0], values[1], _int(args[3]))
        case "column":
            return values[0] % layout.grids[_int(args[0])].columns + 1
        case "row":
            return values[0] // layout.grids[_int(args[0])].columns + 1
        case "cell_at":
            return layout.grids[_int(args[0])].cell_at(values[0], values[1])
        case "lines":
            return layout.grids[_int(args[0])].lines(_int(args[1]))
    raise NotConstantError(expr.op)


def constant(layout: Layout, expr: Expr, values: Sequence[Any] = ()) -> Any:
    """The value of an expression whose locals are `values`; NotConstantError when it needs a state."""
    args = expr.args
    match expr.op:
        case "const":
            return args[0]
        case "local":
            if _int(args[0]) >= len(values):
                raise NotConstantError("local")
            return values[_int(args[0])]
        case "if":
            condition, then, otherwise = (arg for arg in args if isinstance(arg, Expr))
            return constant(layout, then if constant(layout, condition, values) else otherwise, values)
        case "and" | "or":
            left, right = (arg for arg in args if isinstance(arg, Expr))
            first = constant(layout, left, values)
            return first if bool(first) == (expr.op == "or") else constant(layout, right, values)
        case "otherwise":
            left, right = (arg for arg in args if isinstance(arg, Expr))
            first = constant(layout, left, values)
            return constant(layout, right, values) if first == absent(left.type) else first
        case "is_none":
            (only,) = (arg for arg in args if isinstance(arg, Expr))
            return int(constant(layout, only, values) == absent(only.type))
    operands = [constant(layout, arg, values) for arg in args if isinstance(arg, Expr)]
    pure = PURE.get(expr.op)
    if pure is None:
        return _immediates(expr, layout, operands)
    return pure(*operands)


def _int(arg: Expr | int | str) -> int:
    assert isinstance(arg, int)
    return arg
