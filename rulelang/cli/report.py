"""Findings for people: the lines at fault with the place marked, hints, related places, in colour where it is wanted.

Enters: diagnostics. Leaves: text. What a program reads is in `sarif` and in `Diagnostic.to_json`.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TextIO

from rulelang.cli.output import printable, put
from rulelang.diagnostics import Diagnostic, Source, Span

WIDTH = 160
"""Longer lines are cut around the place."""

SHOWN_OF_SAME = 5
"""Of findings of the same words in one file so many are shown, the others are counted."""

MAX_COLOURED = 200_000
"""Characters; a longer file is shown without the colours of its words, which would take too long."""

TAB = "→   "
_SEVERITIES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_STYLES = {"comment": "dim", "word": "magenta", "value": "cyan", "key": "blue", "call": "green"}

Piece = tuple[str, str]
"""A text and its style in the terms of Rich; an empty style is none."""


def as_text(diagnostic: Diagnostic) -> str:
    """`file:line:column: severity[code]: message`, the line with the place marked, the hint, related places."""
    return "\n".join("".join(text for text, _ in line) for line in _lines(diagnostic, colour=False))


def show(findings: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print findings; of many that say the same of one file only the first few."""
    colour = wants_colour(stream)
    seen: Counter[tuple[str, str, str]] = Counter()
    total = Counter(_sameness(finding) for finding in findings)
    for finding in findings:
        same = _sameness(finding)
        seen[same] += 1
        if seen[same] <= SHOWN_OF_SAME:
            _print(_lines(finding, colour), stream, colour)
        if seen[same] == total[same] > SHOWN_OF_SAME:
            more = total[same] - SHOWN_OF_SAME
            text = f"  … and {more} more of the same in {visible(finding.span.path)}, up to line {finding.span.line}"
            _print([[(text, "dim")]], stream, colour)


def wants_colour(stream: TextIO) -> bool:
    """Return whether someone looks at the stream who has not said no to colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def reading_on(findings: Iterable[Diagnostic]) -> str:
    """Return how to read more about what was found."""
    codes = sorted({finding.code for finding in findings})
    if len(codes) == 1:
        return f"`rulelang explain {codes[0]}` says more"
    return f"`rulelang explain CODE` says more: {', '.join(codes)}"


def visible(text: str) -> str:
    """Return the text in one line, with escapes for what a terminal would not show, or would obey."""
    return printable(text.replace("\t", TAB).replace("\n", "\\n"))


def _sameness(finding: Diagnostic) -> tuple[str, str, str]:
    return finding.span.path, finding.code, finding.message


def _print(lines: Sequence[Sequence[Piece]], stream: TextIO, colour: bool) -> None:
    """Print pieces of text with their styles, or without."""
    if not colour:
        for line in lines:
            put("".join(text for text, _ in line), stream)
        return
    from rulelang.cli.console import Console, Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*line))


def _lines(diagnostic: Diagnostic, colour: bool) -> list[list[Piece]]:
    """Return the lines of a finding: its place, message, marked source, hint."""
    severity = f"{diagnostic.severity}[{diagnostic.code}]"
    style = _SEVERITIES[diagnostic.severity]
    lines: list[list[Piece]] = [
        [(_head(diagnostic.span), "bold"), (severity, style), (f": {visible(diagnostic.message)}", "bold")],
        *_marked(diagnostic.span, "^", style, colour),
    ]
    if diagnostic.hint:
        lines.append([("  hint: ", "bold green"), (visible(diagnostic.hint), "")])
    for span, words in diagnostic.related:
        lines += [[("  ", ""), (_head(span), "bold"), (visible(words), "")], *_marked(span, "-", "bold blue", colour)]
    return lines


def _head(span: Span) -> str:
    path = visible(span.path)
    if not span.line:
        return f"{path}: " if path else ""
    # A finding about a folder, or about a file that was not read, has no line.
    return f"{path}:{span.line}:{span.column}: " if span.source is not None and span.source.text else f"{path}: "


def _marked(span: Span, sign: str, style: str, colour: bool) -> list[list[Piece]]:
    """Return the first and the last line of a span, each above a line that marks the place."""
    source = span.source
    if source is None or not 0 < span.line <= len(source.lines) or not source.lines[span.line - 1].strip():
        return []
    last = min(span.end_line, len(source.lines))
    gutter = len(str(last))
    if last == span.line:
        return _line(source, span.line, span.column, span.end_column, sign, style, gutter, colour)
    lines = _line(source, span.line, span.column, len(source.lines[span.line - 1]) + 1, sign, style, gutter, colour)
    text = source.lines[last - 1]
    start = len(text) - len(text.lstrip()) + 1
    if span.end_column <= start:
        return lines
    if last > span.line + 1:
        lines.append([(f"  {'…':>{gutter}} |", "blue")])
    return lines + _line(source, last, start, span.end_column, sign, style, gutter, colour)


def _line(
    source: Source, number: int, column: int, end: int, sign: str, style: str, gutter: int, colour: bool
) -> list[list[Piece]]:
    """Return a source line with its gutter and the marks below it, cut to the width around the place."""
    line = source.lines[number - 1].rstrip()
    start, stop = column - 1, max(end - 1, column)
    cut = max(start - WIDTH // 2, 0) if len(line) > WIDTH else 0
    left = "…" if cut else ""
    right = "…" if cut + WIDTH < len(line) else ""
    space = _cells(left) + _cells(line[cut:start]) + max(start - len(line), 0)
    length = max(_cells(line[start : min(stop, cut + WIDTH)]), 1)
    code = _coloured(source, number) if colour else None
    pieces = _part(code, cut, cut + WIDTH) if code is not None else [(visible(line[cut : cut + WIDTH]), "")]
    return [
        [(f"  {number:>{gutter}} | ", "blue"), (left, ""), *pieces, (right, "")],
        [(f"  {'':>{gutter}} | ", "blue"), (" " * space + sign * length, style)],
    ]


def _part(pieces: Sequence[Piece], start: int, stop: int) -> list[Piece]:
    """Return what stands from `start` to `stop`, as it can be shown."""
    parts, place = [], 0
    for text, style in pieces:
        parts.append((visible(text[max(start - place, 0) : max(stop - place, 0)]), style))
        place += len(text)
    return parts


def _cells(text: str) -> int:
    """Return how many columns of a terminal the text takes as it is shown."""
    shown = visible(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown
    )


def _coloured(source: Source, number: int) -> list[Piece] | None:
    lines = _coloured_lines(source)
    return lines[number - 1] if lines is not None else None


@lru_cache(maxsize=16)
def _coloured_lines(source: Source) -> list[list[Piece]] | None:
    """Return the lines of a file in the colours of its language; None if it is too long for that."""
    if len(source.text) > MAX_COLOURED:
        return None
    from rulelang.highlight import coloured

    lines = coloured(source.text, source.path.endswith(".rule"))
    return [[(text, _STYLES.get(said, "")) for text, said in line] for line in lines]
