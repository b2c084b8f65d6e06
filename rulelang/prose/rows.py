"""Values that are known before a game: the count and the start of a row, given its attributes, options and players.

Enters: expressions of the YAML. Leaves: the same with what is known put in, or their values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from rulelang.syntax import ast
from rulelang.vocabulary.computing import COMPUTES
from rulelang.vocabulary.operations import EQUALITIES, WRITTEN

Value = int | bool | str
Settings = Mapping[str, Value]
PLAYERS = "count(players)"
N = TypeVar("N")


def known(node: ast.Expr, attributes: Mapping[str, ast.Expr], settings: Settings) -> ast.Expr:
    """Substitute a row's attributes in an expression and resolve conditionals decided by the settings."""
    return _decided(_put_in(node, attributes), settings)


def _put_in(node: N, attributes: Mapping[str, ast.Expr]) -> N:
    """Replace the names of attributes in a node by their expressions."""
    if isinstance(node, ast.NameExpr) and node.name in attributes:
        return attributes[node.name]  # type: ignore[return-value]
    return _mapped(node, lambda inner: _put_in(inner, attributes))


def _decided(node: N, settings: Settings) -> N:
    """Replace conditionals whose condition evaluates under the settings by the branch taken."""
    if isinstance(node, ast.Conditional):
        sure = worth(node.condition, settings)
        if sure is not None:
            return _decided(node.then if sure else node.otherwise, settings)  # type: ignore[return-value]
    if isinstance(node, ast.Logic):
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if worth(side, settings) is (node.op == "and"):
                return _decided(other, settings)  # type: ignore[return-value]
    return _mapped(node, lambda inner: _decided(inner, settings))


def _mapped(node: N, change: Callable[[object], object]) -> N:
    """Return a copy of a node with `change` applied to its children."""
    if isinstance(node, tuple):
        return tuple(change(part) for part in node)  # type: ignore[return-value]
    if not isinstance(node, ast.Node):
        return node
    changes: dict[str, Any] = {f.name: change(getattr(node, f.name)) for f in fields(node) if f.name != "span"}
    return replace(node, **changes)


def worth(node: ast.Expr, settings: Settings) -> Value | None:
    """Evaluate an expression under the settings; None if it reads anything else."""
    match node:
        case ast.Number() | ast.Truth():
            return node.value
        case ast.NameExpr():
            return settings.get(node.name)
        case ast.Call(function=ast.Name(text="count"), arguments=(ast.NameExpr(name="players"),)):
            return settings.get(PLAYERS)
        case ast.Call(function=ast.Name(text="min" | "max" | "abs" as name)):
            return _computed(name, [worth(argument, settings) for argument in node.arguments])
        case ast.Conditional():
            sure = worth(node.condition, settings)
            return None if sure is None else worth(node.then if sure else node.otherwise, settings)
        case ast.Not():
            operand = worth(node.operand, settings)
            return None if operand is None else not operand
        case ast.Logic():
            decisive, sides = node.op == "or", [worth(node.left, settings), worth(node.right, settings)]
            if decisive in sides:
                return decisive
            return None if None in sides else not decisive
        case ast.Member(collection=ast.SetLiteral(elements=items)):
            element, members = worth(node.element, settings), [worth(item, settings) for item in items]
            return None if element is None or None in members else (element in members) != node.negated
        case ast.Compare() | ast.Arithmetic():
            return _combined(node.op, worth(node.left, settings), worth(node.right, settings))
        case ast.Negative():
            negated = worth(node.operand, settings)
            return -negated if isinstance(negated, int) else None
    return None


def _computed(name: str, values: Sequence[Value | None]) -> int | None:
    """Evaluate `abs`, `min` or `max`; None if an argument is unknown."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) < max(len(values), 1 if name == "abs" else 2):
        return None
    return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)


def _combined(op: str, left: Value | None, right: Value | None) -> Value | None:
    """Evaluate a binary operation; None if an operand is unknown."""
    if left is None or right is None:
        return None
    name = WRITTEN[op]
    if name not in EQUALITIES and not (isinstance(left, int) and isinstance(right, int)):
        return None
    try:
        return COMPUTES[name](left, right)
    except ZeroDivisionError:
        return None
