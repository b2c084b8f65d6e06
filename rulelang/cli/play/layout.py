"""Which form each part of the table has so that all of it fits a number of rows.

Enters: sections of parts, each with forms from the briefest to the fullest. Leaves: lines. A part begins in its
briefest form; forms are then taken in the order of their ranks, each if it still fits. Beside a board that leaves room
stands what is not the reader's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from rich.cells import cell_len

from rulelang.cli.console import EscapedText, wrap

GAP = 2
COLUMN = 8
"""Least width of a column; labels take a third of the screen at most."""
BESIDE, HIGH = 28, 8
"""Columns that parts need beside a board, and lines of a board that has parts beside it."""
BETWEEN = " · "
LABEL = "dim"

ALWAYS, HELD, GRID, OFFERED, COUNTS, OTHERS, ALONG, OWN, LEGEND = range(9)
VALUES, OPEN, CHOSEN, ABROAD, PILES, SIDES, DETAILS, MANY, EMPTY, DEEDS = range(9, 19)
"""Ranks of forms: the reader's pieces by name; the board; zones of offered pieces; the shared zones and the other
parties in numbers; what lies along the board's sides, drawn there; the reader's pieces in full; the board's legend;
values of its cells; shared pieces by name; offered ones in full; the other parties in full; piles; empty places along a
board's sides; shared pieces in full; zones of many different pieces by name; what is empty; what pieces do."""
FEW = 8
"""So many different pieces of a zone are named before other zones are shown in full."""

Form = str | list[str] | list[EscapedText] | tuple[str, ...]
"""A text that shares lines with others (empty: not shown), lines beside the label, a drawing, or short texts to be
packed into lines."""


@dataclass
class Foldable:
    """A zone, a variable, a party or a board.

    Attributes:
        forms: pairs of rank and form, the briefest first. brief, named: number and names of its pieces in one line.
        level: index of the current form. legend: whether it is a board's legend.
    """

    label: str
    forms: Sequence[tuple[int, Form]]
    brief: str = ""
    named: str = ""
    level: int = 0
    legend: bool = False

    @property
    def form(self) -> Form:
        """Return the current form."""
        return self.forms[self.level][1]

    def fitting(self, width: int) -> Form:
        """Return the current form; instead of a drawing that is too wide the one before."""
        wide = max((line.cell_len for line in self.form if isinstance(line, EscapedText)), default=0)
        return self.form if wide <= width else self.forms[self.level - 1][1]


@dataclass
class Section:
    """What belongs to one owner."""

    title: str
    style: str
    boards: list[Foldable] = field(default_factory=list)
    parts: list[Foldable] = field(default_factory=list)
    empty: Foldable | None = None
    own: bool = False

    @property
    def all(self) -> list[Foldable]:
        """Return all parts."""
        return [*self.boards, *self.parts, *([self.empty] if self.empty else [])]


class TableSections:
    """The sections of a table, the shared one first.

    Args:
        width: of the terminal. cut: what the title says where something is not shown.
    """

    def __init__(self, sections: Sequence[Section], width: int, cut: str) -> None:
        self.sections, self.width, self.cut = sections, width, cut
        self._cropped = False
        self._parts = [part for section in sections for part in section.all]
        self._steps = sorted(
            (min(rank for rank, _ in part.forms[level:]), level, number)
            for number, part in enumerate(self._parts)
            for level in range(1, len(part.forms))
        )

    def height(self, rank: int) -> int:
        """Return the number of lines with all forms up to a rank."""
        for part in self._parts:
            part.level = max(level for level, (needed, _) in enumerate(part.forms) if not level or needed <= rank)
        return len(self._lines())

    def lines(self, rows: int | None) -> list[EscapedText]:
        """Return the lines, `rows` at most (None: any number)."""
        self.height(ALWAYS)
        for _, level, number in self._steps:
            part = self._parts[number]
            if part.level == level - 1:
                part.level = level
                if rows is not None and len(self._lines()) > rows:
                    part.level -= 1
        lines = self._lines()
        if rows is None or len(lines) <= rows:
            return lines
        self._cropped = True
        lines, own = self._lines(), self._own()
        return [*lines[: max(rows - len(own), 1)], *own][:rows]

    def own(self) -> list[EscapedText]:
        """Return the reader's section in its briefest form that has all names."""
        self.height(HELD)
        return self._own()

    def _own(self) -> list[EscapedText]:
        """Return the reader's section."""
        return [line for section in self.sections if section.own for line in self._section(section, self.width)]

    # ---- as lines

    def _lines(self) -> list[EscapedText]:
        """Return the lines of all sections."""
        shared, *rest = self.sections
        drawn = self._drawn(shared, self.width, (False,))
        wide = max((line.cell_len for line in drawn), default=0) + GAP
        high = max((len(part.form) for part in shared.boards if isinstance(part.form, list)), default=0)
        if high < HIGH or self.width - wide < BESIDE:
            return [line for section in self.sections for line in self._section(section, self.width)]
        room = self.width - wide
        others = [self._section(section, room) for section in rest if not section.own]
        beside = [*self._drawn(shared, room, (True,)), *self._placed(shared, room), *chain.from_iterable(others)]
        lines = [self._heading(shared, self.width)]
        for left, right in zip_longest(drawn, beside, fillvalue=EscapedText()):
            line = EscapedText()
            line.append_text(left)
            line.pad_right((wide - left.cell_len) * bool(right))
            line.append_text(right)
            lines.append(line)
        return [*lines, *self._own()]

    def _section(self, section: Section, width: int) -> list[EscapedText]:
        """Return the lines of a section; none where nothing of another party is shown."""
        body = [*self._drawn(section, width), *self._placed(section, width)]
        shown = body or section.own or section is self.sections[0]
        return [self._heading(section, width), *body] if shown else []

    def _drawn(self, section: Section, width: int, legends: Collection[bool] = (False, True)) -> list[EscapedText]:
        """Return the lines of the boards, of their legends, or both."""
        boards = [part for part in section.boards if part.legend in legends and part.form]
        return [line for part in boards for line in _lines_of(part.fitting(width), width)]

    def _placed(self, section: Section, width: int) -> list[EscapedText]:
        """Return the lines of the parts: those with rows one by one, then the others together."""
        forms = [(part.label, part.fitting(width)) for part in section.parts]
        lines = beside_labels([(label, form) for label, form in forms if not isinstance(form, str)], width)
        flow = [form for _, form in forms if isinstance(form, str) and form]
        lines += wrapped(EscapedText(BETWEEN.join(flow)), width) if flow else []
        empty = section.empty.form if section.empty is not None else ""
        return lines + (wrapped(EscapedText(str(empty), LABEL), width) if empty else [])

    def _heading(self, section: Section, width: int) -> EscapedText:
        """Return a heading as wide as the screen."""
        text = EscapedText.assemble("── ", (section.title, section.style), " ") if section.title else EscapedText()
        text.truncate(width)
        parts = (part for section in self.sections for part in (*section.boards, *section.parts))
        unseen = self._cropped or any(not part.form for part in parts)
        note = f" {self.cut} ──" if unseen and section is self.sections[0] else ""
        text.append("─" * (width - text.cell_len))
        if note and text.cell_len - cell_len(note) > cell_len(section.title) + 4:
            text.right_crop(cell_len(note))
            text.append(note, LABEL)
        return text


def beside_labels(rows: Sequence[tuple[str, Form]], width: int) -> list[EscapedText]:
    """Return labels with their lines beside them, wrapped."""
    room = min(max((cell_len(label) for label, _ in rows), default=0), max(width // 3, COLUMN))
    return [line for label, form in rows for line in _labelled(label, form, room, width)]


def _labelled(label: str, form: Form, room: int, width: int) -> Iterator[EscapedText]:
    """Yield the lines of a label and its texts side by side; `room`: columns of the label."""
    if not label:
        yield from _lines_of(form, width)
        return
    left = wrapped(EscapedText(label, LABEL), room)
    right = _lines_of(form, width - room - GAP)
    for name, text in zip_longest(left, right, fillvalue=EscapedText()):
        line = EscapedText()  # of no style: that of a line's start would be that of all that follows
        line.append_text(name)
        line.pad_right(room + GAP - line.cell_len)
        line.append_text(text)
        yield line


def _lines_of(form: Form, width: int) -> list[EscapedText]:
    """Return the lines of a form, wrapped; short texts side by side as they fit."""
    if isinstance(form, tuple):
        packed: list[EscapedText] = []
        for text in form:
            if packed and packed[-1].cell_len + GAP + cell_len(text) <= width:
                packed[-1].append(" " * GAP + text)
            else:
                packed.append(EscapedText(text, LABEL))
        form = packed
    texts = [form] if isinstance(form, str) else form
    return [line for text in texts for line in wrapped(EscapedText(text) if isinstance(text, str) else text, width)]


def wrapped(text: EscapedText, width: int) -> list[EscapedText]:
    """Return a text as lines of at most `width` columns, all but the first indented."""
    if text.cell_len <= width:
        return [text]
    first, *more = wrap(text.plain, max(width, COLUMN))
    rest = wrap(" ".join(more), max(width - GAP, COLUMN)) if more else ()
    return [EscapedText(first, text.style), *(EscapedText(" " * GAP + line, text.style) for line in rest)]


def ended(line: EscapedText, sign: str, width: int) -> EscapedText:
    """Return a line that ends in a sign, cut where it would be too wide."""
    text = line.plain
    while cell_len(text) + cell_len(sign) >= width:
        text = text.rpartition(" ")[0] if " " in text.strip() else text[:-1]
    return EscapedText(f"{text} {sign}", line.style)
