"""Texts and places in them. A DSL text inside YAML is a `Source` of its own that knows its place in the YAML file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Source:
    """A text that was read.

    Attributes:
        path: the file as the author names it, relative to where it was asked for.
        text: the whole text of the file.
    """

    path: str
    text: str
    lines: tuple[str, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lines", tuple(self.text.split("\n")))


@dataclass(frozen=True)
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

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.source, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


NOWHERE = Span(None, 0, 0, 0, 0)
