"""A board as a drawing: cells by their shape, the pieces on them, edges, and the places along its sides.

Enters: the layout of a board, looks, the picks of a choice. Leaves: `Drawing`, numbers and words for an SVG, in
hundredths of a square's side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import starmap

from rulelang.geometry import ADJACENCIES, DIRECTIONS, HEXAGON, SIDE, SLANT, Place
from rulelang.table import board as layout
from rulelang.table.scene import PickState, Scene
from rulelang.table.view import Observed
from rulelang.web.cards import Looks

GAP = 14
COARSE, FINE = 24, 38
"""Pixels of the page for a hundred of the drawing: of most boards, and of those with pieces at corners."""
STRIP = 60
"""The places along a side are smaller than cells."""
SLANTED = ADJACENCIES["hexagonal"]._replace(
    centre=lambda column, row: (column * SIDE + row * SIDE // 2, row * SLANT),
    corners=lambda column, row: [(2 * column + row + dx, 3 * row + dy) for dx, dy in HEXAGON],
)
"""Hexagons in rows that are each half a cell further to the right."""
OUTWARDS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@dataclass(frozen=True)
class DrawnToken:
    """Equal pieces on a board.

    Attributes:
        style: class of their owner's colour. turn: direction that they face in degrees (None: none). picture: file, or
            empty. key: what they are, to see them move.
    """

    sign: str
    style: str
    turn: int | None
    count: int
    picture: str
    key: str = ""


@dataclass(frozen=True)
class DrawnSpot:
    """A cell, an edge, a corner, or a zone beside a board.

    Attributes:
        x, y: its centre. points: its outline. box: left, top, width and height of the clickable area. ground: class of
            its colour. sign: of the map. label: all of it in words. cross: whether it is closed. bare: whether it is
            empty. picture: file that is drawn instead of the sign. fresh: whether rivals have moved a piece here.
    """

    name: str
    x: int
    y: int
    points: str
    box: tuple[int, int, int, int]
    ground: str
    sign: str
    tokens: tuple[DrawnToken, ...]
    label: str
    pick_state: PickState
    cross: bool = False
    bare: bool = True
    picture: str = ""
    fresh: bool = False


@dataclass
class Drawing:
    """A drawing.

    Attributes:
        box: the viewBox. scale: its pixels on the page, in hundredths, where it is no wider. edges: each with the ends
            of its line. heads: labels of columns and rows with their positions. legend: sign, class, words and picture.
            picture: file below the cells; under: where it lies; turned: whether by half. pattern: class of how its
            cells are drawn. lines: ends of those between neighbours, of crossings without a picture.
    """

    name: str
    label: str
    box: tuple[int, int, int, int]
    spots: list[DrawnSpot] = field(default_factory=list)
    edges: list[tuple[DrawnSpot, tuple[int, int, int, int]]] = field(default_factory=list)
    corners: list[DrawnSpot] = field(default_factory=list)
    scale: int = COARSE
    heads: list[tuple[int, int, str]] = field(default_factory=list)
    legend: list[tuple[str, str, str, str]] = field(default_factory=list)
    picture: str = ""
    under: tuple[int, int, int, int] = (0, 0, 0, 0)
    turned: bool = False
    pattern: str = ""
    lines: list[tuple[int, int, int, int]] = field(default_factory=list)

    @property
    def fine(self) -> bool:
        """Return whether pieces on edges and corners are drawn small."""
        return self.scale == FINE

    @property
    def told(self) -> list[DrawnSpot]:
        """Return all that is drawn, for those who have it read to them."""
        return [*self.spots, *(spot for spot, _ in self.edges), *self.corners]


def drawing(scene: Scene, looks: Looks, board: layout.Board) -> Drawing:
    """Return the drawing of a board."""
    return _Painter(scene, looks, board).drawing


class _Painter:
    """Draws one board, part by part, into `drawing`."""

    def __init__(self, scene: Scene, looks: Looks, board: layout.Board) -> None:
        self.scene, self.looks, self.board, self.names = scene, looks, board, scene.names
        self.drawing = Drawing(board.name, self.names.name(board.name), (0, 0, 0, 0))
        self.drawing.pattern = looks.theme.patterns.get(board.name, "")
        self.shape = SLANTED if self.drawing.pattern == "slanted" else ADJACENCIES[board.grid.adjacency]
        if board.corners or board.decl.border:
            self.drawing.scale = FINE
        self.grounds = looks.theme.cells.get(board.name, {})
        cells = [*map(self._cell, board.cells)]
        if picture := looks.theme.boards.get(board.name):
            corners = [tuple(map(int, corner.split(","))) for spot in cells for corner in spot.points.split()]
            (left, *_, right), (top, *_, bottom) = (sorted(axis) for axis in zip(*corners, strict=True))
            self.drawing.picture, self.drawing.under = picture, (left, top, right - left, bottom - top)
            self.drawing.turned = board.turned
        elif self.drawing.pattern == "crossings" and not board.edges:
            self.drawing.lines = [*self._lines()]
        self.drawing.spots = [*cells, *self._sides()]
        self.drawing.edges = [*self._around(board.edges)]
        self.drawing.corners = [spot for spot, _ in self._around(board.corners)]
        self._add_heads()
        self._set_view_box()
        self._write_legend()

    def _centre(self, column: int, row: int) -> tuple[int, int]:
        """Return the centre of a place."""
        return self._seen(*self.shape.centre(column, row))

    def _point(self, point: Place) -> tuple[int, int]:
        """Return the position of a corner."""
        x, y = (round(at * unit) for at, unit in zip(point, self.shape.unit, strict=True))
        return self._seen(x, y)

    def _seen(self, x: int, y: int) -> tuple[int, int]:
        """Return where something lies: from the bottom if the first row is the lowest, and turned by half for who sits
        opposite."""
        grid, turned = self.board.grid, self.board.turned
        pitch = self.shape.centre(0, 2)[1] - self.shape.centre(0, 0)[1]  # of two rows
        low = (grid.rows - 1) * pitch // 2 - y if grid.upward != turned else y
        return (self.shape.centre(grid.columns - 1, 0)[0] - x if turned else x), low

    def _cell(self, spot: layout.Spot) -> DrawnSpot:
        """Return a cell with its contents; values that differ between cells are drawn as tokens."""
        place, half = self.board.places[spot.name], self.shape.half
        x, y = self._centre(*place)
        points = " ".join("{},{}".format(*self._point(point)) for point in self.shape.corners(*place))
        values = [(name, spot.things[name]) for name in self.board.values if name in spot.things]
        tokens = [*self._tokens(spot.tokens), *starmap(self._value, values)]
        told, is_dark = self.board.told(spot), self.drawing.pattern == "chequered" and not sum(place) % 2
        sign = "" if spot.sign in (layout.blank(self.board.grid, place), ".", " ") else spot.sign
        return DrawnSpot(
            spot.name, x, y, points, (x - half, y - half, 2 * half, 2 * half),
            "ground-dark" if is_dark else self._ground(spot.sign), sign, tuple(tokens),
            self.names.labelled(spot.name, ", ".join(told)) if told else spot.name,
            self.scene.picked_there(spot), bare=not told, picture=self.grounds.get(spot.sign, ""),
            fresh=self.scene.is_fresh(spot),
        )  # fmt: skip

    def _ground(self, sign: str) -> str:
        """Return the class of a cell's ground: a colour if the sign's attributes name one, else by its index in the
        legend."""
        legend = self.board.decl.legend
        attributes = legend.get(sign, {})
        for text in attributes.values():
            if (hue := self.looks.hue(text.text)).startswith(("is-", "own-")):
                return f"ground-tint {hue}"
        kinds = [next((t.text for t in row.values()), "") for row in legend.values()]
        first = next((text.text for text in attributes.values()), "")
        return f"ground{list(dict.fromkeys(kinds)).index(first) % 6}" if first in kinds else "ground0"

    def _tokens(self, tokens: Iterable[layout.BoardPieces], style: str = "") -> Iterator[DrawnToken]:
        """Yield tokens as they are drawn; `style`: of those that nobody owns."""
        for token in tokens:
            picture = self._picture(token)
            turn = DIRECTIONS.index(token.facing[0]) * 45 if token.facing else None
            key = f"{token.piece.id}@{token.owner}" if token.piece is not None else ""
            yield DrawnToken(self._sign(token), self.names.style(token.owner) or style, turn, token.count, picture, key)

    def _value(self, name: str, thing: Observed) -> DrawnToken:
        """Return a value as it is drawn: a player by the colour alone, which the legend tells, others by three
        letters."""
        style = self.names.style(self.names.whose(name, thing))
        return DrawnToken("" if style else self.names.thing(name, thing)[:3], style, None, 1, "")

    def _picture(self, token: layout.BoardPieces) -> str:
        """Return the picture of a token, of its row or kind; empty without."""
        row = self.looks.rows[token.piece.id] if token.piece is not None else None
        return self.looks.theme.picture(row.id, row.kind) if row is not None else ""

    def _lines(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield a line from each cell to each neighbour across a side."""
        centres = {place: self._centre(*place) for place in self.board.places.values()}
        for place, centre in centres.items():
            for way in range(0, 8, 2):
                end = self.shape.step(*place, way)
                if end in centres and end > place:
                    yield (*centre, *centres[end])

    def _ends(self, spot: layout.Spot) -> list[tuple[int, int]]:
        """Return the ends of the line that an edge is drawn as; of a corner its place."""
        cells = [self._centre(*self.board.places[name]) for name in spot.name.split("_") if name in self.board.places]
        if self.drawing.pattern == "crossings" and len(cells) > 1:
            return cells
        if self.shape is not SLANTED:
            (x, y), *_, (u, v) = [self._point(point) for point in (*spot.points, *spot.points)]
            dx, dy = round((u - x) * 0.06), round((v - y) * 0.06)
            return [(x + dx, y + dy), (u - dx, v - dy)]
        (ax, ay), *_, (bx, by) = cells + cells  # the sides of hexagons lie across the lines between their centres
        x, y, dx, dy = (ax + bx) // 2, (ay + by) // 2, (by - ay) * 11 // 25, (ax - bx) * 11 // 25
        return [(x - dx, y - dy), (x + dx, y + dy)]

    def _around(self, spots: Iterable[layout.Spot]) -> Iterator[tuple[DrawnSpot, tuple[int, int, int, int]]]:
        """Yield each edge or corner that has a sign, that holds something or that can be picked, with the ends of the
        line that an edge is drawn as."""
        for spot in spots:
            pick_state = self.scene.picked_there(spot)
            if not (spot.sign or spot.things or pick_state.pick or pick_state.picked):
                continue
            ends = self._ends(spot)
            x, y = (sum(axis) // 2 for axis in zip(*ends, strict=True))
            whose = {self.names.whose(name, thing) for name, thing in spot.things.items()}
            whose |= {token.owner for token in spot.tokens}
            style = self.names.style(whose.pop()) if len(whose) == 1 else ""
            told = self.board.told_around(spot)
            called = self.names.words.lexicon.noun(spot.targets[0][0][1], spot.name).one
            label = self.names.labelled(called, ", ".join(told)) if told else called
            half = 20 if len(spot.points) > 1 else 16
            drawn = DrawnSpot(
                spot.name, x, y, "", (x - half, y - half, 2 * half, 2 * half),
                f"held p-{style}" if style else "held" if spot.things else "drawn", spot.sign,
                tuple(self._tokens(spot.tokens)), label, pick_state, bare=not told,
                fresh=self.scene.is_fresh(spot),
            )  # fmt: skip
            yield drawn, (*ends[0], *ends[1])

    def _sides(self) -> Iterator[DrawnSpot]:
        """Yield the places along the sides, outwards from the board."""
        far_x, far_y = (self.board.grid.columns - 1) * SIDE, (self.board.grid.rows - 1) * SIDE
        half = STRIP // 2
        for side, strip in self.board.strips.items():
            dx, dy = OUTWARDS[side]
            style, whose = self.names.style(strip.owner), self.names.party_named(strip.owner)
            for out, row in enumerate(strip.rows):
                away = SIDE // 2 + GAP + STRIP // 2 + out * (STRIP + 4)
                for at, spot in enumerate(row):
                    x = at * SIDE if dx == 0 else far_x + away if dx > 0 else -away
                    y = self.board.grid.line(at) * SIDE if dy == 0 else far_y + away if dy > 0 else -away
                    points = f"{x - half},{y - half} {x + half},{y - half} {x + half},{y + half} {x - half},{y + half}"
                    told = [self.names.thing(spot.name, thing, full=True) for thing in spot.things.values()]
                    text = "".join(told) or (self.names.name(spot.closed) if spot.closed else "")
                    where = f"{whose}: {', '.join(map(self.names.index, spot.index.values()))}"
                    yield DrawnSpot(
                        f"{spot.name}-{strip.owner}-{'-'.join(spot.index.values())}", x, y, points,
                        (x - half, y - half, STRIP, STRIP), f"strip p-{style}", "",
                        tuple(self._tokens(spot.tokens, style)), self.names.labelled(where, text) if text else where,
                        self.scene.picked_there(spot), bool(spot.closed), not text,
                        fresh=self._is_fresh(spot, strip.owner),
                    )  # fmt: skip

    def _is_fresh(self, spot: layout.Spot, owner: str) -> bool:
        """Return whether a rival has moved a piece to a place along a side."""
        zone = f"{spot.name}[{','.join((owner, *spot.index.values()))}]"
        return any(layout.target(t.piece, zone)[1:] in self.scene.fresh for t in spot.tokens if t.piece is not None)

    # ---- around

    def _add_heads(self) -> None:
        """Add letters of columns and numbers of rows, where cells are named by them."""
        if self.board.strips or not self.shape.heads:
            return
        away = SIDE if self.drawing.fine else SIDE * 3 // 4
        first: dict[tuple[int, int], str] = {}
        for cell, place in self.board.places.items():
            for axis in (0, 1):
                first.setdefault((axis, place[axis]), cell)
        for column in range(self.board.grid.columns):
            cell = first.get((0, column), "")
            self.drawing.heads.append((self._centre(column, 0)[0], -away, cell.rstrip("0123456789")))
        left = self.board.grid.columns - 1 if self.board.turned else 0
        for row in range(self.board.grid.rows):
            number = first.get((1, row), "").lstrip("abcdefghijklmnopqrstuvwxyz")
            x, y = self._centre(left, row)
            self.drawing.heads.append((x - away, y, number))

    def _set_view_box(self) -> None:
        """Set the viewBox: all spots and heads, and a margin."""
        xs = [s.x for s in self.drawing.spots] + [x for x, _, _ in self.drawing.heads]
        ys = [s.y for s in self.drawing.spots] + [y for _, y, _ in self.drawing.heads]
        margin = SIDE * 5 // 6 if self.drawing.fine else SIDE * 2 // 3
        left, top = min(xs) - margin, min(ys) - margin
        self.drawing.box = (left, top, max(xs) + margin - left, max(ys) + margin - top)

    def _write_legend(self) -> None:
        """Write the legend: pieces by sign and colour, then the grounds."""
        pieces = {
            (self._sign(t), self.names.style(t.owner)): (t.text, self._picture(t))
            for spot in self.board.spots
            for t in spot.tokens
            if t.piece is not None
        }
        for spot in self.board.cells:
            for name in self.board.values:
                if name in spot.things and (style := self.names.style(self.names.whose(name, spot.things[name]))):
                    whose = self.names.thing(name, spot.things[name])
                    pieces["", style] = self.names.labelled(self.names.name(name), whose), ""
        self.drawing.legend = [(sign, style, *told) for (sign, style), told in sorted(pieces.items())]
        self.drawing.legend += [
            (sign, self._ground(sign), text, self.grounds.get(sign, ""))
            for sign, text in self.board.meanings.items()
            if not self.drawing.picture or sign in self.grounds
        ]

    def _sign(self, token: layout.BoardPieces) -> str:
        """Return the sign of a token, where there are several; of pieces that carry others with a `+`."""
        return token.sign * (len(self.board.signs) > 1) + "+" * token.laden
