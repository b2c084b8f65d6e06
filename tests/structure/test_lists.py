"""Lists of operations stand in the vocabulary: what else names several at once is counted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rulelang.vocabulary.operations import CHANCE, EXPRESSIONS, FAILURES, READS, STATEMENTS, TRAITS, Op
from tests.trees import module

PACKAGE = Path(__file__).resolve().parents[2] / "rulelang"
OPERATIONS: dict[str, Op] = {**EXPRESSIONS, **STATEMENTS, **CHANCE}
MANY = 3
MOST = 32
"""So many lists of three and more there are; a list more is a fact that its rows should say."""
QUOTED = re.compile(r'"(\w+)[" ]')
BUILT = (ast.Name, ast.Lambda, ast.Attribute, ast.Call)


def texts(parts: list[ast.expr]) -> list[str]:
    return [part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "" for part in parts]


def listed(node: ast.AST) -> list[str]:
    """The texts of a collection, a dictionary of values, alternatives of a pattern or a text that is split; tables of
    functions that build or write operations are none."""
    match node:
        case ast.Set(elts=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            return texts(parts)
        case ast.Dict() if not any(isinstance(value, BUILT) for value in node.values):
            return texts([key for key in node.keys if key is not None])
        case ast.MatchOr():
            return texts([part.value for part in node.patterns if isinstance(part, ast.MatchValue)])
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            return text.split()
    return []


@cache
def lists() -> dict[str, frozenset[str]]:
    """Each list of two operations and more outside the vocabulary, by its place."""

    def found() -> Iterator[tuple[str, frozenset[str]]]:
        for path in sorted(PACKAGE.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if path.parent.name != "vocabulary" and len(OPERATIONS.keys() & {*QUOTED.findall(text)}) > 1:
                for node in ast.walk(module(path)):
                    names = frozenset(listed(node))
                    if len(names) > 1 and names <= OPERATIONS.keys():
                        yield f"{path.relative_to(PACKAGE)}:{getattr(node, 'lineno', 0)} {sorted(names)}", names

    return dict(found())


def test_few_lists_of_operations_stand_outside_the_vocabulary() -> None:
    """None is told in the table of operations by a trait of its own."""
    found = [place for place, names in lists().items() if len(names) >= MANY]
    assert len(found) <= MOST, "\n".join(found)


def test_no_list_says_again_what_rows_say() -> None:
    """Which operations compare, fail, read something or have a trait."""
    said = {word: {name for name, op in OPERATIONS.items() if word in op.failures} for word in FAILURES}
    said |= {word: {name for name, op in OPERATIONS.items() if word in op.reads} for word in READS}
    said |= {word: {name for name, op in OPERATIONS.items() if word in op.traits} for word in TRAITS}
    compared = said["sign"] & said["negates"] | said["equates"]
    again = {
        place: [word for word, of in said.items() if names == of] + ["compares"] * (names <= compared)
        for place, names in lists().items()
    }
    assert {place: words for place, words in again.items() if words} == {}
