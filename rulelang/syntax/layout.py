"""Laying out lines: what does not fit is broken outside in, and comments keep their place.

Enters: documents made of text, groups and places where a line may end, and what a scan found between the lexemes.
Leaves: the lines of the text. The algorithm is Wadler's, "A prettier printer" (2003), as a loop over a stack.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rulelang.syntax.scan import Comment, LogicalLine, Scan

WIDTH = 120
STEP = "  "


@dataclass(frozen=True)
class Break:
    """Where a line may end; else `text` stands there."""

    text: str = " "


@dataclass(frozen=True)
class Indent:
    """What stands `steps` deeper where its lines end."""

    doc: Doc
    steps: int = 1


@dataclass(frozen=True)
class LineGroup:
    """A line ends at each of its own breaks or, where all of it fits, at none."""

    doc: Doc


@dataclass(frozen=True)
class Below:
    """A value after `=` or a colon: behind it, else on the next line, else broken in its brackets behind it."""

    doc: Doc


class Chain(LineGroup):
    """A group whose lines may end outside of brackets."""


Doc: TypeAlias = "str | Break | Indent | LineGroup | Below | tuple[Doc, ...]"
BREAK = Break()


def bracket(opening: str, items: Sequence[Doc], closing: str) -> Doc:
    """Return a group of comma-separated items in brackets: on one line, or one item to a line."""
    if not items:
        return opening + closing
    first, *rest = items
    inner = (Break(""), first, *((",", BREAK, item) for item in rest))
    return LineGroup((opening, Indent(inner), Break(""), closing))


def chain(*links: Doc) -> Chain:
    """Return a group of links, such as `a`, `and b`, `and c`, that may break before each link."""
    first, *rest = (deeper(link) for link in links)
    return Chain((first, *((BREAK, link) for link in rest)))


def deeper(doc: Doc, steps: int = 1) -> Doc:
    """Return a document whose chains are indented by `steps` where they break."""
    if isinstance(doc, tuple):
        return tuple(deeper(part, steps) for part in doc)
    return Indent(doc, steps) if isinstance(doc, Chain) else doc


def flat(doc: Doc) -> str:
    """Return the document as one line of text."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Break):
        return doc.text
    if isinstance(doc, tuple):
        return "".join(flat(part) for part in doc)
    return " " * isinstance(doc, Below) + flat(doc.doc)


def broken(doc: Doc, width: int) -> list[str]:
    """Break a document into lines of at most `width` columns where its groups allow it, by Wadler's algorithm."""
    lines: list[str] = []
    line = ""
    pending: list[tuple[int, bool, Doc]] = [(0, False, doc)]
    while pending:
        steps, whole, part = pending.pop()
        if isinstance(part, Break) and not whole:
            lines.append(line.rstrip())
            line = STEP * steps
        elif isinstance(part, str | Break):
            line += flat(part)
        elif isinstance(part, Indent):
            pending.append((steps + part.steps, whole, part.doc))
        elif isinstance(part, LineGroup):
            pending.append((steps, whole or _fits(part.doc, pending, width - len(line)), part.doc))
        elif isinstance(part, Below):
            behind = whole or _fits((" ", part.doc), pending, width - len(line))
            under = isinstance(part.doc, Chain) or _fits(part.doc, pending, width - len(STEP) * (steps + 1))
            start = BREAK if under and not behind else " "
            pending += [(steps + under, behind, part.doc), (steps + 1, behind, start)]
        else:
            pending += [(steps, whole, inner) for inner in reversed(part)]
    return [*lines, line]


def _fits(doc: Doc, after: Sequence[tuple[int, bool, Doc]], room: int) -> bool:
    """Return whether a document and what follows it, up to the next possible break, fit in `room` columns."""
    pending = [(True, doc)]
    ahead = len(after)
    while room >= 0:
        if not pending:
            if not ahead:
                return True
            ahead -= 1
            pending.append(after[ahead][1:])
        whole, part = pending.pop()
        if isinstance(part, Break) and not whole:
            return True
        if isinstance(part, str | Break):
            room -= len(flat(part))
        elif isinstance(part, tuple):
            pending += [(whole, inner) for inner in reversed(part)]
        else:
            pending.append((whole, part.doc))
            if isinstance(part, Below):
                pending.append((whole, BREAK))
    return False


class LineWriter:
    """Collects the lines of a text and puts the comments of its source between them.

    Comments that stand alone go before the line that follows them, or to the end of the block whose indentation they
    share; comments behind a line stay behind it; comments inside brackets go before the line.
    """

    def __init__(self, scan: Scan | None = None, width: int = WIDTH) -> None:
        self.width = width
        self._out: list[str] = []
        self._comments: list[Comment] = sorted(scan.comments, key=lambda comment: comment.line)[::-1] if scan else []
        self._lines: Sequence[LogicalLine] = scan.lines if scan else ()
        self._firsts = [line.first for line in self._lines]
        self._blank = scan.blank if scan else frozenset()
        self._written = 0
        self._gap: bool | None = False

    def text(self) -> str:
        """Return the whole text, with comments not yet written at its end."""
        for comment in self._take(None):
            self._put([_tidy(comment)], "", comment.line)
        return "".join(f"{line}\n" for line in self._out)

    def separate(self, gap: bool | None) -> None:
        """Set whether a blank line precedes the next line: True, False, or None for as in the source."""
        self._gap = gap

    def same_line(self, line: int, other: int) -> bool:
        """Return whether two source lines belong to one logical line."""
        logical, other_logical = self._logical(line), self._logical(other)
        return line == other if logical is None or other_logical is None else logical == other_logical

    def header_line(self, line: int, column: int) -> int:
        """Return the source line of a block's header, given line and column of the block."""
        index = bisect_right(self._firsts, line) - 1
        if index < 0:
            return line
        opens = self._lines[index].first == line and self._lines[index].column == column
        return self._firsts[index - 1] if opens and index else self._firsts[index]

    def write(self, doc: Doc, level: int, line: int) -> None:
        """Write a document that began at source line `line`, at an indentation level, with its comments."""
        indent = STEP * level
        logical = self._logical(line)
        trailing = ""
        if logical:
            for comment in self._take(logical.first):
                self._put([_tidy(comment)], indent, comment.line)
            for comment in self._take(logical.last + 1):
                if comment.line == logical.last and not comment.alone:
                    trailing = f"  {_tidy(comment)}"
                else:
                    self._put([_tidy(comment)], indent, logical.first)
                    self._gap = False
            self._written = max(self._written, logical.last)
        lines = broken(doc, self.width - len(indent))
        lines[-1] += trailing
        self._put(lines, indent, logical.first if logical else line)

    def end_block(self, level: int, column: int) -> None:
        """Write the comments that end a block whose statements began in source column `column`."""
        index = bisect_right(self._firsts, self._written)
        until = self._firsts[index] if index < len(self._firsts) else None
        while (
            self._comments
            and (until is None or self._comments[-1].line < until)
            and self._comments[-1].column >= column
        ):
            comment = self._comments.pop()
            self._put([_tidy(comment)], STEP * level, comment.line)

    def _logical(self, line: int) -> LogicalLine | None:
        """Return the logical line that contains a source line; None before the first one."""
        index = bisect_right(self._firsts, line) - 1
        return self._lines[index] if index >= 0 else None

    def _take(self, until: int | None) -> list[Comment]:
        """Remove and return the comments before source line `until`; all of them for None."""
        taken = []
        while self._comments and (until is None or self._comments[-1].line < until):
            taken.append(self._comments.pop())
        return taken

    def _put(self, lines: list[str], indent: str, line: int) -> None:
        """Append lines to the text, after a blank line if one was requested or is in the source."""
        gap = line - 1 in self._blank if self._gap is None else self._gap
        if gap and self._out:
            self._out.append("")
        self._out += [indent + text for text in lines]
        self._gap = None


def _tidy(comment: Comment) -> str:
    """Return a comment with a blank after `#`."""
    text = comment.text
    return text if text[1:2] in ("", " ", "#", "!") else f"# {text[1:]}"
