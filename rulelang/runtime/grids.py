"""Geometry of a grid, tabulated once.

Enters: a `GridTable`, where edges and corners lie. Leaves: `Grid` with neighbours, rays, distances, lines, what touches
what. Cells are numbered row by row from the
first one; -1 stands for beyond the edge. Directions are numbered clockwise from north (0) to north-west (7).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, cached_property

from rulelang import geometry
from rulelang.geometry import Place, Points
from rulelang.ir.program import GridTable
from rulelang.vocabulary.types import Type

DIRECTIONS = range(8)


class Grid:
    """Tables of one grid.

    Attributes:
        places: cell -> (column, row), from 0. upward: whether the first row is the lowest.
        toward: direction -> cell -> next cell or -1.
        rays: direction -> cell -> cells from the next one to the edge.
        neighbours: cell -> cells, by the grid's adjacency, in order of direction.
    """

    def __init__(self, table: GridTable, points: Mapping[Type, Sequence[Collection[Place]]] | None = None) -> None:
        """Tabulate what is between cells. `points`: type of edges or corners -> where each of them lies."""
        self.cells = table.cells
        self.places: tuple[tuple[int, int], ...] = table.places
        self.adjacency, self.upward = table.adjacency, table.upward
        self.size = len(self.cells)
        self.columns, self.rows = (1 + max(place[axis] for place in self.places) for axis in (0, 1))
        self._cells = {place: cell for cell, place in enumerate(self.places)}
        steps = [
            [geometry.step(self.adjacency, *place, geometry.mirrored(way, self.upward)) for place in self.places]
            for way in DIRECTIONS
        ]
        self.toward: list[list[int]] = [[-1 if to is None else self._cells.get(to, -1) for to in row] for row in steps]
        self.rays: list[list[list[int]]] = [[self._ray(row, cell) for cell in range(self.size)] for row in self.toward]
        shape = geometry.ADJACENCIES[self.adjacency]
        self.neighbours: list[list[int]] = [
            [self.toward[way][cell] for way in shape.around if self.toward[way][cell] >= 0] for cell in range(self.size)
        ]
        self._edge = [
            any(self.toward[direction][cell] < 0 and steps[direction][cell] is not None for direction in shape.sides)
            for cell in range(self.size)
        ]
        self._lines: dict[int, list[list[int]]] = {}
        self._points = {type_: [frozenset(value) for value in values] for type_, values in (points or {}).items()}
        self.lying: Callable[[Type], list[list[int]]] = cache(self._lying)
        self.touching: Callable[[Type, Type], list[list[int]]] = cache(self._touching)

    @property
    def full_turn(self) -> int:
        """The number of sides of each cell."""
        return len(self._sides[0])

    @cached_property
    def _sides(self) -> list[dict[int, Points]]:
        return [geometry.sides(self.adjacency, *place, self.upward) for place in self.places]

    def _lying(self, type_: Type) -> list[list[int]]:
        """Return direction -> cell -> the edge or corner, whichever the type is of, that lies there, -1 for none."""
        at = {points: n for n, points in enumerate(self._points[type_])}
        rows = self._sides
        if any(len(points) == 1 for points in at):
            rows = [geometry.corners(self.adjacency, *place, self.upward) for place in self.places]
        return [[at.get(row[way], -1) if way in row else -1 for row in rows] for way in DIRECTIONS]

    def edge_between(self, type_: Type, a: int, b: int) -> int:
        """Return the edge of a type between two cells, -1 for none."""
        return next((row[a] for row, to in zip(self.lying(type_), self.toward, strict=True) if to[a] == b), -1)

    def _touching(self, source: Type, target: Type) -> list[list[int]]:
        """Return for each cell, edge or corner those of another type that touch it: around a cell clockwise from north,
        others in order. Of one type edges touch that have a corner in common, corners at the ends of a side."""
        if source.kind == "cell":
            lying = self.lying(target)
            return [[row[cell] for row in lying if row[cell] >= 0] for cell in range(self.size)]
        own = self._points[source]
        cells = [frozenset(point for side in row.values() for point in side) for row in self._sides]
        others = cells if target.kind == "cell" else self._points[target]
        sides = {side for row in self._sides for side in row.values()}
        ends, near = defaultdict[Place, set[Place]](set), defaultdict[Place, list[int]](list)
        for side in sides:
            for point in side:
                ends[point] |= side
        for number, points in enumerate(others):
            for point in points:
                near[point].append(number)

        def touch(a: Points, b: Points) -> bool:
            """Return whether one lies on the other; of one type whether edges have an end in common, or a side joins
            corners."""
            return (a != b and (len(a) > 1 or a | b in sides)) if source == target else a <= b or b <= a

        reached = [ends[min(a)] if source == target and len(a) == 1 else a for a in own]
        return [
            sorted({n for point in around for n in near[point] if touch(a, others[n])})
            for a, around in zip(own, reached, strict=True)
        ]

    def _ray(self, next_cell: list[int], cell: int) -> list[int]:
        """Return the cells from the next one to the edge; `next_cell`: cell -> next one in a direction."""
        ray = []
        while (cell := next_cell[cell]) >= 0:
            ray.append(cell)
        return ray

    def distance(self, a: int, b: int) -> int:
        """Return the number of steps between two cells by the grid's adjacency, whatever lies between."""
        return geometry.distance(self.adjacency, self.places[a], self.places[b])

    def region(self, cell: int, cells: Collection[int]) -> list[int]:
        """Return the connected component of `cells` that contains `cell`, breadth first; empty if `cell` is not among
        them."""
        unvisited = set(cells)
        if cell not in unvisited:
            return []
        unvisited.remove(cell)
        region = [cell]
        for current in region:
            for neighbour in self.neighbours[current]:
                if neighbour in unvisited:
                    unvisited.remove(neighbour)
                    region.append(neighbour)
        return region

    def line(self, row: int) -> int:
        """Return the line in which a row is drawn, both from 0, lines from the top."""
        return self.rows - 1 - row if self.upward else row

    def on_edge(self, cell: int) -> bool:
        """Return whether a cell lacks a neighbour across one of its sides."""
        return self._edge[cell]

    def lines(self, length: int) -> list[list[int]]:
        """Return all straight runs of `length` cells: rows to the east, columns to the south, diagonals to the lower
        right, then to the lower left."""
        if length < 1:
            return []
        if length not in self._lines:
            directions = (2,) if length == 1 else (2, 4, 3, 5)
            self._lines[length] = [
                [cell, *ray[: length - 1]]
                for direction in directions
                for cell, ray in enumerate(self.rays[direction])
                if len(ray) >= length - 1
            ]
        return self._lines[length]

    def cell_at(self, column: int, row: int) -> int:
        """Return the cell at a column and row counted from 1, or -1."""
        return self._cells.get((column - 1, row - 1), -1)

    def turned(self, cell: int, way: int, steps: int) -> int:
        """Return the direction so many sides of a cell further clockwise. On squares diagonals turn along; a direction
        that leads nowhere from the cell stays."""
        ways = [
            n
            for n in DIRECTIONS
            if geometry.step(self.adjacency, *self.places[cell], geometry.mirrored(n, self.upward)) is not None
        ]
        each = len(ways) // self.full_turn
        return ways[(ways.index(way) + each * steps) % len(ways)] if way in ways else way

    def direction(self, a: int, b: int) -> int:
        """Return the direction of the ray from `a` through `b`; -1: they are on no line."""
        return next((direction for direction in DIRECTIONS if b in self.rays[direction][a]), -1)
