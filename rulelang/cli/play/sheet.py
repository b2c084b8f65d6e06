"""The score sheet as a table of the terminal.

Enters: a sheet, names, a width. Leaves: a renderable.
"""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table

from rulelang.cli.console import EscapedText
from rulelang.table.names import Names
from rulelang.table.sheet import Sheet, points, row_label, source

GAP = 2


def score_sheet(sheet: Sheet, names: Names, width: int, cites: bool = False) -> RenderableType:
    """Return the sheet as a table; with `cites` each line with its rule beside it or, in a narrow terminal, below the
    table."""
    texts = names.texts
    if not sheet.rows:
        return EscapedText(texts("no_scores"))
    heads = [texts("score"), *(names.party(party) for party in range(len(sheet.totals)))]
    labels = [row_label(row, names) for row in sheet.rows]
    sources = [source(row.file, row.line, row.cites) for row in sheet.rows if cites]
    label = max(map(len, [*labels, heads[0], texts("total")]))
    beside = (
        cites and label + sum(len(head) + GAP for head in heads[1:]) + GAP + max(map(len, sources), default=0) <= width
    )
    table = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(heads[0], overflow="fold")
    for head in heads[1:]:
        table.add_column(head, justify="right", overflow="fold", min_width=4)
    if beside:
        table.add_column("", style="dim", no_wrap=True)
    for number, (row, text) in enumerate(zip(sheet.rows, labels, strict=True)):
        values = [EscapedText(points(value)) for value in row.values]
        table.add_row(EscapedText(text), *values, *sources[number : number + beside])
    total = [EscapedText(points(value), "bold") for value in sheet.totals]
    table.add_row(EscapedText(texts("total"), "bold"), *total, *([""] if beside else []))
    if beside or not cites:
        return table
    below = [EscapedText(f"{text} · {where}", "dim") for text, where in zip(labels, sources, strict=True)]
    return Group(table, *below)
