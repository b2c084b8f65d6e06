"""What a game starts from must fit: bags into their capacity, deals into what the piles hold.

Enters: the checked tree. Leaves: findings `capacity-start` where a bag starts with more than it holds for a number of
players and some value of one option (the others at their default), and `zone-short` where the setup deals to players
from a pile that runs out, with the default options, as far as the setup can be executed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from rulelang.diagnostics import Span, counted, enumerated
from rulelang.semantics.analysis.execution import Execution, Pieces, Start, UnknownError
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import Bodies, Checked, VariableSym, ZoneSym
from rulelang.semantics.tree.types import PLAYER, BagT


def check_starts(shared: Shared, bodies: Bodies) -> None:
    """Report bags that start too full, once for each variable, and deals that fall short, once for each place."""
    ruleset = shared.checked.ruleset
    full: set[VariableSym] = set()
    short: dict[Span, tuple[ZoneSym, list[int]]] = {}
    for players in ruleset.players:
        for chosen in _choices(shared.checked, players):
            _bags(shared, Start(shared, players, chosen), full)
        for span, zone in _Setup(shared, bodies, players).short_draws().items():
            short.setdefault(span, (zone, []))[1].append(players)
    for span, (zone, counts) in short.items():
        several = counted(enumerated(counts), "player")
        message = f"with {several} `{zone.name}` runs out while it is dealt, and some get fewer than others"
        hint = "raise the `count` of its pieces, deal fewer, or narrow `players`"
        shared.diagnostics.error("zone-short", message, span, hint, [(zone.span, f"the zone `{zone.name}`")])


def _choices(checked: Checked, players: int) -> Iterator[dict[str, int | bool | str]]:
    """Yield the default options with so many players, then each other value of one option."""
    yield {}
    for option in checked.ruleset.options:
        others = (value for value in option.values if option.suits(value, players))
        yield from ({option.name: value} for value in others if value != option.default_for(players))


def _bags(shared: Shared, start: Start, full: set[VariableSym]) -> None:
    """Report the bags of one game that start too full; `full` are those that were reported before."""
    checked = shared.checked
    for sym in (*checked.variables, *checked.piece_variables):
        if not isinstance(sym.type, BagT) or sym in full or not (sym.each or sym.total or sym.limits):
            continue
        seats = range(start.parties) if sym.per[:1] == (PLAYER,) else (0,)
        overflow = next(filter(None, (start.too_full(sym, seat) for seat in seats)), None)
        if overflow is not None:
            full.add(sym)
            what, has, holds = overflow
            some = f" with {counted(start.players, 'player')}" if len(checked.ruleset.players) > 1 else ""
            message = f"`{sym.name}` starts with {has} {what}{some}, and holds {holds}"
            place = getattr(sym.decl, "start", None)
            span = place.span if place is not None else sym.span
            shared.diagnostics.error("capacity-start", message, span, "start with fewer, or raise the `capacity`")


class _Setup(Execution):
    """The setup of one game, and the draws that find too few pieces."""

    def short_draws(self) -> dict[Span, ZoneSym]:
        """Execute the setup and return the draws to players that find too few pieces, each with the zone drawn from;
        those before what is not certain."""
        self.shortages: dict[Span, ZoneSym] = {}
        with suppress(UnknownError):
            self.run(self.shared.checked.setup)
        return self.shortages

    def relocate(self, s: core.CMove | core.CDraw, moved: Pieces | None, source: CExpr) -> Pieces | None:
        """Note a draw of more than there is."""
        target = self.place(s.zone, self.numbers_of)
        wanted = self.number(s.count, self.numbers_of) if isinstance(s, core.CDraw) and not s.whole else None
        if moved is not None and moved[1] is not None and target is not None and target[0].owned:
            if wanted is not None and wanted > moved[1]:
                self.shortages.setdefault(s.span, moved[0][0])
        return super().relocate(s, moved, source)
