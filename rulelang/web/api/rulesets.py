"""What is known of a ruleset before a game, as JSON: the schema of its games, its cards, its theme, its rules.

Enters: a ruleset, a language. Leaves: typed dictionaries, memoised; they are not to be changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypedDict, cast

from rulelang.game import Ruleset
from rulelang.ir.program import Program
from rulelang.memos import kept_with
from rulelang.table.rules import chapters
from rulelang.vocabulary.types import Type
from rulelang.web.api.answers import Json, without_folder
from rulelang.web.api.schemas import of_object
from rulelang.web.cards import looks
from rulelang.web.theme import SECTIONS, theme_of


class Schema(TypedDict):
    """A JSON Schema (2020-12): under `$defs` are `observation`, `actions` and the names that both use."""


class Card(TypedDict):
    """A definition of pieces. Texts are in words; `values` are as they were written."""

    id: str
    kind: str
    name: str
    kind_name: str
    count: str
    per_player: bool
    attributes: dict[str, str]
    values: dict[str, str]
    start: str
    effects: list[str]
    text: Annotated[str, "the author's own"]
    rules: str
    provenance: str
    provenance_text: str
    cites: list[str]
    options: Annotated[list[str], "the options that it depends on"]
    sign: Annotated[str, "one to three letters"]
    hue: Annotated[str, "the class of its colour on the pages"]
    picture: Annotated[str, "a name under `pictures`; empty without one"]


class Cards(TypedDict):
    """All definitions of pieces; of each kind its attributes with their types."""

    kinds: dict[str, dict[str, str]]
    cards: list[Card]


class Theme(TypedDict):
    """The look that the ruleset declares: each a mapping of the names of values, resources, kinds and pieces."""

    colours: dict[str, str]
    signs: dict[str, str]
    by: dict[str, str]
    pictures: Annotated[dict[str, str], "name -> the name of a file under `pictures`; so in all that follow"]
    backs: Annotated[dict[str, str], "kind -> file"]
    boards: Annotated[dict[str, str], "grid -> file"]
    cells: Annotated[dict[str, dict[str, str]], "grid -> sign of its map -> file"]
    patterns: Annotated[dict[str, str], "grid -> `chequered`, `crossings` or `slanted`"]
    layout: Annotated[dict[str, str], "zone -> `pile`, `track`, `cards` or `hidden`; variable -> `hidden`"]
    shapes: dict[str, str]
    players: Annotated[dict[str, str], "colour of a party -> shade"]
    fonts: dict[str, str]
    places: Annotated[Json, "`picture`, `size` and where zones are `at`"]


class Chapter(TypedDict):
    """A part of the rules; each text has `name`, `text`, `cites`, `file`, `line`."""

    title: str
    texts: list[Json]


class Rules(TypedDict):
    """What the author tells of the game, and its rules in words."""

    title: str
    chapters: list[Chapter]


@kept_with
def cards(ruleset: Ruleset, lang: str) -> Cards:
    """Return the definitions of all pieces."""
    look_of, rows = looks(ruleset, lang), list[Card]()
    for row in ruleset.written.pieces:
        look = look_of.look(row.id)
        values = {name: text.text for name, text in row.attributes.items()}
        more = {"values": values, "sign": look.sign, "hue": look.hue, "picture": look.picture}
        rows.append(Card(**look_of.face(row.id).to_json(), **more))  # type: ignore[typeddict-item]
    kinds = {kind.name: {a.name: a.type.text for a in kind.attributes} for kind in ruleset.written.kinds}
    return {"kinds": kinds, "cards": rows}


def theme(ruleset: Ruleset, lang: str) -> Theme:
    """Return the theme without what is the server's own: folders, faults."""
    del lang
    declared = theme_of(ruleset)
    return cast("Theme", {section: getattr(declared, section) for section in SECTIONS})


@kept_with
def rules(ruleset: Ruleset, lang: str) -> Rules:
    """Return the rules in words."""
    told: list[Chapter] = [
        {"title": chapter.title, "texts": [without_folder(asdict(text)) for text in chapter.texts]}
        for chapter in chapters(ruleset, lang)
    ]
    return {"title": ruleset.words(lang).title, "chapters": told}


# ---- the schema ------------------------------------------------------------------------------------


@kept_with
def schema(ruleset: Ruleset, lang: str) -> Schema:
    """Return the schema of observations and actions of all games of the ruleset."""
    program = ruleset.program
    amount = {"type": "integer", "minimum": 0}
    names: Json = {}
    for enum in program.enums:
        names[f"enum:{enum.name}"] = _enumeration(enum.values, "^[0-9]+-[0-9]+$" * bool(enum.between))
        names[f"bag:{enum.name}"] = of_object(dict.fromkeys(enum.values, amount), ())
    for grid in program.grids:
        names[f"cell:{grid.name}"] = _enumeration(grid.cells)
    for kind in program.kinds:
        names[f"piece:{kind.name}"] = _enumeration([row.id for row in kind.definitions], "^[^@.]+[@.]")
    pieces = {"anyOf": [{"$ref": f"#/$defs/piece:{row.name}"} for row in program.kinds] or [{"type": "string"}]}
    actions = [
        of_object({
            "item": {"const": item.name or decision.rule},
            "arguments": of_object({binder.name: _value(binder.type, text=True) for binder in item.binders}),
        })
        for decision in program.decisions for item in decision.items
    ]  # fmt: skip
    passing = of_object({"item": {"const": "pass"}, "arguments": of_object({})})
    names |= {"observation": _observation(program, pieces), "actions": {"anyOf": [*actions, passing]}, "piece": pieces}
    return {  # type: ignore[typeddict-unknown-key]
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": ruleset.name,
        "$ref": "#/$defs/observation", "$defs": names,
    }  # fmt: skip


def _observation(program: Program, pieces: Json) -> Json:
    """Return the schema of what a seat sees."""
    number, seats = {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}
    seen = {"anyOf": [pieces, {"type": "null"}]}
    contents = of_object({"count": number, "pieces": {"type": "array", "items": seen}, "top": seen}, ["count"])
    place: Json = {"question": number, "rule": {"type": "string"}, "file": {"type": "string"}, "line": number}
    asked = of_object(place | {"arguments": {"type": "object"}}, list(place))
    piece = of_object({
        "piece": pieces, "zone": {"type": "string"},
        "variables": of_object({row.name: _seen(row) for row in program.piece_variables}, ()),
    })  # fmt: skip
    variables = [row for row in program.variables if not row.internal]
    properties: Json = {
        "ruleset": {"const": program.name}, "options": {"type": "object"}, "players": {"enum": list(program.players)},
        "seat": number, "current": seats, "asked": {"anyOf": [asked, {"type": "null"}]}, "turn": number,
        "eliminated": seats, "over": {"type": "boolean"},
        "zones": _indexed({row.name: (bool(row.index), contents) for row in program.zones}),
        "variables": _indexed({row.name: (bool(row.index), _seen(row)) for row in variables}),
        "known": of_object({
            "zones": _indexed({row.name: (bool(row.index), {"type": "array", "items": seen}) for row in program.zones}),
            "variables": _indexed({row.name: (bool(row.index), _seen(row)) for row in variables}),
        }),
        "sizes": _indexed({row.name: (bool(row.index), number) for row in variables if row.sized}),
        "shown": {"type": "object"}, "pieces": {"type": "array", "items": piece},
        "outcome": {"enum": ["scored", "declared", "drawn"]}, "scores": seats, "winners": seats,
    }  # fmt: skip
    return of_object(properties, list(properties)[:11])


def _indexed(rows: Mapping[str, tuple[bool, Json]]) -> Json:
    """Return the schema of things by name; those with an index are called `name[…]`."""
    patterns = {f"^{re.escape(name)}\\[.*\\]$": value for name, (index, value) in rows.items() if index}
    plain = {name: value for name, (index, value) in rows.items() if not index}
    return of_object(plain, ()) | {"patternProperties": patterns}


def _seen(row: Any) -> Json:
    """Return the schema of a variable's value; of a mark whether it is set."""
    return {"type": "boolean"} if row.mark else _value(row.type)


def _value(type_: Type, text: bool = False) -> Json:
    """Return the schema of the values of a type, as `rulelang.runtime.views` writes them.

    Args:
        text: whether payments, as arguments, are texts.
    """
    if type_.kind == "opt":
        return {"anyOf": [_value(type_.inner, text), {"type": "null"}]}
    if type_.kind in ("set", "seats"):
        return {"type": "array", "items": _value(type_.inner, text)}
    if type_.kind in ("enum", "cell", "piece", "bag") and type_.name:
        return {"$ref": f"#/$defs/{type_.kind}:{type_.name}"}
    plain = {"int": "integer", "bool": "boolean", "seat": ["integer", "string"], "dir": "string", "zone": "string"}
    return {"type": plain[type_.kind]} if type_.kind in plain else {"type": "string"} if text else {}


def _enumeration(values: Sequence[str], pattern: str = "") -> Json:
    """Return the schema of texts: these, and those of a pattern."""
    more = [{"type": "string", "pattern": pattern}] if pattern else []
    return {"anyOf": [*([{"enum": list(values)}] if values else ()), *more]} if more or values else {"type": "string"}


TOLD: Mapping[str, Callable[[Ruleset, str], Any]] = {"schema": schema, "cards": cards, "theme": theme, "rules": rules}
"""What is told of a ruleset, by the last part of its address."""
