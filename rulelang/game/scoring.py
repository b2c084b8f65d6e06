"""Score sheets: the lines of a party's score, each with the rule that it comes from.

Enters: an interpreter, a state, a party. Leaves: `ScoreSheet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulelang.interpreter import Machine
from rulelang.runtime.state import State


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
