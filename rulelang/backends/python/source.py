"""The text of generated code as it grows: lines, the site that each came from, and the objects that the text names.

Enters: lines and objects. Leaves: a `Source`, which can be printed, compiled and asked where a line came from.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rulelang.backends.python.handfuls import Groups, Handfuls
from rulelang.backends.python.handfuls import Totals as CountedTotals
from rulelang.backends.python.selections import Totals
from rulelang.ir.program import Program

STEP = "    "
BRIEF = 60
"""A tuple whose text is no longer stands where it is used; Python makes it once."""


def plain_name(name: str) -> str:
    """A name that Python takes, as near to this one as can be."""
    found = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return f"{found}_" if not found or found[0].isdigit() or keyword.iskeyword(found) else found


class Source:
    """A module in the making.

    Attributes:
        lines, sites, owners: the text and, for each line, the site it came from (-1: none) and the procedure.
        owner: the procedure that is being written.
        names: what the text names besides its own functions.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.sites: list[int] = []
        self.owners: list[int] = []
        self.owner = -1
        self.names: dict[str, Any] = {}
        self._depth = 0
        self._site = -1
        self._told = -1
        self._known: dict[tuple[str, Any], str] = {}
        self._fresh = 0

    # ---- lines

    def line(self, text: str) -> None:
        """One more line."""
        self.lines.append(STEP * self._depth + text)
        self.sites.append(self._site)
        self.owners.append(self.owner)

    def at(self, site: int) -> None:
        """What follows comes from this site; a remark says so where the place is another one than before."""
        self._site = site
        if 0 <= site < len(self.program.sites) and site != self._told:
            self._told = site
            where = self.program.sites[site]
            self.line(f"# {where.rule}, {where.path}:{where.line}")

    def insert(self, place: int, text: str, depth: int | None = None) -> None:
        """A line before another one of the same block, which is indented so far (as the next line if left out)."""
        self.lines.insert(place, STEP * (self._depth if depth is None else depth) + text)
        self.sites.insert(place, -1)
        self.owners.insert(place, self.owner)

    def cut(self, place: int, depth: int = 0) -> None:
        """Takes back the lines from a place on, which was indented so far."""
        del self.lines[place:], self.sites[place:], self.owners[place:]
        self._depth, self._told = depth, -1

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """The lines made inside stand under this head."""
        self.line(head)
        self._depth += 1
        before = len(self.lines)
        yield
        if all(line.lstrip().startswith("#") for line in self.lines[before:]):
            self.line("pass")
        self._depth -= 1

    @property
    def depth(self) -> int:
        """How far the next line is indented."""
        return self._depth

    def fresh(self, prefix: str) -> str:
        """A name of a Python variable that no other has."""
        self._fresh += 1
        return f"{prefix}{self._fresh}"

    # ---- objects

    def constant(self, value: Any) -> str:
        """How a constant value is written; lists are made once, as no rule changes them."""
        if isinstance(value, bool | int):
            return str(int(value)) if value >= 0 else f"({int(value)})"
        text = repr(value)
        if isinstance(value, tuple) and len(text) <= BRIEF and "[" not in text:
            return text
        return self._named("K", text, value)

    def shared(self, prefix: str, value: Any) -> str:
        """A name for an object, the same for the same one."""
        return self._named(prefix, id(value), value)

    def getter(self, table: Sequence[Any]) -> str:
        """A name for what looks something up in a table."""
        return self._named("look", id(table), table.__getitem__)

    def listed(self, handfuls: Handfuls) -> str:
        """A name for what lists the items that a number stands for."""
        return self.shared("listed", handfuls.listed)

    def unpacked(self, handfuls: Handfuls, number: str) -> str:
        """A new list of the items that the number of a text stands for, not remembered."""
        return f"{self.shared('unpack', handfuls.unpack)}({number})"

    def size(self, handfuls: Handfuls, number: str) -> str:
        """How many pieces the number of a text stands for."""
        return f"{self.shared('size', handfuls.size)}({number})"

    def common(self, handfuls: Handfuls, one: str, other: str) -> str:
        """What is in both numbers."""
        return f"{self.shared('common', handfuls.common)}({one}, {other})"

    def units(self, handfuls: Handfuls) -> str:
        """A name for the numbers of single pieces."""
        return self.shared("units", handfuls.units)

    def packed(self, handfuls: Handfuls, items: str) -> str:
        """The number of the items of a text."""
        return f"{self.shared('pack', handfuls.pack)}({items})"

    def counted_totals(self, handfuls: Handfuls, table: Sequence[int]) -> str:
        """A name for what remembers sums of what is in a table, by number."""
        return self._named("totals", (id(handfuls), id(table)), CountedTotals(handfuls, table))

    def of_groups(self, handfuls: Handfuls, value: str) -> str:
        """A name for what remembers what a text gives for a `group`, by its number; 0 for that of nothing."""
        return self._named("groups", value, Groups(handfuls, eval(f"lambda group: {value}", self.names)))

    def totals(self, table: Sequence[int]) -> str:
        """A name for what remembers sums of what is in a table."""
        return self._named("totals", id(table), Totals(table))

    def _named(self, prefix: str, key: Any, value: Any) -> str:
        if (prefix, key) not in self._known:
            name = f"{prefix}{len(self._known)}"
            self._known[prefix, key] = name
            self.names[name] = value
        return self._known[prefix, key]

    def text(self) -> str:
        """The whole module."""
        return "\n".join(self.lines) + "\n"
