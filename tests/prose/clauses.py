"""Parts of a declaration that may be left out: each gives another rule, which its sentence must tell.

Enters: a declaration. Leaves: for each part that may be left out the declaration without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from rulelang.syntax import ast

HEADS = ("span", "citations", "name", "params", "rule", "group", "place")
"""Fields that name what is declared or say where it stands; a parameter is told where it is read."""
INSTEAD = {ast.Where: "collection", ast.Ranked: "collection", ast.Sorted: "collection", ast.Otherwise: "value"}
"""What remains of a node without its condition, key or default."""


@dataclass(frozen=True)
class Cut:
    """`rest` is what remains of the whole; `part` was left out of the `field` of a `node`."""

    rest: Any
    node: ast.Node
    field: str
    part: Any


def cuts(node: Any) -> Iterator[Cut]:
    """Yield all cuts of a node, or of a list of nodes, at any depth."""
    if isinstance(node, tuple):
        for place, part in enumerate(node):
            for cut in cuts(part):
                yield replace(cut, rest=(*node[:place], cut.rest, *node[place + 1 :]))
    elif isinstance(node, ast.Node):
        yield from _own_cuts(node)
        for field in fields(node):
            for cut in cuts(getattr(node, field.name)):
                yield replace(cut, rest=_with(node, field.name, cut.rest))


def _with(node: ast.Node, field: str, value: Any) -> ast.Node:
    """Return a node with another value of one field."""
    changed: dict[str, Any] = {field: value}
    return replace(node, **changed)


def _own_cuts(node: ast.Node) -> Iterator[Cut]:
    """Yield a node without one of its own parts: a condition, a limit, a statement, an item, a word such as `may`."""
    for field in fields(node):
        value: Any = getattr(node, field.name)
        if field.name in HEADS:
            continue
        if value is True or (field.name == "priority" and value):
            yield Cut(_with(node, field.name, False if value is True else 0), node, field.name, value)
        elif isinstance(value, ast.Node) and _may_lack(type(node), field.name):
            yield Cut(_with(node, field.name, None), node, field.name, value)
        elif isinstance(value, tuple) and len(value) > 1:
            for place, part in enumerate(value):
                yield Cut(_with(node, field.name, value[:place] + value[place + 1 :]), node, field.name, part)
    if isinstance(node, ast.Logic):
        yield Cut(node.right, node, "left", node.left)
        yield Cut(node.left, node, "right", node.right)
    elif type(node) in INSTEAD:
        yield Cut(getattr(node, INSTEAD[type(node)]), node, "condition", node)


def _may_lack(of: type[ast.Node], name: str) -> bool:
    """Return whether a field of a class of nodes may be None."""
    return any("None" in str(vars(base).get("__annotations__", {}).get(name, "")) for base in of.__mro__)
