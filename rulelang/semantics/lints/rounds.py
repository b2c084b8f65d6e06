"""A row or pile that runs out while each player in turn takes from it makes the last round short.

Enters: the bodies of a ruleset without errors. Leaves: findings `game-uneven`. The game is executed abstractly for each
number of players. Nothing is claimed unless that comes to the end of the game, everybody took as many at least once
before, and never again after.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from rulelang.diagnostics import Diagnostics, Span, counted, enumerated
from rulelang.semantics.analysis.execution import EVERYONE, Execution, Place, UnknownError
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import Bodies, ZoneSym


def lint_rounds(shared: Shared, bodies: Bodies, diagnostics: Diagnostics) -> None:
    """Warn of each loop over all players in whose last round some take less of a place that all share."""
    short: dict[tuple[Span, ZoneSym], list[int]] = {}
    for players in shared.checked.ruleset.players if not shared.eliminates else ():
        for where in _Rounds(shared, bodies, players).short():
            short.setdefault(where, []).append(players)
    for (span, zone), counts in short.items():
        several = counted(enumerated(counts), "player")
        message = f"with {several} `{zone.name}` runs out within the last round: some take less of it than others"
        hint = (
            "let the number of its pieces come out even, by `count` or by what the setup takes away; or begin a round "
            f"only while there is enough for all: `count({zone.name}) >= count(players)`"
        )
        diagnostics.warning("game-uneven", message, span, hint, [(zone.span, f"the zone `{zone.name}`")])


class _Rounds(Execution):
    """A game of so many players, and what each takes in loops in which all have their turns.

    Attributes:
        rounds: by loop, for each time that it ran: what each player took of which place, and what was empty then.
    """

    def short(self) -> list[tuple[Span, ZoneSym]]:
        """Execute the game and return the loops whose last round alone is short, each with the zone that ran out."""
        self.rounds: dict[Span, list[tuple[list[Counter[Place]], set[Place]]]] = {}
        self.round: core.CFor | None = None
        with suppress(UnknownError):
            for procedure in (self.shared.checked.setup, self.shared.checked.play):
                self.run(procedure)
            return [
                (span, place[0])
                for span, (*before, (last, empty)) in self.rounds.items()
                for place in empty
                if before and all(self._is_whole(taken, place) for taken, _ in before)
                if last[0][place] and not self._is_whole(last, place) and self.count(place) == 0
            ]
        return []

    def _is_whole(self, taken: list[Counter[Place]], place: Place) -> bool:
        """Return whether all players took as much of a place."""
        return taken[0][place] > 0 and [t[place] for t in taken] == [taken[0][place]] * self.players

    def loop(self, s: core.CFor) -> None:
        """Execute a loop, as a round if all players have their turns in it."""
        turns = (i for i in walk(s.body) if isinstance(i, core.CDo) and i.op == "begin" and i.args[0] == "turn")
        if s.collection.op not in EVERYONE or not any(turns):
            super().loop(s)
            return
        outer, self.round = self.round, s
        rounds = self.rounds.setdefault(s.collection.span, [])
        rounds.append(([], set()))
        try:
            super().loop(s)
        finally:
            rounds[-1][1].update(p for p in self.taken if not p[0].owned and self.count(p) == 0)
            self.round = outer

    def element(self, s: core.CFor) -> bool:
        """Execute the body of a loop once, and note what is taken in a round."""
        before = self.taken.copy() if s is self.round else self.taken
        try:
            return super().element(s)
        finally:
            if s is self.round:
                self.rounds[s.collection.span][-1][0].append(self.taken - before)
