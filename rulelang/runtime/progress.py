"""The progress of a game as people name it: such as the third round of the second season.

Enters: a state. Leaves: the values of its running loops. Only loops of `play` over all values of an enumerated type
count (`for season in Season`): these values depend on nothing hidden.
"""

from __future__ import annotations

from rulelang.ir.nodes import Expr, Statement
from rulelang.memos import kept_with
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import State


def loop_values(state: State) -> list[tuple[str, int]]:
    """Return the type and the current value of each running loop of `play`, the outermost first."""
    running = []
    for procedure, block, values, _ in state.frames[:1]:
        live = state.layout.program.procedures[procedure].blocks[block].live
        loops = _loops(state.layout, procedure)
        running += [(type_, values[slot]) for slot, type_ in loops if slot in live]
    return running


@kept_with
def _loops(layout: Layout, number: int) -> tuple[tuple[int, str], ...]:
    """Return the slots of a procedure that hold the value of a loop over an enumerated type, with the type's name."""
    procedure = layout.program.procedures[number]
    sets = [s for block in procedure.blocks for s in block.statements if s.op == "set"]
    whole = {s.args[0] for s in sets if _operation(s) == "domain"}
    whole -= {s.args[0] for s in sets if _operation(s) != "domain"}
    between = {enum.name for enum in layout.program.enums if enum.between}
    loops: dict[int, str] = {}
    for s in sets:
        slot, value = s.args[0], s.args[-1]
        if not isinstance(value, Expr) or value.op != "at" or not isinstance(slot, int):
            continue
        source, (kind, _, name) = value.args[0], procedure.locals[slot].partition(":")
        if not isinstance(source, Expr):
            continue
        if source.op == "domain" or (source.op == "local" and source.args[0] in whole):
            if kind == "enum" and name not in between and slot >= procedure.parameters:
                loops[slot] = name
    return tuple(loops.items())


def _operation(statement: Statement) -> str:
    """Return the operation of the value that a statement assigns; empty if it is no expression."""
    value = statement.args[-1]
    return value.op if isinstance(value, Expr) else ""
