"""Values between braces that their own commas cut into keys: `{values: red, blue}`.

Enters: a tree and its schema. Leaves: one fault for each such value, and what to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulelang.ruleset.faults import Fault
from rulelang.ruleset.nodes import Entry, Mapping, Node, Path, Scalar
from rulelang.ruleset.nodes import Sequence as NodeList
from rulelang.ruleset.senses import key_meant

GLUED = re.compile(r"([A-Za-z_]\w*)(:| *=+ *| )(\S.*)")
"""A key with its value, where what parts the two is not `: `."""


def fallen_apart(node: Node, schema: Any, path: Path = (), beside: Node | None = None) -> Iterator[Fault]:
    """Yield one fault for each value between braces that its own commas cut into keys: `{values: red, blue}`.

    What follows the first comma is a key without a value. It is a flag (`final`) if it names one, else a part of a list
    or of a text, whichever the key before it takes. Faults without words are those of the other parts.
    """
    for step, below in _children(node):
        yield from fallen_apart(below, schema, (*path, step), node)
    if not isinstance(node, Mapping) or not _is_flow(node):
        return
    if path[:1] == ("pieces",) and (row := _cells(path, node, beside)):
        yield from row
        return
    forms = _forms_at(schema, path)
    flags = {name for form in forms for name, of in form.get("properties", {}).items() if of.get("type") == "boolean"}
    known = {name for form in forms for name in form.get("properties", {})} - flags
    flags.add("remove")  # what overlays say is applied before the schema
    before: tuple[str, Scalar] | None = None
    parts: list[str] = []
    for key, entry in (*node.entries.items(), ("", None)):
        value = entry.value if entry is not None else None
        is_part = isinstance(value, Scalar) and value.value is None and not value.broken and not GLUED.fullmatch(key)
        is_part = is_part and entry is not None and not (key.isdigit() or _has_colon(entry) or key in known)
        if is_part and (flag := key_meant(key, flags)) and not parts and entry is not None:
            message = f"`{key}` has no value"
            yield Fault((*path, key), entry.key.span, "schema-empty", message, f"write `{flag}: true`", flag)
        elif is_part and before is not None:
            parts.append(key)
        elif parts and before is not None:
            yield from _one_value(path, before, parts, [part for form in forms for part in _below(form, before[0])])
            parts = []
        if not is_part:
            before = (key, value) if isinstance(value, Scalar) and isinstance(value.value, (str, int)) else None


def _cells(path: Path, row: Mapping, beside: Node | None) -> list[Fault]:
    """Return the faults of a row of pieces of which only the first cells have keys; none of any other row."""
    keys = list(row.entries)
    bare = [key for key, entry in row.entries.items() if isinstance(v := entry.value, Scalar) and v.value is None]
    bare = [key for key in bare if not _has_colon(row.entries[key]) and not GLUED.fullmatch(key)]
    named = keys[: len(keys) - len(bare)]
    rows = [other for other in beside.items if isinstance(other, Mapping)] if isinstance(beside, NodeList) else []
    whole = next((list(other.entries) for other in rows if list(other.entries)[: len(named)] == named), [])
    if len(bare) < len("ab") or keys[len(named) :] != bare or len(whole) != len(keys):
        return []
    values = [at.value for at in (row.entries[key].value for key in named) if isinstance(at, Scalar)]
    cells = ", ".join(f"{key}: {cell}" for key, cell in zip(whole, [*values, *bare], strict=False))
    place = row.entries[bare[0]].key.span
    hint = f"a row has a key for each value: `- {{{cells}}}`"
    first = Fault((*path, bare[0]), place, "schema-form", "values stand here without their keys", hint)
    return [first, *(Fault((*path, key), place, "schema-empty", "") for key in bare[1:])]


def _one_value(path: Path, before: tuple[str, Scalar], parts: Sequence[str], forms: Iterable[Any]) -> Iterator[Fault]:
    """Yield the faults of a key whose value and the keys after it are one value; `forms` are its schemas."""
    key, value = before
    text = ", ".join((str(value.value), *parts))
    types = {type for form in forms for type in _as_list(form.get("type", []))}
    listed, quoted = f"`{key}: [{text}]`", f'`{key}: "{text}"`'
    hint = f"write {listed}: a list stands between brackets" if "array" in types else f"write {quoted}"
    if re.fullmatch(r"\d+ \w+(, \d+ \w+)+", text):
        hint = f"write `{key}: {text.replace(', ', ' + ')}`: amounts are joined by `+`"
    ends = [int(number) for number in re.findall(r"\d{1,9}", text)]
    if len(ends) > 1 and any(form.get("title") == "a type" for form in forms):
        hint = f"a number is of a range: `{key}: {min(ends)}..{max(ends)}`"
    message = f"the value of `{key}` has a `,` in it, which begins a new key between {{ }}"
    yield Fault((*path, key), value.span, "schema-form", message, hint)
    for part in parts:
        yield Fault((*path, part), value.span, "schema-empty", "")


def _has_colon(entry: Entry) -> bool:
    """Return whether a key has a colon behind it, and only lacks its value."""
    span = entry.key.span
    line = span.source.lines[span.end_line - 1] if span.source is not None else ""
    return line[span.end_column - 1 :].lstrip().startswith(":")


def _as_list(types: str | list[str]) -> list[str]:
    """Return the types that a schema names, of which a single one stands alone."""
    return [types] if isinstance(types, str) else types


def _children(node: Node) -> list[tuple[str | int, Node]]:
    """Return the nodes directly below a node, each with its key or index."""
    if isinstance(node, Mapping):
        return [(key, entry.value) for key, entry in node.entries.items()]
    return [*enumerate(node.items)] if isinstance(node, NodeList) else []


def _is_flow(node: Mapping) -> bool:
    """Return whether a mapping is written between braces."""
    span = node.span
    line = span.source.lines[span.line - 1] if span.source is not None else ""
    return line[span.column - 1 : span.column] == "{"


def _forms_at(schema: Any, path: Path) -> list[dict[str, Any]]:
    """Return the schemas that may hold at a path, alternatives one by one."""
    forms = [*_alternatives(schema)]
    for step in path:
        forms = [below for form in forms for below in _below(form, step)]
    return forms


def _below(form: dict[str, Any], step: str | int) -> Iterator[dict[str, Any]]:
    """Yield the schemas of what a schema says of a key or an item."""
    found = form.get("items") if isinstance(step, int) else form.get("properties", {}).get(step)
    found = form.get("additionalProperties") if found is None and isinstance(step, str) else found
    if isinstance(found, dict):
        yield from _alternatives(found)


def _alternatives(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a schema and all those that it is a choice or a sum of."""
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, ()):
            if isinstance(part, dict):
                yield from _alternatives(part)
