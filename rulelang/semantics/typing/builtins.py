"""Calls, and the functions of the language on numbers, players and pieces."""

from __future__ import annotations

from collections.abc import Callable

from rulelang.diagnostics import Span, counted, suggest
from rulelang.semantics.analysis.least import all_parties, set_of
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import CallEdge, const, number, source_text
from rulelang.semantics.tree.symbols import Checked, ProcedureSym, TypeSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import (
    BOOL,
    ERROR,
    NUMBER,
    PLAYER,
    ErrorT,
    GroupT,
    NumberT,
    PieceT,
    SetT,
    ZoneT,
    is_scalar,
    join,
    optional,
)
from rulelang.semantics.typing.aggregates import AGGREGATES, aggregate, reachable
from rulelang.semantics.typing.calls import call_procedure
from rulelang.semantics.typing.context import Context, expression
from rulelang.semantics.typing.grids import cell_at, grid_function, lines_of, opposite
from rulelang.semantics.typing.orders import runs, subsets
from rulelang.semantics.typing.positions import seen
from rulelang.syntax import ast

COLLECTIONS = (SetT, ZoneT, GroupT)


@expression(ast.Call)
def _call(c: Context, node: ast.Call) -> CExpr:
    """Return the call of a rule, a function of the ruleset or a built-in one, whose number of arguments is checked."""
    name = node.function.text
    symbol = c.names.get(name, node.function.span)
    if isinstance(symbol, ProcedureSym):
        return call_procedure(c, symbol, node.arguments, node.span)
    if isinstance(symbol, TypeSym) and symbol.category == "between":
        return _between(c, symbol, node)
    builtin = FUNCTIONS.get(name)
    if builtin is None:
        if name in c.shared.broken:
            c.procedure.faulty = True
            return const(0, ERROR, node.span)
        if symbol is not None or c.find_local(name):
            several = isinstance(symbol, ZoneSym | VariableSym) and symbol.per
            hint = f"write `{name}[…]` for one of them" if several else f"write `{name}`, without parentheses"
            if isinstance(symbol, ZoneSym | VariableSym) and symbol.owned and len(node.arguments) == 1:
                of = source_text(node.arguments[0].span)
                hint = f"write `{f'seat({of})' if of.isdigit() else of}.{name}`"
            return c.error("call-unknown", f"`{name}` can't be called", node.function.span, hint)
        known = [s.name for s in c.names.values() if isinstance(s, ProcedureSym)]
        hint = suggest(name, [*functions_of(c.checked), *known])
        return c.error("call-unknown", f"there is no rule or function `{name}`", node.function.span, hint)
    least, most, check = builtin
    if not least <= len(node.arguments) <= most:
        arity = str(least) if least == most else f"{least} to {most}"
        message = f"`{name}` takes {counted(arity, 'argument')}, not {len(node.arguments)}"
        return c.error("call-arguments", message, node.span)
    if name not in (*AGGREGATES, "mean"):
        for argument in node.arguments:
            if isinstance(argument, ast.Comprehension):
                return c.error("call-arguments", f"`{name}` takes no `for`", argument.span)
    return check(c, node)


def _absolute(c: Context, node: ast.Call) -> CExpr:
    value = c.value(node.arguments[0], NUMBER, "the argument of `abs`")
    return CExpr("abs", NumberT(0), (value,), node.span)


def _seat_function(c: Context, node: ast.Call) -> CExpr:
    value = c.seat(node.arguments[0], f"the argument of `{node.function.text}`")
    return set_of(c.shared, node.function.text, PLAYER, (value,), node.span)


def _seat_number(c: Context, node: ast.Call) -> CExpr:
    """Check `seat(n)`: the player with that number."""
    value = c.value(node.arguments[0], NUMBER, "a seat's number")
    if value.op == "const" and isinstance(value.args[0], int):
        players = c.checked.ruleset.players
        if not 0 <= value.args[0] < max(players):
            message = f"there is no seat {value.args[0]} with {counted(max(players), 'player')}"
            return c.error("range-outside", message, node.span, f"seats are 0 to {max(players) - 1}")
        if value.args[0] < min(players):
            return CExpr("const", PLAYER, value.args, node.span)
    return CExpr("seat_of", optional(PLAYER), (value,), node.span)


def _between(c: Context, symbol: TypeSym, node: ast.Call) -> CExpr:
    """`Side(0, 1)`: the value between these seats, which must be the same with every number of players."""
    seats: list[int] = []
    for argument in node.arguments:
        value = c.value(argument, NUMBER, "a seat's number")
        if value.op != "const" or not isinstance(value.args[0], int):
            message = f"the seats of `{symbol.name}(…)` are written as numbers"
            hint = f"`{symbol.name} where p in it.players` are those of a player"
            return c.error("call-arguments", message, argument.span, hint)
        seats.append(value.args[0])
    groups = {count: symbol.between[count] for count in c.checked.ruleset.players}
    places = {
        count: [number for number, group in enumerate(these) if sorted(group) == sorted(seats)]
        for count, these in groups.items()
    }
    for count, values in places.items():
        if not values:
            known = ", ".join(f"{symbol.name}({', '.join(map(str, group))})" for group in groups[count])
            message = f"there is no such {symbol.name} with {counted(count, 'player')}"
            return c.error("range-outside", message, node.span, f"there are {known}" if known else "")
        if values != next(iter(places.values())):
            message = f"with {counted(count, 'player')} this is another {symbol.name} than with {min(places)}"
            return c.error("range-outside", message, node.span)
    return const(values[0], symbol.type, node.span)


def _total_score(c: Context, node: ast.Call) -> CExpr:
    """Return the sum of a party's score lines; what it calls is filled in when all lines are known."""
    party, total = c.seat(node.arguments[0], "the argument of `total_score`"), _total(c, node)
    c.shared.edges.append(CallEdge(c.procedure, total, "given", node.span))
    return CExpr("call", NUMBER, (total, party), node.span)


def _total(c: Context, node: ast.Call) -> ProcedureSym:
    """Return the function of a party that is its total score."""
    if c.checked.total is None:
        c.checked.total = ProcedureSym("total_score", "function", (), NUMBER, node.span)
        c.checked.procedures.append(c.checked.total)
    return c.checked.total


def _rank(c: Context, node: ast.Call) -> CExpr:
    """`rank(p)`: the rank of a party by `winner` and `tie`, 1 for the best; what it calls is filled in later."""
    party = c.seat(node.arguments[0], f"the argument of `{node.function.text}`")
    if c.checked.ranks is None:
        _total(c, node)
        ruleset = c.checked.ruleset
        last = max(count + len([a for a in ruleset.automata if count in a.players]) for count in ruleset.players)
        standing = ProcedureSym("standing", "function", (), SetT(NUMBER, 1), node.span)
        c.checked.ranks = standing, ProcedureSym("rank", "function", (), NumberT(1, last), node.span)
        c.checked.procedures += c.checked.ranks
    rank = c.checked.ranks[1]
    c.shared.edges.append(CallEdge(c.procedure, rank, "given", node.span))
    return CExpr("call", rank.returns, (rank, party), node.span)


def _shared_ranks(c: Context, node: ast.Call) -> CExpr:
    """`shared_ranks(p)`: the rank of a party and those that its ties take: `[2, 3]` if two share the second place."""
    own = _rank(c, node)
    it = c.new_local("it", PLAYER, node.span)
    other = CExpr("call", own.type, (own.args[0], c.read(it)), node.span)
    alike = CExpr("eq", BOOL, (own, other), node.span)
    ties = CExpr("filter", SetT(PLAYER), (it, all_parties(c.shared, node.span), alike), node.span)
    behind = CExpr("sub", NUMBER, (CExpr("count", NUMBER, (ties,), node.span), number(1, node.span)), node.span)
    last = CExpr("add", own.type, (own, behind), node.span)
    return CExpr("numbers", SetT(own.type, 1), (own, last), node.span)


def _mean(c: Context, node: ast.Call) -> CExpr:
    message = "`mean` stands alone after `payoff:`, since numbers are whole"
    return c.error("call-misplaced", message, node.span, "`sum(…) div count(…)` is rounded down")


def _numbers(c: Context, node: ast.Call) -> CExpr:
    """Check `numbers(low, high)`: the set of the numbers between two bounds; its range follows from theirs."""
    low, high = (c.value(a, NUMBER, "a bound") for a in node.arguments)
    t = NUMBER
    if isinstance(low.type, NumberT) and isinstance(high.type, NumberT):
        t = NumberT(low.type.low, max(low.type.low, high.type.high))
    return CExpr("numbers", SetT(t), (low, high), node.span)


def _alike(c: Context, node: ast.Call) -> CExpr:
    """`alike(a, b)`: whether two pieces are of the same row, or two collections hold as many of each in any order."""
    a, b = (c.expr(x) for x in node.arguments)
    if isinstance(a.type, ErrorT) or isinstance(b.type, ErrorT):
        return const(0, ERROR, node.span)
    if isinstance(a.type, PieceT) and isinstance(b.type, PieceT):
        return CExpr("alike", BOOL, (a, b), node.span)
    if isinstance(a.type, COLLECTIONS) and isinstance(b.type, COLLECTIONS):
        return _hold_alike(c, c.as_set(a), c.as_set(b), node.span)
    return c.error(
        "type-mismatch", f"`alike` compares two pieces, or two collections, not a {a.type} and a {b.type}", node.span
    )


def _hold_alike(c: Context, a: CExpr, b: CExpr, span: Span) -> CExpr:
    """Return whether two collections have one size, and of each element of the first as many."""
    joined = join(a.type, b.type)
    if not isinstance(joined, SetT) or not is_scalar(joined.element):
        return c.error("type-mismatch", f"a {a.type} and a {b.type} never hold the same", span)
    element = c.new_local("it", joined.element, span)
    equal = "alike" if isinstance(joined.element, PieceT) else "eq"

    def size(of: CExpr) -> CExpr:
        return CExpr("count", NumberT(0), (of,), span)

    def times(of: CExpr) -> CExpr:
        other = c.new_local("other", joined.element, span)
        same = CExpr(equal, BOOL, (c.read(other), c.read(element)), span)
        return size(CExpr("filter", SetT(joined.element), (other, of, same), span))

    as_many = CExpr("eq", BOOL, (times(a), times(b)), span)
    return CExpr(
        "and",
        BOOL,
        (CExpr("eq", BOOL, (size(a), size(b)), span), CExpr("all", BOOL, (element, a, as_many), span)),
        span,
    )


FUNCTIONS: dict[str, tuple[int, int, Callable[[Context, ast.Call], CExpr]]] = {
    **dict.fromkeys(AGGREGATES, (1, 2, aggregate)),
    "distinct": (1, 9, aggregate),
    "abs": (1, 1, _absolute),
    **dict.fromkeys(("players_from", "players_after"), (1, 1, _seat_function)),
    "seat": (1, 1, _seat_number),
    "total_score": (1, 1, _total_score),
    "rank": (1, 1, _rank),
    "shared_ranks": (1, 1, _shared_ranks),
    "mean": (1, 1, _mean),
    **dict.fromkeys(("toward", "edge", "corner", "ray", "distance", "direction", "region"), (2, 2, grid_function)),
    **dict.fromkeys(("neighbours", "on_edge"), (1, 1, grid_function)),
    "turned": (3, 3, grid_function),
    "reachable": (2, 2, reachable),
    "runs": (2, 2, runs),
    "subsets": (2, 2, subsets),
    "lines": (2, 2, lines_of),
    "cell_at": (3, 3, cell_at),
    "opposite": (1, 1, opposite),
    "numbers": (2, 2, _numbers),
    "seen": (1, 1, seen),
    "alike": (2, 2, _alike),
}
WANTED: dict[str, Callable[[Checked], bool]] = {
    "seen": lambda checked: bool(checked.positions),
    "corner": lambda checked: any(grid.corners is not None for grid in checked.ruleset.grids),
    "turned": lambda checked: bool(checked.ruleset.grids),
}
"""Those that only some rulesets have, and whether one does: in others they are names like any other."""
OPEN = frozenset(("turned",))
"""Those instead of which a ruleset may declare its own."""


def functions_of(checked: Checked) -> list[str]:
    """Return the names of the functions of the language that a ruleset has."""
    return [name for name in FUNCTIONS if name not in WANTED or WANTED[name](checked)]
