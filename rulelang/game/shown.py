"""What functions tell of pieces where they lie, such as a price: `shown` of a zone.

Enters: a ruleset, an interpreter, a state, a seat. Leaves: numbers by zone and piece, as far as the seat can know them
from what it sees now.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.interpreter.abstract import Abstract
from rulelang.ruleset.model import WrittenRuleset
from rulelang.runtime.names import item_text, zone_text
from rulelang.runtime.sight import SPECTATOR, sight_of
from rulelang.runtime.state import State
from rulelang.runtime.veil import Veil

Shown = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Zone -> piece -> function -> number."""


def shown(ruleset: WrittenRuleset, interpreter: Machine, state: State, seat: int) -> Shown:
    """Return what the functions of zones give for the pieces that a seat sees there; without what it can't know. Who
    only looks on (`SPECTATOR`) is told nothing: functions may ask who reads."""
    names = {zone.name: zone.shown for zone in ruleset.zones if zone.shown}
    layout, numbers = interpreter.layout, {p.name: n for n, p in enumerate(interpreter.program.procedures)}
    if not names or seat == SPECTATOR:
        return {}
    abstract = Abstract(interpreter.codes, Veil(state, sight_of(layout, seat, state)))
    told: dict[str, dict[str, dict[str, int]]] = {}
    for zone, items in enumerate(abstract.veil.seen):
        table = layout.program.zones[layout.inst_zone[zone]]
        kind = f"piece:{layout.program.kinds[table.kind].name}"
        given = [*zip(map(str, table.index), layout.inst_index[zone], strict=True), ("seat", seat)]
        for item in items if table.name in names else ():
            for name in names[table.name]:
                value = _value(interpreter, abstract, numbers[name], [(kind, item), *given], seat)
                if isinstance(value, int):
                    told.setdefault(zone_text(layout, zone), {}).setdefault(item_text(layout, item), {})[name] = value
    return told


def _value(interpreter: Machine, abstract: Abstract, number: int, given: list[tuple[str, int]], seat: int) -> object:
    """Return what a function gives; nothing known where it goes wrong.

    Args:
        given: what its parameters may be, as (type, value): each is the first of its type that is left.
    """
    procedure = interpreter.program.procedures[number]
    arguments = [seat]  # `you`
    for type_ in procedure.locals[1 : procedure.parameters]:
        at = next(n for n, (name, _) in enumerate(given) if name == str(type_))
        arguments.append(given.pop(at)[1])
    try:
        return abstract.function(number, arguments)
    except RuleError:
        return None
