"""The adjacencies of grids: where the neighbours of a cell lie, how far cells are apart, how they are drawn.

Enters: a column and row, counted from 0 from the top left, a direction. Leaves: the column and row one step further. On
a hexagonal grid every other row, from the second on, is shifted half a cell to the right; on a triangular one the first
cell of the first row points up, its neighbours down, and so on in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""(column, row) of one step in each direction, clockwise from north."""
SIDE, SLANT = 100, 87
"""Pixels from the centre of a cell to that of the next in its row, of hexagons and triangles between rows."""
Place = tuple[int, int]
Points = frozenset[Place]
"""Points of a lattice: one of a corner, two of a side."""


class Adjacency(NamedTuple):
    """A shape of grids.

    Attributes:
        step: column, row, direction -> the column and row one step further; None where it has no such direction.
        sides: the directions that cross a side of a cell, without those across a corner.
        around: the directions in which neighbours lie.
        distance: columns and rows of two cells, the second in no higher row -> steps on a board without gaps; the same
            in C, by its place among `ADJACENCIES`, is `grid_distance` of `native/c/grids.h`.
        centre: column, row -> the centre of a cell as it is drawn, in pixels.
        corners: column, row -> the corners of a cell, points of a lattice: cells that touch have them in common.
        unit: pixels of a step of the lattice across and down.
        half: half the side of the square within a cell.
        shifts: whether every other row is shifted by half a cell. heads: whether columns and rows are headed.
        blank: column, row -> the sign of a cell that no map draws.
    """

    step: Callable[[int, int, int], Place | None]
    sides: range
    around: range
    distance: Callable[[Place, Place], int]
    centre: Callable[[int, int], Place]
    corners: Callable[[int, int], list[Place]]
    unit: tuple[float, float] = (SIDE // 2, SIDE // 2)
    half: int = SIDE // 2
    shifts: bool = False
    heads: bool = True
    blank: Callable[[int, int], str] = lambda column, row: "."


def _straight(column: int, row: int, way: int) -> Place:
    across, down = STEPS[way]
    return column + across, row + down


def _hexagonal_step(column: int, row: int, way: int) -> Place | None:
    across, down = STEPS[way]
    if not across:
        return None
    return column + (across if not down else (across - 1) // 2 + row % 2), row + down


def _triangular_step(column: int, row: int, way: int) -> Place | None:
    none = way % 2 or way == (0 if (column + row) % 2 == 0 else 4)
    return None if none else _straight(column, row, way)


def _apart(a: Place, b: Place) -> Place:
    """Return how many columns and rows are between two cells."""
    return abs(a[0] - b[0]), b[1] - a[1]


def _hexagonal_distance(a: Place, b: Place) -> int:
    slanted, down = a[0] - a[1] // 2 - b[0] + b[1] // 2, b[1] - a[1]
    return max(abs(slanted), down, abs(slanted - down))


def _triangular_distance(a: Place, b: Place) -> int:
    across, down = _apart(a, b)
    if down:  # down goes only from a cell that points up, to one that points down
        across = max(across, down - 1 + sum(a) % 2 + (sum(b) + 1) % 2)
    return across + down


def _triangle(column: int, row: int) -> list[Place]:
    down = (column + row) % 2
    return [(column, 2 * row - 1 + 2 * down), *((column + side, 2 * row + 1 - 2 * down) for side in (-1, 1))]


def _triangular_centre(column: int, row: int) -> Place:
    up = (column + row) % 2 == 0
    return column * SIDE // 2, row * SLANT + (SLANT // 6 if up else -SLANT // 6)


SQUARE = (-1, -1), (1, -1), (1, 1), (-1, 1)
HEXAGON = (0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1)
ORTHOGONAL = Adjacency(
    step=_straight,
    sides=range(0, 8, 2),
    around=range(0, 8, 2),
    distance=lambda a, b: sum(_apart(a, b)),
    centre=lambda column, row: (column * SIDE, row * SIDE),
    corners=lambda column, row: [(2 * column + dx, 2 * row + dy) for dx, dy in SQUARE],
)
ADJACENCIES = {
    "orthogonal": ORTHOGONAL,
    "all": ORTHOGONAL._replace(around=range(8), distance=lambda a, b: max(_apart(a, b))),
    "hexagonal": Adjacency(
        step=_hexagonal_step,
        sides=range(8),
        around=range(8),
        distance=_hexagonal_distance,
        centre=lambda column, row: (column * SIDE + (row % 2) * SIDE // 2, row * SLANT),
        corners=lambda column, row: [(2 * column + row % 2 + dx, 3 * row + dy) for dx, dy in HEXAGON],
        unit=(SIDE // 2, SLANT // 3),
        half=38,
        shifts=True,
    ),
    "triangular": Adjacency(
        step=_triangular_step,
        sides=range(0, 8, 2),
        around=range(0, 8, 2),
        distance=_triangular_distance,
        centre=_triangular_centre,
        corners=_triangle,
        unit=(SIDE // 2, SLANT / 2),
        half=26,
        heads=False,
        blank=lambda column, row: "v" if (column + row) % 2 else "^",
    ),
}


def step(adjacency: str, column: int, row: int, way: int) -> Place | None:
    """Return the column and row of the neighbour in a direction; None where the adjacency has no such direction."""
    return ADJACENCIES[adjacency].step(column, row, way)


def corners(adjacency: str, column: int, row: int, upward: bool = False) -> dict[int, Points]:
    """Return the corners of a cell, clockwise from north, by the direction from its centre: sets of one point.

    Args:
        upward: whether the first row is the lowest, so that north leads to the next.
    """
    points = ADJACENCIES[adjacency].corners(column, row)
    middle = [sum(axis) for axis in zip(*points, strict=True)]
    lying = [
        tuple((len(points) * at > whole) - (len(points) * at < whole) for at, whole in zip(point, middle, strict=True))
        for point in points
    ]
    ways = [mirrored(STEPS.index((across, down)), upward) for across, down in lying]
    return dict(sorted((way, frozenset((point,))) for way, point in zip(ways, points, strict=True)))


def sides(adjacency: str, column: int, row: int, upward: bool = False) -> dict[int, Points]:
    """Return the sides of a cell, clockwise from north, by the direction that crosses them: sets of two points.

    Args:
        upward: see `corners`.
    """
    shape = ADJACENCIES[adjacency]
    own = frozenset(shape.corners(column, row))
    steps = {way: shape.step(column, row, mirrored(way, upward)) for way in shape.sides}
    return {way: own & {*shape.corners(*place)} for way, place in steps.items() if place is not None}


def mirrored(way: int, upward: bool) -> int:
    """Return the direction in which another lies on a board of which the first row is the lowest, if it is."""
    return (4 - way) % 8 if upward else way


def distance(adjacency: str, a: Place, b: Place) -> int:
    """Return the number of steps between two cells on a board without gaps."""
    return ADJACENCIES[adjacency].distance(*sorted((a, b), key=lambda place: place[1]))
