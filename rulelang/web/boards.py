"""A grid as a drawing: cells by their shape, the pieces on them, edges, and the zones along its sides.

Enters: the visible contents of a grid and its sides, names, the picks of a choice. Leaves: `Board`, numbers and words
for an SVG, in hundredths of a square's side. The author's map gives the signs and their meanings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rulelang.geometry import ADJACENCIES, DIRECTIONS, SIDE
from rulelang.ruleset.model import GridDecl
from rulelang.runtime.grids import Grid
from rulelang.table.board import blank, meaning, on_edges, signs_of
from rulelang.table.sides import Surroundings
from rulelang.table.view import Contents, Observed, Piece, Share, Value, is_empty
from rulelang.web.scene import PickState, Scene

GAP = 14
STRIP = 60
"""The places along a side are smaller than cells."""
OUTWARDS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


@dataclass(frozen=True)
class Token:
    """Equal pieces on a board.

    Attributes:
        style: class of their owner's colour. turn: direction that they face in degrees (None: none). picture: file, or
            empty.
    """

    sign: str
    style: str
    turn: int | None
    count: int
    picture: str


@dataclass(frozen=True)
class Spot:
    """A cell, an edge, or a zone beside a board.

    Attributes:
        x, y: its centre. points: its outline. box: left, top, width and height of the clickable area. ground: class of
            its colour. sign: of the map. label: all of it in words. cross: whether it is closed. bare: whether it is
            empty.
    """

    name: str
    x: int
    y: int
    points: str
    box: tuple[int, int, int, int]
    ground: str
    sign: str
    tokens: tuple[Token, ...]
    label: str
    pick_state: PickState
    cross: bool = False
    bare: bool = True


@dataclass
class Board:
    """A drawing.

    Attributes:
        box: the viewBox. edges: each with the ends of its line. heads: labels of columns and rows with their positions.
        legend: sign, class and words.
    """

    name: str
    label: str
    box: tuple[int, int, int, int]
    spots: list[Spot] = field(default_factory=list)
    edges: list[tuple[Spot, tuple[int, int, int, int]]] = field(default_factory=list)
    heads: list[tuple[int, int, str]] = field(default_factory=list)
    legend: list[tuple[str, str, str]] = field(default_factory=list)


def board(scene: Scene, name: str, share: Share, around: Surroundings) -> Board:
    """Return the drawing of a grid with its contents.

    Args:
        share: the party's or table's zones and values. around: what is drawn beside the board.
    """
    return _Drawing(scene, name, share, around).board


class _Drawing:
    """Draws one grid, part by part, into `board`."""

    def __init__(self, scene: Scene, name: str, share: Share, around: Surroundings) -> None:
        self.scene, self.names, self.around = scene, scene.names, around
        self.decl: GridDecl = next(row for row in scene.written.grids if row.name == name)
        self.grid: Grid = self.names.grid(name)
        self.shape = ADJACENCIES[self.grid.adjacency]
        self.rows = share.boards[name]
        self.drawn = {cell: sign for cell, (sign, _) in self.names.drawing(self.decl).items()}
        self.legend: dict[tuple[str, str], str] = {}
        self.board = Board(name, self.names.name(name), (0, 0, 0, 0))
        edges = on_edges(scene.view.ruleset, self.decl, share)
        zones = {zone.name: zone.holds for zone in scene.written.zones}
        kinds = {zones[key] for key in (*self.rows, *edges) if key in zones}
        kinds |= {zone.holds for zone in scene.written.zones if zone.beside and around.strips}
        rows = {row.id: self.names.row(row.id) for row in scene.written.pieces if row.kind in kinds}
        self.signs = signs_of(self.names, rows, self.drawn.values())
        for cell, place in zip(self.grid.cells, self.grid.places, strict=True):
            self.board.spots.append(self._cell_spot(cell, place))
        self._draw_edges(edges)
        self._draw_sides()
        self._add_heads()
        self._set_view_box()
        self._write_legend()

    # ---- cells

    def _middle(self, column: int, row: int) -> tuple[int, int]:
        """Return the centre of a cell."""
        return self.shape.centre(column, row)

    def _outline(self, column: int, row: int) -> list[tuple[int, int]]:
        """Return the corners of a cell."""
        x, y = self._middle(column, row)
        return [(x + dx, y + dy) for dx, dy in self.shape.outline(column, row)]

    def _cell_spot(self, cell: str, place: tuple[int, int]) -> Spot:
        """Return the spot of a cell with its contents."""
        x, y = self._middle(*place)
        sign = self.drawn.get(cell, "")
        things = {name: row[cell] for name, row in self.rows.items() if cell in row}
        tokens: list[Token] = []
        lines: list[str] = []
        pick_state = self.scene.pick_state("cell", cell)
        for name, thing in things.items():
            if isinstance(thing, Contents) and thing.count:
                tokens += self._tokens(thing)
                lines.append(self.names.thing(name, thing, full=True))
                if not (pick_state.pick or pick_state.picked):
                    pick_state = self._pick_state_of_piece(f"{name}[{cell}]", thing)
            elif isinstance(thing, Value) and not is_empty(thing) and self._varies(name):
                lines.append(self.names.labelled(self.names.name(name), self.names.thing(name, thing)))
                tokens.append(Token(self.names.thing(name, thing)[:3], "", None, 1, ""))
        ground = self._ground(sign)
        if sign in self.meanings:
            lines.append(self.meanings[sign])
        half = self.shape.half
        points = " ".join(f"{px},{py}" for px, py in self._outline(*place))
        shown = "" if sign == blank(self.grid, place) or sign in ". " else sign
        label = self.names.labelled(cell, ", ".join(lines)) if lines else cell
        box = (x - half, y - half, 2 * half, 2 * half)
        return Spot(cell, x, y, points, box, ground, shown, tuple(tokens), label, pick_state, bare=not lines)

    def _varies(self, name: str) -> bool:
        """Return whether a variable has different values on different cells."""
        return len({str(thing.value) for thing in self.rows[name].values() if isinstance(thing, Value)}) > 1

    @cached_property
    def meanings(self) -> dict[str, str]:
        """Return the meanings of the map's signs."""
        return dict(meaning(self.names, {**self.decl.legend, **self.decl.edge_legend}, set(self.drawn.values())))

    def _ground(self, sign: str) -> str:
        """Return the class of a cell's ground: a colour if the sign's attributes name one, else by its index in the
        legend."""
        attributes = self.decl.legend.get(sign, {})
        for text in attributes.values():
            if (hue := self.scene.looks.hue(text.text)).startswith(("is-", "own-")):
                return f"ground-tint {hue}"
        kinds = [next((t.text for t in row.values()), "") for row in self.decl.legend.values()]
        first = next((text.text for text in attributes.values()), "")
        return f"ground{list(dict.fromkeys(kinds)).index(first) % 6}" if first in kinds else "ground0"

    def _pick_state_of_piece(self, zone: str, thing: Contents) -> PickState:
        """Return how the pieces of a zone can be picked."""
        seen = thing.pieces if thing.pieces is not None else (thing.top,)
        pick_states = [self.scene.card(piece, 1, zone).pick_state for piece in seen if piece is not None]
        return next((pick_state for pick_state in pick_states if pick_state.pick or pick_state.picked), PickState())

    def _tokens(self, thing: Contents) -> Iterable[Token]:
        """Yield the pieces of a zone as tokens, and add them to the legend."""
        seen: Sequence[Piece | None] = thing.pieces if thing.pieces is not None else (thing.top,)
        counts: dict[Piece | None, int] = {}
        for piece in seen or [None]:
            counts[piece] = counts.get(piece, 0) + 1
        for piece, count in counts.items():
            if piece is None:
                yield Token("?", "", None, count, "")
                continue
            direction = next((value for _, value in piece.values if value in DIRECTIONS), None)
            plain = replace(piece, values=tuple(v for v in piece.values if v[1] not in DIRECTIONS))
            style = self.names.style(piece.owner) if piece.owner else ""
            sign = self.signs[piece.id] + ("+" if (piece.id, piece.owner) in self.around.laden else "")
            self.legend[sign, style] = self.names.piece(plain)
            turn = DIRECTIONS.index(direction) * 45 if direction in DIRECTIONS else None
            yield Token(sign, style, turn, count, self.scene.looks.look(piece.id).picture)

    # ---- edges

    def _draw_edges(self, edges: Mapping[str, Mapping[str, Observed]]) -> None:
        """Draw each edge that the map draws, that holds something or that can be picked, as a line between two
        cells."""
        if self.decl.edges is None:
            return
        places = dict(zip(self.grid.cells, self.grid.places, strict=True))
        for edge in (value.name for value in self.decl.edges.values):
            a, _, b = edge.partition("_")
            if a not in places or b not in places:
                continue
            (ax, ay), (bx, by) = self._middle(*places[a]), self._middle(*places[b])
            x, y = (ax + bx) // 2, (ay + by) // 2
            sign = self.drawn.get(edge, "").strip()
            texts = [self.names.name(name) for name, row in edges.items() if edge in row and not is_empty(row[edge])]
            pick_state = self.scene.pick_state("value", f"{self.decl.edges.name}.{edge}")
            if not (sign or texts or pick_state.pick or pick_state.picked):
                continue
            length = max(math.hypot(bx - ax, by - ay), 1)
            dx, dy = round((by - ay) / length * 44), round((ax - bx) / length * 44)
            lying = [row[edge] for row in edges.values() if edge in row]
            tokens = [token for thing in lying if isinstance(thing, Contents) for token in self._tokens(thing)]
            ground, box = "held" if texts else "drawn", (x - 20, y - 20, 40, 40)
            lines = [*texts, *([self.meanings[sign]] if sign in self.meanings else [])]
            label = self.names.labelled(self.names.name(edge), ", ".join(lines))
            spot = Spot(edge, x, y, "", box, ground, sign, tuple(tokens), label, pick_state)
            self.board.edges.append((spot, (x - dx, y - dy, x + dx, y + dy)))

    # ---- the places along the sides

    def _draw_sides(self) -> None:
        """Draw the zones along the sides, outwards from the board."""
        zone = next((row for row in self.scene.written.zones if row.beside), None)
        if zone is None:
            return
        types = {row.name: [value.name for value in row.values] for row in self.scene.written.types}
        far_x, far_y = (self.grid.columns - 1) * SIDE, (self.grid.rows - 1) * SIDE
        for side, strip in self.around.strips.items():
            dx, dy = OUTWARDS[side]
            for out, row in enumerate(strip.rows):
                away = SIDE // 2 + GAP + STRIP // 2 + out * (STRIP + 4)
                for at, thing in enumerate(row):
                    x = at * SIDE if dx == 0 else far_x + away if dx > 0 else -away
                    y = at * SIDE if dy == 0 else far_y + away if dy > 0 else -away
                    index = {zone.per[1]: types[zone.per[1]][at], zone.per[2]: types[zone.per[2]][out]}
                    closed = strip.closed.get(at, "")
                    self.board.spots.append(self._side_spot(zone.name, strip.owner, closed, x, y, index, thing))

    def _side_spot(
        self, zone: str, owner: str, closed: str, x: int, y: int, index: Mapping[str, str], thing: Contents
    ) -> Spot:
        """Return the spot of a zone beside the board, which can be picked by the values of its index if it is the
        reader's.

        Args:
            index: type -> value, along the side and outwards.
        """
        mine = index if owner == str(self.scene.view.seat) else {}
        states = [self.scene.pick_state("value", f"{type_}.{value}") for type_, value in mine.items()]
        pick_state = max(states, key=lambda state: (bool(state.pick), bool(state.picked)), default=PickState())
        half, style = STRIP // 2, self.names.style(owner)
        points = f"{x - half},{y - half} {x + half},{y - half} {x + half},{y + half} {x - half},{y + half}"
        text = self.names.thing(zone, thing, full=True) if thing.count else self.names.name(closed) if closed else ""
        where = f"{self.names.party_named(owner)}: {', '.join(map(self.names.index, index.values()))}"
        tokens = (replace(token, style=token.style or style) for token in (self._tokens(thing) if thing.count else ()))
        return Spot(
            f"{zone}-{owner}-{'-'.join(index.values())}", x, y, points, (x - half, y - half, STRIP, STRIP),
            f"strip p-{style}", "", tuple(tokens), self.names.labelled(where, text) if text else where, pick_state,
            bool(closed), not text,
        )  # fmt: skip

    # ---- around

    def _add_heads(self) -> None:
        """Add letters of columns and numbers of rows, where cells are named by them."""
        if self.around.strips or not self.shape.heads:
            return
        for column in range(self.grid.columns):
            cell = next((c for c, p in zip(self.grid.cells, self.grid.places, strict=True) if p[0] == column), "")
            self.board.heads.append((self._middle(column, 0)[0], -SIDE * 3 // 4, cell.rstrip("0123456789")))
        for row in range(self.grid.rows):
            cell = next((c for c, p in zip(self.grid.cells, self.grid.places, strict=True) if p[1] == row), "")
            number = cell.lstrip("abcdefghijklmnopqrstuvwxyz")
            self.board.heads.append((-SIDE * 3 // 4, self._middle(0, row)[1], number))

    def _set_view_box(self) -> None:
        """Set the viewBox: all spots and heads, and a margin."""
        xs = [s.x for s in self.board.spots] + [x for x, _, _ in self.board.heads]
        ys = [s.y for s in self.board.spots] + [y for _, y, _ in self.board.heads]
        left, top = min(xs) - SIDE * 2 // 3, min(ys) - SIDE * 2 // 3
        self.board.box = (left, top, max(xs) + SIDE * 2 // 3 - left, max(ys) + SIDE * 2 // 3 - top)

    def _write_legend(self) -> None:
        """Write the legend: pieces by sign and colour, then the grounds."""
        self.board.legend = [(sign, style, text) for (sign, style), text in sorted(self.legend.items())]
        grounds = [(sign, self._ground(sign), text) for sign, text in self.meanings.items()]
        self.board.legend += [(sign, ground, text) for sign, ground, text in grounds if text]
