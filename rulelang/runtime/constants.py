"""Reads the expressions that are fixed when a program is bound: sizes, starts, capacities, attributes.

Enters: an expression over options, the number of players and locals. Leaves: its value. Backends fold constants with
it too: what reads no state, such as `max(Cell.row)` over a grid or a function of constants, is worked out once for each
layout.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Branch, Expr, Jump, Procedure, Return
from rulelang.ir.types import absent
from rulelang.runtime import payments
from rulelang.runtime.bounds import HIGHEST, LOWEST

if TYPE_CHECKING:
    from rulelang.runtime.layout import Layout


MANY = 1024
"""A collection with more elements is not made when a program is bound."""
WORK = 8192
"""So many elements and blocks are looked at for one expression, at most."""
WORD = 64
CALLS = 40
"""So many calls within each other, at most."""


class NotConstantError(Exception):
    """The expression needs a state."""


class _TooMuchWorkError(NotConstantError):
    """The expression needs none, but more work than a constant is worth."""


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


def mask(values: Sequence[int]) -> int:
    """A word with a bit for each value from 0 to 63, as a number with sign."""
    bits = 0
    for value in values:
        bits |= 1 << value if 0 <= value < WORD else 0
    return bits - (bits >> WORD - 1 << WORD)


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
    "mask": mask,
    "meets": lambda one, other: int(one & other != 0),
    "elements": lambda bits: [value for value in range(WORD) if bits >> value & 1],
    "in_mask": lambda value, bits: int(0 <= value < WORD and bits >> value & 1),
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
        case "pick":
            return args[1 + values[0]]
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
        case "toward":
            return layout.grids[_int(args[0])].toward[values[1]][values[0]]
        case "ray":
            return layout.grids[_int(args[0])].rays[values[1]][values[0]]
        case "neighbours":
            return layout.grids[_int(args[0])].neighbours[values[0]]
        case "distance":
            return layout.grids[_int(args[0])].distance(values[0], values[1])
        case "region":
            return layout.grids[_int(args[0])].region(values[0], values[1])
        case "on_edge":
            return int(layout.grids[_int(args[0])].on_edge(values[0]))
        case "direction":
            return layout.grids[_int(args[0])].direction(values[0], values[1])
    raise NotConstantError(expr.op)


UNKNOWN = object()
"""Stands for a value that only a state can tell."""


class Constants:
    """What is known of expressions of one layout, each worked out once."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._known: dict[int, tuple[Expr, Any]] = {}  # by identity; the expression is held so that it stays its own

    def known(self, expr: Expr) -> Any:
        """Return the value of an expression that needs no state, else UNKNOWN."""
        if expr.op == "local" or expr.op == "var":
            return UNKNOWN
        found = self._known.get(id(expr))
        if found is None:
            found = self._known[id(expr)] = expr, self._worked_out(expr)
        return found[1]

    def _worked_out(self, expr: Expr) -> Any:
        try:
            value = constant(self.layout, expr)
        except (NotConstantError, ArithmeticError, payments.TooManyError):
            return UNKNOWN
        # Overflow is an error of the run, with its place.
        return value if not isinstance(value, int) or LOWEST <= value <= HIGHEST else UNKNOWN


def constant(layout: Layout, expr: Expr, values: Sequence[Any] | Mapping[int, Any] = ()) -> Any:
    """The value of an expression whose locals are `values`; NotConstantError when it needs a state, or much work."""
    return _Reader(layout).value(expr, dict(values if isinstance(values, Mapping) else enumerate(values)))


Slots = dict[int, Any]
Body = Callable[[Any], Any]


class _Reader:
    """Reads one expression, folds over collections and calls of pure functions included, with bounded work."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.left = WORK
        self.calls = 0

    def spend(self, work: int) -> None:
        """Counts elements and blocks against the bound."""
        self.left -= work
        if self.left < 0:
            raise _TooMuchWorkError("work")

    def value(self, expr: Expr, slots: Slots) -> Any:
        args = expr.args
        match expr.op:
            case "const":
                return args[0]
            case "local":
                if args[0] not in slots:
                    raise NotConstantError("local")
                return slots[_int(args[0])]
            case "if":
                condition, then, otherwise = _parts(expr)
                return self.value(then if self.value(condition, slots) else otherwise, slots)
            case "and" | "or":
                left, right = _parts(expr)
                first = self.value(left, slots)
                return first if bool(first) == (expr.op == "or") else self.value(right, slots)
            case "otherwise":
                left, right = _parts(expr)
                first = self.value(left, slots)
                return self.value(right, slots) if first == absent(left.type) else first
            case "is_none":
                (only,) = _parts(expr)
                return int(self.value(only, slots) == absent(only.type))
            case "let":
                value, body = _parts(expr)
                return self.value(body, {**slots, _int(args[0]): self.value(value, slots)})
            case "call":
                return self.call(expr, slots)
        if expr.op in FOLDS:
            return self.fold(expr, slots)
        operands = [self.value(arg, slots) for arg in _parts(expr)]
        pure = PURE.get(expr.op)
        if pure is None:
            return _immediates(expr, self.layout, operands)
        return pure(*operands)

    def fold(self, expr: Expr, slots: Slots) -> Any:
        """An operation that reads a body for each element of a set."""
        collection, body = _parts(expr)
        elements = self.value(collection, slots)
        self.spend(len(elements))
        inner = dict(slots)

        def read(element: Any) -> Any:
            inner[_int(expr.args[0])] = element
            return self.value(body, inner)

        found = FOLDS[expr.op](expr, elements, read)
        if isinstance(found, list):
            self.spend(len(found))
        return found

    def call(self, expr: Expr, slots: Slots) -> Any:
        """A function that reads no state; an argument that is not known may be one that it does not read."""
        number = _int(expr.args[0])
        code = self.layout.program.procedures[number]
        effects = code.effects
        impure = effects.reads or effects.writes or effects.suspends or effects.ends_game
        if impure or self.calls >= CALLS or number in self.layout.laborious:
            raise NotConstantError("call")
        inner: Slots = {}
        for slot, argument in enumerate(_parts(expr)):
            with suppress(NotConstantError):
                inner[slot] = self.value(argument, slots)
        self.calls += 1
        try:
            found = self.body(code, inner)
        except _TooMuchWorkError:
            self.layout.laborious.add(number)
            raise
        self.calls -= 1
        return found

    def body(self, code: Procedure, inner: Slots) -> Any:
        """What a function gives, with the locals that are known."""
        place = 0
        while True:
            block = code.blocks[place]
            self.spend(1 + len(block.statements))
            for statement in block.statements:
                (new,) = (arg for arg in statement.args if isinstance(arg, Expr)) if statement.op == "set" else (None,)
                if new is None:
                    raise NotConstantError(statement.op)
                inner[_int(statement.args[0])] = self.value(new, inner)
            match block.terminator:
                case Jump(to=to):
                    place = to
                case Branch(condition=condition, then=then, otherwise=otherwise):
                    place = then if self.value(condition, inner) else otherwise
                case Return(value=Expr() as value):
                    return self.value(value, inner)
                case _:
                    raise NotConstantError("call")


def _extreme(expr: Expr, elements: Sequence[Any], read: Body) -> Any:
    """The greatest or least body; absent for none, where that is possible."""
    if not elements and not expr.type.startswith("opt<"):
        raise NotConstantError(expr.op)
    return (max if expr.op == "max" else min)(map(read, elements), default=absent(expr.type) if not elements else None)


def _best(expr: Expr, elements: Sequence[Any], read: Body) -> list[Any]:
    """The elements that share the greatest or the least body."""
    bodies = [read(element) for element in elements]
    best = (max if expr.op == "most" else min)(bodies, default=None)
    return [element for element, body in zip(elements, bodies, strict=True) if body == best]


def _sum(expr: Expr, elements: Sequence[Any], read: Body) -> int:
    if expr.type != "int":
        raise NotConstantError(expr.op)
    return sum(map(read, elements))


FOLDS: dict[str, Callable[[Expr, Sequence[Any], Body], Any]] = {
    "filter": lambda expr, elements, read: [element for element in elements if read(element)],
    "map": lambda expr, elements, read: list(map(read, elements)),
    "flatten": lambda expr, elements, read: [part for element in elements for part in read(element)],
    "sum": _sum,
    "any": lambda expr, elements, read: int(any(map(read, elements))),
    "all": lambda expr, elements, read: int(all(map(read, elements))),
    "max": _extreme,
    "min": _extreme,
    "most": _best,
    "fewest": _best,
}
"""Operations that bind a local: expression, elements, body -> value."""


def _parts(expr: Expr) -> list[Expr]:
    return [arg for arg in expr.args if isinstance(arg, Expr)]


def _int(arg: Expr | int | str) -> int:
    assert isinstance(arg, int)
    return arg
