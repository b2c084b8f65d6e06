"""Expressions as Python text: their writer, and the operations on scalars, variables, seats and calls.

Enters: an `Expr` and the names of the locals where it stands. Leaves: the text of a Python expression with the same
value. Other modules of this package register the operations on collections, pieces and bags. What has no writer is
read by the interpreter's closure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rulelang.backends.facts import Facts
from rulelang.backends.interpreter.expressions import UNKNOWN, Compiler, number, operands
from rulelang.backends.python.handfuls import Handfuls
from rulelang.backends.python.scope import Bare, Scope
from rulelang.backends.python.source import Source, plain_name
from rulelang.backends.registry import registering
from rulelang.backends.text import TextWriter, atomic, literal
from rulelang.ir.nodes import Expr, Return
from rulelang.ir.types import absent
from rulelang.ir.walk import BINDING, children, index, local_reads, subexpressions
from rulelang.runtime.constants import PURE
from rulelang.runtime.layout import ITEM_MASK, Layout, core
from rulelang.runtime.state import DEFERRALS

INLINE = 40
"""A function of at most so many operations is written out where it is called."""
DEEP = 8
"""So many functions are written out within each other at most."""

_FAILS = re.compile(r"\b(?:wide|div|mod|ends?|p\d+_\w+|closure\d+|listed|numbers|charged)\(")
_EMPTY = re.compile(r"\(not ([cz]\[[^\[\]]*\]|\w+)\)")


WriterOf = Callable[["Writer", Expr, Scope], str]
WRITERS: dict[str, WriterOf] = {}
"""Operation -> what writes it."""


writes = registering(WRITERS)
"""Registers the writer of operations."""


class Writer(TextWriter[Scope]):
    """Writes expressions of one layout.

    Attributes:
        fallbacks: operations that were left to the interpreter's closures, with how often.
        hoisted: expressions (by identity) that a name holds the value of already.
        counted: the tables of zones that are kept as numbers, with what knows these.
        playing: whether all that is written runs in random playouts alone.
        charged: functions that take fuel, which are not written out where they are called.
        zoneless: whether pieces in what is being written need not say in which zone they were found.
        looks_ahead: whether any rule does, so that who is asked must be known.
        deferrals: the sorts of ends that rules put off.
    """

    def __init__(self, layout: Layout, compiler: Compiler, source: Source, facts: Facts | None = None) -> None:
        super().__init__(layout, compiler, facts)
        self.source = source
        self.fallbacks: dict[str, int] = {}
        self.hoisted: dict[int, str] = {}
        self.counted: dict[int, Handfuls] = {}
        self.playing = False
        self.charged: frozenset[int] = frozenset()
        self.zoneless = False
        self.looks_ahead = self.facts.looks_ahead
        statements = [
            node for procedure in self.program.procedures for block in procedure.blocks for node in block.statements
        ]
        self.deferrals = {str(node.args[0]) for node in statements if node.op == "defer"}

    def waits(self, scope: Scope) -> bool:
        """Whether what is written runs in random playouts alone, from states that rules lead to."""
        return self.playing or self.program.procedures[scope.procedure].effects.suspends

    def all_stay(self, scope: Scope) -> bool:
        """Whether nobody can be out of the game."""
        return not self.eliminates and self.waits(scope)

    def text(self, expr: Expr, scope: Scope) -> str:
        """The expression; truth values may be Python's."""
        known = self.hoisted.get(id(expr))
        if known is not None:
            return known
        value = self.compiler.known(expr)
        if value is not UNKNOWN:
            return self.source.constant(value)
        writer = WRITERS.get(expr.op)
        return writer(self, expr, scope) if writer is not None else self.left(expr, scope)

    def stored(self, expr: Expr, scope: Scope) -> str:
        """An expression whose value is kept: truth values are 0 and 1."""
        text = self.text(expr, scope)
        plain = expr.op in ("local", "var", "pvar") or literal(text) is not None
        return f"(1 if {text} else 0)" if expr.type == "bool" and not plain else text

    def truth(self, expr: Expr, scope: Scope) -> str:
        """An expression of which only whether it holds is asked."""
        if self.compiler.known(expr) is UNKNOWN:
            if expr.op == "not":
                inner = self.truth(operands(expr)[0], scope)
                plain = _EMPTY.fullmatch(inner)
                return plain[1] if plain else f"(not {inner})"
            if expr.op in ("and", "or"):
                return self.both(expr, scope)
            if expr.op in ("eq", "ne", "gt") and operands(expr)[1].op == "const" and expr_zero(operands(expr)[1]):
                (left, _) = operands(expr)
                held = self.contents(left, scope)
                if held is not None:
                    return f"(not {held})" if expr.op == "eq" else held
        return self.text(expr, scope)

    def both(self, expr: Expr, scope: Scope) -> str:
        """A conjunction or disjunction, where only whether it holds is asked."""
        left, right = operands(expr)
        settled = self.compiler.known(left)
        if settled is not UNKNOWN:
            return self.truth(right if bool(settled) == (expr.op == "and") else left, scope)
        return f"({self.truth(left, scope)} {expr.op} {self.truth(right, scope)})"

    def contents(self, expr: Expr, scope: Scope) -> str | None:
        """For a number of elements: a list that has as many."""
        if expr.op == "size":
            return self.filled(operands(expr)[0], scope)
        if expr.op == "count":
            (source,) = operands(expr)
            if source.op == "pieces" and not self.hides(operands(source)[0], scope):
                return self.filled(operands(source)[0], scope)
            kept = self.bare(source, scope)
            return kept.name if kept is not None else self.text(source, scope)
        return None

    def left(self, expr: Expr, scope: Scope) -> str:
        """An expression left to the interpreter's closure."""
        self.fallbacks[expr.op] = self.fallbacks.get(expr.op, 0) + 1
        return f"{self.source.shared('closure', self.compiler.code(expr))}(S, {self.locals(scope, local_reads(expr))})"

    def locals(self, scope: Scope, reads: frozenset[int]) -> str:
        """A list of locals as the interpreter has it, with those that are read."""
        count = len(self.program.procedures[scope.procedure].locals)
        return f"[{', '.join(scope.names.get(n, '0') if n in reads else '0' for n in range(count))}]"

    def name(self, scope: Scope, slot: int) -> str:
        """A fresh name for the elements that a slot holds in turn."""
        names = self.program.procedures[scope.procedure].local_names
        return self.source.fresh(f"{plain_name(names[slot]) if slot < len(names) else 'x'}_e")

    def assign(self, scope: Scope, slot: int, value: str) -> None:
        """A line that puts a value, as the interpreter has it, into a slot."""
        kept = scope.bare.get(slot)
        if kept is None:
            self.source.line(f"{scope.names[slot]} = {value}")
        else:
            items = f"[x & {ITEM_MASK} for x in {value} or ()]"
            packed = items if kept.handfuls is None else self.source.packed(kept.handfuls, items)
            self.source.line(f"{kept.name} = {packed}")

    def bare(self, expr: Expr, scope: Scope) -> Bare | None:
        """How the pieces of a local are kept, if without their zone."""
        return scope.bare.get(index(expr)) if expr.op == "local" else None

    # ---- places

    def counts(self, type_: str) -> bool:
        """Whether some zones with such pieces are kept as numbers."""
        kinds = {self.program.kinds[self.program.zones[table].kind].name for table in self.counted}
        return core(type_).startswith("piece:") and core(type_)[6:] in kinds

    def may_count(self, procedure: int, what: Expr, to: Expr) -> bool:
        """Whether pieces may be moved out of a zone that is kept as a number, or into one."""
        tables = {*self.facts.origins(procedure, what), self.facts.zone_table(procedure, to)}
        return -1 in tables or not tables.isdisjoint(self.counted)

    def held(self, zone: Expr, scope: Scope) -> Handfuls | None:
        """How what lies in a zone is kept, if as a number."""
        return self.counted.get(self.table_of(zone, scope))

    def lying(self, zone: Expr, scope: Scope) -> str:
        """The items that lie in a zone, in its order."""
        handfuls = self.held(zone, scope)
        there = self.text(zone, scope)
        return f"z[{there}]" if handfuls is None else f"{self.source.listed(handfuls)}[c[{there}]]"

    def amount(self, zone: Expr, scope: Scope) -> str:
        """How many pieces lie in a zone."""
        handfuls = self.held(zone, scope)
        there = self.text(zone, scope)
        return f"len(z[{there}])" if handfuls is None else self.source.size(handfuls, f"c[{there}]")

    def filled(self, zone: Expr, scope: Scope) -> str:
        """What is true if anything lies in a zone."""
        return f"{'z' if self.held(zone, scope) is None else 'c'}[{self.text(zone, scope)}]"

    def putting(self, zone: Expr, scope: Scope, top: bool) -> str:
        """A line that puts an item, which is written for `{}`, into a zone that is never full."""
        handfuls = self.held(zone, scope)
        there = self.text(zone, scope)
        if handfuls is not None:
            return f"c[{there}] += {self.source.units(handfuls)}[{{}}]"
        if not self.program.zones[self.table_of(zone, scope)].pile:
            return f"insort(z[{there}], {{}})"
        return f"z[{there}].append({{}})" if top else f"z[{there}].insert(0, {{}})"


def expr_zero(expr: Expr) -> bool:
    """Whether the expression is the constant 0."""
    return expr.op == "const" and expr.args[0] == 0


# ---- where values live --------------------------------------------------------------------------------


@writes("local")
def _local(w: Writer, e: Expr, s: Scope) -> str:
    return s.names[number(e)]


@writes("cast")
def _cast(w: Writer, e: Expr, s: Scope) -> str:
    return w.stored(operands(e)[0], s)


@writes("var")
def _var(w: Writer, e: Expr, s: Scope) -> str:
    variable = number(e)
    cell = w.variable_cell(variable, operands(e), s)
    if w.program.variables[variable].type.startswith("bag:"):
        return bag_text(cell, w.layout.var_width[variable])
    return f"v[{cell}]"


def bag_text(cell: str, width: int) -> str:
    """The bag that starts at a cell."""
    start = literal(cell)
    if start is not None:
        return f"tuple(v[{start}:{start + width}])"
    if atomic(cell):
        return f"tuple(v[{cell}:{cell} + {width}])"
    return f"bag_at(v, {cell}, {width})"


@writes("pvar")
def _pvar(w: Writer, e: Expr, s: Scope) -> str:
    variable = number(e)
    (item,) = w.texts(e, s)
    cell = w.piece_variable_cell(variable, item)
    if w.program.piece_variables[variable].type.startswith("bag:"):
        return bag_text(cell, w.layout.pvar_width[variable])
    return f"v[{cell}]"


@writes("zone")
def _zone(w: Writer, e: Expr, s: Scope) -> str:
    zone = number(e)
    return w.instance(w.layout.zone_base[zone], w.layout.zone_strides[zone], operands(e), s)


# ---- seats --------------------------------------------------------------------------------------------


@writes("players")
def _players(w: Writer, e: Expr, s: Scope) -> str:
    return w.source.constant(list(range(w.layout.players))) if w.all_stay(s) else "players_in(S.out)"


@writes("parties")
def _parties(w: Writer, e: Expr, s: Scope) -> str:
    automata = list(range(w.layout.players, w.layout.parties))
    return f"(players_in(S.out) + {w.source.constant(automata)})" if automata else "players_in(S.out)"


@writes("seat_of")
def _seat_of(w: Writer, e: Expr, s: Scope) -> str:
    (n,) = w.texts(e, s)
    players = w.layout.players
    return f"({n} if 0 <= {n} < {players} else -1)" if atomic(n) else f"seat_of({n}, {players})"


@writes("others", "players_from", "players_after")
def _seats(w: Writer, e: Expr, s: Scope) -> str:
    (party,) = w.texts(e, s)
    return f"{e.op}(S, {party})"


@writes("opponents", "teammates")
def _teams(w: Writer, e: Expr, s: Scope) -> str:
    (party,) = w.texts(e, s)
    return f"teammates(S, {party}, {e.op == 'teammates'})"


@writes("next_player", "previous_player")
def _neighbour(w: Writer, e: Expr, s: Scope) -> str:
    (party,) = w.texts(e, s)
    return f"neighbour(S, {party}, {0 if e.op == 'next_player' else -1})"


@writes("mark_code")
def _mark_code(w: Writer, e: Expr, s: Scope) -> str:
    (party,) = w.texts(e, s)
    parties = w.layout.parties
    base = 1 + number(e) * (parties + 1)
    if w.intervals.within(s.procedure, operands(e)[0], 0, parties) or not atomic(party):
        return f"pure_mark({base}, {parties}, {party})"
    return f"({base} + {party} if {party} >= 0 else {base + parties})"


@writes("deferred")
def _deferred(w: Writer, e: Expr, s: Scope) -> str:
    if w.waits(s) and e.args[0] not in w.deferrals:
        return "0"  # a playout from a state that is to end in another way runs in the interpreter
    return f"(S.deferred & {DEFERRALS[str(e.args[0])]} != 0)"


# ---- numbers and truth ----------------------------------------------------------------------------------


SIGNS = {"add": "+", "sub": "-", "mul": "*", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@writes("add", "sub", "mul")
def _arithmetic(w: Writer, e: Expr, s: Scope) -> str:
    a, b = w.texts(e, s)
    x, y = literal(a), literal(b)
    if x is not None and y is not None and abs(x) < 1 << 31 and abs(y) < 1 << 31:
        return w.source.constant(PURE[e.op](x, y))
    text = f"({a} {SIGNS[e.op]} {b})"
    return text if w.intervals.fits(s.procedure, e) else f"wide{text[:-1]}, {e.site})"


@writes("div", "mod")
def _division(w: Writer, e: Expr, s: Scope) -> str:
    a, b = w.texts(e, s)
    if (literal(b) or 0) > 0:
        return f"({a} {'//' if e.op == 'div' else '%'} {b})"
    return f"{e.op}({a}, {b}, {e.site})"


@writes("neg", "abs")
def _sign(w: Writer, e: Expr, s: Scope) -> str:
    (a,) = w.texts(e, s)
    text = f"-{a}" if e.op == "neg" else f"abs({a})"
    low = w.intervals.of(s.procedure, operands(e)[0])[0]
    return f"({text})" if low > -(1 << 63) else f"wide({text}, {e.site})"


@writes("min2", "max2")
def _extreme(w: Writer, e: Expr, s: Scope) -> str:
    a, b = w.texts(e, s)
    x, y = literal(a), literal(b)
    if x is not None and y is not None:
        return w.source.constant(min(x, y) if e.op == "min2" else max(x, y))
    if atomic(a) and atomic(b):
        return f"({a} if {a} {'<=' if e.op == 'min2' else '>='} {b} else {b})"
    return f"{e.op[:3]}({a}, {b})"


@writes("eq", "ne", "lt", "le", "gt", "ge")
def _comparison(w: Writer, e: Expr, s: Scope) -> str:
    a, b = w.texts(e, s)
    return f"({a} {SIGNS[e.op]} {b})"


@writes("and", "or")
def _logic(w: Writer, e: Expr, s: Scope) -> str:
    left, right = operands(e)
    settled = w.compiler.known(left)
    if settled is not UNKNOWN:
        return w.text(right if bool(settled) == (e.op == "and") else left, s)
    return f"({w.text(left, s)} {e.op} {w.text(right, s)})"


@writes("not")
def _not(w: Writer, e: Expr, s: Scope) -> str:
    (inner,) = operands(e)
    if inner.op == "is_none":
        (value,) = w.texts(inner, s)
        return f"({value} != {absent(operands(inner)[0].type)})"
    return f"(not {w.truth(inner, s)})"


@writes("if")
def _if(w: Writer, e: Expr, s: Scope) -> str:
    condition, then, otherwise = operands(e)
    settled = w.compiler.known(condition)
    if settled is not UNKNOWN:
        return w.text(then if settled else otherwise, s)
    return f"({w.text(then, s)} if {w.truth(condition, s)} else {w.text(otherwise, s)})"


@writes("is_none")
def _is_none(w: Writer, e: Expr, s: Scope) -> str:
    (value,) = w.texts(e, s)
    return f"({value} == {absent(operands(e)[0].type)})"


@writes("otherwise")
def _otherwise(w: Writer, e: Expr, s: Scope) -> str:
    a, b = w.texts(e, s)
    none = absent(operands(e)[0].type)
    return f"({b} if {a} == {none} else {a})" if atomic(a) else f"absent_or({a}, {none}, lambda: {b})"


@writes("lookup")
def _lookup(w: Writer, e: Expr, s: Scope) -> str:
    key, *pairs = operands(e)
    fixed = [w.compiler.known(pair) for pair in pairs]
    if UNKNOWN in fixed:
        return w.left(e, s)
    return f"look_up({w.text(key, s)}, {w.source.constant(tuple(fixed))})"


# ---- calls ------------------------------------------------------------------------------------------------


def function_name(w: Writer, procedure: int) -> str:
    """The name of the Python function of a procedure."""
    return f"p{procedure}_{plain_name(w.program.procedures[procedure].name)}"


@writes("call")
def _call(w: Writer, e: Expr, s: Scope) -> str:
    procedure = w.program.procedures[number(e)]
    arguments = [w.stored(arg, s) for arg in operands(e)]
    value = inlined_value(w, number(e))
    if value is not None and s.inlined < DEEP and number(e) not in w.charged and _inlines(value, arguments):
        return w.text(value, Scope(number(e), dict(enumerate(arguments)), frozenset(), s.inlined + 1))
    assert len(arguments) == procedure.parameters
    return f"{function_name(w, number(e))}({', '.join(['S', *arguments])})"


def inlined_value(w: Writer, procedure: int) -> Expr | None:
    """The value of a function that may be written out where it is called."""
    code = w.program.procedures[procedure]
    first = code.blocks[0]
    if code.depth or first.statements or not isinstance(first.terminator, Return) or first.terminator.value is None:
        return None
    value = first.terminator.value
    return value if sum(1 for _ in subexpressions(value)) <= INLINE else None


def _inlines(value: Expr, arguments: list[str]) -> bool:
    """Whether arguments that are no mere names are read once, not in a loop, and cannot fail."""
    return all(
        atomic(text) or (_reads(value, slot) == 1 and not _FAILS.search(text)) for slot, text in enumerate(arguments)
    )


def _reads(expr: Expr, slot: int) -> int:
    """How often a slot is read; many times in the body of a loop."""
    if expr.op == "local":
        return int(index(expr) == slot)
    found = [_reads(part, slot) for part in children(expr)]
    if expr.op in BINDING:
        found[1] *= 2
    return sum(found)
