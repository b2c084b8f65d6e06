"""What lies on a board and around it, decided once for whoever draws it.

Enters: a ruleset, names, the visible share of an owner, what lies along the sides. Leaves: `Board`: cells, edges and
places along the sides as `Spot`s with tokens, signs and words, each with the targets that a choice may pick there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from rulelang.game import Ruleset
from rulelang.geometry import ADJACENCIES, DIRECTIONS, Place
from rulelang.ruleset.model import Legend, Text, TypeDecl, WrittenRuleset
from rulelang.runtime.grids import Grid
from rulelang.table.facts import NOTHING
from rulelang.table.names import Names
from rulelang.table.view import TABLE, Contents, Observed, Piece, Share, Value, is_empty

SHORT = 3
"""An author's own short word of so many letters is a sign."""
HIDDEN = "?"
_OPPOSITE = dict(zip(DIRECTIONS, DIRECTIONS[4:] + DIRECTIONS[:4], strict=True))

Target = tuple[str, str, str]
"""What a part of a choice may name: its sort (`piece`, `zone`, `cell`, `seat`, `goods`, `value`), its name, the zone
of a piece."""


@dataclass(frozen=True)
class BoardPieces:
    """Equal pieces that lie together.

    Attributes:
        piece: None if face down. laden: whether it carries others. facing: the directions among its values. text: its
            name, without these.
    """

    piece: Piece | None
    count: int
    sign: str = HIDDEN
    laden: bool = False
    facing: tuple[str, ...] = ()
    text: str = ""

    @property
    def owner(self) -> str:
        """Return the party that owns the pieces; empty if none does, or if they are face down."""
        return self.piece.owner if self.piece is not None else ""


@dataclass(frozen=True)
class Spot:
    """A cell, an edge, a corner, or a place along a side.

    Attributes:
        name: of the cell, edge or corner; of a place along a side its zone. sign: of the author's map, of a blank cell,
            or of attributes that an edge or corner has of its own. points: where an edge or corner lies.
        things: name -> what lies there. targets: what may be picked there, in groups of which the first that offers
            anything is meant. index: type -> value, of a place along a side. closed: name of a truth value that holds
            at such a place.
    """

    name: str
    sign: str
    things: Mapping[str, Observed]
    tokens: tuple[BoardPieces, ...]
    targets: tuple[tuple[Target, ...], ...]
    index: Mapping[str, str] = field(default_factory=dict)
    closed: str = ""
    points: tuple[Place, ...] = ()


@dataclass
class Strip:
    """The places along one side, of one owner, outwards, then along the side."""

    owner: str
    rows: list[list[Spot]] = field(default_factory=list)


@dataclass(frozen=True)
class Surroundings:
    """What is drawn with a board besides its zones.

    Attributes:
        strips: direction -> owner, and contents outwards, then along the side. closed: direction -> index along the
            side -> name of a truth value that holds there. laden: (row, owner) of pieces that carry others.
    """

    strips: Mapping[str, tuple[str, list[list[Contents]]]]
    closed: Mapping[str, Mapping[int, str]]
    laden: Set[tuple[str, str]]


ALONE = Surroundings({}, {}, frozenset())


class Board:
    """The layout of one grid.

    Attributes:
        turned: whether the reader sees it turned by half; strips and what faces somewhere are then turned already.
        cells, edges, corners: all of them. strips: direction -> places. values: the variables that
            differ between cells. signs: row of pieces or name of a truth value -> sign. meanings: sign of the map ->
            words.
    """

    def __init__(self, ruleset: Ruleset, names: Names, name: str, share: Share, around: Surroundings = ALONE) -> None:
        self.names, self.name, self.laden = names, name, around.laden
        self.written = ruleset.written
        self.decl = next(row for row in self.written.grids if row.name == name)
        self.turned = self.decl.opposite and names.reader is not None and names.reader % 2 == 1
        self.grid, self.rows = names.grid(name), share.boards.get(name, {})
        drawn = {at: sign for at, (sign, _) in names.drawing(self.decl).items()}
        on = {part.name: _lying_on(self.written, part, share) for part in self.decl.around}
        lying = [*chain.from_iterable(on.values())]
        own = {at: _sort_in_words(names, value.attributes) for at, value in self.decl.at.items()}
        zone_of = {zone.name: zone for zone in self.written.zones}
        beside = next((zone for zone in self.written.zones if zone.beside and around.strips), None)
        self.places = dict(zip(self.grid.cells, self.grid.places, strict=True))
        self.drawn = {cell: drawn.get(cell, blank(self.grid, place)) for cell, place in self.places.items()}
        holds = {zone_of[key].holds for key in (*self.rows, *lying) if key in zone_of}
        holds |= {beside.holds} if beside is not None else set()
        rows = {row.id: names.row(row.id) for row in self.written.pieces if row.kind in holds}
        truths = (
            *(name for name in lying if name not in zone_of),
            *(truth for closed in around.closed.values() for truth in closed.values()),
        )
        named = {truth: names.name(truth) for truth in truths}
        short: dict[str, str] = {}
        for letters in (1, SHORT):  # as few as tell them from each other and from the map
            if len({*short.values()} - {*drawn.values()}) < len(short) or not short:
                short = {own[at]: _initials(value.attributes, letters) for at, value in self.decl.at.items() if own[at]}
        self.signs = _signs_of(names, rows | named, (*drawn.values(), *short.values())) | short
        self.meanings = _meanings(
            names, {**self.decl.legend, **self.decl.edge_legend}, {*self.drawn.values(), *drawn.values()}
        ) | {self.signs[text]: text for text in own.values() if text}
        self.cells = [self._cell(cell) for cell in self.grid.cells]
        self.edges, self.corners = [
            [] if part is None else [*self._around(part, drawn if part is self.decl.edges else {}, own, on[part.name])]
            for part in (self.decl.edges, self.decl.corners)
        ]
        self.strips: dict[str, Strip] = {}
        if beside is not None:
            values = {row.name: [value.name for value in row.values] for row in self.written.types}
            across, outwards = beside.per[1:]
            for side, (owner, rows_) in around.strips.items():
                self.strips[self.seen(side)] = Strip(owner, [
                    [
                        self._place(beside.name, owner, {across: values[across][at], outwards: values[outwards][out]},
                                    thing, around.closed.get(side, {}).get(at, ""))
                        for at, thing in enumerate(row)
                    ][:: -1 if self.turned else 1]
                    for out, row in enumerate(rows_)
                ])  # fmt: skip

    @property
    def spots(self) -> Iterator[Spot]:
        """Yield all spots."""
        strips = (spot for strip in self.strips.values() for row in strip.rows for spot in row)
        yield from (*self.cells, *self.edges, *self.corners, *strips)

    @cached_property
    def values(self) -> list[str]:
        """Return the variables whose texts differ between cells."""
        return [
            name
            for name, row in self.rows.items()
            if len({self.value(name, thing) for thing in row.values() if isinstance(thing, Value)}) > 1
        ]

    def value(self, name: str, thing: Observed) -> str:
        """Return the text of a value on a cell."""
        return "." if is_empty(thing) else self.names.thing(name, thing)

    def told(self, spot: Spot) -> list[str]:
        """Return what lies on a cell in words: pieces, values that differ between cells, what its sign means."""
        told = []
        for name, thing in spot.things.items():
            text = self.names.thing(name, thing, full=True)
            if isinstance(thing, Contents):
                told.append(text)
            elif name in self.values:
                told.append(self.names.labelled(self.names.name(name), text))
        return told + [self.meanings[sign] for sign in (spot.sign,) if sign in self.meanings]

    def told_around(self, spot: Spot) -> list[str]:
        """Return what lies on an edge or corner in words, and what its sign means."""
        told = []
        for name, thing in spot.things.items():
            text = self.names.name(name)
            if not (isinstance(thing, Value) and thing.value is True):
                text = self.names.labelled(text, self.names.thing(name, thing, full=True))
            told.append(text)
        return told + [self.meanings[sign] for sign in (spot.sign,) if sign in self.meanings]

    def seen(self, way: str) -> str:
        """Return the direction in which the reader sees another one lead."""
        return _OPPOSITE[way] if self.turned else way

    # ---- spots

    def _cell(self, cell: str) -> Spot:
        """Return the spot of a cell."""
        return self._spot(cell, self.drawn[cell], self.rows, ("cell", cell, ""))

    def _around(
        self,
        part: TypeDecl,
        drawn: Mapping[str, str],
        own: Mapping[tuple[str, str], str],
        on: Mapping[str, Mapping[str, Observed]],
    ) -> Iterator[Spot]:
        """Yield the spots of the edges or corners of this game's board.

        Args:
            drawn: their signs on the map. own: (type, name) -> attributes of its own in words. on: what lies there.
        """
        layout = self.names.layout
        table = layout.program.enums[layout.enum_index[part.name]]
        for name, points in zip(table.values, table.points, strict=True):
            sign = self.signs.get(own.get((part.name, name), "")) or drawn.get(name, "").strip()
            yield replace(self._spot(name, sign, on, ("value", f"{part.name}.{name}", "")), points=points)

    def _spot(self, name: str, sign: str, rows: Mapping[str, Mapping[str, Observed]], target_: Target) -> Spot:
        """Return the spot of a cell, edge or corner with what lies there; a choice may name it, or a piece there."""
        things = {key: row[name] for key, row in rows.items() if name in row and not is_empty(row[name])}
        zones = [(f"{key}[{name}]", thing) for key, thing in things.items() if isinstance(thing, Contents)]
        pieces = [tuple(target(piece, zone) for piece in visible(thing) if piece) for zone, thing in zones]
        tokens = tuple(token for _, thing in zones for token in self._tokens(thing))
        return Spot(name, sign, things, tokens, ((target_,), *pieces))

    def _place(self, zone: str, owner: str, index: Mapping[str, str], thing: Contents, closed: str) -> Spot:
        """Return the spot of a place along a side, which its owner picks by the values of its index."""
        targets = tuple(("value", f"{type_}.{value}", "") for type_, value in index.items())
        mine = (targets,) if owner == str(self.names.reader) else ()
        things = {zone: thing} if thing.count else {}
        return Spot(zone, "", things, tuple(self._tokens(thing)), mine, index, closed)

    def _tokens(self, thing: Contents) -> Iterator[BoardPieces]:
        """Yield the pieces of a zone, equal ones together."""
        counts: dict[Piece | None, int] = {}
        for piece in visible(thing):
            counts[piece] = counts.get(piece, 0) + 1
        for piece, count in counts.items():
            if piece is None:
                yield BoardPieces(None, count)
                continue
            facing = tuple(self.seen(value) for _, value in piece.values if value in DIRECTIONS)
            plain = replace(piece, values=tuple(v for v in piece.values if v[1] not in DIRECTIONS))
            laden = (piece.id, piece.owner) in self.laden
            yield BoardPieces(piece, count, self.signs[piece.id], laden, facing, self.names.piece(plain))


def visible(thing: Contents) -> Sequence[Piece | None]:
    """Return the pieces of a zone, a pile's top first; None for each that is not seen."""
    if thing.pieces is not None:
        return thing.pieces
    return (thing.top, *[None] * (thing.count - 1)) if thing.count else ()


def target(piece: Piece, zone: str) -> Target:
    """Return what a choice of a piece in a zone (with its index) names."""
    return "piece", f"{piece.id}@{piece.owner}" if piece.owner else piece.id, zone


def blank(grid: Grid, place: tuple[int, int]) -> str:
    """Return the sign of a cell that no map draws."""
    column, row = place
    return ADJACENCIES[grid.adjacency].blank(column, row + grid.upward)


def boards_of(written: WrittenRuleset, share: Share) -> list[str]:
    """Return the grids of which cells, edges or corners hold something that a share has places for."""
    return [
        grid.name
        for grid in written.grids
        if grid.name in share.boards or any(_lying_on(written, part, share) for part in grid.around)
    ]


def _lying_on(written: WrittenRuleset, part: TypeDecl, share: Share) -> dict[str, Mapping[str, Observed]]:
    """Return what the edges or corners of a grid hold: zone or variable -> edge or corner -> contents; of truth values
    only those where they hold."""
    type_ = part.name
    per = [(row.name, row.per) for row in written.variables] + [(row.name, row.per) for row in written.marks]
    truths = {name for name, types in per if types[-1:] == (type_,)}
    return share.tables.get(type_, {}) | {
        name: {edge: Value(True) for edge in thing.value}
        for name, thing in share.singles.items()
        if name in truths and isinstance(thing, Value) and isinstance(thing.value, list)
    }


def _signs_of(names: Names, rows: Mapping[str, str], grounds: Iterable[str]) -> dict[str, str]:
    """Return a short sign for each row: the author's short word if it has at most SHORT letters, else as many letters
    of its name as tell it from all others and from the grounds.

    Args:
        rows: id -> name. grounds: signs that the map uses.
    """
    sign_of = {id_: short for id_ in rows if len(short := names.short(id_)) <= SHORT and short != rows[id_]}
    taken = {*grounds, *sign_of.values()}
    for id_, name in rows.items():
        if id_ in sign_of:
            continue
        letters = "".join(letter for letter in name if letter.isalnum()) or id_
        others = ["".join(filter(str.isalnum, row)).lower() for key, row in rows.items() if key != id_]
        size = 1
        while size < len(letters) and (
            letters[:size].capitalize() in taken or any(row.startswith(letters[:size].lower()) for row in others)
        ):
            size += 1
        sign = letters[:size].capitalize()
        number = 2
        while sign in taken:
            sign, number = f"{letters[:size].capitalize()}{number}.", number + 1
        taken.add(sign)
        sign_of[id_] = sign
    return sign_of


def _meanings(names: Names, legend: Legend, drawn: Collection[str]) -> dict[str, str]:
    """Return the signs on the author's map with their meanings, if it uses several; false and 0 are left out beside
    other attributes, and no meaning is left of several that are all so.

    Args:
        drawn: the signs that the map uses.
    """
    said = {sign: _sort_in_words(names, sort) for sign, sort in legend.items() if sign in drawn}
    return {sign: text for sign, text in said.items() if text} if len(drawn) > 1 else {}


def _initials(sort: Mapping[str, Text], letters: int) -> str:
    """Return attributes as a sign: numbers, so many first letters of other values, of a truth those of its name."""
    texts = ((key if text.text == "true" else text.text) for key, text in sort.items() if text.text not in NOTHING)
    return "".join(text if text.isdecimal() else text[:letters] for text in texts) or "·"


def _sort_in_words(names: Names, sort: Mapping[str, Text]) -> str:
    """Return attributes in words, without those that are false or 0 beside others."""
    telling = {key: text for key, text in sort.items() if text.text not in NOTHING}
    told = sort if len(sort) == 1 else telling
    return ", ".join(_attribute(names, key, text.text) for key, text in told.items())


def _attribute(names: Names, key: str, text: str) -> str:
    """Return an attribute of a sign in words; a truth is its name alone."""
    if text in ("true", "false"):
        return names.name(key) if text == "true" else f"{names.name(key)} {names.value(False)}"
    return names.name(text) if text.isidentifier() else f"{names.name(key)} {text}"


def surroundings(ruleset: WrittenRuleset, shares: Mapping[str, Share]) -> Surroundings:
    """Return what is drawn around a board, and remove its strips from the shares (by party)."""
    carried = [zone for zone in ruleset.zones if zone.carried_by]
    laden = {
        (zone.carried_by, owner)
        for zone in carried
        for owner, share in shares.items()
        if owner != TABLE and not is_empty(share.singles.get(zone.name, Contents(0)))
    }
    strips: dict[str, tuple[str, list[list[Contents]]]] = {}
    closed: dict[str, dict[int, str]] = {}
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
            _, rows = strips.setdefault(side, (owner, []))
            for out in outwards:
                things = [share.lists.pop((zone.name, (at, out)), Contents(0)) for at in across]
                rows.append([thing if isinstance(thing, Contents) else Contents(0) for thing in things])
            for name in truths:
                lying: Observed | None = share.singles.pop(name, None)
                for at in lying.value if isinstance(lying, Value) and isinstance(lying.value, list) else ():
                    closed.setdefault(side, {})[across.index(at)] = name
    return Surroundings(strips, closed, laden)
