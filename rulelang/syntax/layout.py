"""Laying out lines: what does not fit is broken inside its widest brackets, and comments keep their place.

Enters: documents made of text and brackets, and what a scan found between the lexemes. Leaves: the lines of the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rulelang.syntax.scan import Comment, Line, Scan

WIDTH = 120
STEP = "  "
_DEEPER = STEP + STEP


@dataclass(frozen=True)
class Bracket:
    """Items between brackets, a line may end after each; `comma` stands between them."""

    opening: str
    items: tuple[Doc, ...]
    closing: str
    comma: str = ","


@dataclass(frozen=True)
class Chain:
    """`a`, `and b`, `and c`: inside brackets a line may end before each link."""

    links: tuple[Doc, ...]


Doc: TypeAlias = "str | Bracket | Chain | tuple[Doc, ...]"


def flat(doc: Doc) -> str:
    """The document on one line."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Bracket):
        return doc.opening + f"{doc.comma} ".join(flat(item) for item in doc.items) + doc.closing
    if isinstance(doc, Chain):
        return " ".join(flat(link) for link in doc.links)
    return "".join(flat(part) for part in doc)


def broken(doc: Doc, width: int, inside: bool = False) -> list[str]:
    """The document in lines of at most `width` columns, if its brackets allow it; `inside` when it stands in one."""
    parts = _parts(doc, inside)
    text = flat(doc)
    breakable = [index for index, part in enumerate(parts) if not isinstance(part, str)]
    if len(text) <= width or not breakable:
        return [text]
    at = max(breakable, key=lambda index: (isinstance(parts[index], Chain), len(flat(parts[index]))))
    part, before, after = parts[at], tuple(parts[:at]), tuple(parts[at + 1 :])
    if isinstance(part, Bracket):
        lines = broken((*before, part.opening), width, inside)
        for number, item in enumerate(part.items, 1):
            comma = part.comma if number < len(part.items) else ""
            lines += [_DEEPER + line for line in broken((item, comma), width - len(_DEEPER), True)]
        return lines + broken((part.closing, *after), width, inside)
    assert isinstance(part, Chain)
    first, *middle, last = part.links
    links = ((*before, first), *middle, (last, *after))
    return [line for link in links for line in broken(link, width, True)]


def _parts(doc: Doc, inside: bool) -> list[str | Bracket | Chain]:
    """The document as texts and what can be broken; outside of brackets a chain cannot."""
    if isinstance(doc, Chain) and not inside:
        first, *rest = doc.links
        return _parts((first, *((" ", link) for link in rest)), inside)
    if isinstance(doc, tuple):
        return [part for inner in doc for part in _parts(inner, inside)]
    return [doc.opening + doc.closing] if isinstance(doc, Bracket) and not doc.items else [doc]


class Writer:
    """Collects the lines of a text and puts the comments of its source between them.

    Comments that stand alone go before the line that follows them, or to the end of the block whose indentation they
    share; comments behind a line stay behind it; comments inside brackets go before the line.
    """

    def __init__(self, scan: Scan | None = None, width: int = WIDTH) -> None:
        self._width = width
        self._out: list[str] = []
        self._comments: list[Comment] = sorted(scan.comments, key=lambda comment: comment.line)[::-1] if scan else []
        self._lines: Sequence[Line] = scan.lines if scan else ()
        self._firsts = [line.first for line in self._lines]
        self._blank = scan.blank if scan else frozenset()
        self._written = 0
        self._gap: bool | None = False

    def text(self) -> str:
        """Everything written, comments that were left over included."""
        for comment in self._take(None):
            self._put([_tidy(comment)], "", comment.line)
        return "".join(f"{line}\n" for line in self._out)

    def separate(self, gap: bool | None) -> None:
        """Whether a blank line comes next: yes, no, or (None) as in the source."""
        self._gap = gap

    def same_line(self, line: int, other: int) -> bool:
        """Whether two lines of the source are parts of one logical line."""
        here, there = self._logical(line), self._logical(other)
        return line == other if here is None or there is None else here == there

    def header_line(self, line: int, column: int) -> int:
        """Where the header of the block at this place stands: in the same logical line, or in the one before."""
        index = bisect_right(self._firsts, line) - 1
        if index < 0:
            return line
        opens = self._lines[index].first == line and self._lines[index].column == column
        return self._firsts[index - 1] if opens and index else self._firsts[index]

    def write(self, doc: Doc, level: int, line: int) -> None:
        """Write one line of code that stood at `line` in the source, and the comments that belong to it."""
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
        lines = broken(doc, self._width - len(indent))
        lines[-1] += trailing
        self._put(lines, indent, logical.first if logical else line)

    def end_block(self, level: int, column: int) -> None:
        """Write the comments at the end of a block whose statements stood in `column`."""
        index = bisect_right(self._firsts, self._written)
        until = self._firsts[index] if index < len(self._firsts) else None
        while (
            self._comments
            and (until is None or self._comments[-1].line < until)
            and self._comments[-1].column >= column
        ):
            comment = self._comments.pop()
            self._put([_tidy(comment)], STEP * level, comment.line)

    def _logical(self, line: int) -> Line | None:
        index = bisect_right(self._firsts, line) - 1
        return self._lines[index] if index >= 0 else None

    def _take(self, until: int | None) -> list[Comment]:
        """The comments not yet written that stand before the line `until`."""
        taken = []
        while self._comments and (until is None or self._comments[-1].line < until):
            taken.append(self._comments.pop())
        return taken

    def _put(self, lines: list[str], indent: str, line: int) -> None:
        gap = line - 1 in self._blank if self._gap is None else self._gap
        if gap and self._out:
            self._out.append("")
        self._out += [indent + text for text in lines]
        self._gap = None


def _tidy(comment: Comment) -> str:
    text = comment.text
    return text if text[1:2] in ("", " ", "#", "!") else f"# {text[1:]}"
