"""Expressions as Python closures: their compiler, and the operations on scalars, locals, variables and seats.

Enters: `Expr` and a `Layout`. Leaves: closures `f(S, L)` over the state and the list of locals, built once per
machine, with what is constant folded in. Other modules of this package register the operations on pieces,
collections, bags and grids.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.rewrite import substituted
from rulelang.ir.walk import number, operands
from rulelang.registry import registering
from rulelang.runtime.bounds import HIGHEST, LOWEST, fuel_error, rule_error
from rulelang.runtime.constants import UNKNOWN, Constants, function_of, look_up
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DECLARED, DEFERRALS, TIED, State
from rulelang.vocabulary.types import ABSENT_NUMBER, Type

if TYPE_CHECKING:
    from rulelang.interpreter.blocks import Blocks

Locals = list[Any]
Code = Callable[[State, Locals], Any]
Builder = Callable[["Compiler", Expr], Code]

BUILDERS: dict[str, Builder] = {}
"""Operation -> what builds its closure; those that are not here are `pure`."""


builds = registering(BUILDERS)
"""Registers the builder of operations."""


OUT_OF_FUEL = "no decision within the fuel"


def charge(program: Program, site: int, S: State, fuel: int, message: str = OUT_OF_FUEL) -> None:
    """Take fuel of a state; raise FuelError with the message where it has no more."""
    S.fuel -= fuel
    if S.fuel < 0:
        raise fuel_error(program, site, message)


class Compiler:
    """Builds closures for one layout."""

    def __init__(self, layout: Layout, procedures: Blocks) -> None:
        self.layout = layout
        self.program = layout.program
        self.procedures = procedures
        self.known = Constants(layout).known

    def code(self, expr: Expr) -> Code:
        """Return the closure of an expression; truth values may come as Python's."""
        value = self.known(expr)
        if value is not UNKNOWN:
            return lambda S, L: value
        return BUILDERS.get(expr.op, pure)(self, expr)

    def stored(self, expr: Expr) -> Code:
        """Return the closure of an expression whose value is kept: truth values are 0 and 1."""
        code = self.code(expr)
        if expr.type == "bool" and self.known(expr) is UNKNOWN and expr.op not in ("local", "var", "pvar"):
            return lambda S, L: 1 if code(S, L) else 0
        return code

    def codes(self, expr: Expr) -> list[Code]:
        """Return the closures of all arguments that are expressions."""
        return [self.code(arg) for arg in operands(expr)]


# ---- where values live ------------------------------------------------------------------------------


def pure(c: Compiler, e: Expr) -> Code:
    """Return the closure of an operation that is a function of its arguments alone."""
    return applied(c, e, function_of(c.layout, e))


def applied(c: Compiler, e: Expr, function: Callable[..., Any]) -> Code:
    """Return the closure that calls a function with the values of an expression's operands."""
    codes = c.codes(e)
    if len(codes) == 1:
        (only,) = codes
        return lambda S, L: function(only(S, L))
    if len(codes) == 2:
        first, second = codes
        fixed = c.known(operands(e)[1])
        if fixed is not UNKNOWN:
            return lambda S, L: function(first(S, L), fixed)
        return lambda S, L: function(first(S, L), second(S, L))
    return lambda S, L: function(*[code(S, L) for code in codes])


@builds("cast", "cell", "offered")
def _cast(c: Compiler, e: Expr) -> Code:
    (only,) = operands(e)
    return c.stored(only)


@builds("local")
def _local(c: Compiler, e: Expr) -> Code:
    slot = number(e)
    return lambda S, L: L[slot]


@builds("let")
def _let(c: Compiler, e: Expr) -> Code:
    value, body = operands(e)
    return c.code(substituted(body, number(e), lambda _: value))


def instance(c: Compiler, base: int, strides: Sequence[int], indices: list[Expr]) -> Code:
    """Return a closure for `base + sum(index * stride)`."""
    moving: list[tuple[Code, int]] = []
    for expr, stride in zip(indices, strides, strict=True):
        value = c.known(expr)
        if value is UNKNOWN:
            moving.append((c.code(expr), stride))
        else:
            base += value * stride
    if not moving:
        return lambda S, L: base
    (first, step), *rest = moving
    if not rest:
        return lambda S, L: base + first(S, L) * step
    return lambda S, L: base + sum([code(S, L) * stride for code, stride in moving])


def _cells(cell: Code, width: int, type_: Type) -> Code:
    """Return the value of a variable that starts at a cell."""
    if type_.kind != "bag":
        return lambda S, L: S.v[cell(S, L)]

    def bag(S: State, L: Locals) -> tuple[int, ...]:
        start = cell(S, L)
        return tuple(S.v[start : start + width])

    return bag


@builds("var")
def _var(c: Compiler, e: Expr) -> Code:
    variable = number(e)
    cell = instance(c, c.layout.var_base[variable], c.layout.var_strides[variable], operands(e))
    return _cells(cell, c.layout.var_width[variable], c.program.variables[variable].type)


@builds("pvar")
def _pvar(c: Compiler, e: Expr) -> Code:
    """Build the read of a piece's variable."""
    variable = number(e)
    width = c.layout.pvar_width[variable]
    cell = instance(c, c.layout.pvar_cell(variable, 0), (width,), operands(e))
    return _cells(cell, width, c.program.piece_variables[variable].type)


@builds("zone")
def _zone(c: Compiler, e: Expr) -> Code:
    zone = number(e)
    return instance(c, c.layout.zone_base[zone], c.layout.zone_strides[zone], operands(e))


# ---- seats --------------------------------------------------------------------------------------------


@builds("players")
def _players(c: Compiler, e: Expr) -> Code:
    players_in = c.layout.players_in
    return lambda S, L: players_in(S.out)


@builds("parties")
def _parties(c: Compiler, e: Expr) -> Code:
    layout = c.layout
    automata = list(range(layout.players, layout.parties))
    return lambda S, L: layout.players_in(S.out) + automata


def clockwise(layout: Layout, out: int, party: int) -> list[int]:
    """Return the players still in, clockwise from this one or, if it is not among them, from the next."""
    seats = layout.players_in(out)
    for position, seat in enumerate(seats):
        if seat >= party:
            return seats[position:] + seats[:position]
    return seats


def _after(layout: Layout, out: int, party: int) -> list[int]:
    return [seat for seat in clockwise(layout, out, party) if seat != party]


def _by_team(layout: Layout, out: int, party: int, same: bool) -> list[int]:
    team = layout.team_of
    return [seat for seat in layout.players_in(out) if seat != party and (team[seat] == team[party]) == same]


def _reaction_order(layout: Layout, out: int, party: int) -> list[int]:
    """Return the players clockwise, those that are out, automata."""
    gone = [seat for seat in range(layout.players) if out >> seat & 1]
    return [*clockwise(layout, out, max(party, 0)), *gone, *range(layout.players, layout.parties)]


SEATS: dict[str, Callable[[Layout, int, int], Any]] = {
    "others": lambda layout, out, party: [seat for seat in layout.players_in(out) if seat != party],
    "opponents": lambda layout, out, party: _by_team(layout, out, party, False),
    "teammates": lambda layout, out, party: _by_team(layout, out, party, True),
    "next_player": lambda layout, out, party: next(iter(_after(layout, out, party)), party),
    "previous_player": lambda layout, out, party: next(reversed(_after(layout, out, party)), party),
    "players_from": clockwise,
    "players_after": _after,
    "reaction_order": _reaction_order,
}
"""Operations on a party: layout, who is out, party -> parties."""


@builds(*SEATS)
def _seats(c: Compiler, e: Expr) -> Code:
    function, layout = SEATS[e.op], c.layout
    (party,) = c.codes(e)
    return lambda S, L: function(layout, S.out, party(S, L))


@builds("seen")
def _seen(c: Compiler, e: Expr) -> Code:
    form, codes = c.layout.positions[number(e)], c.codes(e)
    return lambda S, L: form.times_seen(S, [int(code(S, L)) for code in codes])


@builds("mark_code")
def _mark_code(c: Compiler, e: Expr) -> Code:
    """Build the value of a mark that ends with a turn, round or phase (`number`) of a party.

    The pair is packed into one integer above 0, so that 0 is no mark: 1 + number * (parties + 1) + party, where a party
    of -1 (anyone's) counts as the last.
    """
    (party,) = c.codes(e)
    parties = c.layout.parties
    base = 1 + number(e) * (parties + 1)

    def code(S: State, L: Locals) -> int:
        p: int = party(S, L)
        return base + (p if p >= 0 else parties)

    return code


@builds("deferred")
def _deferred(c: Compiler, e: Expr) -> Code:
    bit = DEFERRALS[str(e.args[0])]
    return lambda S, L: S.deferred & bit != 0


# ---- numbers and truth ----------------------------------------------------------------------------------


def in_64_bits(c: Compiler, calculated: Code, site: int) -> Code:
    """Return the closure of a number that fails where it has no 64 bits, or there is none."""

    def number_in_64_bits(S: State, L: Locals) -> int:
        try:
            n: int = calculated(S, L)
        except ZeroDivisionError:
            raise rule_error(c.program, site, "division by zero") from None
        if LOWEST <= n <= HIGHEST:
            return n
        raise rule_error(c.program, site, "a number went beyond 64 bits")

    return number_in_64_bits


@builds("add", "sub", "mul", "div", "mod", "neg", "abs")
def _arithmetic(c: Compiler, e: Expr) -> Code:
    """Build an operation on numbers; a division by zero or a result beyond 64 bits is an error of the rule."""
    return in_64_bits(c, pure(c, e), e.site)


@builds("and", "or")
def _logic(c: Compiler, e: Expr) -> Code:
    """Build `and` or `or`, whose right side is read only if the left one does not decide; known ones are folded."""
    left, right = operands(e)
    a, b = c.code(left), c.code(right)
    settled = c.known(left)
    if settled is not UNKNOWN:
        return b if bool(settled) == (e.op == "and") else a
    if e.op == "and":
        return lambda S, L: a(S, L) and b(S, L)
    return lambda S, L: a(S, L) or b(S, L)


@builds("if")
def _if(c: Compiler, e: Expr) -> Code:
    """Build a conditional; one whose condition is known is folded."""
    condition, then, otherwise = operands(e)
    settled = c.known(condition)
    if settled is not UNKNOWN:
        return c.code(then if settled else otherwise)
    test, a, b = c.code(condition), c.code(then), c.code(otherwise)
    return lambda S, L: a(S, L) if test(S, L) else b(S, L)


@builds("is_none")
def _is_none(c: Compiler, e: Expr) -> Code:
    (a,) = c.codes(e)
    none = operands(e)[0].type.absent
    return lambda S, L: a(S, L) == none


@builds("placed")
def _placed(c: Compiler, e: Expr) -> Code:
    """Build whether a party is behind those that were declared winners."""
    (party,) = c.codes(e)
    teams = c.layout.team_of
    mates = [sum(1 << mate for mate, team in enumerate(teams) if team == own) for own in teams]

    def placed(S: State, L: Locals) -> int:
        if S.over == DECLARED:
            return int(not S.winners & mates[party(S, L)])
        return 0 if S.over == TIED else ABSENT_NUMBER

    return placed


@builds("otherwise")
def _otherwise(c: Compiler, e: Expr) -> Code:
    """Build `A otherwise B`: B where A is absent."""
    a, b = c.codes(e)
    none = operands(e)[0].type.absent

    def otherwise(S: State, L: Locals) -> Any:
        value = a(S, L)
        return b(S, L) if value == none else value

    return otherwise


@builds("lookup")
def _lookup(c: Compiler, e: Expr) -> Code:
    """Build a table of steps: the value of the largest constant key that is not above n, else 0."""
    key, *pairs = c.codes(e)
    values = pairs[1::2]
    places = [part for place, arg in enumerate(operands(e)[1::2], 1) for part in (c.known(arg), place)]

    def find(S: State, L: Locals) -> Any:
        place = look_up(key(S, L), places)
        return values[place - 1](S, L) if place else 0

    return find


# ---- calls ------------------------------------------------------------------------------------------------


@builds("call")
def _call(c: Compiler, e: Expr) -> Code:
    """Build the call of a function, whose locals are its arguments and then zeros."""
    procedure = c.program.procedures[number(e)]
    arguments = [c.stored(arg) for arg in operands(e)]
    rest = [0] * (len(procedure.locals) - len(arguments))
    run = c.procedures.call(number(e))
    return lambda S, L: run(S, [*[code(S, L) for code in arguments], *rest])


@builds("possible")
def _possible(c: Compiler, e: Expr) -> Code:
    return c.procedures.possible(e)
