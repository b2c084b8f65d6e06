"""Statements as lines of C. Nothing here logs: that is added in single steps (events.py).

Enters: `Statement`s and the names of the locals. Leaves: lines in the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby

from rulelang.ir.nodes import Expr, Statement
from rulelang.ir.program import VariableTable
from rulelang.ir.walk import index, operands
from rulelang.mir.fields import Field
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.inplace import changed_in_place
from rulelang.native.packed_locals import assign_packed, packed_set
from rulelang.native.pieces import capacity_flag, form_flag, form_text, identity_text, kind_of
from rulelang.native.purses import spent
from rulelang.native.text import atomic, literal
from rulelang.registry import registering
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.state import DEFERRALS, DRAWN, WON
from rulelang.vocabulary.types import INT

LinesOf = Callable[[Writer, Statement, Environment], None]
STATEMENTS: dict[str, LinesOf] = {}
"""Operation -> what writes its lines."""


writes = registering(STATEMENTS)
"""Registers the writer of statements."""


def write_statement(w: Writer, node: Statement, env: Environment) -> None:
    """Emit a statement."""
    w.source.at(node.site)
    w.before_statement = w.arena_uses
    STATEMENTS[node.op](w, node, env)


@contextmanager
def scratch(w: Writer) -> Iterator[None]:
    """Release what the lines emitted inside allocate in the arena."""
    lines = w.source.lines
    start = len(lines)
    yield
    if len(lines) > start and w.arena_uses > w.before_statement:
        mark = w.source.fresh("mark")
        indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        lines.insert(start, f"{indent}{{ W *const {mark} = g->top;")
        w.source.line(f"g->top = {mark}; }}")


def named(w: Writer, text: str, stem: str) -> str:
    """Return a name for a value, put there by a line; a name or number is one itself."""
    if atomic(text):
        return text
    name = w.source.fresh(stem)
    w.source.line(f"const W {name} = {text};")
    return name


@contextmanager
def _own(w: Writer) -> Iterator[None]:
    """Open a C block for names of its own, so that jumps do not cross their initialisation."""
    with scratch(w), w.source.block(""):
        yield


# ---- locals and variables ------------------------------------------------------------------------------


@writes("set")
def _set(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the write of a local."""
    (value,) = operands(node)
    if assign_packed(w, s.names[index(node)], value, s):
        return
    name, text = s.names[index(node)], w.text(value, s)
    if compound(w.program.procedures[s.procedure].locals[index(node)]):
        w.source.line(f"{name} = {text};")
        return
    with scratch(w):
        w.source.line(f"{name} = {text};")


def _write(w: Writer, node: Statement, table: VariableTable, cell: str, value: Expr, s: Environment) -> None:
    """Put a value into a variable from a cell on, within its limits."""
    line = w.source.line
    boards = w.blocks.bitboards.get(Field("var", index(node))) if node.op == "set_var" else None

    def put(text: str) -> str:
        if boards is None:
            return f"g->s.v[{cell}] = {text};"
        return f"set_on_board(g, {cell}, {boards.cells.start}, {boards.origin}, {boards.width}, {text});"

    if table.mark and w.known(value) != 0:
        with _own(w):
            place = named(w, cell, "cell")
            code = named(w, w.text(value, s), "code")
            line(f"if (UNLIKELY((U){code} > {table.high})) fail(g, {node.site});")
            line(f"g->s.v[{place}] = {code};")
            line(f"note_mark(g, {place});")
        return
    limited = table.type in ("int", "opt<int>") or table.type.kind == "bag"
    low, high = (table.low, table.high) if limited else (LOWEST, HIGHEST)
    least, greatest = w.constant(low, INT), w.constant(high, INT)
    text = w.text(value, s)
    if table.type.kind == "bag":
        with _own(w):
            bag, i, width = w.source.fresh("bag"), w.source.fresh("i"), w.layout.width(table.type)
            line(f"const W *const {bag} = BAG({text});")
            test = f"{bag}[{i}] < {least} || {bag}[{i}] > {greatest}"
            line(f"for (W {i} = 0; {i} < {width}; {i}++)")
            line(f"    if (UNLIKELY({test})) fail(g, {node.site});")
            line(f"memmove(&g->s.v[{cell}], {bag}, {width} * sizeof(W));")
        return
    known = literal(text)
    if not limited or (known is not None and low <= known <= high):
        with scratch(w):
            line(put(text))
        return
    with _own(w):
        name = named(w, text, "value")
        none = f" && {name} != {w.constant(table.type.absent, INT)}" if table.type == "opt<int>" else ""
        line(f"if (UNLIKELY(({name} < {least} || {name} > {greatest}){none})) fail(g, {node.site});")
        line(put(name))


@writes("set_var", "set_pvar")
def _set_variable(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the write of a variable, of a bag in place where possible."""
    variable, of_piece = index(node), node.op == "set_pvar"
    table = (w.program.piece_variables if of_piece else w.program.variables)[variable]
    *before, value = operands(node) if of_piece else (*operands(node)[1:], operands(node)[0])
    target = Expr("pvar" if of_piece else "var", table.type, (variable, *before))
    w.bounds = True
    cell = w.cell(target, s)
    w.bounds = False
    with scratch(w):
        done = changed_in_place(w, node, table, target, cell, value, s)
    if not done:
        _write(w, node, table, cell, value, s)


@writes("reset")
def _reset(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the reset of all cells of a variable to their start."""
    variable, layout = index(node), w.layout
    cells = layout.cells_of_variable(variable)
    values = layout.start_v[cells.start : cells.stop]
    w.source.line(f"memcpy(&g->s.v[{cells.start}], {w.source.table(values)}, {len(values)} * sizeof(W));")
    if (
        boards := w.blocks.bitboards.get(Field("var", variable))
    ) is not None:  # pragma: no cover - rules reset limits, which are per player
        words = w.source.table([f"UINT64_C({word})" for word in boards.words(layout.start_v, layout.start_z)], "U")
        w.source.line(f"memcpy(&g->s.boards[{boards.at}], {words}, sizeof {words});")


@writes("clear_marks")
def _clear_marks(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the removal of the marks that end now, by runs of cells."""
    layout = w.layout
    tables = (w.program.variables, w.program.piece_variables)
    marks = [cell for cell, (is_piece, variable, _) in enumerate(layout.cell_place) if tables[is_piece][variable].mark]
    base = 1 + index(node) * (layout.parties + 1)
    anyone = base + layout.parties
    with _own(w):
        party = named(w, w.text(operands(node)[0], s), "party")
        # Cells that follow each other are one run: where it begins, and where it ends.
        runs = [[cell for _, cell in run] for _, run in groupby(enumerate(marks), lambda pair: pair[1] - pair[0])]
        rows = w.source.table([len(runs), *(end for run in runs for end in (run[0], run[-1] + 1))])
        w.source.line(f"clear_marks(g, {anyone}, {party} < 0 ? {anyone} : {base} + {party}, {rows}, {node.site});")


@writes("spend")
def _spend(w: Writer, node: Statement, s: Environment) -> None:
    payment, purses, *target = operands(node)
    with scratch(w):
        w.source.line(spent(w, payment, purses, target, s, node.site))


# ---- pieces -------------------------------------------------------------------------------------------


def _origin_form(w: Writer, what: Expr) -> str:
    """Return the text of the representation of the zones from which pieces of a kind may come."""
    kind = kind_of(w, what.type)
    return form_flag(w, [table for table, zone in enumerate(w.program.zones) if zone.kind == kind])


def _flags(w: Writer, target: int, top: bool) -> str:
    """Return the arguments of the moving functions that describe the target zone."""
    return f"{form_flag(w, (target,))}, {int(top)}, {capacity_flag(w, target)}"


@writes("move")
def _move(w: Writer, node: Statement, s: Environment) -> None:
    """Write a move: of packed counts in one operation, else of all pieces of a zone, of a set, or of one piece."""
    what, to = operands(node)
    top, target, line = node.args[2] == "top", w.table_of(to, s), w.source.line
    identity = w.layout.identity(what.type)
    form, capacity = form_flag(w, (target,)), capacity_flag(w, target)
    counted = form == "COUNTS" and capacity == "-1" and what.op != "pieces" and compound(what.type)
    packed = packed_set(w, what, s) if counted else None
    if packed is not None:
        before, counts, first = packed
        with _own(w):
            line(f"{before}move_counted(g, {counts}, {first}, {w.text(to, s)}, {int(top)}, {node.site});")
        return
    with _own(w):
        if what.op == "pieces" and w.known(what) is UNKNOWN:
            (zone,) = operands(what)
            origin = named(w, w.text(zone, s), "zone")
            form = form_flag(w, (w.table_of(zone, s),))
            test = f"if (g->s.length[{origin}]) " if identity else ""  # others look for the target in any case
            call, arguments = "move_known", f"{origin}, {w.text(to, s)}"
        else:
            arguments = named(w, w.text(what, s), "moved")
            form = _origin_form(w, what)
            several = compound(what.type)
            test = f"if (COUNT({arguments})) " if several else f"if ({arguments} >= 0) "
            call, arguments = "move_set" if several else "move_piece", f"{arguments}, {w.text(to, s)}"
        line(f"{test}{call}(g, {arguments}, {int(identity)}, {form}, {_flags(w, target, top)}, {node.site});")


@writes("move_slots")
def _move_slots(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the move of slots of a zone whose pieces may be unknown."""
    origin, amount, to = operands(node)
    top = node.args[3] == "top"
    from_table, target = w.table_of(origin, s), w.table_of(to, s)
    with _own(w):
        source_zone, target_zone = named(w, w.text(origin, s), "zone"), named(w, w.text(to, s), "zone")
        count, identity = w.text(amount, s), identity_text(w, target, target_zone)
        flags = f"{identity}, {form_flag(w, (from_table,))}, {_flags(w, target, top)}, {node.site}"
        if literal(count) == 1:
            w.source.line(f"move_slot(g, {source_zone}, {target_zone}, {flags});")
        else:
            w.source.line(f"move_slots(g, {source_zone}, {count}, {target_zone}, {flags});")


@writes("settle")
def _settle(w: Writer, node: Statement, s: Environment) -> None:
    """Emit that the unknown pieces of a zone become known if their pools lie wholly within it."""
    (zone,) = operands(node)
    with _own(w):
        name = named(w, w.text(zone, s), "zone")
        w.source.line(f"settle_within(g, {name}, {form_text(w, w.table_of(zone, s), name)});")


@writes("shuffle")
def _shuffle(w: Writer, node: Statement, s: Environment) -> None:
    with scratch(w):
        w.source.line(f"shuffle(g, {w.text(operands(node)[0], s)}, {node.site});")


# ---- the course of the game ------------------------------------------------------------------------------


@writes("reveal")
def _reveal(w: Writer, node: Statement, s: Environment) -> None:
    """Write nothing: a reveal is only logged."""


@writes("begin")
def _begin(w: Writer, node: Statement, s: Environment) -> None:
    if node.args[0] == "turn":
        w.source.line("g->s.turns++;")


@writes("eliminate")
def _eliminate(w: Writer, node: Statement, s: Environment) -> None:
    """Emit that a seat leaves the game."""
    with _own(w):
        seat = named(w, w.text(operands(node)[0], s), "seat")
        w.source.line(f"if (UNLIKELY((U){seat} >= 63)) fail(g, {node.site});")
        w.source.line(f"g->s.out |= (W)1 << {seat};")


@writes("win")
def _win(w: Writer, node: Statement, s: Environment) -> None:
    """Emit the declaration of winners."""
    (who,) = operands(node)
    winners = w.source.fresh("winners")
    with _own(w):
        w.source.line(f"W {winners} = 0;")
        fail = f"fail(g, {node.site});"
        w.source.line(w.each(who, s, lambda x: f"if (UNLIKELY((U){x} >= 63)) {fail} {winners} |= (W)1 << {x};"))
        w.source.line(f"g->s.winners = {winners};")
    w.source.line(f"g->s.deferred = (g->s.deferred & {~DRAWN}) | {WON};")


@writes("draw_game")
def _draw_game(w: Writer, node: Statement, s: Environment) -> None:
    w.source.line("g->s.winners = 0;")
    w.source.line(f"g->s.deferred = (g->s.deferred & {~WON}) | {DRAWN};")


@writes("defer")
def _defer(w: Writer, node: Statement, s: Environment) -> None:
    w.source.line(f"g->s.deferred |= {DEFERRALS[str(node.args[0])]};")


@writes("undefer")
def _undefer(w: Writer, node: Statement, s: Environment) -> None:
    w.source.line(f"g->s.deferred &= {~DEFERRALS[str(node.args[0])]};")


@writes("check")
def _check(w: Writer, node: Statement, s: Environment) -> None:
    with scratch(w):
        w.source.line(f"if (UNLIKELY(!({w.text(operands(node)[0], s)}))) fail(g, {node.site});")


@writes("evaluate")
def _evaluate(w: Writer, node: Statement, s: Environment) -> None:
    with scratch(w):
        w.source.line(f"(void)({w.text(operands(node)[0], s)});")
