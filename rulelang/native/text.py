"""C texts that say more than their letters: what may be read twice, which number it is, what a local holds.

Enters: names and numbers. Leaves: texts of C that know it of themselves.
"""

from __future__ import annotations


class Atom(str):
    """A name or a number, which may be read twice.

    Attributes:
        value: the number that it is; None for a name.
    """

    value: int | None

    def __new__(cls, text: str, value: int | None = None) -> Atom:
        """Make the text."""
        self = super().__new__(cls, text)
        self.value = value
        return self


class Element(Atom):
    """The name of an element that a loop goes through, which is never absent."""


class Address(str):
    """The address of a constant table, as a value.

    Attributes:
        table: the name of the table.
    """

    table: str

    def __new__(cls, table: str) -> Address:
        """Make the text."""
        self = super().__new__(cls, f"ADDRESS({table})")
        self.table = table
        return self


class Lazy(str):
    """A local that gets its value when it is first read, which may write to the arena."""


class PackedCounts(str):
    """A local with pieces of one zone, held as counts; as a text it is the list of them (see packed_locals.py).

    Attributes:
        counts: the name of the counts. first: the name of a piece of the first item in the zone.
    """

    counts: str
    first: str

    def __new__(cls, stem: str) -> PackedCounts:
        """Make the text of a local of this name."""
        counts, first = f"{stem}_counts", f"{stem}_first"
        self = super().__new__(cls, f"a_counted(g, {counts}, {first})")
        self.counts, self.first = counts, first
        return self


def numeral(value: int) -> Atom:
    """Return a small number that is not negative."""
    return Atom(str(value), value)


def atomic(text: str) -> bool:
    """Return whether the text is known to be a name or a number, so that it may be read twice."""
    return isinstance(text, Atom)


def literal(text: str) -> int | None:
    """Return the number that the text is known to be."""
    return text.value if isinstance(text, Atom) else None
