"""The program of one layout: boards without the cells that are not there with its options and number of players.

Enters: a layout whose program is that for all options. Leaves: the program with what is left numbered anew.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rulelang.ir.nodes import Expr
from rulelang.ir.program import EnumTable, GridTable, Program
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.types import Type
from rulelang.ir.walk import number, operands
from rulelang.runtime.constants import constant

if TYPE_CHECKING:
    from rulelang.runtime.layout import Layout

T = TypeVar("T")
Attributes = tuple[tuple[str, Type, tuple[Expr, ...]], ...]


def fitted(layout: Layout) -> Program:
    """Return the layout's program without the cells, and the edges, that its boards lack."""
    program = layout.program
    remaining: dict[str, list[int]] = {}
    for grid in program.grids:
        remaining[f"cell:{grid.name}"] = cells = [
            n for n, present in enumerate(grid.present) if constant(layout, present)
        ]
        for enum in program.enums:
            if grid.present and enum.name == grid.edges:
                rows = next(values for name, _, values in enum.attributes if name == "cells")
                ends = [[number(cell) for cell in operands(row)] for row in rows]
                remaining[f"enum:{enum.name}"] = [n for n, pair in enumerate(ends) if set(pair) <= set(cells)]
    remaining = {name: present for name, present in remaining.items() if present}
    if not remaining:
        return program
    numbers = {Type(name): {old: new for new, old in enumerate(present)} for name, present in remaining.items()}

    def fit_expr(expr: Expr) -> Expr:
        if expr.op == "const" and expr.type.core in numbers and number(expr) >= 0:
            return replace(expr, args=(numbers[expr.type.core][number(expr)],))
        return mapped(expr, fit_expr)

    def fit(node: T) -> T:
        new: Any = node
        if isinstance(node, Expr):
            new = fit_expr(node)
        elif isinstance(node, tuple):
            new = tuple([fit(part) for part in node])
        elif is_dataclass(node):
            new = replace(new, **{part.name: fit(getattr(node, part.name)) for part in fields(node)})
        return cast("T", new)

    def left(values: tuple[T, ...], name: str) -> tuple[T, ...]:
        return tuple([values[n] for n in remaining[name]] if name in remaining else values)

    def attributes(table: EnumTable | GridTable, name: str) -> Attributes:
        return tuple((attribute, type_, left(values, name)) for attribute, type_, values in table.attributes)

    enums = [(f"enum:{enum.name}", enum) for enum in program.enums]
    grids = [(f"cell:{grid.name}", grid) for grid in program.grids]
    return replace(
        rewritten(program, fit_expr),
        enums=fit(tuple(replace(e, values=left(e.values, n), attributes=attributes(e, n)) for n, e in enums)),
        grids=fit(
            tuple(
                replace(g, cells=left(g.cells, n), places=left(g.places, n), attributes=attributes(g, n), present=())
                for n, g in grids
            )
        ),
        kinds=fit(program.kinds),
        zones=fit(program.zones),
        variables=fit(program.variables),
        piece_variables=fit(program.piece_variables),
    )
