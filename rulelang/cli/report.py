"""Diagnostics as text: the lines at fault with the span marked, hints, related spans, in colour if wanted.

Enters: diagnostics. Leaves: text. For programs there are `sarif` and `Diagnostic.to_json`.
"""

from __future__ import annotations

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TextIO

from rulelang.cli.output import printable, put
from rulelang.diagnostics import Diagnostic, Source, Span

WIDTH = 160
"""Longer lines are cut around the place."""

SHOWN_OF_SAME = 5
"""Findings with the same message in one file that are shown; others are counted."""

MAX_COLOURED = 200_000
"""Characters; a longer file is shown without the colours of its words, which would take too long."""

TAB = "→   "
_SEVERITIES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_STYLES = {"comment": "dim", "word": "magenta", "value": "cyan", "key": "blue", "call": "green"}

Piece = tuple[str, str]
"""A text and its Rich style, which may be empty."""


def as_text(diagnostic: Diagnostic) -> str:
    """Return `file:line:column: severity[code]: message`, the marked line, the hint and related spans."""
    return "\n".join("".join(text for text, _ in line) for line in _lines(diagnostic, colour=False))


def show(findings: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print findings; of many with the same message in one file the first few."""
    colour = wants_colour(stream)
    counts: Counter[tuple[str, str, str]] = Counter()
    total = Counter(_repetition_key(finding) for finding in findings)
    for finding in findings:
        key = _repetition_key(finding)
        counts[key] += 1
        if counts[key] <= SHOWN_OF_SAME:
            _print(_lines(finding, colour), stream, colour)
        if counts[key] == total[key] > SHOWN_OF_SAME:
            more = total[key] - SHOWN_OF_SAME
            text = f"  … and {more} more of the same in {visible(finding.span.path)}, up to line {finding.span.line}"
            _print([[(text, "dim")]], stream, colour)


def wants_colour(stream: TextIO) -> bool:
    """Return whether the stream is a terminal whose user has not disabled colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def reading_on(findings: Iterable[Diagnostic]) -> str:
    """Return the sentence that points to `rulelang explain`."""
    codes = sorted({finding.code for finding in findings})
    if len(codes) == 1:
        return f"`rulelang explain {codes[0]}` says more"
    return f"`rulelang explain CODE` says more: {', '.join(codes)}"


def visible(text: str) -> str:
    """Return the text in one line, with control characters escaped."""
    return printable(text.replace("\t", TAB).replace("\n", "\\n"))


def _repetition_key(finding: Diagnostic) -> tuple[str, str, str]:
    """Return what findings must share to be repetitions."""
    return finding.span.path, finding.code, finding.message


def _print(lines: Sequence[Sequence[Piece]], stream: TextIO, colour: bool) -> None:
    """Print lines of styled pieces, in colour or plain."""
    if not colour:
        for line in lines:
            put("".join(text for text, _ in line), stream)
        return
    from rulelang.cli.console import Console, EscapedText

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for line in lines:
        console.print(EscapedText.assemble(*line))


def _lines(diagnostic: Diagnostic, colour: bool) -> list[list[Piece]]:
    """Return the lines of a finding: head, message, marked source, hint."""
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
    """Return `path:line:column: ` of a span, without a line for a folder or an unread file."""
    path = visible(span.path)
    if not span.line:
        return f"{path}: " if path else ""
    # A finding about a folder, or about a file that was not read, has no line.
    return f"{path}:{span.line}:{span.column}: " if span.source is not None and span.source.text else f"{path}: "


def _marked(span: Span, sign: str, style: str, colour: bool) -> list[list[Piece]]:
    """Return the first and the last line of a span, each with a line of marks below."""
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
    """Return a source line with its gutter, and the marks below it, cut to WIDTH around the span.

    Args:
        column, end: first and last column of the span, from 1 on. sign: the mark. gutter: width of line numbers.
    """
    line = source.lines[number - 1].rstrip()
    start, stop = column - 1, max(end - 1, column)
    cut = max(start - WIDTH // 2, 0) if len(line) > WIDTH else 0
    left = "…" if cut else ""
    right = "…" if cut + WIDTH < len(line) else ""
    space = _cells(left) + _cells(line[cut:start]) + max(start - len(line), 0)
    length = max(_cells(line[start : min(stop, cut + WIDTH)]), 1)
    code = _coloured(source, number) if colour else None
    pieces = _slice_pieces(code, cut, cut + WIDTH) if code is not None else [(visible(line[cut : cut + WIDTH]), "")]
    return [
        [(f"  {number:>{gutter}} | ", "blue"), (left, ""), *pieces, (right, "")],
        [(f"  {'':>{gutter}} | ", "blue"), (" " * space + sign * length, style)],
    ]


def _slice_pieces(pieces: Sequence[Piece], start: int, stop: int) -> list[Piece]:
    """Return the pieces between two columns, made visible."""
    parts, place = [], 0
    for text, style in pieces:
        parts.append((visible(text[max(start - place, 0) : max(stop - place, 0)]), style))
        place += len(text)
    return parts


def _cells(text: str) -> int:
    """Return how many terminal columns the text takes when shown."""
    shown = visible(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in shown
    )


def _coloured(source: Source, number: int) -> list[Piece] | None:
    """Return a source line as styled pieces; None if the file is too long for that."""
    if "coloured" not in source.memo:
        source.memo["coloured"] = _coloured_lines(source)
    lines = source.memo["coloured"]
    return lines[number - 1] if lines is not None else None


def _coloured_lines(source: Source) -> list[list[Piece]] | None:
    """Return the lines of a file in the colours of its language; None if it has over MAX_COLOURED characters."""
    if len(source.text) > MAX_COLOURED:
        return None
    from rulelang.highlight import coloured

    lines = coloured(source.text, source.path.endswith(".rule"))
    return [[(text, _STYLES.get(said, "")) for text, said in line] for line in lines]
