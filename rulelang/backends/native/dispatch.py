"""Rules that run another one for each definition of a piece, as abilities do: what such a rule comes to for each.

Enters: a procedure. Leaves: the parameter that it looks at, and for each definition of the piece there the procedures
that it runs then.
"""

from __future__ import annotations

from rulelang.ir.nodes import Branch, CallProc, Jump, Procedure, Return
from rulelang.ir.program import Program
from rulelang.ir.walk import block_expressions, children, index, subexpressions

SEVERAL = 4
"""For so many ways an expression to go on, each is a function of its own."""


def chosen_among(program: Program) -> set[int]:
    """Functions of which another one calls just one, by what it is given: written out there, all of them together would
    be what that one has to make room for."""
    found: set[int] = set()
    for code in program.procedures:
        end = code.blocks[0].terminator
        value = end.value if isinstance(end, Return) else None
        called = []
        while value is not None and value.op == "if":
            _, then, value = children(value)
            called += [index(then)] if then.op == "call" else []
        if len(called) >= SEVERAL:
            found.update(called)
    return found


def runs_by_definition(program: Program, procedure: int) -> tuple[int, list[set[int]]] | None:
    """The parameter, and for each definition of its kind what is run; None if the rule does anything else."""
    code = program.procedures[procedure]
    slot = _looked_at(code)
    if slot is None:
        return None
    name = code.locals[slot].partition(":")[2]
    kind = next(kind for kind in program.kinds if kind.name == name)
    found = [_run(program, code, slot, definition) for definition in range(len(kind.definitions))]
    rows = [row for row in found if row is not None]
    return (slot, rows) if len(rows) == len(found) else None


def _looked_at(code: Procedure) -> int | None:
    """The parameter whose definition a procedure asks for first."""
    end = code.blocks[0].terminator
    if not isinstance(end, Branch) or end.condition.op != "is_def" or code.blocks[0].statements:
        return None
    (piece,) = children(end.condition)
    return index(piece) if piece.op == "local" and index(piece) < code.parameters else None


def _run(program: Program, code: Procedure, slot: int, definition: int) -> set[int] | None:
    """What is run for a definition; None if more is done, or it is not certain."""
    found: set[int] = set()
    number = 0
    for _ in code.blocks:
        block = code.blocks[number]
        if any(statement.op != "evaluate" for statement in block.statements):
            return None
        match block.terminator:
            case Branch(condition=condition, then=then, otherwise=otherwise) if condition.op == "is_def":
                (piece,) = children(condition)
                if piece.op != "local" or index(piece) != slot:
                    return None
                number = then if definition in condition.args else otherwise
            case Jump(to=to):
                number = to
            case CallProc(procedure=called, to=to):
                found.add(called)
                number = to
            case Return(value=None):
                return found
            case _:
                return None
        for expr in block_expressions(block, program.decisions):
            found |= {index(part) for part in subexpressions(expr) if part.op == "call"}
            if any(part.op == "possible" for part in subexpressions(expr)):
                return None
    return None
