"""The options of a decision as a list that a person finds their way in.

Enters: the actions that are offered, in their order. Leaves: numbered lines, in groups where there are several things
to do, a page at a time; the options that hold words. An option keeps its number whatever is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Group, RenderableType

from rulelang.cli.console import Console, Text
from rulelang.cli.play.names import Names, folded, holding
from rulelang.game import Action

FEW = 7
"""So many options need no headings."""
MANY = 12
"""More than so many of one sort are grouped by what is chosen first."""
GAP = 3

NUMBER, HEADING = "bold yellow", "bold"
_MEASURE = Console(width=80)
"""Only wraps texts; prints nothing."""


@dataclass(frozen=True)
class Option:
    """An action with its number and words."""

    number: int
    action: Action
    text: str

    @property
    def searched(self) -> str:
        """What search words are looked for in."""
        return folded(f"{self.text} {self.action.id}")


class Options:
    """The options of one decision."""

    def __init__(self, actions: Sequence[Action], names: Names) -> None:
        self.names = names
        self.all = [Option(number, action, action.text(names.lang)) for number, action in enumerate(actions, 1)]

    def __len__(self) -> int:
        return len(self.all)

    def numbered(self, number: int) -> Option | None:
        """The option with this number."""
        return self.all[number - 1] if 1 <= number <= len(self.all) else None

    def called(self, text: str) -> Option | None:
        """The option that is called so: its id, or its words."""
        wanted = folded(text)
        for option in self.all:
            if text == option.action.id or wanted == folded(option.text):
                return option
        return None

    def search(self, words: str) -> list[Option]:
        """The options that hold all these words; if none does, those that hold them as parts of words."""
        return [self.all[n] for n in holding(words, [option.searched for option in self.all])]

    # ---- as lines

    def page(self, options: Sequence[Option], start: int, width: int, rows: int) -> tuple[RenderableType, int]:
        """As many options from `start` on as fit so many rows, and where the next page starts (0: there is none)."""
        room = rows * self._columns(options, width)
        shown = options[start : start + room]
        after = start + len(shown)
        return self.lines(shown, width), after if after < len(options) else 0

    def lines(self, options: Sequence[Option], width: int) -> RenderableType:
        """The options, in groups where that helps."""
        groups = self.groups(options)
        digits = len(str(len(self.all)))
        parts: list[RenderableType] = []
        for heading, members in groups:
            if heading:
                parts.append(Text(heading, HEADING))
            elif parts:
                parts.append(Text())
            parts += self._block(members, width, digits)
        return Group(*parts)

    def groups(self, options: Sequence[Option]) -> list[tuple[str, list[Option]]]:
        """Options with a heading: by what is done; where that is one thing, by what is chosen first."""
        if len(options) <= FEW:
            return [("", list(options))]
        items: dict[str, list[Option]] = {}
        for option in options:
            items.setdefault(str(option.action.data["item"]), []).append(option)
        if len(items) == 1 and len(options) > MANY:
            return self._by_argument(options)
        if len(items) == 1 or len(items) == len(options):
            return [("", list(options))]
        return self._by_item(items)

    def _by_item(self, items: Mapping[str, list[Option]]) -> list[tuple[str, list[Option]]]:
        """Options by what is done; those of which there is but one need no heading, as they say it themselves."""
        found: list[tuple[str, list[Option]]] = []
        for item, members in items.items():
            if len(members) > 1:
                found.append((self.names.heading(str(members[0].action.data["rule"]), item), members))
            elif found and not found[-1][0]:
                found[-1][1].extend(members)
            else:
                found.append(("", list(members)))
        return found

    def _by_argument(self, options: Sequence[Option]) -> list[tuple[str, list[Option]]]:
        """Options of one sort by their first argument, if there is another one to tell them apart."""
        arguments = options[0].action.data["arguments"]
        if len(arguments) < 2:
            return [("", list(options))]
        first = next(iter(arguments))
        found: dict[str, list[Option]] = {}
        for option in options:
            value = self.names.value(option.action.data["arguments"].get(first))
            found.setdefault(self.names.labelled(self.names.name(first), value), []).append(option)
        return list(found.items())

    def _columns(self, options: Sequence[Option], width: int) -> int:
        """How many options stand side by side."""
        if len(options) <= FEW:
            return 1
        return max(1, (width + GAP) // (self._cell(options) + GAP))

    def _cell(self, options: Sequence[Option]) -> int:
        return len(str(len(self.all))) + 4 + max(cell_len(option.text) for option in options)

    def _block(self, options: Sequence[Option], width: int, digits: int) -> list[RenderableType]:
        """Numbered lines, in as many columns as fit, filled downwards."""
        columns = min(self._columns(options, width), len(options))
        if columns == 1:
            return [self._line(option, width, digits) for option in options]
        rows = -(-len(options) // columns)
        cell = self._cell(options)
        found: list[RenderableType] = []
        for row in range(rows):
            line = Text()
            for option in options[row::rows]:
                line.pad_right(max(0, -(-line.cell_len // (cell + GAP)) * (cell + GAP) - line.cell_len))
                line.append_text(self._entry(option.number, option.text, digits))
            found.append(line)
        return found

    def _entry(self, number: int, text: str, digits: int) -> Text:
        return Text.assemble("  ", (str(number).rjust(digits), NUMBER), "  ", text)

    def _line(self, option: Option, width: int, digits: int) -> Text:
        """One option; what does not fit in the line goes on below, as far in."""
        margin = digits + 4
        first, *more = Text(option.text or "?").wrap(_MEASURE, max(width - margin, 8))
        return Text.assemble(
            self._entry(option.number, first.plain.rstrip(), digits),
            *(f"\n{' ' * margin}{line.plain.rstrip()}" for line in more),
        )
