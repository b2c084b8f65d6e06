"""The table as lines: shared zones, the reader's, then the others', folded to the rows of the window.

Enters: an observation sorted by owner, names, a number of rows. Leaves: lines as wide as the terminal. Only the
observation is read. Empty zones are left out. If the lines do not fit, the least important parts are folded first: from
pieces with their attributes to their names, then to their number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text as RichText

from rulelang.cli.console import Text, wrap
from rulelang.cli.play.grid import board
from rulelang.game import Ruleset
from rulelang.table.names import NONE, Names, folded
from rulelang.table.sides import NOTHING, Surroundings, surroundings
from rulelang.table.view import TABLE, Contents, Observed, Share, Value, is_empty, shares
from rulelang.words.phrases import capital

GAP = 2
COLUMN = 8
"""Least width of a column; labels take a third of the screen at most."""
BETWEEN = " · "

LABEL = "dim"
HEADING = "bold"
YOURS = "bold cyan"

OFFERED, OWN, SHARED, OTHERS = range(4)
"""Weights of parts, in the order of folding from last to first: pieces of the options, own, shared, other parties'."""


@dataclass
class Part:
    """A zone or variable with its label.

    Attributes:
        forms: its lines, the fullest form first. brief: the form after the last, which shares a line with others.
        weight: OFFERED to OTHERS. level: index of the current form.
    """

    label: str
    forms: list[list[str]]
    brief: str
    weight: int = SHARED
    level: int = 0

    @property
    def foldable(self) -> bool:
        """Return whether there is a briefer form."""
        return self.level < len(self.forms) - (not self.brief)

    @property
    def turn(self) -> tuple[int, int, int, int]:
        """Return the sort key of folding, the highest first. Parts that are not the reader's all fold by one form
        before any folds further."""
        near = self.weight if self.weight < SHARED else SHARED
        detail = self.level + (2 - len(self.forms))  # one form alone is of names already
        return near, -detail - (self.weight == OTHERS), self.weight, sum(map(len, self.rows))

    @property
    def rows(self) -> list[str]:
        """Return the lines of the current form; none for the brief one."""
        return self.forms[self.level] if self.level < len(self.forms) else []


@dataclass
class Section:
    """What belongs to one owner: boards, parts, the names of empty zones."""

    title: str
    style: str
    boards: list[Text] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    empty: str = ""


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

    # ---- the whole table

    def board(
        self, seen: dict[str, Any], seat: int | None, rows: int | None = None, offered: Collection[str] = ()
    ) -> RenderableType:
        """Return the table in at most `rows` lines (None: any number).

        Args:
            seen: the observation. seat: whose things come first (None: nobody's). offered: pieces among the options,
                folded last.
        """
        views = shares(self.ruleset, seen)
        self.names.colour(seen)
        beside = surroundings(self.ruleset.written, views)
        sections = [self._section(views[TABLE], self._title(seen), HEADING, SHARED, set(offered), beside)]
        yours = None if seat is None else str(seat)
        if yours is not None and yours in views:
            sections.append(self._section(views[yours], self._you(seat, seen), YOURS, OWN, set(offered)))
        others = [owner for owner in views if owner not in (TABLE, yours) and not views[owner].bare]
        if others:
            title = self.texts("others") if yours in views else ""
            sections.append(Section(title, LABEL, parts=[self._other(owner, views[owner], seen) for owner in others]))
        return Group(*self._fitted(sections, rows))

    def deep(self, seen: dict[str, Any]) -> int:
        """Return the number of lines of the boards with their heading; 0 without boards."""
        parts_of = shares(self.ruleset, seen)
        boards = self._boards(parts_of[TABLE], surroundings(self.ruleset.written, parts_of))
        return len(boards) + bool(boards)

    def full(self, seen: dict[str, Any], seat: int | None) -> list[Text]:
        """Return all lines of the table with nothing folded, and the names of empty zones."""
        views = shares(self.ruleset, seen)
        self.names.colour(seen)
        beside = surroundings(self.ruleset.written, views)
        sections = []
        for owner, share in views.items():
            title = self._title(seen) if owner == TABLE else self._owner(owner, seen)
            style = HEADING if owner == TABLE else YOURS if owner == str(seat) else LABEL
            sections.append(self._section(share, title, style, OWN, set(), beside if owner == TABLE else NOTHING))
        return self._fitted(sections, None)

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
        rows = []
        for owner, share in views.items():
            whose = "" if owner == TABLE else f" ({self.names.party_named(owner)})"
            things = [thing for thing in _flat(share, self.names) if thing[1] in fitting]
            rows += [(f"{label}{whose}", self._in_full(name, thing)) for label, name, thing in things]
        return Group(*self._rows(rows)) if rows else None

    def place_names(self, seen: dict[str, Any]) -> str:
        """Return the names of all zones and variables, joined."""
        views = shares(self.ruleset, seen)
        return ", ".join(dict.fromkeys(self.names.name(name) for share in views.values() for name in _names(share)))

    def _title(self, seen: dict[str, Any]) -> str:
        """Return the title of the table: the game's, and its progress."""
        return BETWEEN.join([self.names.title, self.stage or self.texts("turn", turn=seen["turn"])])

    def _you(self, seat: int | None, seen: dict[str, Any]) -> str:
        """Return the title of the reader's section."""
        text = self.texts("you", seat=self.names.seat(seat or 0))
        return self.texts("out", seat=text) if seat in seen["eliminated"] else text

    def _owner(self, owner: str, seen: dict[str, Any]) -> str:
        """Return the title of another party."""
        text = self.names.party_named(owner)
        out = owner in self.names.parties and self.names.parties.index(owner) in seen["eliminated"]
        return capital(self.texts("out", seat=text) if out else text)

    # ---- what belongs to one owner

    def _section(
        self,
        share: Share,
        title: str,
        style: str,
        weight: int,
        offered: set[str],
        beside: Surroundings = NOTHING,
    ) -> Section:
        """Return the section of an owner."""
        section = Section(title, style)
        section.boards = self._boards(share, beside)
        for type_, table in share.tables.items():
            section.parts += self._table(type_, table, weight, offered)
        things = [(self.names.name(name), name, thing) for name, thing in share.singles.items()]
        things += [(self.names.indexed(*key), key[0], thing) for key, thing in share.lists.items()]
        section.parts += [self._part(*thing, weight, offered) for thing in things if not is_empty(thing[2])]
        if weight == OWN:
            section.empty = self._empty(share)
        return section

    def _boards(self, share: Share, beside: Surroundings) -> list[Text]:
        """Return the lines of the boards."""
        parts = [board(self.ruleset, self.names, grid, share, self.width, beside) for grid in share.boards]
        return [line for board in parts for part in board for line in _split(part)]

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

    def _part(self, label: str, name: str, thing: Observed, weight: int, offered: set[str]) -> Part:
        """Return the part of a zone or value: of a zone its pieces line by line, their names, their number."""
        if not isinstance(thing, Contents):
            text = label if thing.value is True else self.names.labelled(label, self.names.thing(name, thing))
            rows = [[self.names.thing(name, thing)]] if isinstance(thing.value, dict) and weight == OWN else []
            return Part(label, rows, text, weight)
        brief = self.names.labelled(label, str(thing.count))
        if thing.pieces is None and thing.top is None:
            return Part(label, [], brief, weight)
        weight = OFFERED if _contains_any(thing, offered) else weight
        forms = [self._pieces(name, thing), [self.names.contents(name, thing)]]
        return Part(label, forms[forms[0] == forms[1] :], brief, weight)

    def _pieces(self, name: str, thing: Contents) -> list[str]:
        """Return a line for each piece with its attributes; one line for pieces without any."""
        if thing.pieces is None:
            if thing.top is None:
                return [self.names.contents(name, thing)]
            return [self.names.topped(thing.top, thing.count, facts=True)]
        lines = self.names.runs(name, thing, facts=True)
        plain = self.names.runs(name, thing)
        return lines if lines != plain else [self.names.contents(name, thing)]

    def _other(self, owner: str, share: Share, seen: dict[str, Any]) -> Part:
        """Return the part of another party: all it has in one line, or with numbers of pieces."""
        forms: list[list[str]] = [[], []]
        for label, name, thing in _flat(share, self.names):
            if is_empty(thing):
                continue
            if isinstance(thing, Value) and thing.value is True:
                texts = [label, label]
            else:
                full = self.names.labelled(label, self.names.thing(name, thing))
                texts = [full, self.names.labelled(label, str(thing.count)) if isinstance(thing, Contents) else full]
            for form, text in zip(forms, texts, strict=True):
                form.append(text)
        return Part(self._owner(owner, seen), [[BETWEEN.join(form) or NONE] for form in forms], "", OTHERS)

    # ---- tables: one column, or one line, for each value of a type

    def _table(self, type_: str, rows: dict[str, dict[str, Observed]], weight: int, offered: set[str]) -> list[Part]:
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
            parts = [self._row(name, row, weight, offered) for name, row in rows.items()]
            return [part for row in parts for part in row]
        return [Part("", [square], "", weight)]

    def _square(self, columns: Sequence[str], rows: dict[str, dict[str, Observed]]) -> list[str] | None:
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
        return [line.rstrip() for line in lines]

    def _row(self, name: str, row: dict[str, Observed], weight: int, marked: set[str]) -> list[Part]:
        """Return the parts of a zone or variable with an index: in full, in one line, as a number of pieces."""
        nonempty = {index: thing for index, thing in row.items() if not is_empty(thing)}
        lone = len(row) == 1
        if len(nonempty) < 2:
            labels = {
                index: self.names.name(name) if lone else self.names.indexed(name, (index,)) for index in nonempty
            }
            return [self._part(labels[index], name, thing, weight, marked) for index, thing in nonempty.items()]
        full, line, count = [], [], 0
        for index, thing in nonempty.items():
            texts = self._pieces(name, thing) if isinstance(thing, Contents) else [self.names.thing(name, thing)]
            full += [self.names.labelled(self.names.index(index), text) for text in texts]
            line.append(self.names.labelled(self.names.index(index), self.names.thing(name, thing)))
            count += thing.count if isinstance(thing, Contents) else 0
            marks_row = isinstance(thing, Contents) and _contains_any(thing, marked)
            weight = OFFERED if index in marked or marks_row else weight
        label = self.names.name(name)
        brief = self.names.labelled(label, str(count)) if count else ""
        return [Part(label, [full, [BETWEEN.join(line)]], brief, weight)]

    def _in_full(self, name: str, thing: Observed) -> list[str]:
        """Return all contents of a thing as lines."""
        if isinstance(thing, Contents) and thing.pieces:
            lines = self._pieces(name, thing)
            return lines if len(lines) > 1 else [self.names.contents(name, thing, full=True)]
        return [self.names.thing(name, thing, full=True)]

    # ---- as lines

    def _fitted(self, sections: Sequence[Section], rows: int | None) -> list[Text]:
        """Return the lines of the sections, with parts folded one by one until they fit `rows`."""
        lines = self._lines(sections)
        while rows is not None and len(lines) > rows:
            foldable = [part for section in sections for part in section.parts if part.foldable]
            if not foldable and any(section.empty for section in sections):
                for section in sections:
                    section.empty = ""
                lines = self._lines(sections)
                continue
            if not foldable:
                return [*lines[: max(rows - 1, 0)], Text(self.texts("cut"), LABEL)]
            max(foldable, key=lambda part: part.turn).level += 1
            lines = self._lines(sections)
        return self._unfolded(sections, lines, rows) if rows is not None else lines

    def _unfolded(self, sections: Sequence[Section], lines: list[Text], rows: int) -> list[Text]:
        """Unfold parts again that fit, the most important first; return the lines."""
        for part in sorted((part for section in sections for part in section.parts), key=lambda part: part.turn):
            while part.level:
                part.level -= 1
                wider = self._lines(sections)
                if len(wider) > rows:
                    part.level += 1
                    break
                lines = wider
        return lines

    def _lines(self, sections: Sequence[Section]) -> list[Text]:
        """Return the lines of the sections: parts with rows one by one, brief ones together."""
        lines: list[Text] = []
        for section in sections:
            lines += [self._heading(section), *section.boards]
            lines += self._rows((part.label, part.rows) for part in section.parts if part.rows)
            brief = [part.brief for part in section.parts if not part.rows]
            lines += self._wrapped(Text(BETWEEN.join(brief))) if brief else []
            lines += self._wrapped(Text(section.empty, LABEL)) if section.empty else []
        return lines

    def _heading(self, section: Section) -> Text:
        """Return a heading as wide as the screen."""
        text = Text.assemble("── ", (section.title, section.style), " ") if section.title else Text()
        text.truncate(self.width)
        text.append("─" * (self.width - text.cell_len))
        return text

    def _rows(self, rows: Iterable[tuple[str, Sequence[str]]]) -> list[Text]:
        """Return labels with their lines beside them, wrapped."""
        listed = list(rows)
        room = min(max((cell_len(label) for label, _ in listed), default=0), max(self.width // 3, COLUMN))
        return [line for label, texts in listed for line in self._labelled(label, texts, room)]

    def _labelled(self, label: str, texts: Sequence[str], room: int) -> Iterator[Text]:
        """Yield the lines of a label and its texts side by side; `room`: columns of the label."""
        if not label:
            yield from (line for text in texts for line in self._wrapped(Text(text)))
            return
        left = self._wrapped(Text(label, LABEL), room)
        right = [line for text in texts for line in self._wrapped(Text(text), self.width - room - GAP)]
        for number in range(max(len(left), len(right))):
            line = Text()  # of no style: that of a line's start would be that of all that follows
            if number < len(left):
                line.append_text(left[number])
            line.pad_right(room + GAP - line.cell_len)
            if number < len(right):
                line.append_text(right[number])
            yield line

    def _wrapped(self, text: Text, width: int = 0) -> list[Text]:
        """Return a text wrapped to a width, by default the screen's."""
        return wrapped(text, width or self.width)


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text as lines of at most `width` columns, all but the first indented."""
    first, *more = wrap(text.plain, max(width, COLUMN))
    rest = wrap(" ".join(more), max(width - GAP, COLUMN)) if more else ()
    return [Text(first, text.style), *(Text(" " * GAP + line, text.style) for line in rest)]


def _split(part: RenderableType) -> Iterator[Text]:
    """Yield the lines of a text as texts with its styles."""
    assert isinstance(part, RichText)
    for line in part.split("\n"):
        shown = Text(line.plain, part.style)
        for span in line.spans:
            shown.stylize(span.style, span.start, span.end)
        yield shown


def _contains_any(thing: Contents, offered: set[str]) -> bool:
    """Return whether a zone shows any of these rows of pieces."""
    pieces = thing.pieces if thing.pieces is not None else (thing.top,)
    return any(piece is not None and piece.id in offered for piece in pieces)


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
