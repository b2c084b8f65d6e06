"""Functions whose value is the same whenever they are called, written out where they are called.

Enters: a layout and what is known of expressions there. Leaves: the layout of the same program with such calls replaced
by their values, so that whoever asks for what is known of an expression sees through them; or with other changes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace

from rulelang.backends.interpreter.expressions import UNKNOWN, Compiler
from rulelang.backends.native.calls import call_weights
from rulelang.ir.nodes import (
    Block,
    Branch,
    CallProc,
    Chance,
    Decision,
    Expr,
    Guard,
    Item,
    Procedure,
    Return,
    Statement,
    Terminator,
)
from rulelang.ir.walk import children, index, local_reads, subexpressions
from rulelang.runtime.layout import Layout

Change = Callable[[Expr], Expr]
PLAIN = frozenset(("local", "const", "var", "pvar", "zone", "attr", "eattr", "owner"))
"""Operations that cannot fail: an argument made of them need not be read."""
FREE_CALLS = 1000
"""Of more, the interpreter may say that there are too many."""


def folded(layout: Layout, compiler: Compiler) -> Layout:
    """The layout with calls of constant functions replaced by their values."""
    program = layout.program
    values: dict[int, Expr] = {}

    def change(expr: Expr) -> Expr:
        new = mapped(expr, change)
        return values[index(expr)] if expr.op == "call" and index(expr) in values and _plain_call(new) else new

    weights = call_weights(program)
    before = -1
    while len(values) > before:
        before = len(values)
        for number, code in enumerate(program.procedures):
            if number not in values and weights[number] <= FREE_CALLS and (value := lone_value(code)) is not None:
                fixed = _fixed(compiler, change(value))
                if fixed is not None:
                    values[number] = fixed
    return rewritten(layout, change) if values else layout


def rewritten(layout: Layout, change: Change) -> Layout:
    """The layout of the same program with its expressions changed."""
    program, found = layout.program, copy(layout)
    found.program = replace(
        program,
        procedures=tuple(
            replace(code, blocks=tuple(_block(block, change) for block in code.blocks)) for code in program.procedures
        ),
        decisions=tuple(_decision(node, change) for node in program.decisions),
    )
    return found


def _plain_call(call: Expr) -> bool:
    return all(part.op in PLAIN for argument in children(call) for part in subexpressions(argument))


def lone_value(code: Procedure) -> Expr | None:
    """What a function gives that does nothing else."""
    if code.depth or code.effects.suspends or code.effects.writes or code.blocks[0].statements:
        return None
    end = code.blocks[0].terminator
    return end.value if isinstance(end, Return) else None


def _fixed(compiler: Compiler, value: Expr) -> Expr | None:
    """An expression for a known value; it reads no locals."""
    known = compiler.known(value)
    if known is UNKNOWN:
        return None
    if isinstance(known, int):
        return Expr("const", value.type, (int(known),), value.site)
    return None if local_reads(value) else value


# ---- the same expression or program with other parts -------------------------------------------------------


def mapped(expr: Expr, change: Change) -> Expr:
    """Map a change over the arguments of an expression."""
    args = tuple(change(arg) if isinstance(arg, Expr) else arg for arg in expr.args)
    return expr if all(a is b for a, b in zip(args, expr.args, strict=True)) else replace(expr, args=args)


def substituted(expr: Expr, slot: int, op: str, value: int) -> Expr:
    """Substitute another local, or a constant, for a local of its type."""
    if expr.op == "local":
        return replace(expr, op=op, args=(value,)) if index(expr) == slot else expr
    return mapped(expr, lambda arg: substituted(arg, slot, op, value))


def changed_item(item: Item, change: Change, binders: bool = True) -> Item:
    """Map a change over the conditions of an item and, if `binders` says so, over what its binders read."""

    def guards(old: tuple[Guard, ...]) -> tuple[Guard, ...]:
        return tuple(replace(guard, condition=change(guard.condition)) for guard in old)

    new = item.binders
    if binders:
        new = tuple(replace(binder, args=tuple(map(change, binder.args))) for binder in new)
    return replace(item, binders=new, guards=guards(item.guards), pre=guards(item.pre))


def _block(block: Block, change: Change) -> Block:
    statements = tuple(_statement(statement, change) for statement in block.statements)
    return replace(block, statements=statements, terminator=_terminator(block.terminator, change))


def _statement(statement: Statement, change: Change) -> Statement:
    args = tuple(change(arg) if isinstance(arg, Expr) else arg for arg in statement.args)
    return replace(statement, args=args)


def _terminator(terminator: Terminator, change: Change) -> Terminator:
    match terminator:
        case Branch(condition=condition):
            return replace(terminator, condition=change(condition))
        case CallProc(arguments=arguments):
            return replace(terminator, arguments=tuple(map(change, arguments)))
        case Return(value=Expr() as value):
            return Return(change(value))
        case Chance(args=args):
            return replace(terminator, args=tuple(map(change, args)))
    return terminator


def _decision(node: Decision, change: Change) -> Decision:
    return replace(node, seat=change(node.seat), items=tuple(changed_item(item, change) for item in node.items))
