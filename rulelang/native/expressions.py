"""Expressions as C text: what all writers share, and operations on numbers, variables and seats.

Enters: expressions of a program bound to a layout. Leaves: the text of a C expression, one word each (c/core.h says how
values are kept). Loops stand in statement expressions, which GCC and Clang know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.walk import block_expressions, callees, number, operands, procedure_parts, subexpressions
from rulelang.mir.fields import bitboard_of
from rulelang.native.analysis import Analysis
from rulelang.native.bitboards import words_of
from rulelang.native.block import StateBlocks
from rulelang.native.frames import WordForms
from rulelang.native.guards import INDEX, is_checked
from rulelang.native.source import CSource, plain_name
from rulelang.native.source import number as c_number
from rulelang.native.text import Address, Atom, Element, Lazy, PackedCounts, atomic, literal, numeral
from rulelang.registry import registering
from rulelang.runtime.bounds import LOWEST
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.fuel import round_work
from rulelang.runtime.layout import REACTION_SHIFT, Layout
from rulelang.runtime.state import DECLARED, DEFERRALS, TIED
from rulelang.vocabulary.operations import SIGNED, SIGNS, expressions
from rulelang.vocabulary.types import BITS, INT, SEATS, Type

if TYPE_CHECKING:
    from rulelang.native.lookahead import Lookahead

CHECKED = expressions(lambda op: op.is_pair and not op.failures.isdisjoint(("overflow", "zero")) and op.result == "int")
"""Arithmetic that may fail."""
FEW_READS = 2
"""What is read in more places is worked out before, so that its text stands once."""


class UnwrittenError(Exception):
    """C has no words for it yet."""


def compound(type_: Type) -> bool:
    """Return whether values of the type are addresses."""
    return type_.present.wraps or type_.present.kind in ("bag", "cost", "payment")


def c_type(type_: Type) -> str:
    """Return the type in C of the values of a type."""
    return "Bits" if type_ == BITS else "W"


def wrapped(before: str, text: str) -> str:
    """Write an expression together with the statements before it."""
    return f"({{ {before}{text}; }})" if before else text


@dataclass(frozen=True)
class Environment:
    """Where an expression stands: its procedure and what holds its locals.

    Attributes:
        names: slot -> the text that reads it. inlined: how many functions are being written out.
        speculative: whether the procedure has a frame, as it is run speculatively.
    """

    procedure: int
    names: dict[int, str] = field(default_factory=dict)
    inlined: int = 0
    speculative: bool = False

    def bind(self, slot: int, text: str) -> Environment:
        """Return the environment in which a slot is read by this text."""
        return replace(self, names={**self.names, slot: text})


WriterOf = Callable[["Writer", Expr, Environment], str]
EachOf = Callable[["Writer", Expr, Environment, Callable[[str], str]], str]
WRITERS: dict[str, WriterOf] = {}
"""Operation -> what writes its value."""
EACH: dict[str, EachOf] = {}
"""Operation -> what writes a loop over its elements without making the set."""
TEXTS: dict[str, str] = {
    **{op: f"{op}_(g, {{0}}, {{1}}, {{site}})" for op in CHECKED},
    "neg": "sub_(g, 0, {0}, {site})",
    "at": "at_(g, {0}, {1}, {site})",
    "get_seat": "at_(g, {0}, {1}, {site})",
    "min2": "least({0}, {1})",
    "max2": "greatest({0}, {1})",
    "not": "(!{0})",
    "cast": "{0}",
    "size": "(W)g->s.length[{0}]",
    "opposite": "(({0} + 4) & 7)",
    "reaction_handler": f"({{0}} >> {REACTION_SHIFT})",
    "reaction_piece": "(({0} & INT64_C(0xFFFFFFFF)) - 1)",
    **{op: f"({{0}} {sign} {{1}})" for op, sign in SIGNED.items()},
}
"""Operation -> the C text of its value, from its operands' texts."""
MADE: dict[str, str] = {
    "numbers": "a_numbers(g, {0}, {1}, {site})",
    "firsts": "a_firsts(g, {0}, {1})",
    "lasts": "a_lasts(g, {0}, {1})",
    "others": "a_others(g, {0}, {seats})",
    "reaction_order": "a_reaction_order(g, {0}, {seats})",
    "players_from": "a_players_from(g, {0}, {seats})",
    "players_after": "a_players_after(g, {0}, {seats})",
}
"""The same of operations whose value is made in the arena."""


writes = registering(WRITERS)
"""Registers the writer of operations."""


loops = registering(EACH)
"""Registers the writer of loops over what operations give."""


class Writer:
    """Writes expressions of one layout. `g` is the game in all text.

    Attributes:
        eliminates: whether rules put players out of the game. arena_uses: how many texts were written that leave
            something in the arena when they are read. calls: how many that give back what they take there.
            before_statement: `arena_uses` where the statement began. known: returns the value of a constant expression.
        fused_payments: procedure and slot -> the block that spends the payment (purses.py). lookaheads: by expression
            (lookahead.py). askers: by procedure the kinds whose interchangeable individuals it merges into one option
            or outcome (interchangeable.py). cells, offered: names of lazy cells, and of whether items have options
            (hoisting.py). speculating: procedures that run lookaheads, themselves or by what they call.
    """

    def __init__(self, layout: Layout, source: CSource) -> None:
        self.layout = layout
        self.program = layout.program
        self.known = Constants(layout).known
        self.analysis = Analysis(layout)
        self.eliminates = self.analysis.eliminates
        self.source = source
        self.blocks = StateBlocks(layout, self.analysis)
        self.forms = WordForms(layout)
        self.fused_payments: dict[tuple[int, int], int] = {}  # see purses.py
        self.lookaheads: dict[tuple[int, int], Lookahead] = {}  # see lookahead.py
        self.askers: list[frozenset[int]] = []  # see interchangeable.py
        self.origins: dict[int, Expr] = {}  # by identity: guards, and what they were before the passes
        self.cells: dict[int, tuple[str, str]] = {}  # see hoisting.py
        self.offered: dict[int, str] = {}  # names of whether items have options
        self.fused: set[int] = set()  # by identity: payments that are fused with their `spend`
        self.speculating = _speculating(self.program)
        self.arena_uses = self.calls = self.before_statement = 0
        self.checked = is_checked()
        self.logs = False  # whether events are logged
        self.bounds = False  # whether the default build bounds the index that is being written

    # ---- values

    def text(self, expr: Expr, env: Environment) -> str:
        """Return the C text of the value of an expression; truth values are 0 and 1."""
        value = self.known(expr)
        if value is not UNKNOWN:
            return self.constant(value, expr.type)
        if (writer := WRITERS.get(expr.op)) is not None:
            return writer(self, expr, env)
        template = TEXTS.get(expr.op) or MADE[expr.op]
        text = template.format(*self.texts(expr, env), site=expr.site, seats=self.layout.players)
        return self.arena(text) if expr.op in MADE else text

    def texts(self, expr: Expr, env: Environment) -> list[str]:
        """Return all arguments that are expressions."""
        return [self.text(part, env) for part in operands(expr)]

    def constant(self, value: Any, type_: Type) -> str:
        """Return the text of a constant: a number, or the address of a table."""
        if type_ == BITS:
            return f"(*(const Bits *){self.source.table(words_of(value, self.blocks.bit_words), 'U')})"
        if isinstance(value, bool | int):
            text = c_number(int(value))
            return Atom(f"({text})" if text.startswith("-") else text, int(value))
        kind = type_.present.kind
        if kind in ("set", "seats"):
            parts = [self.constant(part, type_.present.inner) for part in value]
            return Address(self.source.table([len(parts), *map(_plain, parts)])) if parts else "NOTHING"
        if kind == "bag":
            return Address(self.source.table(value))
        fixed, wilds = value  # a cost: rules write no payment down
        return Address(self.source.table([*fixed, len(wilds), *[n for wild in wilds for n in wild]]))

    def index(self, text: str, bound: int, site: int, low: int = 0) -> str:
        """Return the text of an index that comes from a rule's value, from `low` to below `bound`: the guard build
        checks it and names the site; the default build gives up before a variable is written elsewhere (`bounds`)."""
        if (value := literal(text)) is not None and low <= value < bound:
            return text
        if not self.checked and self.bounds:
            inside = f"bounded_index(g, {text}{f' - {low}' if low else ''}, {bound - low}, {site})"
            return f"({low} + {inside})" if low else inside
        if not self.checked:
            return text
        return f"INDEX({text}, {low}, {bound}, {INDEX}, NULL, {site})"

    def temporary(self, text: str, stem: str = "x", type_: Type = INT) -> tuple[str, str]:
        """Return the declaration of a C variable that holds a value, and its name; no declaration if the text is
        atomic, or is that of bits that lie in memory."""
        if atomic(text) or (type_ == BITS and text.startswith("(*")):
            return "", text
        name = self.source.fresh(stem)
        return f"const {c_type(type_)} {name} = {text}; ", name

    # ---- loops

    def each(self, expr: Expr, env: Environment, body: Callable[[str], str]) -> str:
        """Return statements that run `body` (given the name of the element) for every element of a set, in order."""
        value = self.known(expr)
        if value is UNKNOWN:
            writer = EACH.get(expr.op)
            if writer is not None:
                return writer(self, expr, env, body)
        elif expr.type.inner == BITS:
            return self.each_of_bits(value, None, body)
        elif len(value) > 1 and isinstance(value[0], int) and value == [value[0] + n for n in range(len(value))]:
            x = self.source.fresh("x", Element)
            return f"for (W {x} = {value[0]}; {x} <= {value[-1]}; {x}++) {{ {body(x)} }}"
        return self.each_of(self.text(expr, env), body)

    def each_of(self, set_: str, body: Callable[[str], str]) -> str:
        """Return statements that run `body` for every element of a list."""
        items, i, x = self.source.fresh("s"), self.source.fresh("i"), self.source.fresh("x", Element)
        loop = f"for (W {i} = 1; {i} <= {items}[0]; {i}++) {{ const W {x} = {items}[{i}]; {body(x)} }}"
        return f"{{ const W *{items} = LIST({set_}); {loop} }}"

    def each_of_bits(self, sets: Sequence[int], places: str | None, body: Callable[[str], str]) -> str:
        """Return statements that run `body` for constant sets of bits, or those whose places are in a list."""
        width, i, x = self.blocks.bit_words, self.source.fresh("i"), self.source.fresh("x")
        table = self.source.table([word for each in sets for word in words_of(each, width)], "U")
        one = f"const Bits {x} = *(const Bits *)&{table}[{width} * {i}]; {body(x)}"
        if places is not None:
            return self.each_of(places, lambda place: one.replace(i, place, 1))
        return f"for (W {i} = 0; {i} < {len(sets)}; {i}++) {{ {one} }}"

    def arena(self, text: str) -> str:
        """Note that reading a text leaves something in the arena, and return it."""
        self.arena_uses += 1
        return text

    def writes_to_arena(self, write: Callable[[], str]) -> tuple[str, bool]:
        """Return the text that `write` gives, and whether evaluating it allocates in the arena."""
        before = self.arena_uses
        return write(), self.arena_uses > before

    def freed(self, write: Callable[[], str]) -> str:
        """Write statements so that they leave nothing in the arena."""
        text, used = self.writes_to_arena(write)
        if not used:
            return text
        mark = self.source.fresh("mark")
        return f"W *const {mark} = g->top; {text} g->top = {mark};"

    def released(self, write: Callable[[], str]) -> str:
        """Write a number so that reading it leaves nothing in the arena."""
        text, used = self.writes_to_arena(write)
        if not used:
            return text
        mark, value = self.source.fresh("mark"), self.source.fresh("value")
        return f"({{ W *const {mark} = g->top; const W {value} = {text}; g->top = {mark}; {value}; }})"

    def work(self, *bodies: Expr) -> int:
        """Return the fuel of reading the expressions once."""
        return round_work(self.layout, *(self.origins.get(id(body), body) for body in bodies))

    # ---- places

    def instance(
        self, base: int, strides: Sequence[int], types: Sequence[Type], indices: Sequence[Expr], env: Environment
    ) -> str:
        """Return the text of `base + sum(index * stride)`, where each index is a value of its type."""
        moving = []
        for expr, stride, type_ in zip(indices, strides, types, strict=True):
            text = self.index(self.text(expr, env), self.layout.size(type_), expr.site)
            value = literal(text)
            if value is not None:
                base += value * stride
            else:
                moving.append(text if stride == 1 else f"{text} * {stride}")
        if not moving:
            return numeral(base)
        return f"({' + '.join([*([str(base)] if base else []), *moving])})"

    def variable_cell(self, variable: int, indices: Sequence[Expr], env: Environment) -> str:
        """Return the text of the first cell of a variable."""
        types = self.program.variables[variable].index
        return self.instance(self.layout.var_base[variable], self.layout.var_strides[variable], types, indices, env)

    def piece_variable_cell(self, variable: int, item: str) -> str:
        """Return the text of the first cell of a piece variable of an item."""
        width, base = self.layout.pvar_width[variable], self.layout.pvar_cell(variable, 0)
        items = self.layout.kind_items[self.layout.pvar_kind[variable]]
        item = self.index(item, items.stop, -1, items.start)
        return f"({base} + {item} * {width})" if width > 1 else f"({base} + {item})"

    def cell(self, read: Expr, env: Environment) -> str:
        """Return the text of the first cell of the variable, piece variable or purse that an expression reads."""
        if read.op == "pvar":
            return self.piece_variable_cell(number(read), *self.texts(read, env))
        return self.variable_cell(number(read), operands(read), env)

    def temporaries(self, exprs: Sequence[Expr], env: Environment, stem: str = "given") -> tuple[str, list[str]]:
        """Return the declarations of C variables that hold the values of expressions, and their names."""
        declared = [self.temporary(self.text(expr, env), stem) for expr in exprs]
        return "".join(before for before, _ in declared), [name for _, name in declared]

    def table_of(self, zone: Expr, env: Environment) -> int:
        """Return the zone table of a zone, -1 where there may be several."""
        return self.analysis.zone_table(env.procedure, zone)

    def hides(self, zone: Expr, env: Environment) -> bool:
        """Return whether a zone may hold a piece that nobody has seen."""
        return self.analysis.may_hide(self.table_of(zone, env))

    def name(self, env: Environment, slot: int) -> str:
        """Return a fresh name for what a slot holds in turn."""
        names = self.program.procedures[env.procedure].local_names
        return self.source.fresh(plain_name(names[slot]) if slot < len(names) else "x")

    def speculates(self, *exprs: Expr) -> bool:
        """Return whether reading the expressions may try rules."""
        return any(
            part.op == "possible" or (part.op == "call" and number(part) in self.speculating)
            for expr in exprs
            for part in subexpressions(expr)
        )


def check_expressions(program: Program) -> None:
    """Check that expressions change nothing, but for a call that is all that a statement reads, as rule texts have it.

    Raises:
        UnwrittenError: one does; then it would matter in which order expressions are read.
    """
    changing = {place for place, code in enumerate(program.procedures) if code.effects.writes}
    for block in (block for code in program.procedures for block in code.blocks):
        alone = [id(part) for node in block.statements if node.op in ("set", "evaluate") for part in operands(node)]
        for expr in block_expressions(block, program.decisions):
            inner = operands(expr) if id(expr) in alone else (expr,)
            if any(p.op == "call" and number(p) in changing for part in inner for p in subexpressions(part)):
                raise UnwrittenError("expressions that change the game inside of others")


def _speculating(program: Program) -> set[int]:
    """Return the procedures that try rules, themselves or by what they call."""
    speculating = {
        place
        for place, code in enumerate(program.procedures)
        if any(part.op == "possible" for part in procedure_parts(code, program.decisions))
    }
    before = -1
    while speculating and len(speculating) > before:
        before = len(speculating)
        speculating |= {
            place
            for place, code in enumerate(program.procedures)
            if not speculating.isdisjoint(callees(code, program.decisions))
        }
    return speculating


def _plain(text: str) -> int | str:
    value = literal(text)
    return value if value is not None else text


# ---- where values live --------------------------------------------------------------------------------


@writes("local")
def _local(w: Writer, e: Expr, s: Environment) -> str:
    text = s.names[number(e)]
    return w.arena(text) if isinstance(text, PackedCounts | Lazy) else text


def bound_when_read(w: Writer, e: Expr, s: Environment) -> tuple[str, Environment]:
    """Declare the local of a `let`, which gets its value when it is first read: the declaration, and where the body
    stands."""
    slot, (value, body) = number(e), operands(e)
    name, text = w.source.fresh("shared"), w.text(value, s)
    reads = sum(part.op == "local" and number(part) == slot for part in subexpressions(body))
    is_listed = value.op == "mask" and operands(value)[0].op == "local"
    at_hand = value.op in SIGNED.keys() - SIGNS.keys() or is_listed or bitboard_of(w.layout, value) is not None
    if reads > FEW_READS or at_hand or compound(value.type):  # what a round makes in scratch space is gone after it
        return f"const {c_type(value.type)} {name} = {text};", s.bind(slot, name)
    if value.type == BITS:
        lazy = f"(*({name}known ? &{name} : ({name}known = 1, {name} = {text}, &{name})))"
        return f"Bits {name}; bool {name}known = 0;", s.bind(slot, Lazy(lazy))
    return f"W {name} = INT64_MIN;", s.bind(slot, Lazy(f"({name} != INT64_MIN ? {name} : ({name} = {text}))"))


@writes("let")
def _let(w: Writer, e: Expr, s: Environment) -> str:
    before, inner = bound_when_read(w, e, s)
    return f"({{ {before} {w.text(operands(e)[1], inner)}; }})"


@loops("let")
def _each_of_let(w: Writer, e: Expr, s: Environment, body: Callable[[str], str]) -> str:
    before, inner = bound_when_read(w, e, s)
    return f"{{ {before} {w.each(operands(e)[1], inner, body)} }}"


def bag_at(w: Writer, cell: str, width: int) -> str:
    """Return the text of a copy of the bag that starts at a cell, as the cells may change while it is read."""
    return w.arena(f"a_copied(g, &g->s.v[{cell}], {width})")


@writes("var", "pvar")
def _variable(w: Writer, e: Expr, s: Environment) -> str:
    cell = w.cell(e, s)
    return bag_at(w, cell, w.layout.width(e.type)) if e.type.kind == "bag" else f"g->s.v[{cell}]"


@writes("purse")
def _purse(w: Writer, e: Expr, s: Environment) -> str:
    return w.cell(e, s)


@writes("zone")
def _zone(w: Writer, e: Expr, s: Environment) -> str:
    zone = number(e)
    types = w.program.zones[zone].index
    return w.instance(w.layout.zone_base[zone], w.layout.zone_strides[zone], types, operands(e), s)


# ---- numbers and truth ----------------------------------------------------------------------------------


@writes("abs")
def _absolute(w: Writer, e: Expr, s: Environment) -> str:
    before, x = w.temporary(w.texts(e, s)[0])
    return wrapped(before, f"({x} < 0 ? sub_(g, 0, {x}, {e.site}) : {x})")


@writes("and", "or")
def _logic(w: Writer, e: Expr, s: Environment) -> str:
    """Print `&&` or `||`; one whose left side is known is folded."""
    left, right = operands(e)
    settled = w.known(left)
    if settled is not UNKNOWN:
        return w.text(right if bool(settled) == (e.op == "and") else left, s)
    return f"({w.text(left, s)} {'&&' if e.op == 'and' else '||'} {w.text(right, s)})"


@writes("if")
def _if(w: Writer, e: Expr, s: Environment) -> str:
    """Print `?:`; one whose condition is known is folded."""
    condition, then, otherwise = operands(e)
    settled = w.known(condition)
    if settled is not UNKNOWN:
        return w.text(then if settled else otherwise, s)
    return f"({w.text(condition, s)} ? {w.text(then, s)} : {w.text(otherwise, s)})"


@writes("const")
def _wide_constant(w: Writer, e: Expr, s: Environment) -> str:
    """Print a constant of more than 64 bits."""
    del s
    return w.constant(e.args[0], e.type)


@writes("meets")
def _meets(w: Writer, e: Expr, s: Environment) -> str:
    one, other = w.texts(e, s)
    return f"some_bits({one} & {other})" if operands(e)[0].type == BITS else f"(({one} & {other}) != 0)"


@writes("ones")
def _ones(w: Writer, e: Expr, s: Environment) -> str:
    (bits,) = w.texts(e, s)
    return f"count_bits({bits})" if operands(e)[0].type == BITS else f"bits_in((U)({bits}))"


@writes("is_none")
def _is_none(w: Writer, e: Expr, s: Environment) -> str:
    (value,) = w.texts(e, s)
    return f"({value} == {w.constant(operands(e)[0].type.absent, INT)})"


@writes("placed")
def _placed(w: Writer, e: Expr, s: Environment) -> str:
    """Print whether a party is behind those that were declared winners."""
    (party,) = w.texts(e, s)
    teams = w.layout.team_of
    mates = w.source.table([sum(1 << mate for mate, team in enumerate(teams) if team == own) for own in teams])
    tied = f"g->s.over == {TIED} ? 0 : ABSENT_NUMBER"
    return f"(g->s.over == {DECLARED} ? (W)!(g->s.winners & {mates}[{party}]) : {tied})"


@writes("otherwise")
def _otherwise(w: Writer, e: Expr, s: Environment) -> str:
    """Print `A otherwise B`: B where A has the value of absence."""
    a, b = w.texts(e, s)
    none = w.constant(operands(e)[0].type.absent, INT)
    before, x = w.temporary(a)
    return wrapped(before, f"({x} == {none} ? {b} : {x})")


@writes("answer")
def _answer(w: Writer, e: Expr, s: Environment) -> str:
    """Print the value of a party that was asked; it fails for one that was not."""
    a, b = w.texts(e, s)
    none = w.constant(operands(e)[0].type.inner.absent, INT)
    before, x = w.temporary(f"at_(g, {a}, {b}, {e.site})")
    return wrapped(f"{before}if (UNLIKELY({x} == {none})) fail(g, {e.site}); ", x)


@writes("lookup")
def _lookup(w: Writer, e: Expr, s: Environment) -> str:
    """Print a table of steps (`lookup` in vocabulary/operations.py) as nested comparisons, the greatest outermost."""
    key, *pairs = operands(e)
    keys = [w.known(pair) for pair in pairs[::2]]
    before, x = w.temporary(w.text(key, s))
    # the last one of the greatest key that is not above
    text, last = "0", {value: place for place, value in enumerate(keys)}
    for value, place in sorted(last.items()):
        entry = w.text(pairs[2 * place + 1], s)
        text = entry if value == LOWEST else f"({x} >= {w.constant(value, INT)} ? {entry} : {text})"
    return wrapped(before, text)


@writes("mark_code")
def _mark_code(w: Writer, e: Expr, s: Environment) -> str:
    """Print the packed value of a mark (see `mark_code` in vocabulary/operations.py)."""
    (party,) = w.texts(e, s)
    parties = w.layout.parties
    base = 1 + number(e) * (parties + 1)
    before, p = w.temporary(party)
    return wrapped(before, f"({base} + ({p} >= 0 ? {p} : {parties}))")


@writes("deferred")
def _deferred(w: Writer, e: Expr, s: Environment) -> str:
    return f"((g->s.deferred & {DEFERRALS[str(e.args[0])]}) != 0)"


# ---- seats --------------------------------------------------------------------------------------------


@writes("players", "parties")
def _parties(w: Writer, e: Expr, s: Environment) -> str:
    if not w.eliminates:
        return w.constant(list(range(w.layout.players if e.op == "players" else w.layout.parties)), SEATS)
    return w.arena(f"a_{e.op}(g, {w.layout.players})")


@writes("opponents", "teammates")
def _teams(w: Writer, e: Expr, s: Environment) -> str:
    (party,) = w.texts(e, s)
    teams = w.source.table(w.layout.team_of)
    return w.arena(f"a_team(g, {party}, {w.layout.players}, {teams}, {int(e.op == 'teammates')})")


@writes("next_player", "previous_player")
def _neighbour(w: Writer, e: Expr, s: Environment) -> str:
    """Print the next or previous seat in the game; where nobody is ever out, by a constant table."""
    (party,) = w.texts(e, s)
    seats, parties = w.layout.players, w.layout.parties
    if w.eliminates:
        return f"player_beside(g, {party}, {seats}, {int(e.op == 'next_player')})"
    # Nobody is ever out: a constant for each party and for none.
    around = []
    for own in range(-1, parties):
        start = own if 0 <= own < seats else 0
        row = [(start + n) % seats for n in range(seats)]
        ahead = row if e.op == "next_player" else row[::-1]
        around.append(next((seat for seat in ahead if seat != own), own))
    return f"{w.source.table(around)}[{party} + 1]"


@writes("seat_of")
def _seat_of(w: Writer, e: Expr, s: Environment) -> str:
    (n,) = w.texts(e, s)
    before, x = w.temporary(n)
    return wrapped(before, f"(0 <= {x} && {x} < {w.layout.players} ? {x} : -1)")


# ---- calls ------------------------------------------------------------------------------------------------


def function_name(w: Writer, procedure: int) -> str:
    """Return the name of the C function of a procedure. What gives an address begins with `a_`: it takes scratch
    space."""
    code = w.program.procedures[procedure]
    return f"{'a_' if compound(code.returns) else ''}p{procedure}_{plain_name(code.name)}"


def called(w: Writer, procedure: int, arguments: Sequence[str], start: str = "0, NULL") -> str:
    """Return a call of the C function of a procedure; one that can wait may go on from a block with locals: `start`."""
    c_arguments = ["g", *([start] if w.program.procedures[procedure].effects.suspends else []), *arguments]
    text = f"{function_name(w, procedure)}({', '.join(c_arguments)})"
    w.calls += 1
    return w.arena(text) if compound(w.program.procedures[procedure].returns) else text


@writes("call")
def _call(w: Writer, e: Expr, s: Environment) -> str:
    return called(w, number(e), w.texts(e, s))
