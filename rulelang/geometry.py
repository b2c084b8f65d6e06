"""Where the neighbours of a cell lie, by the shape of a grid.

Enters: a column and row, counted from 0 from the top left, a direction. Leaves: the column and row one step further. On
a hexagonal grid every other row, from the second on, is shifted half a cell to the right; on a triangular one the first
cell of the first row points up, its neighbours down, and so on in turn.
"""

from __future__ import annotations

DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""(column, row) of one step in each direction, clockwise from north."""
ADJACENCIES = ("orthogonal", "all", "hexagonal", "triangular")


def step(adjacency: str, column: int, row: int, way: int) -> tuple[int, int] | None:
    """Return the column and row of the neighbour in a direction; None where the adjacency has no such direction."""
    across, down = STEPS[way]
    if adjacency == "hexagonal":
        if not across:
            return None
        across = across if not down else (across - 1) // 2 + row % 2
    elif adjacency == "triangular" and (way % 2 or way == (0 if (column + row) % 2 == 0 else 4)):
        return None
    return column + across, row + down


def sides(adjacency: str) -> range:
    """Return the directions that cross a side of a cell, without those across a corner."""
    return range(0, 8, 1 if adjacency == "hexagonal" else 2)


def distance(adjacency: str, a: tuple[int, int], b: tuple[int, int]) -> int:
    """Return the number of steps between two cells on a board without gaps."""
    (a, b) = sorted((a, b), key=lambda place: place[1])
    across, down = abs(a[0] - b[0]), b[1] - a[1]
    if adjacency == "all":
        return max(across, down)
    if adjacency == "hexagonal":
        slanted = a[0] - a[1] // 2 - b[0] + b[1] // 2
        return max(abs(slanted), down, abs(slanted - down))
    if adjacency == "triangular" and down:  # down goes only from a cell that points up, to one that points down
        across = max(across, down - 1 + sum(a) % 2 + (sum(b) + 1) % 2)
    return across + down
