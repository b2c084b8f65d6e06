"""Operations on sets. One is a list, never changed once made; binding operations charge fuel for each element.

Enters: expressions over sets and groups. Leaves: their closures.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from rulelang.interpreter.expressions import OUT_OF_FUEL, Code, Compiler, Locals, applied, builds, charge, in_64_bits
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.runtime import payments
from rulelang.runtime.bounds import fuel_error, rule_error
from rulelang.runtime.constants import FOLDS, Body, reachable
from rulelang.runtime.distinct import distinct, key
from rulelang.runtime.fuel import NODES, round_work
from rulelang.runtime.layout import ITEM_MASK
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import BINDING, TOTAL


@builds("list")
def _list(c: Compiler, e: Expr) -> Code:
    codes = [c.stored(arg) for arg in operands(e)]
    return lambda S, L: [code(S, L) for code in codes]


@builds("numbers")
def _numbers(c: Compiler, e: Expr) -> Code:
    """Build the set of all numbers between two bounds, each of which costs fuel."""
    low, high = c.codes(e)

    def numbers(S: State, L: Locals) -> list[int]:
        found = range(low(S, L), high(S, L) + 1)
        charge(c.program, e.site, S, max(found.stop - found.start, 0))
        return list(found)

    return numbers


def _charged(c: Compiler, expr: Expr, site: int, fuel: Callable[[int], int]) -> Code:
    """Return the closure of a set that takes fuel, by its number of elements."""
    code, program = c.code(expr), c.program

    def charged(S: State, L: Locals) -> Any:
        members = code(S, L)
        charge(program, site, S, fuel(len(members)))
        return members

    return charged


def elements(c: Compiler, expr: Expr, site: int, *bodies: Expr) -> Code:
    """Return the closure of a set whose elements will be looped over, reading the bodies: charge the fuel of all
    rounds."""
    return _charged(c, expr, site, round_work(c.layout, *bodies).__mul__)


def whole(c: Compiler, expr: Expr, site: int) -> Code:
    """Return the closure of a set of which all elements are looked at, by Python alone: charges a part of their
    fuel."""
    return _charged(c, expr, site, lambda size: size // NODES)


def _binding(c: Compiler, e: Expr) -> tuple[int, Code, Code]:
    source, body = operands(e)
    return number(e), elements(c, source, e.site, body), c.stored(body)


def _firsts(expr: Expr, elements: Sequence[Any], read: Body) -> list[Any]:
    """Return the first element for each value of the body."""
    first_by_key: dict[Any, Any] = {}
    for element in elements:
        first_by_key.setdefault(key(read(element)), element)
    return list(first_by_key.values())


def _grouped(expr: Expr, elements: Sequence[Any], read: Body) -> list[list[Any]]:
    """Return the elements with equal body, in order of the body."""
    groups: dict[Any, list[Any]] = {}
    for element in elements:
        groups.setdefault(read(element), []).append(element)
    return [members for _, members in sorted(groups.items())]


def _runs(expr: Expr, elements: Sequence[Any], read: Body) -> list[list[Any]]:
    """Return the elements with consecutive bodies, those of equal ones together, in order of the body."""
    runs: list[list[Any]] = []
    last: int | None = None
    for body, element in sorted(((read(element), element) for element in elements), key=operator.itemgetter(0)):
        if last is None or body > last + 1:
            runs.append([])
        runs[-1].append(element)
        last = body
    return runs


BOUNDED = BINDING - TOTAL
"""Folds whose result may take too much fuel or grow too large, which `FOLDS` does not see to."""
LOOPS = {op: fold for op, fold in FOLDS.items() if op not in BOUNDED} | {
    "distinct_by": _firsts,
    "group": _grouped,
    "runs": _runs,
}


@builds(*LOOPS)
def _fold(c: Compiler, e: Expr) -> Code:
    """Build a loop over a set that binds each element to a slot, by the row of `LOOPS`."""
    slot, items, body = _binding(c, e)
    fold = LOOPS[e.op]

    def folded(S: State, L: Locals) -> Any:
        def read(element: Any) -> Any:
            L[slot] = element
            return body(S, L)

        return fold(e, items(S, L), read)

    return folded


@builds("flatten")
def _flatten(c: Compiler, e: Expr) -> Code:
    """Build the concatenation of the sets that the body gives for each element."""
    slot, items, body = _binding(c, e)
    program, site = c.program, e.site

    def flattened(S: State, L: Locals) -> list[Any]:
        union: list[Any] = []
        for x in items(S, L):
            L[slot] = x
            union += body(S, L)
            if len(union) > S.fuel:
                raise fuel_error(program, site, OUT_OF_FUEL)
        return union

    return flattened


@builds("reachable")
def _reachable(c: Compiler, e: Expr) -> Code:
    """Build the closure of a set under the steps that the body gives from an element."""
    slot, items, body = _binding(c, e)
    program, site, work = c.program, e.site, round_work(c.layout, operands(e)[1])

    def reached(S: State, L: Locals) -> list[Any]:
        def steps(x: Any) -> Any:
            L[slot] = x
            charge(program, site, S, work)
            return body(S, L)

        return reachable(items(S, L), steps)

    return reached


@builds("sum")
def _sum(c: Compiler, e: Expr) -> Code:
    """Build the sum over a set of numbers, bags or costs that the body gives."""
    slot, items, body = _binding(c, e)
    nothing: Any = 0
    add: Callable[[Any, Any], Any] = operator.add
    if e.type.kind == "bag":
        nothing, add = (0,) * c.layout.width(e.type), payments.add
    elif e.type.kind == "cost":
        nothing, add = ((0,) * c.layout.size(e.type), ()), payments.cost_add

    def summed(S: State, L: Locals) -> Any:
        total = nothing
        for x in items(S, L):
            L[slot] = x
            total = add(total, body(S, L))
        return total

    return in_64_bits(c, summed, e.site) if e.type == "int" else summed


@builds("count")
def _count(c: Compiler, e: Expr) -> Code:
    (code,) = c.codes(e)
    return lambda S, L: len(code(S, L))


@builds("total")
def _total(c: Compiler, e: Expr) -> Code:
    """Build the sum of a set of numbers."""
    source = whole(c, operands(e)[0], e.site)
    return in_64_bits(c, lambda S, L: sum(source(S, L)), e.site)


@builds("distinct")
def _distinct(c: Compiler, e: Expr) -> Code:
    source = elements(c, operands(e)[0], e.site)
    return lambda S, L: distinct(source(S, L))


@builds("member")
def _member(c: Compiler, e: Expr) -> Code:
    value, source = c.code(operands(e)[0]), whole(c, operands(e)[1], e.site)
    return lambda S, L: value(S, L) in source(S, L)


@builds("union")
def _union(c: Compiler, e: Expr) -> Code:
    a, b = (elements(c, operand, e.site) for operand in operands(e))
    return lambda S, L: a(S, L) + b(S, L)


@builds("difference")
def _difference(c: Compiler, e: Expr) -> Code:
    """Build the difference of two multisets, in the order of the first."""
    a, b = (elements(c, operand, e.site) for operand in operands(e))

    def difference(S: State, L: Locals) -> list[Any]:
        less = Counter(map(key, b(S, L)))
        rest = []
        for x in a(S, L):
            if less[key(x)]:
                less[key(x)] -= 1
            else:
                rest.append(x)
        return rest

    return difference


@builds("at", "get_seat")
def _at(c: Compiler, e: Expr) -> Code:
    return applied(c, e, operator.getitem)


@builds("answer")
def _answer(c: Compiler, e: Expr) -> Code:
    """Build the value of a party that was asked; an error for one that was not."""
    values, party = c.codes(e)
    none, program, site = operands(e)[0].type.inner.absent, c.program, e.site

    def answer(S: State, L: Locals) -> Any:
        value = values(S, L)[party(S, L)]
        if value == none:
            raise rule_error(program, site, "a party that was not asked has no answer")
        return value

    return answer


@builds("firsts", "lasts")
def _ends(c: Compiler, e: Expr) -> Code:
    """Build the first or last n elements of a set, or all if it has fewer."""
    source, amount = whole(c, operands(e)[0], e.site), c.code(operands(e)[1])
    if e.op == "firsts":
        return lambda S, L: source(S, L)[: max(amount(S, L), 0)]

    def lasts(S: State, L: Locals) -> Any:
        members = source(S, L)
        return members[max(len(members) - max(amount(S, L), 0), 0) :]

    return lasts


@builds("same")
def _same(c: Compiler, e: Expr) -> Code:
    """Build equality; pieces without identity are compared without the zone in their handles."""
    left, right = operands(e)
    a, b = (whole(c, side, e.site) if side.type.kind == "set" else c.code(side) for side in (left, right))
    if left.type.core.kind != "piece" or c.layout.identity(left.type):
        return lambda S, L: a(S, L) == b(S, L)
    return lambda S, L: _items_in(a(S, L)) == _items_in(b(S, L))


def _items_in(value: Any) -> Any:
    """Replace handles of pieces by their items, without the zones, also within collections."""
    return value & ITEM_MASK if isinstance(value, int) else list(map(_items_in, value))


@builds("region")
def _region(c: Compiler, e: Expr) -> Code:
    """Build the connected part of a set of cells that contains a cell; empty if the set has not that cell."""
    cell, among = c.codes(e)
    grid = c.layout.grids[number(e)]

    def region(S: State, L: Locals) -> list[int]:
        cells = among(S, L)
        S.fuel -= len(cells)
        return grid.region(cell(S, L), cells)

    return region
