"""Positions that differ in what a seat does not see now, whatever it may remember or infer.

Enters: a state, a seat. Leaves: copies whose hidden variables are all lowest or all highest. What is the same in all of
them, and in all resampled deals of the hidden pieces, is visible to the seat.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.ir.types import Type
from rulelang.runtime.sight import sight_of
from rulelang.runtime.state import State

LARGEST_VALUE = 1000
"""Bound, above and below, of numbers that are declared without one."""


def blurred(state: State, seat: int) -> list[State]:
    """Return two copies, with the variables hidden from the seat lowest and highest; the state alone if none is
    hidden."""
    hidden = _hidden_cells(state, seat)
    return [_with_extremes(state, hidden, low) for low in (True, False)] if hidden else [state]


def _with_extremes(state: State, hidden: list[tuple[int, int, int]], low: bool) -> State:
    """Return a copy with the hidden cells (cell, lowest, highest value) at their lowest or highest value."""
    copy = state.clone()
    for cell, lowest, highest in hidden:
        copy.v[cell] = lowest if low else highest
    return copy


def _hidden_cells(state: State, seat: int) -> list[tuple[int, int, int]]:
    """Return the cells of variables that the seat does not see, with the lowest and highest value of each."""
    layout, cells = state.layout, sight_of(state.layout, seat).cells
    hidden = []
    for cell, (of_piece, number, _) in enumerate(layout.cell_place):
        table = layout.program.variables[number] if not of_piece else None
        if table is None or table.internal or table.mark or cells[cell]:
            continue
        bounds = _bounds(layout.size, table.type, table.low, table.high)
        if bounds is not None:
            hidden.append((cell, *bounds))
    return hidden


def _bounds(size: Callable[[Type], int], type_: Type, low: int, high: int) -> tuple[int, int] | None:
    """Return the lowest and highest value of a scalar or of one count of a bag; None for types that are not varied.

    Args:
        size: number of values of a type. low, high: declared range of numbers.
    """
    kind = type_.kind
    if kind in ("int", "bag"):
        return max(low, -LARGEST_VALUE), min(high, LARGEST_VALUE)
    if kind == "bool":
        return 0, 1
    return (0, size(type_) - 1) if kind == "enum" else None
