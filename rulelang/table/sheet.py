"""The score sheet: each line with its value for each party and its rule; and the winners in words.

Enters: a state, the seat that looks. Leaves: lines and totals; before the end only values that the seat can know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from rulelang.diagnostics import RuleError
from rulelang.game import ScoreSheet, State
from rulelang.table.names import Names
from rulelang.words.phrases import capital

DEALS = 6
"""Number of resampled states that must agree on a value for it to be shown before the end."""


@dataclass
class Row:
    """A line of the sheet.

    Attributes:
        piece: the row of pieces whose text the rule is, or empty. values: by party, None for what the seat can't know.
    """

    name: str
    piece: str
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    values: list[int | None] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return what the same line of other sheets has in common with it."""
        return self.name, self.piece, self.file, self.line


@dataclass(frozen=True)
class Sheet:
    """All lines, and the total of each party; None for what the seat can't know."""

    rows: tuple[Row, ...]
    totals: tuple[int | None, ...]


def sheet(state: State, seat: int | None) -> Sheet:
    """Return the sheet of all parties, as far as the seat can know it (None: an omniscient reader)."""
    if seat is None or state.is_terminal():
        return _full_sheet(state)
    try:
        # Only resampled states are read, never the true one: so nothing hidden can show.
        deals = state.imagined_sheets(seat, DEALS)
    except RuleError:
        return _without_values(_full_sheet(state))
    return _agreed([_merged(deal) for deal in deals])


def _full_sheet(state: State) -> Sheet:
    """Return the sheet of the state itself."""
    return _merged([state.score_sheet(party) for party in range(len(state.parties))])


def _merged(sheets: Sequence[ScoreSheet]) -> Sheet:
    """Merge the sheets of all parties into one."""
    rows: dict[tuple[str, str, str, int], Row] = {}
    totals: list[int | None] = []
    for party, party_sheet in enumerate(sheets):
        totals.append(party_sheet.total)
        for line in party_sheet.lines:
            empty = Row(line.name, line.piece, line.rule, line.file, line.line, line.cites, [0] * len(sheets))
            row = rows.setdefault(empty.key, empty)
            row.values[party] = (row.values[party] or 0) + line.value
    return Sheet(tuple(rows.values()), tuple(totals))


def _without_values(sheet: Sheet) -> Sheet:
    """Return the sheet with all values unknown and without lines of pieces."""
    for row in sheet.rows:
        row.values = [None] * len(row.values)
    return Sheet(tuple(row for row in sheet.rows if not row.piece), (None,) * len(sheet.totals))


def _agreed(deals: Sequence[Sheet]) -> Sheet:
    """Return the values on which the sheets of all resampled states agree. A piece's line that some of them lack is
    left out; its points are in the totals."""
    rows, rows_of_others = [], [{row.key: row for row in deal.rows} for deal in deals[1:]]
    for row in deals[0].rows:
        others = [rows_of_other.get(row.key) for rows_of_other in rows_of_others]
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


# ---- in words ------------------------------------------------------------------------------------


def row_label(row: Row, names: Names) -> str:
    """Return the label of a line, with its piece if it has one."""
    name = names.words.score(row.name)
    return names.labelled(names.row(row.piece), name) if row.piece and names.row(row.piece) != name else name


def points(value: int | None) -> str:
    """Return a value as text, `?` if it is unknown."""
    return "?" if value is None else str(value)


def source(file: str, line: int, cites: Sequence[str]) -> str:
    """Return the source of a rule in brief: file, line, citations."""
    where = f"{PurePath(file).name}:{line}"
    return f"{where} [{', '.join(cites)}]" if cites else where


def ending(state: State, names: Names) -> str:
    """Return the winners in words and, with three ranks or more, all ranks."""
    party_ranks = state.ranks()
    ranks = sorted(set(party_ranks))
    winners = state.winners()
    text = capital(won(names, winners, [names.parties_of(winners)]))
    if len(ranks) < 3:
        return text
    places = [f"{rank} {names.parties_of([p for p, own in enumerate(party_ranks) if own == rank])}" for rank in ranks]
    return f"{text} {names.texts('ranks', places='; '.join(places))}"


def won(names: Names, winners: Sequence[int], titles: Sequence[str]) -> str:
    """Return in words who has won; `titles` are what the winners are called."""
    if not winners:
        return names.texts("won_nobody")
    if winners == [names.reader]:
        return names.texts("won_you")
    return names.texts("won" if len(winners) == 1 else "won_together", seats=names.words.lexicon.joined(titles))
