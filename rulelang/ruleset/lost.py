"""What is missing of a ruleset because its YAML is at fault, so that no second finding is about the same mistake.

Enters: the findings about the YAML and the trees in which they were made. Leaves: `Lost`, which tells of a later
finding whether the first ones may explain it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rulelang.diagnostics import Diagnostic, Span
from rulelang.ruleset.nodes import Mapping, Node, Scalar

WORD = re.compile(r"[A-Za-z_]\w*")
NAMES = {"ruleset-duplicate", "schema-name", "schema-unknown-key", "yaml-anchor", "yaml-duplicate-key", "yaml-key"}
"""Findings after which a row may be missing whose name stands nowhere."""
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
        """Whether a later finding may follow from what is missing."""
        s = finding.span
        if (s.path, s.line) in self.lines or finding.code == "play-missing":
            return True
        if self.most:
            return not finding.code.startswith("syntax")
        if self.names and finding.code.endswith("-unknown"):
            return True
        named = " ".join(QUOTED.findall(finding.message))
        return not self.words.isdisjoint(WORD.findall(named))


def lost(findings: Iterable[Diagnostic], trees: Iterable[Mapping], most: bool) -> Lost:
    """What the rows in which something was found speak of."""
    errors = [d for d in findings if d.severity == "error"]
    found = {(d.span.path, d.span.line) for d in errors}
    lines, words = set(found), set[str]()
    for row in (row for tree in trees for row in _rows(tree)):
        scalars = list(row)
        places = {place for scalar in scalars for place in _lines(scalar.span)}
        if found & places:
            lines |= places
            words.update(word for scalar in scalars for word in WORD.findall(str(scalar.value)))
    return Lost(frozenset(lines), frozenset(words), any(d.code in NAMES for d in errors), most)


def _lines(span: Span) -> Iterator[tuple[str, int]]:
    return ((span.path, line) for line in range(span.line, span.end_line + 1))


def _rows(tree: Mapping) -> Iterator[list[Scalar]]:
    """The keys and values of each row: a section of a single value, an entry of a section, a piece."""
    for name, entry in tree.entries.items():
        if name == "rules":
            continue  # each declaration in it is judged by itself
        below = entry.value.entries.items() if isinstance(entry.value, Mapping) else ()
        if not below:
            yield [entry.key, *_scalars(entry.value)]
        for _, row in below:
            items = row.value.items if name == "pieces" and not isinstance(row.value, Mapping | Scalar) else ()
            for item in items or (row.value,):
                yield [row.key, *_scalars(item)]


def _scalars(node: Node) -> Iterator[Scalar]:
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
