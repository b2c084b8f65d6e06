"""Walking over the nodes of a procedure: the one place that knows where expressions hide and where control goes.

Enters: nodes. Leaves: their expressions, the local slots they read and bind, and the blocks that may follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, get_args

from rulelang.ir import nodes
from rulelang.ir.nodes import Block, Decision, Expr, Item, Procedure, Statement
from rulelang.vocabulary.operations import BINDING, PLACES, SOURCES


def operands(node: Expr | Statement) -> list[Expr]:
    """Return the arguments that are expressions."""
    return [arg for arg in node.args if isinstance(arg, Expr)]


def number(node: Expr | Statement, position: int = 0) -> int:
    """Return the immediate number at a position."""
    value = node.args[position]
    assert isinstance(value, int)
    return value


def subexpressions(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and everything under it."""
    pending = [expr]
    while pending:
        node = pending.pop()
        yield node
        if node.args:
            pending += [arg for arg in node.args if isinstance(arg, Expr)]


def index(node: Expr | Statement, position: int = 0) -> int:
    """Return the immediate integer at a position; -1 where it is missing or no integer."""
    if position < len(node.args):
        arg = node.args[position]
        if isinstance(arg, int):
            return arg
    return -1


def form(expr: Expr) -> Any:
    """Return an expression without its sites: equal for those that are alike."""
    return expr.op, expr.type, tuple(form(arg) if isinstance(arg, Expr) else arg for arg in expr.args)


def place_in(value: Expr) -> Expr | None:
    """Return the zone or variable in which all of a value lies; None where that is not one."""
    while value.op in SOURCES:
        source = value.args[SOURCES[value.op]]
        assert isinstance(source, Expr)
        value = source
    return value if value.op in PLACES else None


def asked_of_each(condition: Expr, slot: int) -> Expr | None:
    """Return the part of a condition that an `all` asks of each element of a local; None for other conditions."""
    if condition.op != "all":
        return None
    elements, asked = operands(condition)
    return asked if elements.op == "local" and index(elements) == slot else None


def local_reads(expr: Expr) -> frozenset[int]:
    """Return the slots that must hold a value when the expression is read (those it binds itself left out)."""
    if expr.op == "local":
        return frozenset((index(expr),))
    reads: frozenset[int] = frozenset()
    parts = operands(expr)
    is_binding = expr.op in BINDING and len(parts) == 2
    for number, part in enumerate(parts):
        below = local_reads(part)
        if is_binding and number == 1:
            below -= {index(expr)}
        reads = reads | below if reads else below
    return reads


def local_bindings(expr: Expr) -> frozenset[int]:
    """Return the slots that the expression overwrites while it is read."""
    return frozenset(index(node) for node in subexpressions(expr) if node.op in BINDING)


HOLDS: dict[type[object], tuple[str, ...]] = {
    Procedure: ("blocks",),
    Block: ("statements", "terminator"),
    Statement: ("args",),
    nodes.Jump: (),
    nodes.Branch: ("condition",),
    nodes.CallProc: ("arguments",),
    nodes.Return: ("value",),
    nodes.Choose: (),
    nodes.Chance: ("args",),
    nodes.End: (),
    Decision: ("seat", "items"),
    Item: ("pre", "binders", "guards"),
    nodes.Binder: ("args",),
    nodes.Guard: ("condition",),
}
"""Class of nodes -> the fields in which expressions, or nodes that hold some, lie, in the order of reading."""
if missing := {*get_args(nodes.Terminator)} - HOLDS.keys():
    raise TypeError(f"what they hold is said nowhere: {missing}")


def outermost(node: object) -> Iterator[Expr]:
    """Yield the outermost expressions of a node, or of a tuple of nodes; those of a decision stand in its own."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Expr):
            yield part
        elif isinstance(part, tuple):
            pending += reversed(part)
        elif names := HOLDS.get(type(part)):
            pending += [getattr(part, name) for name in reversed(names)]


def block_expressions(block: Block, decisions: tuple[Decision, ...]) -> Iterator[Expr]:
    """Yield the outermost expressions of a block, those of its decision included. A decision out of range counts as
    empty."""
    yield from outermost(block)
    if isinstance(block.terminator, nodes.Choose) and 0 <= block.terminator.decision < len(decisions):
        yield from outermost(decisions[block.terminator.decision])


def procedure_parts(procedure: Procedure, decisions: tuple[Decision, ...]) -> Iterator[Expr]:
    """Yield all expressions of a procedure, and everything under them."""
    for block in procedure.blocks:
        for outer in block_expressions(block, decisions):
            yield from subexpressions(outer)


def callees(
    procedure: Procedure, decisions: tuple[Decision, ...], ops: Collection[str] = ("call", "possible")
) -> Iterator[int]:
    """Yield the procedures that a procedure may call, one as often as it stands there. `ops`: by which operations."""
    ends = [block.terminator for block in procedure.blocks]
    yield from (end.procedure for end in ends if isinstance(end, nodes.CallProc))
    yield from (index(expr) for expr in procedure_parts(procedure, decisions) if expr.op in ops)


def successors(terminator: nodes.Terminator | None, decisions: Sequence[Decision]) -> list[int]:
    """Return the blocks that may follow, one as often as the terminator names it."""
    return [to for to, _ in exits(terminator, decisions)]


def exits(terminator: nodes.Terminator | None, decisions: Sequence[Decision]) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield the blocks that may follow, each with the slots that are filled on the way there."""
    match terminator:
        case nodes.Jump(to=to):
            yield to, frozenset()
        case nodes.Branch(then=then, otherwise=otherwise):
            yield then, frozenset()
            yield otherwise, frozenset()
        case nodes.CallProc(slot=slot, to=to) | nodes.Chance(slot=slot, to=to):
            yield to, frozenset((slot,)) if slot >= 0 else frozenset()
        case nodes.Choose(decision=number) if 0 <= number < len(decisions):
            decision = decisions[number]
            for item in decision.items:
                if decision.together:
                    yield item.to, frozenset((decision.result_slot,))
                else:
                    yield item.to, frozenset(binder.slot for binder in item.binders)
            if decision.otherwise >= 0:
                yield decision.otherwise, frozenset()
