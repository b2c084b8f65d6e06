"""The log of single steps: what native code tells of the events of a step, as words, and the entries of the log.

Enters: statements, as their procedures are written; later the words that c/events.h describes. Leaves: lines that log;
entries as the interpreter writes them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rulelang.ir.nodes import Chance, Statement
from rulelang.ir.program import Program
from rulelang.ir.walk import index, number, operands
from rulelang.native.expressions import Environment, Writer, compound
from rulelang.native.frames import WordForms
from rulelang.native.statements import named, scratch, write_statement
from rulelang.registry import registering
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.state import DEFERRALS
from rulelang.runtime.waiting import Option, plain
from rulelang.vocabulary.operations import CHANCE
from rulelang.vocabulary.types import Type

if TYPE_CHECKING:
    from rulelang.native.stepping import Stepped

SEATS = Type("set<seat>")
SCOPES, KINDS = list(DEFERRALS), list(CHANCE)

LOGGED: dict[str, Callable[[Stepped, Statement], None]] = {}
"""Operation -> what writes its statement and logs its events."""
_logs = registering(LOGGED)


def revealed(program: Program) -> dict[Type, int]:
    """Return the types of what is revealed, numbered."""
    blocks = (block for procedure in program.procedures for block in procedure.blocks)
    shown = (node for block in blocks for node in block.statements if node.op == "reveal")
    return {type_: place for place, type_ in enumerate(dict.fromkeys(operands(node)[0].type for node in shown))}


def written(w: Writer, type_: Type, value: str) -> str:
    """Return the text of a value as an event has it."""
    form = w.forms.form(type_)
    return f"written(g, &g->step.log_parts, {form}, {value})" if form else value


def event(w: Writer, code: str, site: int, words: Sequence[str]) -> str:
    """Return statements that log an event of these words."""
    name = w.source.fresh("event")
    put = " ".join(f"{name}[{place}] = {word};" for place, word in enumerate(words))
    return f"{{ W *const {name} = an_event(g, {code}, {site}, {len(words)}); {put} }}"


def drawn(w: Writer, chance: Chance, value: str, told: Sequence[str]) -> str:
    """Return statements that log an outcome of chance; `told`: who is told, if not all are."""
    words = [written(w, chance.drawn, value), *(written(w, SEATS, seats) for seats in told)]
    form = str(w.forms.form(chance.drawn))
    return event(w, "DRAWN", chance.site, [str(KINDS.index(chance.kind)), form, *words])


def chosen(w: Writer, decision: int, seat: str, values: Sequence[str], s: Environment) -> str:
    """Return statements that log that a seat chose the first item of a decision; `values`: of its binders."""
    node = w.program.decisions[decision]
    binders = node.items[0].binders
    words = [written(w, binder.type, value) for binder, value in zip(binders, values, strict=True)]
    subjects = [s.names[slot] for slot in w.layout.subjects[decision]]
    return event(w, "CHOSEN", node.site, [str(decision), seat, "0", *words, *subjects])


# ---- statements


def _write(body: Stepped, node: Statement) -> None:
    """Write a statement as whole games have it."""
    before = body.w.before_statement
    write_statement(body.w, node, body.env)
    body.w.before_statement = before


@_logs("set_var", "set_pvar")
def _set_variable(body: Stepped, node: Statement) -> None:
    """Log the cells of a variable: a single one always, of a bag those that change."""
    w, source, of_piece = body.w, body.source, node.op == "set_pvar"
    table = (w.program.piece_variables if of_piece else w.program.variables)[index(node)]
    width = w.layout.width(table.type)
    if table.internal and table.type.kind != "bag":
        _write(body, node)
        return
    with scratch(w), source.block(""):
        old = source.fresh("old")
        w.bounds = True
        if of_piece:
            cell = w.piece_variable_cell(index(node), w.text(operands(node)[0], body.env))
        else:
            cell = w.variable_cell(index(node), operands(node)[1:], body.env)
        w.bounds = False
        cell = named(w, cell, "cell")
        if table.type.kind == "bag":
            source.line(f"W {old}[{max(width, 1)}];")
            source.line(f"memcpy({old}, &g->s.v[{cell}], {width} * sizeof(W));")
            _write(body, node)
            source.line(f"if (LOGS(g)) log_cells(g, {node.site}, {cell}, {width}, {old});")
            if table.sized:
                source.line(f"if (LOGS(g)) log_size(g, {node.site}, {cell}, {width}, {old});")
        else:
            source.line(f"const W {old} = g->s.v[{cell}];")
            _write(body, node)
            source.line(f"if (LOGS(g)) log_set(g, {node.site}, {cell}, {old});")


@_logs("move", "move_slots")
def _move(body: Stepped, node: Statement) -> None:
    """Say by what pieces are moved; the functions that move them log it."""
    body.source.line(f"begin_moves(g, {node.site}, {number(node, len(node.args) - 1)});")
    _write(body, node)


@_logs("shuffle")
def _shuffle(body: Stepped, node: Statement) -> None:
    w = body.w
    with scratch(w), body.source.block(""):
        zone = named(w, w.text(operands(node)[0], body.env), "zone")
        _write(body, node)
        body.source.line(f"if (LOGS(g)) log_event(g, SHUFFLED, {node.site}, {zone}, 0);")


@_logs("reveal")
def _reveal(body: Stepped, node: Statement) -> None:
    """Log who learns a value; nothing of a piece that all see."""
    what, to, *place = operands(node)
    w, line, layout, type_ = body.w, body.source.line, body.w.layout, what.type
    with body.source.block("if (LOGS(g))"), scratch(w), body.source.block(""):
        value, test = named(w, w.text(what, body.env), "value"), "true"
        if type_.core.kind == "piece" and not compound(type_):
            zone = body.source.fresh("zone")
            item = f"g->s.where[{value} & ITEM_MASK]" if layout.identity(type_.core) else f"{value} >> ZONE_SHIFT"
            line(f"const W {zone} = {value} < 0 ? -1 : {item};")
            is_open = [int(w.program.zones[table].visible == "all") for table in layout.inst_zone]
            test = f"{zone} < 0 || !{w.source.table(is_open)}[{zone}]"
        with body.source.block(f"if ({test})"):
            seats = named(w, w.text(to, body.env), "seats")
            index = [named(w, w.text(part, body.env), "index") for part in place]
            words = [written(w, type_, value), written(w, SEATS, seats), *index]
            line(event(w, "REVEALED", node.site, [str(revealed(w.program)[type_]), *words]))


@_logs("begin", "eliminate")
def _who(body: Stepped, node: Statement) -> None:
    """Log whose scope begins, or who is eliminated."""
    w = body.w
    with scratch(w), body.source.block(""):
        who = named(w, w.text(operands(node)[0], body.env), "who")  # who is next may be another one afterwards
        _write(body, node)
        told = f"BEGUN, {node.site}, {SCOPES.index(str(node.args[0]))}, {who}" if node.op == "begin" else ""
        body.source.line(f"if (LOGS(g)) log_event(g, {told or f'PUT_OUT, {node.site}, {who}, 0'});")


# ---- entries


class Entries:
    """Makes entries of the log of the words of events."""

    def __init__(self, layout: Layout, forms: WordForms) -> None:
        self._layout, self._forms = layout, forms
        self._types = [*revealed(layout.program)]

    def read(self, log: bytes) -> Iterator[Entry]:
        """Yield the entries of a step: how many words of events, these, the words of their parts."""
        words = struct.unpack(f"<{len(log) // 8}q", log) or (0,)
        end, at = words[0] + 1, 1
        parts = words[end:]
        while at < end:
            size, code, site, *told = words[at : at + words[at]]
            at += size
            yield from READERS[code](self, site, told, parts)

    def value(self, type_: Type, word: int, parts: tuple[int, ...]) -> Any:
        """Return a value as an entry has it."""
        return plain([self._forms.value(self._forms.form(type_), word, parts)])[0]

    def _set(self, site: int, told: list[int], _: Any) -> Iterator[Entry]:
        cell, old, new = told
        of_piece, variable, _ = self._layout.cell_place[cell]
        yield "pset" if of_piece else "set", site, variable, cell, old, new

    def _sized(self, site: int, told: list[int], _: Any) -> Iterator[Entry]:
        cell, old, new = told
        yield "size", site, self._layout.cell_place[cell][1], cell, old, new

    def _moved(self, site: int, told: list[int], _: Any) -> Iterator[Entry]:
        """Of each zone that pieces came from one entry."""
        moved: dict[int, list[int]] = {}
        for origin, item in zip(told[1::3], told[3::3], strict=True):
            moved.setdefault(origin, []).append(item)
        for origin, items in moved.items():
            yield "move", site, origin, told[2], tuple(items), told[0]

    def _revealed(self, site: int, told: list[int], parts: tuple[int, ...]) -> Iterator[Entry]:
        type_ = self._types[told[0]]
        value, seats = self.value(type_, told[1], parts), self.value(SEATS, told[2], parts)
        yield "reveal", site, type_, value, seats, tuple(told[3:])

    def _chosen(self, site: int, told: list[int], parts: tuple[int, ...]) -> Iterator[Entry]:
        number, seat, item, *words = told
        decision = self._layout.program.decisions[number]
        binders = decision.items[item].binders if item >= 0 else ()
        values = tuple(self.value(binder.type, word, parts) for binder, word in zip(binders, words, strict=False))
        yield choice_entry(self._layout, number, seat, Option(item, values), tuple(words[len(binders) :]))

    def _drawn(self, site: int, told: list[int], parts: tuple[int, ...]) -> Iterator[Entry]:
        kind, form, word, *seers = told
        value = plain([self._forms.value(form, word, parts)])[0]
        yield "chance", site, KINDS[kind], value, *(self.value(SEATS, seats, parts) for seats in seers)


def choice_entry(layout: Layout, number: int, seat: int, chosen: Option, subjects: tuple[int, ...]) -> Entry:
    """Return the entry of a choice; `subjects`: the pieces that the decision is about."""
    entry = ("choice", layout.program.decisions[number].site, seat, number, *chosen)
    return (*entry, subjects) if subjects else entry


READERS: list[Callable[[Entries, int, list[int], tuple[int, ...]], Iterator[Entry]]] = [
    Entries._set,
    Entries._moved,
    lambda _, site, told, parts: iter([("shuffle", site, told[0])]),
    Entries._revealed,
    lambda _, site, told, parts: iter([("begin", site, SCOPES[told[0]], told[1])]),
    lambda _, site, told, parts: iter([("eliminate", site, told[0])]),
    lambda _, site, told, parts: iter([("end", site, *told)]),
    Entries._chosen,
    lambda _, site, told, parts: iter([("commit", site, told[1], told[0])]),
    Entries._drawn,
    lambda _, site, told, parts: iter([("chance", site, KINDS[told[0]], *told[1:])]),
    Entries._sized,
    lambda _, site, told, parts: iter([("goods", site, *told[:2], tuple(told[2:]), sum(told[2:]))]),
]
"""By code of an event (c/events.h): what makes entries of it."""
