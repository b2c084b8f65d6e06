"""Whether exchanges that may be made without limit can be made for ever.

A group is safe when positive weights of the resources exist that every unlimited exchange lowers. That is a system of
linear inequalities, decided exactly by Fourier-Motzkin elimination; each derived inequality remembers of which
exchanges it is made, so that a contradiction shows a cycle that gains.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import ExchangeInfo, GroupInfo, ProcedureSym

MAX_BAGS = 200
MAX_INEQUALITIES = 2_000
Bag = tuple[int, ...]
Row = tuple[ExchangeInfo, Bag, Bag]
"""An exchange with one of its costs and one of its gains."""
Inequality = tuple[int, ...]
"""Coefficients · weights >= bound: the coefficients, the bound, and of how many of each exchange it is made."""


class VariableCostError(Exception):
    """A cost that depends on the state."""


@dataclass(frozen=True)
class CostValue:
    """A cost known while checking: fixed parts, and wildcards (count, members)."""

    fixed: Bag
    wilds: tuple[tuple[int, Bag], ...] = ()

    def plus(self, other: CostValue) -> CostValue:
        return CostValue(tuple(a + b for a, b in zip(self.fixed, other.fixed, strict=True)), self.wilds + other.wilds)

    def extremes(self) -> set[Bag]:
        """Return the bags that satisfy it with all of a wildcard in one kind; every other one is a mixture of these.

        Raises:
            OverflowError: when there are more than `MAX_BAGS`.
        """
        result = {self.fixed}
        for count, members in self.wilds:
            kinds = range(len(members))
            adds = [tuple(count if other == kind else 0 for other in kinds) for kind in kinds if members[kind]]
            result = {tuple(a + b for a, b in zip(bag, add, strict=True)) for bag in result for add in adds}
            if len(result) > MAX_BAGS:
                raise OverflowError
        return result


def constant_cost(expr: CExpr) -> list[CostValue]:
    """Return the value of a constant cost or bag: all its alternatives.

    Raises:
        VariableCostError: if it depends on the state. OverflowError: when there are more than `MAX_BAGS`.
    """
    match expr.op:
        case "bag":
            return [CostValue(tuple(constant_number(a) for a in expr.args))]
        case "cost":
            return constant_cost(_expr(expr.args[0]))
        case "wild":
            kinds, count, mask, _ = expr.args
            (members,) = constant_cost(_expr(mask))
            return [CostValue((0,) * int(str(kinds)), ((constant_number(count), members.fixed),))]
        case "cost_either":
            return [value for arg in expr.args for value in constant_cost(_expr(arg))]
        case "bag_add" | "cost_add":
            first, second = (constant_cost(_expr(arg)) for arg in expr.args)
            if len(first) * len(second) > MAX_BAGS:
                raise OverflowError
            return [a.plus(b) for a in first for b in second]
        case "bag_scale" | "cost_scale":
            times, values = constant_number(expr.args[0]), constant_cost(_expr(expr.args[1]))
            if len(values) > 1 and times > 1:
                raise VariableCostError  # each time another alternative
            return [
                CostValue(tuple(times * n for n in value.fixed), tuple((n * times, m) for n, m in value.wilds))
                for value in values
            ]
    raise VariableCostError


def _extremes(function: ProcedureSym) -> set[Bag]:
    """Return the bags that satisfy any alternative of a constant cost, as `CostValue.extremes` has them."""
    return set().union(*(value.extremes() for value in constant_cost(_expr(function.body.value))))


def constant_number(arg: object) -> int:
    """Return the value of a constant. Raises VariableCostError for anything else."""
    expr = _expr(arg)
    if expr.op != "const":
        raise VariableCostError
    return int(str(expr.args[0]))


def _expr(arg: object) -> CExpr:
    if not isinstance(arg, CExpr):
        raise VariableCostError
    return arg


def contradiction(rows: list[Inequality], variables: int) -> Inequality | None:
    """Return a combination of the inequalities that no weights satisfy, or None when some do.

    Raises:
        OverflowError: when elimination grows past `MAX_INEQUALITIES`.
    """
    remaining = set(range(variables))
    while remaining:
        # The weight whose elimination makes the fewest inequalities goes first.
        weight = min(remaining, key=lambda w: sum(row[w] > 0 for row in rows) * sum(row[w] < 0 for row in rows))
        remaining.remove(weight)
        derived = [row for row in rows if row[weight] == 0]
        lower, upper = [row for row in rows if row[weight] > 0], [row for row in rows if row[weight] < 0]
        if len(derived) + len(lower) * len(upper) > MAX_INEQUALITIES:
            raise OverflowError
        keys = {row[: variables + 1] for row in derived}
        for low, high in itertools.product(lower, upper):
            total = [x * -high[weight] + y * low[weight] for x, y in zip(low, high, strict=True)]
            divisor = gcd(*total) or 1
            row = tuple(x // divisor for x in total)
            if row[: variables + 1] not in keys:
                keys.add(row[: variables + 1])
                derived.append(row)
        rows = derived
    return next((row for row in rows if row[variables] > 0), None)


def check_exchanges(shared: Shared) -> None:
    """Report groups whose unlimited exchanges can gain without end."""
    for group in (group for group in shared.checked.groups.values() if group.times is None):
        _check_group(shared, group)


def _report_undecided(shared: Shared, group: GroupInfo) -> None:
    """Report a group for which neither a cycle that gains nor its absence could be shown."""
    message = f"`{group.name}` is too tangled to be shown to come to an end"
    shared.diagnostics.error("exchange-unknown", message, group.span, "declare limits")


def _check_group(shared: Shared, group: GroupInfo) -> None:
    """Report a group whose exchanges without limits can be repeated for ever without loss, or can't be shown not to."""
    rows = _unlimited(shared, group)
    if not rows:
        return
    res = shared.type_sym(group.resource)
    assert res is not None
    n = len(res.values)
    lowered = [tuple(map(int.__sub__, cost, gain)) for _, cost, gain in rows]
    lowered += [tuple(int(v == k) for k in range(n)) for v in range(n)]  # each weight is positive
    parts = [tuple(int(i == k) for k in range(len(lowered))) for i in range(len(lowered))]
    try:
        cycle = contradiction([(*less, 1, *part) for less, part in zip(lowered, parts, strict=True)], n)
    except OverflowError:
        _report_undecided(shared, group)
        return
    if cycle is not None:
        applied = [(times, rows[i]) for i, times in enumerate(cycle[n + 1 : n + 1 + len(rows)]) if times]
        _report_cycle(shared, group, applied, res.values)


def _unlimited(shared: Shared, group: GroupInfo) -> list[Row]:
    """Return exchanges without a limit, each with all its costs and gains; report those of which these are not
    known."""
    rows: list[Row] = []
    for exchange in group.exchanges:
        if exchange.limit is not None or exchange.cost.faulty or exchange.gain.faulty:
            continue
        try:
            costs, gains = _extremes(exchange.cost), _extremes(exchange.gain)
        except (VariableCostError, OverflowError) as error:
            why = f"what `{exchange.name}` costs or gives depends on the game, so it can't"
            if isinstance(error, OverflowError):
                why = f"`{exchange.name}` can be made in too many ways to"
            message = f"{why} be shown to come to an end"
            shared.diagnostics.error("exchange-unknown", message, exchange.span, "declare a limit: `once per phase`")
            continue
        if len(rows) + len(costs) * len(gains) > MAX_INEQUALITIES:
            _report_undecided(shared, group)
            return []
        rows += [(exchange, c, g) for c in sorted(costs) for g in sorted(gains)]
    return rows


def _report_cycle(shared: Shared, group: GroupInfo, applied: list[tuple[int, Row]], resources: Sequence[str]) -> None:
    """Report exchanges that lose nothing together, each made so many times."""

    def words(bag: Bag) -> str:
        return " + ".join(f"{k} {resources[i]}" for i, k in enumerate(bag) if k) or "nothing"

    steps = "; ".join(f"{times} × `{e.name}` ({words(c)} -> {words(g)})" for times, (e, c, g) in applied)
    shared.diagnostics.error(
        "exchange-cycle",
        f"the exchanges of `{group.name}` can be made for ever without loss: {steps}",
        applied[0][1][0].span,
        "raise a cost, or declare a limit such as `once per phase`",
        [(e.span, f"`{e.name}` closes the circle") for _, (e, _, _) in applied[1:]],
    )
