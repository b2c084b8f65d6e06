"""What games reach of their program: blocks of procedures, cells of rows, tables of types.

Enters: a machine. Leaves: the machine, which notes what it reaches. Of a program that differs in nothing that a game
reached, the same game is the same (the condition of reachability: DeMillo and Offutt 1991).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulelang.interpreter.blocks import Block, Blocks
from rulelang.interpreter.machine import Machine
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import subexpressions
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import ATTRIBUTES, reading

Element = tuple[str | int, ...]
FOLDED = ATTRIBUTES | reading("callee")
"""Operations that are not worked out beforehand here, so that what they reach is seen each time."""


class _Column(list[Any]):
    """A column of a table that notes which elements are read."""

    def __init__(self, values: Sequence[Any], elements: Sequence[Element], reached: set[Element]) -> None:
        super().__init__(values)
        self._elements, self._reached = elements, reached

    def __getitem__(self, place: Any) -> Any:
        self._reached.add(self._elements[place])
        return super().__getitem__(place)


class _TracedBlocks(Blocks):
    """Blocks each of which notes that it was reached."""

    def __init__(self, layout: Layout, runner: Machine, reached: set[Element]) -> None:
        super().__init__(layout, runner)
        self._reached = reached
        known = self.compiler.known

        def known_here(expr: Expr) -> Any:
            return UNKNOWN if any(part.op in FOLDED for part in subexpressions(expr)) else known(expr)

        self.compiler.known = known_here

    def _block(self, procedure: int, number: int) -> Block:
        fuel, effects, *rest = super()._block(procedure, number)
        element, reached = ("block", procedure, number), self._reached

        def mark(*_: object) -> None:
            reached.add(element)

        return fuel, (mark, *effects), *rest


def trace(machine: Machine, reached: set[Element]) -> None:
    """Make a machine note what it reaches."""
    layout = machine.layout
    for kind, columns in enumerate(layout.columns):
        for cell, column in enumerate(columns):
            elements = [("cell", kind, row, cell) for row in layout.item_definition]
            columns[cell] = _Column(column, elements, reached)
    for sort, tables in (("enum", layout.enum_columns), ("grid", layout.grid_columns)):
        for number, columns in enumerate(tables):
            for cell, column in enumerate(columns):
                columns[cell] = _Column(column, [(sort, number)] * len(column), reached)
    machine.blocks = _TracedBlocks(layout, machine, reached)
    machine.compiler = machine.blocks.compiler
