"""`rulelang info`: what is in a ruleset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from rulelang.cli.common import (
    guarded,
    json_option,
    lang_option,
    language_of,
    loaded,
    overlay_option,
    path_argument,
    table,
)
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import counted
from rulelang.ruleset.model import plain_text

if TYPE_CHECKING:
    from rulelang.game import Ruleset
    from rulelang.game.info import Info


@click.command()
@path_argument
@overlay_option
@lang_option
@click.option("--cards", is_flag=True, help="Show every card instead: its attributes and its rules in words.")
@json_option
@guarded
def info(path: str, overlays: tuple[str, ...], lang: str | None, cards: bool, form: str) -> None:
    """Show what is in a ruleset: players, options, kinds, zones, languages, provenance."""
    ruleset = loaded(path, overlays)
    language = language_of(ruleset, lang) if form == "text" else ruleset.language(lang)
    content, title = ruleset.info, ruleset.words(language).title
    if cards:
        _show_cards(ruleset, language, form)
    elif form == "json":
        put_json(content.to_json())
    else:
        put(_text(content, title, path))


def _show_cards(ruleset: Ruleset, lang: str, form: str) -> None:
    """Print the faces of all rows."""
    from rulelang.cli.cards import cards_text
    from rulelang.prose import Faces

    faces = Faces(ruleset.written, lang)
    if form == "json":
        put_json(ruleset.info.to_json() | {"cards": [face.to_json() for face in faces.all()]})
    else:
        put(cards_text(faces.all(), faces.writer))


def _text(content: Info, title: str, path: str) -> str:
    """Return the contents of a ruleset as lines of text."""
    from rulelang.game.ruleset import players_text

    lines = [f"{title} ({content.name})", f"players: {players_text(content.players)}"]
    if len(content.layers) > 1:
        lines.append(f"made of: {', then '.join(content.layers)}")
    if content.variants:
        lines.append("variants: " + ", ".join(f"{path.rstrip('/')}/{name}" for name in content.variants))
    for option in content.options:
        counts = {value: f" with {players_text(players)}" for value, players in option.players.items()}
        values = ", ".join(plain_text(value) + counts.get(str(value), "") for value in option.values)
        lines.append(f"option {option.name}: {values} (default {plain_text(option.default)})")
    for name, players in content.automata.items():
        lines.append(f"automaton {name}: with {players_text(players)}")
    lines.append(f"languages: {', '.join(content.languages)}")
    lines += [f"source {name}: {text}" for name, text in content.sources.items()]
    if content.provenance:
        lines.append(f"rows of pieces: {_counts(content.provenance)}")
    if content.value_provenance:
        lines.append(f"values with attributes: {_counts(content.value_provenance)}")
    lines.append(f"score lines: {', '.join(content.scores) or 'none'}")
    limits = content.limits
    lines.append(f"at most {counted(limits['decisions'], 'decision')}, then {limits['outcome']}")
    if content.kinds:
        rows = [
            [
                kind.name,
                kind.definitions,
                ", ".join(f"{pieces} with {n}" for n, pieces in kind.pieces.items())
                if len(set(kind.pieces.values())) > 1
                else next(iter(kind.pieces.values())),
                ", ".join(f"{name}: {type_}" for name, type_ in kind.attributes.items()),
            ]
            for kind in content.kinds
        ]
        lines += ["", table([["kind", "different", "pieces", "attributes"], *rows])]
    if content.zones:
        rows = [[z.name, z.holds, ", ".join(z.per), z.order, z.visible, z.capacity] for z in content.zones]
        lines += ["", table([["zone", "holds", "per", "order", "visible", "capacity"], *rows])]
    if content.variables:
        rows = [[v.name, v.type, ", ".join(v.per), v.visible] for v in content.variables]
        lines += ["", table([["variable", "type", "per", "visible"], *rows])]
    return "\n".join(lines)


def _counts(words: Mapping[str, int]) -> str:
    """Return counts by word as text."""
    return ", ".join(f"{count} {word}" for word, count in words.items())
