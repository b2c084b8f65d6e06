"""Findings for people and programs: text with the line at fault, JSON, SARIF.

Enters: diagnostics. Leaves: texts and JSON-able values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulelang.diagnostics import Diagnostic, Span

WIDTH = 160
"""Longer lines are cut around the place."""


def as_text(diagnostic: Diagnostic) -> str:
    """`file:line:column: severity[code]: message`, the line with the place marked, the hint, related places."""
    span = diagnostic.span
    head = f"{span}: " if span.line else f"{span.path}: " if span.path else ""
    parts = [f"{head}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}", *_marked(span)]
    if diagnostic.hint:
        parts.append(f"  hint: {diagnostic.hint}")
    parts += [f"  {place}: {words}" for place, words in diagnostic.related]
    return "\n".join(parts)


def _marked(span: Span) -> list[str]:
    """The line of a span and a line that marks the place."""
    lines = span.source.lines if span.source is not None else ()
    if not 0 < span.line <= len(lines) or not lines[span.line - 1].strip():
        return []
    line = lines[span.line - 1].replace("\t", " ")
    end = span.end_column if span.end_line == span.line else len(line) + 1
    start, length = span.column - 1, max(end - span.column, 1)
    cut = max(start - WIDTH // 2, 0) if len(line) > WIDTH else 0
    shown = line[cut : cut + WIDTH].rstrip()
    number = str(span.line)
    length = min(length, max(len(shown) - (start - cut), 1))
    return [f"  {number} | {shown}", f"  {' ' * len(number)} | {' ' * (start - cut)}{'^' * length}"]


def sarif(diagnostics: Sequence[Diagnostic], version: str) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run."""
    rules = sorted({diagnostic.code for diagnostic in diagnostics})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "rulelang", "version": version, "rules": [{"id": code} for code in rules]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, rules) for diagnostic in diagnostics],
            }
        ],
    }


def _result(diagnostic: Diagnostic, rules: Sequence[str]) -> dict[str, Any]:
    span = diagnostic.span
    text = diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")
    place: dict[str, Any] = {"artifactLocation": {"uri": span.path}}
    if span.line:
        place["region"] = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return {
        "ruleId": diagnostic.code,
        "ruleIndex": rules.index(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
