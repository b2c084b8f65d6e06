"""If-conversion: a function of several blocks that only branches is one expression (Allen, Kennedy, Porterfield and
Warren, Conversion of control dependence to data dependence, 1983).

Enters: a layout. Leaves: the layout of the same program, in which such functions return an `if`, so that whoever sees
through functions of one expression sees through them too. What a local is set to stands in a `let`, or, where it takes
no step, in its place; a function is left as it is where such a value may fail, as it may then not be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rulelang.ir import nodes
from rulelang.ir.nodes import Block, Expr, Procedure
from rulelang.ir.rewrite import fresh_slots, lone_value, with_arguments
from rulelang.ir.walk import index, operands, subexpressions
from rulelang.mir.bound import with_program
from rulelang.mir.early import is_early
from rulelang.mir.narrow import LEAVES
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import BOOL, Type

LARGEST = 200
"""A function with more operations stays as it is, and one whose blocks, each as often as ways lead to it, are more."""


def branches(layout: Layout) -> Layout:
    """Return the layout with functions that only branch as expressions."""
    program = layout.program
    changed = tuple(_converted(layout, code) for code in program.procedures)
    return with_program(layout, replace(program, procedures=changed))


def _converted(layout: Layout, code: Procedure) -> Procedure:
    """Return a function as one that returns an expression; another procedure as it is."""
    effects = code.effects
    if code.depth or effects.suspends or effects.writes or effects.ends_game or lone_value(code) is not None:
        return code
    parameters = {slot: Expr("local", code.locals[slot], (slot,)) for slot in range(code.parameters)}
    value = _value(layout, code, 0, parameters, iter(range(LARGEST)))
    if value is None or sum(1 for _ in subexpressions(value)) > LARGEST:
        return code
    return replace(code, blocks=(Block((), nodes.Return(value), tuple(parameters), code.site),))


def _value(layout: Layout, code: Procedure, at: int, slots: dict[int, Expr], left: Iterator[int]) -> Expr | None:
    """Return what a function returns from a block on; None if that is no expression.

    Args:
        slots: what its locals are. left: has an element for each block that may still be read.
    """
    if next(left, None) is None:
        return None
    block, lets, slots = code.blocks[at], [], dict(slots)
    for statement in block.statements:
        if statement.op != "set":
            return None
        value = with_arguments(operands(statement)[0], slots)
        if all(part.op == "cast" or part.op in LEAVES for part in subexpressions(value)):
            slots[index(statement)] = value
            continue
        if not is_early(layout.program, value):
            return None
        slot = next(fresh_slots)
        lets.append((slot, value))
        slots[index(statement)] = Expr("local", code.locals[index(statement)], (slot,), value.site)
    result: Expr | None
    match block.terminator:
        case nodes.Return(value=Expr() as returned):
            result = with_arguments(returned, slots)
        case nodes.Jump(to=to):
            result = _value(layout, code, to, slots, left)
        case nodes.Branch(condition=condition, then=then, otherwise=otherwise):
            either = [_value(layout, code, to, slots, left) for to in (then, otherwise)]
            parts = [part for part in either if part is not None]
            result = None if len(parts) < len(either) else _if(with_arguments(condition, slots), parts, code.returns)
        case _:
            return None
    for slot, value in reversed(lets):
        result = result and Expr("let", result.type, (slot, value, result), value.site)
    return result


def _if(condition: Expr, parts: list[Expr], returns: Type) -> Expr:
    """Return what a branch gives; truth values by `and`, `or` and `not`."""
    then, otherwise = parts
    known = [part.args[0] if part.op == "const" and returns == "bool" else None for part in parts]
    no = Expr("not", BOOL, (condition,), condition.site)
    match known:
        case (_, 0):
            return Expr("and", BOOL, (condition, then), condition.site)
        case (1, _):
            return Expr("or", BOOL, (condition, otherwise), condition.site)
        case (0, _):
            return Expr("and", BOOL, (no, otherwise), condition.site)
        case (_, 1):
            return Expr("or", BOOL, (no, then), condition.site)
    return Expr("if", returns, (condition, then, otherwise), condition.site)
