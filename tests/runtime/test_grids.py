"""Grid geometry against what coordinates say."""

from __future__ import annotations

from itertools import product

import pytest

from rulelang.geometry import ADJACENCIES, STEPS
from rulelang.ir.program import GridTable
from rulelang.runtime.grids import Grid

SIZES = [(1, 1), (4, 4), (5, 3), (2, 7)]


def grid(columns: int, rows: int, adjacency: str = "orthogonal", upward: bool = False) -> Grid:
    places = positions(columns, rows)
    return Grid(GridTable("G", adjacency, tuple(map(str, places)), tuple(places), upward=upward))


def positions(columns: int, rows: int) -> list[tuple[int, int]]:
    return [(x, y) for y in range(rows) for x in range(columns)]


@pytest.mark.parametrize("upward", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_steps_and_rays(size: tuple[int, int], upward: bool) -> None:
    """One step adds its offset; a ray is all steps until the edge; the way back is the opposite one. Where the
    first row is the lowest, north leads to the next row."""
    board, cells = grid(*size, upward=upward), positions(*size)
    for (cell, (x, y)), (way, (dx, down)) in product(enumerate(cells), enumerate(STEPS)):
        dy = -down if upward else down
        there = (x + dx, y + dy)
        assert board.toward[way][cell] == (cells.index(there) if there in cells else -1)
        ray = [(x + n * dx, y + n * dy) for n in range(1, 9)]
        assert [cells[c] for c in board.rays[way][cell]] == [place for place in ray if place in cells]
        if there in cells:
            assert board.toward[(way + 4) % 8][cells.index(there)] == cell


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("upward", [False, True])
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_distance_is_the_shortest_way(size: tuple[int, int], adjacency: str, upward: bool) -> None:
    """Distances and regions agree with a search over neighbours."""
    board = grid(*size, adjacency, upward)
    for start in range(board.size):
        steps = {start: 0}
        order = [start]
        for here in order:
            for there in board.neighbours[here]:
                if there not in steps:
                    steps[there] = steps[here] + 1
                    order.append(there)
        assert [board.distance(start, cell) for cell in range(board.size)] == [steps[c] for c in range(board.size)]
        region = board.region(start, list(range(board.size)))
        assert sorted(region) == list(range(board.size))
        assert [steps[cell] for cell in region] == sorted(steps.values())


def test_region_stops_at_gaps() -> None:
    """Only what is connected belongs to a region; a cell that is not in the set has none."""
    board = grid(4, 2)
    assert board.region(0, [0, 1, 3, 7]) == [0, 1]
    assert board.region(2, [0, 1]) == []
    assert board.region(3, [0, 1, 3, 7, 6]) == [3, 7, 6]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_lines_are_all_straight_runs(size: tuple[int, int], length: int) -> None:
    """Every set of n cells in a row, a column or a diagonal, once."""
    board, cells = grid(*size), positions(*size)
    runs = set()
    for (x, y), (dx, dy) in product(cells, STEPS):
        run = frozenset((x + n * dx, y + n * dy) for n in range(length))
        if run <= set(cells):
            runs.add(run)
    lines = [frozenset(cells[cell] for cell in line) for line in board.lines(length)]
    assert len(lines) == len(set(lines))
    assert set(lines) == runs
    assert board.lines(0) == []


def test_places_by_number() -> None:
    """Columns and rows count from 1; the border; directions of rays."""
    board = grid(4, 3)
    assert board.cell_at(2, 3) == 9
    assert board.cell_at(5, 1) == board.cell_at(0, 1) == board.cell_at(1, 4) == -1
    assert [cell for cell in range(12) if not board.on_edge(cell)] == [5, 6]
    assert board.direction(0, 10) == 3
    assert board.direction(0, 6) == -1
    assert board.direction(5, 5) == -1
