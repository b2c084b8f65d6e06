"""What starts in a zone must fit into it.

Enters: the checked tree. Leaves: findings `zone-full` where a capacity is exceeded with some number of players whatever
options are chosen. What depends on options is refused when such a game is made (`rulelang.runtime.layout`).
"""

from __future__ import annotations

import dataclasses
from collections import Counter

from rulelang.semantics.base import Shared
from rulelang.semantics.core import CExpr
from rulelang.semantics.lints.known import Known
from rulelang.semantics.symbols import DefinitionSym, KindSym, ZoneSym

Place = tuple[ZoneSym, tuple[int, ...]]


def check_room(shared: Shared) -> None:
    """Reports the row with which more start in a place than it holds, once for each zone."""
    checked = shared.checked
    ruleset = checked.ruleset
    full: set[ZoneSym] = set()
    for players in ruleset.players:
        here = dataclasses.replace(checked, ruleset=dataclasses.replace(ruleset, players=(players,)))
        known = Known(here, shared.eliminates)
        held: Counter[Place] = Counter()
        for kind in checked.kinds.values():
            for row in kind.definitions:
                _start(shared, kind, row, players, known, held, full)


def _start(
    shared: Shared, kind: KindSym, row: DefinitionSym, players: int, known: Known, held: Counter[Place], full: set[ZoneSym]
) -> None:
    count = known.least(row.count) if row.count is not None else 1
    if row.start is None or count is None or count <= 0:
        return
    for seat in range(players) if row.decl.per_player else (-1,):
        place = _place(row, row.start, seat, known)
        if place is None:
            continue
        zone, _ = place
        held[place] += count
        most = known.most(zone.capacity) if zone.capacity is not None else None
        if most is not None and held[place] > most and zone not in full:
            full.add(zone)
            some = f" with {players} players" if len(shared.checked.ruleset.players) > 1 else ""
            own = row.decl.start is not None
            decl = next(k for k in shared.checked.ruleset.kinds if k.name == kind.name)
            span = row.decl.span if own or decl.start is None else decl.start.span
            shared.diagnostics.error(
                "zone-full",
                f"{held[place]} or more pieces start in `{zone.name}`{some}, which holds {most}: `{row.id}` has no room",
                span,
                "start them elsewhere, such as in a pile to draw from, or raise the `capacity`",
                [(zone.span, f"the zone `{zone.name}`"), *([] if span == row.decl.span else [(row.decl.span, row.id)])],
            )


def _place(row: DefinitionSym, start: CExpr, seat: int, known: Known) -> Place | None:
    """The place, if it is the same in every game."""
    if start.op == "if":
        condition, then, otherwise = (a for a in start.args if isinstance(a, CExpr))
        asked = known.values(condition)
        if asked is None or len(asked) != 1:
            return None
        return _place(row, then if asked == frozenset((1,)) else otherwise, seat, known)
    zone, *indices = start.args
    if start.op != "zone" or not isinstance(zone, ZoneSym):
        return None
    found = []
    for index in indices:
        assert isinstance(index, CExpr)
        values = frozenset((seat,)) if index.op == "local" and index.args[0] is row.start_seat else known.values(index)
        if values is None or len(values) != 1:
            return None
        found.append(next(iter(values)))
    return zone, tuple(n for n in found if n is not None)
