"""Modules of the engine as their statements, parsed once by a process; whoever wants expressions walks on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

BODIES = ("body", "orelse", "handlers", "finalbody", "cases")


@cache
def module(path: Path) -> ast.Module:
    """Return the module of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def statements(path: Path) -> tuple[ast.AST, ...]:
    """Return the module, then all its statements at any depth."""
    return tuple(_statements(module(path)))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for body in BODIES:
        for inner in getattr(node, body, ()):
            yield from _statements(inner)
