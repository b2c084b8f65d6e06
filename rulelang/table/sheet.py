"""The score sheet: each line with its value for each party, and the rule that it comes from; who has won.

Enters: a state, the seat that looks. Leaves: lines and totals; before the end only what the seat can know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from rulelang.diagnostics import RuleError
from rulelang.game import ScoreLine, ScoreSheet, State
from rulelang.table.names import Names
from rulelang.words.phrases import capital

DEALS = 6
"""Before the end a value is shown if it is the same in so many deals that the seat can't tell from the true one."""


@dataclass
class Row:
    """A line of the sheet; None for what the seat can't know. `piece` is the row whose text it is, or empty."""

    name: str
    piece: str
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    values: list[int | None] = field(default_factory=list)


@dataclass(frozen=True)
class Sheet:
    """All lines, and the total of each party."""

    rows: tuple[Row, ...]
    totals: tuple[int | None, ...]


def sheet(state: State, seat: int | None) -> Sheet:
    """Return the sheet of all parties, as far as the seat can know (None: someone who sees all)."""
    if seat is None or state.is_terminal():
        return _true_sheet(state)
    try:
        # Only what is dealt anew is looked at, never the true state: so nothing that is hidden can show.
        deals = state.imagined_sheets(seat, DEALS)
    except RuleError:
        return _unknown(_true_sheet(state))
    return _agreed([_sheet(deal) for deal in deals])


def _true_sheet(state: State) -> Sheet:
    return _sheet([state.score_sheet(party) for party in range(len(state.parties))])


def _sheet(sheets: Sequence[ScoreSheet]) -> Sheet:
    """Return one sheet of those of all parties."""
    rows: dict[tuple[str, str, str, int], Row] = {}
    totals: list[int | None] = []
    for party, party_sheet in enumerate(sheets):
        totals.append(party_sheet.total)
        for line in party_sheet.lines:
            row = rows.setdefault(_key(line), _row(line, len(sheets)))
            row.values[party] = (row.values[party] or 0) + line.value
    return Sheet(tuple(rows.values()), tuple(totals))


def _key(line: ScoreLine) -> tuple[str, str, str, int]:
    return line.name, line.piece, line.file, line.line


def _row(line: ScoreLine, parties: int) -> Row:
    return Row(line.name, line.piece, line.rule, line.file, line.line, line.cites, [0] * parties)


def _unknown(sheet: Sheet) -> Sheet:
    for row in sheet.rows:
        row.values = [None] * len(row.values)
    return Sheet(tuple(row for row in sheet.rows if not row.piece), (None,) * len(sheet.totals))


def _agreed(deals: Sequence[Sheet]) -> Sheet:
    """Return what all deals say alike. A piece's line that only some of them have is left out: it shows in the
    totals."""
    rows = []
    for row in deals[0].rows:
        others = [_same(row, deal) for deal in deals[1:]]
        if None in others and row.piece:
            continue
        row.values = [
            value if all(other is not None and other.values[party] == value for other in others) else None
            for party, value in enumerate(row.values)
        ]
        rows.append(row)
    totals = tuple(
        total if all(deal.totals[party] == total for deal in deals) else None
        for party, total in enumerate(deals[0].totals)
    )
    return Sheet(tuple(rows), totals)


def _same(row: Row, deal: Sheet) -> Row | None:
    key = (row.name, row.piece, row.file, row.line)
    return next((other for other in deal.rows if (other.name, other.piece, other.file, other.line) == key), None)


# ---- in words ------------------------------------------------------------------------------------


def row_label(row: Row, names: Names) -> str:
    """Return what a line is called: that of a piece by the piece, too."""
    name = names.words.score(row.name)
    return names.labelled(names.row(row.piece), name) if row.piece and names.row(row.piece) != name else name


def points(value: int | None) -> str:
    """Return a value, or that it is not known."""
    return "?" if value is None else str(value)


def source(file: str, line: int, cites: Sequence[str]) -> str:
    """Return where a rule stands, briefly: file, line, lines of the rulebook."""
    where = f"{PurePath(file).name}:{line}"
    return f"{where} [{', '.join(cites)}]" if cites else where


def ending(state: State, names: Names) -> str:
    """Return who has won, and where it says more, all ranks."""
    placed = state.ranks()
    ranks = sorted(set(placed))
    if len(ranks) < 3:
        return _winners(state, names)
    places = [f"{rank} {names.parties_of([p for p, own in enumerate(placed) if own == rank])}" for rank in ranks]
    return f"{_winners(state, names)} {names.texts('ranks', places='; '.join(places))}"


def _winners(state: State, names: Names) -> str:
    texts = names.texts
    winners = state.winners()
    if not winners:
        return texts("won_nobody")
    if winners == [names.reader]:
        return texts("won_you")
    return capital(texts("won" if len(winners) == 1 else "won_together", seats=names.parties_of(winners)))
