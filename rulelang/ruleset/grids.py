"""Boards: cells, their names, and the map that says what each of them is.

Enters: a row of `grids`. Leaves: a `GridDecl`, with all its cells if its size is written as numbers or drawn. What
differs between the maps of an option has its text for each of them: that a cell is there, an attribute, the size.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product

from rulelang.diagnostics import Span, counted
from rulelang.geometry import ADJACENCIES, step
from rulelang.limits import DIGITS, SIDE
from rulelang.ruleset import nodes
from rulelang.ruleset.fields import Fields
from rulelang.ruleset.model import AttributeDecl, ByOption, GridDecl, Legend, MapDrawing, Text, TypeDecl, ValueDecl
from rulelang.ruleset.nodes import Node, Scalar, dsl_text

Place = tuple[int, int]


def column_name(column: int) -> str:
    """Return the letters of a column counted from 0: `a` for 0, `z` for 25, `aa` for 26."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        name = chr(ord("a") + letter) + name
    return name


def cell_name(column: int, row: int) -> str:
    """Return the name of a cell by column and row, counted from 0: `a1`, `b1`."""
    return f"{column_name(column)}{row + 1}"


def grid(
    name: str, span: Span, fields: Fields, attributes: tuple[AttributeDecl, ...], of_edges: tuple[AttributeDecl, ...]
) -> GridDecl:
    """Build a grid from its YAML row; `of_edges` are the attributes of its edges.

    Findings: `ruleset-map` where map, legend and sizes do not fit each other.
    """
    single = Text("1", span)
    columns, rows = (fields.text(key) or single for key in ("columns", "rows"))
    adjacency = fields.word("adjacency", "orthogonal")
    board = GridDecl(name, span, adjacency, attributes, columns, rows, fields.cites(), legend=_legend(fields))
    upward = fields.word("first_row", "top") == "bottom"
    board = replace(board, defaults=fields.below("defaults").texts(), upward=upward)
    if fields.has("edges"):
        row = fields.below("edges")
        for attribute in of_edges:
            if attribute.name == "cells":
                message = "every edge has `cells` already"
                row.diagnostics.error("name-reserved", message, attribute.span, "choose another name")
        cells = AttributeDecl("cells", Text(f"list of {name}", row.span("name")), row.span("name"))
        defaults = ValueDecl("", row.span("name"), row.below("defaults").texts())
        edges = TypeDecl(row.word("name"), row.span("name"), (defaults,), (*of_edges, cells))
        board = replace(board, edges=edges, edge_legend={" ": {}, **_legend(row)})
    if fields.has("map"):
        return _drawn(board, fields)
    if not (columns.text.isdecimal() and rows.text.isdecimal()):
        return board
    return filled(board, *(int(side.text) if len(side.text) <= DIGITS else SIDE for side in (columns, rows)))


def filled(grid: GridDecl, columns: int, rows: int) -> GridDecl:
    """Return a grid without a map with all cells it can have."""
    places = tuple((column, row) for row, column in product(range(min(rows, SIDE)), range(min(columns, SIDE))))
    cells = tuple(ValueDecl(cell_name(*place), grid.span, grid.defaults) for place in places)
    return _with_edges(replace(grid, cells=cells, places=places))


def _with_edges(grid: GridDecl) -> GridDecl:
    """Return the grid with an edge between each two neighbouring cells, if it declares edges."""
    if grid.edges is None:
        return grid
    (defaults,) = grid.edges.values
    values = [
        _value(grid, f"{cell_name(*place)}_{cell_name(*neighbour)}", defaults, grid.edge_legend)
        for place in grid.places
        for neighbour in _further(grid, place)
    ]
    return replace(grid, edges=replace(grid.edges, values=tuple(values)))


def _further(grid: GridDecl, place: Place) -> list[Place]:
    """Return the neighbours of a cell across its sides to the east and in the next row, so that each pair is met
    once."""
    neighbours = (step(grid.adjacency, *place, way) for way in ADJACENCIES[grid.adjacency].sides if 2 <= way <= 5)
    return [neighbour for neighbour in neighbours if neighbour in grid.places]


def _value(grid: GridDecl, name: str, defaults: ValueDecl, legend: Legend) -> ValueDecl:
    """Build the declaration of a cell or edge from the sign that each map draws for it."""
    drawn = {d.value: d.signs[name] for d in grid.drawings if name in d.signs}
    span = next((span for _, span in drawn.values()), defaults.span)
    sorts = {value: ({**defaults.attributes, **legend.get(sign, {})}, place) for value, (sign, place) in drawn.items()}
    sorts = sorts or {"": (defaults.attributes, span)}
    keys = dict.fromkeys(key for sort, _ in sorts.values() for key in sort)
    attributes = {
        key: _by_option(grid.option, {value: sort.get(key, place) for value, (sort, place) in sorts.items()}, span)
        for key in keys
    }
    truths = {d.value: Text("true" if d.value in drawn else "false", span) for d in grid.drawings}
    when = _by_option(grid.option, truths, span) if drawn else None
    return ValueDecl(name, span, attributes, when=when if isinstance(when, ByOption) else None)


def _by_option(option: str, texts: Mapping[str, Text | Span], span: Span) -> Text:
    """Return what an option selects among texts; the text itself if all are equal."""
    first, *others = texts.values()
    if isinstance(first, Text) and all(isinstance(text, Text) and text.text == first.text for text in others):
        return first
    parts = [text.text if isinstance(text, Text) else "none" for text in texts.values()]
    read = [f"{part} if {option} = {value}" for part, value in zip(parts, texts, strict=True)]
    return ByOption(" else ".join([*read[:-1], parts[-1]]), span, 0, option, {**texts})


def _legend(fields: Fields) -> Legend:
    """Return the attributes of each sign of a map; signs that stand for `none` are left out."""
    rows = {sign: fields.below("legend").below(sign) for sign in fields.rows("legend")}
    return {sign: row.texts() for sign, row in rows.items() if fields.below("legend").word(sign) != "none"}


# ---- maps -------------------------------------------------------------------------------------------------


def _drawn(grid: GridDecl, fields: Fields) -> GridDecl:
    """Return the grid with cells, size and edges read from its map, or from one map for each value of an option."""
    node, option = fields.node.get("map"), ""
    maps: dict[str, Node | None] = {"": node}
    if isinstance(node, nodes.Mapping) and node.entries:
        option = next(iter(node.entries))
        maps = {value: entry.value for value, entry in fields.below("map").rows(option).items()}
    for key in ("columns", "rows"):
        if fields.has(key) and not isinstance(fields.scalar(key), int):
            fields.diagnostics.error("ruleset-map", f"a map has its own size: take `{key}` away", fields.span(key))
    drawn = {value: _drawing(grid, fields, value, map_) for value, map_ in maps.items()}
    places = {place for _, cells in drawn.values() for place in cells}
    grid = replace(
        grid,
        option=option,
        drawings=tuple(drawing for drawing, _ in drawn.values()),
        places=tuple(sorted(places, key=lambda place: place[::-1])),
        columns=_by_option(option, {value: _most(places, 0, grid) for value, (_, places) in drawn.items()}, grid.span),
        rows=_by_option(option, {value: _most(places, 1, grid) for value, (_, places) in drawn.items()}, grid.span),
    )
    defaults = ValueDecl("", grid.span, grid.defaults)
    return _with_edges(
        replace(grid, cells=tuple(_value(grid, cell_name(*place), defaults, grid.legend) for place in grid.places))
    )


def _most(places: Sequence[Place], axis: int, grid: GridDecl) -> Text:
    """Return the size of the drawn cells along an axis, 0 for columns and 1 for rows, as DSL text."""
    return Text(str(1 + max((place[axis] for place in places), default=0)), grid.span)


def _drawing(grid: GridDecl, fields: Fields, value: str, node: Node | None) -> tuple[MapDrawing, Sequence[Place]]:
    """Read one map; return the signs of cells and edges, and the places of the cells.

    With edges, cells stand on every other line and character. Rows of hexagonal grids are shifted by half a cell.
    """

    def wrong(message: str, span: Span, hint: str = "") -> None:
        """Report a fault of the map."""
        fields.diagnostics.error("ruleset-map", message, span, hint)

    if not isinstance(node, Scalar) or node.style != "literal":
        wrong("a map stands after `|`, one row on each line", node.span if node else fields.span("map"))
        return MapDrawing(value, {}), ()
    text = dsl_text(node, fields.diagnostics)
    lines = [line.rstrip() for line in text.text.rstrip().split("\n")]
    scale, shifts = (1 if grid.edges is None else 2), ADJACENCIES[grid.adjacency].shifts
    across = 2 * scale if shifts else scale
    columns = fields.number("columns", (len(lines[0]) + across - 1) // across)
    rows = fields.number("rows", (len(lines) + scale - 1) // scale)
    between = ", those between cells counted" if across > 1 else ""
    if len(lines) != scale * (rows - 1) + 1:
        message = f"the map has {counted(len(lines), 'line')}, and {rows} rows are {scale * (rows - 1) + 1}{between}"
        wrong(message, fields.span("rows" if fields.has("rows") else "map"))
    if max(columns, rows, len(lines) // scale) > SIDE:
        wrong(f"the map is larger than {SIDE} by {SIDE} cells", fields.key_span("map"))
        return MapDrawing(value, {}), ()

    def spot(column: int, row: int) -> Place:
        """Return the character position of a cell in the map."""
        line = rows - 1 - row if grid.upward else row
        return across * column + (scale * (row % 2) if shifts else 0), scale * line

    def sign_at(column: int, line: int) -> tuple[str, Span]:
        """Return the character at a position of the map and its span; empty beyond the line's end."""
        first = text.span.line + line
        place = Span(text.span.source, first, text.indent + 1 + column, first, text.indent + 2 + column)
        return (lines[line] if line < len(lines) else "")[column : column + 1], place

    for number, line in enumerate(lines):
        row = number // scale
        width = spot(columns - 1, rows - 1 - row if grid.upward else row)[0] + 1
        if len(line) > width + (across // 2 if number % scale else 0) or (len(line) < width and not number % scale):
            place = replace(sign_at(0, number)[1], end_column=text.indent + 1 + len(line))
            wrong(f"line {number + 1} of the map has {counted(len(line), 'character')}, not {width}{between}", place)
    signs: dict[str, tuple[str, Span]] = {}
    places: list[Place] = []

    def listed(legend: Collection[str]) -> str:
        """Return the signs of a legend as text for a message."""
        return ", ".join(f"`{key}`" for key in legend if key != " ") or "no signs"

    unknown: list[tuple[str, Span]] = []
    for row, column in product(range(rows), range(columns)):
        sign, span = sign_at(*spot(column, row))
        if sign:
            if sign not in fields.rows("legend"):
                wrong(f"`{sign}` is not in the legend", span, f"the legend has {listed(fields.rows('legend'))}")
            if sign in grid.legend:
                signs[cell_name(column, row)] = sign, span
            places += [(column, row)] if sign in grid.legend or sign not in fields.rows("legend") else []
    if not places:
        wrong("this map has no cell", text.span, "draw at least one sign that is not `none` in the legend")
    for cell in places if grid.edges is not None else ():
        for neighbour in _further(replace(grid, places=tuple(places)), cell):
            (x, y), (u, v) = spot(*cell), spot(*neighbour)
            sign, span = sign_at((x + u) // 2, (y + v) // 2)
            unknown += [(sign, span)] if sign and sign not in grid.edge_legend else []
            signs[f"{cell_name(*cell)}_{cell_name(*neighbour)}"] = sign or " ", span
    for sign, span in unknown[:1]:  # where the map is drawn without edges they would be many
        hint = f"the legend of the edges has {listed(grid.edge_legend)}; a blank is an edge too"
        wrong(f"`{sign}` stands between two cells, where their edge is drawn", span, hint)
    return MapDrawing(value, signs), places
