"""The program of one layout: boards without the cells that its options or number of players leave out.

Enters: a layout with the program of all layouts. Leaves: the program with the remaining cells and edges renumbered.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rulelang.ir.nodes import Expr
from rulelang.ir.program import EnumTable, GridTable, Program
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.walk import number
from rulelang.runtime.constants import constant
from rulelang.vocabulary.types import Type

if TYPE_CHECKING:
    from rulelang.runtime.layout import Layout

T = TypeVar("T")
Attributes = tuple[tuple[str, Type, tuple[Expr, ...]], ...]


def fitted(layout: Layout) -> Program:
    """Return the layout's program without the cells, and the edges at them, that its boards lack."""
    program = layout.program
    remaining: dict[str, list[int]] = {}
    enums = [(f"enum:{enum.name}", enum) for enum in program.enums]
    grids = [(f"cell:{grid.name}", grid) for grid in program.grids]
    tables: list[tuple[str, EnumTable | GridTable]] = [*enums, *grids]
    for name, table in tables:
        if table.present:
            remaining[name] = [n for n, condition in enumerate(table.present) if constant(layout, condition)]
    if not remaining:
        return program
    new_numbers = {Type(name): {old: new for new, old in enumerate(olds)} for name, olds in remaining.items()}

    def renumber_expr(expr: Expr) -> Expr:
        """Return the expression with constants of cells and edges renumbered. One that this layout lacks stands in a
        scenario of another layout, which is compiled with the same program: any other does for it."""
        if expr.op == "const" and expr.type.core in new_numbers and number(expr) >= 0:
            return replace(expr, args=(new_numbers[expr.type.core].get(number(expr), 0),))
        return mapped(expr, renumber_expr)

    def renumber(node: T) -> T:
        """Return a table, a tuple or an expression with all constants inside renumbered."""
        new: Any = node
        if isinstance(node, Expr):
            new = renumber_expr(node)
        elif isinstance(node, tuple):
            new = tuple([renumber(part) for part in node])
        elif is_dataclass(node):
            new = replace(new, **{part.name: renumber(getattr(node, part.name)) for part in fields(node)})
        return cast("T", new)

    def present(values: tuple[T, ...], name: str) -> tuple[T, ...]:
        """Return the values of those cells or edges of the type `name` that remain."""
        return tuple([values[n] for n in remaining[name]] if name in remaining else values)

    def attributes(table: EnumTable | GridTable, name: str) -> Attributes:
        """Return a table's attributes for what remains of it."""
        return tuple((attribute, type_, present(values, name)) for attribute, type_, values in table.attributes)

    return replace(
        rewritten(program, renumber_expr),
        enums=renumber(
            tuple(
                replace(
                    e, values=present(e.values, n), attributes=attributes(e, n), points=present(e.points, n), present=()
                )
                for n, e in enums
            )
        ),
        grids=renumber(
            tuple(
                replace(
                    g, cells=present(g.cells, n), places=present(g.places, n), attributes=attributes(g, n), present=()
                )
                for n, g in grids
            )
        ),
        kinds=renumber(program.kinds),
        zones=renumber(program.zones),
        variables=renumber(program.variables),
        piece_variables=renumber(program.piece_variables),
    )
