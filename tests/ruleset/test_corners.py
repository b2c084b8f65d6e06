"""Edges and corners of boards: counted beside Euler's formula and drawn with compasses, named, with attributes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from itertools import permutations, product
from pathlib import Path

import pytest

import rulelang
from rulelang.perft import perft
from rulelang.runtime.grids import Grid
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import Type

ADJACENCIES = ("orthogonal", "all", "hexagonal", "triangular")
DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
Spot = tuple[int, int]

BOARD = """\
rulelang: 2
name: board
players: 1
grids:
  Cell:
    adjacency: {adjacency}
    first_row: {first}
    legend: {{".": {{}}, "_": none}}
    map: |2
      {drawn}
    edges: {{name: Path, border: {border}}}
    corners: {{name: Corner}}
rules: |
  play: pass
"""


def corners_of(adjacency: str, column: int, row: int, upward: bool) -> list[Spot]:
    """The corners of a cell with sides of length 1, clockwise from the top, in millionths."""
    up = (column + row) % 2 == 0
    if adjacency == "hexagonal":
        x, y, turns, radius = math.sqrt(3) * (column + row % 2 / 2), 1.5 * row, range(0, 360, 60), 1.0
    elif adjacency == "triangular":
        height = math.sqrt(3) / 2
        x, y = column / 2, height * (row + (2 / 3 if up else 1 / 3))
        turns, radius = range(0 if up else 60, 360, 120), 1 / math.sqrt(3)
    else:
        x, y, turns, radius = float(column), float(row), range(45, 360, 90), math.sqrt(0.5)
    points = [(x + radius * math.sin(math.radians(t)), y - radius * math.cos(math.radians(t))) for t in turns]
    if upward:  # seen in a mirror, clockwise again
        points = [(across, -down) for across, down in points]
        points.sort(key=lambda point: angle(point[0] - x, point[1] + y))
    return [(round(1e6 * across), round(1e6 * down)) for across, down in points]


def angle(across: float, down: float) -> float:
    """Degrees clockwise from north, 0 for what is a hair before it."""
    degrees = math.degrees(math.atan2(across, -down)) % 360
    return 0 if degrees > 359 else degrees


def sides_of(corners: list[Spot]) -> list[frozenset[Spot]]:
    """The sides of a cell: pairs of corners."""
    return [frozenset(pair) for pair in zip(corners, corners[1:] + corners[:1], strict=True)]


def parts(cells: Iterable[Spot], touch: dict[Spot, set[object]]) -> int:
    """How many parts cells fall into that have nothing of what they touch in common."""
    left, number = set(cells), 0
    while left:
        number += 1
        seen = set(touch[left.pop()])
        while near := [cell for cell in left if touch[cell] & seen]:
            left -= {*near}
            seen = seen.union(*(touch[cell] for cell in near))
    return number


def drawn(adjacency: str, cells: set[Spot], columns: int, rows: int, upward: bool) -> str:
    """The map of the cells, with blanks for edges."""
    across = 4 if adjacency == "hexagonal" else 2
    lines = []
    for row in range(rows):
        shift = 2 * (row % 2) if adjacency == "hexagonal" else 0
        signs = ("." if (column, row) in cells else "_" for column in range(columns))
        lines.append(" " * shift + (" " * (across - 1)).join(signs))
    return "\n\n      ".join(reversed(lines) if upward else lines)


def board(
    folder: Path, adjacency: str, cells: set[Spot], columns: int, rows: int, *, upward: bool, border: bool
) -> Layout:
    """The layout with the board."""
    text = BOARD.format(
        adjacency=adjacency, first="bottom" if upward else "top", border=str(border).lower(),
        drawn=drawn(adjacency, cells, columns, rows, upward),
    )  # fmt: skip
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder).executor(1).layout


CELL, PATH, CORNER = Type("cell:Cell"), Type("enum:Path"), Type("enum:Corner")


@pytest.mark.parametrize("radius", range(4))
def test_a_hexagon_of_hexagons(tmp_path: Path, radius: int) -> None:
    """3r² + 3r + 1 cells have 6(r + 1)² corners and 9r² + 15r + 6 edges, 12r + 6 of them on the coast."""
    size = 2 * radius + 1
    # From each row to the next the columns of a hexagon shift by half a cell.
    cells = {
        (column, row)
        for column, row in product(range(size + 1), range(size))
        for slanted in (column - row // 2,)
        if abs(slanted - radius + radius // 2) <= radius
        and abs(row - radius) <= radius
        and abs(slanted - radius + radius // 2 + row - radius) <= radius
    }
    assert len(cells) == 3 * radius**2 + 3 * radius + 1
    grid = board(tmp_path, "hexagonal", cells, size + 1, size, upward=False, border=True).grids[0]
    around = grid.touching(CELL, CORNER)
    assert (
        len({corner for row in around for corner in row}) == 6 * (radius + 1) ** 2 == len(grid.touching(CORNER, CELL))
    )
    coast = [cells for cells in grid.touching(PATH, CELL) if len(cells) == 1]
    assert (len(grid.touching(PATH, CELL)), len(coast)) == (9 * radius**2 + 15 * radius + 6, 12 * radius + 6)
    assert sum(map(len, grid.touching(CORNER, CORNER))) == 2 * len(grid.touching(PATH, CELL))


@pytest.mark.parametrize("border", [True, False])
@pytest.mark.parametrize("upward", [True, False])
@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_boards_with_holes(tmp_path: Path, adjacency: str, upward: bool, border: bool) -> None:
    """V − E + F = 1 + C, and all that touches does so on paper."""
    rng = random.Random(f"{adjacency} {upward}")
    columns, rows = 5, 4
    everywhere = [*product(range(-2, columns + 2), range(-1, rows + 1))]
    cells = {(column, row) for column, row in product(range(columns), range(rows)) if rng.random() < 0.7}
    layout = board(tmp_path, adjacency, cells, columns, rows, upward=upward, border=border)
    (grid,) = layout.grids
    outlines = [corners_of(adjacency, *place, upward) for place in grid.places]
    sides = [sides_of(outline) for outline in outlines]
    corners = list(dict.fromkeys(corner for outline in outlines for corner in outline))
    every = dict.fromkeys(side for around in sides for side in around)
    edges = [side for side in every if border or sum(side in around for around in sides) == 2]
    if border:
        lie = {place: corners_of(adjacency, *place, upward) for place in everywhere}
        graph = parts(cells, {place: {*lie[place]} for place in cells})
        beyond = parts(
            set(everywhere) - cells, {place: {*sides_of(lie[place])} for place in everywhere if place not in cells}
        )
        assert len(corners) - len(edges) + len(cells) + beyond == 1 + graph
    names = {enum.name: enum.values for enum in layout.program.enums}
    assert [*names["Corner"]] == [named(grid, outlines, {corner}) for corner in corners]
    by_name = {named(grid, outlines, set(side)): side for side in edges}
    assert {*by_name} == {*names["Path"]}
    lying: dict[Type, list[set[Spot]]] = {
        CELL: [{*outline} for outline in outlines],
        PATH: [{*by_name[name]} for name in names["Path"]],
        CORNER: [{corner} for corner in corners],
    }
    for one, other in permutations(lying, 2):
        touching = [[n for n, b in enumerate(lying[other]) if a <= b or b <= a] for a in lying[one]]
        assert [sorted(row) for row in grid.touching(one, other)] == touching
    meeting = [[n for n, b in enumerate(lying[PATH]) if a != b and a & b] for a in lying[PATH]]
    assert grid.touching(PATH, PATH) == meeting
    beside = [[n for n, b in enumerate(lying[CORNER]) if a != b and frozenset(a | b) in every] for a in lying[CORNER]]
    assert grid.touching(CORNER, CORNER) == beside


def named(grid: Grid, outlines: list[list[Spot]], points: set[Spot]) -> str:
    """An edge or corner by the first cell that has it, and the other one or the direction from its middle."""
    first, *others = (n for n, outline in enumerate(outlines) if points <= {*outline})
    if len(points) == 2 and others:
        return f"{grid.cells[first]}_{grid.cells[others[0]]}"
    middle = [sum(axis) / len(axis) for axis in zip(*outlines[first], strict=True)]
    across, down = (sum(axis) / len(axis) - at for axis, at in zip(zip(*points, strict=True), middle, strict=True))
    if len(points) == 2 and len(outlines[first]) == 3 and abs(across) > 10:  # the triangle beyond is in the same row
        down = 0
    degrees = angle(across, down)
    # What lies beside north or south is called by both words.
    return f"{grid.cells[first]}_{DIRECTIONS[sum(degrees > each for each in (10, 80, 100, 170, 190, 260, 280))]}"


ASKED = """\
rulelang: 2
name: asked
players: 1
grids: {Cell: {columns: 2, rows: 2, edges: {name: Path, border: true}, corners: {name: Corner}}}
variables: {n: {type: 0..99}}
rules: |
  play:
    turn of seat(0):
      if some path = edge(a1, (choose one of orthogonal)): n += count(neighbours((choose one of path.corners)))
      if some c = corner((choose one of Cell), (choose one of diagonal)): n += count(c.cells)
  score n: n
"""


def test_a_choice_in_an_argument_is_one(tmp_path: Path) -> None:
    """Four ways, two ends of the edge, four cells, four corners."""
    (tmp_path / "ruleset.yaml").write_text(ASKED, encoding="utf-8")
    rows = perft(rulelang.load(tmp_path), 4, 1, backend="interpreter")
    assert [row.histories for row in rows] == [1, 4, 8, 32, 128]
