"""The playtest report of a game: each choice with its time, undos, notes; sums for each seat.

Enters: a game with all its choices. Leaves: a page and CSV, for the game's maker: they show hidden information.
"""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from statistics import median
from typing import Any

from rulelang.session import PERSON
from rulelang.web.live import Live
from rulelang.web.pages import render

COLUMNS = ("step", "seat", "name", "by", "choice", "options", "seconds", "gone", "note")
FORMULAS = ("=", "+", "-", "@", "\t")
"""What a spreadsheet takes for the beginning of a formula."""


def _rows(live: Live, lang: str) -> list[dict[str, Any]]:
    """Return a row for each choice in the order of their making, each followed by the notes written after it."""
    said = [{"name": live.names.get(choice.seat, ""), "choice": live.words(choice, lang)} for choice in live.choices]
    rows = [asdict(choice) | more | {"note": ""} for choice, more in zip(live.choices, said, strict=True)]
    at = {row["step"]: number for number, row in enumerate(rows)}  # of a number the last one stands
    for step, seat, text, _ in reversed(live.notes):
        row = {"step": step, "seat": seat, "name": live.names.get(seat, ""), "note": text}
        rows.insert(at.get(step, -1) + 1, dict.fromkeys(COLUMNS, "") | row)
    return rows


def page(live: Live, lang: str, forks: bool) -> str:
    """Return the report as HTML.

    Args:
        forks: whether each step has a button that begins another game there.
    """
    sums = []
    for seat in range(live.begun["players"]):
        choices = [choice for choice in live.choices if choice.seat == seat and choice.by == PERSON and choice.options]
        seconds = [choice.seconds for choice in choices]
        middle = round(median(seconds), 1) if seconds else 0.0
        sums.append((seat, live.names.get(seat, ""), len(seconds), middle, live.undos[seat]))
    title = live.ruleset.words(lang).title
    return render(
        "report.html", lang, title=title, base=f"/g/{live.game}/links", rows=_rows(live, lang), sums=sums, forks=forks
    )


def table(live: Live, lang: str) -> str:
    """Return the report as CSV with a header; cells that a spreadsheet would take for formulas are quoted."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for row in _rows(live, lang):
        cells = [str(row[column]) for column in COLUMNS]
        writer.writerow(["'" + cell if cell.startswith(FORMULAS) else cell for cell in cells])
    return text.getvalue()
