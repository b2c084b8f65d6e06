"""Score sheets: the lines of a party's score, each with the rule that it comes from.

Enters: an interpreter, a state, a party. Leaves: `ScoreSheet`; for a seat that does not see everything `SeenSheet`s,
which say what holds in all states that look like this one to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.abstract import Abstract
from rulelang.interpreter.abstract_values import bounds
from rulelang.ir.program import ScoreTable
from rulelang.runtime.bounds import MANY, WHOLE, Interval
from rulelang.runtime.sight import has_secrets, sight_of
from rulelang.runtime.state import State
from rulelang.runtime.veil import Veil


@dataclass(frozen=True)
class ScoreLine:
    """One line of a score sheet; `piece` is the definition whose rule text it is, or empty."""

    name: str
    value: int
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    piece: str = ""


@dataclass(frozen=True)
class ScoreSheet:
    """The lines of one party and their sum."""

    party: int
    lines: tuple[ScoreLine, ...]
    total: int

    def to_json(self) -> dict[str, Any]:
        """Return the score sheet as JSON-able values."""
        return vars(self) | {"lines": [vars(line) | {"cites": list(line.cites)} for line in self.lines]}


@dataclass(frozen=True)
class SeenLine:
    """One line of a score sheet as far as a seat can know it: a value from `low` to `high`, None for no bound."""

    name: str
    low: int | None
    high: int | None
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    piece: str = ""


@dataclass(frozen=True)
class SeenSheet:
    """The lines of one party and the bounds of their sum, as far as a seat can know them."""

    party: int
    lines: tuple[SeenLine, ...]
    low: int | None
    high: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the score sheet as JSON-able values."""
        return vars(self) | {"lines": [vars(line) | {"cites": list(line.cites)} for line in self.lines]}


def score_sheet(interpreter: Machine, state: State, party: int) -> ScoreSheet:
    """Return the score sheet of a party; lines of single pieces are left out where they score 0."""
    lines = []
    total = 0
    for row in interpreter.program.scores:
        value = int(interpreter.evaluate(state, row.procedure, [party]))
        total += value
        if value or not row.piece:
            site = interpreter.program.sites[row.site]
            lines.append(ScoreLine(row.name, value, site.rule, site.path, site.line, site.citations, row.piece))
    return ScoreSheet(party, tuple(lines), total)


def seen_sheets(interpreter: Machine, state: State, seat: int) -> list[SeenSheet]:
    """Return the score sheets of all parties as far as a seat can know them from what it sees now.

    They are a function of its observation alone. A line of a single piece is left out unless it surely scores.
    """
    if not has_secrets(interpreter.program):
        return [known_sheet(score_sheet(interpreter, state, party)) for party in range(interpreter.layout.parties)]
    abstract = Abstract(interpreter.codes, Veil(state, sight_of(interpreter.layout, seat, state)))
    return [_seen_sheet(interpreter, abstract, party) for party in range(interpreter.layout.parties)]


def known_sheet(sheet: ScoreSheet) -> SeenSheet:
    """Return a score sheet of which everything is known."""
    lines = tuple(
        SeenLine(line.name, line.value, line.value, line.rule, line.file, line.line, line.cites, line.piece)
        for line in sheet.lines
    )
    return SeenSheet(sheet.party, lines, sheet.total, sheet.total)


def _seen_sheet(interpreter: Machine, abstract: Abstract, party: int) -> SeenSheet:
    """Return what can be known of the score sheet of a party."""
    lines, total = [], (0, 0)
    for row in interpreter.program.scores:
        low, high = _line_bounds(abstract, row, party)
        total = total[0] + low, total[1] + high
        if not row.piece or low > 0 or high < 0:
            site = interpreter.program.sites[row.site]
            least, most = _finite(low, high)
            lines.append(SeenLine(row.name, least, most, site.rule, site.path, site.line, site.citations, row.piece))
    return SeenSheet(party, tuple(lines), *_finite(*total))


def _line_bounds(abstract: Abstract, row: ScoreTable, party: int) -> Interval:
    """Return the least and greatest value that a line may have; of one that goes wrong nothing is known."""
    try:
        value = abstract.function(row.procedure, [party])
    except RuleError:
        return WHOLE
    return bounds(value)


def _finite(low: int, high: int) -> tuple[int | None, int | None]:
    """Return bounds without those that say nothing."""
    return None if low <= -MANY else low, None if high >= MANY else high
