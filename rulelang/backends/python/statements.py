"""Statements as lines of Python. Nothing here logs: a game that is logged runs in the interpreter.

Enters: `Statement`s and the names of the locals. Leaves: lines in the source.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.backends.facts import same
from rulelang.backends.interpreter.expressions import operands
from rulelang.backends.interpreter.statements import statement
from rulelang.backends.python.bags import cells
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.moves import write_counted_move, write_counted_slots
from rulelang.backends.python.scope import Bare, Scope
from rulelang.backends.python.sets import kept_text
from rulelang.backends.registry import registering
from rulelang.backends.text import atomic, literal
from rulelang.ir.nodes import Expr, Statement
from rulelang.ir.program import VariableTable
from rulelang.ir.types import absent
from rulelang.ir.walk import children, index, local_reads
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT
from rulelang.runtime.state import DEFERRALS, DRAWN, WON

LinesOf = Callable[[Writer, Statement, Scope], None]
STATEMENTS: dict[str, LinesOf] = {}
"""Operation -> what writes its lines."""


writes = registering(STATEMENTS)
"""Registers the writer of statements."""


def write_statement(w: Writer, node: Statement, scope: Scope) -> None:
    """The lines of a statement."""
    w.source.at(node.site)
    writer = STATEMENTS.get(node.op)
    if writer is not None:
        writer(w, node, scope)
        return
    w.fallbacks[node.op] = w.fallbacks.get(node.op, 0) + 1
    reads = frozenset().union(*map(local_reads, children(node)))
    effect = w.source.shared("closure", statement(w.compiler, node))
    w.source.line(f"{effect}(S, {w.locals(scope, reads)})")


def _parts(node: Statement) -> list[Expr]:
    return [arg for arg in node.args if isinstance(arg, Expr)]


# ---- locals and variables ------------------------------------------------------------------------------


@writes("set")
def _set(w: Writer, node: Statement, s: Scope) -> None:
    if index(node) in s.places or id(node) in s.left_out:
        return
    kept = s.bare.get(index(node))
    if kept is not None:
        w.source.line(f"{kept.name} = {kept_text(w, kept, _parts(node)[0], s)}")
        return
    name = s.names[index(node)]
    value = w.stored(_parts(node)[0], s)
    if value != name:
        w.source.line(f"{name} = {value}")


def _write(w: Writer, node: Statement, table: VariableTable, cell: str, value: Expr, s: Scope) -> None:
    """Puts a value into a variable from a cell on, within its limits."""
    line, site = w.source.line, node.site
    text = w.stored(value, s)
    limited = table.type in ("int", "opt<int>") or table.type.startswith("bag:")
    low, high = (table.low, table.high) if limited else (LOWEST, HIGHEST)
    report = f"outside({site}, {table.name!r}, {table.low}, {table.high}"
    if table.type.startswith("bag:"):
        name, width = w.source.fresh("bag"), w.layout.width(table.type)
        line(f"{name} = {text}")
        with w.source.block(f"if min({name}, default={low}) < {low} or max({name}, default={high}) > {high}:"):
            line(f"{report}, next(n for n in {name} if not {low} <= n <= {high}))")
        if not atomic(cell):
            start = w.source.fresh("cell")
            line(f"{start} = {cell}")
            cell = start
        end = literal(cell)
        line(f"v[{cell}:{f'{cell} + {width}' if end is None else end + width}] = {name}")
        return
    if not limited or w.intervals.within(s.procedure, value, low, high):
        line(f"v[{cell}] = {text}")
        return
    name = text
    if not atomic(text):
        name = w.source.fresh("value")
        line(f"{name} = {text}")
    absence = f" and {name} != {absent(table.type)}" if table.type == "opt<int>" else ""
    with w.source.block(f"if not {low} <= {name} <= {high}{absence}:"):
        line(f"{report}, {name})")
    line(f"v[{cell}] = {name}")


@writes("set_var")
def _set_var(w: Writer, node: Statement, s: Scope) -> None:
    variable = index(node)
    value, *indices = _parts(node)
    cell = w.variable_cell(variable, indices, s)
    _write(w, node, w.program.variables[variable], cell, value, s)


@writes("set_pvar")
def _set_pvar(w: Writer, node: Statement, s: Scope) -> None:
    variable = index(node)
    piece, value = _parts(node)
    cell = w.piece_variable_cell(variable, w.text(piece, s))
    _write(w, node, w.program.piece_variables[variable], cell, value, s)


@writes("reset")
def _reset(w: Writer, node: Statement, s: Scope) -> None:
    variable, layout = index(node), w.layout
    start = layout.var_base[variable]
    values = [
        value for value, place in zip(layout.start_v, layout.cell_place, strict=True) if place[:2] == (False, variable)
    ]
    if len(values) == 1:
        w.source.line(f"v[{start}] = {values[0]}")
    else:
        w.source.line(f"v[{start}:{start + len(values)}] = {w.source.constant(tuple(values))}")


@writes("spend")
def _spend(w: Writer, node: Statement, s: Scope) -> None:
    payment, purses = _parts(node)
    w.source.line(f"spend(S, {w.text(payment, s)}, {cells(w, purses, s)}, {node.site})")


# ---- pieces -------------------------------------------------------------------------------------------


def capacity(w: Writer, table: int) -> bool:
    """Whether a zone of the table (-1: any) may be full."""
    if table < 0:
        return True
    return any(w.layout.inst_capacity[there] >= 0 for there in w.layout.zone_instances(table))


@writes("move")
def _move(w: Writer, node: Statement, s: Scope) -> None:
    what, to = _parts(node)
    top = node.args[2] == "top"
    identity = w.layout.identity(what.type)
    if w.counts(what.type) and w.may_count(s.procedure, what, to):
        write_counted_move(w, what, to, top, s, id(node) in s.rests)
        return
    if not what.type.startswith("set<"):
        w.source.line(f"move_one(S, {w.text(what, s)}, {w.text(to, s)}, {identity}, {top}, {node.site})")
        return
    everything = what.op == "pieces" and not identity and _moves_all(w, what, to, top, s)
    if not everything and (identity or not _moves_some(w, what, to, s, s.rests.get(id(node), ""))):
        w.source.line(f"move(S, {w.text(what, s)}, {w.text(to, s)}, {identity}, {top})")


def _moves_some(w: Writer, what: Expr, to: Expr, s: Scope, rest: str) -> bool:
    """Writes the move of pieces from bags to a bag that is never full, if it is that."""
    target = w.table_of(to, s)
    zones = w.program.zones
    if target < 0 or zones[target].pile or capacity(w, target) or s.inlined:
        return False
    origins = w.facts.origins(s.procedure, what)
    if -1 in origins or any(zones[origin].pile for origin in origins):
        return False
    kept = w.bare(what, s)
    if kept is not None:
        return _moves_bare(w, kept, to, s, rest)
    moved, there, handle = w.source.fresh("moved"), w.source.fresh("there"), w.source.fresh("piece")
    w.source.line(f"{moved} = {w.text(what, s)}")
    with w.source.block(f"if {moved}:"):
        w.source.line(f"{there} = z[{w.text(to, s)}]")
        with w.source.block(f"for {handle} in {moved}:"):
            with w.source.block("try:"):
                w.source.line(f"z[{handle} >> {ZONE_SHIFT}].remove({handle} & {ITEM_MASK})")
            with w.source.block("except ValueError:"):
                w.source.line("continue")
            w.source.line(f"{there}.append({handle} & {ITEM_MASK})")
        w.source.line(f"{there}.sort()")
    return True


def _moves_all(w: Writer, what: Expr, to: Expr, top: bool, s: Scope) -> bool:
    """Writes the move of everything from one bag to another, if it is that."""
    (source,) = operands(what)
    origin, target = w.table_of(source, s), w.table_of(to, s)
    if origin < 0 or target < 0 or origin == target or w.facts.may_hide(origin) or capacity(w, target):
        return False
    if w.program.zones[origin].pile or w.program.zones[target].pile:
        return False
    here, there = w.source.fresh("here"), w.source.fresh("there")
    w.source.line(f"{here} = z[{w.text(source, s)}]")
    with w.source.block(f"if {here}:"):
        w.source.line(f"{there} = z[{w.text(to, s)}]")
        w.source.line(f"{there} += {here}")
        w.source.line(f"{there}.sort()")
        w.source.line(f"{here}.clear()")
    return True


def _moves_bare(w: Writer, kept: Bare, to: Expr, s: Scope, rest: str) -> bool:
    """Writes the move of pieces that were found in one bag to another bag that is never full; `rest` is what they leave
    there, if that is known."""
    line, block = w.source.line, w.source.block
    here, there, item = w.source.fresh("here"), w.source.fresh("there"), w.source.fresh("item")
    with block(f"if {kept.name}:"):
        if rest:
            line(f"z[{kept.zone}][:] = {rest}")
        else:
            line(f"{here} = z[{kept.zone}]")
        line(f"{there} = z[{w.text(to, s)}]")
        with block(f"for {item} in {kept.name}:"):
            if rest:
                line(f"insort({there}, {item})")
                return True
            with block("try:"):
                line(f"{here}.remove({item})")
            with block("except ValueError:"):
                line("continue")
            line(f"insort({there}, {item})")
    return True


@writes("move_slots")
def _move_slots(w: Writer, node: Statement, s: Scope) -> None:
    origin, amount, to = _parts(node)
    top = node.args[3] == "top"
    from_table, to_table = w.table_of(origin, s), w.table_of(to, s)
    zones = w.program.zones
    count = w.text(amount, s)
    if from_table in w.counted or (to_table in w.counted and count != "1"):
        write_counted_slots(w, origin, amount, to, top, s)
        return
    if count == "1" and from_table >= 0 and to_table >= 0 and from_table != to_table and not capacity(w, to_table):
        identity = w.program.kinds[zones[to_table].kind].identity
        here, member = w.source.fresh("here"), w.source.fresh("member")
        w.source.line(f"{here} = z[{w.text(origin, s)}]")
        with w.source.block(f"if {here}:"):
            w.source.line(f"{member} = {here}.pop({'' if zones[from_table].pile else '0'})")
            w.source.line(w.putting(to, s, top).format(member))
            if identity:
                test = f"if {member} >= 0:" if w.facts.may_hide(from_table) else "if True:"
                with w.source.block(test):
                    w.source.line(f"S.where[{member}] = {w.text(to, s)}")
        return
    if amount.op == "size" and same(next(children(amount)), origin) and _moves_slots(w, origin, to, top, s):
        return
    w.source.line(f"move_slots(S, {w.text(origin, s)}, {count}, {w.text(to, s)}, {top})")


def _moves_slots(w: Writer, origin: Expr, to: Expr, top: bool, s: Scope) -> bool:
    """Writes the move of all that lies in a zone to one that is never full, if they are no individuals."""
    source, target = w.table_of(origin, s), w.table_of(to, s)
    zones = w.program.zones
    if min(source, target) < 0 or source == target or capacity(w, target):
        return False
    if w.program.kinds[zones[target].kind].identity:
        return False
    here, there = w.source.fresh("here"), w.source.fresh("there")
    w.source.line(f"{here} = z[{w.text(origin, s)}]")
    w.source.line(f"{there} = z[{w.text(to, s)}]")
    w.source.line(f"S.fuel -= len({here})")
    reverse = zones[source].pile != (zones[target].pile and not top)  # the first one that moves comes to lie lowest
    members = f"{here}[::-1]" if reverse and zones[target].pile else here
    w.source.line(f"{there} += {members}" if top or not zones[target].pile else f"{there}[:0] = {members}")
    if not zones[target].pile:
        w.source.line(f"{there}.sort()")
    w.source.line(f"{here}.clear()")
    return True


@writes("settle")
def _settle(w: Writer, node: Statement, s: Scope) -> None:
    w.source.line(f"settle_within(S, {w.text(_parts(node)[0], s)})")


@writes("shuffle")
def _shuffle(w: Writer, node: Statement, s: Scope) -> None:
    zone = w.text(_parts(node)[0], s)
    table = w.table_of(_parts(node)[0], s)
    plain = table >= 0 and not w.program.kinds[w.program.zones[table].kind].identity
    w.source.line(f"S.fuel -= len(z[{zone}])")
    w.source.line(f"{'shuffle_known' if plain else 'shuffle'}(S, {zone})")


# ---- the course of the game ------------------------------------------------------------------------------


@writes("reveal")
def _reveal(w: Writer, node: Statement, s: Scope) -> None:
    """Only what is logged is told."""


@writes("begin")
def _begin(w: Writer, node: Statement, s: Scope) -> None:
    if node.args[0] == "turn":
        w.source.line("S.turns += 1")


@writes("eliminate")
def _eliminate(w: Writer, node: Statement, s: Scope) -> None:
    seat = w.source.fresh("seat")
    w.source.line(f"{seat} = {w.text(_parts(node)[0], s)}")
    with w.source.block(f"if {seat} < 0:"):
        w.source.line(f'fail({node.site}, "nobody is meant")')
    w.source.line(f"S.out |= 1 << {seat}")


@writes("win")
def _win(w: Writer, node: Statement, s: Scope) -> None:
    w.source.line(f"S.winners = win(S, {w.text(_parts(node)[0], s)}, {node.site})")
    w.source.line(f"S.deferred = S.deferred & {~DRAWN} | {WON}")


@writes("draw_game")
def _draw_game(w: Writer, node: Statement, s: Scope) -> None:
    w.source.line("S.winners = 0")
    w.source.line(f"S.deferred = S.deferred & {~WON} | {DRAWN}")


@writes("defer")
def _defer(w: Writer, node: Statement, s: Scope) -> None:
    w.source.line(f"S.deferred |= {DEFERRALS[str(node.args[0])]}")


@writes("check")
def _check(w: Writer, node: Statement, s: Scope) -> None:
    with w.source.block(f"if not {w.truth(_parts(node)[0], s)}:"):
        w.source.line(f"fail({node.site}, {str(node.args[1])!r})")


@writes("evaluate")
def _evaluate(w: Writer, node: Statement, s: Scope) -> None:
    w.source.line(w.text(_parts(node)[0], s))
