"""Every class of nodes has what checks it."""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.semantics.check import REGISTERED
from rulelang.semantics.typing.bodies import BODIES, NAMES
from rulelang.semantics.typing.context import EXPRESSIONS, LITERALS, STATEMENTS
from rulelang.syntax import ast

UNCHECKED = {ast.Version, ast.StepChange, ast.Removal}
"""What says nothing by itself, and what is gone when the layers are one."""


def classes(base: type[ast.Node]) -> Iterator[type[ast.Node]]:
    """All classes below one of which no other is made."""
    for below in base.__subclasses__():
        yield from classes(below) if below.__subclasses__() else (below,)


def test_every_class_is_checked() -> None:
    """Expressions by one table or the other, statements by theirs, declarations by one pass or both."""
    assert REGISTERED
    assert not LITERALS.keys() & EXPRESSIONS.keys()
    assert set(classes(ast.Expr)) == LITERALS.keys() | EXPRESSIONS.keys()
    assert set(classes(ast.Statement)) == STATEMENTS.keys()
    assert set(classes(ast.Declaration)) - UNCHECKED == BODIES.keys() | NAMES.keys()
