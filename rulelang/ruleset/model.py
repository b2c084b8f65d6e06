"""What the YAML of a ruleset said, typed and with its places; DSL texts are still text.

Enters: YAML that passed the JSON Schema. Leaves: one `Ruleset` of frozen dataclasses, overlays applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, dataclass_transform

from rulelang.diagnostics import LANGUAGE_VERSION, NOWHERE, Source, Span, suggest
from rulelang.geometry import Points
from rulelang.limits import FUEL
from rulelang.records import make_record
from rulelang.vocabulary.orders import ORDERS, Order

LISTED = 8
"""So many names are listed of those that there are."""
Places = dict[tuple[str, str], Span]
"""Where the words of a row stand, by key and word: a finding about one of them marks it, not the row."""


def plain_text(value: object) -> str:
    """Return a scalar value as YAML text: `true`, `3`, `blue`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass_transform(frozen_default=True)
class Written:
    """A part of what the files of a ruleset say: a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        make_record(cls)


class Text(Written):
    """A piece of DSL text and where its first character stands. `indent` is the YAML block's indentation, in columns,
    that was stripped from every line after the first (and before the first: `span.column` says where that starts)."""

    text: str
    span: Span
    indent: int = 0


class ByOption(Text):
    """What differs with the value of an option: the DSL text for each value, or the place that has none. `text` is how
    that reads; nobody wrote the conditions."""

    option: str = ""
    texts: dict[str, Text | Span] = field(default_factory=dict)


class Named(Written):
    """What has a name, which stands at a place."""

    name: str
    span: Span


class RuleFile(Written):
    """A `.rule` file, whole, or the `text` under `rules:` of a YAML file.

    `layer` is 0 for the base, higher for what is laid over it: of two declarations of one name the one in the higher
    layer stands.
    """

    source: Source
    layer: int = 0
    text: Text | None = None


def layer_of(span: Span, layers: Sequence[LayerDecl]) -> int:
    """Return the index of the layer whose folder contains a span; the innermost one, as variants lie within bases."""
    inside = [n for n, layer in enumerate(layers) if span.path.startswith(f"{layer.shown}/")]
    return max(inside, key=lambda n: len(layers[n].shown), default=0)


class LayerDecl(Written):
    """A folder that was read: the base, a variant of it, or an overlay.

    Attributes:
        folder: the real folder. shown: as messages name it.
        on: the numbers of the layers below that it builds on; those that build on neither are independent.
        named: whether whoever loads the ruleset named this folder, so that its scenarios are meant too.
    """

    folder: str
    shown: str
    on: frozenset[int] = frozenset()
    named: bool = True


class Cite(Written):
    """Lines of a source, both ends included."""

    source: str
    first: int
    last: int
    span: Span = NOWHERE


class Passage(Written):
    """Lines of a source, both ends included, with a title per language and what they are.

    Of a rule something in the ruleset must follow, an example is played by a scenario, flavour binds nobody.
    """

    source: str
    first: int
    last: int
    title: dict[str, str]
    kind: Literal["rule", "example", "flavour"]
    span: Span = NOWHERE


class About(Written):
    """What people are told of a game before they play: `topic` is `goal`, `turn` and so on; a text per language."""

    topic: str
    text: dict[str, str]
    cites: tuple[Cite, ...]
    span: Span


class Word(Written):
    """What a name is called in a language: forms of a noun; `option`: a sentence with fields for what is chosen.

    `feminine` marks an adjective. `gender`: `m`, `f`, empty; `article`: an override (`an`, `le`, `l'`, `none`). `row`,
    of a kind: a text with fields for those of its rows that have no words of their own. `short`: the noun where there
    is little room. `refused`, of a function: what is said when its condition does not hold. `notation`, of an option,
    a kind or a value: how players of the game write it down.
    """

    one: str = ""
    many: str = ""
    gender: str = ""
    article: str = ""
    feminine: str = ""
    option: str = ""
    row: str = ""
    short: str = ""
    refused: str = ""
    notation: str = ""
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def prompt(self) -> str:
        """The sentence that prompts of the rule begin with; empty if it begins with a field, as on cards."""
        return "" if self.one or self.many or self.option.startswith("{") else self.option


class GameOption(Written):
    """A table's choice: `values` are ints, bools or words; `players`: value -> numbers of players, where not all."""

    name: str
    kind: Literal["number", "bool", "word"]
    values: tuple[int | bool | str, ...]
    default: int | bool | str
    span: Span
    cites: tuple[Cite, ...] = ()
    words: dict[str, Word] = field(default_factory=dict)
    players: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def suits(self, value: int | bool | str, players: int) -> bool:
        """Return whether the option can have a value in games with so many players."""
        return players in self.players.get(str(value), (players,))

    def default_for(self, players: int) -> int | bool | str:
        """Return the default value for so many players: the declared one, or else the first that suits."""
        return next((v for v in (self.default, *self.values) if self.suits(v, players)), self.default)


class AttributeDecl(Written):
    """A named attribute; `type` is DSL text of a type. Values of one of the `board` stand nowhere: they are what
    touches a cell, an edge or a corner."""

    name: str
    type: Text
    span: Span
    board: bool = False


class ValueDecl(Named):
    """A value of an enumerated type or resource, with the texts of its attributes and where they come from; `when`: the
    values of an option for which it is there, where that is not all; `points`: where an edge or corner lies."""

    attributes: dict[str, Text] = field(default_factory=dict)
    provenance: str = "stated"
    when: ByOption | None = None
    points: Points = frozenset()


class TypeDecl(Named):
    """An enumerated type, whose values may be `ordered`, the least first. `between` makes its values groups of seats:
    `neighbours`, or lists by player count."""

    values: tuple[ValueDecl, ...] = ()
    attributes: tuple[AttributeDecl, ...] = ()
    between: Literal["neighbours"] | dict[int, tuple[tuple[int, ...], ...]] | None = None
    cites: tuple[Cite, ...] = ()
    ordered: bool = False


class ResourceDecl(Named):
    """A type whose values bags count; `classes` are named groups of them, `ordered` as of a `TypeDecl`."""

    values: tuple[ValueDecl, ...]
    attributes: tuple[AttributeDecl, ...] = ()
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cites: tuple[Cite, ...] = ()
    ordered: bool = False


class MapDrawing(Written):
    """A map: how it draws cells and edges, by their names, and where; `value` is that of the option it is for. `sides`:
    edges by where they lie."""

    value: str
    signs: dict[str, tuple[str, Span]]
    sides: dict[Points, tuple[str, Span]] = field(default_factory=dict)


Legend = dict[str, dict[str, Text]]
"""Sign -> the attributes of what it stands for."""


class GridDecl(Named):
    """`cells`, row by row from the first one, have `places` (column and row, from 0); none yet where the size is worked
    out. `upward`: the first row is the lowest. `option` is the one that the `drawings` are for; without a map there is
    none. `edges` is the type of the edges between neighbouring cells, with a `border` of all edges of a cell, `corners`
    that of corners; until there are cells their values are the defaults alone. `at`: (type, edge or corner) -> the
    attributes that it has of its own. `opposite`: every second seat sees it turned by half. `letters`: those of the
    columns, in order."""

    adjacency: str
    attributes: tuple[AttributeDecl, ...]
    columns: Text
    rows: Text
    cites: tuple[Cite, ...] = ()
    cells: tuple[ValueDecl, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    option: str = ""
    drawings: tuple[MapDrawing, ...] = ()
    legend: Legend = field(default_factory=dict)
    defaults: dict[str, Text] = field(default_factory=dict)
    edges: TypeDecl | None = None
    corners: TypeDecl | None = None
    border: bool = False
    edge_legend: Legend = field(default_factory=dict)
    at: dict[tuple[str, str], ValueDecl] = field(default_factory=dict)
    upward: bool = False
    opposite: bool = False
    letters: str = "abcdefghijklmnopqrstuvwxyz"

    @property
    def around(self) -> tuple[TypeDecl, ...]:
        """Return the types of its edges and of its corners, as far as it declares them."""
        return tuple(type_ for type_ in (self.edges, self.corners) if type_ is not None)


def seen_by(declared: VariableDecl | ZoneDecl) -> str:
    """Return who sees a zone or variable as it is declared: a word, or a condition in quotes."""
    return declared.visible if declared.sight is None else f'"{declared.sight.text}"'


def counted_by(declared: VariableDecl | ZoneDecl) -> str:
    """Return who sees a zone or variable as it is declared, and who may count it, where that is said."""
    return f"{seen_by(declared)}, size: {declared.size}" if declared.size else seen_by(declared)


class VariableDecl(Named):
    """A variable of the game, of a player, of a value or cell, or of a piece (it stands in a kind, `per` is empty).
    `size`: who may count what a bag holds; empty for what `visible` says."""

    type: Text
    per: tuple[str, ...] = ()
    start: Text | None = None
    visible: Literal["all", "owner", "others", "team", "nobody", "condition"] = "all"
    sight: Text | None = None  # the condition under which it is seen
    size: Literal["", "all", "owner", "nobody"] = ""
    capacity: dict[str, Text] = field(default_factory=dict)  # "each", "total" or a resource's name
    beyond: Literal["", "error", "lost", "choose"] = ""
    cites: tuple[Cite, ...] = ()
    provenance: str = "stated"
    places: Places = field(default_factory=dict)


class MarkDecl(Named):
    """A truth value that ends by itself."""

    per: tuple[str, ...] = ()
    cites: tuple[Cite, ...] = ()
    places: Places = field(default_factory=dict)


class PositionDecl(Named):
    """What of a game can be compared with how it was: the zones, variables and functions named by `of`. Of `last` so
    many are remembered, else up to `most` different ones, each counted up to `times`; 0 where these are left out."""

    of: tuple[str, ...]
    last: int = 0
    times: int = 0
    most: int = 0
    cites: tuple[Cite, ...] = ()
    places: Places = field(default_factory=dict)


Signs = str | Mapping[str, str]
"""What stands for values in a notation: a sign for each seat, or for each value."""


class GameNotation(Written):
    """How a whole game is written down.

    Attributes:
        seats: what the format calls them. tags: further entries of its head, in which options are fields. moves: by
            option what stands for it, with its arguments as fields; for those left out their `notation`.
    """

    format: Literal["pgn", "sgf"]
    seats: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    span: Span = field(default=NOWHERE, compare=False)


class NotationDecl(Written):
    """How players write down positions, with signs by field, and games."""

    position: Text | None = None
    signs: dict[str, Signs] = field(default_factory=dict)
    game: GameNotation | None = None


class KindDecl(Named):
    """A kind of pieces: what each states, stores and carries, and where its rule text is in force.

    `count` and `start` are for rows that give none; like those of rows, they may name the row's attributes. `shown`
    are the attributes that the table shows beside a piece's name.
    """

    attributes: tuple[AttributeDecl, ...] = ()
    variables: tuple[VariableDecl, ...] = ()
    marks: tuple[MarkDecl, ...] = ()
    active: tuple[tuple[str, Span], ...] = ()
    shown: tuple[tuple[str, Span], ...] = ()
    count: Text | None = None
    start: Text | None = None
    identity: bool = False
    cites: tuple[Cite, ...] = ()


class PieceDecl(Written):
    """A row of `pieces`: `count` copies (per seat with `per_player`) with attributes and rule text.

    `text`: by language, the author's own text for the piece. `left_out`: the attributes that have the kind's default.
    """

    kind: str
    id: str
    span: Span
    count: Text
    attributes: dict[str, Text] = field(default_factory=dict)
    per_player: bool = False
    start: Text | None = None
    rules: Text | None = None
    cites: tuple[Cite, ...] = ()
    provenance: str = "stated"
    words: dict[str, Word] = field(default_factory=dict)
    text: dict[str, str] = field(default_factory=dict)
    kind_span: Span = field(default=NOWHERE, compare=False)
    left_out: frozenset[str] = field(default=frozenset(), compare=False)


class ZoneDecl(Named):
    """A place for pieces, or one for each value of `per`. `final`: what comes here has left the game; `beside`: the
    variable, or its attribute, that says along which side of the board its places are drawn; `carried_by`: the id of
    the piece of its player that carries what lies here; `shown`: functions that tell of a piece here."""

    holds: str
    per: tuple[str, ...] = ()
    order: str = "bag"
    visible: Literal["all", "owner", "others", "team", "top", "count", "nobody", "condition"] = "all"
    sight: Text | None = None  # the condition under which its pieces are seen
    size: Literal["", "all", "owner", "nobody"] = ""
    capacity: Text | None = None
    refill: str | None = None
    shown: tuple[str, ...] = ()
    final: bool = False
    beside: str = ""
    carried_by: str = ""
    cites: tuple[Cite, ...] = ()
    places: Places = field(default_factory=dict)

    @property
    def laid(self) -> Order:
        """How pieces lie here."""
        return ORDERS[self.order]


class AutomatonDecl(Named):
    """A party without a seat, in games of these numbers of players."""

    players: tuple[int, ...]
    cites: tuple[Cite, ...] = ()


class GameBounds(Written):
    """Bounds on a game (`decisions`, with its `outcome`) and on rules (`fuel`, `depth`)."""

    decisions: int = 10_000
    outcome: Literal["drawn", "scores"] = "drawn"
    fuel: int = FUEL
    depth: int = 64


@dataclass(frozen=True, slots=True)
class Beside:
    """A thing that is new in an overlay, and what those of its sort are called below."""

    name: str
    below: tuple[str, ...]

    def hint(self) -> str:
        """Return a hint that asks whether a similar existing name was meant; empty if there is none."""
        meant = suggest(self.name, self.below)
        return f"{meant} `{self.name}` is not there below, so this makes a new one" if meant else ""

    def listed(self) -> str:
        """Return a hint that lists what others of its sort are called; empty if there are none."""
        known = ", ".join(f"`{name}`" for name in self.below[:LISTED])
        more = " …" if len(self.below) > LISTED else ""
        return f"it is new here, and none of {known}{more}: give it, or let its type end in `?`" if known else ""


class WrittenRuleset(Written):
    """A whole ruleset as written. `hash` covers every file that was read; `layers` are its folders, the base first;
    `removed` says of names that an overlay took away where it did, `beside` of what is new in an overlay what others of
    its sort are called below.
    """

    name: str
    title: dict[str, str]
    root: str
    hash: str
    players: tuple[int, ...]
    languages: tuple[str, ...]
    sources: dict[str, str]
    limits: GameBounds
    teams: dict[int, tuple[tuple[int, ...], ...]]
    automata: tuple[AutomatonDecl, ...]
    options: tuple[GameOption, ...]
    types: tuple[TypeDecl, ...]
    resources: tuple[ResourceDecl, ...]
    grids: tuple[GridDecl, ...]
    kinds: tuple[KindDecl, ...]
    pieces: tuple[PieceDecl, ...]
    zones: tuple[ZoneDecl, ...]
    variables: tuple[VariableDecl, ...]
    marks: tuple[MarkDecl, ...]
    positions: tuple[PositionDecl, ...]
    rule_files: tuple[RuleFile, ...]
    words: dict[str, dict[str, Word]]  # language -> name -> words
    span: Span = NOWHERE
    layers: tuple[LayerDecl, ...] = ()
    removed: dict[str, Span] = field(default_factory=dict)
    language_spans: dict[str, Span] = field(default_factory=dict)
    rulebook: tuple[Passage, ...] = ()  # by source, each in the order of its lines
    source_spans: dict[str, Span] = field(default_factory=dict)
    beside: dict[Span, Beside] = field(default_factory=dict)
    about: tuple[About, ...] = ()
    notation: NotationDecl | None = None
    former: Span = NOWHERE  # of what an older version of the language says first
    untold: dict[str, Span] = field(default_factory=dict)  # `variable`, `mark`, `Kind.variable`, `Kind.mark`, `rule`

    def passages(self, source: str, first: int, last: int) -> tuple[Passage, ...]:
        """Return the passages of the rulebook that overlap the given lines of a source; memoised."""
        known = self._passages.get((source, first, last))
        if known is None:
            found = tuple(p for p in self.rulebook if p.source == source and p.first <= last and first <= p.last)
            known = self._passages[source, first, last] = found
        return known

    @cached_property
    def _passages(self) -> dict[tuple[str, int, int], tuple[Passage, ...]]:
        return {}

    @property
    def version(self) -> int:
        """The version of the language: the oldest that a file says."""
        return self.former.source.version if self.former.source is not None else LANGUAGE_VERSION

    def layer_of(self, span: Span) -> int:
        """Return the index of the layer whose folder contains a span."""
        return layer_of(span, self.layers)

    def independent(self, layer: int, other: int) -> bool:
        """Return whether neither of two layers builds on the other."""
        return layer != other and layer not in self.layers[other].on and other not in self.layers[layer].on
