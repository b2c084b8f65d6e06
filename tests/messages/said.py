"""What findings say, word for word: tables beside the tests that make them.

Enters: what wrong texts give. Leaves: what is not said as the table has it. A table has sections, most of them for a
code; in one a block for each wrong text: the line at fault, the message, the hint and what is said of other places.
`REWRITE_WORDS=1 pytest …` writes sections again; what changed is then read, word for word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from rulelang.diagnostics import Diagnostic
from tests import offenders

TITLE = "\n=== "
FOLDER = re.compile(r"(?<![\w.])/\S*/(?=[\w.-]+)")
"""Where tests keep their files."""
LONGEST = 160
"""So many letters are shown of the line at fault."""


def block(findings: Iterable[Diagnostic]) -> str:
    """What findings say, each below the line where it stands."""
    lines = []
    for d in findings:
        where = d.span.source.lines[d.span.line - 1 :][:1] if d.span.source else []
        lines += [line.strip()[:LONGEST].rstrip() or "-" for line in where] or ["-"]
        lines += [f"  {d.message}", *([f"  hint: {d.hint}"] if d.hint else [])]
        lines += [f"  also: {words}" for _, words in d.related]
    shown = [sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in "\n".join(lines)]
    return FOLDER.sub("…/", "".join(shown))


def unsaid(table: Path, title: str, blocks: Iterable[str]) -> list[str]:
    """The differences of a section from what is said now: `- ` what should be said, `+ ` what is said instead."""
    now = list(dict.fromkeys(blocks))
    if os.environ.get("REWRITE_WORDS"):
        _write(table, {**_sections(table), title: now})
    wanted = _sections(table).get(title, [])
    lacking = [f"- {text}" for text in wanted if text not in now and not offenders.ROW]
    return lacking + [f"+ {text}" for text in now if text not in wanted]


@cache
def _read(text: str) -> dict[str, list[str]]:
    parts = [part.partition("\n") for part in f"\n{text}".split(TITLE)[1:]]
    return {title: rest.strip("\n").split("\n\n") for title, _, rest in parts}


def _sections(table: Path) -> dict[str, list[str]]:
    return _read(table.read_text(encoding="utf-8") if table.exists() else "")


def _write(table: Path, sections: dict[str, list[str]]) -> None:
    texts = [f"=== {title}\n\n" + "\n\n".join(sections[title]) + "\n" for title in sorted(sections)]
    table.write_text("\n".join(texts), encoding="utf-8")
