"""The score sheet: each line with its value for each party and its rule; and the winners in words.

Enters: a state, the seat that looks. Leaves: lines and totals; before the end only values that the seat can know, and
bounds of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from rulelang.game import State
from rulelang.game.scoring import SeenSheet, known_sheet
from rulelang.table.names import Names
from rulelang.words.phrases import capital

WIDEST = 99
"""Values whose bounds lie further apart are not told: they say nothing."""

Value = tuple[int, int] | None
"""The least and greatest number of points; None for what the seat can't know."""


@dataclass
class SheetRow:
    """A line of the sheet.

    Attributes:
        piece: the row of pieces whose text the rule is, or empty. values: by party.
    """

    name: str
    piece: str
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    values: list[Value] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return what the same line of other sheets has in common with it."""
        return self.name, self.piece, self.file, self.line


@dataclass(frozen=True)
class Sheet:
    """All lines, and the total of each party."""

    rows: tuple[SheetRow, ...]
    totals: tuple[Value, ...]


def sheet(state: State, seat: int | None) -> Sheet:
    """Return the sheet of all parties, as far as the seat can know it (None: an omniscient reader)."""
    if seat is not None:
        return _merged(state.seen_sheets(seat))
    return _merged([known_sheet(state.score_sheet(party)) for party in range(len(state.parties))])


def _value(low: int | None, high: int | None) -> Value:
    """Return bounds as they are told."""
    return (low, high) if low is not None and high is not None and high - low <= WIDEST else None


def _merged(sheets: Sequence[SeenSheet]) -> Sheet:
    """Merge the sheets of all parties into one."""
    rows: dict[tuple[str, str, str, int], SheetRow] = {}
    for party, party_sheet in enumerate(sheets):
        for line in party_sheet.lines:
            empty = SheetRow(line.name, line.piece, line.rule, line.file, line.line, line.cites, [(0, 0)] * len(sheets))
            row = rows.setdefault(empty.key, empty)
            before, value = row.values[party], _value(line.low, line.high)
            row.values[party] = before and value and (before[0] + value[0], before[1] + value[1])
    return Sheet(tuple(rows.values()), tuple(_value(party_sheet.low, party_sheet.high) for party_sheet in sheets))


# ---- in words ------------------------------------------------------------------------------------


def row_label(row: SheetRow, names: Names) -> str:
    """Return the label of a line, with its piece if it has one."""
    name = names.words.score(row.name)
    return names.labelled(names.row(row.piece), name) if row.piece and names.row(row.piece) != name else name


def points(value: Value) -> str:
    """Return a value as text: a number, bounds such as `2–5`, or `?` if it is unknown."""
    if value is None:
        return "?"
    low, high = value
    return str(low) if low == high else f"{low} – {high}" if low < 0 else f"{low}–{high}"


def source(file: str, line: int, cites: Sequence[str]) -> str:
    """Return the source of a rule in brief: file, line, citations."""
    where = f"{PurePath(file).name}:{line}"
    return f"{where} [{', '.join(cites)}]" if cites else where


def ending(state: State, names: Names) -> str:
    """Return the winners in words and, with three ranks or more, all ranks."""
    party_ranks = state.ranks()
    ranks = sorted(set(party_ranks))
    winners = state.winners()
    scored = state.is_scored_alone()
    text = capital(won(names, winners, [names.parties_of(winners)], scored))
    if len(ranks) < 3:
        return text
    places = [f"{rank} {names.parties_of([p for p, own in enumerate(party_ranks) if own == rank])}" for rank in ranks]
    return f"{text} {names.texts('ranks', places='; '.join(places))}"


def won(names: Names, winners: Sequence[int], titles: Sequence[str], scored: bool = False) -> str:
    """Return in words who has won; `titles` are what the winners are called, `scored`: one party has its points."""
    if not winners:
        lost = "lost_together" if names.layout.together else "won_nobody"
        return names.texts("scored_alone" if scored else lost)
    if winners == [names.reader]:
        return names.texts("won_you")
    return names.texts("won" if len(winners) == 1 else "won_together", seats=names.words.lexicon.joined(titles))
