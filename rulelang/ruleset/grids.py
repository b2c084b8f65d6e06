"""Boards: cells, their names, and the map that says what each of them is.

Enters: a row of `grids`. Leaves: a `GridDecl` with all its cells.
"""

from __future__ import annotations

from typing import Literal

from rulelang.diagnostics import Span
from rulelang.limits import SIDE
from rulelang.ruleset.fields import Fields
from rulelang.ruleset.model import AttributeDecl, GridDecl, Text, ValueDecl
from rulelang.ruleset.nodes import Scalar, dsl_text


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


def grid(name: str, span: Span, fields: Fields, attributes: tuple[AttributeDecl, ...]) -> GridDecl:
    """The board of one row. Findings: `ruleset-map` where map, legend and sizes do not fit each other."""
    if fields.has("map"):
        columns, rows, cells, signs = _mapped(fields)
    else:
        columns, rows = fields.number("columns", 1), fields.number("rows", 1)
        cells, signs = tuple(ValueDecl(cell_name(c, r), span) for r in range(rows) for c in range(columns)), ""
    adjacency = fields.word("adjacency", "orthogonal")
    neighbours: Literal["orthogonal", "all"] = "all" if adjacency == "all" else "orthogonal"
    return GridDecl(name, span, columns, rows, neighbours, attributes, cells, fields.cites(), signs)


def _mapped(fields: Fields) -> tuple[int, int, tuple[ValueDecl, ...], str]:
    """Columns, rows and cells of a grid with a map, and how the map draws the cells."""
    legend: dict[str, dict[str, Text]] = {
        key: fields.below("legend").below(key).texts() for key in fields.rows("legend")
    }
    node = fields.node.get("map")
    if not isinstance(node, Scalar) or node.style != "literal":
        fields.diagnostics.error("ruleset-map", "a map stands after `|`, one row on each line", fields.span("map"))
        return 1, 1, (), ""
    text = dsl_text(node, fields.diagnostics)
    lines = [line.rstrip() for line in text.text.rstrip().split("\n")]
    columns, rows = fields.number("columns", len(lines[0])), fields.number("rows", len(lines))
    first = text.span
    if len(lines) != rows:
        message = f"the map has {len(lines)} rows, `rows` says {rows}"
        fields.diagnostics.error("ruleset-map", message, fields.span("rows"))
    if max(len(lines), columns) > SIDE:
        message = f"the map is larger than {SIDE} by {SIDE} cells"
        fields.diagnostics.error("ruleset-map", message, fields.key_span("map"))
        return 1, 1, (), ""
    cells: list[ValueDecl] = []
    for row, line in enumerate(lines):
        place = Span(first.source, first.line + row, text.indent + 1, first.line + row, text.indent + 1 + len(line))
        if len(line) != columns:
            message = f"row {row + 1} of the map has {len(line)} cells, not {columns}"
            fields.diagnostics.error("ruleset-map", message, place)
        for column, letter in enumerate(line):
            at = place.column + column
            here = Span(first.source, place.line, at, place.line, at + 1)
            if letter not in legend:
                known = ", ".join(f"`{key}`" for key in legend)
                message = f"`{letter}` is not in the legend"
                fields.diagnostics.error("ruleset-map", message, here, f"the legend has {known}")
            cells.append(ValueDecl(cell_name(column, row), here, legend.get(letter, {})))
    return columns, rows, tuple(cells), "".join(lines)
