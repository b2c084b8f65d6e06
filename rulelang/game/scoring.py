"""Who has how many points, who has won, and what that is worth.

Enters: a machine and a state. Leaves: scores and winners by party (seats first, then automata), returns by seat, score
sheets.

Winners of a game that scores decide are the parties with the most (or fewest) of what `winner` says, by default of the
total score; ties are broken as declared and what is tied then shares. Eliminated parties win only if all are. Who is
in a team with a winner wins too. A game with one seat is won by declaration or by not being behind every automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rulelang.backends.interpreter import Machine
from rulelang.backends.outcome import shares, winners_of
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
        """As JSON-able values."""
        rows = [
            {
                "name": r.name,
                "value": r.value,
                "rule": r.rule,
                "file": r.file,
                "line": r.line,
                "cites": list(r.cites),
                "piece": r.piece,
            }
            for r in self.lines
        ]
        return {"party": self.party, "lines": rows, "total": self.total}


def scores(machine: Machine, state: State) -> list[int]:
    """The total of each party's score lines; before the end as things stand."""
    return machine.scores(state)


def score_sheet(machine: Machine, state: State, party: int) -> ScoreSheet:
    """Every line of a party; those of single pieces only where they are not 0."""
    found = []
    total = 0
    for row in machine.program.scores:
        value = int(machine.evaluate(state, row.procedure, [party]))
        total += value
        if value or not row.piece:
            site = machine.program.sites[row.site]
            found.append(ScoreLine(row.name, value, site.rule, site.path, site.line, site.citations, row.piece))
    return ScoreSheet(party, tuple(found), total)


def winners(machine: Machine, state: State, totals: Sequence[int] | None = None) -> list[int]:
    """The parties that have won; none while the game runs or when it is drawn. `totals`: the scores, if known."""
    return winners_of(
        machine.layout,
        state,
        lambda: scores(machine, state) if totals is None else totals,
        lambda procedure, party: machine.evaluate(state, procedure, [party]),
    )


def returns(machine: Machine, state: State) -> list[float]:
    """The payoff of each seat: the declared one, else shares (1 to win, -1 to lose, 0 all tied); 0 before the end."""
    layout, program = machine.layout, machine.program
    n = layout.players
    if not state.over:
        return [0.0] * n
    if program.payoff >= 0:
        return [float(machine.evaluate(state, program.payoff, [seat])) for seat in range(n)]
    return shares(n, winners(machine, state), state.over)
