"""Builds the `Ruleset` from the merged tree, and refuses what a schema cannot express.

Enters: a tree that fits `ruleset.schema.json` (faulty rows taken away). Leaves: the dataclasses of `model`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, cast

from rulelang.diagnostics import LANGUAGE_VERSION, NOWHERE, Diagnostics, Span, counted, enumerated, nearest, suggest
from rulelang.languages import DEFAULT
from rulelang.ruleset import model
from rulelang.ruleset.fields import Fields, integers
from rulelang.ruleset.grids import grid
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence, dsl_text
from rulelang.ruleset.senses import VALUES, key_meant, sense_of
from rulelang.vocabulary.views import CONDITION, VIEWS

VALUE_KEYS = ("provenance",)
TRUTHS = {"yes", "no", "on", "off", "true", "false"}
ROW_KEYS = ("id", "count", "per", "start", "rules", "words", "text", "cites", "provenance")
_OF_GOODS = re.compile(r"\b(?:bag|cost)\s+of\s+(\w+)")
FORMER_SIZES: dict[str, Literal["owner", "nobody"]] = {"owner": "owner", "others": "nobody"}
"""`visible` of a bag in version 1 -> who may count it, where version 2 says otherwise by itself."""
Groups = tuple[tuple[int, ...], ...]


_READERS: dict[str, Callable[[Fields, str], Any]] = {
    "int": lambda row, key: row.number(key, 0),
    "bool": Fields.flag,
    "Text | None": Fields.text,
    "tuple[str, ...]": Fields.names,
    "tuple[tuple[str, Span], ...]": Fields.placed_names,
    "tuple[Cite, ...]": lambda row, _: row.cites(),
    "dict[str, str]": Fields.words,
    "dict[str, Text]": lambda row, key: row.below(key).texts(),
    "dict[str, Word]": Fields.forms,
    "Places": lambda row, _: row.places(),
}
"""How the value of a key is read, by the annotation of the field of that name; else as a word."""


def _stated(kind: type[model.Written], row: Fields, without: Collection[str] = ()) -> dict[str, Any]:
    """Read the fields of a declaration class that a row has keys for, and the places of its words.

    Fields in `without` are left to the caller.
    """
    readers = _readers(kind)  # type: ignore[arg-type]
    return {key: read(row, key) for key, read, always in readers if (always or row.has(key)) and key not in without}


@cache
def _readers(kind: type[model.Written]) -> tuple[tuple[str, Callable[[Fields, str], Any], bool], ...]:
    """Return the fields of a declaration class, how each is read, and whether that is so without a key."""
    of = ((f.name, str(f.type)) for f in fields(kind))  # type: ignore[arg-type]
    return tuple((name, _READERS.get(type_, Fields.word), type_ == "Places") for name, type_ in of)


@dataclass(frozen=True)
class Provenance:
    """What a ruleset is besides its tree."""

    root: str
    hash: str
    rule_files: tuple[model.RuleFile, ...]
    layers: tuple[model.LayerDecl, ...] = ()
    removed: dict[str, Span] = field(default_factory=dict)
    beside: dict[Span, model.Beside] = field(default_factory=dict)
    former: Span = NOWHERE


def build(tree: Mapping, origin: Provenance, diagnostics: Diagnostics) -> model.WrittenRuleset:
    """Build the ruleset from its merged YAML tree; it is complete only if no errors were reported.

    Findings: `ruleset-players`, `ruleset-uncovered`, `ruleset-seat`, `ruleset-option`, `option-truth`,
    `ruleset-unknown-name`, `ruleset-attribute`, `ruleset-language`, `ruleset-cite`, `ruleset-map`,
    `yaml-several-lines`, `yaml-escape`.
    """
    return _Builder(tree, diagnostics, origin.layers).ruleset(origin)


def attribute_declarations(row: Fields) -> tuple[model.AttributeDecl, ...]:
    """Return the attributes declared under `attributes` of a row, for its values or pieces."""
    below = row.below("attributes")
    return tuple(model.AttributeDecl(name, text, below.key_span(name)) for name, text in below.texts().items())


def refuse_unknown(row: Fields, declared: Collection[str], also: Collection[str], owner: str) -> None:
    """Report the keys of a row that are neither declared attributes nor in `also` (`ruleset-attribute`)."""
    for key, entry in row.node.entries.items():
        if key not in declared and key not in also:
            known = [*declared, *also]
            free = [name for name in known if name not in row.node.entries or nearest(key, [name])]
            meant = sense_of(key, known) or key_meant(key, free)  # a row of a variant has the keys of its base
            hint = f"did you mean `{meant}`?" if meant else f"known here: {', '.join(known)}" if known else ""
            hint = "write `remove: true`" if key == "remove" else hint
            row.diagnostics.error("ruleset-attribute", f"`{owner}` declares no attribute `{key}`", entry.key.span, hint)


def goods_of(tree: Mapping, rules: Iterable[model.RuleFile]) -> frozenset[str]:
    """Return the types whose values are goods: those with classes, and those that a bag or a cost is of."""
    types = tree.get("types")
    entries = types.entries if isinstance(types, Mapping) else {}
    classed = [n for n, e in entries.items() if isinstance(e.value, Mapping) and e.value.get("classes") is not None]
    texts = [file.source.text for file in rules if file.text is None]
    named = _OF_GOODS.findall("\n".join((*texts, *_scalars(tree))))
    unlisted = [n for n, e in entries.items() if isinstance(e.value, Mapping) and e.value.get("between") is not None]
    return frozenset((*classed, *(name for name in named if name in entries))) - frozenset(unlisted)


def _scalars(node: Node) -> Iterator[str]:
    """Yield the texts in a tree."""
    if isinstance(node, Scalar):
        yield str(node.value)
    for below in node.items if isinstance(node, Sequence) else ():
        yield from _scalars(below)
    for entry in node.entries.values() if isinstance(node, Mapping) else ():
        yield from _scalars(entry.value)


def player_counts(node: Node | None, diagnostics: Diagnostics) -> tuple[int, ...]:
    """Return the numbers of players that a number, a range such as `2..4` or a list of numbers stands for."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, int):
        return (value,)
    if isinstance(value, str) and node is not None:
        low, high = (int(part) for part in re.findall(r"\d+", value))
        if low > high or high > 32:
            message = f"`{value}` is not a range of player counts" if low > high else "at most 32 can play"
            diagnostics.error("ruleset-players", message, node.span)
            return ()
        return tuple(range(low, high + 1))
    return tuple(sorted(integers(node))) if node is not None else ()


def _values_of(entry: Entry) -> Node | None:
    """Return the values of a type that has keys."""
    return entry.value.get("values") if isinstance(entry.value, Mapping) else None


class _Builder:
    """Builds the declarations of one ruleset, section by section."""

    def __init__(self, tree: Mapping, diagnostics: Diagnostics, layers: tuple[model.LayerDecl, ...]) -> None:
        self.diagnostics = diagnostics
        self.layers = layers
        self.header = Fields(tree, diagnostics)
        self.players = player_counts(self.header.node.get("players"), diagnostics)
        self.languages = self.header.names("languages") or (DEFAULT,)

    def ruleset(self, origin: Provenance) -> model.WrittenRuleset:
        """Build the ruleset of the YAML tree."""
        header = self.header
        name = header.word("name")
        title = header.words("title") or {self.languages[0]: header.word("title") or name}
        self.check_languages(header.rows("title"))
        self.check_languages(header.rows("words"))
        goods = goods_of(header.node, origin.rule_files)
        groups = self.meant_as_classes()
        types = [self.type(n, e) for n, e in header.rows("types").items() if n not in goods and n not in groups]
        grids = [self.grid(*each) for each in header.each("grids")]
        kinds = [self.kind(*each) for each in header.each("kinds")]
        return model.WrittenRuleset(
            name=name,
            title=title,
            players=self.players,
            languages=self.languages,
            sources=header.words("sources"),
            limits=model.GameBounds(**_stated(model.GameBounds, header.below("limits"))),
            teams=(
                {count: (tuple(range(count)),) for count in self.players}
                if header.word("teams") == "one"
                else self.all_teams(header.rows("teams"), header.key_span("teams"))
            ),
            automata=tuple(self.automaton(*each) for each in header.each("automata")),
            options=tuple(self.option(*each) for each in header.each("options")),
            types=(*types, *(part for grid in grids for part in grid.around)),
            resources=tuple(self.resource(n, e) for n, e in header.rows("types").items() if n in goods),
            grids=tuple(grids),
            kinds=tuple(kinds),
            pieces=tuple(p for kind, e in header.rows("pieces").items() for p in self.pieces(kind, e)),
            zones=tuple(
                model.ZoneDecl(n, at, **_stated(model.ZoneDecl, row) | self.sight(row))
                for n, at, row in header.each("zones")
            ),
            variables=tuple(self.variable(*each) for each in header.each("variables")),
            positions=tuple(
                model.PositionDecl(n, at, **_stated(model.PositionDecl, row)) for n, at, row in header.each("positions")
            ),
            marks=tuple(model.MarkDecl(n, at, **_stated(model.MarkDecl, row)) for n, at, row in header.each("marks")),
            words={language: header.below("words").forms(language) for language in header.rows("words")},
            span=header.key_span("name"),
            rulebook=tuple(p for source, e in header.rows("rulebook").items() for p in self.passages(source, e)),
            source_spans={source: entry.key.span for source, entry in header.rows("sources").items()},
            untold=dict(self.header.placed_names("untold")),
            about=tuple(self.about(*each) for each in header.each("about")),
            notation=self.notation(header.below("notation")) if header.has("notation") else None,
            **vars(origin),
            language_spans=dict(header.placed_names("languages")),
        )

    def row(self, entry: Entry) -> Fields:
        """Return the fields of an entry's value."""
        return Fields(entry.value, self.diagnostics)

    # ---- the header --------------------------------------------------------------------------

    def offered(self, count: object, node: Node) -> bool:
        """Return whether a row for `count` players is in force: False if a higher layer removed that number from
        `players`."""
        if not self.players or count in self.players:
            return True
        return model.layer_of(node.span, self.layers) >= model.layer_of(self.header.span("players"), self.layers)

    def wrong_count(self, count: object, span: Span) -> None:
        """Report a number of players that the ruleset is not for."""
        counts = ", ".join(str(number) for number in self.players)
        hint = f"by `players` it is for {counts}"
        self.diagnostics.error("ruleset-players", f"the ruleset is not for {counted(count, 'player')}", span, hint)

    def must_cover(self, what: str, counts: Collection[int], required: Collection[int], span: Span) -> None:
        """Report the numbers of players in `required` for which a table, called `what`, has no row."""
        missing = [count for count in required if count not in counts]
        if missing and counts and all(count in self.players for count in counts):
            hint = f"add a row for {'it' if len(missing) == 1 else 'each of them'}; `[]` is an empty one"
            message = f"{what} says nothing for {counted(enumerated(missing), 'player')}"
            self.diagnostics.error("ruleset-uncovered", message, span, hint)

    def groups(self, count: str, entry: Entry) -> Groups:
        """Read groups of seats for games of `count` players; report seats and numbers of players that do not exist."""
        if self.players and int(count) not in self.players:
            self.wrong_count(int(count), entry.key.span)
        groups = entry.value.items if isinstance(entry.value, Sequence) else ()
        for seat in (item for group in groups if isinstance(group, Sequence) for item in group.items):
            if isinstance(seat, Scalar) and isinstance(seat.value, int) and seat.value >= int(count):
                message = (
                    f"with {counted(count, 'player')} there is no seat {seat.value}: seats are 0 to {int(count) - 1}"
                )
                self.diagnostics.error("ruleset-seat", message, seat.span)
        return tuple(integers(group) for group in groups)

    def all_teams(self, rows: dict[str, Entry], span: Span) -> dict[int, Groups]:
        """Read the teams for each number of players; below the smallest number that has a row there are none."""
        offered = {count: entry for count, entry in rows.items() if self.offered(int(count), entry.key)}
        teams = {int(count): self.teams(count, entry) for count, entry in offered.items()}
        fewest = min(teams, default=0)
        self.must_cover("`teams`", teams, [count for count in self.players if count > fewest], span)
        return teams

    def teams(self, count: str, entry: Entry) -> Groups:
        """Read the teams for games of `count` players; report seats that are in two of them."""
        teams = self.groups(count, entry)
        seats = [seat for group in teams for seat in group]
        for seat in sorted({seat for seat in seats if seats.count(seat) > 1}):
            self.diagnostics.error("ruleset-seat", f"seat {seat} is in two teams", entry.key.span)
        return teams

    def automaton(self, name: str, span: Span, row: Fields) -> model.AutomatonDecl:
        """Build an automaton and the numbers of players with which it takes part."""
        for item in row.items("players"):
            if self.players and isinstance(item, Scalar) and item.value not in self.players:
                if self.offered(item.value, item):
                    self.wrong_count(item.value, item.span)
        counts = integers(row.node.get("players") or row.node)
        games = tuple(sorted(count for count in counts if not self.players or count in self.players))
        return model.AutomatonDecl(name, span, games, row.cites())

    def check_languages(self, texts: dict[str, Entry]) -> None:
        """Warn of texts in languages that the ruleset does not declare."""
        # Where the file with the header could not be read, nothing says which languages there are.
        for language, entry in texts.items() if self.header.has("name") else ():
            if language not in self.languages:
                message = f"`{language}` is not one of the ruleset's `languages`"
                self.diagnostics.warning("ruleset-language", message, entry.key.span, "add it there, or mend it here")

    def notation(self, row: Fields) -> model.NotationDecl:
        """Return how positions and games are written down."""
        signs = row.below("signs")
        game = row.below("game")
        return model.NotationDecl(
            row.text("position"),
            {name: signs.word(name) or signs.words(name) for name in row.rows("signs")},
            model.GameNotation(
                cast(Literal["pgn", "sgf"], game.word("format")),
                game.names("seats"),
                {tag: str(game.below("tags").scalar(tag)) for tag in game.rows("tags")},
                game.words("moves"),
                row.span("game"),
            )
            if row.has("game")
            else None,
        )

    def about(self, topic: str, span: Span, row: Fields) -> model.About:
        """Build what is told of one topic."""
        text = row.words("text") or {self.languages[0]: row.word("text")}
        self.check_languages(row.rows("text"))
        return model.About(topic, text, row.cites(), span)

    def passages(self, source: str, entry: Entry) -> list[model.Passage]:
        """Build the passages of one source from the index of the rulebook."""
        passages: list[model.Passage] = []
        for item in entry.value.items if isinstance(entry.value, Sequence) else ():
            row = Fields(item, self.diagnostics)
            first, _, last = str(row.scalar("lines")).partition("-")
            title = row.words("title") or {self.languages[0]: row.word("title")}
            self.check_languages(row.rows("title"))
            kind = cast('Literal["rule", "example", "flavour"]', row.word("is"))
            passages.append(model.Passage(source, int(first), int(last or first), title, kind, row.span("lines")))
        return passages

    # ---- what there is -----------------------------------------------------------------------

    def option(self, name: str, span: Span, row: Fields) -> model.GameOption:
        """Build an option with truth values, numbers or words, and check that its default is one of its values."""
        values: tuple[int | bool | str, ...]
        kind: Literal["number", "bool", "word"]
        if row.has("type"):
            values, kind = (False, True), "bool"
        else:
            scalars = (item.value for item in row.items("values") if isinstance(item, Scalar))
            values = tuple(value for value in scalars if value is not None)
            kind = "number" if values and isinstance(values[0], int) else "word"
            if TRUTHS.issuperset(str(value).lower() for value in values):
                message = f"the values of `{name}` are words, and no truth values"
                truth = str(row.scalar("default")).lower() in ("yes", "on", "true")
                hint = f"write `{name}: {{type: bool, default: {str(truth).lower()}}}`; in rules it is then a condition"
                self.diagnostics.warning("option-truth", message, row.span("values"), hint)
            if len({isinstance(value, int) for value in values}) > 1:
                message = f"the values of `{name}` are partly numbers and partly words"
                self.diagnostics.error("ruleset-option", message, row.key_span("values"))
        default = row.scalar("default")
        # In Python 1 equals true; here they are different values.
        if not any(default == value and isinstance(default, bool) == isinstance(value, bool) for value in values):
            listed = ", ".join(map(model.plain_text, values))
            shown = model.plain_text(default)
            hint = suggest(shown, [str(value) for value in values]) or f"the values are {listed}"
            if isinstance(default, str) and default in map(str, values):
                hint = f"take the quotes away: `{default}` is a number here, and in quotes it is a word"
            self.diagnostics.error("ruleset-option", f"`{shown}` is not a value of `{name}`", row.span("default"), hint)
        self.check_languages(row.rows("words"))
        option = model.GameOption(
            name,
            kind,
            values,
            False if default is None else default,
            span,
            row.cites(),
            row.forms("words"),
            {value: player_counts(own.value, self.diagnostics) for value, own in row.rows("players").items()},
        )
        for value, count_entry in row.rows("players").items():
            if value not in map(str, values):
                hint = suggest(value, [str(v) for v in values])
                message = f"`{value}` is not a value of `{name}`"
                self.diagnostics.error("ruleset-option", message, count_entry.key.span, hint)
            for count in option.players[value]:
                if self.players and count not in self.players and self.offered(count, count_entry.value):
                    self.wrong_count(count, count_entry.value.span)
        for count in self.players:
            if option.players and not any(option.suits(value, count) for value in values):
                message = f"no value of `{name}` is for {counted(count, 'player')}"
                self.diagnostics.error("ruleset-option", message, row.key_span("players"))
        return option

    def values(
        self, node: Node | None, attributes: tuple[model.AttributeDecl, ...], owner: str
    ) -> tuple[model.ValueDecl, ...]:
        """Build values from a list of names, or from a mapping of names to attributes."""
        if isinstance(node, Sequence):
            return tuple(model.ValueDecl(str(item.value), item.span) for item in node.items if isinstance(item, Scalar))
        declarations: list[model.ValueDecl] = []
        for name, entry in node.entries.items() if isinstance(node, Mapping) else ():
            row = self.row(entry)
            refuse_unknown(row, [a.name for a in attributes], VALUE_KEYS, owner)
            declarations.append(
                model.ValueDecl(name, entry.key.span, row.texts(VALUE_KEYS), row.word("provenance", "stated"))
            )
        return tuple(declarations)

    def meant_as_classes(self) -> set[str]:
        """Report types all of whose values are those of another one, which they were probably to be classes of."""
        types = self.header.rows("types")
        listed = {
            name: [str(v.value) for v in row.items if isinstance(v, Scalar)]
            for name, entry in types.items()
            if isinstance(row := entry.value if isinstance(entry.value, Sequence) else _values_of(entry), Sequence)
        }
        groups = set[str]()
        for name, values in listed.items():
            whole = next((n for n, of in listed.items() if n != name and {*values} < {*of}), "")
            if whole and isinstance(types[name].value, Sequence):
                groups.add(name)
                message = f"the values of `{name}` are values of {whole}, too, and a value has one type"
                classes = (
                    f"{{values: [{', '.join(listed[whole])}], classes: {{{name.lower()}: [{', '.join(values)}]}}}}"
                )
                hint = f"a group of them is a class: write `{whole}: {classes}`"
                self.diagnostics.error("name-duplicate", message, types[name].key.span, hint)
        return groups

    def type(self, name: str, entry: Entry) -> model.TypeDecl:
        """Build a type: its values and attributes, and the seats or values that it lies between."""
        if isinstance(entry.value, Sequence):
            return model.TypeDecl(name, entry.key.span, self.values(entry.value, (), name))
        row = self.row(entry)
        attributes = attribute_declarations(row)
        between: Literal["neighbours"] | dict[int, Groups] | None = None
        if row.has("between"):
            rows = row.rows("between")
            counts = {int(n): below for n, below in rows.items() if self.offered(int(n), below.key)}
            between = {n: self.groups(str(n), below) for n, below in counts.items()} if rows else "neighbours"
            self.must_cover("`between`", list(counts), self.players, row.key_span("between"))
        ordered = row.has("ordered")
        values = self.values(row.node.get("ordered" if ordered else "values"), attributes, name)
        return model.TypeDecl(name, entry.key.span, values, attributes, between, row.cites(), ordered)

    def resource(self, name: str, entry: Entry) -> model.ResourceDecl:
        """Build a type of goods: its values, their attributes, and its classes of values."""
        row = self.row(entry)
        attributes, ordered = attribute_declarations(row), row.has("ordered")
        listed = entry.value if isinstance(entry.value, Sequence) else row.node.get("ordered" if ordered else "values")
        values = self.values(listed, attributes, name)
        known = [value.name for value in values]
        classes = row.below("classes")
        for group in classes.node.entries:
            for member, place in classes.placed_names(group):
                if member not in known:
                    hint = suggest(member, known) or f"its values are {', '.join(known)}"
                    self.diagnostics.error("ruleset-unknown-name", f"`{name}` has no value `{member}`", place, hint)
        groups = {group: classes.names(group) for group in classes.node.entries}
        return model.ResourceDecl(name, entry.key.span, values, attributes, groups, row.cites(), ordered)

    def grid(self, name: str, span: Span, row: Fields) -> model.GridDecl:
        """Build a grid from its maps, or from its numbers of columns and rows."""
        for option, entry in row.below("map").node.entries.items():
            declared = self.header.below("options").below(option)
            values = (
                ["true", "false"]
                if declared.has("type")
                else [str(v.value) for v in declared.items("values") if isinstance(v, Scalar)]
            )
            if {*row.below("map").rows(option)} != {*values}:
                message = f"the maps are not for the values of an option `{option}`"
                hint = (
                    f"its values are {', '.join(values)}"
                    if values
                    else "name an option, and below it a map for each of its values"
                )
                self.diagnostics.error("ruleset-map", message, entry.key.span, hint)
        attributes = {}
        for key in ("", "edges", "corners"):
            declared = row.below(key) if key else row
            attributes[key] = attribute_declarations(declared)
            owner = declared.word("name") if key else name
            rows = (*declared.rows("legend").values(), *declared.rows("at").values())
            for given in [declared.below("defaults"), *map(self.row, rows)]:
                refuse_unknown(given, [a.name for a in attributes[key]], (), owner)
        return grid(name, span, row, attributes)

    def kind(self, name: str, span: Span, row: Fields) -> model.KindDecl:
        """Build a kind of pieces: its attributes, variables and marks."""
        attributes = attribute_declarations(row)
        known = [attribute.name for attribute in attributes]
        for shown, place in row.placed_names("shown"):
            if shown not in known:
                hint = suggest(shown, known) or f"its attributes are {', '.join(known)}"
                self.diagnostics.error("ruleset-unknown-name", f"`{name}` has no attribute `{shown}`", place, hint)
        variables = tuple(self.variable(*each) for each in row.each("variables"))
        marks = tuple(model.MarkDecl(mark, span) for mark, span in row.placed_names("marks"))
        stated = _stated(model.KindDecl, row, ("attributes", "variables", "marks"))
        return model.KindDecl(name, span, attributes, variables, marks, **stated)

    def pieces(self, kind: str, entry: Entry) -> list[model.PieceDecl]:
        """Build all rows of pieces of a kind, with the defaults of the kind filled in."""
        declared = self.header.below("kinds")
        attributes = declared.below(kind).rows("attributes")
        count = declared.below(kind).text("count")
        defaults = declared.below(kind).rows("defaults")
        refuse_unknown(declared.below(kind).below("defaults"), attributes, VALUE_KEYS, kind)
        pieces: list[model.PieceDecl] = []
        for item in entry.value.items if isinstance(entry.value, Sequence) else ():
            row = Fields(item, self.diagnostics)
            if declared.has(kind):
                refuse_unknown(row, attributes, ROW_KEYS, kind)
            left_out = frozenset(defaults.keys() - row.node.entries.keys())
            row = Fields(Mapping(item.span, {**defaults, **row.node.entries}), self.diagnostics)
            self.check_languages(row.rows("words"))
            self.check_languages(row.rows("text"))
            texts = row.texts(without=ROW_KEYS)
            pieces.append(
                model.PieceDecl(
                    kind,
                    row.word("id"),
                    row.span("id"),
                    row.text("count") or count or model.Text("1", row.span("id")),
                    attributes={name: texts[name] for name in (*attributes, *texts) if name in texts},
                    per_player=row.has("per"),
                    kind_span=entry.key.span,
                    left_out=left_out,
                    **_stated(model.PieceDecl, row, ("id", "count", "left_out", *texts)),
                )
            )
        return pieces

    def variable(self, name: str, span: Span, row: Fields) -> model.VariableDecl:
        """Build a variable of the game, of players or of a kind of pieces. In version 1 what not all saw of a bag they
        could not count either."""
        type_ = dsl_text(row.node.get("type") or row.node, self.diagnostics)
        former = span.source is not None and span.source.version < LANGUAGE_VERSION
        size = FORMER_SIZES.get(row.word("visible")) if former and type_.text.startswith("bag ") else None
        return model.VariableDecl(
            name,
            span,
            type_,
            places={**row.places(), **{("capacity", key): e.key.span for key, e in row.rows("capacity").items()}},
            **{"size": size or "", **_stated(model.VariableDecl, row, ("type", "places")), **self.sight(row)},
        )

    def sight(self, row: Fields) -> dict[str, Any]:
        """Return the condition under which a zone or variable is seen, where a row has one instead of a word."""
        said = row.node.get("visible")
        if said is None or row.word("visible") in VIEWS:
            return {}
        text = str(said.value) if isinstance(said, Scalar) else ""
        if re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+)+", text) and not re.search(r"\b(?:and|or|not|in|is|has)\b", text):
            words = text.split()
            meant = next(filter(None, (sense_of(word, VIEWS, VALUES) or nearest(word, VIEWS) for word in words)), "")
            views = enumerated((f"`{view}`" for view in VIEWS if view != CONDITION), "or")
            message = f"`visible` must be {views}, not `{text}`"
            hint = f"did you mean `{meant}`?" if meant else ""
            self.diagnostics.error("schema-value", message, said.span, hint)
            return {"visible": meant or "all"}
        return {"visible": CONDITION, "sight": dsl_text(said, self.diagnostics)}
