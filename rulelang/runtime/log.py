"""The log of a game: a persistent list that clones share.

Enters: one tuple per thing that happened. Leaves: the entries in order; appending and cloning cost the same however
long the game was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Entry = tuple[Any, ...]


class Log:
    """An immutable list that grows at its end. `EMPTY` is the one to start from."""

    __slots__ = ("entry", "length", "previous")

    def __init__(self, previous: Log | None, entry: Entry) -> None:
        self.previous = previous
        self.entry = entry
        self.length: int = 0 if previous is None else previous.length + 1

    def append(self, entry: Entry) -> Log:
        """The list with one more entry; this one stays as it is."""
        return Log(self, entry)

    def since(self, start: int = 0) -> list[Entry]:
        """The entries from number `start` on, oldest first; the cost is that of what is returned."""
        found: list[Entry] = []
        node = self
        while node.previous is not None and node.length > start:
            found.append(node.entry)
            node = node.previous
        found.reverse()
        return found

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.since())

    def __len__(self) -> int:
        return self.length


EMPTY = Log(None, ())
