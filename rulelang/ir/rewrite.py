"""The same expression or program with other parts.

Enters: expressions, programs. Leaves: the same with a change mapped over their parts; what is not changed stays the
same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count

from rulelang.ir import nodes
from rulelang.ir.nodes import Block, Decision, Expr, Guard, Item, Procedure, Statement
from rulelang.ir.program import Program
from rulelang.ir.types import INT, Type
from rulelang.ir.walk import BINDING, index, operands, subexpressions

Change = Callable[[Expr], Expr]


def rewritten(program: Program, change: Change) -> Program:
    """Return the same program with its outermost expressions changed."""
    return replace(
        program,
        procedures=tuple(
            replace(code, blocks=tuple(_block(block, change) for block in code.blocks)) for code in program.procedures
        ),
        decisions=tuple(_decision(node, change) for node in program.decisions),
    )


def lone_value(code: Procedure) -> Expr | None:
    """Return the value of a function that does nothing but return it; None for any other procedure."""
    if code.depth or code.effects.suspends or code.effects.writes or code.blocks[0].statements:
        return None
    end = code.blocks[0].terminator
    return end.value if isinstance(end, nodes.Return) else None


def mapped(expr: Expr, change: Change) -> Expr:
    """Map a change over the arguments of an expression."""
    args = tuple(change(arg) if isinstance(arg, Expr) else arg for arg in expr.args)
    return expr if all(a is b for a, b in zip(args, expr.args, strict=True)) else replace(expr, args=args)


def substituted(expr: Expr, slot: int, change: Change) -> Expr:
    """Substitute another expression for a local, which nothing binds again."""
    if expr.op == "local":
        return change(expr) if index(expr) == slot else expr
    return mapped(expr, lambda arg: substituted(arg, slot, change))


fresh_slots = count(1 << 23)
"""Slots that no procedure has."""


def with_arguments(expr: Expr, values: Mapping[int, Expr]) -> Expr:
    """Return what a function gives in terms of its caller; what it binds gets slots that no procedure has."""
    if expr.op == "local":
        return values[index(expr)]
    if expr.op in BINDING:
        slot = next(fresh_slots)
        source, body = operands(expr)
        inner = {**values, index(expr): Expr("local", _type_of_bound(expr), (slot,), expr.site)}
        return replace(expr, args=(slot, with_arguments(source, values), with_arguments(body, inner)))
    return mapped(expr, lambda arg: with_arguments(arg, values))


def _type_of_bound(expr: Expr) -> Type:
    """Return the type of what a binding operation binds: that of the local that reads it."""
    slot = index(expr)
    _, body = operands(expr)
    return next((part.type for part in subexpressions(body) if part.op == "local" and index(part) == slot), INT)


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


def _terminator(terminator: nodes.Terminator, change: Change) -> nodes.Terminator:
    """Return a terminator with its expressions replaced by what `change` returns for them."""
    match terminator:
        case nodes.Branch(condition=condition):
            return replace(terminator, condition=change(condition))
        case nodes.CallProc(arguments=arguments):
            return replace(terminator, arguments=tuple(map(change, arguments)))
        case nodes.Return(value=Expr() as value):
            return nodes.Return(change(value))
        case nodes.Chance(args=args):
            return replace(terminator, args=tuple(map(change, args)))
    return terminator


def _decision(node: Decision, change: Change) -> Decision:
    return replace(node, seat=change(node.seat), items=tuple(changed_item(item, change) for item in node.items))
