"""Calls: the built-in functions, and the ruleset's own functions and quantities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.base import CallEdge, const, number
from rulelang.semantics.core import CCall, CExpr, CSet
from rulelang.semantics.places import Place, Places
from rulelang.semantics.symbols import ProcedureSym, TypeSym, VariableSym, ZoneSym
from rulelang.semantics.types import (
    BOOL,
    DIRECTION,
    ERROR,
    INT_MAX,
    INT_MIN,
    NUMBER,
    PLAYER,
    BagT,
    CellT,
    CostT,
    EmptyT,
    EnumT,
    ErrorT,
    NumberT,
    OptionalT,
    PieceT,
    SetT,
    Type,
    VoidT,
    ZoneT,
    is_scalar,
    optional,
)
from rulelang.syntax import ast

MAX_SIZE = 1_000_000
# Calls of other languages -> what is written here.
OTHER_CALLS = {
    **dict.fromkeys(("len", "length", "size"), "`count(…)`"),
    **dict.fromkeys(("empty", "is_empty", "isEmpty"), "`hand is empty`"),
    "range": "`numbers(0, 3)`: from 0 to 3, both counted",
    **dict.fromkeys(("random", "randint", "rand", "dice"), "`roll 1 to 6` or `random one of …`"),
    "shuffle": "`shuffle PILE`, without parentheses",
    "draw": "`draw 1 from PILE to ZONE`, without parentheses",
    "move": "`move … to ZONE`, without parentheses",
    "choose": "`choose one of …`, without parentheses",
    **dict.fromkeys(("sorted", "sort"), "`… with most …` or `… with fewest …`"),
}


class Builtins(Places):
    """Types calls."""

    def call(self, node: ast.Call) -> CExpr:
        name = node.function.text
        symbol = self.names.get(name)
        if isinstance(symbol, ProcedureSym):
            return self.call_procedure(symbol, node.arguments, node.span)
        if isinstance(symbol, TypeSym) and symbol.category == "between":
            return self.between(symbol, node)
        builtin = FUNCTIONS.get(name)
        if builtin is None:
            if name in self.shared.broken:
                self.procedure.faulty = True
                return CExpr("const", ERROR, (0,), node.span)
            if symbol is not None or self.find_local(name):
                several = isinstance(symbol, ZoneSym | VariableSym) and symbol.per
                hint = f"write `{name}[…]` for one of them" if several else f"write `{name}`, without parentheses"
                return self.error("call-unknown", f"`{name}` can't be called", node.function.span, hint)
            known = [s.name for s in self.names.values() if isinstance(s, ProcedureSym)]
            hint = f"write {OTHER_CALLS[name]}" if name in OTHER_CALLS else suggest(name, [*FUNCTIONS, *known])
            return self.error("call-unknown", f"there is no rule or function `{name}`", node.function.span, hint)
        least, most, checker = builtin
        if not least <= len(node.arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            return self.error(
                "call-arguments", f"`{name}` takes {wanted} arguments, not {len(node.arguments)}", node.span
            )
        if name not in AGGREGATES:
            for argument in node.arguments:
                if isinstance(argument, ast.Comprehension):
                    return self.error("call-arguments", f"`{name}` takes no `for`", argument.span)
        return checker(self, node)

    # ---- the ruleset's own

    def arguments(self, symbol: ProcedureSym, arguments: tuple[ast.Expr, ...], span: Span) -> tuple[CExpr, ...] | None:
        if len(arguments) != len(symbol.params):
            wanted = ", ".join(f"{n}: {t}" for n, t in symbol.params) or "nothing"
            self.error("call-arguments", f"`{symbol.name}` takes {wanted}; {len(arguments)} given", span)
            return None
        values: list[CExpr] = []
        for argument, (name, t) in zip(arguments, symbol.params, strict=True):
            with self.after(values):
                values.append(self.value(argument, t, f"`{name}` of `{symbol.name}`"))
        return tuple(values)

    @contextmanager
    def after(self, values: list[CExpr]) -> Iterator[None]:
        """What is read first keeps its value, whatever a call inside changes."""
        known, mark = len(values), len(self.prelude or ())
        yield
        if self.prelude is None or not any(isinstance(s, CCall) for s in self.prelude[mark:]):
            return
        for i, value in enumerate(values[:known]):
            if value.op not in ("const", "local") and not isinstance(value.type, ErrorT):
                kept = self.new_local("kept", value.type, value.span)
                self.prelude.insert(mark, CSet(value.span, kept, value))
                values[i] = self.read(kept, value.span)
                mark += 1

    def you_argument(self, symbol: ProcedureSym, span: Span) -> tuple[CExpr, ...]:
        """The hidden first argument, and a note of who called whom."""
        if not symbol.hidden_you:
            return ()
        if self.you is None:
            kind = "none"
        elif self.body.parameters and self.you.args == (self.body.parameters[0],):
            kind = "own"
        else:
            kind = "given"
        self.shared.edges.append(CallEdge(self.procedure, symbol, kind, span))
        return (self.you if self.you is not None else const(-1, PLAYER, span),)

    def call_procedure(self, symbol: ProcedureSym, arguments: tuple[ast.Expr, ...], span: Span) -> CExpr:
        values = self.arguments(symbol, arguments, span)
        if values is None:
            return CExpr("const", ERROR, (0,), span)
        full = (*self.you_argument(symbol, span), *values)
        if symbol.pure:
            return CExpr("call", symbol.returns, (symbol, *full), span)
        if self.prelude is None:
            return self.error(
                "call-misplaced",
                f"`{symbol.name}` is a {symbol.category}: it may change things, so it can't be called here",
                span,
                "call it in a statement, or make it a `function`",
            )
        if isinstance(symbol.returns, VoidT):
            return self.error(
                "call-void",
                f"`{symbol.name}` gives no value",
                span,
                f"declare what it gives: `rule {symbol.name}(…) -> type:`",
            )
        result = self.new_local(symbol.name, symbol.returns, span)
        self.prelude.append(CCall(span, symbol, full, result))
        return self.read(result, span)

    def possible(self, node: ast.Possible) -> CExpr:
        symbol = self.names.get(node.call.function.text)
        if node.call.function.text in self.shared.broken:
            return CExpr("const", BOOL, (0,), node.span)
        if not isinstance(symbol, ProcedureSym) or symbol.pure:
            hint = self.names.suggest(node.call.function.text)
            return self.error(
                "call-unknown",
                f"there is no rule `{node.call.function.text}` to look ahead through",
                node.call.span,
                hint,
            )
        with self.pure():
            values = self.arguments(symbol, node.call.arguments, node.call.span)
            condition = self.condition(node.condition)
        if values is None:
            return CExpr("const", BOOL, (0,), node.span)
        return CExpr("possible", BOOL, (symbol, condition, *self.you_argument(symbol, node.span), *values), node.span)

    # ---- over collections

    def aggregate(self, node: ast.Call) -> CExpr:
        name = node.function.text
        argument = node.arguments[0]
        if name in ("min", "max") and len(node.arguments) == 2:
            return self.extreme_of_two(node)
        if len(node.arguments) != 1:
            return self.error("call-arguments", f"`{name}` takes one argument", node.span)
        if isinstance(argument, ast.Comprehension):
            return self.comprehended(name, argument, node.span)
        if name == "count":
            return self.counted(argument)
        value = self.expr(argument)
        if isinstance(value.type, ErrorT):
            return value
        collection = self.as_set(value, f"the argument of `{name}`")
        if isinstance(collection.type, ErrorT):
            return CExpr("const", ERROR, (0,), node.span)
        local = self.new_local("it", self.element_type(collection), node.span)
        return self.folded(name, local, collection, self.read(local, argument.span), node.span)

    def comprehended(self, name: str, node: ast.Comprehension, span: Span) -> CExpr:
        collection = self.collection(node.collection, "what stands after `in`")
        with self.scope(), self.pure():
            local = self.declare(node.name, self.element_type(collection))
            if node.condition is not None:
                condition = self.condition(node.condition)
                collection = CExpr("filter", SetT(self.element_type(collection)), (local, collection, condition), span)
            body = self.expr(node.body)
        if name == "count":
            return CExpr("count", NumberT(0, MAX_SIZE), (collection,), span)
        return self.folded(name, local, collection, body, span)

    def folded(self, name: str, local: object, collection: CExpr, body: CExpr, span: Span) -> CExpr:
        t = body.type
        if isinstance(t, ErrorT):
            return body
        if name == "sum":
            if isinstance(t, BagT | CostT):
                return CExpr("sum", t, (local, collection, body), span)
            if isinstance(t, PieceT):
                numbers = [name for name, of in self.shared.kind(t.kind).attributes.items() if isinstance(of, NumberT)]
                hint = f"name an attribute: `.{numbers[0]}`" if numbers else ""
                return self.error(
                    "type-mismatch", f"what is summed must be a number, but this is a {t}", body.span, hint
                )
            body = self.fit(body, NUMBER, "what is summed")
            low = 0 if isinstance(t, NumberT) and t.low >= 0 else INT_MIN
            high = 0 if isinstance(t, NumberT) and t.high <= 0 else INT_MAX
            return CExpr("sum", NumberT(low, high), (local, collection, body), span)
        if name in ("any", "all"):
            return CExpr(name, BOOL, (local, collection, self.fit(body, BOOL, f"what `{name}` asks")), span)
        if name in ("max", "min"):
            body = self.fit(body, NUMBER, "what is compared")
            sure = isinstance(collection.type, SetT) and collection.type.least > 0
            result = body.type if isinstance(body.type, NumberT) else NUMBER
            found = CExpr(name, optional(result), (local, collection, body), span)
            return CExpr("otherwise", result, (found, number(0, span)), span) if sure else found
        mapped = CExpr("map", SetT(t), (local, collection, body), span)
        if name == "distinct":
            if not is_scalar(t):
                return self.error("type-mismatch", f"`distinct` counts single values, not a {t}", span)
            return CExpr(
                "distinct",
                SetT(t, 1 if isinstance(collection.type, SetT) and collection.type.least else 0),
                (mapped,),
                span,
            )
        return mapped

    def counted(self, node: ast.Expr) -> CExpr:
        """How many there are; of a zone without its indices, in all its places, seen or not."""
        if isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
            found = self.path(node)
            if isinstance(found, Place) and isinstance(found.symbol, ZoneSym) and not found.complete:
                return self.size_everywhere(found.symbol, found.indices, node.span)
            return self.size_of(self.finish(found), node.span)
        return self.size_of(self.expr(node), node.span)

    def size_everywhere(self, zone: ZoneSym, indices: tuple[CExpr, ...], span: Span) -> CExpr:
        """The sizes of all instances whose first indices are given."""
        if len(indices) == len(zone.per):
            place = CExpr("zone", ZoneT(zone.kind), (zone, *indices), span)
            return CExpr("size", NumberT(0, MAX_SIZE), (place,), span)
        index = zone.per[len(indices)]
        local = self.new_local("it", index, span)
        values = self.values_of(index, span)
        rest = self.size_everywhere(zone, (*indices, self.read(local, span)), span)
        return CExpr("sum", NumberT(0, MAX_SIZE), (local, values, rest), span)

    def values_of(self, t: Type, span: Span) -> CExpr:
        """All values of an index type."""
        name = t.grid if isinstance(t, CellT) else t.name if isinstance(t, EnumT) else ""
        sym = self.shared.type_sym(name)
        return self.domain(sym, span) if sym is not None else CExpr("parties", SetT(PLAYER, 1), (), span)

    def size_of(self, value: CExpr, span: Span) -> CExpr:
        """`count(x)`: how many there are in a zone, a collection, a bag or a cost."""
        sizes: list[tuple[type[Type], str]] = [(ZoneT, "size"), (BagT, "bag_size"), (CostT, "cost_size")]
        for kind, op in sizes:
            if isinstance(value.type, kind):
                return CExpr(op, NumberT(0, MAX_SIZE), (value,), span)
        if isinstance(value.type, ErrorT):
            return value
        if isinstance(value.type, EmptyT):
            return number(0, span)
        if self.constant and value.op in ("players", "everyone"):
            return CExpr("player_count", NumberT(1, max(self.checked.ruleset.players)), (), span)
        return CExpr("count", NumberT(0, MAX_SIZE), (self.as_set(value, "what is counted"),), span)

    def extreme_of_two(self, node: ast.Call) -> CExpr:
        name = node.function.text
        if any(isinstance(x, ast.Comprehension) for x in node.arguments):
            return CExpr("const", ERROR, (0,), node.span)
        a, b = (self.value(x, NUMBER, f"an argument of `{name}`") for x in node.arguments)
        result = NUMBER
        if isinstance(a.type, NumberT) and isinstance(b.type, NumberT):
            pick = min if name == "min" else max
            result = NumberT(pick(a.type.low, b.type.low), pick(a.type.high, b.type.high))
        return CExpr(f"{name}2", result, (a, b), node.span)

    def absolute(self, node: ast.Call) -> CExpr:
        value = self.value(node.arguments[0], NUMBER, "the argument of `abs`")
        return CExpr("abs", NumberT(0), (value,), node.span)

    # ---- players

    def seat_function(self, node: ast.Call) -> CExpr:
        value = self.seat(node.arguments[0], f"the argument of `{node.function.text}`")
        least = 1 if node.function.text == "players_from" else 0
        return CExpr(node.function.text, SetT(PLAYER, least), (value,), node.span)

    def seat_number(self, node: ast.Call) -> CExpr:
        value = self.value(node.arguments[0], NUMBER, "a seat's number")
        if value.op == "const" and isinstance(value.args[0], int):
            players = self.checked.ruleset.players
            if not 0 <= value.args[0] < max(players):
                message = f"there is no seat {value.args[0]} with {max(players)} players"
                return self.error("range-outside", message, node.span, f"seats are 0 to {max(players) - 1}")
            if value.args[0] < min(players):
                return CExpr("const", PLAYER, value.args, node.span)
        return CExpr("seat_of", optional(PLAYER), (value,), node.span)

    def between(self, symbol: TypeSym, node: ast.Call) -> CExpr:
        """`Side(0, 1)`: the value between these seats, which must be the same with every number of players."""
        seats: list[int] = []
        for argument in node.arguments:
            value = self.value(argument, NUMBER, "a seat's number")
            if value.op != "const" or not isinstance(value.args[0], int):
                message = f"the seats of `{symbol.name}(…)` are written as numbers"
                hint = f"`{symbol.name} where p in it.players` are those of a player"
                return self.error("call-arguments", message, argument.span, hint)
            seats.append(value.args[0])
        groups = {count: symbol.between[count] for count in self.checked.ruleset.players}
        places = {
            count: [number for number, group in enumerate(these) if sorted(group) == sorted(seats)]
            for count, these in groups.items()
        }
        for count, found in places.items():
            if not found:
                known = ", ".join(f"{symbol.name}({', '.join(map(str, group))})" for group in groups[count])
                message = f"there is no such {symbol.name} with {count} players"
                return self.error("range-outside", message, node.span, f"there are {known}" if known else "")
            if found != next(iter(places.values())):
                message = f"with {count} players this is another {symbol.name} than with {min(places)}"
                return self.error("range-outside", message, node.span)
        return const(found[0], symbol.type, node.span)

    def total_score(self, node: ast.Call) -> CExpr:
        """The sum of a party's score lines; what it calls is filled in when all lines are known."""
        party = self.seat(node.arguments[0], "the argument of `total_score`")
        if self.checked.total is None:
            self.checked.total = ProcedureSym("total_score", "function", (), NUMBER, node.span)
            self.checked.procedures.append(self.checked.total)
        self.shared.edges.append(CallEdge(self.procedure, self.checked.total, "given", node.span))
        return CExpr("call", NUMBER, (self.checked.total, party), node.span)

    # ---- grids

    def cell(self, node: ast.Expr, what: str) -> tuple[CExpr, TypeSym | None]:
        value = self.expr(node)
        if isinstance(value.type, CellT):
            return value, self.shared.type_sym(value.type.grid)
        if isinstance(value.type, OptionalT):
            return self.error("value-absent", f"{what} may be absent", node.span, self.when_absent(value)), None
        if isinstance(value.type, ErrorT):
            return value, None
        return self.error("type-mismatch", f"{what} must be a cell, but this is a {value.type}", node.span), None

    def grid_function(self, node: ast.Call) -> CExpr:
        name = node.function.text
        first, grid = self.cell(node.arguments[0], f"the first argument of `{name}`")
        if grid is None:
            return CExpr("const", ERROR, (0,), node.span)
        cell, cells = grid.type, SetT(grid.type)
        more: tuple[CExpr, ...] = ()
        result: Type
        if name in ("toward", "ray"):
            more = (self.value(node.arguments[1], DIRECTION, "the direction"),)
            result = optional(cell) if name == "toward" else cells
        elif name in ("distance", "direction"):
            more = (self.value(node.arguments[1], cell, f"the second argument of `{name}`"),)
            result = NumberT(0, 128) if name == "distance" else optional(DIRECTION)
        elif name == "region":
            more = (self.value(node.arguments[1], cells, "the set of cells"),)
            result = cells
        elif name == "neighbours":
            result = cells
        else:
            result = BOOL
        return CExpr(name, result, (grid, first, *more), node.span)

    def grid_named(self, node: ast.Expr) -> TypeSym | None:
        sym = self.shared.type_sym(node.name) if isinstance(node, ast.NameExpr) else None
        if sym is None or sym.category != "grid":
            self.error("grid-none", "the first argument is the name of a grid", node.span)
            return None
        return sym

    def lines(self, node: ast.Call) -> CExpr:
        grid = self.grid_named(node.arguments[0])
        length = self.value(node.arguments[1], NUMBER, "the length of the lines")
        if grid is None or isinstance(length.type, ErrorT):
            return CExpr("const", ERROR, (0,), node.span)
        if length.op != "const":
            message, hint = "the length of the lines must be a plain number", "write the number itself"
            return self.error("grid-lines", message, node.arguments[1].span, hint)
        return CExpr("lines", SetT(SetT(grid.type, 1)), (grid, length.args[0]), node.span)

    def cell_at(self, node: ast.Call) -> CExpr:
        grid = self.grid_named(node.arguments[0])
        column, row = (
            self.value(a, NUMBER, w) for a, w in zip(node.arguments[1:], ("the column", "the row"), strict=True)
        )
        if grid is None:
            return CExpr("const", ERROR, (0,), node.span)
        return CExpr("cell_at", optional(grid.type), (grid, column, row), node.span)

    def opposite(self, node: ast.Call) -> CExpr:
        return CExpr("opposite", DIRECTION, (self.value(node.arguments[0], DIRECTION, "the direction"),), node.span)

    # ---- ranges of numbers as a set

    def numbers(self, node: ast.Call) -> CExpr:
        low, high = (self.value(a, NUMBER, "a bound") for a in node.arguments)
        t = NUMBER
        if isinstance(low.type, NumberT) and isinstance(high.type, NumberT):
            t = NumberT(low.type.low, max(low.type.low, high.type.high))
        return CExpr("numbers", SetT(t), (low, high), node.span)

    def alike(self, node: ast.Call) -> CExpr:
        """`alike(a, b)`: whether two pieces are of the same row."""
        a, b = (self.expr(x) for x in node.arguments)
        if not isinstance(a.type, PieceT | ErrorT) or not isinstance(b.type, PieceT | ErrorT):
            return self.error("type-mismatch", "`alike` compares two pieces", node.span)
        return CExpr("alike", BOOL, (a, b), node.span)


AGGREGATES = ("sum", "count", "any", "all", "max", "min", "distinct", "each")
FUNCTIONS: dict[str, tuple[int, int, Callable[[Any, ast.Call], CExpr]]] = {
    **dict.fromkeys(AGGREGATES, (1, 2, Builtins.aggregate)),
    "abs": (1, 1, Builtins.absolute),
    "players_from": (1, 1, Builtins.seat_function),
    "players_after": (1, 1, Builtins.seat_function),
    "seat": (1, 1, Builtins.seat_number),
    "total_score": (1, 1, Builtins.total_score),
    "toward": (2, 2, Builtins.grid_function),
    "ray": (2, 2, Builtins.grid_function),
    "distance": (2, 2, Builtins.grid_function),
    "direction": (2, 2, Builtins.grid_function),
    "region": (2, 2, Builtins.grid_function),
    "neighbours": (1, 1, Builtins.grid_function),
    "on_edge": (1, 1, Builtins.grid_function),
    "lines": (2, 2, Builtins.lines),
    "cell_at": (3, 3, Builtins.cell_at),
    "opposite": (1, 1, Builtins.opposite),
    "numbers": (2, 2, Builtins.numbers),
    "alike": (2, 2, Builtins.alike),
}
