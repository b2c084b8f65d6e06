"""What in a rule text says something: its lexemes, without comments, blank lines and places.

Enters: a text. Leaves: its lexemes as one text, equal for texts that mean the same; empty for one with a finding.
"""

from __future__ import annotations

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax.scan import Place, scan
from rulelang.syntax.words import DECLARATION_WORDS


def meaning(text: str) -> str:
    """Return the lexemes of a rule text; empty if something is wrong with it."""
    findings = Diagnostics()
    chunks = scan(Place(Source("", text)), text, findings, DECLARATION_WORDS).chunks
    said = [[(lexeme.kind, lexeme.text) for lexeme in chunk.lexemes] for chunk in chunks]
    return "" if len(findings) else repr(said)
