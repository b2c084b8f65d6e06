"""Cells: the functions of the language on grids, and where a piece stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from rulelang.diagnostics import suggest
from rulelang.geometry import Points, corners, sides
from rulelang.limits import SIDE
from rulelang.ruleset.grids import filled, named_otherwise
from rulelang.ruleset.model import GridDecl, TypeDecl
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Shared, const
from rulelang.semantics.tree.symbols import TypeSym
from rulelang.semantics.typing.constants import is_stateless
from rulelang.semantics.typing.context import Context, expression
from rulelang.semantics.typing.values import constant_value
from rulelang.syntax import ast


def size_grids(shared: Shared) -> dict[str, tuple[CExpr, CExpr]]:
    """Return the columns and rows of each grid; declare the cells of those whose sizes are worked out."""
    sizes, grids, ruleset = {}, [], shared.checked.ruleset
    for grid in ruleset.grids:
        texts = (grid.columns, "the columns"), (grid.rows, "the rows")
        columns, rows = (constant_value(shared, text, ty.NUMBER, f"{what} of `{grid.name}`") for text, what in texts)
        sizes[grid.name] = columns, rows
        (_, high), (_, most) = (_bounds(shared, size) for size in (columns, rows))
        grids.append(grid if grid.cells else filled(grid, high, most))
        _report_unknown_parts(shared, grids[-1])
    parts = {part.name: part for grid in grids for part in grid.around}
    types = tuple(parts.get(declared.name, declared) for declared in ruleset.types)
    shared.checked.ruleset = replace(ruleset, grids=tuple(grids), types=types)
    return sizes


def _report_unknown_parts(shared: Shared, grid: GridDecl) -> None:
    """Report edges and corners that are given attributes of their own and that the grid does not have."""
    for type_, name in grid.at:
        (part,) = (part for part in grid.around if part.name == type_)
        names = [value.name for value in part.values]
        if name not in names and grid.cells:
            hint = named_otherwise(grid, part, name) or suggest(name, names)
            message = f"`{grid.name}` has no {'edge' if part is grid.edges else 'corner'} `{name}`"
            shared.diagnostics.error("grid-place", message, grid.at[type_, name].span, hint)


def presence(shared: Shared, grid: GridDecl, sizes: Sequence[CExpr]) -> list[CExpr]:
    """Return the condition for each cell of a grid to be there; none if all boards have all cells.

    Nobody wrote the conditions, so they stand nowhere.
    """
    always = CExpr("const", ty.BOOL, (1,))
    if grid.drawings:
        present = [
            always
            if cell.when is None
            else constant_value(shared, cell.when, ty.BOOL, f"whether there is `{cell.name}`")
            for cell in grid.cells
        ]
    else:
        least = [_bounds(shared, size)[0] for size in sizes]
        present = []
        for place in grid.places:
            tests = [
                CExpr("le", ty.BOOL, (CExpr("const", ty.NumberT(at + 1, at + 1), (at + 1,)), size))
                for at, fewest, size in zip(place, least, sizes, strict=True)
                if at >= fewest
            ]
            present.append(reduce(lambda a, b: CExpr("and", ty.BOOL, (a, b)), tests) if tests else always)
    return present if any(condition is not always for condition in present) else []


def _bounds(shared: Shared, size: CExpr) -> tuple[int, int]:
    """Return the least and greatest size of a grid in one direction, within 1 to SIDE; report sizes outside."""
    if not isinstance(size.type, ty.NumberT):
        return 1, 1
    low, high = size.type.low, size.type.high
    if not 1 <= low <= high <= SIDE:
        message = f"this is {size.type}, and a grid has 1 to {SIDE} columns and rows"
        shared.diagnostics.error("range-outside", message, size.span, f"write `max(1, …)`, `min({SIDE}, …)`")
    return max(low, 1), min(high, SIDE)


def presence_around(grid: GridDecl, part: TypeDecl, present: Sequence[CExpr]) -> list[CExpr]:
    """Return the condition for each edge or corner of a grid to be there: that any of its cells is there, of an edge
    that is on no border both. `present`: those of the cells."""
    at: dict[Points, list[CExpr]] = {}
    for place, condition in zip(grid.places, present, strict=True):
        for lie in (sides, corners):
            for points in lie(grid.adjacency, *place).values():
                at.setdefault(points, []).append(condition)
    every = part is grid.edges and not grid.border

    def joined(conditions: Sequence[CExpr]) -> CExpr:
        """Return whether all of the conditions hold, or any."""
        open_ = [condition for condition in conditions if condition.op != "const"]
        if not open_ or (not every and len(open_) < len(conditions)):
            return next(condition for condition in conditions if condition.op == "const")
        return reduce(lambda a, b: CExpr("and" if every else "or", ty.BOOL, (a, b)), open_)

    return [joined(at[value.points]) for value in part.values]


def _cell_and_grid(c: Context, node: ast.Expr, what: str, around: bool = False) -> tuple[CExpr, TypeSym | None]:
    """Check an expression of a cell, or `around` cells of an edge or corner; return it with its grid or type, None
    after a finding."""
    value = c.expr(node)
    part = c.shared.values_of(value.type) if around and isinstance(value.type, ty.EnumT) else None
    if part is not None and part.points:
        return value, part
    if isinstance(value.type, ty.CellT):
        return value, c.shared.type_sym(value.type.grid)
    if isinstance(value.type, ty.OptionalT):
        return c.error("value-absent", f"{what} may be absent", node.span, c.when_absent(value)), None
    if isinstance(value.type, ty.ErrorT):
        return value, None
    wanted = "a cell, an edge or a corner" if around else "a cell"
    return c.error("type-mismatch", f"{what} must be {wanted}, but this is a {value.type}", node.span), None


def grid_function(c: Context, node: ast.Call) -> CExpr:
    """Check a function of a cell (`column`, `row`, `opposite` and the like)."""
    name = node.function.text
    first, grid = _cell_and_grid(c, node.arguments[0], f"the first argument of `{name}`", name == "neighbours")
    if grid is None:
        return const(0, ty.ERROR, node.span)
    if grid.points:
        return CExpr("touching", ty.SetT(grid.type), (c.shared.type_sym(grid.grid), first), node.span)
    cell, cells = grid.type, ty.SetT(grid.type)
    more: tuple[CExpr, ...] = ()
    result: ty.Type
    if name in ("toward", "ray"):
        more = (c.value(node.arguments[1], ty.DIRECTION, "the direction"),)
        result = ty.optional(cell) if name == "toward" else cells
    elif name in ("edge", "corner"):
        return _part(c, node, first, grid)
    elif name == "turned":
        way = c.value(node.arguments[1], ty.DIRECTION, "the direction")
        more = (way, c.value(node.arguments[2], ty.NUMBER, "the number of steps"))
        result = ty.DIRECTION
    elif name in ("distance", "direction"):
        more = (c.value(node.arguments[1], cell, f"the second argument of `{name}`"),)
        result = ty.NumberT(0, 128) if name == "distance" else ty.optional(ty.DIRECTION)
    elif name == "region":
        more = (c.value(node.arguments[1], cells, "the set of cells"),)
        result = cells
    elif name == "neighbours":
        result = cells
    else:
        result = ty.BOOL
    return CExpr(name, result, (grid, first, *more), node.span)


def _part(c: Context, node: ast.Call, cell: CExpr, grid: TypeSym) -> CExpr:
    """`edge(cell, direction)`, `edge(cell, other)`, `corner(cell, direction)`."""
    name = node.function.text
    decl = next(g for g in c.checked.ruleset.grids if g.name == grid.name)
    part, other = (decl.edges, "Side") if name == "edge" else (decl.corners, "Corner")
    if part is None:
        hint = f"give it `{name}s: {{name: {other}}}`; see docs/language/edges.md"
        return c.error("grid-none", f"the grid `{grid.name}` has no {name}s", node.span, hint)
    target = c.expr(node.arguments[1], grid.type if name == "edge" else ty.DIRECTION)
    if not isinstance(target.type, ty.CellT | ty.ErrorT) or name == "corner":
        unless = ", if it is no cell," if name == "edge" else ""
        target = c.fit(target, ty.DIRECTION, f"the second argument of `{name}`{unless}")
    elif target.type != grid.type:
        target = c.fit(target, grid.type, f"the second argument of `{name}`")
    return CExpr(name, ty.optional(ty.EnumT(part.name)), (grid, cell, target), node.span)


def sized(shared: Shared, of: TypeSym, name: str, touching: ty.Type) -> ty.Type:
    """Return the type of what touches a cell, edge or corner, `cells`, `edges` or `corners`, with how many are surely
    there: all but what lies on a border that has no edges."""
    grid = next(grid for grid in shared.checked.ruleset.grids if grid.name in (of.name, of.grid))
    part = next((part for part in grid.around if part.name == of.name), None)
    sides_of_cell = len(corners(grid.adjacency, 0, 0))
    least = {
        "cells": 2 if part is grid.edges and not grid.border else 1,
        "edges": 0 if not grid.border else 2 if part is not None else sides_of_cell,
        "corners": 2 if part is not None else sides_of_cell,
    }[name]
    return replace(touching, least=least) if isinstance(touching, ty.SetT) else touching


def _grid_named(c: Context, node: ast.Expr) -> TypeSym | None:
    """Return the grid that an argument names; report any other argument and return None."""
    sym = c.shared.type_sym(node.name) if isinstance(node, ast.NameExpr) else None
    if sym is None or sym.category != "grid":
        c.error("grid-none", "the first argument is the name of a grid", node.span)
        return None
    return sym


def lines_of(c: Context, node: ast.Call) -> CExpr:
    """`lines(GRID, n)`: all lines of so many cells."""
    grid = _grid_named(c, node.arguments[0])
    length = c.value(node.arguments[1], ty.NUMBER, "the length of the lines")
    if grid is None or isinstance(length.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    if not is_stateless(length):
        message, hint = "the length of the lines must be known before the game starts", "use numbers and options"
        return c.error("grid-lines", message, node.arguments[1].span, hint)
    return CExpr("lines", ty.SetT(ty.SetT(grid.type, 1)), (grid, length), node.span)


def cell_at(c: Context, node: ast.Call) -> CExpr:
    """`cell_at(GRID, column, row)`: the cell there, if there is one."""
    grid = _grid_named(c, node.arguments[0])
    column, row = (c.value(a, ty.NUMBER, w) for a, w in zip(node.arguments[1:], ("the column", "the row"), strict=True))
    if grid is None:
        return const(0, ty.ERROR, node.span)
    return CExpr("cell_at", ty.optional(grid.type), (grid, column, row), node.span)


def opposite(c: Context, node: ast.Call) -> CExpr:
    """`opposite(direction)`."""
    return CExpr("opposite", ty.DIRECTION, (c.value(node.arguments[0], ty.DIRECTION, "the direction"),), node.span)


@expression(ast.CellOf)
def _cell_of(c: Context, node: ast.CellOf) -> CExpr:
    """Return the cell that a piece stands on, optional unless each zone of its kind is a seen zone of that grid."""
    piece = c.expr(node.piece)
    if isinstance(piece.type, ty.ErrorT):
        return piece
    if not isinstance(piece.type, ty.PieceT):
        hint = "test it with `if some x = …:` first" if isinstance(piece.type, ty.OptionalT) else ""
        return c.error("type-mismatch", f"`cell of` asks about a piece, not a {piece.type}", node.span, hint)
    zones = c.shared.kind(piece.type.kind).zones
    grids = {t.grid for z in zones for t in z.per if isinstance(t, ty.CellT)}
    if len(grids) != 1 and any(ty.ERROR in z.per for z in zones):
        return const(0, ty.ERROR, node.span)
    if len(grids) != 1:
        hint = f"a zone that holds {piece.type} and is `per` a grid makes it stand there"
        return c.error("grid-none", f"a {piece.type} stands on no grid, or on several", node.span, hint)
    cell = ty.CellT(*grids)
    standing = CExpr("cell_of", ty.optional(cell), (c.shared.type_sym(*grids), piece), node.span)
    # Every piece lies in some zone: one that can lie on the grid alone, where it is seen, always stands there.
    return (
        CExpr("cast", cell, (standing,), node.span) if all(cell in z.per and not z.unseen for z in zones) else standing
    )
