"""A board as text: columns by letter, rows by number, a short sign for each piece, and a legend.

Enters: the layout of a board. Leaves: for it, and for each variable that differs between cells, its forms: a list of
the cells that hold anything and, where it is not wider than the terminal, lines. A piece has the colour of its owner,
and an arrow for its direction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from string import digits

from rulelang.cli.console import EscapedText
from rulelang.cli.play import layout
from rulelang.cli.play.layout import Form
from rulelang.geometry import ADJACENCIES, DIRECTIONS, Place
from rulelang.table.board import SHORT, Board, BoardPieces, Spot
from rulelang.table.view import Contents, Value

ARROWS = dict(zip(DIRECTIONS, "↑↗→↘↓↙←↖", strict=True))
GROUND_STYLES = {".": "dim", "~": "blue", "#": "bold"}
"""Styles of common signs of maps: plain ground, water, walls."""
Row = list[tuple[str, str]]
"""Zones along a side: their texts and styles."""
Margins = Mapping[str, list[Row]]
"""Direction -> rows along that side, outwards."""
Drawing = tuple[list[tuple[int, Form]], tuple[list[str], list[str]]]
"""The forms of a board with their ranks, and the texts of its legend: of pieces, of the map's signs."""


def drawings(board: Board, width: int) -> list[Drawing]:
    """Return a board with the pieces of all its zones, and a board for each variable that differs between cells; of a
    grid that has variables alone, all of which are the same everywhere, one board all the same.

    Args:
        width: of the terminal.
    """
    drawn: list[Drawing] = []
    names = board.names
    if not board.rows or any(isinstance(thing, Contents) for row in board.rows.values() for thing in row.values()):
        drawn.append(_pieces(board, width))
    for name in board.values or [*board.rows][: not drawn]:
        texts = {cell: board.value(name, thing) for cell, thing in board.rows[name].items()}
        label = EscapedText(names.name(name), "dim")
        empty = dict.fromkeys(texts, ".")
        styles = {cell: names.style(names.whose(name, thing)) for cell, thing in board.rows[name].items()}
        lines = _square(board, texts, width, styles=styles) or layout.wrapped(
            EscapedText(_listed(board, texts, empty, {})), width
        )
        drawn.append(([(layout.ALWAYS, ""), (layout.VALUES, [label, *lines])], ([], [])))
    return drawn


def _pieces(board: Board, width: int) -> Drawing:
    """Return the board with all cells, edges and sides, and the legend of its signs."""
    names = board.names
    texts = {spot.name: _sign(spot.tokens) or spot.sign for spot in board.cells}
    styles = {spot.name: _style(board, spot) for spot in board.cells}
    between, around, used = {}, dict[tuple[Place, ...], tuple[str, str]](), set[str]()
    for spot in (*board.edges, *board.corners):
        values = [name for name, thing in spot.things.items() if not isinstance(thing, Contents)]
        used |= {f"{board.signs[name]} {names.name(name)}" for name in values}
        if sign := _sign(spot.tokens) or "".join(_value_sign(board, spot, name) for name in values[-1:]) or spot.sign:
            around[spot.points] = sign, _style(board, spot)
        between[spot.name] = sign if len(spot.points) > 1 else ""
    margins: dict[str, list[Row]] = {}
    for side, strip in board.strips.items():
        margins[side] = [[_beside(board, strip.owner, spot) for spot in row] for row in strip.rows]
        closed = {spot.closed for row in strip.rows for spot in row if spot.closed and not spot.tokens}
        used |= {f"{board.signs[name]} {names.name(name)}" for name in closed}
    used |= {f"{t.sign}{t.owner} {t.text}" for spot in board.spots for t in spot.tokens if t.piece is not None}
    legend = sorted(used), [f"{sign} {text}" for sign, text in board.meanings.items()]
    forms: list[tuple[int, Form]] = [(layout.ALWAYS, _listed(board, texts, board.drawn, margins))]
    inner = {side: filled for side, lines in margins.items() if (filled := _without_empty(lines))}
    outer = any(len(points) == 1 for points in around) or not {*around}.isdisjoint(_coast(board))
    for rank, sides in ((layout.GRID, {}), (layout.ALONG, inner), (layout.SIDES, margins)):
        drawn = _by_points(board, texts, width, around, styles) if outer else []
        if drawn := drawn or _square(board, texts, width, between, styles, sides):
            beside = "" if sides else _listed(board, {}, {}, inner)
            wide = max(width // 2, *(line.cell_len for line in drawn))
            forms.append((rank, [*drawn, *(layout.wrapped(EscapedText(beside), wide) if beside else ())]))
    return forms, legend


def _value_sign(board: Board, spot: Spot, name: str) -> str:
    """Return the sign of a variable that an edge or corner has: with a seat, or the first letters of another value."""
    thing = spot.things[name]
    value = "" if isinstance(thing, Value) and thing.value is True else board.value(name, thing)[:SHORT]
    return board.signs[name] + (board.names.whose(name, thing) or value)


def _coast(board: Board) -> Iterator[tuple[Place, ...]]:
    """Yield where the edges of one cell lie."""
    return (spot.points for spot in board.edges if spot.name.rpartition("_")[2] in DIRECTIONS)


def _without_empty(rows: Sequence[Row]) -> list[Row]:
    """Return the rows along a side up to the last one, outwards, that holds anything."""
    used = [number for number, row in enumerate(rows, 1) if any(text != "·" for text, _ in row)]
    return list(rows[: max(used, default=0)])


def _beside(board: Board, owner: str, spot: Spot) -> tuple[str, str]:
    """Return text and style of a place along a side."""
    if spot.tokens:
        return _sign(spot.tokens, loads=False), board.names.style(owner)
    return (board.signs[spot.closed], "bold") if spot.closed else ("·", "dim")


def _style(board: Board, spot: Spot) -> str:
    """Return the style of a spot: that of its pieces' owner, or of whom a variable of an edge or corner names, if there
    is one, of an empty one that of its ground."""
    owners = {token.owner for token in spot.tokens}
    if not owners and spot.points:
        owners = {board.names.whose(name, thing) for name, thing in spot.things.items()}
    if not owners:
        return GROUND_STYLES.get(spot.sign, "")
    return board.names.style(owners.pop()) if len(owners) == 1 else ""


def _sign(tokens: Sequence[BoardPieces], loads: bool = True) -> str:
    """Return the signs of a spot's pieces with arrows where they face; pieces that carry others have a `+`."""
    counts: Counter[str] = Counter()
    for token in tokens:
        load = "+" if loads and token.laden else ""
        counts[f"{token.sign}{token.owner}{load}{''.join(ARROWS[way] for way in token.facing)}"] += token.count
    return ",".join(sign if count == 1 else f"{count}{sign}" for sign, count in counts.items())


def _listed(board: Board, texts: Mapping[str, str], empty: Mapping[str, str], margins: Margins) -> str:
    """Return the cells whose text is not that of `empty`, and the zones along the sides, as a list."""
    parts = [f"{cell} {texts[cell]}" for cell in board.grid.cells if cell in texts and texts[cell] != empty.get(cell)]
    for side, rows in margins.items():
        seen = (enumerate(row[:: -1 if board.turned else 1], 1) for row in rows)
        signs = [f"{n}\u00a0{text}" for row in seen for n, (text, _) in row if text != "·"]
        parts += [f"{ARROWS[side]} {', '.join(signs)}"] if signs else []
    return " · ".join(parts)


def _side_cells(margins: Margins, side: str, row: int, size: int) -> EscapedText:
    """Return the zones west or east of a row of a board, each `size` wide; blanks for -1, between two rows."""
    strip = EscapedText()
    if side not in margins:
        return strip
    outwards = [rows[row] if 0 <= row < len(rows) else ("", "") for rows in margins[side]]
    if side == "east":
        strip.append(" │" if row >= 0 else "  ", "dim")
    for text, style in outwards if side == "east" else reversed(outwards):
        strip.append(text.rjust(size), style)
    if side == "west":
        strip.append(" │" if row >= 0 else "  ", "dim")
    return strip


def _square(
    board: Board,
    texts: Mapping[str, str],
    width: int,
    edges: Mapping[str, str] | None = None,
    styles: Mapping[str, str] | None = None,
    margins: Margins | None = None,
) -> list[EscapedText]:
    """Return the cells' texts as the lines of a board; none if it is wider than `width`.

    Args:
        texts: by cell. edges: signs between cells, by edge. styles: by cell. margins: rows along the sides.
    """
    grid, styles, margins = board.grid, styles or {}, margins or {}
    columns = range(grid.columns)[:: -1 if board.turned else 1]
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

    def board_line(head: str, row: int, texts: Mapping[str, str]) -> EscapedText:
        """Return a line of the board: texts of a row of cells, each after the edge on its left."""
        drawn = EscapedText(head.rjust(margin), "")
        beside = -1 if not head else grid.rows - 1 - row if board.turned else row
        drawn.append(_side_cells(margins, "west", beside, aside))
        drawn.append(" " * (half * ((row + board.turned) % 2)))
        for column, before in zip(columns, (None, *columns), strict=False):
            cell, last = (cell_at.get((at, row), "") for at in (column, before))
            side = between.get(f"{cell}_{last}" if board.turned else f"{last}_{cell}", "") if head else ""
            drawn.append(f"{side:{gap}}")
            drawn.append(f"{texts.get(cell, ''):>{size - bool(gap)}}", styles.get(cell, "") if head else "")
            drawn.append(" " * bool(gap))
        drawn.append(_side_cells(margins, "east", beside, aside))
        drawn.rstrip()
        return drawn

    def side_rows(side: str) -> Iterator[EscapedText]:
        """Yield the rows north or south of the board, and a line between."""
        blank = " " * (margin + flank["west"])
        strip = margins.get(side, ())
        rows = [EscapedText.assemble(blank, *((text.rjust(size + gap), style) for text, style in row)) for row in strip]
        if rows:
            ruled = EscapedText(f"{blank} {'─' * ((size + gap) * grid.columns - 1)}", "dim")
            yield from (*reversed(rows), ruled) if side == "north" else (ruled, *rows)

    def edges_below(cell: int) -> str:
        """Return the signs on the edges from a cell to the cells below."""
        ways = (board.seen(DIRECTIONS[direction]) for direction in (5, 4, 3))
        pairs = [sorted((cell, grid.toward[DIRECTIONS.index(way)][cell])) for way in ways]
        signs = [between.get(f"{grid.cells[a]}_{grid.cells[b]}", "") if a >= 0 else "" for a, b in pairs]
        wide = size - 1 - bool(gap)
        if half:
            return f"{signs[0]:<{wide // 2}}{signs[2]:>{wide - wide // 2}}" if any(signs) else ""
        return signs[1] * wide if len(signs[1]) == 1 else signs[1]

    letters = {column: cell.rstrip(digits) for cell, (column, _) in zip(grid.cells, grid.places, strict=True)}
    heads = (f"{letters.get(n, ''):>{gap + size - bool(gap)}}{' ' * bool(gap)}" for n in columns)
    head = EscapedText(f"{' ' * (margin + flank['west'])}{''.join(heads)}".rstrip(), "dim")
    lines = [head, *side_rows("north")]
    under = {name: edges_below(cell) for cell, name in enumerate(grid.cells)}
    for row in sorted(range(grid.rows), key=grid.line, reverse=board.turned):
        lines.append(board_line(str(row + 1), row, texts))
        if any(under[cell] for (_, cell_row), cell in cell_at.items() if cell_row == row):
            lines.append(board_line("", row, under))
    return [*lines, *side_rows("south")]


def _by_points(
    board: Board,
    texts: Mapping[str, str],
    width: int,
    around: Mapping[tuple[Place, ...], tuple[str, str]],
    styles: Mapping[str, str],
) -> list[EscapedText]:
    """Return a board with signs on edges and corners, each where it lies; a line between rows only where some are.
    None if it is wider than `width`.

    Args:
        texts, styles: by cell. around: where edges and corners lie -> their signs and styles.
    """
    grid, way = board.grid, -1 if board.turned else 1
    size = max(len(text) for text in (*texts.values(), *(sign for sign, _ in around.values()))) + 2
    outlines = [ADJACENCIES[grid.adjacency].corners(*place) for place in grid.places]
    left = min(way * x for outline in outlines for x, _ in outline)
    margin = len(str(grid.rows)) + 1
    lines: dict[float, list[tuple[float, str, str]]] = {}
    heads, letters = dict[float, str](), dict[str, float]()
    for cell, place, outline in zip(grid.cells, grid.places, outlines, strict=True):
        x, y = (way * (min(axis) + max(axis)) / 2 for axis in zip(*outline, strict=True))
        lines.setdefault(y, []).append((x, texts[cell], styles.get(cell, "")))
        heads[y] = str(place[1] + 1)
        letters.setdefault(cell.rstrip(digits), x)
    for points, (sign, style) in around.items():
        x, y = (way * sum(axis) / len(points) for axis in zip(*points, strict=True))
        lines.setdefault(y, []).append((x, sign, style))
    drawn = []
    head = [(x, column, "dim") for column, x in letters.items()]
    for start, row in (("", head), *((heads.get(y, ""), lines[y]) for y in sorted(lines, reverse=grid.upward))):
        line = EscapedText(start.rjust(margin))
        for x, text, style in sorted(row):
            column = margin + round((x - left + 1) * size / 2) - len(text) // 2
            line.append(" " * max(column - len(line), 1))
            line.append(text, style)
        drawn.append(line)
    return drawn if max(map(len, drawn)) <= width else []
