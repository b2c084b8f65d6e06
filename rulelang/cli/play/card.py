"""The card of a piece: the face of its row, with source and citations.

Enters: a ruleset, words that somebody typed. Leaves: a box, or the names of similar pieces. No game is read, so nothing
hidden can show.
"""

from __future__ import annotations

from pathlib import PurePath

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table

from rulelang.cli.console import EscapedText
from rulelang.diagnostics import suggest
from rulelang.game import Ruleset
from rulelang.languages import folded
from rulelang.prose import face
from rulelang.ruleset.model import PieceDecl
from rulelang.table.facts import cited
from rulelang.table.names import Names
from rulelang.words.phrases import capital
from rulelang.words.search import holding

MOST_NAMES = 12
"""Most names of matching pieces that are listed."""


def card(ruleset: Ruleset, names: Names, words: str, cites: bool = False) -> RenderableType:
    """Return the card of the piece that matches the words; of several their names, of none a suggestion.

    Args:
        cites: show where it stands in the rulebook and the ruleset, too.
    """
    rows = ruleset.written.pieces
    name = folded(words).replace("_", " ")
    texts_of = {row.id: (folded(row.id).replace("_", " "), folded(names.row(row.id))) for row in rows}
    matches = [row for row in rows if name in texts_of[row.id]]
    matches = matches or [rows[n] for n in holding(name, [" ".join(texts_of[row.id]) for row in rows])]
    if len(matches) == 1:
        return _box(ruleset, matches[0], names, cites)
    if matches:
        listed = ", ".join(names.row(row.id) for row in matches[:MOST_NAMES])
        more = f" … ({len(matches)})" if len(matches) > MOST_NAMES else ""
        return EscapedText(f"{listed}{more}")
    text = names.texts("no_piece", words=words)
    near = suggest(words, [row.id for row in rows])
    return EscapedText(f"{text} {capital(near)}" if near else text)


def _box(ruleset: Ruleset, row: PieceDecl, names: Names, cites: bool) -> RenderableType:
    """Return the face of a row in a frame."""
    texts, shown = names.texts, face(ruleset.written, row, names.lang)
    copies = f"{shown.count} {texts('per_player')}" if shown.per_player else shown.count
    # `season: season I` says it twice.
    attributes = [(label, value.removeprefix(f"{label} ")) for label, value in shown.attributes]
    lines = [*attributes, (texts("copies"), copies)]
    if cites:
        lines.append((texts("provenance"), shown.provenance_text))
        lines += [(texts("book"), text) for text in cited(ruleset, shown.cites, names.lang)]
    if cites and row.span.source is not None:
        lines.append((texts("rule"), f"{PurePath(row.span.source.path).name}:{row.span.line}"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for label, text in lines:
        if text:
            grid.add_row(label, EscapedText(text))
    parts: list[RenderableType] = [EscapedText(shown.text, "italic")] if shown.text else []
    parts += [EscapedText(sentence) for sentence in shown.effects]
    parts += [EscapedText(), grid] if parts else [grid]
    title = EscapedText(f"{shown.name} · {shown.kind_name}", "bold")
    return Panel(Group(*parts), title=title, title_align="left", box=box.ROUNDED, border_style="yellow")
