"""The table as lines: shared zones, the reader's, then the others'.

Enters: an observation sorted by owner, names. Leaves: a table, whose parts have several forms each: pieces with their
attributes, their names, their number. Only the observation is read. Empty zones are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType

from rulelang.cli.console import EscapedText
from rulelang.cli.play import layout
from rulelang.cli.play.grid import drawings
from rulelang.cli.play.layout import BETWEEN, GAP, LABEL, Foldable, Form, Section, TableSections, beside_labels
from rulelang.game import Ruleset
from rulelang.languages import folded
from rulelang.table.board import visible
from rulelang.table.names import EFFECTS, NONE, Names
from rulelang.table.scene import Area, Rows, Scene
from rulelang.table.view import TABLE, Contents, Observed, Share, Value, is_empty, shares
from rulelang.words.phrases import capital

HEADING = "bold"
YOURS = "bold cyan"


class Screen:
    """Shows the table of one game.

    Args:
        width: of the terminal. stage: the progress of the game, for the title.
    """

    def __init__(self, ruleset: Ruleset, names: Names, width: int, stage: str = "") -> None:
        self.ruleset = ruleset
        self.names = names
        self.texts = names.texts
        self.width = width
        self.stage = stage
        zones = ruleset.written.zones
        self._spent = {zone.name for zone in zones if zone.final} | {zone.refill for zone in zones if zone.refill}

    # ---- the whole table

    def table(
        self, seen: dict[str, Any], seat: int | None, offered: Collection[str] = (), told: Collection[str] = ()
    ) -> TableSections:
        """Return the table, to be fitted to a number of rows.

        Args:
            seen: the observation. seat: whose things come first (None: nobody's). offered: pieces and values among the
                options, folded last. told: pieces whose attributes the options tell.
        """
        shared, *parties = Scene(self.ruleset, self.names, seen).areas()
        yours = [area for area in parties if area.party == seat and area.share.things]
        things = [thing for area in yours for _, _, thing in _flat(area.share, self.names)]
        held = {piece.id for thing in things if isinstance(thing, Contents) for piece in visible(thing) if piece}
        self._offered, self._told = {*offered} - held, {*told}
        sections = [self._section(shared, self._title(seen), HEADING)]
        sections += [self._section(area, self._you(seat, seen), YOURS, own=True) for area in yours]
        others = [area for area in parties if area not in yours and not area.share.bare]
        if others:
            title = self.texts("others") if yours else ""
            sections.append(Section(title, LABEL, parts=[*map(self._other, others)]))
        return TableSections(sections, self.width, self.texts("cut"))

    def board(self, seen: dict[str, Any], seat: int | None, rows: int | None = None) -> RenderableType:
        """Return the table in at most `rows` lines (None: any number); see `table`."""
        return Group(*self.table(seen, seat).lines(rows))

    def full(self, seen: dict[str, Any], seat: int | None) -> list[EscapedText]:
        """Return all lines of the table with nothing folded, and the names of empty zones."""
        self._offered, self._told = set(), set()
        sections = []
        for area in Scene(self.ruleset, self.names, seen).areas():
            if area.owner and not area.share.things:
                continue
            title = self._title(seen) if area.owner == TABLE else self._owner(area)
            style = HEADING if area.owner == TABLE else YOURS if area.party == seat else LABEL
            sections.append(self._section(area, title, style, own=True))
        return TableSections(sections, self.width, "").lines(None)

    def place(self, seen: dict[str, Any], words: str) -> RenderableType | None:
        """Return the contents of the zones and variables with a name; None if there is none.

        Args:
            words: the name, or a part of it.
        """
        views = shares(self.ruleset, seen)
        name_sought = folded(words)
        names = {name for share in views.values() for name in _names(share)}
        fitting = {name for name in names if name_sought in (folded(name), folded(self.names.name(name)))}
        fitting = fitting or {name for name in names if name_sought in folded(self.names.name(name))}
        rows: list[tuple[str, Form]] = []
        for owner, share in views.items():
            whose = "" if owner == TABLE else f" ({self.names.party_named(owner)})"
            things = [thing for thing in _flat(share, self.names) if thing[1] in fitting]
            rows += [(f"{label}{whose}", self._in_full(name, thing)) for label, name, thing in things]
        return Group(*beside_labels(rows, self.width)) if rows else None

    def place_names(self, seen: dict[str, Any]) -> str:
        """Return the names of all zones and variables, joined."""
        views = shares(self.ruleset, seen)
        return ", ".join(dict.fromkeys(self.names.name(name) for share in views.values() for name in _names(share)))

    def _title(self, seen: dict[str, Any]) -> str:
        """Return the title of the table: the game's, and its progress."""
        return BETWEEN.join([self.names.title, self.stage or self.texts("turn", turn=seen["turn"])])

    def _you(self, seat: int | None, seen: dict[str, Any]) -> str:
        """Return the title of the reader's section."""
        name = self.names.called(seat or 0)
        text = self.texts("you", seat=name) if name else self.texts("you_alone")
        return self.texts("out", seat=text) if seat in seen["eliminated"] else text

    def _owner(self, area: Area) -> str:
        """Return the title of another party."""
        text = self.names.party_named(area.owner)
        return capital(self.texts("out", seat=text) if area.out else text)

    # ---- what belongs to one owner

    def _section(self, area: Area, title: str, style: str, own: bool = False) -> Section:
        """Return the section of an owner."""
        section = Section(title, style, self._boards(area), own=own)
        for rows, _ in area.tables:
            section.parts += self._table(rows, own)
        things = (thing for thing in area.things if not is_empty(thing.thing))
        section.parts += [self._part(thing.label, thing.declared, thing.thing, own) for thing in things]
        if own and (empty := self._empty(area.share)):
            section.empty = Foldable("", [(layout.ALWAYS, ""), (layout.EMPTY, empty)])
        return section

    def _boards(self, area: Area) -> list[Foldable]:
        """Return the boards, each before its legend."""
        parts: list[Foldable] = []
        for board in area.boards:
            for forms, (pieces, signs) in drawings(board, self.width):
                legend = [form for form in (tuple(pieces), (*pieces, *signs)) if form]
                below: list[tuple[int, Form]] = [(layout.ALWAYS, ""), *((layout.LEGEND, form) for form in legend)]
                parts += [Foldable("", forms), *([Foldable("", below, legend=True)] if legend else [])]
        return parts

    def _empty(self, share: Share) -> str:
        """Return a sentence with the names of zones and bags that are empty at all indices."""
        things_of: dict[str, list[Observed]] = {name: [thing] for name, thing in share.singles.items()}
        for (name, _), thing in share.lists.items():
            things_of.setdefault(name, []).append(thing)
        for table in share.tables.values():
            for name, row in table.items():
                things_of.setdefault(name, []).extend(row.values())
        names = [
            self.names.name(name)
            for name, things in things_of.items()
            if all(
                is_empty(thing) and (isinstance(thing, Contents) or isinstance(thing.value, dict)) for thing in things
            )
        ]
        return self.texts("nothing_there", names=", ".join(names)) if names else ""

    def _part(self, label: str, name: str, thing: Observed, own: bool) -> Foldable:
        """Return the part of a zone or value: of a zone its pieces line by line, their names, their number."""
        if not isinstance(thing, Contents):
            text = self.names.thing(name, thing)
            named = label if thing.value is True else self.names.labelled(label, text)
            return self._forms(label, named, named, [[text]] * (own and isinstance(thing.value, dict)), own)
        contents = self.names.contents(name, thing)
        is_seen = thing.pieces is not None or thing.top is not None
        count = self.names.count(name, thing) if own and is_seen else str(thing.count)
        detailed = [contents] if self._says(thing) else self._pieces(name, thing)
        forms = [[contents], detailed, self._pieces(name, thing, EFFECTS)] if is_seen else []
        brief, named = (self.names.labelled(label, text) for text in (count, contents if is_seen else count))
        offered = self._offers(thing) and not self._says(thing)
        return self._forms(label, brief, named, forms, own, offered, thing.laid.ends, name in self._spent)

    def _forms(
        self,
        label: str,
        brief: str,
        named: str,
        rows: Sequence[list[str]],
        own: bool,
        offered: bool = False,
        pile: bool = False,
        spent: bool = False,
    ) -> Foldable:
        """Return the part of pieces or of values.

        Args:
            pile: whether their order matters. spent: whether they are out of the game, or until a pile is filled again.
            brief: their number. named: their names; of values the same. rows: names as rows, then with attributes,
                then with effects.
        """
        low, high = (layout.OFFERED, layout.CHOSEN) if offered else (layout.OPEN, layout.DETAILS)
        low = layout.PILES if pile and not offered else low
        if not offered and (spent or (len(rows) > 1 and len(rows[1]) > layout.FEW)):
            low, high = layout.MANY, layout.DEEDS
        first: list[tuple[int, Form]] = [(layout.ALWAYS, ""), (layout.OFFERED if offered else layout.COUNTS, brief)]
        if own:
            low = high = layout.OWN
            first = [(layout.ALWAYS, brief), *([(layout.HELD, named)] * (brief != named))]
        ranked = list(zip((low, high, layout.DEEDS), rows, strict=False))
        ranked = [(rank, row) for n, (rank, row) in enumerate(ranked) if not n or row != rows[n - 1]]
        return Foldable(label, [*first, *ranked], brief, named)

    def _pieces(self, name: str, thing: Contents, facts: int = 1) -> list[str]:
        """Return a line for each piece with its attributes, and effects if `facts` asks for them; one line for pieces
        without any."""
        if thing.pieces is None:
            if thing.top is None:
                return [self.names.contents(name, thing)]
            return [self.names.topped(thing.top, thing.count, facts)]
        lines = self.names.runs(name, thing, facts)
        plain = self.names.runs(name, thing)
        return lines if lines != plain else [self.names.contents(name, thing)]

    def _other(self, area: Area) -> Foldable:
        """Return the part of another party: all it has in one line, or with numbers of pieces."""
        forms: list[list[str]] = [[], []]
        for label, name, thing in _flat(area.share, self.names):
            if is_empty(thing):
                continue
            if isinstance(thing, Value) and thing.value is True:
                texts = [label, label]
            else:
                full = self.names.labelled(label, self.names.thing(name, thing))
                texts = [full, self.names.labelled(label, str(thing.count)) if isinstance(thing, Contents) else full]
            for form, text in zip(forms, texts, strict=True):
                form.append(text)
        ranks = [layout.OTHERS, layout.ABROAD]
        rows: list[Form] = [[BETWEEN.join(form) or NONE] for form in reversed(forms)]
        return Foldable(self._owner(area), [(layout.ALWAYS, ""), *zip(ranks, rows, strict=True)])

    # ---- tables: one column, or one line, for each value of a type

    def _table(self, rows: Rows, own: bool) -> list[Foldable]:
        """Return the parts of a table: one with columns side by side if they fit and no piece has attributes, else one
        for each row."""
        columns = [
            index
            for index in dict.fromkeys(index for row in rows.values() for index in row)
            if any(index in row and not is_empty(row[index]) for row in rows.values())
        ]
        facts = any(
            isinstance(thing, Contents) and self._pieces(name, thing) != [self.names.contents(name, thing)]
            for name, row in rows.items()
            for thing in row.values()
        )
        if len(columns) < 2 or facts or (square := self._square(columns, rows)) is None:
            return [part for name, row in rows.items() for part in self._row(name, row, own)]
        parts = [part for name, row in rows.items() for part in self._row(name, row, own)]
        rank = layout.OWN if own else min(rank for part in parts for rank, _ in part.forms[1:])
        briefs = [
            BETWEEN.join(filter(None, (part.brief for part in parts))),
            BETWEEN.join(part.named for part in parts),
        ]
        forms: list[tuple[int, Form]] = [(layout.ALWAYS, ""), (layout.COUNTS, briefs[0])]
        if own:
            forms = [(layout.ALWAYS, briefs[0]), (layout.HELD, briefs[1])]
        return [Foldable("", [*forms, (rank, [part.named for part in parts]), (rank, square)])]

    def _square(self, columns: Sequence[str], rows: Rows) -> list[EscapedText] | None:
        """Return a table as lines with aligned columns; None if it is wider than the screen."""
        texts = [["", *(self.names.index(index) for index in columns)]]
        for name, row in rows.items():
            cells = [self.names.thing(name, row[index]) if index in row else "" for index in columns]
            texts.append([self.names.name(name), *cells])
        widths = [max(map(cell_len, column)) + GAP for column in zip(*texts, strict=True)]
        if sum(widths) - GAP > self.width:
            return None
        lines = [
            "".join(text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True))
            for row in texts
        ]
        return [EscapedText(line.rstrip()) for line in lines]

    def _row(self, name: str, row: Mapping[str, Observed], own: bool) -> list[Foldable]:
        """Return the parts of a zone or variable with an index: in full, in one line, as a number of pieces."""
        nonempty = {index: thing for index, thing in row.items() if not is_empty(thing)}
        label = self.names.name(name)
        if len(nonempty) < 2:
            return [
                self._part(label if len(row) == 1 else self.names.indexed(name, (index,)), name, thing, own)
                for index, thing in nonempty.items()
            ]
        full, line = [], []
        for index, thing in nonempty.items():
            texts = self._pieces(name, thing) if isinstance(thing, Contents) else [self.names.thing(name, thing)]
            full += [self.names.labelled(self.names.index(index), text) for text in texts]
            line.append(self.names.labelled(self.names.index(index), self.names.thing(name, thing)))
        zones = [thing for thing in nonempty.values() if isinstance(thing, Contents)]
        named = self.names.labelled(label, BETWEEN.join(line))
        brief = self.names.labelled(label, str(sum(zone.count for zone in zones))) if zones else named
        offered = any(index in self._offered for index in nonempty) or any(map(self._offers, zones))
        said = bool(zones) and all(map(self._says, zones))
        pile, rows = (
            bool(zones) and all(zone.laid.ends for zone in zones),
            [[BETWEEN.join(line)], full][: 1 + (not said)],
        )
        return [self._forms(label, brief, named, rows, own, offered and not said, pile, name in self._spent)]

    def _in_full(self, name: str, thing: Observed) -> list[str]:
        """Return all contents of a thing as lines."""
        if isinstance(thing, Contents) and thing.pieces:
            lines = self._pieces(name, thing)
            return lines if len(lines) > 1 else [self.names.contents(name, thing, full=True)]
        return [self.names.thing(name, thing, full=True)]

    def _offers(self, thing: Contents) -> bool:
        """Return whether a zone shows a piece that an option names."""
        return any(piece is not None and piece.id in self._offered for piece in visible(thing))

    def _says(self, thing: Contents) -> bool:
        """Return whether the options tell the attributes of all pieces that a zone shows."""
        pieces = thing.pieces if thing.pieces is not None else (thing.top,)
        return bool(pieces) and all(piece is not None and piece.id in self._told for piece in pieces)


def _names(share: Share) -> list[str]:
    """Return the names of all zones and variables of a share."""
    return [*share.singles, *(name for rows in _tabled(share) for name in rows), *(name for name, _ in share.lists)]


def _flat(share: Share, names: Names) -> list[tuple[str, str, Observed]]:
    """Return (label, name, thing) of all things of a share; indexed ones only if they are not empty."""
    things = [(names.name(name), name, thing) for name, thing in share.singles.items()]
    indexed: list[tuple[tuple[str, tuple[str, ...]], Observed]] = [
        ((name, (at,)), thing) for rows in _tabled(share) for name, row in rows.items() for at, thing in row.items()
    ]
    indexed += share.lists.items()
    return things + [(names.indexed(*key), key[0], thing) for key, thing in indexed if not is_empty(thing)]


def _tabled(share: Share) -> list[dict[str, dict[str, Observed]]]:
    """Return the tables and boards of a share: name -> index -> thing."""
    return [*share.tables.values(), *share.boards.values()]
