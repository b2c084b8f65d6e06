"""Procedures as C functions whose decisions and draws a search makes, and that tell it what a seat sees (c/pilot.h).

Enters: procedures; a layout. Leaves: functions that differ from those of whole games (`native/procedures.py`) in this:
options are gone through where the search wants them, and what is logged in the interpreter is compared with what a seat
saw; the tables of who sees what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.ir.nodes import Block, Chance, Expr, Statement
from rulelang.ir.types import SEATS, Type
from rulelang.ir.walk import index, operands
from rulelang.native.analysis import Analysis
from rulelang.native.chance import write_chance
from rulelang.native.decisions import Options, Question, Together, ended_by_limit, write_taken
from rulelang.native.interchangeable import referring
from rulelang.native.machine import Variant, header
from rulelang.native.parts import Room
from rulelang.native.statements import named, scratch, write_statement
from rulelang.native.stepping import Stepped
from rulelang.runtime.layout import Layout
from rulelang.runtime.sight import Sight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulelang.native.expressions import Writer

HEADERS = Path(__file__).parent / "c"

WHO = {"nobody": 0, "all": 1, "owner": 2, "others": 3}
BEGIN, ELIMINATE, REVEAL = 16, 17, 18
"""Sorts of events that only this module writes."""


def tables(layout: Layout, analysis: Analysis) -> str:
    """Return what c/pilot.h reads of who sees what, as C."""
    program = layout.program
    sights = [Sight(layout, seat) for seat in range(layout.players)]
    labels: dict[tuple[int, int, int], int] = {}
    items = zip(layout.item_kind, layout.item_definition, layout.item_seat, strict=True)
    label = [labels.setdefault(sort, item) for item, sort in enumerate(items)]
    piece_tables = [program.piece_variables[number] if of_piece else None for of_piece, number, _ in layout.cell_place]
    who = [0 if table is None or table.internal else WHO[table.visible] for table in piece_tables]
    item_of = [item if of_piece else -1 for of_piece, _, item in layout.cell_place]
    cells_of: list[list[int]] = [[] for _ in range(layout.items)]
    for cell, item in enumerate(item_of):
        if item >= 0:
            cells_of[item].append(cell)
    most = max(map(len, cells_of), default=0)
    flags = [int(decision.secret) + 2 * int(decision.together) for decision in program.decisions]
    cells = [[len(row), *row] + [0] * (most - len(row)) for row in cells_of]
    return "\n".join([
        f"#define PLAYERS {layout.players}",
        f"#define HAS_PAYOFF {int(program.payoff >= 0)}",
        f"#define LOW_WINS {int(program.winner.ranking == 'fewest')}",
        f"#define KNOWS_SUBJECTS {int(sights[0].knows_subjects)}",
        _table("uint8_t zone_sight", [sight.zones for sight in sights]),
        _table("uint8_t cell_sight", [list(map(int, sight.cells)) for sight in sights]),
        _table("int32_t item_cells", cells),
        _row("uint8_t piece_sight", who),
        _row("int32_t cell_item", item_of),
        _row("int32_t item_label", label),
        _row("int32_t team_of", layout.team_of),
        _row("uint8_t choice_flags", flags),
        _row("uint8_t zone_pooled", [int(analysis.may_hide(table)) for table in layout.inst_zone]),
    ])  # fmt: skip


def _row(name: str, values: Sequence[int]) -> str:
    return f"KEPT const {name}[{len(values) + 1}] = {{{', '.join(map(str, [*values, 0]))}}};"


def _table(name: str, rows: Sequence[Sequence[int]]) -> str:
    width = max(map(len, rows), default=0) + 1
    texts = ", ".join("{" + ", ".join(map(str, [*row, 0])) + "}" for row in [*rows, []])
    return f"KEPT const {name}[{len(rows) + 1}][{width}] = {{{texts}}};"


class Searched(Stepped):
    """The blocks of a procedure whose choices a search makes; it stops where a world is wanted as a state."""

    # ---- what a seat sees

    def statement(self, node: Statement) -> None:
        seen = SEEN.get(node.op)
        if seen is None:
            super().statement(node)
        else:
            self.source.at(node.site)
            self.w.before_statement = self.w.arena_uses
            seen(self, node)

    def unwatched(self, node: Statement) -> None:
        """Write the lines of a statement as whole games have them."""
        before = self.w.before_statement
        write_statement(self.w, node, self.scope)
        self.w.before_statement = before

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Write lines for games that are compared with a record."""
        with self.source.block("if (WATCHED(g))"):
            yield

    def value_key(self, type_: Type, value: str) -> str:
        """Return the line that adds a value to the key of an action."""
        core = type_.core
        piece = 1 if core.kind == "piece" else 2 if core == "reaction" else 0
        return f"value_key(g, {self.w.forms.form(type_)}, {piece}, {value}, true);"

    # ---- choices

    def terminator(self, block: Block, after: int) -> None:
        w, scope = self.w, self.scope
        match block.terminator:
            case Chance() as chance:
                if chance.kind in ("number", "element"):
                    private = (chance.site, chance.kind) in self._private
                    piece = chance.args[0].type.core.kind == "piece"
                    with self.watched():
                        self.source.line(f"g->search->site = {chance.site}; g->search->private_draw = {int(private)};")
                        self.source.line(f"g->search->piece_draw = {int(piece)};")
                write_chance(w, chance, referring(w, self.code, block), scope)
                self.goto(chance.to, after)
            case _:
                super().terminator(block, after)

    @property
    def _private(self) -> frozenset[tuple[int, str]]:
        return Sight(self.w.layout, 0).private

    def subjects(self, number: int) -> None:
        """Write lines that tell what a decision is about."""
        with self.watched():
            self.source.line("g->search->subjects = 0;")
            for slot in self.w.layout.subjects[number]:
                self.source.line(f"subject(g, {self.scope.names[slot]});")

    def arrive(self, asked: Question, seat: str, total: str) -> None:
        """Write lines that stop the game where the record ends, or where options are tried one by one."""
        with self.source.block(f"if (arrives(g, {asked.number}, {seat}, {total}))"):
            self.stop(asked.place, self.code.blocks[asked.place].live)

    def pick(self, k: str, asked: Question, seat: str, total: str, options: Sequence[Options]) -> None:
        """Write lines that let the search choose one of the options."""
        source, line = self.source, self.source.line
        self.arrive(asked, seat, total)
        i, mark, rest = map(source.fresh, ("i", "mark", "rest"))
        with source.block(f"if (choosing(g, {asked.number}, {seat}, {total}))"):
            with source.block(f"for (W {i}; ({i} = wanted(g)) >= 0;)"):
                line(f"W *const {mark} = g->top; W {rest} UNUSED = {i};")
                with source.block("do"):
                    write_taken(options, rest, self._tell, release=False)
                source.lines[-1] += " while (0);"
                line("offered(g);")
                line(f"g->top = {mark};")
            line(f"{k} = taken(g);")
        line(f"else {k} = uniform(g, {total});")

    def _tell(self, place: int, option: Options) -> None:
        """Write lines that make the key of an option that was taken."""
        self.source.line(f"begin_key(g, {place});")
        for binder in option.item.binders:
            self.source.line(self.value_key(binder.type, option.scope.names[binder.slot]))
        self.source.line("break;")

    def choose(self, room: Room, asked: Question, options: Sequence[Options], total: str, k: str) -> bool:
        """Write lines that let the search choose (see `Chooser`)."""
        line, seat = self.source.line, self.source.fresh("seat")
        line(ended_by_limit(self.w, room))
        line("decided(g);")
        line(f"const W {seat} = {self.w.text(asked.node.seat, self.scope)};")
        self.subjects(asked.number)
        if options:
            self.pick(k, asked, seat, total, options)
        else:
            self.arrive(asked, seat, "1")
            line(f"passed(g, {asked.number}, {seat});")
        return True


class SearchedTogether(Together):
    """A decision of several seats at once, each chosen by the search."""

    by: Searched

    def _draw(self, k: str, options: Options) -> None:
        self.by.subjects(self.question.number)
        self.by.pick(k, self.question, self.seat, options.count, [options])

    def _end(self, room: Room) -> None:
        super()._end(room)
        line, seat, (binder,) = self.w.source.line, self.seat, self.item.binders
        line("begin_together(g);")
        with self.w.source.block(f"for (W {seat} = 0; {seat} < {self.w.layout.parties}; {seat}++)"):
            line(f"if (!({self.asked} >> {seat} & 1)) continue;")
            line(f"g->search->seat = {seat};")
            line("begin_key(g, 0);")
            line(self.by.value_key(binder.type, f"{self.result}[1 + {seat}]"))
            line(f"together_chosen(g, {self.question.number}, {seat});")
        line("all_chosen(g);")


Searched.together = SearchedTogether


def _before(writer: Writer) -> list[str]:
    return [tables(writer.layout, writer.analysis), header("pilot", HEADERS)]


SEARCHES = Variant(Searched, "#define SEARCHING", _before, lambda: [header("search", HEADERS)])
"""The C file of a library that searches."""


# ---- statements that are seen --------------------------------------------------------------------------------

SEEN: dict[str, Callable[[Searched, Statement], None]] = {}
"""Operation -> what writes its lines and tells what is seen of it."""


def _seen(*names: str) -> Callable[[Callable[[Searched, Statement], None]], Callable[[Searched, Statement], None]]:
    def register(function: Callable[[Searched, Statement], None]) -> Callable[[Searched, Statement], None]:
        SEEN.update(dict.fromkeys(names, function))
        return function

    return register


def _changes(body: Searched, node: Statement, cell: str, width: int) -> None:
    """Write a statement that writes some cells from one on."""
    source, line = body.source, body.source.line
    with scratch(body.w), source.block(""):
        at, old, i = named(body.w, cell, "cell"), source.fresh("old"), source.fresh("i")
        line(f"W {old}[{max(width, 1)}];")
        line(f"memcpy({old}, &g->s.v[{at}], sizeof {old});")
        body.unwatched(node)
        line(f"if (WATCHED(g)) for (W {i} = 0; {i} < {width}; {i}++) saw_cell(g, {at} + {i}, {old}[{i}]);")


@_seen("set_var")
def _set_var(body: Searched, node: Statement) -> None:
    w, variable = body.w, index(node)
    table = w.program.variables[variable]
    if table.internal or table.visible == "nobody":
        body.unwatched(node)
        return
    _, *indices = operands(node)
    _changes(body, node, w.variable_cell(variable, indices, body.scope), w.layout.var_width[variable])


@_seen("set_pvar")
def _set_pvar(body: Searched, node: Statement) -> None:
    w, variable = body.w, index(node)
    piece, _ = operands(node)
    cell = w.piece_variable_cell(variable, w.text(piece, body.scope))
    _changes(body, node, cell, w.layout.pvar_width[variable])


@_seen("clear_marks", "spend")
def _some_cells(body: Searched, node: Statement) -> None:
    before, mark, line = body.source.fresh("before"), body.source.fresh("mark"), body.source.line
    with body.source.block(""):
        line(f"W *const {mark} = g->top;")
        line(f"const W *const {before} = WATCHED(g) ? a_copy_of_cells(g) : NULL;")
        body.unwatched(node)
        line(f"if ({before}) saw_cells(g, {before});")
        line(f"g->top = {mark};")


@_seen("move", "move_slots")
def _move(body: Searched, node: Statement) -> None:
    bottom, secretly = "bottom" in node.args, node.args[-1]
    with body.watched():
        body.source.line(f"g->search->bottom = {int(bottom)}; g->search->secretly = {secretly};")
    body.unwatched(node)


@_seen("shuffle")
def _shuffle(body: Searched, node: Statement) -> None:
    with scratch(body.w), body.source.block(""):
        zone = named(body.w, body.w.text(operands(node)[0], body.scope), "zone")
        with body.watched():
            body.source.line(f"saw_shuffle(g, {zone});")
        body.unwatched(node)


@_seen("reveal")
def _reveal(body: Searched, node: Statement) -> None:
    what, to = operands(node)
    w, line = body.w, body.source.line
    with body.watched(), scratch(w):
        value, seats = _value(body, what), _value(body, to)
        line("begin_key(g, 0);")
        line(body.value_key(SEATS, seats))
        line(f"saw_plain(g, {REVEAL}, {node.site}, (W)g->search->key);")
        if_seen = f"member(g->search->watcher, {seats})"
        with body.source.block(f"if ({if_seen})"):
            line("begin_key(g, 0);")
            line(body.value_key(what.type, value))
            line(f"saw_plain(g, {REVEAL}, {node.site}, (W)g->search->loose);")


def _value(body: Searched, expr: Expr) -> str:
    return named(body.w, body.w.text(expr, body.scope), "value")


@_seen("begin", "eliminate")
def _told(body: Searched, node: Statement) -> None:
    body.unwatched(node)
    kind = BEGIN if node.op == "begin" else ELIMINATE
    with scratch(body.w), body.watched():
        (who,) = operands(node)
        body.source.line(f"saw_plain(g, {kind}, {node.site}, {body.w.text(who, body.scope)});")
