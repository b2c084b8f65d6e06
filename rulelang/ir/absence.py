"""Which local slots may hold an absent value though their type has none, such as `you` of a rule outside of any turn.

Enters: a program. Leaves: for each procedure those slots: reachability from the constant -1 over assignments, arguments
and returned values, whatever the order of blocks.
"""

from __future__ import annotations

from collections import defaultdict

from rulelang.ir.nodes import CallProc, Expr, Return
from rulelang.ir.program import Program
from rulelang.ir.walk import index, operands
from rulelang.vocabulary.types import ABSENT

Place = tuple[int, int]
"""A procedure and a slot of it; slot -1 stands for the value that it returns."""


def absent_slots(program: Program) -> tuple[frozenset[int], ...]:
    """Return for each procedure the slots of present scalars (numbers aside) that may hold -1."""
    copies: dict[Place, list[Place]] = defaultdict(list)
    pending: list[Place] = []

    def flow(value: Expr | None, procedure: int, to: Place) -> None:
        if value is None:
            return
        if value.op == "const" and index(value) == ABSENT:
            pending.append(to)
        elif value.op == "local":
            copies[procedure, index(value)].append(to)

    for procedure, code in enumerate(program.procedures):
        for block in code.blocks:
            for statement in block.statements:
                if statement.op == "set":
                    flow(operands(statement)[0], procedure, (procedure, index(statement)))
            match block.terminator:
                case CallProc(procedure=called, arguments=arguments, slot=slot):
                    for parameter, argument in enumerate(arguments):
                        flow(argument, procedure, (called, parameter))
                    if slot >= 0:
                        copies[called, -1].append((procedure, slot))
                case Return(value=value):
                    flow(value, procedure, (procedure, -1))
    absent: list[set[int]] = [set() for _ in program.procedures]
    while pending:
        procedure, slot = place = pending.pop()
        type_ = program.procedures[procedure].locals[slot] if slot >= 0 else program.procedures[procedure].returns
        present = type_.scalar and type_.kind != "opt" and type_ != "int"
        if present and slot not in absent[procedure]:
            absent[procedure].add(slot)
            pending += copies[place]
    return tuple(map(frozenset, absent))
