"""Trees of YAML files that were read before, kept in the user's cache folder: the YAML library takes five times as
long.

Enters: a source. Leaves: the tree that it was read as, without findings, or None. An entry is JSON; one that can't be
read as a tree counts as none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

from rulelang.cache import TREES, digest_of
from rulelang.diagnostics import Source, Span
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence

FORMAT = 1
"""Raise it where the same text is to be read as another tree."""
LEAST = 1000
"""Characters: a shorter text is read as quickly as an entry."""


def load_tree(source: Source) -> tuple[Mapping, int] | None:
    """Return the tree of a text, and how many keys and values it has."""
    content = TREES.load(_key(source)) if len(source.text) >= LEAST else None
    if content is None:
        return None
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        number, data = json.loads(content)
        tree = _node(data, lambda place: Span(source, *place))
        if isinstance(tree, Mapping) and isinstance(number, int):
            return tree, number
    return None


def save_tree(source: Source, tree: Mapping, number: int) -> None:
    """Keep the tree of a text about which there are no findings."""
    if len(source.text) >= LEAST:
        TREES.save(_key(source), json.dumps([number, _data(tree)], separators=(",", ":")).encode())


def _key(source: Source) -> str:
    return digest_of(_reader(), source.text)


@cache
def _reader() -> str:
    from importlib.metadata import version

    return f"{FORMAT} {version('ruamel.yaml')} {sys.version_info[:2]}"


def _data(node: Node) -> list[Any]:
    """A node as JSON: its place, then what it holds."""
    span = node.span
    place = [span.line, span.column, span.end_line, span.end_column]
    if isinstance(node, Scalar):
        return [place, node.value, node.style]
    if isinstance(node, Sequence):
        return [place, [_data(item) for item in node.items], "list", node.flow]
    return [place, [[_data(entry.key), _data(entry.value)] for entry in node.entries.values()], "mapping"]


def _node(data: list[Any], span: Callable[[list[int]], Span]) -> Node:
    place, value, style = data[:3]
    if style == "mapping":
        entries = [Entry(Scalar(span(key[0]), key[1], key[2]), _node(below, span)) for key, below in value]
        return Mapping(span(place), {str(entry.key.value): entry for entry in entries})
    if style == "list":
        return Sequence(span(place), tuple(_node(item, span) for item in value), data[3])
    return Scalar(span(place), value, style)
