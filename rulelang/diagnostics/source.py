"""Texts and places in them. A DSL text inside YAML is a `Source` of its own that knows its place in the YAML file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rulelang.records import record

LANGUAGE_VERSION, OLDEST_VERSION = 2, 1
VERSION_LINE = f"rulelang: {LANGUAGE_VERSION}"
"""What YAML files begin with."""
_VERSION = re.compile(r"""^[{ ]*["']?rulelang["']?[ \t]*:?[ \t]*([0-9]{1,9})\b""", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class Source:
    """A text that was read.

    Attributes:
        path: the file as the author names it, relative to where it was asked for.
        text: the whole text of the file.
        memo: what was worked out of the text, for as long as somebody has it: trees hold their source, so a table of
            them elsewhere would hold both.
    """

    path: str
    text: str
    lines: tuple[str, ...] = field(init=False, repr=False)
    memo: dict[object, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(self.text.split("\n")))
        object.__setattr__(self, "memo", {})

    @cached_property
    def version(self) -> int:
        """The version of the language that the file says; the latest of a text that says none."""
        said = _VERSION.search(self.text)
        return int(said[1]) if said is not None else LANGUAGE_VERSION

    @property
    def version_span(self) -> Span:
        """The place of the version that the file says; NOWHERE if it says none."""
        said = _VERSION.search(self.text)
        if said is None:
            return NOWHERE
        line, before = self.text.count("\n", 0, said.start(1)) + 1, self.text.rfind("\n", 0, said.start(1)) + 1
        return Span(self, line, said.start(1) - before + 1, line, said.end(1) - before + 1)

    def with_text(self, text: str) -> Source:
        """Return a source of the same file, and version, with another text."""
        source = Source(self.path, text)
        vars(source)["version"] = self.version
        return source

    def __reduce__(self) -> tuple[type[Source], tuple[str, str]]:
        """Return how a copy is made, without the memo."""
        return Source, (self.path, self.text)


@record
class Span:
    """A stretch of a source; lines and columns count from 1, the end column is exclusive."""

    source: Source | None
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def path(self) -> str:
        return self.source.path if self.source else ""

    @property
    def whole_line(self) -> str:
        """The line that it begins on; empty of no text, and behind the last line."""
        lines = self.source.lines if self.source is not None else ()
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


def replaced(text: str, edits: Iterable[tuple[Span, str]]) -> str:
    """Return a text with other text in the place of some spans of it, which don't overlap."""
    lines = text.split("\n")
    for span, new in sorted(edits, key=lambda edit: (edit[0].line, edit[0].column), reverse=True):
        before, after = lines[span.line - 1][: span.column - 1], lines[span.end_line - 1][span.end_column - 1 :]
        lines[span.line - 1 : span.end_line] = f"{before}{new}{after}".split("\n")
    return "\n".join(lines)


NOWHERE = Span(None, 0, 0, 0, 0)
