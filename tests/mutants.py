"""Modules with one condition negated.

Enters: modules. Leaves: a mutant for each condition of their functions, which can be put in place of the true code for
a while: tests of tests (DeMillo, Lipton, Sayward, "Hints on test data selection", 1978).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A condition of a module, by number."""

    module: ModuleType
    number: int
    name: str
    function: str


def mutants(modules: Iterable[ModuleType]) -> list[Mutant]:
    """Return all mutants of modules; each is named for its function and condition."""
    found, named = [], Counter[str]()
    for module in modules:
        for number, (function, holder, key, _) in enumerate(_conditions_in(str(module.__file__))):
            within = f"{module.__name__.removeprefix('rulelang.')}.{function}"
            name = f"{within}: {ast.unparse(_part(holder, key))}"
            named[name] += 1
            found.append(Mutant(module, number, name + (f" #{named[name]}" if named[name] > 1 else ""), within))
    return found


@contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Run the mutant in place of the true code."""
    _, holder, key, top = _conditions_in(str(mutant.module.__file__))[mutant.number]
    condition = _part(holder, key)
    _set_part(holder, key, ast.copy_location(ast.UnaryOp(ast.Not(), condition), condition))
    try:
        code = compile(ast.Module([top], []), str(mutant.module.__file__), "exec")
    finally:
        _set_part(holder, key, condition)
    new = dict(_codes(code))
    functions = [function for function in _functions(mutant.module) if function.__qualname__ in new]
    old = [function.__code__ for function in functions]
    try:
        for function in functions:
            function.__code__ = new[function.__qualname__]
        yield
    finally:
        for function, code in zip(functions, old, strict=True):
            function.__code__ = code


@cache
def _conditions_in(path: str) -> list[tuple[str, ast.AST, Any, ast.stmt]]:
    """Return the conditions of a module: function, the node that holds it, the field there, the outermost statement."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return [(*found, top) for top in tree.body for found in _conditions(top)]


def _part(holder: ast.AST, key: Any) -> ast.expr:
    part: ast.expr = getattr(holder, key[0])[key[1]] if isinstance(key, tuple) else getattr(holder, key)
    return part


def _set_part(holder: ast.AST, key: Any, part: ast.expr) -> None:
    if isinstance(key, tuple):
        getattr(holder, key[0])[key[1]] = part
    else:
        setattr(holder, key, part)


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
