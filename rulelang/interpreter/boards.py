"""Operations on grids. Enters: expressions over cells and directions. Leaves: their closures."""

from __future__ import annotations

from rulelang.interpreter.expressions import Code, Compiler, Locals, builds, pure
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number
from rulelang.runtime.state import State

builds("opposite", "mask", "in_mask", "elements", "meets")(pure)


@builds("toward", "ray")
def _toward(c: Compiler, e: Expr) -> Code:
    grid = c.layout.grids[number(e)]
    cell, way = c.codes(e)
    if e.op == "toward":
        steps = grid.toward
        return lambda S, L: steps[way(S, L)][cell(S, L)]
    rays = grid.rays
    return lambda S, L: rays[way(S, L)][cell(S, L)]


@builds("neighbours")
def _neighbours(c: Compiler, e: Expr) -> Code:
    neighbours = c.layout.grids[number(e)].neighbours
    (cell,) = c.codes(e)
    return lambda S, L: neighbours[cell(S, L)]


@builds("distance", "region", "direction", "cell_at")
def _two(c: Compiler, e: Expr) -> Code:
    grid = c.layout.grids[number(e)]
    a, b = c.codes(e)
    if e.op == "distance":
        return lambda S, L: grid.distance(a(S, L), b(S, L))
    if e.op == "region":

        def region(S: State, L: Locals) -> list[int]:
            cells = b(S, L)
            S.fuel -= len(cells)
            return grid.region(a(S, L), cells)

        return region
    if e.op == "direction":
        return lambda S, L: grid.direction(a(S, L), b(S, L))
    return lambda S, L: grid.cell_at(a(S, L), b(S, L))


@builds("on_edge", "column", "row")
def _one(c: Compiler, e: Expr) -> Code:
    grid = c.layout.grids[number(e)]
    (cell,) = c.codes(e)
    columns = grid.columns
    if e.op == "on_edge":
        return lambda S, L: grid.on_edge(cell(S, L))
    if e.op == "column":
        return lambda S, L: cell(S, L) % columns + 1
    return lambda S, L: cell(S, L) // columns + 1


@builds("lines")
def _lines(c: Compiler, e: Expr) -> Code:
    found = c.layout.grids[number(e)].lines(number(e, 1))
    return lambda S, L: found
