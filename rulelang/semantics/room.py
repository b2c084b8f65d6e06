"""What starts in a zone must fit into it.

Enters: the checked tree. Leaves: findings `zone-full` where a capacity is exceeded with some number of players whatever
options are chosen. What depends on options is refused when such a game is made (`rulelang.runtime.layout`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import accumulate

from rulelang.semantics.base import Shared
from rulelang.semantics.core import CExpr, expressions
from rulelang.semantics.lints.known import Known
from rulelang.semantics.symbols import DefinitionSym, ZoneSym

Place = tuple[ZoneSym, tuple[int, ...]]


def check_room(shared: Shared) -> None:
    """Report the row with which more start in a place than it holds, once for each zone."""
    checked = shared.checked
    ruleset = checked.ruleset
    full: set[ZoneSym] = set()
    for players in ruleset.players:
        variant = dataclasses.replace(checked, ruleset=dataclasses.replace(ruleset, players=(players,)))
        known = Known(variant, shared.eliminates)
        starting: dict[Place, list[tuple[int, DefinitionSym]]] = {}
        for kind in checked.kinds.values():
            for row in kind.definitions if any(zone.capacity is not None for zone in kind.zones) else ():
                count = known.least(row.count) if row.count is not None else 1
                for seat in range(players) if row.decl.per_player else (-1,):
                    place = _place(row, row.start, seat, known) if row.start is not None else None
                    if place is not None and count is not None and count > 0:
                        starting.setdefault(place, []).append((count, row))
        for (zone, _), rows in starting.items():
            most = known.most(zone.capacity) if zone.capacity is not None else None
            if most is not None and sum(count for count, _ in rows) > most and zone not in full:
                full.add(zone)
                _report(shared, zone, rows, most, players)


def _report(shared: Shared, zone: ZoneSym, rows: Sequence[tuple[int, DefinitionSym]], most: int, players: int) -> None:
    """Report the row that has no room left; where pieces start by their kind, at what the kind says."""
    ruleset = shared.checked.ruleset
    before = list(accumulate(count for count, _ in rows))
    row = next(row for (_, row), sofar in zip(rows, before, strict=True) if sofar > most)
    start = next(k.start for k in ruleset.kinds if k.name == row.kind)
    alone = row.decl.start is not None or start is None
    some = f" with {players} players" if len(ruleset.players) > 1 else ""
    pieces = f"{before[-1]} pieces" if len(rows) > 1 else f"{before[-1]} `{row.id}`"
    message = f"{pieces} start in `{zone.name}`{some}, which holds {most}"
    hint = "start them elsewhere, such as in a pile to draw from, or raise the `capacity`"
    span = row.decl.span if alone or start is None else start.span
    shared.diagnostics.error("zone-full", message, span, hint, [(zone.span, f"the zone `{zone.name}`")])


def _place(row: DefinitionSym, start: CExpr, seat: int, known: Known) -> Place | None:
    """Return the place, if it is the same in every game."""
    if start.op == "if":
        condition, then, otherwise = expressions(start.args)
        asked = known.values(condition)
        if asked is None or len(asked) != 1:
            return None
        return _place(row, then if asked == frozenset((1,)) else otherwise, seat, known)
    zone, *indices = start.args
    if start.op != "zone" or not isinstance(zone, ZoneSym):
        return None
    numbers = []
    for index in indices:
        values = frozenset((seat,)) if index.op == "local" and index.args[0] is row.start_seat else known.values(index)
        if values is None or len(values) != 1:
            return None
        numbers.append(next(iter(values)))
    return zone, tuple(n for n in numbers if n is not None)
