"""Positions in C: writing them down, finding them again (c/positions.h does the work)."""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.ir.nodes import Expr, Statement
from rulelang.ir.walk import number, operands
from rulelang.native import statements
from rulelang.native.expressions import Environment, Writer, writes
from rulelang.native.source import number as in_c
from rulelang.runtime.positions import PositionForm


def _form(w: Writer, form: PositionForm) -> str:
    """Return the address of the table of a position, declared where it is first used."""
    name = f"position_{form.base}"
    if all(f" {name} " not in head for head in w.source.heads):
        lists: list[Sequence[Sequence[int]]] = [
            [(zone, first, int(ordered)) for zone, first, ordered in form.zones],
            form.values,
        ]
        zones, values = (w.source.table([len(rows), *(in_c(cell) for row in rows for cell in row)]) for rows in lists)
        sorts = w.source.table(form.sorts)
        fields = w.source.table([part for field in form.fields for part in field])
        numbers = [form.base, form.words, form.stride, form.room, form.times]
        given = ", ".join(map(str, [*numbers, zones, sorts, fields, f"{name}_cells", values]))
        w.source.heads.append(_packed_cells(f"{name}_cells", form))
        w.source.heads.append(f"KEPT const struct Position {name} = {{{given}}};")
    return f"&{name}"


def _packed_cells(name: str, form: PositionForm) -> str:
    """Return the C function that adds the cells of variables to the words of a position: a sum for each word, as a loop
    over a table took three times the instructions.
    """
    sums: dict[int, list[str]] = {}
    for cell, low, field in form.cells:
        word, shift = form.fields[field]
        sums.setdefault(word, []).append(f"(from_least(g->s.v[{cell}], {in_c(low)}) << {shift})")
    lines = (f"    words[{word}] += (W)({' + '.join(terms)});" for word, terms in sums.items())
    return "\n".join([f"static void {name}(const G *g UNUSED, W *words UNUSED) {{", *lines, "}"])


def _given(w: Writer, node: Expr | Statement, s: Environment) -> str:
    """Return the text of the values of a position's parts."""
    texts = [w.text(part, s) for part in operands(node)]
    return f"(const W[]){{{', '.join(texts)}}}" if texts else "NULL"


@writes("seen")
def _seen(w: Writer, e: Expr, s: Environment) -> str:
    form = w.layout.positions[number(e)]
    return f"times_seen(g, {_form(w, form)}, {_given(w, e, s)})" if form.room else "0"


@statements.writes("remember")
def _remember(w: Writer, node: Statement, s: Environment) -> None:
    form = w.layout.positions[number(node)]
    if form.room:
        with statements.scratch(w):
            w.source.line(f"remember_position(g, {_form(w, form)}, {_given(w, node, s)}, {node.site});")


@statements.writes("forget")
def _forget(w: Writer, node: Statement, s: Environment) -> None:
    form = w.layout.positions[number(node)]
    if form.room:
        w.source.line(f"forget_position(g, {_form(w, form)});")
