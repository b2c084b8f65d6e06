"""Procedures as C functions whose decisions and draws a search makes, and that report what a seat sees (c/pilot.h).

Enters: procedures; a layout. Leaves: functions that differ from those of whole games (`native/procedures.py`) in this:
the search picks the option, from those that it asks for one by one, and events that the interpreter logs are compared
with the record of what a seat saw; the visibility tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.ir.nodes import Block, Chance, Expr, Statement
from rulelang.ir.walk import index, operands
from rulelang.native.analysis import Analysis
from rulelang.native.bags import width_of
from rulelang.native.binders import Factor, Payments, Room
from rulelang.native.chance import write_chance
from rulelang.native.decisions import OptionWriter, Question, Together, asked_condition, ended_by_limit, write_taken
from rulelang.native.groupings import Groupings, groups_anything
from rulelang.native.interchangeable import referring
from rulelang.native.machine import LibraryKind
from rulelang.native.options import Selections
from rulelang.native.packed_locals import PackedSelections
from rulelang.native.purses import cells, hides_purses
from rulelang.native.source import header
from rulelang.native.statements import named, scratch, write_statement
from rulelang.native.stepping import Stepped
from rulelang.registry import registering
from rulelang.runtime.layout import Layout
from rulelang.runtime.sight import Sight, has_secrets
from rulelang.vocabulary.operations import TOLD
from rulelang.vocabulary.types import SEATS, Type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rulelang.native.expressions import Writer

HEADERS = Path(__file__).parent / "c"

BEGIN, ELIMINATE, REVEAL = 16, 17, 18
"""Sorts of events that only this module writes."""


def has_two_sides(layout: Layout) -> bool:
    """Return whether one of two sides of seats wins, and nobody chooses at once: what a search needs to prove wins and
    losses (MCTS-Solver)."""
    program, sides = layout.program, set(layout.team_of[: layout.players])
    decides = program.payoff < 0 and not layout.together and layout.parties == layout.players
    return decides and len(sides) == 2 and not any(decision.together for decision in program.decisions)


def tables(layout: Layout, analysis: Analysis) -> str:
    """Return the visibility tables that the header of c/pilot.h lists, as C."""
    program = layout.program
    sights = [Sight(layout, seat) for seat in range(layout.players)]
    labels: dict[tuple[int, int, int], int] = {}
    items = zip(layout.item_kind, layout.item_definition, layout.item_seat, strict=True)
    label = [labels.setdefault(sort, item) for item, sort in enumerate(items)]
    piece_tables = [program.piece_variables[number] if of_piece else None for of_piece, number, _ in layout.cell_place]
    views = [None if table is None or table.internal else table.view for table in piece_tables]
    who = [0 if view is None else (0, 3, 2, 1)[2 * view.own + view.others] for view in views]
    referring = {cell for cell, *_ in layout.referring_cells}
    refers = [int(cell in referring) for cell in range(len(layout.cell_place))]
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
        f"#define ONE_PARTY {int(layout.one_party or layout.players == 1)}",
        f"#define LOW_WINS {int(program.winner.ranking == 'fewest')}",
        f"#define SOLVES {int(has_two_sides(layout) and not has_secrets(program))}",
        f"#define KNOWS_SUBJECTS {int(sights[0].knows_subjects)}",
        _table("uint8_t zone_sight", [sight.zones for sight in sights]),
        _table("uint8_t cell_sight", [list(map(int, sight.cells)) for sight in sights]),
        _table(
            "uint16_t bag_size_seen", [[sight.sizes.get(c, 0) for c in range(len(sight.cells))] for sight in sights]
        ),
        _table("int32_t item_cells", cells),
        _row("uint8_t piece_sight", who),
        _row("int32_t cell_item", item_of),
        _row("uint8_t cell_refers", refers),
        _row("int32_t item_label", label),
        _row("int32_t team_of", layout.team_of),
        _row("uint8_t choice_flags", flags),
        _row("uint8_t zone_pooled", [int(analysis.may_hide(table)) for table in layout.inst_zone]),
    ])  # fmt: skip


def _row(name: str, values: Sequence[int]) -> str:
    """Return a C array, with a 0 at its end so that none is empty."""
    return f"KEPT const {name}[{len(values) + 1}] = {{{', '.join(map(str, [*values, 0]))}}};"


def _table(name: str, rows: Sequence[Sequence[int]]) -> str:
    """Return a two-dimensional C array, rows filled up with zeros."""
    width = max(map(len, rows), default=0) + 1
    texts = ", ".join("{" + ", ".join(map(str, [*row, 0])) + "}" for row in [*rows, []])
    return f"KEPT const {name}[{len(rows) + 1}][{width}] = {{{texts}}};"


class Searched(Stepped):
    """Writes procedures whose choices a search makes; they stop where a world is wanted as a state."""

    # ---- what a seat sees

    def statement(self, node: Statement) -> None:
        """Write a statement, with the observation of its events if seats may see any."""
        write_observed = OBSERVED.get(node.op)
        if write_observed is None:
            super().statement(node)
        else:
            self.source.at(node.site)
            self.w.before_statement = self.w.arena_uses
            write_observed(self, node)

    def unwatched(self, node: Statement) -> None:
        """Write a statement as whole games have it, without observation."""
        before = self.w.before_statement
        write_statement(self.w, node, self.env)
        self.w.before_statement = before

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Guard the lines written inside: they run only in games that follow a record."""
        with self.source.block("if (WATCHED(g))"):
            yield

    def mix_value(self, type_: Type, value: str) -> str:
        """Return the C statement that mixes a value into the key of an action."""
        return f"mix_value(g, {self.w.forms.form(type_)}, {self.piece_sort(type_)}, {value});"

    def piece_sort(self, type_: Type) -> int:
        """Return what a value of a type stands for in keys and words: 1 for pieces, 2 for reactions of them, else 0."""
        return 1 if type_.core.kind == "piece" else 2 if type_.core == "reaction" else 0

    # ---- choices

    def terminator(self, block: Block, after: int) -> None:
        """Write how a block ends; draws tell the search which rule draws, and whether from pieces or in private."""
        w, env = self.w, self.env
        match block.terminator:
            case Chance() as chance:
                if chance.kind in TOLD:
                    piece = chance.drawn.core.kind == "piece"
                    with self.watched(), scratch(w):
                        self.source.line(f"g->search->site = {chance.site}; g->search->piece_draw = {int(piece)};")
                        self.source.line(f"g->search->private_draw = {self._untold(chance)};")
                write_chance(w, chance, referring(w, self.code, block), env)
                self.goto(chance.to, after)
            case _:
                super().terminator(block, after)

    def _untold(self, chance: Chance) -> str:
        """Return the text of whether the searching seat is not told the outcome of a draw at once."""
        if (chance.site, chance.kind) in self._private or chance.seers is None:
            return str(int((chance.site, chance.kind) in self._private))
        told = self.w.source.fresh("told")
        loop = self.w.each(chance.seers, self.env, lambda seat: f"{told} |= {seat} == g->search->watcher;")
        return f"({{ bool {told} = false; {loop} !{told}; }})"

    @property
    def _private(self) -> frozenset[tuple[int, str]]:
        """Return the draws, by site and kind, whose outcome no seat sees at once."""
        return Sight(self.w.layout, 0).private

    def subjects(self, number: int) -> None:
        """Write lines that report the pieces that a decision is about."""
        with self.watched():
            self.source.line("g->search->subjects = 0;")
            for slot in self.w.layout.subjects[number]:
                self.source.line(f"mix_subject(g, {self.env.names[slot]});")

    def stop_at_record_end(self, question: Question, seat: str, total: str) -> None:
        """Write lines that stop the game where the record ends, or where options are tried one by one."""
        with self.source.block(f"if (reaches_record_end(g, {question.number}, {seat}, {total}))"):
            self.stop(question.place, self.code.blocks[question.place].live)

    def pick(self, k: str, question: Question, seat: str, total: str, options: Sequence[OptionWriter]) -> None:
        """Write lines that set `k` to the index of the option that the search picks."""
        source, line = self.source, self.source.line
        mark, rest = map(source.fresh, ("mark", "rest"))

        def write_keys(i: str) -> None:
            line(f"W *const {mark} = g->top; W {rest} UNUSED = {i};")
            with source.block("do"):
                write_taken(options, rest, self._write_key, release=False)
            source.lines[-1] += " while (0);"
            line("consider_candidate(g);")
            line(f"g->top = {mark};")

        self.picked(f"{k} = ", question, seat, total, write_keys, options if narrows(options) else ())
        line(f"else {k} = uniform(g, {total});")

    def picked(
        self,
        to: str,
        question: Question,
        seat: str,
        total: str,
        write_keys: Callable[[str], None],
        narrowed: Sequence[OptionWriter] = (),
    ) -> None:
        """Write the test of whether the search picks, and the lines by which it does: `to` the index of the option.

        Args:
            write_keys: writes the lines that make the keys of the option of a named index. narrowed: the options, if
                those of a large decision are found by the words of the recorded choice.
        """
        source, i = self.source, self.source.fresh("i")
        self.stop_at_record_end(question, seat, total)
        with source.block(f"if (begin_choice(g, {question.number}, {seat}, {total}))"):
            if narrowed:
                source.line("begin_narrowing(g->search);")
            again = " || g->search->phase == NARROW" if narrowed else ""
            with source.block(f"for (W {i}; ({i} = next_option_to_key(g)) >= 0{again};)"):
                if narrowed:
                    with source.block(f"if ({i} < 0)"):
                        self._narrow(narrowed)
                        source.line("continue;")
                write_keys(i)
            if narrowed:
                self._keep_words(narrowed)
            source.line(f"{to}end_choice(g);")

    def _narrow(self, options: Sequence[OptionWriter]) -> None:
        """Write lines that make the options that have the words of the choice: see c/narrowing.h."""
        source, line = self.source, self.source.line
        with source.block("while (next_words(g->search)) while (next_lot(g->search))"):
            index, before = source.fresh("index"), "0"
            line(f"W {index} = -1;")
            for place, option in enumerate(options):
                if option.never:
                    continue
                with source.block(f"if (g->search->narrow.item == {place} && {option.count})"):
                    line(f"{index} = 0;")
                    for part in option.parts:
                        digit = self._narrowed(part)
                        line(f"{index} = narrowed_index({index}, {part.count}, {digit});")
                    line(f"if ({index} >= 0) {index} += {before};")
                before += f" + {option.count}"
            line(f"take_narrowed(g->search, {index});")

    def _narrowed(self, part: Factor) -> str:
        """Return the text of the index of a value of a part that has the next words; may write lines before."""
        w, source, site = self.w, self.source, part.site
        (binder, *_) = part.binders
        piece = self.piece_sort(binder.type)
        match part:
            case PackedSelections():
                listed = w.arena(f"a_counted(g, {part.counts}, {part.first})")
                return f"narrow_selection(g, {listed}, false, {part.low}, {part.high}, {piece}, {site})"
            case Selections():
                classes = str(part.of_classes).lower()
                return f"narrow_selection(g, {part.set}, {classes}, {part.low}, {part.high}, {piece}, {site})"
            case Groupings():
                return f"narrow_partition(g, &{part.parts}, {part.kept or 'NULL'}, {part.count}, {piece})"
        k, digit, at, end, fits, mark = map(source.fresh, ("k", "digit", "at", "end", "fits", "mark"))
        line = source.line
        line(f"W {digit} = -1, {fits} = 0, {end} = 0; const W {at} = g->search->narrow.at;")
        with source.block(f"for (W {k} = 0; {k} < {part.count}; {k}++)"):
            line(f"W *const {mark} UNUSED = g->top;")
            line(f"g->search->narrow.at = {at};")
            tests = [
                f"has_words(g, {w.forms.form(binder.type)}, {self.piece_sort(binder.type)}, {value})"
                for binder, value in zip(part.binders, part.values(k), strict=True)
            ]
            line(f"if ({' && '.join(tests)}) {end} = g->search->narrow.at, {fits}++;")
            line("else continue;")
            line(f"if (!narrowing_luck(g->search, {fits})) {digit} = {k};")
            line(f"g->top = {mark};")
        line(f"g->search->narrow.at = {end}; multiply_ways(g->search, {fits});")
        return digit

    def _keep_words(self, options: Sequence[OptionWriter]) -> None:
        """Write lines that keep the words of the option that was picked."""
        source, line = self.source, self.source.line
        look, words, count, rest, mark = map(source.fresh, ("look", "words", "count", "rest", "mark"))
        line(f"const int {look} = look_to_keep(g->search);")

        def note(place: int, option: OptionWriter) -> None:
            for binder in option.item.binders:
                value = option.env.names[binder.slot]
                form, piece = self.w.forms.form(binder.type), self.piece_sort(binder.type)
                line(f"note_value(g, {look}, {form}, {piece}, {value}, {words}, &{count});")
            line(f"keep_words(g->search, {place}, {words}, {count});")
            line("break;")

        with source.block(f"if ({look} >= 0) do"):
            line(f"W {words}[MOST_WORDS], {count} = 0, {rest} UNUSED = g->search->picked, *const {mark} = g->top;")
            write_taken(options, rest, note, release=False)
            line(f"g->top = {mark};")
        source.lines[-1] += " while (0);"

    def _write_key(self, place: int, option: OptionWriter) -> None:
        """Write lines that compute the key of an option; `place`: of its item in the menu."""
        self.source.line(f"begin_key(g, {place});")
        for binder in option.item.binders:
            self.source.line(self.mix_value(binder.type, option.env.names[binder.slot]))
        self.source.line("break;")

    def choose(self, room: Room, question: Question, options: Sequence[OptionWriter], total: str, k: str) -> bool:
        """Write a decision whose option the search picks (see `Body.choose`); return True: all is written."""
        line, seat = self.source.line, self.source.fresh("seat")
        line(ended_by_limit(self.w, room))
        line("count_decision(g);")
        line(f"const W {seat} = {self.w.text(question.node.seat, self.env)};")
        self.subjects(question.number)
        if options:
            self.pick(k, question, seat, total, options)
        else:
            self.stop_at_record_end(question, seat, "1")
            line(f"choose_pass(g, {question.number}, {seat});")
        return True


class SearchedTogether(Together):
    """Writes a simultaneous decision, of which the search picks each seat's option."""

    by: Searched

    def _begin(self) -> None:
        """Write lines that report which seats are asked, if not all are: all seats see it where the game waits."""
        super()._begin()
        line, result = self.by.source.line, self.result
        (binder,) = self.item.binders
        with self.by.watched():
            line("g->search->asked = 0;")
        if self.node.ask == "anyway":
            return
        with self.by.watched():
            line("const W fuel_ = g->fuel;")
            with self.each_seat():
                own = Room(self.w)
                options = self.options(own)
                is_asked = f"{options.count} != 0"
                if not options.never and (condition := asked_condition(self.node, [options], options.count)):
                    is_asked += f" && {condition}"
                line(f"if ({is_asked}) g->search->asked |= (U)1 << {self.seat};")
                line(f"{result}[1 + {self.seat}] = {self._no_choice(binder.type)};")
                self._next(own)
            line("g->fuel = fuel_;")

    def _draw(self, k: str, options: OptionWriter) -> None:
        """Write lines that set `k` to the picked option of one seat."""
        self.by.subjects(self.question.number)
        self.by.pick(k, self.question, self.seat, options.count, [options])

    def _pass(self, room: Room) -> None:
        """Write that a seat without options, which is asked anyway, passes."""
        (binder,) = self.item.binders
        line = self.by.source.line
        self._count_answer(room)
        self.by.subjects(self.question.number)

        def write_keys(i: str) -> None:
            line(f"(void){i};")
            line("begin_key(g, 0);")
            line(self.by.mix_value(binder.type, self._no_choice(binder.type)))
            line("consider_candidate(g);")

        self.by.picked("", self.question, self.seat, "1", write_keys)
        self._next(room)

    def _end(self, room: Room) -> None:
        """Write lines that report the joint action once all seats have chosen."""
        super()._end(room)
        line, seat, (binder,) = self.w.source.line, self.seat, self.item.binders
        line("begin_joint_choice(g);")
        with self.w.source.block(f"for (W {seat} = 0; {seat} < {self.w.layout.parties}; {seat}++)"):
            line(f"if (!({self.asked} >> {seat} & 1)) continue;")
            line(f"g->search->seat = {seat};")
            line("begin_key(g, 0);")
            line(self.by.mix_value(binder.type, f"{self.result}[1 + {seat}]"))
            line(f"add_joint_choice(g, {self.question.number}, {seat});")
        line("end_joint_choice(g);")


Searched.together = SearchedTogether


def narrows(options: Sequence[OptionWriter]) -> bool:
    """Return whether the options of a decision may be many, and each be found by its values."""
    parts = [part for option in options for part in option.parts]
    many = any(isinstance(part, Selections | PackedSelections | Groupings) or len(part.binders) > 2 for part in parts)
    return (many or any(len(option.parts) > 2 for option in options)) and all(map(_has_words, parts))


def _has_words(part: Factor) -> bool:
    """Return whether values of a part can be compared word by word, or elements be drawn by their words."""
    if isinstance(part, Selections | PackedSelections):
        return not part.binders[0].type.inner.wraps
    types = [binder.type for binder in part.binders]
    return isinstance(part, Groupings) or (not isinstance(part, Payments) and not any(type_.wraps for type_ in types))


def _before(writer: Writer) -> list[str]:
    """Return the C texts that stand before the procedures."""
    grouping = ["#define GROUPINGS"] if groups_anything(writer.program) else []
    return [tables(writer.layout, writer.analysis), header("pilot", HEADERS), *grouping, header("narrowing", HEADERS)]


SEARCHES = LibraryKind(Searched, "#define SEARCHING", _before, lambda: [header("search", HEADERS)])
"""The C file of a library that searches."""


# ---- statements whose events seats see -----------------------------------------------------------------------

OBSERVED: dict[str, Callable[[Searched, Statement], None]] = {}
"""Operation -> the function that writes its statement and the observation of its events."""
_observes = registering(OBSERVED)


def _observe_cells(body: Searched, node: Statement, cell: str, width: int, sized: bool = False) -> None:
    """Write a statement that assigns `width` cells from `cell` on, and the observation of those that change; `sized`:
    also of how much a bag holds."""
    source, line = body.source, body.source.line
    with scratch(body.w), source.block(""):
        at, old, i = named(body.w, cell, "cell"), source.fresh("old"), source.fresh("i")
        line(f"W {old}[{max(width, 1)}];")
        line(f"memcpy({old}, &g->s.v[{at}], sizeof {old});")
        body.unwatched(node)
        line(f"if (WATCHED(g)) for (W {i} = 0; {i} < {width}; {i}++) observe_cell(g, {at} + {i}, {old}[{i}]);")
        if sized:
            line(f"if (WATCHED(g)) observe_size(g, {at}, {width}, {old});")


@_observes("set_var")
def _set_var(body: Searched, node: Statement) -> None:
    """Observe the cells of a variable, unless no seat sees it."""
    w, variable = body.w, index(node)
    table = w.program.variables[variable]
    view = table.view
    if table.internal or not (view.own or view.others or table.sized):
        body.unwatched(node)
        return
    _, *indices = operands(node)
    cell = w.variable_cell(variable, indices, body.env)
    _observe_cells(body, node, cell, w.layout.var_width[variable], table.sized)


@_observes("set_pvar")
def _set_pvar(body: Searched, node: Statement) -> None:
    """Observe the cells of a piece's variable."""
    w, variable = body.w, index(node)
    piece, _ = operands(node)
    cell = w.piece_variable_cell(variable, w.text(piece, body.env))
    _observe_cells(body, node, cell, w.layout.pvar_width[variable])


@_observes("spend")
def _spend(body: Searched, node: Statement) -> None:
    """Observe goods that go from purses to another, or to nobody."""
    w, line = body.w, body.source.line
    payment, purses, *target = operands(node)
    if not target and not hides_purses(w, purses):
        _observe_any_cells(body, node)
        return
    with body.source.block(""):
        before, mark = body.source.fresh("before"), body.source.fresh("mark")
        line(f"W *const {mark} = g->top;")
        origins, others = (named(w, text, "purses") for text in (
            cells(w, purses, body.env), cells(w, target[0], body.env) if target else "NOTHING",
        ))  # fmt: skip
        line(f"const W *const {before} = WATCHED(g) ? copy_cells(g) : NULL;")
        body.unwatched(node)
        line(f"if ({before}) observe_goods(g, {before}, {origins}, {others}, {width_of(w, payment.type)});")
        line(f"g->top = {mark};")


@_observes("clear_marks")
def _observe_any_cells(body: Searched, node: Statement) -> None:
    """Observe whichever cells a statement changes, by a copy of all."""
    before, mark, line = body.source.fresh("before"), body.source.fresh("mark"), body.source.line
    with body.source.block(""):
        line(f"W *const {mark} = g->top;")
        line(f"const W *const {before} = WATCHED(g) ? copy_cells(g) : NULL;")
        body.unwatched(node)
        line(f"if ({before}) observe_cells(g, {before});")
        line(f"g->top = {mark};")


@_observes("move", "move_slots")
def _move(body: Searched, node: Statement) -> None:
    """Report where pieces go and whether secretly; the C functions that move them observe it."""
    bottom, secretly = "bottom" in node.args, node.args[-1]
    with body.watched():
        body.source.line(f"g->search->bottom = {int(bottom)}; g->search->secretly = {secretly};")
    body.unwatched(node)


@_observes("shuffle")
def _shuffle(body: Searched, node: Statement) -> None:
    """Observe a shuffle."""
    with scratch(body.w), body.source.block(""):
        zone = named(body.w, body.w.text(operands(node)[0], body.env), "zone")
        with body.watched():
            body.source.line(f"observe_shuffle(g, {zone});")
        body.unwatched(node)


@_observes("reveal")
def _reveal(body: Searched, node: Statement) -> None:
    """Observe to whom a value is revealed; those seats observe the value, and where it lies, too."""
    revealed, to, *place = operands(node)
    w, line = body.w, body.source.line
    with body.watched(), scratch(w):
        value, seats = _named_value(body, revealed), _named_value(body, to)
        line("begin_key(g, 0);")
        line(body.mix_value(SEATS, seats))
        line(f"observe_event(g, {REVEAL}, {node.site}, (W)g->search->key);")
        if_seen = f"member(g->search->watcher, {seats})"
        with body.source.block(f"if ({if_seen})"):
            line("begin_revealed(g);")
            for part in place:
                line(body.mix_value(part.type, _named_value(body, part)))
            line(body.mix_value(revealed.type, value))
            line(f"end_revealed(g, {REVEAL}, {node.site});")


def _named_value(body: Searched, expr: Expr) -> str:
    """Write an expression into a C local and return its name."""
    return named(body.w, body.w.text(expr, body.env), "value")


@_observes("begin", "eliminate")
def _observe_public(body: Searched, node: Statement) -> None:
    """Observe an event that all seats see: a scope begins, or a seat is eliminated."""
    kind = BEGIN if node.op == "begin" else ELIMINATE
    with scratch(body.w), body.source.block(""):
        who = _named_value(body, operands(node)[0])  # who is next may be another one afterwards
        body.unwatched(node)
        with body.watched():
            body.source.line(f"observe_event(g, {kind}, {node.site}, {who});")
