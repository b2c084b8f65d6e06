"""The options of a decision as a list: numbered, grouped, paged, searchable.

Enters: the legal actions, in their order. Leaves: numbered lines, in groups where there are several menu items, a page
at a time; the options that contain words. An option keeps its number in any list. The option that ends a repeated
choice has the number 0 and stands at the end of every page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len

from rulelang.cli.console import EscapedText, wrap
from rulelang.cli.play.layout import ended
from rulelang.game import Action
from rulelang.game.choosing import ChoosingOfMany
from rulelang.languages import folded
from rulelang.table.names import Names
from rulelang.table.view import Piece, split_piece
from rulelang.words.phrases import capital
from rulelang.words.search import WORDS, holding

UNGROUPED = 7
"""Most options that are listed without headings."""
MOST_OF_ITEM = 12
"""More options of one menu item are grouped by their first argument."""
MOST_FOUND = 1000
"""Of many options, the first ones with the words that are searched."""
MOST_MEASURED = 1024
"""Of more options the widths of those that come next decide how many stand side by side."""
GAP = 3

LEAVE = 0
"""The number of the option that ends a repeated choice."""

NUMBER, HEADING = "bold yellow", "bold"


@dataclass(frozen=True)
class NumberedAction:
    """An action with its number, and the language of its text."""

    number: int
    action: Action
    lang: str

    @property
    def text(self) -> str:
        """Return the action in words; of many only those that are shown are made."""
        return self.action.text(self.lang)

    @property
    def searched(self) -> str:
        """Return the folded text in which words are searched."""
        return folded(f"{self.text} {self.action.id}")


class OptionMenu:
    """The options of one decision.

    Args:
        lying: (type, value) -> the only piece that lies there, where each value of the type has room for one.
    """

    def __init__(
        self, actions: Sequence[Action], names: Names, lying: Mapping[tuple[str, str], Piece] | None = None
    ) -> None:
        self.names = names
        self._lying = lying or {}
        self._shown: dict[tuple[int, bool], str] = {}
        acting = [action for action in actions if not action.leaves]
        self.all = [NumberedAction(number, action, names.lang) for number, action in enumerate(acting, 1)]
        self._many = ChoosingOfMany.of(actions, ())
        self.all += [NumberedAction(LEAVE, action, names.lang) for action in actions if action.leaves]

    def __len__(self) -> int:
        return len(self.all)

    @property
    def first(self) -> int:
        """Return the lowest number of an option."""
        return LEAVE if self.numbered(LEAVE) is not None else 1

    @property
    def last(self) -> int:
        """Return the highest number of an option."""
        return max((option.number for option in self.all), default=0)

    def numbered(self, number: int) -> NumberedAction | None:
        """Return the option with this number; None without one."""
        return next((option for option in self.all if option.number == number), None)

    def called(self, text: str) -> NumberedAction | None:
        """Return the option with this id, text or notation; None without one."""
        name = folded(text)
        if self._many is not None:
            return self._called_of_many(text, name)
        for option in self.all:
            if text == option.action.id or name == folded(option.text):
                return option
        place = self.all[0].action.offer.meant(text, self.names.lang) if self.all else -1
        return next((option for option in self.all if option.action.place == place), None)

    def _called_of_many(self, id_: str, name: str) -> NumberedAction | None:
        """Return the option of many with this id or folded text: that of the things that the text names, or what ends a
        repeated choice."""
        assert self._many is not None
        place = self.all[0].action.offer.find(id_)
        if place >= 0:
            return next(option for option in self.all if option.action.place == place)
        words = " ".join(word for word in WORDS.findall(name) if self._many.is_named(word, self._label))
        candidates = [*(self._listed(words, 1) if words else ()), *self.all[-1:]]
        return next((option for option in candidates if name == folded(option.text)), None)

    def found(self, words: str) -> int:
        """Return how many options `search` finds."""
        return len(self.search(words)) if self._many is None else self._many.found(words, self._label, MOST_FOUND)

    def _listed(self, words: str, most: int) -> list[NumberedAction]:
        """Return the first options of many that select what these words name, those of fewer things first."""
        assert self._many is not None
        actions = self._many.listed(most, words, self.names.lang, self._label)
        numbered = {option.action.place: option for option in self.all}
        return [numbered[action.place] for action in actions]

    def _label(self, pick: str) -> str:
        """Return a thing that can be selected in words."""
        part = self._many.part(pick) if self._many is not None else None
        text = part.value.partition(".")[0] if part is not None else ""
        id_, _, owner = text.partition("@")
        is_piece = part is not None and part.type.core.kind == "piece"
        return f"{self.names.piece(Piece(id_, owner)) if is_piece else self.names.index(text)} {text}"

    def search(self, words: str) -> list[NumberedAction]:
        """Return the options that contain all these words; if none does, those that contain them as parts of words. Of
        many, the first `MOST_FOUND` of them."""
        if self._many is not None:
            return self._listed(words, MOST_FOUND)
        return [self.all[n] for n in holding(words, [option.searched for option in self.all])]

    # ---- as lines

    def shown(self, option: NumberedAction, brief: bool = False) -> str:
        """Return an option as it is listed: with the attributes of the only piece that it is about, or with the piece
        that lies where it leads (`brief`: without its attributes)."""
        if (option.number, brief) not in self._shown:
            told = self._told(option)
            self._shown[option.number, brief] = f"{option.text} — {told[1 + brief]}" if told else option.text
        return self._shown[option.number, brief]

    def _told(self, option: NumberedAction) -> tuple[str, str, str] | None:
        """Return the row, the text and the brief text of what is told of the piece that an option is about; None if
        there is none."""
        parts = option.action.parts if self._many is None else ()
        pieces = [split_piece(part.value)[0].partition(".")[0] for part in parts if part.type.core.kind == "piece"]
        lying = [self._lying[at] for part in parts if (at := (part.type.core.name, part.value)) in self._lying]
        if not pieces and not lying and self._many is None:
            about = [split_piece(text)[0].partition(".")[0] for text in option.action.offer.about]
            pieces = [id_ for id_ in about if folded(self.names.row(id_)) in folded(option.text)]
        if len(pieces) + len(lying) != 1:
            return None
        if pieces:
            return (pieces[0], facts, facts) if (facts := self.names.facts.of(pieces[0])) else None
        facts, name = self.names.facts.of(lying[0].id), self.names.piece(lying[0])
        return lying[0].id, f"{name} ({facts})" if facts else name, name

    @cached_property
    def told(self) -> set[str]:
        """Return the rows of which the options tell what they are."""
        options = self.all if self._many is None and len(self.all) <= MOST_MEASURED else ()
        return {told[0] for option in options if (told := self._told(option))}

    @cached_property
    def named(self) -> set[str]:
        """Return the rows of pieces and the values that the options name."""
        if self._many is not None:
            return {split_piece(part.value)[0] for _, part in self._many.parts}
        values = [value for option in self.all for value in option.action.data["arguments"].values()]
        texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
        return {split_piece(text)[0] for text in texts if isinstance(text, str)}

    def page(
        self, options: Sequence[NumberedAction], start: int, width: int, rows: int
    ) -> tuple[list[EscapedText], int]:
        """Return the lines of the options from `start` on that fit `rows`, and the start of the next page (0: there is
        none)."""
        leave = [option for option in options if option.number == LEAVE]
        others = [option for option in options if option.number != LEAVE]
        measured = options if len(options) <= MOST_MEASURED else others[start : start + MOST_MEASURED] + leave
        for dense in (False, True):
            shown = others[start : start + rows * self._columns(measured, width, dense)]
            lines = self.lines([*shown, *leave], width, dense)
            if len(lines) <= rows and start + len(shown) == len(others):
                return lines, 0
        while len(lines) > rows and len(shown) > 1:
            del shown[-1]
            lines = self.lines([*shown, *leave], width, True)
        if len(lines) > rows:  # one option alone is too long
            kept = max(rows - len(leave), 1)
            lines[kept - 1 : len(lines) - len(leave)] = [ended(lines[kept - 1], "…", width)]
        after = start + len(shown)
        return lines, after if after < len(others) else 0

    def lines(self, options: Sequence[NumberedAction], width: int, dense: bool = False) -> list[EscapedText]:
        """Return the lines of options, in groups with headings.

        Args:
            dense: whether few options stand side by side, too, and briefly.
        """
        groups = self.groups(options)
        digits = len(str(len(self.all)))
        parts: list[EscapedText] = []
        for heading, members in groups:
            if heading:
                parts.append(EscapedText(capital(heading), HEADING))
            elif parts and members[0].number != LEAVE:
                parts.append(EscapedText())
            parts += self._block(members, width, digits, dense)
        return parts

    def groups(self, options: Sequence[NumberedAction]) -> list[tuple[str, list[NumberedAction]]]:
        """Return (heading, options) groups: by menu item; of one item by the first argument."""
        leave = [option for option in options if option.number == LEAVE]
        return [*self._groups([option for option in options if option.number != LEAVE]), *([("", leave)] * bool(leave))]

    def _groups(self, options: Sequence[NumberedAction]) -> list[tuple[str, list[NumberedAction]]]:
        """Group options by menu item; a short list has one group."""
        if len(options) <= UNGROUPED:
            return [("", list(options))] if options else []
        items: dict[str, list[NumberedAction]] = {}
        for option in options:
            items.setdefault(str(option.action.data["item"]), []).append(option)
        if len(items) == 1 and len(options) > MOST_OF_ITEM:
            return self._by_argument(options)
        if len(items) == 1 or len(items) == len(options):
            return [("", list(options))]
        return self._by_item(items)

    def _by_item(self, items: Mapping[str, list[NumberedAction]]) -> list[tuple[str, list[NumberedAction]]]:
        """Group options by menu item; items with one option are grouped without a heading."""
        groups: list[tuple[str, list[NumberedAction]]] = []
        for item, members in items.items():
            if len(members) > 1:
                groups.append((self.names.heading(str(members[0].action.data["rule"]), item), members))
            elif groups and not groups[-1][0]:
                groups[-1][1].extend(members)
            else:
                groups.append(("", list(members)))
        return groups

    def _by_argument(self, options: Sequence[NumberedAction]) -> list[tuple[str, list[NumberedAction]]]:
        """Group options of one item by their first argument, if there is a second one."""
        arguments = options[0].action.data["arguments"]
        if len(arguments) < 2:
            return [("", list(options))]
        first = next(iter(arguments))
        by_value: dict[str, list[NumberedAction]] = {}
        for option in options:
            value = self.names.value(option.action.data["arguments"].get(first))
            by_value.setdefault(self.names.labelled(self.names.name(first), value), []).append(option)
        return list(by_value.items())

    def _columns(self, options: Sequence[NumberedAction], width: int, dense: bool) -> int:
        """Return how many options fit side by side."""
        if len(options) <= UNGROUPED and not dense:
            return 1
        return max(1, (width + GAP) // (self._cell_width(options, dense) + GAP))

    def _cell_width(self, options: Sequence[NumberedAction], brief: bool) -> int:
        """Return the columns of the widest option."""
        return len(str(len(self.all))) + 4 + max(cell_len(self.shown(option, brief)) for option in options)

    def _block(self, options: Sequence[NumberedAction], width: int, digits: int, dense: bool) -> list[EscapedText]:
        """Return numbered lines in as many columns as fit, filled downwards.

        Args:
            digits: width of numbers.
        """
        columns = min(self._columns(options, width, dense), len(options))
        if columns == 1:
            return [line for option in options for line in self._line(option, width, digits, dense)]
        rows = -(-len(options) // columns)
        cell = self._cell_width(options, dense)
        lines: list[EscapedText] = []
        for row in range(rows):
            line = EscapedText()
            for option in options[row::rows]:
                line.pad_right(max(0, -(-line.cell_len // (cell + GAP)) * (cell + GAP) - line.cell_len))
                line.append_text(self._entry(option.number, self.shown(option, dense), digits))
            lines.append(line)
        return lines

    def _entry(self, number: int, text: str, digits: int) -> EscapedText:
        """Return a number and a text as they stand in a list."""
        return EscapedText.assemble("  ", (str(number).rjust(digits), NUMBER), "  ", text)

    def _line(self, option: NumberedAction, width: int, digits: int, brief: bool) -> list[EscapedText]:
        """Return the lines of one option, wrapped and indented."""
        margin = digits + 4
        first, *more = wrap(self.shown(option, brief) or "?", max(width - margin, 8))
        return [self._entry(option.number, first, digits), *(EscapedText(f"{' ' * margin}{line}") for line in more)]
