"""The log of a game: a persistent list that clones share.

Enters: one tuple for each event. Leaves: the entries in order; appending and cloning take constant time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rulelang.diagnostics import FuelError, counted
from rulelang.limits import EVENTS, EVENTS_OF_DECISION, current
from rulelang.runtime.waiting import plain

Entry = tuple[Any, ...]

ROUND = "round"


class LogFullError(FuelError):
    """The log of a game has reached the bound of `most_events`."""


class Log:
    """An immutable linked list that grows at its end, from `EMPTY` or a root.

    Attributes:
        entry, previous: the last entry, and the list before it. size: of its entries, counted against `most_events`.
        rounds: how many have begun. text: of the entry, once it was written (see `texts`).
        opening: of a root, the given position that the game began from; else None.
    """

    __slots__ = ("entry", "length", "opening", "previous", "rounds", "size", "text")

    def __init__(self, previous: Log | None, entry: Entry, size: int = 0) -> None:
        self.previous = previous
        self.entry = entry
        self.length: int = 0 if previous is None else previous.length + 1
        self.size = size
        self.rounds: int = 0 if previous is None else previous.rounds + (entry[0] == "begin" and entry[2] == ROUND)
        self.opening: Any = None
        self.text = ""

    @staticmethod
    def root(opening: Any) -> Log:
        """Return an empty log of a game that begins from the state `opening`."""
        new = Log(None, ())
        new.opening = opening
        return new

    def first(self) -> Log:
        """Return the empty log at the beginning of this one."""
        node = self
        while node.previous is not None:
            node = node.previous
        return node

    def back_to(self, length: int) -> Log:
        """Return the prefix of `length` entries."""
        node = self
        while node.length > length:
            assert node.previous is not None
            node = node.previous
        return node

    def begins_with(self, other: Log) -> bool:
        """Return whether the list `other` is a prefix of this one, as an object."""
        return len(other) <= len(self) and self.back_to(len(other)) is other

    def append(self, entry: Entry, decisions: int = 0) -> Log:
        """Return the list with one more entry, its collections as tuples; this one is not changed.

        Args:
            decisions: how many were made so far.

        Raises:
            LogFullError: the bound of `most_events` is reached.
        """
        size = self.size + 1
        for part in entry:
            if type(part) in (tuple, list):
                size += _members(part)
                if type(part) is list:  # entries are shared by clones, and looked up by their values
                    entry = plain(entry)
        if size > current().events and size > (most := most_events(decisions)):
            raise LogFullError(f"more happened than the log of a game holds ({counted(most, 'event')})")
        return Log(self, entry, size)

    def since(self, start: int = 0) -> list[Entry]:
        """Return the entries from number `start` on, oldest first, in time proportional to their number."""
        entries: list[Entry] = []
        node = self
        while node.previous is not None and node.length > start:
            entries.append(node.entry)
            node = node.previous
        entries.reverse()
        return entries

    def texts(self, write: Callable[[Entry], str]) -> list[str]:
        """Return the texts of all entries, oldest first; each is written once."""
        texts, node = [], self
        while node.previous is not None:
            node.text = node.text or write(node.entry)
            texts.append(node.text)
            node = node.previous
        texts.reverse()
        return texts

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.since())

    def __len__(self) -> int:
        return self.length


def most_events(decisions: int) -> int:
    """Return how many entries a log may have, with what they name, after so many decisions."""
    most = current().events
    return most + (EVENTS_OF_DECISION * decisions if most == EVENTS else 0)


def _members(values: Sequence[Any]) -> int:
    """Return the number of values in nested sequences, each sequence counted too."""
    return sum([_members(value) + 1 if type(value) in (tuple, list) else 1 for value in values])


EMPTY = Log(None, ())
