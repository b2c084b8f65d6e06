"""A grid as text: columns by letter, rows by number, a short sign for each piece, and a legend.

Enters: a grid's zones and variables by cell, and the zones along its sides. Leaves: for each board its forms: a list of
the cells that hold anything and, where it is not wider than the terminal, lines. A piece has the colour of its owner,
and an arrow for its direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from rulelang.cli.console import Text
from rulelang.cli.play import layout
from rulelang.cli.play.layout import Form
from rulelang.game import Ruleset
from rulelang.geometry import ADJACENCIES, DIRECTIONS, step
from rulelang.ruleset.grids import column_name
from rulelang.ruleset.model import GridDecl
from rulelang.runtime.grids import Grid
from rulelang.table.board import blank, meaning, on_edges, signs_of
from rulelang.table.names import Names
from rulelang.table.sides import NOTHING as ALONE
from rulelang.table.sides import Strip, Surroundings
from rulelang.table.view import Contents, Observed, Piece, Share, Value, is_empty

ARROWS = dict(zip(DIRECTIONS, "↑↗→↘↓↙←↖", strict=True))
GROUND_STYLES = {".": "dim", "~": "blue", "#": "bold"}
"""Styles of common signs of maps: plain ground, water, walls."""
Row = list[tuple[str, str]]
"""Zones along a side: their texts and styles."""
Margins = Mapping[str, list[Row]]
"""Direction -> rows along that side, outwards."""
Drawing = tuple[list[tuple[int, Form]], tuple[list[str], list[str]]]
"""The forms of a board with their ranks, and the texts of its legend: of pieces, of the map's signs."""


def board(
    ruleset: Ruleset, names: Names, name: str, share: Share, width: int, around: Surroundings = ALONE
) -> list[Drawing]:
    """Return the board of a grid with the pieces of all its zones, and a board for each variable that differs between
    cells.

    Args:
        width: of the terminal. around: what is drawn beside the board.
    """
    decl = next(row for row in ruleset.written.grids if row.name == name)
    grid, rows = names.grid(name), share.boards[name]
    zones = {name: row for name, row in rows.items() if any(isinstance(thing, Contents) for thing in row.values())}
    drawn: list[Drawing] = []
    if zones:
        drawn.append(_pieces(ruleset, names, decl, grid, zones, on_edges(ruleset, decl, share), around, width))
    for name, row in rows.items():
        texts = {cell: _value(names, name, thing) for cell, thing in row.items() if isinstance(thing, Value)}
        if len(set(texts.values())) > 1:
            label = Text(names.name(name), "dim")
            empty = dict.fromkeys(texts, ".")
            lines = _square(grid, texts, width) or layout.wrapped(Text(_listed(grid, texts, empty, {})), width)
            drawn.append(([(layout.ALWAYS, ""), (layout.VALUES, [label, *lines])], ([], [])))
    return drawn


def _value(names: Names, name: str, thing: Observed) -> str:
    """Return the text of a cell's value."""
    return "." if is_empty(thing) else names.thing(name, thing)


def _pieces(
    ruleset: Ruleset,
    names: Names,
    decl: GridDecl,
    grid: Grid,
    zones: Mapping[str, Mapping[str, Observed]],
    on_edges: Mapping[str, Mapping[str, Observed]],
    around: Surroundings,
    width: int,
) -> Drawing:
    """Return the board with all cells, edges and sides, and the legend of its signs."""
    strips = around.strips
    map_signs = {name: sign for name, (sign, _) in names.drawing(decl).items()}
    ground = {
        cell: map_signs.get(cell, blank(grid, place)) for cell, place in zip(grid.cells, grid.places, strict=True)
    }
    between = {name: sign for name, sign in map_signs.items() if name not in ground}
    meanings = meaning(names, {**decl.legend, **decl.edge_legend}, {*ground.values(), *between.values()})
    holds = {z.holds for z in ruleset.written.zones if z.name in zones or z.name in on_edges or (strips and z.beside)}
    rows = {row.id: names.row(row.id) for row in ruleset.written.pieces if row.kind in holds}
    rows |= {name: names.name(name) for name in (*on_edges, *(n for s in strips.values() for n in s.closed.values()))}
    signs = signs_of(names, rows, [*ground.values(), *between.values()])
    texts = dict(ground)
    styles = {cell: GROUND_STYLES.get(sign, "") for cell, sign in ground.items()}
    used: set[tuple[str, str]] = set()
    for row in zones.values():
        for cell, thing in row.items():
            if isinstance(thing, Contents) and thing.count:
                laid = _sign(thing, signs, names, used, around.laden)
                texts[cell] = laid if texts.get(cell) == ground.get(cell) else f"{texts[cell]},{laid}"
                styles[cell] = _style(names, thing)
    for name, row in on_edges.items():
        for edge, thing in row.items():
            if isinstance(thing, Contents) and thing.count:
                between[edge] = _sign(thing, signs, names, used)
            elif not is_empty(thing):
                between[edge] = signs[name]
                used.add((signs[name], rows[name]))
    margins = {side: _margin(strip, signs, rows, names, used) for side, strip in strips.items()}
    legend = [f"{sign} {text}" for sign, text in sorted(used)], [f"{sign} {text}" for sign, text in meanings]
    forms: list[tuple[int, Form]] = [(layout.ALWAYS, _listed(grid, texts, ground, margins))]
    inner = {side: filled for side, lines in margins.items() if (filled := _without_empty(lines))}
    for rank, sides in ((layout.GRID, inner), (layout.SIDES, margins)):
        if drawn := _square(grid, texts, width, between, styles, sides):
            forms.append((rank, drawn))
    return forms, legend


def _without_empty(rows: Sequence[Row]) -> list[Row]:
    """Return the rows along a side up to the last one, outwards, that holds anything."""
    used = [number for number, row in enumerate(rows, 1) if any(text != "·" for text, _ in row)]
    return list(rows[: max(used, default=0)])


def _margin(
    strip: Strip, signs: Mapping[str, str], rows: Mapping[str, str], names: Names, used: set[tuple[str, str]]
) -> list[Row]:
    """Return texts and styles of the zones along a side, row by row outwards; adds to `used`."""
    lines: list[Row] = []
    for row in strip.rows:
        line = []
        for number, thing in enumerate(row):
            truth = strip.closed.get(number, "")
            if thing.count:
                line.append((_sign(thing, signs, names, used), names.style(strip.owner)))
            elif truth:
                line.append((signs[truth], "bold"))
                used.add((signs[truth], rows[truth]))
            else:
                line.append(("·", "dim"))
        lines.append(line)
    return lines


def _style(names: Names, contents: Contents) -> str:
    """Return the style of a cell's pieces: their owner's, if they have one owner."""
    owners = {piece.owner for piece in contents.pieces or () if piece is not None}
    return names.style(owners.pop()) if len(owners) == 1 else ""


def _sign(
    contents: Contents,
    signs: Mapping[str, str],
    names: Names,
    used: set[tuple[str, str]],
    laden: Set[tuple[str, str]] = frozenset(),
) -> str:
    """Return the signs of a cell's pieces, and add them with their meanings to `used`; pieces that carry others have a
    `+`."""
    if contents.pieces is None:
        visible: Sequence[Piece | None] = (contents.top, *[None] * (contents.count - 1)) if contents.top else ()
    else:
        visible = contents.pieces
    counts: Counter[str] = Counter()
    for piece in visible or [None] * contents.count:
        if piece is None:
            counts["?"] += 1
        else:
            sign = signs[piece.id] + piece.owner
            facing = [value for _, value in piece.values if value in ARROWS]
            used.add((sign, names.piece(replace(piece, values=tuple(v for v in piece.values if v[1] not in ARROWS)))))
            load = "+" if (piece.id, piece.owner) in laden else ""
            counts[sign + load + "".join(ARROWS[value] for value in facing)] += 1
    return ",".join(sign if count == 1 else f"{count}{sign}" for sign, count in counts.items())


def _listed(grid: Grid, texts: Mapping[str, str], empty: Mapping[str, str], margins: Margins) -> str:
    """Return the cells whose text is not that of `empty`, and the zones along the sides, as a list."""
    parts = [f"{cell} {texts[cell]}" for cell in grid.cells if cell in texts and texts[cell] != empty.get(cell)]
    for side, rows in margins.items():
        signs = [f"{n} {text}" for row in rows for n, (text, _) in enumerate(row, 1) if text != "·"]
        parts += [f"{ARROWS[side]} {', '.join(signs)}"] if signs else []
    return " · ".join(parts)


def _side_cells(margins: Margins, side: str, row: int, size: int) -> Text:
    """Return the zones west or east of a row of a board, each `size` wide; blanks for -1, between two rows."""
    strip = Text()
    if side not in margins:
        return strip
    outwards = [rows[row] if row >= 0 else ("", "") for rows in margins[side]]
    if side == "east":
        strip.append(" │" if row >= 0 else "  ", "dim")
    for text, style in outwards if side == "east" else reversed(outwards):
        strip.append(text.rjust(size), style)
    if side == "west":
        strip.append(" │" if row >= 0 else "  ", "dim")
    return strip


def _square(
    grid: Grid,
    texts: Mapping[str, str],
    width: int,
    edges: Mapping[str, str] | None = None,
    styles: Mapping[str, str] | None = None,
    margins: Margins | None = None,
) -> list[Text]:
    """Return the cells' texts as the lines of a board; none if it is wider than `width`.

    Args:
        texts: by cell. edges: signs between cells, by edge. styles: by cell. margins: rows along the sides.
    """
    styles, margins = styles or {}, margins or {}
    above, flanks = (
        [len(text) for side in sides for row in margins.get(side, ()) for text, _ in row]
        for sides in (("north", "south"), ("west", "east"))
    )
    between = {name: sign for name, sign in (edges or {}).items() if not sign.isspace()}
    gap = max(map(len, between.values()), default=0)
    size = max(2, *(len(text) for text in texts.values()), *above) + 1 + bool(gap)
    aside = max(2, *flanks) + 1 if flanks else 0
    margin = len(str(grid.rows)) + 1
    half = (gap + size + 1) // 2 if ADJACENCIES[grid.adjacency].shifts else 0
    flank = {side: aside * len(margins[side]) + 2 if side in margins else 0 for side in ("west", "east")}
    if margin + (gap + size) * grid.columns + half + sum(flank.values()) > width:
        return []
    cell_at = dict(zip(grid.places, grid.cells, strict=True))

    def board_line(head: str, row: int, texts: Mapping[str, str]) -> Text:
        """Return a line of the board: texts of a row of cells, each after the edge on its left."""
        drawn = Text(head.rjust(margin), "")
        drawn.append(_side_cells(margins, "west", row if head else -1, aside))
        drawn.append(" " * (half * (row % 2)))
        for column in range(grid.columns):
            cell = cell_at.get((column, row), "")
            side = between.get(f"{cell_at.get((column - 1, row), '')}_{cell}", "") if head else ""
            drawn.append(f"{side:{gap}}")
            drawn.append(f"{texts.get(cell, ''):>{size - bool(gap)}}", styles.get(cell, "") if head else "")
            drawn.append(" " * bool(gap))
        drawn.append(_side_cells(margins, "east", row if head else -1, aside))
        drawn.rstrip()
        return drawn

    def side_rows(side: str) -> Iterator[Text]:
        """Yield the rows north or south of the board, and a line between."""
        blank = " " * (margin + flank["west"])
        strip = margins.get(side, ())
        rows = [Text.assemble(blank, *((text.rjust(size + gap), style) for text, style in row)) for row in strip]
        if rows:
            ruled = Text(f"{blank} {'─' * ((size + gap) * grid.columns - 1)}", "dim")
            yield from (*reversed(rows), ruled) if side == "north" else (ruled, *rows)

    def edges_below(cell: str, place: tuple[int, int]) -> str:
        """Return the signs on the edges from a cell to the cells below."""
        ends = [cell_at.get(step(grid.adjacency, *place, direction) or place, "") for direction in (5, 4, 3)]
        signs = [between.get(f"{cell}_{end}", "") for end in ends]
        wide = size - 1 - bool(gap)
        if half:
            return f"{signs[0]:<{wide // 2}}{signs[2]:>{wide - wide // 2}}" if any(signs) else ""
        return signs[1] * wide if len(signs[1]) == 1 else signs[1]

    letters = (f"{column_name(column):>{gap + size - bool(gap)}}{' ' * bool(gap)}" for column in range(grid.columns))
    head = Text(f"{' ' * (margin + flank['west'])}{''.join(letters)}".rstrip(), "dim")
    lines = [head, *side_rows("north")]
    under = {cell: edges_below(cell, place) for cell, place in zip(grid.cells, grid.places, strict=True)}
    for row in range(grid.rows):
        lines.append(board_line(str(row + 1), row, texts))
        if any(under[cell] for (_, cell_row), cell in cell_at.items() if cell_row == row):
            lines.append(board_line("", row, under))
    return [*lines, *side_rows("south")]
