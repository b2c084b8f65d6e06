"""Geometry of a grid, tabulated once.

Enters: a `GridTable`. Leaves: `Grid` with neighbours, rays, distances, lines. Cells are numbered row by row from the
first one; -1 stands for beyond the edge. Directions are numbered clockwise from north (0) to north-west (7).
"""

from __future__ import annotations

from collections.abc import Collection

from rulelang import geometry
from rulelang.ir.program import GridTable

DIRECTIONS = range(8)


class Grid:
    """Tables of one grid.

    Attributes:
        places: cell -> (column, row), from 0. upward: whether the first row is the lowest.
        toward: direction -> cell -> next cell or -1.
        rays: direction -> cell -> cells from the next one to the edge.
        neighbours: cell -> cells, by the grid's adjacency, in order of direction.
    """

    def __init__(self, table: GridTable) -> None:
        self.cells = table.cells
        self.places: tuple[tuple[int, int], ...] = table.places
        self.adjacency, self.upward = table.adjacency, table.upward
        self.size = len(self.cells)
        self.columns, self.rows = (1 + max(place[axis] for place in self.places) for axis in (0, 1))
        self._cells = {place: cell for cell, place in enumerate(self.places)}
        steps = [
            [geometry.step(self.adjacency, *place, (4 - way) % 8 if self.upward else way) for place in self.places]
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

    def direction(self, a: int, b: int) -> int:
        """Return the direction of the ray from `a` through `b`; -1: they are on no line."""
        return next((direction for direction in DIRECTIONS if b in self.rays[direction][a]), -1)
