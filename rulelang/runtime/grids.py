"""Geometry of grids, worked out once per grid.

Enters: a `GridTable`. Leaves: `Grid` with neighbours, rays, distances, lines. Cells are numbered row by row from the
top left; -1 stands for beyond the edge. Directions are numbered clockwise from north.
"""

from __future__ import annotations

from collections.abc import Collection

from rulelang.ir.program import GridTable

DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""(column, row) of one step in each direction."""


class Grid:
    """Tables of one grid.

    Attributes:
        toward: direction -> cell -> next cell or -1.
        rays: direction -> cell -> cells from the next one to the edge.
        neighbours: cell -> cells, by the grid's adjacency, in order of direction.
    """

    def __init__(self, table: GridTable) -> None:
        self.columns = table.columns
        self.rows = table.rows
        self.size = table.columns * table.rows
        self.cells = table.cells
        self.all_ways = table.adjacency == "all"
        self.toward = [[self._step(cell, dx, dy) for cell in range(self.size)] for dx, dy in STEPS]
        self.rays = [[self._ray(row, cell) for cell in range(self.size)] for row in self.toward]
        ways = range(8) if self.all_ways else range(0, 8, 2)
        self.neighbours = [
            [self.toward[way][cell] for way in ways if self.toward[way][cell] >= 0] for cell in range(self.size)
        ]
        self._lines: dict[int, list[list[int]]] = {}

    def _step(self, cell: int, dx: int, dy: int) -> int:
        column, row = cell % self.columns + dx, cell // self.columns + dy
        return row * self.columns + column if 0 <= column < self.columns and 0 <= row < self.rows else -1

    def _ray(self, next_cell: list[int], cell: int) -> list[int]:
        found = []
        while (cell := next_cell[cell]) >= 0:
            found.append(cell)
        return found

    def distance(self, a: int, b: int) -> int:
        """Steps from one cell to another by the grid's adjacency, whatever lies between."""
        across, down = abs(a % self.columns - b % self.columns), abs(a // self.columns - b // self.columns)
        return max(across, down) if self.all_ways else across + down

    def region(self, cell: int, cells: Collection[int]) -> list[int]:
        """The connected part of `cells` that contains `cell`, nearest first; nothing when `cell` is not among them."""
        left = set(cells)
        if cell not in left:
            return []
        left.remove(cell)
        found = [cell]
        for here in found:
            for there in self.neighbours[here]:
                if there in left:
                    left.remove(there)
                    found.append(there)
        return found

    def on_edge(self, cell: int) -> bool:
        """Whether a cell is on the border."""
        return cell % self.columns in (0, self.columns - 1) or cell // self.columns in (0, self.rows - 1)

    def lines(self, length: int) -> list[list[int]]:
        """All straight runs of `length` cells: rows, columns, diagonals to the lower right, then to the lower left."""
        if length < 1:
            return []
        if length not in self._lines:
            ways = (2,) if length == 1 else (2, 4, 3, 5)
            self._lines[length] = [
                [cell, *ray[: length - 1]]
                for way in ways
                for cell, ray in enumerate(self.rays[way])
                if len(ray) >= length - 1
            ]
        return self._lines[length]

    def cell_at(self, column: int, row: int) -> int:
        """The cell at a column and row counted from 1, or -1."""
        if 1 <= column <= self.columns and 1 <= row <= self.rows:
            return (row - 1) * self.columns + column - 1
        return -1

    def direction(self, a: int, b: int) -> int:
        """The direction of the ray from `a` through `b`, or -1 when there is none."""
        for way in range(8):
            if b in self.rays[way][a]:
                return way
        return -1
