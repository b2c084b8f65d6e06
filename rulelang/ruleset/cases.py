"""Scenarios with a table of cases: one scenario for each row, its values in the place of `$name`.

Enters: the tree of a scenario file. Leaves: the same tree, every scenario with `cases` replaced by those of its rows. A
value that is `$name` and nothing else becomes the row's value, at its place in the row; where that is a part of a text,
its place is that in the text as it reads with the row's value. A row's value may be a list: that stands alone, or in a
list, which then has its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.ruleset.model import plain_text
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence

FIELD = re.compile(r"\$([A-Za-z_]\w*)")


def with_cases(tree: Mapping, diagnostics: Diagnostics) -> Mapping:
    """Replace each scenario with `cases` by one scenario for each row of the table.

    Malformed tables are left for the schema to report.
    """
    scenarios = tree.entries.get("scenarios")
    if scenarios is None or not isinstance(scenarios.value, Sequence):
        return tree
    items = tuple(case for item in scenarios.value.items for case in _written_out(item, diagnostics))
    value = Sequence(scenarios.value.span, items, scenarios.value.flow)
    return Mapping(tree.span, {**tree.entries, "scenarios": Entry(scenarios.key, value)})


def unfilled(span: Span, line: str) -> Span | None:
    """Return where a part of a filled text stands in its file; None for a part that a field's value has.

    Args:
        line: what the line reads in the file, with fields.
    """
    literals = FIELD.split(line)[::2]
    aligned = re.fullmatch("(.*?)".join(f"({re.escape(literal)})" for literal in literals), span.whole_line)
    if aligned is None:
        return None
    shift = 0
    for number, field_ in enumerate(FIELD.finditer(line), 1):
        if span.end_column - 1 <= aligned.end(2 * number - 1):
            break
        if span.column - 1 < aligned.end(2 * number):
            return None
        shift = field_.end() - aligned.end(2 * number)
    return Span(span.source, span.line, span.column + shift, span.line, span.end_column + shift)


def _written_out(item: Node, diagnostics: Diagnostics) -> Iterator[Node]:
    """Yield a list item, or the scenarios for each row of its `cases`; report unused columns."""
    table = item.get("cases") if isinstance(item, Mapping) else None
    rows = _rows(table) if table is not None else None
    if table is None or not isinstance(item, Mapping):
        yield item
        return
    if not rows:  # only what is wrong with the cases is told
        left = {key: entry for key, entry in item.entries.items() if key in ("name", "cases")}
        then = Entry(Scalar(item.span, "then"), Sequence(item.span, (Scalar(item.span, "true"),)))
        yield Mapping(item.span, {**left, "then": then})
        return
    used: set[str] = set()
    scenario = Mapping(item.span, {key: entry for key, entry in item.entries.items() if key != "cases"})
    for row in rows:
        filler = _Filler(row, diagnostics)
        before = len(diagnostics)
        filled = filler.node(scenario)
        used |= filler.used
        if len(diagnostics) > before or not isinstance(filled, Mapping):
            continue
        yield Mapping(row.span, {**filled.entries, **_named(filled, item, row)})
    for row in rows:
        for name, entry in row.entries.items():
            if name not in used:
                message = f"the scenario says `${name}` nowhere"
                diagnostics.error("scenario-case", message, entry.key.span, "use it, or take it out of the cases")


def _rows(table: Node) -> list[Mapping] | None:
    """Return the rows of a table of scalars and lists of scalars; None if it is malformed."""
    if not isinstance(table, Sequence):
        return None
    rows = [row for row in table.items if isinstance(row, Mapping) and row.entries]
    sound = all(_is_value(entry.value) for row in rows for entry in row.entries.values())
    return rows if sound and len(rows) == len(table.items) else None


def _named(filled: Mapping, item: Mapping, row: Mapping) -> dict[str, Entry]:
    """Return the entry for the name of a row's scenario.

    Unless the name has a field, the row's first value is appended to it.
    """
    name, written = filled.entries.get("name"), item.get("name")
    if name is None or not isinstance(name.value, Scalar) or not isinstance(written, Scalar):
        return {}
    first = next(iter(row.entries.values())).value
    text = str(name.value.value)
    if not FIELD.search(str(written.value)):
        text += f": {_plain_text(first) or 'none'}"
    return {"name": Entry(name.key, Scalar(row.span, text))}


def _is_value(node: Node) -> bool:
    """Return whether a node is a scalar or a list of scalars."""
    return isinstance(node, Scalar) or (
        isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items)
    )


def _plain_text(value: Node) -> str:
    """Return a scalar, or the items of a list joined by commas, as YAML text."""
    if isinstance(value, Sequence):
        return ", ".join(map(_plain_text, value.items))
    assert isinstance(value, Scalar)
    return plain_text(value.value)


@dataclass
class _Filler:
    """Substitutes the values of one row of cases for the fields `$name` in a scenario."""

    row: Mapping
    diagnostics: Diagnostics
    used: set[str] = field(default_factory=set)

    def node(self, node: Node) -> Node:
        """Return a node with the fields in its keys and values substituted."""
        if isinstance(node, Mapping):
            entries = (Entry(self.scalar(e.key), self.node(e.value)) for e in node.entries.values())
            return Mapping(node.span, {_plain_text(entry.key): entry for entry in entries})
        if isinstance(node, Sequence):
            return self.sequence(node)
        return self.node_of(node)

    def sequence(self, node: Sequence) -> Sequence:
        """Return a list with the fields in its items substituted."""
        items = tuple(filled for item in node.items for filled in self.items(item))
        if items == node.items or not node.flow or node.span.line != node.span.end_line:
            return Sequence(node.span, items, node.flow)
        # It may be read as rule text, which is the text between its brackets.
        return Sequence(self.span(node.span), items, True)

    def items(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes that replace a list item: several if the item is a field with a list for its value."""
        filled = self.node(node)
        listed = isinstance(node, Scalar) and isinstance(filled, Sequence)
        return filled.items if listed and isinstance(filled, Sequence) else (filled,)

    def node_of(self, node: Scalar) -> Node:
        """Return the node that replaces a scalar: the field's own value if the scalar is only a field."""
        whole = FIELD.fullmatch(node.value) if isinstance(node.value, str) else None
        if not whole:
            return self.scalar(node)
        value = self.value(whole, node.span)
        return value if value is not None else node

    def scalar(self, node: Scalar) -> Scalar:
        """Return a scalar with the fields in its text substituted."""
        text = node.value
        if not isinstance(text, str) or not FIELD.search(text):
            return node
        whole = FIELD.fullmatch(text)
        if whole and isinstance(value := self.value(whole, node.span), Scalar):
            return value
        filled = FIELD.sub(lambda found: self.text(found, node.span), text)
        return Scalar(self.span(node.span), filled, node.style, node.broken)

    def text(self, match: re.Match[str], span: Span) -> str:
        """Return a field's value as text; report a list, which cannot be part of a text."""
        value = self.value(match, span)
        if isinstance(value, Sequence):
            message = f"`${match[1]}` is a list here, and can't be a part of a text"
            related = ((value.span, "the list"),)
            self.diagnostics.error("scenario-case", message, span, "let it stand alone, or in a list", related=related)
        return _plain_text(value) if isinstance(value, Scalar) else match[0]

    def value(self, match: re.Match[str], span: Span) -> Scalar | Sequence | None:
        """Return the row's value for a field; report a field that the row lacks."""
        name = match[1]
        self.used.add(name)
        entry = self.row.entries.get(name)
        if entry is not None and isinstance(entry.value, Scalar | Sequence):
            return entry.value
        hint = suggest(name, self.row.entries) or "give it a value in each of the cases"
        place = ((self.row.span, "this case"),)
        self.diagnostics.error("scenario-case", f"the case has no `{name}`", span, hint, related=place)
        return None

    def span(self, span: Span) -> Span:
        """Return the span of a text in a copy of its source with the fields substituted, so that messages quote the
        filled text."""
        if span.source is None:
            return span
        lines = list(span.source.lines[: span.end_line + 1])
        start, end = span.column - 1, span.end_column - 1
        if span.line == span.end_line:
            line = lines[span.line - 1]
            filled = self.quietly(line[start:end])
            lines[span.line - 1] = line[:start] + filled + line[end:]
            end = start + len(filled)
        else:
            lines[span.line - 1 :] = [self.quietly(line) for line in lines[span.line - 1 :]]
        text = "\n" * (span.line - 1) + "\n".join(lines[span.line - 1 :])
        return Span(span.source.with_text(text), span.line, span.column, span.end_line, end + 1)

    def quietly(self, text: str) -> str:
        """Substitute fields in a text without reporting those that the row lacks."""

        def replacement(match: re.Match[str]) -> str:
            entry = self.row.entries.get(match[1])
            return _plain_text(entry.value) if entry is not None else match[0]

        return FIELD.sub(replacement, text)
