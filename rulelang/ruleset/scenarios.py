"""The ruleset's own tests, as written: situations, choices and what must then hold.

Enters: `scenarios/*.yaml` of a ruleset folder. Leaves: `Scenario`s; DSL texts and patterns of ids are still text.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as AnyMapping
from dataclasses import field, replace
from pathlib import Path
from typing import Literal, cast

from rulelang.diagnostics import LANGUAGE_VERSION, NOWHERE, Diagnostics, Source, Span
from rulelang.ruleset.cases import with_cases
from rulelang.ruleset.fields import Fields, integers
from rulelang.ruleset.files import display_path, read_file
from rulelang.ruleset.model import Cite, Text, Written, WrittenRuleset
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence, dsl_text, file_span, node_of, repaired
from rulelang.ruleset.positions import PositionError, PositionNotation
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml

SCHEMA = "scenarios.schema.json"
ExpectationKind = Literal[
    "condition",
    "asked",
    "options",
    "offered",
    "refused",
    "event",
    "scores",
    "lines",
    "winners",
    "ranks",
    "ends",
    "over",
    "ended",
]
NUMBERS = ("asked", "scores", "winners", "ranks")
"""Expectations whose value is a list of numbers."""

Filling = Literal["whole", "top", "rest"]
"""What is given to a zone: all its pieces, those on top of a pile, or all pieces that no other zone is given."""


class SheetLine(Written):
    """A line of the score sheets: its name and what it is worth for each party."""

    name: str
    values: tuple[int, ...]
    span: Span


class Expectation(Written):
    """What must hold: a DSL condition (`Text`), a pattern (`str`), numbers by party or of seats, how many options, or a
    truth value.

    What `lines` of score sheets are worth stands in `lines`, a pattern of what is missing for something refused in
    `missing`, the patterns of all `options` in `patterns` (None: `value` is how many), and what is expected of each of
    the `ends` in `ends`.
    """

    kind: ExpectationKind
    value: Text | str | tuple[int, ...] | int
    span: Span
    lines: tuple[SheetLine, ...] = ()
    missing: str = ""
    patterns: tuple[tuple[str, Span], ...] | None = None
    ends: tuple[tuple[Expectation, ...], ...] = ()


class MovePattern(Written):
    """A choice or an outcome of chance, as a pattern of ids.

    Attributes:
        sort: whether it is a `choice` or `chance`; or else `either`.
        seat: who chooses, if several are asked. maybe: whether it is left out where it is not offered.
    """

    pattern: str
    span: Span
    seat: int | None = None
    maybe: bool = False
    sort: Literal["choice", "chance", "either"] = "either"


class Carried(Written):
    """A variable of the pieces that stand at a place of the list of a given zone; both are counted from 0."""

    zone: int
    place: int
    name: str
    span: Span
    value: Text


class Scenario(Written):
    """One test. `players` is None for the ruleset's smallest number; `zones` and `variables` go by DSL expressions;
    `fillings` says of each of the zones what is given of it; what a `position` says stands in all of them."""

    name: str
    span: Span
    cites: tuple[Cite, ...] = ()
    players: int | None = None
    options: dict[str, int | bool | str] = field(default_factory=dict)
    seed: int = 0
    zones: tuple[tuple[Text, tuple[tuple[int, str], ...], Span], ...] = ()
    fillings: tuple[Filling, ...] = ()
    carried: tuple[Carried, ...] = ()
    variables: tuple[tuple[Text, Text], ...] = ()
    position: Text | None = None
    do: Text | None = None
    when: tuple[MovePattern, ...] = ()
    then: tuple[Expectation, ...] = ()
    spans: dict[str, Span] = field(default_factory=dict, compare=False)  # of the options given, and of `players`
    case: bool = False  # made of a row of a table, whose place is `span`


def load_scenarios(
    root: Path, diagnostics: Diagnostics, instead: AnyMapping[str, str] | None = None
) -> tuple[Scenario, ...]:
    """Load the scenarios of a ruleset folder, in the order of file names; those with errors are left out.

    Args:
        instead: by file name texts in place of those of files; a file whose text is empty is not read.
    """
    folder = root.resolve() / "scenarios"
    if not folder.is_dir():
        return ()
    if not folder.resolve().is_relative_to(root.resolve()):
        message = "`scenarios` is a link that leads out of the ruleset's folder"
        place = file_span(Source(display_path(folder), ""))
        diagnostics.error("ruleset-link", message, place, "copy the files into the folder")
        return ()
    scenarios: dict[str, Scenario] = {}
    for path in sorted(folder.glob("*.yaml")):
        text = (instead or {}).get(path.name)
        source = read_file(path, folder, diagnostics, text) if text != "" else None
        tree = read_yaml(source, diagnostics) if source else None
        if tree is None:
            continue
        tree = with_cases(tree, diagnostics)
        faulty = validate(tree, SCHEMA, diagnostics)
        if any(not fault.path for fault in faulty):
            continue
        left = repaired(tree, dict.fromkeys(fault.path[:2] for fault in faulty)) if faulty else tree
        for item in Fields(left, diagnostics).items("scenarios"):
            scenario = _scenario(Fields(item, diagnostics))
            first = scenarios.setdefault(scenario.name, scenario)
            if first is not scenario:
                message = f"a scenario of this name stands in {first.span.path}, line {first.span.line}"
                diagnostics.error("ruleset-duplicate", message, scenario.span, related=((first.span, "first here"),))
    return tuple(scenarios.values())


def scenario_of_given(
    ruleset: WrittenRuleset, given: AnyMapping[str, object], diagnostics: Diagnostics
) -> tuple[Scenario, ...]:
    """Build a scenario from a `given` in Python values; None, with findings, if it does not fit."""
    row = {"name": "given", "given": given, "then": ["true"]}
    tree = node_of({"rulelang": LANGUAGE_VERSION, "scenarios": [row]}, "given")
    assert isinstance(tree, Mapping)
    if validate(tree, SCHEMA, diagnostics):
        return ()
    scenarios = (_scenario(Fields(item, diagnostics)) for item in Fields(tree, diagnostics).items("scenarios"))
    return tuple(_with_position(ruleset, scenario, diagnostics) for scenario in scenarios)


def _with_position(ruleset: WrittenRuleset, scenario: Scenario, diagnostics: Diagnostics) -> Scenario:
    """Return a scenario with what its position says; zones and variables that it gives itself stay as they are.

    Findings: `scenario-position`.
    """
    line, notation = scenario.position, ruleset.notation
    if line is None:
        return scenario
    if notation is None or notation.position is None:
        message = f"{ruleset.name} has no notation of positions"
        diagnostics.error("scenario-position", message, line.span, "give `zones` and `variables`, or say `notation`")
        return scenario
    stated = {text.text.strip() for text, *_ in scenario.zones} | {text.text.strip() for text, _ in scenario.variables}
    try:
        given = [(of_zone, *each) for of_zone, each in PositionNotation(ruleset, notation).read(line.text)]
    except PositionError as error:
        diagnostics.error("scenario-position", str(error), line.span, error.hint)
        return scenario
    own = [(of_zone, Text(name, line.span), value) for of_zone, name, value in given if name not in stated]
    zones = [(name, ((1, piece),) if piece else (), line.span) for of_zone, name, piece in own if of_zone]
    fillings: list[Filling] = ["whole" for _ in zones]
    return replace(
        scenario,
        zones=(*zones, *scenario.zones),
        fillings=(*fillings, *scenario.fillings),
        carried=tuple(replace(each, zone=each.zone + len(zones)) for each in scenario.carried),
        variables=(
            *((name, Text(value, line.span)) for of_zone, name, value in own if not of_zone and value),
            *scenario.variables,
        ),
    )


def scenario_at(span: Span) -> tuple[str, int] | None:
    """Return name and line of the scenario that a span of a scenario file lies in; None outside of any."""
    tree = read_yaml(span.source, Diagnostics()) if span.source else None
    items = Fields(tree, Diagnostics()).items("scenarios")
    before = [item for item in items if item.span.line <= span.line]
    if not before:
        return None
    row = Fields(before[-1], Diagnostics())
    return (row.word("name"), row.span("name").line) if row.word("name") else None


def unsaved_scenarios(ruleset: WrittenRuleset, texts: AnyMapping[Path, str]) -> dict[str, str]:
    """Return those of some texts that stand in place of the ruleset's own scenario files, by file name as
    `scenarios_of` takes them.

    Args:
        texts: by the real paths of files.
    """
    folders = {Path(layer.folder) / "scenarios" for layer in ruleset.layers if layer.named}
    return {path.name: text or "\n" for path, text in texts.items() if path.parent in folders}


def scenarios_of(
    ruleset: WrittenRuleset, diagnostics: Diagnostics, instead: AnyMapping[str, str] | None = None
) -> tuple[Scenario, ...]:
    """Load the scenarios of the ruleset or variant and its overlays, but not of their bases.

    With overlays, scenarios for numbers of players that the ruleset no longer allows are left out. `instead`: see
    `load_scenarios`.
    """
    folders = [Path(layer.folder) for layer in ruleset.layers if layer.named]
    scenarios = [
        _with_position(ruleset, scenario, diagnostics)
        for folder in folders
        for scenario in load_scenarios(folder, diagnostics, instead)
    ]
    alone = len(folders) == 1
    return tuple(s for s in scenarios if alone or s.players is None or s.players in ruleset.players)


def _scenario(row: Fields) -> Scenario:
    """Build a scenario from its YAML row."""
    given = row.below("given")
    players = given.number("players", 0)
    return Scenario(
        name=row.word("name"),
        span=row.span("name"),
        cites=row.cites(),
        players=players or None,
        options={
            key: value for key in given.rows("options") if (value := given.below("options").scalar(key)) is not None
        },
        seed=given.number("seed", 0),
        case=row.node.span.line not in {entry.key.span.line for entry in row.node.entries.values()},
        spans={
            **{key: entry.key.span for key, entry in given.rows("options").items()},
            **({"players": given.span("players")} if given.has("players") else {}),
        },
        zones=tuple(
            (dsl_text(entry.key, row.diagnostics), _pieces(given.below("zones"), key), entry.value.span)
            for key, entry in given.rows("zones").items()
        ),
        fillings=tuple(_filling(entry.value) for entry in given.rows("zones").values()),
        carried=tuple(_carried(given.below("zones"))),
        variables=tuple(
            (dsl_text(entry.key, row.diagnostics), dsl_text(entry.value, row.diagnostics))
            for entry in given.rows("variables").values()
        ),
        position=given.text("position"),
        do=given.text("do"),
        when=tuple(_step(item, row.diagnostics) for item in row.items("when")),
        then=tuple(_expectation(item, row.diagnostics) for item in row.items("then")),
    )


def _filling(node: Node) -> Filling:
    """Return how a `given` zone is filled: at its top, as a whole, or with the rest of the pieces."""
    return "top" if isinstance(node, Mapping) else "whole" if isinstance(node, Sequence) else "rest"


def _listed(zones: Fields, key: str) -> tuple[Node, ...]:
    """Return the nodes for the pieces of a zone, which are listed directly or under `top`."""
    node = zones.node.get(key)
    if isinstance(node, Mapping):
        node = node.get("top")
    return node.items if isinstance(node, Sequence) else ()


def _pieces(zones: Fields, key: str) -> tuple[tuple[int, str], ...]:
    """Parse the pieces of a zone to (count, id) pairs, from texts such as `2 red1` or `red1`."""
    named = (item.get("piece") if isinstance(item, Mapping) else item for item in _listed(zones, key))
    words = (str(name.value).split() for name in named if isinstance(name, Scalar))
    return tuple((int(parts[0]) if len(parts) > 1 else 1, parts[-1]) for parts in words)


def _carried(zones: Fields) -> Iterator[Carried]:
    """Yield the piece variables given in zones, as in `{piece: red1, level: 2}`."""
    for zone, key in enumerate(zones.node.entries):
        for place, item in enumerate(_listed(zones, key)):
            for name, entry in item.entries.items() if isinstance(item, Mapping) else ():
                if name != "piece":
                    yield Carried(zone, place, name, entry.key.span, dsl_text(entry.value, zones.diagnostics))


def _step(item: Node, diagnostics: Diagnostics) -> MovePattern:
    """Build a step of `when`: an action id, or a mapping with `maybe`, `chance`, `choice`, or `id` and `seat`."""
    if not isinstance(item, Mapping):
        return MovePattern(str(item.value) if isinstance(item, Scalar) else "", item.span)
    row = Fields(item, diagnostics)
    if row.has("maybe"):
        return MovePattern(row.word("maybe"), row.span("maybe"), maybe=True)
    if row.has("chance"):
        return MovePattern(row.word("chance"), row.span("chance"), sort="chance")
    if row.has("choice"):
        return MovePattern(row.word("choice"), row.span("choice"), sort="choice")
    return MovePattern(row.word("id"), row.span("id"), row.number("seat", 0), sort="choice")


def _expectation(item: Node, diagnostics: Diagnostics) -> Expectation:
    """Build an expectation of `then`, from a condition or a mapping."""
    if not isinstance(item, Mapping):
        return Expectation("condition", dsl_text(item, diagnostics), item.span)
    row = Fields(item, diagnostics)
    if row.has("missing"):
        return Expectation("refused", row.word("refused"), row.span("refused"), missing=row.word("missing"))
    return next(_expectations(row), Expectation("over", False, NOWHERE))


def _expectations(row: Fields) -> Iterator[Expectation]:
    """Yield an expectation for each key of a mapping."""
    for key, entry in row.node.entries.items():
        kind, span = cast(ExpectationKind, key), entry.value.span
        if kind in NUMBERS:
            yield Expectation(kind, integers(entry.value), span)
        elif kind == "lines":
            lines = (SheetLine(name, integers(line.value), line.key.span) for name, line in row.rows(kind).items())
            yield Expectation(kind, True, span, tuple(lines))
        elif kind == "options" and isinstance(entry.value, Sequence):
            yield Expectation(kind, 0, span, patterns=row.placed_names(kind))
        elif key == "holds":
            yield Expectation("condition", dsl_text(entry.value, row.diagnostics), span)
        elif kind == "ends":
            ends = (tuple(_expectations(Fields(end, row.diagnostics))) for end in row.items(kind))
            yield Expectation(kind, True, span, ends=tuple(ends))
        else:
            truth = row.flag(kind) if kind in ("over", "ended") else row.word(kind)
            yield Expectation(kind, row.number(kind, 0) if kind == "options" else truth, span)
