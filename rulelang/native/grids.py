"""Operations on grids as C text.

Enters: expressions over cells and directions. Leaves: their text (c/grids.h does the work), and loops over rays and
neighbours that make no list.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.geometry import ADJACENCIES
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.mir.bits import word_of
from rulelang.native.expressions import Environment, Writer, loops, writes
from rulelang.native.pieces import column
from rulelang.native.text import Element, literal, numeral
from rulelang.runtime.constants import MOST_BITS, WORD, mask
from rulelang.runtime.grids import Grid
from rulelang.vocabulary.types import BITS, BOOL, INT

Body = Callable[[str], str]

MOST_CELLS = 400
"""What holds between two cells of a larger grid is worked out, not looked up."""


def _grid(w: Writer, e: Expr) -> Grid:
    return w.layout.grids[number(e)]


def _steps(w: Writer, grid: Grid) -> str:
    """Return the name of the table of next cells, one row for each direction."""
    return w.source.table([cell for row in grid.toward for cell in row], "int16_t")


def _around(w: Writer, grid: Grid) -> str:
    """Return the name of the table of neighbours: for each cell how many, and room for eight."""
    rows = [[len(cells), *cells, *[0] * (8 - len(cells))] for cells in grid.neighbours]
    return w.source.table([n for row in rows for n in row], "int16_t")


def _row(w: Writer, grid: Grid, way: str) -> str:
    """Return the text of the table of next cells in a direction."""
    value = literal(way)
    place = numeral(value * grid.size) if value is not None else f"{way} * {grid.size}"
    return f"({_steps(w, grid)} + {place})"


def _values(w: Writer, e: Expr, s: Environment) -> list[str]:
    """Return the texts of the operands of an operation on cells and directions of a grid."""
    bounds = {"dir": 8, "cell": _grid(w, e).size}
    parts = [(part, part.type.core) for part in operands(e)]
    return [
        w.index(w.text(part, s), bounds["dir" if type_ == "dir" else "cell"], e.site)
        if type_ == "dir" or type_.kind == "cell"
        else w.text(part, s)
        for part, type_ in parts
    ]


@writes("toward")
def _toward(w: Writer, e: Expr, s: Environment) -> str:
    cell, way = _values(w, e, s)
    return f"(W){_row(w, _grid(w, e), way)}[{cell}]"


@writes("edge", "corner")
def _part(w: Writer, e: Expr, s: Environment) -> str:
    """Print the edge or corner of a cell in a direction, or the edge between two cells."""
    grid = _grid(w, e)
    cell, target = _values(w, e, s)
    table = w.source.table([value for row in grid.lying(e.type.core) for value in row], "int16_t")
    if operands(e)[1].type.core == "dir":
        return f"(W){table}[{target} * {grid.size} + {cell}]"
    return f"grid_edge({_steps(w, grid)}, {table}, {cell}, {target}, {grid.size})"


@writes("touching")
def _touching(w: Writer, e: Expr, s: Environment) -> str:
    (value,) = w.texts(e, s)
    return column(w, _grid(w, e).touching(operands(e)[0].type.core, e.type.core), e.type, value)


@writes("turned")
def _turned(w: Writer, e: Expr, s: Environment) -> str:
    """Print the direction so many sides further: from a table with a row for each cell and direction, each as long as
    a full turn."""
    grid = _grid(w, e)
    cell, way, steps = _values(w, e, s)
    turn = grid.full_turn
    turns = [grid.turned(place, n, by) for place in range(grid.size) for n in range(8) for by in range(turn)]
    return f"grid_turned({w.source.table(turns, 'int8_t')}, {cell}, {way}, {steps}, {turn})"


@writes("ray")
def _ray(w: Writer, e: Expr, s: Environment) -> str:
    cell, way = _values(w, e, s)
    return w.arena(f"a_ray(g, {_row(w, _grid(w, e), way)}, {cell})")


@loops("ray")
def _each_of_ray(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over the cells of a ray, nearest first."""
    cell, way = _values(w, e, s)
    row, x = w.source.fresh("row"), w.source.fresh("cell", Element)
    head = f"const int16_t *const {row} = {_row(w, _grid(w, e), way)};"
    return f"{{ {head} for (W {x} = {row}[{cell}]; {x} >= 0; {x} = {row}[{x}]) {{ {body(x)} }} }}"


@writes("neighbours")
def _neighbours(w: Writer, e: Expr, s: Environment) -> str:
    (cell,) = _values(w, e, s)
    return w.arena(f"a_neighbours(g, {_around(w, _grid(w, e))}, {cell})")


@loops("neighbours")
def _each_neighbour(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over the neighbours of a cell."""
    (cell,) = _values(w, e, s)
    row, i, x = w.source.fresh("row"), w.source.fresh("i"), w.source.fresh("cell", Element)
    head = f"const int16_t *const {row} = {_around(w, _grid(w, e))} + 9 * {cell};"
    loop = f"for (W {i} = 1; {i} <= {row}[0]; {i}++) {{ const W {x} = {row}[{i}]; {body(x)} }}"
    return f"{{ {head} {loop} }}"


def row_mask(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of the word with a bit for each cell of a ray, or for each neighbour."""
    grid, texts = _grid(w, e), _values(w, e, s)
    rows = [row for way in grid.rays for row in way] if e.op == "ray" else grid.neighbours
    place = texts[0] if e.op == "neighbours" else f"({texts[1]} * {grid.size} + {texts[0]})"
    wide, most = (INT, WORD) if grid.size <= WORD else (BITS, MOST_BITS)
    return column(w, [mask(row, most) for row in rows], wide, place)


@writes("distance", "direction")
def _two(w: Writer, e: Expr, s: Environment) -> str:
    """Print a distance or direction between two cells: by a constant table on small grids, else by a call."""
    grid = _grid(w, e)
    a, b = _values(w, e, s)
    relation = grid.distance if e.op == "distance" else grid.direction
    cells = range(grid.size)
    if grid.size <= MOST_CELLS:
        return column(
            w, [relation(first, second) for first in cells for second in cells], INT, f"({a} * {grid.size} + {b})"
        )
    if e.op == "direction":
        return f"grid_direction({_steps(w, grid)}, {a}, {b}, {grid.size})"
    places = w.source.table([number for place in grid.places for number in place], "int16_t")
    return f"grid_distance({places}, {a}, {b}, {[*ADJACENCIES].index(grid.adjacency)})"


@writes("cell_at")
def _cell_at(w: Writer, e: Expr, s: Environment) -> str:
    """Print the cell at a column and row."""
    grid = _grid(w, e)
    across, down = _values(w, e, s)
    cells = [grid.cell_at(c + 1, r + 1) for r in range(grid.rows) for c in range(grid.columns)]
    return f"grid_cell({w.source.table(cells, 'int16_t')}, {across}, {down}, {grid.columns}, {grid.rows})"


@writes("region")
def _region(w: Writer, e: Expr, s: Environment) -> str:
    """Print the connected part of a set of cells, on grids of up to 512 cells by bit sets."""
    grid = _grid(w, e)
    start, around = operands(e)
    if grid.size <= MOST_BITS:
        word = w.text(word_of(w.layout, around), s)
    if grid.size <= WORD:
        words = w.source.table([f"UINT64_C({mask(row) % (1 << WORD)})" for row in grid.neighbours], "U")
        return w.arena(f"a_small_region(g, {w.text(start, s)}, {word}, {_around(w, grid)}, {words}, {e.site})")
    if grid.size <= MOST_BITS:
        return w.arena(f"a_wide_region(g, {w.text(start, s)}, {word}, {_around(w, grid)}, {grid.size}, {e.site})")
    cell, cells = _values(w, e, s)
    return w.arena(f"a_region(g, {cell}, {cells}, {_around(w, grid)}, {grid.size}, {e.site})")


@writes("on_edge")
def _on_edge(w: Writer, e: Expr, s: Environment) -> str:
    grid = _grid(w, e)
    (cell,) = _values(w, e, s)
    return column(w, [int(grid.on_edge(place)) for place in range(grid.size)], BOOL, cell)


@writes("column", "row")
def _place(w: Writer, e: Expr, s: Environment) -> str:
    (cell,) = _values(w, e, s)
    return column(w, [place[e.op == "row"] + 1 for place in _grid(w, e).places], INT, cell)
