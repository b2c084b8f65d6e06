"""A YAML file as a tree in which every key and every value knows its place.

Enters: nothing. Leaves: the node types that `yaml_reader` builds, `layers` merges, and `schema` and `build` read.
"""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from collections.abc import Sequence as Steps
from dataclasses import field
from typing import Literal

from rulelang.diagnostics import NOWHERE, Diagnostics, Source, Span
from rulelang.records import record
from rulelang.ruleset.model import Text, plain_text

Style = Literal["plain", "quoted", "literal", "folded", "made"]


@record
class Scalar:
    """A single value. `broken` marks one about which a finding has been made, so that no second one repeats it; the
    style `made`, one that does not stand in the file as it is."""

    span: Span
    value: str | int | bool | None
    style: Style = "plain"
    broken: bool = False


@record
class Sequence:
    """A list; `flow` if it was written between brackets."""

    span: Span
    items: tuple[Node, ...]
    flow: bool = False


@record
class Entry:
    """A key, whose value is always a `str`, and what stands under it."""

    key: Scalar
    value: Node


@record
class Mapping:
    """Keys and values, in the order of the file."""

    span: Span
    entries: dict[str, Entry] = field(default_factory=dict)

    def get(self, key: str) -> Node | None:
        """Return the value under `key`; None if there is none."""
        entry = self.entries.get(key)
        return entry.value if entry else None


Node = Scalar | Sequence | Mapping
Path = tuple[str | int, ...]
NOTHING = Mapping(NOWHERE)


def plain(node: Node) -> object:
    """Convert a node to dictionaries, lists and scalars, as in JSON; all keys are strings."""
    if isinstance(node, Mapping):
        return {key: plain(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return node.value


def node_of(value: object, name: str) -> Node:
    """Convert a Python value to a node; each text becomes a source called `name`, so that findings can cite it."""
    if isinstance(value, AnyMapping):
        entries = (
            (str(key), Entry(Scalar(_span_of(str(key), name), str(key)), node_of(part, name)))
            for key, part in value.items()
        )
        return Mapping(_span_of("", name), dict(entries))
    if isinstance(value, list | tuple):
        text = ", ".join(map(plain_text, value))
        return Sequence(_span_of(f"[{text}]", name), tuple(node_of(part, name) for part in value), flow=True)
    if isinstance(value, str) and "\n" in value:
        return Scalar(_span_of(f"|\n{value}", name), value, "literal")
    known = value if isinstance(value, str | int | bool) else None
    return Scalar(_span_of(str(value), name), known)


def _span_of(text: str, name: str) -> Span:
    """Return the span of the first line of a text, in a new source called `name`."""
    return Span(Source(name, text), 1, 1, 1, len(text.partition("\n")[0]) + 1)


def at(node: Node, path: Steps[str | int]) -> Node:
    """Return the node at a path of keys and indices, or the deepest existing node on the way."""
    for step in path:
        below: Node | None = None
        if isinstance(node, Mapping) and isinstance(step, str):
            below = node.get(step)
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        if below is None:
            break
        node = below
    return node


def repaired(node: Node, changes: AnyMapping[Path, str | None], path: Path = ()) -> Node:
    """Return a copy of the tree in which the keys at some paths have other names; what has None is left out.

    Args:
        path: that of `node` itself.
    """
    if isinstance(node, Mapping):
        names = {key: changes.get((*path, key), key) for key in node.entries}
        entries = {
            name: Entry(node.entries[key].key, repaired(node.entries[key].value, changes, (*path, key)))
            for key, name in names.items()
            if name is not None
        }
        return Mapping(node.span, entries)
    if isinstance(node, Sequence):
        left = [(i, item) for i, item in enumerate(node.items) if (*path, i) not in changes]
        return Sequence(node.span, tuple(repaired(item, changes, (*path, i)) for i, item in left), node.flow)
    return node


def file_span(source: Source) -> Span:
    """Return the span of a file's first character, for findings about the whole file."""
    return Span(source, 1, 1, 1, 1)


def dsl_text(node: Node, diagnostics: Diagnostics) -> Text:
    """Return the DSL text that a value holds, with the exact place of its first character.

    A number or truth value becomes its text, and a list between brackets is taken as it was written. Text whose
    characters do not stand in the file as they are (folded, with escapes, over several lines) has no exact places and
    is refused.
    """
    span = node.span
    lines = span.source.lines if span.source else ()
    first = lines[span.line - 1] if span.line <= len(lines) else ""
    if isinstance(node, Scalar) and not isinstance(node.value, str):
        return Text(plain_text(node.value), span)
    if isinstance(node, Scalar) and isinstance(node.value, str):
        if node.style == "made":
            return Text(node.value, span)
        if node.style == "literal":
            return _literal(node.value, span, lines)
        inner = (
            Span(span.source, span.line, span.column + 1, span.end_line, span.end_column - 1)
            if node.style == "quoted"
            else span
        )
        if node.style == "folded" or span.line != span.end_line:
            message = "rule text that goes over several lines stands after `|`"
            hint = "write `|` after the colon and the text, indented, on the lines below"
            diagnostics.error("yaml-several-lines", message, span, hint)
        elif first[inner.column - 1 : inner.end_column - 1] != node.value:
            message = "rule text between quotes cannot hold escapes or doubled quotes"
            hint = "the language needs no quotes: write the text without them, or after `|`"
            diagnostics.error("yaml-escape", message, span, hint)
        return Text(node.value, inner)
    if isinstance(node, Sequence) and node.flow and span.line == span.end_line:
        return Text(first[span.column - 1 : span.end_column - 1], span)
    diagnostics.error("yaml-several-lines", "a list in rule text stands on one line between [ and ]", span)
    return Text("", span)


def _literal(value: str, span: Span, lines: tuple[str, ...]) -> Text:
    """Return the text of a `|` block, dedented, with the span of its lines; of an empty one that of its `|`."""
    if not value.strip():
        return Text("", span)
    offset, content = next(((n, text) for n, text in enumerate(value.split("\n")) if text.strip()), (0, ""))
    raw = lines[span.line + offset] if content and span.line + offset < len(lines) else ""
    indent = len(raw) - len(content)
    last = value.rstrip("\n").count("\n") + span.line + 1
    width = len(lines[last - 1]) if last <= len(lines) else 0
    return Text(value, Span(span.source, span.line + 1, indent + 1, last, width + 1), indent)
