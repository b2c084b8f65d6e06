"""The log of a game: a persistent list that clones share.

Enters: one tuple per thing that happened. Leaves: the entries in order; appending and cloning cost the same however
long the game was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulelang.diagnostics import FuelError
from rulelang.limits import current

Entry = tuple[Any, ...]

ROUND = "round"


class LogFullError(FuelError):
    """The log of a game has no room for one more entry."""


class Log:
    """An immutable list that grows at its end. `EMPTY` is the one to start from.

    Attributes:
        size: what its entries count against `Limits.events`. rounds: how many rounds have begun.
        opening: of a root, the state that a game began from that was not at its own beginning; else None.
    """

    __slots__ = ("entry", "length", "opening", "previous", "rounds", "size")

    def __init__(self, previous: Log | None, entry: Entry, size: int = 0) -> None:
        self.previous = previous
        self.entry = entry
        self.length: int = 0 if previous is None else previous.length + 1
        self.size = size
        self.rounds: int = 0 if previous is None else previous.rounds + (entry[0] == "begin" and entry[2] == ROUND)
        self.opening: Any = None

    @staticmethod
    def root(opening: Any) -> Log:
        """Return an empty log of a game that begins from this state."""
        new = Log(None, ())
        new.opening = opening
        return new

    def first(self) -> Log:
        """Return the empty log that this one began from."""
        node = self
        while node.previous is not None:
            node = node.previous
        return node

    def back_to(self, length: int) -> Log:
        """Return the log as it was when it had `length` entries."""
        node = self
        while node.length > length:
            assert node.previous is not None
            node = node.previous
        return node

    def begins_with(self, other: Log) -> bool:
        """Return whether all of another list is the beginning of this one."""
        return len(other) <= len(self) and self.back_to(len(other)) is other

    def append(self, entry: Entry) -> Log:
        """Return the list with one more entry; this one stays as it is.

        Raises:
            LogFullError: it has as many as a game may have.
        """
        size = self.size + 1
        for part in entry:
            if type(part) in (tuple, list):
                size += _members(part)
        most = current().events
        if size > most:
            raise LogFullError(f"more happened than the log of a game holds ({most} events)")
        return Log(self, entry, size)

    def since(self, start: int = 0) -> list[Entry]:
        """Return the entries from number `start` on, oldest first; the cost is that of what is returned."""
        entries: list[Entry] = []
        node = self
        while node.previous is not None and node.length > start:
            entries.append(node.entry)
            node = node.previous
        entries.reverse()
        return entries

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.since())

    def __len__(self) -> int:
        return self.length


def _members(values: Sequence[Any]) -> int:
    return sum([_members(value) + 1 if type(value) in (tuple, list) else 1 for value in values])


EMPTY = Log(None, ())
