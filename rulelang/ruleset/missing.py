"""What is missing of a ruleset because its YAML is at fault, so that no second finding is about the same mistake.

Enters: the findings about the YAML and the trees in which they were made. Leaves: `Lost`, which tells of a later
finding whether the first ones may explain it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Steps
from dataclasses import dataclass

from rulelang.diagnostics import Diagnostic, Span
from rulelang.ruleset.faults import Fault
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence

WORD = re.compile(r"[A-Za-z_]\w*")
NAMES = {"ruleset-duplicate", "schema-name", "schema-unknown-key", "yaml-anchor", "yaml-duplicate-key", "yaml-key"}
"""Findings after which a row may be missing whose name stands nowhere."""
NAMING = {"id", "values", "classes", "marks", "legend", "map"}
"""Keys below which names are given."""
ANYWHERE = {"play-missing", "grid-none", "zone-short", "zone-full", "capacity-start", "value-absent", "value-present"}
"""Findings that name nothing of what may be missing, or depend on all that there is."""
ALL = "*"
"""Stands for every kind, where the section of kinds is none."""
QUOTED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Lost:
    """What the faulty rows of the YAML spoke of.

    Attributes:
        lines: the files and lines of these rows. words: all names in them.
        names: whether something may have got no name, or another than was meant.
        most: whether so much is missing that only how a text is written can still be judged.
    """

    lines: frozenset[tuple[str, int]]
    words: frozenset[str]
    names: bool
    most: bool

    def explains(self, finding: Diagnostic) -> bool:
        """Return whether a later finding may be a consequence of the lost names."""
        s = finding.span
        if (s.path, s.line) in self.lines or finding.code in ANYWHERE:
            return True
        if self.most:
            return not finding.code.startswith("syntax")
        if finding.code.startswith("syntax"):
            return False
        if self.names and finding.code.endswith("-unknown"):
            return True
        named = " ".join(QUOTED.findall(finding.message))
        return not self.words.isdisjoint(WORD.findall(f"{named} {_marked(s)}"))


def lost(
    errors: Iterable[Diagnostic], faults: Iterable[Fault], unmended: Steps[Fault], trees: Iterable[Mapping], most: bool
) -> Lost:
    """Collect the lines and names of faulty rows, which later findings may follow from.

    `faults` are those of the schema, `unmended` those of them that could not be repaired.
    """
    still = {fault.span for fault in unmended}
    mended = {fault.span for fault in faults} - still
    errors = [d for d in errors if d.span not in mended]
    faulty_lines = {(s.path, s.line) for s in (*(d.span for d in errors), *still)}
    lines = set(faulty_lines)
    nameless = any(not NAMING.isdisjoint(fault.path) for fault in unmended)
    words = set[str]()
    rows = [row for tree in trees for row in _rows(tree)]
    faulty = [bool(faulty_lines & row.places()) for row in rows]
    kinds = {row.kind for row, is_faulty in zip(rows, faulty, strict=True) if is_faulty and row.kind and not row.piece}
    pieces = {row.kind for row, is_faulty in zip(rows, faulty, strict=True) if is_faulty and row.piece}
    for row, is_faulty in zip(rows, faulty, strict=True):
        # What a faulty kind lacks its pieces lack; of what a faulty piece lacks the kind speaks for all.
        incomplete = is_faulty or (row.piece and not kinds.isdisjoint((row.kind, ALL)))
        if incomplete or (not row.piece and row.kind in pieces):
            lines |= row.places()
        if incomplete:
            words.update(word for scalar in row.scalars for word in WORD.findall(str(scalar.value)))
    return Lost(frozenset(lines), frozenset(words), any(d.code in NAMES for d in errors) or nameless, most)


def _marked(span: Span) -> str:
    """Return the source text of a span, up to the end of its first line."""
    line = span.whole_line
    return line[span.column - 1 : span.end_column - 1 if span.line == span.end_line else None]


@dataclass(frozen=True)
class _Row:
    """The keys and values of a section of a single value, of an entry of a section, or of a row of pieces. `kind` is
    what it declares, or of which it is a `piece`."""

    scalars: tuple[Scalar, ...]
    kind: str = ""
    piece: bool = False

    def places(self) -> set[tuple[str, int]]:
        """Return the (file, line) pairs that the row covers."""
        spans = [scalar.span for scalar in self.scalars]
        return {(span.path, line) for span in spans for line in range(span.line, span.end_line + 1)}


def _rows(tree: Mapping) -> Iterator[_Row]:
    """Yield the rows of all sections but `rules`, whose declarations are checked one by one."""
    for name, entry in tree.entries.items():
        if name == "rules":
            continue  # each declaration in it is judged by itself
        below = entry.value.entries.items() if isinstance(entry.value, Mapping) else ()
        if not below:
            yield _Row((entry.key, *_scalars(entry.value)), ALL if name == "kinds" else "")
        for key, row in below:
            if name == "pieces" and isinstance(row.value, Sequence):
                yield from (_Row(tuple(_scalars(item)), key, True) for item in row.value.items)
            else:
                yield _Row((row.key, *_scalars(row.value)), key if name == "kinds" else "")


def _scalars(node: Node) -> Iterator[Scalar]:
    """Yield the keys and values below a node, except below `rules`."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for name, entry in node.entries.items():
            yield entry.key
            if name != "rules":
                yield from _scalars(entry.value)
    else:
        for item in node.items:
            yield from _scalars(item)
