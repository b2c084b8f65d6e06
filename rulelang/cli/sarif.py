"""Diagnostics as SARIF 2.1.0, for code hosts and editors.

Enters: diagnostics. Leaves: one JSON-able log, with the pages of the codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from rulelang.cli.pages import read_page
from rulelang.diagnostics import Diagnostic, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(diagnostics: Sequence[Diagnostic], version: str) -> dict[str, Any]:
    """Return a SARIF log with one run.

    Args:
        version: of RuleLang.
    """
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "rulelang", "version": version, "rules": [_rule(code) for code in codes]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(diagnostic, codes) for diagnostic in diagnostics],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    """Return a code as a SARIF rule."""
    page = read_page(code)
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": page.sentence},
        "fullDescription": {"text": f"{page.sentence} {page.explanation}"},
        "help": {"text": f"{page.sentence}\n\n{page.explanation}", "markdown": page.text},
    }


def _result(diagnostic: Diagnostic, codes: Sequence[str]) -> dict[str, Any]:
    """Return a finding as a SARIF result."""
    text = diagnostic.message + (f" ({diagnostic.hint})" if diagnostic.hint else "")
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": _place(diagnostic.span)}] if diagnostic.span.path else [],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(span), "message": {"text": words}}
            for number, (span, words) in enumerate(diagnostic.related, 1)
        ]
    return result


def _place(span: Span) -> dict[str, Any]:
    """Return a span as a SARIF location."""
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(span.path)}}
    if span.line:
        place["region"] = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return place


def _uri(path: str) -> str:
    """Return a path as a URI reference: relative to the working directory, or a `file:` URI."""
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix())
