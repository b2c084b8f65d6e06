"""What starts in a zone must fit into it.

Enters: the checked tree. Leaves: findings `zone-full` where a capacity is exceeded with some number of players whatever
options are chosen. What depends on options is refused when such a game is made (`rulelang.runtime.layout`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from rulelang.diagnostics import counted
from rulelang.semantics.analysis.execution import Place, Start
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import DefinitionSym, ZoneSym


def check_room(shared: Shared) -> None:
    """Report the row with which more start in a place than it holds, once for each zone."""
    checked = shared.checked
    ruleset = checked.ruleset
    full: set[ZoneSym] = set()
    for players in ruleset.players:
        start = Start(shared, players, None)
        starting: dict[Place, list[tuple[int, DefinitionSym]]] = {}
        for kind in checked.kinds.values():
            for row in kind.definitions if any(zone.capacity is not None for zone in kind.zones) else ():
                count = start.known.least(row.count) if row.count is not None else 1
                for seat in range(players) if row.decl.per_player else (-1,):
                    place = start.place_of(row, seat)
                    if place is not None and count is not None and count > 0:
                        starting.setdefault(place, []).append((count, row))
        for (zone, _), rows in starting.items():
            most = start.known.most(zone.capacity) if zone.capacity is not None else None
            if most is not None and sum(count for count, _ in rows) > most and zone not in full:
                full.add(zone)
                _report(shared, zone, rows, most, players)


def _report(shared: Shared, zone: ZoneSym, rows: Sequence[tuple[int, DefinitionSym]], most: int, players: int) -> None:
    """Report the row that has no room left; where pieces start by their kind, at what the kind says."""
    ruleset = shared.checked.ruleset
    before = list(accumulate(count for count, _ in rows))
    row = next(row for (_, row), sofar in zip(rows, before, strict=True) if sofar > most)
    start = shared.kind(row.kind).decl.start if row.decl.start is None else None
    some = f" with {counted(players, 'player')}" if len(ruleset.players) > 1 else ""
    pieces = f"{counted(before[-1], 'piece')}" if len(rows) > 1 else f"{before[-1]} `{row.id}`"
    message = f"{pieces} start in `{zone.name}`{some}, which holds {most}"
    hint = "start them elsewhere, such as in a pile to draw from, or raise the `capacity`"
    span = row.decl.span if start is None else start.span
    shared.diagnostics.error("zone-full", message, span, hint, [(zone.span, f"the zone `{zone.name}`")])
