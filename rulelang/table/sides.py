"""What is drawn around a board: the zones along its sides, and which pieces carry others.

Enters: the visible share of each party. Leaves: the strips by side, the laden pieces; the strips are removed from the
shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field

from rulelang.ruleset.model import WrittenRuleset
from rulelang.table.view import TABLE, Contents, Observed, Share, Value, is_empty


@dataclass
class Strip:
    """The zones along one side.

    Attributes:
        owner: the party that owns them. rows: contents, outwards, then along the side. closed: index along the side ->
            name of a truth value that holds there.
    """

    owner: str
    rows: list[list[Contents]] = field(default_factory=list)
    closed: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Surroundings:
    """What is drawn with a board besides its zones.

    Attributes:
        strips: direction -> strip. laden: (row, owner) of pieces that carry others.
    """

    strips: Mapping[str, Strip]
    laden: Set[tuple[str, str]]


NOTHING = Surroundings({}, frozenset())


def surroundings(ruleset: WrittenRuleset, shares: Mapping[str, Share]) -> Surroundings:
    """Return what is drawn around a board, and remove its strips from the shares (by party)."""
    carried = [zone for zone in ruleset.zones if zone.carried_by]
    laden = {
        (zone.carried_by, owner)
        for zone in carried
        for owner, share in shares.items()
        if owner != TABLE and not is_empty(share.singles.get(zone.name, Contents(0)))
    }
    return Surroundings(_strips(ruleset, shares), laden)


def _strips(ruleset: WrittenRuleset, shares: Mapping[str, Share]) -> dict[str, Strip]:
    """Remove the strips from the shares; return direction -> strip."""
    strips: dict[str, Strip] = {}
    types = {row.name: row for row in ruleset.types}
    for zone in (row for row in ruleset.zones if row.beside):
        across, outwards = ([value.name for value in types[name].values] for name in zone.per[1:])
        variable, _, attribute = zone.beside.partition(".")
        kind = next(row.type.text for row in ruleset.variables if row.name == variable)
        truths = [row.name for row in ruleset.variables if row.per == zone.per[:2]]
        truths += [row.name for row in ruleset.marks if row.per == zone.per[:2]]
        for owner, share in shares.items():
            value = share.singles.get(variable)
            if owner == TABLE or not isinstance(value, Value) or not isinstance(value.value, str):
                continue
            side = value.value
            if attribute:
                row = next(row for row in types[kind.rstrip("?")].values if row.name == side)
                side = row.attributes[attribute].text
            strip = strips.setdefault(side, Strip(owner))
            for out in outwards:
                things = [share.lists.pop((zone.name, (at, out)), Contents(0)) for at in across]
                strip.rows.append([thing if isinstance(thing, Contents) else Contents(0) for thing in things])
            for name in truths:
                lying: Observed | None = share.singles.pop(name, None)
                for at in lying.value if isinstance(lying, Value) and isinstance(lying.value, list) else ():
                    strip.closed[across.index(at)] = name
    return strips
