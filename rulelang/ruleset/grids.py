"""Boards: cells, their names, and the map that says what each of them is.

Enters: a row of `grids`. Leaves: a `GridDecl` with all its cells.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import product
from typing import Any, Literal

from rulelang.diagnostics import Span
from rulelang.limits import SIDE
from rulelang.ruleset.fields import Fields
from rulelang.ruleset.model import AttributeDecl, GridDecl, Text, TypeDecl, ValueDecl
from rulelang.ruleset.nodes import Scalar, dsl_text

Signs = dict[tuple[int, int], tuple[str, Span]]
"""(column, line) of a map -> the character that stands there, and its place."""


def column_name(column: int) -> str:
    """`a` for 0, `z` for 25, `aa` for 26 and so on."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def cell_name(column: int, row: int) -> str:
    """The name of a cell, counted from 0 from the top left: `a1`, `b1`."""
    return f"{column_name(column)}{row + 1}"


def grid(
    name: str, span: Span, fields: Fields, attributes: tuple[AttributeDecl, ...], of_edges: tuple[AttributeDecl, ...]
) -> GridDecl:
    """The board of one row, `of_edges`: what its edges have. Findings: `ruleset-map` where map, legend and sizes do not
    fit each other."""
    edges = fields.below("edges")
    step = 2 if fields.has("edges") else 1
    places: Signs = {}
    if fields.has("map"):
        columns, rows, places = _mapped(fields, step)
    else:
        columns, rows = fields.number("columns", 1), fields.number("rows", 1)
    legend, cells, signs = _legend(fields), [], ""
    for row, column in product(range(rows), range(columns)):
        sign, place = places.get((step * column, step * row), ("", span))
        if sign and sign not in legend:
            _unknown_sign(fields, sign, place, legend)
        cells.append(ValueDecl(cell_name(column, row), place, legend.get(sign, {})))
        signs += sign
    adjacency = fields.word("adjacency", "orthogonal")
    neighbours: Literal["orthogonal", "all"] = "all" if adjacency == "all" else "orthogonal"
    found = GridDecl(name, span, columns, rows, neighbours, attributes, tuple(cells), fields.cites(), signs)
    return replace(found, **_edges(edges, found, of_edges, places)) if step == 2 else found


def _edges(fields: Fields, grid: GridDecl, attributes: tuple[AttributeDecl, ...], places: Signs) -> dict[str, Any]:
    """The type of the edges between the cells of a grid, and how the map draws them."""
    span, legend, signs = fields.span("name"), _legend(fields), ""
    defaults = fields.below("defaults").texts()
    values = []
    for row, column in product(range(grid.rows), range(grid.columns)):
        for across, down in ((1, 0), (0, 1)):
            if column + across == grid.columns or row + down == grid.rows:
                continue
            names = cell_name(column, row), cell_name(column + across, row + down)
            sign, place = places.get((2 * column + across, 2 * row + down), (" ", span))
            if sign not in legend and sign != " ":
                _unknown_sign(fields, sign, place, legend)
            cells = Text(f"[{', '.join(names)}]", place)
            given = {**defaults, **legend.get(sign, {}), "cells": cells}
            values.append(ValueDecl("_".join(names), place, given))
            signs += sign
    for attribute in attributes:
        if attribute.name == "cells":
            fields.diagnostics.error(
                "name-reserved", "every edge has `cells` already", attribute.span, "choose another name"
            )
    cells_of = AttributeDecl("cells", Text(f"set of {grid.name}", span), span)
    own = (*(a for a in attributes if a.name != "cells"), cells_of)
    return {"edges": TypeDecl(fields.word("name"), span, tuple(values), own), "edge_signs": signs}


def _legend(fields: Fields) -> dict[str, dict[str, Text]]:
    return {key: fields.below("legend").below(key).texts() for key in fields.rows("legend")}


def _unknown_sign(fields: Fields, sign: str, place: Span, legend: Collection[str]) -> None:
    hint = f"the legend has {', '.join(f'`{key}`' for key in legend)}" if legend else "give it a `legend`"
    fields.diagnostics.error("ruleset-map", f"`{sign}` is not in the legend", place, hint)


def _mapped(fields: Fields, step: int) -> tuple[int, int, Signs]:
    """Columns and rows of a grid with a map, and what stands at each place of the map; with edges (`step` 2) every
    other line and character is a cell."""
    node = fields.node.get("map")
    if not isinstance(node, Scalar) or node.style != "literal":
        fields.diagnostics.error("ruleset-map", "a map stands after `|`, one row on each line", fields.span("map"))
        return 0, 0, {}
    text = dsl_text(node, fields.diagnostics)
    lines = [line.rstrip() for line in text.text.rstrip().split("\n")]
    columns = fields.number("columns", (len(lines[0]) + step - 1) // step)
    rows = fields.number("rows", (len(lines) + step - 1) // step)
    width, height = step * (columns - 1) + 1, step * (rows - 1) + 1
    between = ", those between them counted" if step == 2 else ""
    if len(lines) != height:
        message = f"the map has {len(lines)} lines, `rows` says {rows}: these are {height}{between}"
        fields.diagnostics.error("ruleset-map", message, fields.span("rows" if fields.has("rows") else "map"))
    if max(columns, rows, len(lines) // step) > SIDE:
        message = f"the map is larger than {SIDE} by {SIDE} cells"
        fields.diagnostics.error("ruleset-map", message, fields.key_span("map"))
        return 0, 0, {}
    places: Signs = {}
    for number, line in enumerate(lines):
        first = Span(
            text.span.source, text.span.line + number, text.indent + 1, text.span.line + number, text.indent + 1
        )
        if len(line) > width or (len(line) < width and number % step == 0):
            message = f"line {number + 1} of the map has {len(line)} characters, not {width}{between}"
            fields.diagnostics.error("ruleset-map", message, replace(first, end_column=first.column + len(line)))
        for column, sign in enumerate(line if number % step == 0 else line.ljust(width)):
            place = replace(first, column=first.column + column, end_column=first.column + column + 1)
            places[column, number] = sign, place
    return columns, rows, places
