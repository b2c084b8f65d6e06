"""Reads the values of one row of a tree that fits its schema, in the shapes that the model wants.

Enters: a `Mapping` from which what does not fit the schema was taken away. Leaves: names, numbers, DSL texts and
citations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rulelang.diagnostics import NOWHERE, Diagnostics, Span
from rulelang.ruleset.model import Cite, Places, Text, Word
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence, dsl_text


class Fields:
    """One row: each method reads one key and answers with a default where the key is missing."""

    def __init__(self, node: Node | None, diagnostics: Diagnostics) -> None:
        self.node = node if isinstance(node, Mapping) else Mapping(node.span if node else NOWHERE)
        self.diagnostics = diagnostics

    def has(self, key: str) -> bool:
        """Return whether the row has a value under `key`."""
        return key in self.node.entries

    def span(self, key: str) -> Span:
        """Return the span of the value under `key`, or of the whole row if it is missing."""
        value = self.node.get(key)
        return value.span if value else self.node.span

    def key_span(self, key: str) -> Span:
        """Return the span of the key itself, or of the whole row if it is missing."""
        entry = self.node.entries.get(key)
        return entry.key.span if entry else self.node.span

    def rows(self, key: str) -> dict[str, Entry]:
        """Return the entries of the mapping under `key`; empty if there is none."""
        value = self.node.get(key)
        return value.entries if isinstance(value, Mapping) else {}

    def each(self, key: str) -> Iterator[tuple[str, Span, Fields]]:
        """Yield the rows of the mapping under `key`: the name of each, where that stands, and its fields."""
        for name, entry in self.rows(key).items():
            yield name, entry.key.span, Fields(entry.value, self.diagnostics)

    def below(self, key: str) -> Fields:
        """Return the fields of the mapping under `key`; empty fields if there is none."""
        return Fields(self.node.get(key), self.diagnostics)

    def items(self, key: str) -> tuple[Node, ...]:
        """Return the items of the list under `key`; a single value counts as a list of one."""
        value = self.node.get(key)
        if isinstance(value, Sequence):
            return value.items
        return (value,) if isinstance(value, Scalar) else ()

    def scalar(self, key: str) -> str | int | bool | None:
        """Return the Python value of the scalar under `key`; None if there is none."""
        value = self.node.get(key)
        return value.value if isinstance(value, Scalar) else None

    def word(self, key: str, default: str = "") -> str:
        """Return the text or name under `key`, or the default."""
        value = self.scalar(key)
        return value if isinstance(value, str) else default

    def number(self, key: str, default: int) -> int:
        """Return the integer under `key`, or the default."""
        value = self.scalar(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def flag(self, key: str) -> bool:
        """Return whether the value under `key` is true."""
        return self.scalar(key) is True

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names listed under `key`; a single name counts as a list of one."""
        return tuple(name for name, _ in self.placed_names(key))

    def placed_names(self, key: str) -> tuple[tuple[str, Span], ...]:
        """Return the names listed under `key`, each with its span."""
        scalars = (item for item in self.items(key) if isinstance(item, Scalar))
        return tuple((item.value, item.span) for item in scalars if isinstance(item.value, str))

    def text(self, key: str) -> Text | None:
        """Return the DSL text under `key`; None if there is none."""
        value = self.node.get(key)
        return dsl_text(value, self.diagnostics) if value else None

    def texts(self, without: Collection[str] = ()) -> dict[str, Text]:
        """Return the DSL texts under all keys except those in `without`."""
        entries = self.node.entries
        return {key: dsl_text(entry.value, self.diagnostics) for key, entry in entries.items() if key not in without}

    def words(self, key: str) -> dict[str, str]:
        """Return the texts under `key` by language, or by the names there."""
        row = self.below(key)
        return {name: row.word(name) for name in row.node.entries}

    def forms(self, key: str) -> dict[str, Word]:
        """Return the words under `key` by name or language; a text with `{` becomes the sentence of an option."""
        below = self.below(key)
        words: dict[str, Word] = {}
        for name, entry in below.node.entries.items():
            row = below.below(name)
            text = below.word(name)
            forms = {form: row.word(form) for form in row.node.entries} or {"option" if "{" in text else "one": text}
            words[name] = Word(**forms, span=entry.key.span)
        return words

    def places(self) -> Places:
        """Return the spans of the words of the row, by key and word."""
        return {(key, word): span for key in self.node.entries for word, span in self.placed_names(key)}

    def cites(self) -> tuple[Cite, ...]:
        """Return the row's citations; report those whose last line comes before the first (`ruleset-cite`)."""
        citations: list[Cite] = []
        for text, span in self.placed_names("cites"):
            source, _, lines = text.partition(":")
            first, _, last = lines.partition("-")
            citations.append(Cite(source, int(first), int(last or first), span))
            if citations[-1].last < citations[-1].first:
                hint = f"write `{source}:{last}-{first}`"
                self.diagnostics.error("ruleset-cite", f"`{text}` ends before it starts", span, hint)
        return tuple(citations)


def integers(node: Node) -> tuple[int, ...]:
    """Return the integers in a list node."""
    scalars = (item.value for item in node.items if isinstance(item, Scalar)) if isinstance(node, Sequence) else ()
    return tuple(value for value in scalars if isinstance(value, int))
