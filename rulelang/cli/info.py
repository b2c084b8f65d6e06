"""`rulelang info`: what is in a ruleset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rulelang.cli.common import guarded, json_option, loaded, overlay_option, path_argument, print_json, table

if TYPE_CHECKING:
    from rulelang.game.info import Info


@click.command()
@path_argument
@overlay_option
@json_option
@guarded
def info(path: str, overlays: tuple[str, ...], form: str) -> None:
    """Show what is in a ruleset: players, options, kinds, zones, languages, provenance."""
    found = loaded(path, overlays).info
    if form == "json":
        print_json(found.to_json())
    else:
        click.echo(_text(found))


def _text(found: Info) -> str:
    from rulelang.game.ruleset import players_text

    title = next(iter(found.title.values()), found.name)
    lines = [f"{title} ({found.name})", f"players: {players_text(found.players)}"]
    for option in found.options:
        values = ", ".join(_value(value) for value in option.values)
        lines.append(f"option {option.name}: {values} (default {_value(option.default)})")
    for name, players in found.automata.items():
        lines.append(f"automaton {name}: with {players_text(players)} players")
    lines.append(f"languages: {', '.join(found.languages)}")
    lines += [f"source {name}: {text}" for name, text in found.sources.items()]
    if found.provenance:
        lines.append("rows of pieces: " + ", ".join(f"{count} {name}" for name, count in found.provenance.items()))
    lines.append(f"score lines: {', '.join(found.scores) or 'none'}")
    limits = found.limits
    lines.append(f"at most {limits['decisions']} decisions, then {limits['outcome']}")
    if found.kinds:
        rows = [
            [
                kind.name,
                kind.definitions,
                ", ".join(f"{pieces} with {n}" for n, pieces in kind.pieces.items())
                if len(set(kind.pieces.values())) > 1
                else next(iter(kind.pieces.values())),
                ", ".join(f"{name}: {type_}" for name, type_ in kind.attributes.items()),
            ]
            for kind in found.kinds
        ]
        lines += ["", table([["kind", "different", "pieces", "attributes"], *rows])]
    if found.zones:
        rows = [[z.name, z.holds, ", ".join(z.per), z.order, z.visible, z.capacity] for z in found.zones]
        lines += ["", table([["zone", "holds", "per", "order", "visible", "capacity"], *rows])]
    if found.variables:
        rows = [[v.name, v.type, ", ".join(v.per), v.visible] for v in found.variables]
        lines += ["", table([["variable", "type", "per", "visible"], *rows])]
    return "\n".join(lines)


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
