"""Steps where they stand in rules, and rules with a step changed.

Enters: a declaration, a step in it and what a variant does to that step. Leaves: the declaration as it then is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulelang.syntax import ast

# The fields in which declarations, statements and menu items hold blocks.
_PARTS = ("body", "branches", "otherwise", "items", "paid", "unpaid")


class Inserted(ast.Statement):
    """What a variant puts before or after a step, where the step stands; nobody writes it in a rule."""

    timing: str  # "before" | "after"
    step: ast.Name
    citations: tuple[ast.Citation, ...]
    body: ast.Block


def steps_in(node: object) -> list[ast.Step]:
    """Return the steps of a declaration, those inside others too."""
    steps = [node] if isinstance(node, ast.Step) else []
    for part in _blocks(node):
        steps += steps_in(part)
    return steps


def _blocks(node: object) -> Iterator[object]:
    """Yield the parts of a node that steps may stand in: no values."""
    if isinstance(node, tuple):
        yield from node
    elif isinstance(node, ast.Block):
        yield from node.statements
    elif isinstance(node, ast.Declaration | ast.Statement | ast.MenuItem):
        for name in _PARTS:
            yield getattr(node, name, ())


def changed(declaration: ast.Declaration, changes: Mapping[int, Sequence[ast.StepChange]]) -> ast.Declaration:
    """Return the declaration with steps changed; `changes` are those that a layer makes, by the identity of the step.

    What several layers put before a step nests: that of the highest comes first, and what it puts after the step last.
    What replaces a step stands between them; a step that is removed goes with them.
    """
    rewritten = _rewritten(declaration, changes)
    assert isinstance(rewritten, ast.Declaration)
    return rewritten


def _rewritten(value: object, changes: Mapping[int, Sequence[ast.StepChange]]) -> object:
    """Return the tree with all its blocks rewritten."""
    if isinstance(value, ast.Block):
        return _block(value, changes)
    if isinstance(value, ast.Declaration | ast.Statement | ast.MenuItem):
        parts = {name: getattr(value, name) for name in _PARTS if hasattr(value, name)}
        news: dict[str, Any] = {name: _rewritten(old, changes) for name, old in parts.items()}
        same = all(news[name] is old for name, old in parts.items())
        return value if same else dataclasses.replace(value, **news)
    if isinstance(value, tuple):
        items = tuple(_rewritten(part, changes) for part in value)
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value


def _block(block: ast.Block, changes: Mapping[int, Sequence[ast.StepChange]]) -> ast.Block:
    """Return the block with the changes of its own steps, and of those inside them."""
    done: list[ast.Statement] = []
    waiting = list(reversed(block.statements))
    while waiting:
        statement = waiting.pop()
        mine = changes.get(id(statement), ()) if isinstance(statement, ast.Step) else ()
        inner = _rewritten(statement, changes)
        assert isinstance(inner, ast.Statement)
        if not isinstance(statement, ast.Step) or not mine:
            done.append(inner)
            continue
        name = statement.name
        replacement = [inner]
        while done and _is_inserted(done[-1], "before", name.text):
            replacement.insert(0, done.pop())
        while waiting and _is_inserted(waiting[-1], "after", name.text):
            replacement.append(waiting.pop())
        for change in sorted(mine, key=lambda change: change.body is None):
            if change.body is None:
                replacement = []
            elif change.timing == "instead of":
                new = ast.Step(change.span, change.citations, name, change.body)
                replacement = [new if s is inner else s for s in replacement]
            else:
                put = Inserted(change.span, change.timing, name, change.citations, change.body)
                replacement.insert(0 if change.timing == "before" else len(replacement), put)
        done += replacement
    if len(done) == len(block.statements) and all(a is b for a, b in zip(done, block.statements, strict=True)):
        return block
    return ast.Block(block.span, tuple(done) or (ast.Pass(block.span),))


def _is_inserted(statement: ast.Statement, timing: str, step: str) -> bool:
    return isinstance(statement, Inserted) and (statement.timing, statement.step.text) == (timing, step)
