"""What a ruleset holds, at a glance.

Enters: what its files say and its program. Leaves: `Info`, also as JSON-able values.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rulelang.ir.program import Program
from rulelang.ruleset.files import variant_names
from rulelang.ruleset.model import ValueDecl, WrittenRuleset, counted_by
from rulelang.runtime.layout import Layout


@dataclass(frozen=True)
class OptionInfo:
    """A table's choice: its values and default are numbers, truth values or words; `players`: value -> the numbers of
    players that it is for, where these are not all."""

    name: str
    kind: str
    values: tuple[int | bool | str, ...]
    default: int | bool | str
    players: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class ZoneInfo:
    """A place for pieces; `per` names what there is one of it for, `capacity` is DSL text or empty."""

    name: str
    holds: str
    per: tuple[str, ...]
    order: str
    visible: str
    capacity: str


@dataclass(frozen=True)
class VariableInfo:
    """A variable; `type` is DSL text."""

    name: str
    type: str
    per: tuple[str, ...]
    visible: str


@dataclass(frozen=True)
class KindInfo:
    """A kind of pieces; `definitions` counts different ones, `pieces` all by number of players (default options)."""

    name: str
    attributes: dict[str, str]
    identity: bool
    definitions: int
    pieces: dict[int, int]


@dataclass(frozen=True)
class Info:
    """A ruleset at a glance.

    `provenance` counts rows of pieces by how sure their figures are, `value_provenance` values that have attributes;
    `layers` are the folders it is made of, the base first, and `variants` those that lie in its own folder.
    """

    name: str
    title: dict[str, str]
    hash: str
    players: tuple[int, ...]
    options: tuple[OptionInfo, ...]
    kinds: tuple[KindInfo, ...]
    zones: tuple[ZoneInfo, ...]
    variables: tuple[VariableInfo, ...]
    languages: tuple[str, ...]
    sources: dict[str, str]
    automata: dict[str, tuple[int, ...]]
    provenance: dict[str, int]
    value_provenance: dict[str, int]
    scores: tuple[str, ...]
    limits: dict[str, int | str]
    layers: tuple[str, ...]
    variants: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the information as nested dictionaries."""
        return dataclasses.asdict(self)


def _values(written: WrittenRuleset) -> Iterable[ValueDecl]:
    """Yield the values declared in all types and resources."""
    for type_ in written.types:
        yield from type_.values
    for resource in written.resources:
        yield from resource.values


def _counted(words: Iterable[str]) -> dict[str, int]:
    """Count equal words; the result is sorted by word."""
    return dict(sorted(Counter(words).items()))


def read_info(written: WrittenRuleset, program: Program) -> Info:
    """Collect the facts of a ruleset that `Info` lists, from its declarations and its program."""
    layouts = {players: Layout(program, players) for players in program.players}
    return Info(
        name=written.name,
        title=dict(written.title),
        hash=program.hash,
        players=written.players,
        options=tuple(OptionInfo(o.name, o.kind, o.values, o.default, o.players) for o in written.options),
        kinds=tuple(
            KindInfo(
                kind.name,
                {attribute.name: attribute.type.text for attribute in kind.attributes},
                table.identity,
                len(table.definitions),
                {
                    players: sum(layout.copies[item] for item in layout.kind_items[number])
                    for players, layout in layouts.items()
                },
            )
            for number, (kind, table) in enumerate(zip(written.kinds, program.kinds, strict=True))
        ),
        zones=tuple(
            ZoneInfo(z.name, z.holds, z.per, z.order, counted_by(z), z.capacity.text if z.capacity else "")
            for z in written.zones
        ),
        variables=tuple(VariableInfo(v.name, v.type.text, v.per, counted_by(v)) for v in written.variables),
        languages=written.languages,
        sources=dict(written.sources),
        automata={automaton.name: automaton.players for automaton in written.automata},
        provenance=_counted(row.provenance for row in written.pieces),
        value_provenance=_counted(value.provenance for value in _values(written) if value.attributes),
        scores=tuple(row.name for row in program.scores),
        limits=dataclasses.asdict(written.limits),
        layers=tuple(layer.shown for layer in written.layers),
        variants=variant_names(Path(written.root)),
    )
