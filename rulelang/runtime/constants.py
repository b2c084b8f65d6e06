"""Constant folding: evaluates the expressions that are fixed when a program is bound to a layout, such as sizes,
starts, capacities and attributes.

Enters: an expression over options, the number of players and locals. Leaves: its value. Executors fold with it too what
reads no state, such as `max(Cell.row)` over a grid or a function of constants.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Expr
from rulelang.ir.rewrite import lone_value
from rulelang.ir.walk import number, operands
from rulelang.runtime import payments
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.vocabulary.computing import FOLDS_ALONE
from rulelang.vocabulary.types import BITS, Type

if TYPE_CHECKING:
    from rulelang.runtime.grids import Grid
    from rulelang.runtime.layout import Layout


MOST_ELEMENTS = 1024
"""Largest range of numbers that is made when a program is bound."""
MOST_WORK = 8192
"""Bound on elements and calls that one expression may take."""
WORD, MOST_BITS = 64, 512
"""The bits of a word, which is a number as any other, and the most of a wider set of bits."""
MOST_NESTED_CALLS = 40
"""Bound on the depth of calls."""


class NotConstantError(Exception):
    """The expression's value depends on a state."""


class _TooMuchWorkError(NotConstantError):
    """The expression needs no state, but more work than a constant is worth."""


def look_up(number: int, pairs: Sequence[int]) -> int:
    """Return the value of the largest key not above the number, else 0; `pairs` alternates keys and values."""
    best: tuple[int, int] | None = None
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if key <= number and (best is None or key >= best[0]):
            best = key, value
    return best[1] if best else 0


def clamp(bag: payments.Bag, each: int, *limits: int) -> payments.Bag:
    """Return a bag cut to a limit of each kind and to one per kind; -1 is no limit."""
    cut = bag if each < 0 else tuple(min(count, each) for count in bag)
    if not limits:
        return cut
    return tuple(count if limit < 0 else min(count, limit) for count, limit in zip(cut, limits, strict=True))


def numbers(low: int, high: int) -> list[int]:
    """Return the numbers from low to high.

    Raises:
        NotConstantError: they are many; then the run makes them, where they cost fuel.
    """
    if high - low >= MOST_ELEMENTS:
        raise NotConstantError("numbers")
    return list(range(low, high + 1))


def mask(values: Iterable[int], most: int = WORD) -> int:
    """Return the bits of the values from 0 to below `most`; those of one word as a signed number."""
    bits = 0
    for value in values:
        bits |= 1 << value if 0 <= value < most else 0
    return bits if most > WORD else bits - (bits >> WORD - 1 << WORD)


def unsigned(bits: int) -> int:
    """Return the bits of a word, or of a wider set, as a number that is not negative."""
    return bits if bits >= 0 else bits + (1 << WORD)


def _is_in(value: int, values: Sequence[int] | int) -> bool:
    """Return whether a value is in a set, or its bit in a set of bits."""
    return value >= 0 and unsigned(values) >> value & 1 != 0 if isinstance(values, int) else value in values


PURE: dict[str, Callable[..., Any]] = {
    **FOLDS_ALONE,
    "lookup": lambda n, *pairs: look_up(n, pairs),
    "list": lambda *values: list(values),
    "numbers": numbers,
    "count": len,
    "total": sum,
    "member": lambda value, values: value in values,
    "meets": lambda a, b: a & b != 0,
    "bit_and": operator.and_,
    "bit_or": operator.or_,
    "bit_xor": operator.xor,
    "ones": lambda bits: unsigned(bits).bit_count(),
    "elements": lambda bits: [value for value in range(unsigned(bits).bit_length()) if bits >> value & 1],
    "in_mask": _is_in,
    "containing": lambda sets, value: [each for each in sets if _is_in(value, each)],
    "bag": lambda *counts: tuple(counts),
    "bag_add": payments.add,
    "bag_sub": payments.subtract,
    "bag_scale": payments.bag_scale,
    "bag_size": payments.bag_size,
    "bag_pick": operator.getitem,
    "bag_clamp": clamp,
    "cost": lambda bag: (bag, ()),
    "cost_add": payments.cost_add,
    "cost_either": payments.either,
    "cost_sub": payments.cost_subtract,
    "cost_scale": payments.cost_scale,
    "cost_fixed": lambda cost: cost[0],
    "cost_size": payments.cost_size,
    "bag_kinds": payments.bag_kinds,
    "cast": lambda value: value,
    "opposite": lambda way: (way + 4) % 8,
    "precedes": operator.lt,
}
"""Operations that are functions of their (expression) arguments alone; truth values may come as Python's."""


def _grid(layout: Layout, expr: Expr) -> Grid:
    """Return the grid whose number is the expression's first immediate."""
    return layout.grids[number(expr)]


def _edge(grid: Grid, expr: Expr) -> Callable[[int, int], int]:
    """Return the function from a cell and a direction or neighbour to the edge there."""
    if operands(expr)[1].type.core == "dir":
        return lambda cell, way: grid.lying(expr.type.core)[way][cell]
    return partial(grid.edge_between, expr.type.core)


BOUND: dict[str, Callable[[Layout, Expr], Callable[..., Any]]] = {
    "option": lambda layout, e: lambda: layout.options[number(e)],
    "player_count": lambda layout, e: lambda: layout.players,
    "automaton": lambda layout, e: lambda: layout.automata[number(e)],
    "everyone": lambda layout, e: lambda: list(range(layout.players)),
    "seat_of": lambda layout, e: lambda n: n if 0 <= n < layout.players else -1,
    "domain": lambda layout, e: lambda: layout.domain(Type(str(e.args[0]))),
    "first": lambda layout, e: lambda elements: elements[0] if elements else e.type.absent,
    "last": lambda layout, e: lambda elements: elements[-1] if elements else e.type.absent,
    "eattr": lambda layout, e: layout.enum_columns[number(e)][number(e, 1)].__getitem__,
    "gattr": lambda layout, e: layout.grid_columns[number(e)][number(e, 1)].__getitem__,
    "zone": lambda layout, e: lambda *indices: layout.zone_instance(number(e), indices),
    "mask": lambda layout, e: partial(mask, most=WORD if e.type == "int" else MOST_BITS),
    "pick": lambda layout, e: e.args[1:].__getitem__,
    "bag_get": lambda layout, e: operator.itemgetter(number(e, 1)),
    "bag_one": lambda layout, e: (
        [tuple(int(kind == value) for kind in range(number(e))) for value in range(number(e))].__getitem__
    ),
    "wild": lambda layout, e: lambda count, kinds: payments.make_wild(number(e), count, kinds, number(e, 3)),
    "column": lambda layout, e: lambda cell: _grid(layout, e).places[cell][0] + 1,
    "row": lambda layout, e: lambda cell: _grid(layout, e).places[cell][1] + 1,
    "cell_at": lambda layout, e: _grid(layout, e).cell_at,
    "lines": lambda layout, e: _grid(layout, e).lines,
    "toward": lambda layout, e: lambda cell, way: _grid(layout, e).toward[way][cell],
    "edge": lambda layout, e: _edge(_grid(layout, e), e),
    "corner": lambda layout, e: lambda cell, way: _grid(layout, e).lying(e.type.core)[way][cell],
    "touching": lambda layout, e: _grid(layout, e).touching(operands(e)[0].type.core, e.type.core).__getitem__,
    "turned": lambda layout, e: _grid(layout, e).turned,
    "ray": lambda layout, e: lambda cell, way: _grid(layout, e).rays[way][cell],
    "neighbours": lambda layout, e: _grid(layout, e).neighbours.__getitem__,
    "distance": lambda layout, e: _grid(layout, e).distance,
    "region": lambda layout, e: _grid(layout, e).region,
    "on_edge": lambda layout, e: _grid(layout, e).on_edge,
    "direction": lambda layout, e: _grid(layout, e).direction,
}
"""Operations with immediate arguments or tables of the layout -> what makes their function of the other arguments."""


def function_of(layout: Layout, expr: Expr) -> Callable[..., Any]:
    """Return the function of its arguments that a pure operation is.

    Raises:
        NotConstantError: the operation reads a state, or binds a local.
    """
    if (function := PURE.get(expr.op)) is not None:
        return function
    if (bound := BOUND.get(expr.op)) is None:
        raise NotConstantError(expr.op)
    return bound(layout, expr)


UNKNOWN = object()
"""Stands for a value that only a state can tell."""


class Constants:
    """Constant folding of the expressions of one layout, memoised."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._values: dict[int, tuple[Expr, Any]] = {}  # by id; the reference to the expression keeps that unique

    def known(self, expr: Expr) -> Any:
        """Return the value of an expression that needs no state, else UNKNOWN."""
        if expr.op == "local" or expr.op == "var":
            return UNKNOWN
        entry = self._values.get(id(expr))
        if entry is None:
            entry = self._values[id(expr)] = expr, self._fold(expr)
        return entry[1]

    def _fold(self, expr: Expr) -> Any:
        """Return the value of an expression, or UNKNOWN if it needs a state, fails or overflows."""
        try:
            value = constant(self.layout, expr)
        except (NotConstantError, ArithmeticError, payments.TooManyError):
            return UNKNOWN
        # Overflow is an error of the run, with its place.
        fits = expr.type == BITS or not isinstance(value, int) or LOWEST <= value <= HIGHEST
        return value if fits else UNKNOWN


def constant(
    layout: Layout,
    expr: Expr,
    values: Sequence[Any] | Mapping[int, Any] = (),
    cells: Mapping[int, int] | None = None,
) -> Any:
    """Evaluate an expression.

    Args:
        values: of the locals, by slot. cells: the values of variables, by cell, as far as they may be read.

    Raises:
        NotConstantError: it needs a state, or too much work.
    """
    slots = dict(values if isinstance(values, Mapping) else enumerate(values))
    return _Evaluator(layout, cells or {}).value(expr, slots)


def table(layout: Layout, expr: Expr, settings: Iterable[Mapping[int, Any]], most: int) -> list[Any]:
    """Return the values of an expression for several values of its locals.

    Raises:
        NotConstantError: it needs a state, or all take more than `most` elements and calls.
    """
    results = []
    for known in settings:
        evaluator = _Evaluator(layout)
        results.append(evaluator.value(expr, dict(known)))
        most -= MOST_WORK - evaluator.fuel
        if most < 0:
            raise _TooMuchWorkError("table")
    return results


Slots = dict[int, Any]
Body = Callable[[Any], Any]


class _Evaluator:
    """Evaluates one expression with bounded work, folds over collections and calls of pure functions included."""

    def __init__(self, layout: Layout, cells: Mapping[int, int] | None = None) -> None:
        self.layout, self.cells = layout, cells or {}
        self.fuel = MOST_WORK
        self.depth = 0

    def spend(self, work: int) -> None:
        """Count elements and calls against the bound; raise _TooMuchWorkError beyond it."""
        self.fuel -= work
        if self.fuel < 0:
            raise _TooMuchWorkError("work")

    def value(self, expr: Expr, slots: Slots) -> Any:
        """Return the value of an expression with these locals."""
        args = expr.args
        match expr.op:
            case "const":
                return args[0]
            case "local":
                if args[0] not in slots:
                    raise NotConstantError("local")
                return slots[number(expr)]
            case "var" if self.cells:
                variable, layout = number(expr), self.layout
                indices = [self.value(part, slots) for part in operands(expr)]
                cell = layout.variable_cell(variable, indices)
                if cell not in self.cells:
                    raise NotConstantError("var")
                return self.cells[cell]
            case "if":
                condition, then, otherwise = operands(expr)
                return self.value(then if self.value(condition, slots) else otherwise, slots)
            case "and" | "or":
                left, right = operands(expr)
                first = self.value(left, slots)
                return first if bool(first) == (expr.op == "or") else self.value(right, slots)
            case "otherwise":
                left, right = operands(expr)
                first = self.value(left, slots)
                return self.value(right, slots) if first == left.type.absent else first
            case "is_none":
                (only,) = operands(expr)
                return int(self.value(only, slots) == only.type.absent)
            case "let":
                value, body = operands(expr)
                return self.value(body, {**slots, number(expr): self.value(value, slots)})
            case "call":
                return self.call(expr, slots)
        if expr.op in FOLDS:
            return self.fold(expr, slots)
        function = function_of(self.layout, expr)
        result = function(*[self.value(arg, slots) for arg in operands(expr)])
        return int(result) if isinstance(result, bool) else result

    def fold(self, expr: Expr, slots: Slots) -> Any:
        """Return the value of an operation of `FOLDS`, whose body is evaluated for each element of a collection."""
        collection, body = operands(expr)
        elements = self.value(collection, slots)
        self.spend(len(elements))
        inner = dict(slots)

        def read(element: Any) -> Any:
            inner[number(expr)] = element
            return self.value(body, inner)

        result = FOLDS[expr.op](expr, elements, read)
        if isinstance(result, list):
            self.spend(len(result))
        return result

    def call(self, expr: Expr, slots: Slots) -> Any:
        """Return the value of a call of a pure function; arguments that are not constant may go unread."""
        called = number(expr)
        code = self.layout.program.procedures[called]
        value = lone_value(code)
        if value is None or code.effects.reads or self.depth >= MOST_NESTED_CALLS or called in self.layout.laborious:
            raise NotConstantError("call")
        inner: Slots = {}
        for slot, argument in enumerate(operands(expr)):
            with suppress(NotConstantError):
                inner[slot] = self.value(argument, slots)
        self.depth += 1
        try:
            self.spend(1)
            return self.value(value, inner)
        except _TooMuchWorkError:
            self.layout.laborious.add(called)
            raise
        finally:
            self.depth -= 1


def _extreme(expr: Expr, elements: Sequence[Any], read: Body) -> Any:
    """Return the greatest or least value of the body; absent for no elements."""
    return (max if expr.op == "max" else min)(map(read, elements), default=expr.type.absent)


def _best(expr: Expr, elements: Sequence[Any], read: Body) -> list[Any]:
    """Return the elements whose body has the greatest (`most`) or least value."""
    bodies = [read(element) for element in elements]
    best = (max if expr.op == "most" else min)(bodies, default=None)
    return [element for element, body in zip(elements, bodies, strict=True) if body == best]


def reachable(starts: Iterable[Any], steps: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """Return the elements reachable from `starts` by `steps` (element -> elements), breadth first, starts included."""
    reached = dict.fromkeys(starts)
    queue = list(reached)
    for element in queue:
        new = [successor for successor in dict.fromkeys(steps(element)) if successor not in reached]
        reached.update(dict.fromkeys(new))
        queue += new
    return queue


def _sum(expr: Expr, elements: Sequence[Any], read: Body) -> int:
    """Return the sum of the body's values, of numbers alone."""
    if expr.type != "int":
        raise NotConstantError(expr.op)
    return sum(map(read, elements))


FOLDS: dict[str, Callable[[Expr, Sequence[Any], Body], Any]] = {
    "filter": lambda expr, elements, read: [element for element in elements if read(element)],
    "map": lambda expr, elements, read: list(map(read, elements)),
    "flatten": lambda expr, elements, read: [part for element in elements for part in read(element)],
    "reachable": lambda expr, elements, read: reachable(elements, read),
    "sum": _sum,
    "any": lambda expr, elements, read: int(any(map(read, elements))),
    "all": lambda expr, elements, read: int(all(map(read, elements))),
    "max": _extreme,
    "min": _extreme,
    "most": _best,
    "fewest": _best,
    "descending": lambda expr, elements, read: sorted(elements, key=read, reverse=True),
    "ascending": lambda expr, elements, read: sorted(elements, key=read),
}
"""Operations that bind a local: expression, elements, body -> value."""
