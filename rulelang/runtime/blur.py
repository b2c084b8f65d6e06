"""Positions that differ in what a seat does not see now, whatever it may remember or work out.

Enters: a state, a seat. Leaves: copies whose hidden variables are all as low or all as high as they can be. What comes
out alike for all of them, and for deals of the hidden pieces, is in plain sight.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.ir.types import Type
from rulelang.runtime.sight import sight_of
from rulelang.runtime.state import State

MOST = 1000
"""A number that has no lower bound of its own is taken to be this high at most."""


def blurred(state: State, seat: int) -> list[State]:
    """Return the copies: hidden variables lowest, and highest; alone the state itself where none is hidden."""
    hidden = _hidden(state, seat)
    return [_with(state, hidden, low) for low in (True, False)] if hidden else [state]


def _with(state: State, hidden: list[tuple[int, int, int]], low: bool) -> State:
    copy = state.clone()
    for cell, lowest, highest in hidden:
        copy.v[cell] = lowest if low else highest
    return copy


def _hidden(state: State, seat: int) -> list[tuple[int, int, int]]:
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
    """Return the lowest and highest value of a scalar or of one count of a bag; None for what is not varied."""
    sort = type_.kind
    if sort in ("int", "bag"):
        return max(low, -MOST), min(high, MOST)
    if sort == "bool":
        return 0, 1
    return (0, size(type_) - 1) if sort == "enum" else None
