"""Passes with one condition negated.

Enters: the modules of the passes and what they rest on. Leaves: a mutant for each condition, which can be put in place
of the true code for a while: tests of tests (DeMillo, Lipton, Sayward, "Hints on test data selection", 1978).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

PASSES = ("bitboards", "bits", "cells", "exists", "narrow", "options", "share")
MODULES = [
    import_module(f"rulelang.{name}")
    for name in (*(f"mir.{name}" for name in PASSES), "ir.rewrite", "runtime.constants")
]

ELSEWHERE = {
    "runtime.constants.clamp": "what an operation means, which tests/interpreter holds for both executors",
}
"""Functions without mutants."""


@dataclass(frozen=True)
class Mutant:
    """A condition of a module, by number."""

    module: ModuleType
    number: int
    name: str


def mutants() -> list[Mutant]:
    """Return all mutants; each is named for its function and condition."""
    found, named = [], Counter[str]()
    for module in MODULES:
        for number, (function, holder, key) in enumerate(_conditions(_parsed(module))):
            within = f"{module.__name__.removeprefix('rulelang.')}.{function}"
            name = f"{within}: {ast.unparse(_part(holder, key))}"
            named[name] += 1
            if within not in ELSEWHERE:
                found.append(Mutant(module, number, name + (f" #{named[name]}" if named[name] > 1 else "")))
    return found


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Run the mutant in place of the true code."""
    tree = _parsed(mutant.module)
    _, holder, key = list(_conditions(tree))[mutant.number]
    negated = ast.UnaryOp(ast.Not(), _part(holder, key))
    if isinstance(key, tuple):
        getattr(holder, key[0])[key[1]] = negated
    else:
        setattr(holder, key, negated)
    new = dict(_codes(compile(ast.fix_missing_locations(tree), str(mutant.module.__file__), "exec")))
    functions = list(_functions(mutant.module))
    old = [function.__code__ for function in functions]
    try:
        for function in functions:
            function.__code__ = new[function.__qualname__]
        yield
    finally:
        for function, code in zip(functions, old, strict=True):
            function.__code__ = code


def _parsed(module: ModuleType) -> ast.Module:
    return ast.parse(_text(str(module.__file__)))


@cache
def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _part(holder: ast.AST, key: Any) -> ast.expr:
    part: ast.expr = getattr(holder, key[0])[key[1]] if isinstance(key, tuple) else getattr(holder, key)
    return part


def _conditions(node: ast.AST, function: str = "", predicate: bool = False) -> Iterator[tuple[str, ast.AST, Any]]:
    """Yield the conditions within: function, the node that holds it, and the field there."""
    match node:
        case ast.ClassDef(name=name):
            function = f"{function}{name}."
        case ast.FunctionDef(name=name, returns=returns):
            predicate = isinstance(returns, ast.Name) and returns.id == "bool"
            function += name + "."
        case ast.If() | ast.IfExp() | ast.While() if not _is_typing(node.test):
            yield function.rstrip("."), node, "test"
        case ast.Lambda():
            return
        case ast.BoolOp(values=values):
            yield from ((function.rstrip("."), node, ("values", place)) for place in range(len(values)))
        case ast.comprehension(ifs=ifs):
            yield from ((function.rstrip("."), node, ("ifs", place)) for place in range(len(ifs)))
        case ast.match_case(guard=ast.expr()):
            yield function.rstrip("."), node, "guard"
        case ast.Return(value=ast.expr()) if predicate and not isinstance(node.value, ast.Constant):
            yield function.rstrip("."), node, "value"
    if not (isinstance(node, ast.If) and _is_typing(node.test)):
        for child in ast.iter_child_nodes(node):
            yield from _conditions(child, function, predicate)


def _is_typing(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions and methods that the module defines."""
    for holder in (module, *(each for each in vars(module).values() if isinstance(each, type))):
        if getattr(holder, "__module__", module.__name__) == module.__name__:
            for each in vars(holder).values():
                each = each.__func__ if isinstance(each, staticmethod) else each
                if isinstance(each, FunctionType) and each.__code__.co_filename == module.__file__:
                    yield each


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each.co_qualname, each
            yield from _codes(each)
