"""The pages of the diagnostics, of `docs/diagnostics/`.

Enters: a code. Leaves: its page, in parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rulelang.resources import diagnostic_pages


@dataclass(frozen=True)
class Page:
    """A page of a code.

    Attributes:
        text: all of it, in Markdown. sentence: the first one, the meaning of the code.
        explanation: reasons and mending; plain text, one line for each paragraph.
    """

    text: str
    sentence: str
    explanation: str


def codes() -> list[str]:
    """Return every code that has a page."""
    return sorted(path.stem for path in diagnostic_pages().glob("*.md") if path.stem != "index")


def read_page(code: str) -> Page | None:
    """Return the page of a code; None without one."""
    file: Path = diagnostic_pages() / f"{code}.md"
    if code not in codes():
        return None
    text = file.read_text(encoding="utf-8")
    _, sentence, *rest = [" ".join(part.split()) for part in text.partition("\n## ")[0].strip().split("\n\n")]
    return Page(text, sentence, "\n".join(rest))
