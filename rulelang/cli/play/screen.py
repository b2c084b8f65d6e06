"""The table in lines: what belongs to nobody, what is yours, then the others, as much of it as there is room for.

Enters: an observation sorted by owner, names, so many rows. Leaves: lines as wide as the terminal. Nothing is read but
the observation. What holds nothing is left out. Where there is more than fits, what matters least is folded first: from
pieces with what stands on them to their names, and to how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len
from rich.console import Group, RenderableType

from rulelang.cli.console import Text, wrap
from rulelang.cli.play.grid import board
from rulelang.game import Ruleset
from rulelang.table.names import NONE, Names, folded
from rulelang.table.sides import NOTHING, Surroundings, surroundings
from rulelang.table.view import TABLE, Contents, Share, Thing, Value, is_empty, shares
from rulelang.words.phrases import capital

GAP = 2
COLUMN = 8
"""A label takes a third of the width at most, and so much at least."""
BETWEEN = " · "

LABEL = "dim"
HEADING = "bold"
YOURS = "bold cyan"

WANTED, OWN, SHARED, OTHERS = range(4)
"""How soon a part is folded: what the options name last, what others have first."""


@dataclass
class Part:
    """One thing of the table under its label.

    Attributes:
        forms: its lines, the fullest form first; what follows them is `brief`, which stands in a line with others.
        weight: how soon it is folded. level: which form it has now.
    """

    label: str
    forms: list[list[str]]
    brief: str
    weight: int = SHARED
    level: int = 0

    @property
    def foldable(self) -> bool:
        """Whether there is a briefer form."""
        return self.level < len(self.forms) - (not self.brief)

    @property
    def turn(self) -> tuple[int, int, int, int]:
        """The order of folding: the highest first. Of what is not the reader's, all goes down one form before the
        next."""
        near = self.weight if self.weight < SHARED else SHARED
        detail = self.level + (2 - len(self.forms))  # one form alone is of names already
        return near, -detail - (self.weight == OTHERS), self.weight, sum(map(len, self.rows))

    @property
    def rows(self) -> list[str]:
        """Its lines now; none if it stands in a line with others."""
        return self.forms[self.level] if self.level < len(self.forms) else []


@dataclass
class Section:
    """What belongs to one owner: boards, parts, names of what is empty."""

    title: str
    style: str
    boards: list[Text] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    empty: str = ""


class Screen:
    """Shows the table of one game. `stage`: what the title says of how far the game is."""

    def __init__(self, ruleset: Ruleset, names: Names, width: int, stage: str = "") -> None:
        self.ruleset = ruleset
        self.names = names
        self.texts = names.texts
        self.width = width
        self.stage = stage

    # ---- the whole table

    def board(
        self, seen: dict[str, Any], seat: int | None, rows: int | None = None, wanted: Collection[str] = ()
    ) -> RenderableType:
        """Return what is seen, in so many rows at most (None: as many as it takes).

        Args:
            seat: whose things come first (None: nobody's). wanted: pieces that are to choose from.
        """
        views = shares(self.ruleset, seen)
        self.names.colour(seen)
        beside = surroundings(self.ruleset.written, views)
        sections = [self._section(views[TABLE], self._title(seen), HEADING, SHARED, set(wanted), beside)]
        yours = None if seat is None else str(seat)
        if yours is not None and yours in views:
            sections.append(self._section(views[yours], self._you(seat, seen), YOURS, OWN, set(wanted)))
        others = [owner for owner in views if owner not in (TABLE, yours) and not views[owner].bare]
        if others:
            title = self.texts("others") if yours in views else ""
            sections.append(Section(title, LABEL, parts=[self._other(owner, views[owner], seen) for owner in others]))
        return Group(*self._fitted(sections, rows))

    def deep(self, seen: dict[str, Any]) -> int:
        """Return how many rows the boards of the table take, with the heading; 0 without any."""
        parts_of = shares(self.ruleset, seen)
        boards = self._boards(parts_of[TABLE], surroundings(self.ruleset.written, parts_of))
        return len(boards) + bool(boards)

    def full(self, seen: dict[str, Any], seat: int | None) -> list[Text]:
        """Return all lines of the table with nothing folded, and the names of what is empty."""
        views = shares(self.ruleset, seen)
        self.names.colour(seen)
        beside = surroundings(self.ruleset.written, views)
        sections = []
        for owner, share in views.items():
            title = self._title(seen) if owner == TABLE else self._owner(owner, seen)
            style = HEADING if owner == TABLE else YOURS if owner == str(seat) else LABEL
            section = self._section(share, title, style, OWN, set(), beside if owner == TABLE else NOTHING)
            section.empty = section.empty or self._empty(share)
            sections.append(section)
        return self._fitted(sections, None)

    def place(self, seen: dict[str, Any], words: str) -> RenderableType | None:
        """Return all that is seen of the places that are called so; None without any."""
        views = shares(self.ruleset, seen)
        name_sought = folded(words)
        names = {name for share in views.values() for name in _names(share)}
        fitting = {name for name in names if name_sought in (folded(name), folded(self.names.name(name)))}
        fitting = fitting or {name for name in names if name_sought in folded(self.names.name(name))}
        rows = []
        for owner, share in views.items():
            fitting_share = share.named(fitting)
            whose = "" if owner == TABLE else f" ({self.names.party_named(owner)})"
            for label, name, thing in _flat(fitting_share, self.names):
                rows.append((f"{label}{whose}", self._held(name, thing)))
        return Group(*self._rows(rows)) if rows else None

    def place_names(self, seen: dict[str, Any]) -> str:
        """Return what the places are called."""
        views = shares(self.ruleset, seen)
        return ", ".join(dict.fromkeys(self.names.name(name) for share in views.values() for name in _names(share)))

    def _title(self, seen: dict[str, Any]) -> str:
        return BETWEEN.join([self.names.title, self.stage or self.texts("turn", turn=seen["turn"])])

    def _you(self, seat: int | None, seen: dict[str, Any]) -> str:
        text = self.texts("you", seat=self.names.seat(seat or 0))
        return self.texts("out", seat=text) if seat in seen["eliminated"] else text

    def _owner(self, owner: str, seen: dict[str, Any]) -> str:
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
        wanted: set[str],
        beside: Surroundings = NOTHING,
    ) -> Section:
        """Return the section of an owner: boards, tables, single things."""
        section = Section(title, style)
        section.boards = self._boards(share, beside)
        for type_, table in share.tables.items():
            section.parts += self._table(type_, table, weight, wanted)
        things = [(self.names.name(name), name, thing) for name, thing in share.singles.items()]
        things += [(self.names.indexed(*key), key[0], thing) for key, thing in share.lists.items()]
        section.parts += [self._part(*thing, weight, wanted) for thing in things if not is_empty(thing[2])]
        if weight == OWN:
            section.empty = self._empty(share)
        return section

    def _boards(self, share: Share, beside: Surroundings) -> list[Text]:
        parts = [board(self.ruleset, self.names, grid, share, self.width, beside) for grid in share.boards]
        return [line for board in parts for part in board for line in _split(part)]

    def _empty(self, share: Share) -> str:
        """Return the names of zones and bags of which all are empty; truths and absent values say nothing by that."""
        things_of: dict[str, list[Thing]] = {name: [thing] for name, thing in share.singles.items()}
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

    def _part(self, label: str, name: str, thing: Thing, weight: int, wanted: set[str]) -> Part:
        """Return a zone: its pieces line by line, their names, how many; a bag in a line of its own; a value among
        others."""
        if not isinstance(thing, Contents):
            text = label if thing.value is True else self.names.labelled(label, self.names.thing(name, thing))
            rows = [[self.names.thing(name, thing)]] if isinstance(thing.value, dict) and weight == OWN else []
            return Part(label, rows, text, weight)
        brief = self.names.labelled(label, str(thing.count))
        if thing.pieces is None and thing.top is None:
            return Part(label, [], brief, weight)
        weight = WANTED if _holds(thing, wanted) else weight
        forms = [self._pieces(name, thing), [self.names.contents(name, thing)]]
        return Part(label, forms[forms[0] == forms[1] :], brief, weight)

    def _pieces(self, name: str, thing: Contents) -> list[str]:
        """Return a line for each piece with what stands on it; of pieces that show nothing, one line."""
        if thing.pieces is None:
            if thing.top is None:
                return [self.names.contents(name, thing)]
            return [self.names.topped(thing.top, thing.count, facts=True)]
        lines = self.names.runs(name, thing, facts=True)
        plain = self.names.runs(name, thing)
        return lines if lines != plain else [self.names.contents(name, thing)]

    def _other(self, owner: str, share: Share, seen: dict[str, Any]) -> Part:
        """Return all that another party has, in a line; how many pieces of each."""
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

    def _table(self, type_: str, rows: dict[str, dict[str, Thing]], weight: int, wanted: set[str]) -> list[Part]:
        """Return columns side by side where they fit and no piece has more to show; else each by itself."""
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
            parts = [self._row(name, row, weight, wanted) for name, row in rows.items()]
            return [part for row in parts for part in row]
        return [Part("", [square], "", weight)]

    def _square(self, columns: Sequence[str], rows: dict[str, dict[str, Thing]]) -> list[str] | None:
        """Return labels, heads and cells in columns; None where they are wider than the screen."""
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

    def _row(self, name: str, row: dict[str, Thing], weight: int, marked: set[str]) -> list[Part]:
        """Return the parts of a zone or variable with an index: in full, in one line, or as a count, as room allows."""
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
            marks_row = isinstance(thing, Contents) and _holds(thing, marked)
            weight = WANTED if index in marked or marks_row else weight
        label = self.names.name(name)
        brief = self.names.labelled(label, str(count)) if count else ""
        return [Part(label, [full, [BETWEEN.join(line)]], brief, weight)]

    def _held(self, name: str, thing: Thing) -> list[str]:
        """Return all that is seen of a thing, whatever room it takes."""
        if isinstance(thing, Contents) and thing.pieces:
            lines = self._pieces(name, thing)
            return lines if len(lines) > 1 else [self.names.contents(name, thing, full=True)]
        return [self.names.thing(name, thing, full=True)]

    # ---- as lines

    def _fitted(self, sections: Sequence[Section], rows: int | None) -> list[Text]:
        """Return the lines of the sections; parts are folded one by one until they fit."""
        lines = self._lines(sections)
        while rows is not None and len(lines) > rows:
            open_ = [part for section in sections for part in section.parts if part.foldable]
            if not open_ and any(section.empty for section in sections):
                for section in sections:
                    section.empty = ""
                lines = self._lines(sections)
                continue
            if not open_:
                return [*lines[: max(rows - 1, 0)], Text(self.texts("cut"), LABEL)]
            max(open_, key=lambda part: part.turn).level += 1
            lines = self._lines(sections)
        return self._unfolded(sections, lines, rows) if rows is not None else lines

    def _unfolded(self, sections: Sequence[Section], lines: list[Text], rows: int) -> list[Text]:
        """Return the lines after all is unfolded again that there is room for, what matters most first."""
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
        text = Text.assemble("── ", (section.title, section.style), " ") if section.title else Text()
        text.truncate(self.width)
        text.append("─" * (self.width - text.cell_len))
        return text

    def _rows(self, rows: Iterable[tuple[str, Sequence[str]]]) -> list[Text]:
        """Return labels and their lines, side by side; what is too long goes on below."""
        listed = list(rows)
        room = min(max((cell_len(label) for label, _ in listed), default=0), max(self.width // 3, COLUMN))
        return [line for label, texts in listed for line in self._labelled(label, texts, room)]

    def _labelled(self, label: str, texts: Sequence[str], room: int) -> Iterator[Text]:
        """Yield the lines of a label and its texts side by side."""
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
        return wrapped(text, width or self.width)


def wrapped(text: Text, width: int) -> list[Text]:
    """Return a text as lines of so many columns; what goes on below its first line stands a little further in."""
    first, *more = wrap(text.plain, max(width, COLUMN))
    rest = wrap(" ".join(more), max(width - GAP, COLUMN)) if more else ()
    return [Text(first, text.style), *(Text(" " * GAP + line, text.style) for line in rest)]


def _split(part: RenderableType) -> Iterator[Text]:
    """Yield the lines of a text that may hold several."""
    assert isinstance(part, Text)
    for line in part.split("\n"):
        shown = Text(line.plain, part.style)
        for span in line.spans:
            shown.stylize(span.style, span.start, span.end)
        yield shown


def _holds(thing: Contents, wanted: set[str]) -> bool:
    """Return whether any of these pieces lies there."""
    pieces = thing.pieces if thing.pieces is not None else (thing.top,)
    return any(piece is not None and piece.id in wanted for piece in pieces)


def _names(share: Share) -> list[str]:
    return [*share.singles, *(name for rows in _tabled(share) for name in rows), *(name for name, _ in share.lists)]


def _flat(share: Share, names: Names) -> list[tuple[str, str, Thing]]:
    """Return all things one after the other, with what they are called and their names; of indexed ones those that hold
    anything."""
    things = [(names.name(name), name, thing) for name, thing in share.singles.items()]
    indexed: list[tuple[tuple[str, tuple[str, ...]], Thing]] = [
        ((name, (at,)), thing) for rows in _tabled(share) for name, row in rows.items() for at, thing in row.items()
    ]
    indexed += share.lists.items()
    return things + [(names.indexed(*key), key[0], thing) for key, thing in indexed if not is_empty(thing)]


def _tabled(share: Share) -> list[dict[str, dict[str, Thing]]]:
    return [*share.tables.values(), *share.boards.values()]
