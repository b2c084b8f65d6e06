"""What mends a finding: the hint that says what to write, as a change of the text.

Enters: a finding, the text it is about. Leaves: titles and texts in place of what stands at a span.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from rulelang.diagnostics import Diagnostic, Span

_MEANT = re.compile(r"^did you mean `([^`]+)`\?$")
_WRITE = re.compile(r"^(?:write|call it) `([^`…]+)`$")
_ADD_LINE = re.compile(r"^add (?:the line|a line such as) `([^`]+)`")
_TAKE_AWAY = re.compile(r"^take (?:it|this|the test) away\b")


class Mend(NamedTuple):
    """A change that a hint names: what it is called, and what stands at the span then."""

    title: str
    span: Span
    text: str


def mends(finding: Diagnostic) -> list[Mend]:
    """Return the changes that the hint of a finding names."""
    span, hint = finding.span, finding.hint
    if span.source is None or not hint:
        return []
    meant = _MEANT.match(hint)
    if meant is not None:
        wrong = _named_wrongly(finding, meant[1])
        return [Mend(f"write `{meant[1]}`", wrong, meant[1])] if wrong is not None else []
    write = _WRITE.match(hint)
    if write is not None and span.line == span.end_line:
        return [Mend(hint, span, write[1])]
    line = _ADD_LINE.match(hint)
    if line is not None:
        start = Span(span.source, span.line, 1, span.line, 1)
        return [Mend(hint, start, f"{line[1]}\n")]
    if _TAKE_AWAY.match(hint) and span.line == span.end_line:
        return [Mend(hint, span, "")]
    return []


def _named_wrongly(finding: Diagnostic, meant: str) -> Span | None:
    """Return the place of the word that a finding says is not known: a name of its message within its lines."""
    span = finding.span
    assert span.source is not None
    line = span.source.lines[span.line - 1]
    for word in re.findall(r"`([^`]+)`", finding.message):
        if word == meant:
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", line):
            inside = span.line != span.end_line or span.column - 1 <= match.start() < max(
                span.end_column - 1, span.column
            )
            if inside:
                return Span(span.source, span.line, match.start() + 1, span.line, match.end() + 1)
    return None
