"""What operations mean is held so closely by their own cases that these fail when a row of the interpreter's tables is
emptied or negated, or has a condition turned around."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from rulelang.interpreter.expressions import BUILDERS
from rulelang.interpreter.statements import STATEMENTS as STATEMENT_BUILDERS
from rulelang.ir.nodes import Expr
from rulelang.ir.walk import subexpressions
from rulelang.runtime.constants import BOUND, FOLDS, PURE
from rulelang.vocabulary.operations import EXPRESSIONS, STATEMENTS
from tests.interpreter.build import const
from tests.interpreter.test_expressions import CASES
from tests.interpreter.test_expressions import wrong as wrong_values
from tests.interpreter.test_statements import wrong as wrong_effects
from tests.mutants import Mutant, mutants, planted
from tests.soak import every

MODULES = [
    import_module(f"rulelang.{name}")
    for name in (
        *(f"interpreter.{name}" for name in ("expressions", "sets", "pieces", "bags", "statements")),
        "runtime.constants",
    )
]
WORK = "bounds the work of folding: what is not folded is worked out when it is read"
EQUIVALENT = {
    "interpreter.sets.: op not in BOUNDED": "is read when the module is imported",
    "runtime.constants._Evaluator.call: called in self.layout.laborious": WORK,
    "runtime.constants._Evaluator.call: code.effects.reads": WORK,
    "runtime.constants._Evaluator.call: self.depth >= MOST_NESTED_CALLS": WORK,
    "runtime.constants._Evaluator.spend: self.fuel < 0": WORK,
    "runtime.constants.numbers: high - low >= MOST_ELEMENTS": WORK,
}
"""Mutants that change no value, and why."""


def emptied(value: Any, expr: Expr) -> Any:
    """Nothing of a value: no element, 0, none of each resource, absent."""
    if isinstance(value, tuple):
        return tuple(emptied(part, expr) for part in value)
    return [] if isinstance(value, list) else expr.type.absent if expr.type.kind == "opt" else 0


def negated(value: Any, expr: Expr) -> Any:
    """The other truth value, the number's complement, the elements the other way round."""
    if isinstance(value, tuple | list):
        return value[::-1]
    return not value if expr.type == "bool" else ~value


def cut(value: Any, expr: Expr) -> Any:
    """The first element alone."""
    return value[:1] if isinstance(value, list) else negated(value, expr)


def idle(row: Any) -> Any:
    """A statement that is built as before and does nothing."""
    return lambda c, node: row(c, node) and (lambda state, slots: None)


Change = Callable[[Any, Expr], Any]
CHANGES: tuple[Change, ...] = (emptied, negated, cut)


def changed_row(table: dict[str, Any], op: str, change: Change) -> Any:
    """The row of a table with its result changed."""
    row = table[op]
    if table is BUILDERS:

        def build(c: Any, e: Expr) -> Any:
            code = row(c, e)
            return lambda state, slots: change(code(state, slots), e)

        return build
    if table is BOUND:
        return lambda layout, e: lambda *values: change(row(layout, e)(*values), e)
    if table is FOLDS:
        return lambda e, elements, read: change(row(e, elements, read), e)
    example = next((part for expr, _ in CASES for part in subexpressions(expr) if part.op == op), const(0))
    return lambda *values: change(row(*values), example)


def is_caught(op: str) -> bool:
    """Whether a case of the operation fails."""
    try:
        return bool(wrong_values(op) if op in EXPRESSIONS else wrong_effects(op))
    except Exception:  # noqa: BLE001 - whatever comes out catches it
        return True


ROWS = [(table, op) for table in (BUILDERS, STATEMENT_BUILDERS, PURE, BOUND, FOLDS) for op in table]


@pytest.mark.parametrize(("table", "op"), ROWS, ids=[op for _, op in ROWS])
def test_a_changed_row_is_caught(table: dict[str, Any], op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation with another result, or a statement that does nothing, fails in its own cases."""
    rows = {change.__name__: changed_row(table, op, change) for change in CHANGES}
    missed = []
    for name, row in ({"idle": idle(table[op])} if table is STATEMENT_BUILDERS else rows).items():
        with monkeypatch.context() as patch:
            patch.setitem(table, op, row)
            if not is_caught(op):
                missed.append(name)
    assert missed == []


@cache
def entered() -> dict[str, set[str]]:
    """Function of the modules -> the operations whose cases enter it."""
    files = {module.__file__: module.__name__.removeprefix("rulelang.") for module in MODULES}
    by: dict[str, set[str]] = {}
    operation = ""

    def note(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename in files:
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            by.setdefault(f"{files[frame.f_code.co_filename]}.{name}", set()).add(operation)

    for operation in (*EXPRESSIONS, *STATEMENTS):
        sys.setprofile(note)
        try:
            is_caught(operation)
        finally:
            sys.setprofile(None)
    return by


def caught_by(mutant: Mutant) -> str:
    """An operation whose cases enter the function of the mutant and fail with it."""
    with planted(mutant):
        return next(filter(is_caught, sorted(entered().get(mutant.function, ()))), "")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_negated_condition_is_caught(module: ModuleType) -> None:
    """Each condition that is turned around is shown by the cases of an operation that comes through it; each fifth is,
    without `--soak`."""
    entered()
    asked = every(5, mutants([module]))
    missed = {each.name for each in asked if not caught_by(each)}
    assert missed == EQUIVALENT.keys() & {each.name for each in asked}
