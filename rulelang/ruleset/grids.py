"""Boards: cells, their names, and the map that says what each of them is.

Enters: a row of `grids`. Leaves: a `GridDecl`, with all its cells if its size is written as numbers or drawn. What
differs between the maps of an option has its text for each of them: that a cell is there, an attribute, the size.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import product
from string import ascii_lowercase

from rulelang.diagnostics import Span, counted
from rulelang.geometry import ADJACENCIES, DIRECTIONS, Points, corners, mirrored, sides, step
from rulelang.limits import DIGITS, SIDE
from rulelang.ruleset import nodes
from rulelang.ruleset.fields import Fields
from rulelang.ruleset.model import AttributeDecl, ByOption, GridDecl, Legend, MapDrawing, Text, TypeDecl, ValueDecl
from rulelang.ruleset.nodes import Node, Scalar, dsl_text

Place = tuple[int, int]
CELL = re.compile("[a-z]{1,2}[0-9]{1,2}")
SORTS = {"cells": "cell", "edges": "edge", "corners": "corner"}
"""What a board consists of, and what one of them is called."""


def cell_name(grid: GridDecl, place: Place) -> str:
    """Return the name of a cell by column and row, counted from 0: `a1`, `b1`; after column `z` comes `aa`."""
    column, row = place
    name, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, len(grid.letters))
        name = grid.letters[letter] + name
    return f"{name}{row + 1}"


def grid(name: str, span: Span, fields: Fields, attributes: Mapping[str, tuple[AttributeDecl, ...]]) -> GridDecl:
    """Build a grid from its YAML row; `attributes`: what is declared of its cells (under `""`), `edges` and `corners`.

    Findings: `ruleset-map` where map, legend and sizes do not fit each other.
    """
    single = Text("1", span)
    columns, rows = (fields.text(key) or single for key in ("columns", "rows"))
    adjacency = fields.word("adjacency", "orthogonal")
    parts = {key: fields.below(key) for key in ("edges", "corners") if fields.has(key)}
    names = {"cells": name, **{key: row.word("name") for key, row in parts.items()}}

    def declared(key: str, row: Fields) -> tuple[AttributeDecl, ...]:
        """Return the attributes of the values of a type: the author's, then what of the board touches them."""
        sort = {"": "cells"}.get(key, key)
        for attribute in attributes[key]:
            if attribute.name in names and attribute.name != sort:
                message = f"every {SORTS[sort]} has `{attribute.name}` already"
                fields.diagnostics.error("name-reserved", message, attribute.span, "choose another name")
        place = row.span("name") if key else span
        touching = (
            AttributeDecl(other, Text(f"list of {type_}", place), place, board=True)
            for other, type_ in names.items()
            if other != sort
        )
        return (*attributes[key], *touching)

    def part(key: str) -> TypeDecl | None:
        """Return the type of the edges or corners, with the defaults alone until there are cells."""
        if key not in parts:
            return None
        row = parts[key]
        defaults = ValueDecl("", row.span("name"), row.below("defaults").texts())
        return TypeDecl(row.word("name"), row.span("name"), (defaults,), declared(key, row))

    board = GridDecl(
        name,
        span,
        adjacency,
        declared("", fields),
        columns,
        rows,
        fields.cites(),
        legend=_legend(fields),
        defaults=fields.below("defaults").texts(),
        edges=part("edges"),
        corners=part("corners"),
        border=fields.below("edges").flag("border"),
        edge_legend={" ": {}, **_legend(fields.below("edges"))} if fields.has("edges") else {},
        at={
            (names[key], value): ValueDecl(value, span, below.texts())
            for key, row in parts.items()
            for value, span, below in row.each("at")
        },
        upward=fields.word("first_row", "top") == "bottom",
        opposite=fields.flag("opposite"),
        letters=fields.word("letters", ascii_lowercase),
    )
    if len({*board.letters}) < len(board.letters):
        twice = next(letter for letter in board.letters if board.letters.count(letter) > 1)
        message = f"two columns would be called `{twice}`"
        fields.diagnostics.error("ruleset-map", message, fields.span("letters"), "name each letter once")
        board = replace(board, letters=ascii_lowercase)
    if fields.has("map"):
        return _drawn(board, fields)
    if not (columns.text.isdecimal() and rows.text.isdecimal()):
        return board
    return filled(board, *(int(side.text) if len(side.text) <= DIGITS else SIDE for side in (columns, rows)))


def filled(grid: GridDecl, columns: int, rows: int) -> GridDecl:
    """Return a grid without a map with all cells it can have."""
    places = tuple((column, row) for row, column in product(range(min(rows, SIDE)), range(min(columns, SIDE))))
    cells = tuple(ValueDecl(cell_name(grid, place), grid.span, grid.defaults) for place in places)
    return _with_parts(replace(grid, cells=cells, places=places))


def _with_parts(grid: GridDecl) -> GridDecl:
    """Return the grid with its edges and corners, if it declares them."""

    def laid(part: TypeDecl, named: Mapping[Points, str], legend: Legend) -> TypeDecl:
        """Return the type with a value for each name, in the order of the cells that have it first."""
        values = (
            replace(_value(grid, name, part.values[0], legend, grid.at.get((part.name, name))), points=points)
            for points, name in named.items()
        )
        return replace(part, values=tuple(values))

    edges, corners = grid.edges, grid.corners
    return replace(
        grid,
        edges=edges and laid(edges, _named_edges(grid, grid.places), grid.edge_legend),
        corners=corners and laid(corners, _named_corners(grid), {}),
    )


def _named_edges(grid: GridDecl, places: Collection[Place]) -> dict[Points, str]:
    """Return the edges of cells by where they lie: those between two by both names, those of a border by the cell and
    the direction."""
    there, named = {*places}, dict[Points, str]()
    for place in places:
        for way, points in sides(grid.adjacency, *place).items():
            beyond = step(grid.adjacency, *place, way)
            if beyond in there and beyond is not None:
                named.setdefault(points, f"{cell_name(grid, place)}_{cell_name(grid, beyond)}")
            elif grid.border:
                named.setdefault(points, f"{cell_name(grid, place)}_{DIRECTIONS[mirrored(way, grid.upward)]}")
    return named


def _named_corners(grid: GridDecl) -> dict[Points, str]:
    """Return the corners of cells by where they lie, each called by the first cell that has it and the direction."""
    named: dict[Points, str] = {}
    for place in grid.places:
        for way, points in corners(grid.adjacency, *place, grid.upward).items():
            named.setdefault(points, f"{cell_name(grid, place)}_{DIRECTIONS[way]}")
    return named


def named_otherwise(grid: GridDecl, part: TypeDecl, name: str) -> str:
    """Return the hint how an edge or corner is called of which a name says a cell and a direction, or why it is none;
    empty of another name."""
    cell, _, way = name.partition("_")
    places = {value.name: place for value, place in zip(grid.cells, grid.places, strict=True)}
    if way not in DIRECTIONS or not CELL.fullmatch(cell):
        return ""
    if cell not in places:
        return f"there is no cell `{cell}`; the first is `{grid.cells[0].name}`, the last `{grid.cells[-1].name}`"
    lie = (sides if part is grid.edges else corners)(grid.adjacency, *places[cell], grid.upward)
    points = lie.get(DIRECTIONS.index(way))
    called = next((value.name for value in part.values if value.points == points), "")
    if called:
        return f"it is called `{called}`" + (", by the first cell that has it" if part is grid.corners else "")
    if points is not None:
        return "give the edges `border: true`, so that those of one cell are among them"
    noun = "edges" if part is grid.edges else "corners"
    return f"there are {noun} to the {', '.join(DIRECTIONS[n] for n in lie)} of `{cell}`"


def _value(grid: GridDecl, name: str, defaults: ValueDecl, legend: Legend, own: ValueDecl | None = None) -> ValueDecl:
    """Build the declaration of a cell, edge or corner from the sign that each map draws for it; `own`: what it has of
    its own."""
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
    attributes |= own.attributes if own is not None else {}
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
    places = tuple(sorted({place for _, cells in drawn.values() for place in cells}, key=lambda place: place[::-1]))
    named = _named_edges(grid, places) if grid.edges is not None else {}
    grid = replace(
        grid,
        option=option,
        drawings=tuple(
            replace(drawing, signs=drawing.signs | {named[points]: sign for points, sign in drawing.sides.items()})
            for drawing, _ in drawn.values()
        ),
        places=places,
        columns=_by_option(option, {value: _most(places, 0, grid) for value, (_, places) in drawn.items()}, grid.span),
        rows=_by_option(option, {value: _most(places, 1, grid) for value, (_, places) in drawn.items()}, grid.span),
    )
    defaults = ValueDecl("", grid.span, grid.defaults)
    return _with_parts(
        replace(grid, cells=tuple(_value(grid, cell_name(grid, place), defaults, grid.legend) for place in grid.places))
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
        """Return the character at a position of the map and its span; empty beyond the map and the line's end."""
        if column < 0 or not 0 <= line < len(lines):
            return "", text.span
        first = text.span.line + line
        place = Span(text.span.source, first, text.indent + 1 + column, first, text.indent + 2 + column)
        return lines[line][column : column + 1], place

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
    undrawn = set[str]()
    for row, column in product(range(rows), range(columns)):
        sign, span = sign_at(*spot(column, row))
        if sign:
            if sign not in fields.rows("legend") and sign not in undrawn:
                undrawn.add(sign)
                wrong(f"`{sign}` is not in the legend", span, f"the legend has {listed(fields.rows('legend'))}")
            if sign in grid.legend:
                signs[cell_name(grid, (column, row))] = sign, span
            places += [(column, row)] if sign in grid.legend or sign not in fields.rows("legend") else []
    if not places:
        wrong("this map has no cell", text.span, "draw at least one sign that is not `none` in the legend")
    drawn: dict[Points, tuple[str, Span]] = {}
    named = _named_edges(grid, places) if grid.edges is not None else {}
    for cell, way in product(places if named else (), ADJACENCIES[grid.adjacency].sides):
        points, beyond = sides(grid.adjacency, *cell).get(way), step(grid.adjacency, *cell, way)
        if points in named and points is not None and beyond is not None and points not in drawn:
            (x, y), (u, v) = spot(*cell), spot(*beyond)
            sign, span = sign_at((x + u) // 2, (y + v) // 2)
            unknown += [(sign, span)] if sign and sign not in grid.edge_legend else []
            drawn[points] = sign or " ", span
    for sign, span in unknown[:1]:  # where the map is drawn without edges they would be many
        hint = f"the legend of the edges has {listed(grid.edge_legend)}; a blank is an edge too"
        wrong(f"`{sign}` stands between two cells, where their edge is drawn", span, hint)
    return MapDrawing(value, signs, drawn), places
