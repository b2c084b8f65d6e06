"""The file that holds what is known of one folder: tables of digests and names, bounded, those used last kept.

Enters: tables, keys, values of texts and numbers. Leaves: the same values, in a later run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rulelang.cache import CacheFolder

MEMORIES = CacheFolder("memory", ".json", 200)
BYTES = 4 << 20
"""A file is at most so large; what was used longest ago is left out."""

Value = str | int | Sequence["Value"]


class Memory:
    """What is known of a folder.

    Attributes:
        tables: table -> key -> value, those used last at the end. new: where it is set, it gets table, key and value
            of what is put.
    """

    def __init__(self, key: str) -> None:
        self._key, self._changed = key, False
        self.tables: dict[str, dict[str, Any]] = {}
        self.new: list[tuple[str, str, Any]] | None = None
        content = MEMORIES.load(key)
        self._size = len(content or b"")
        if content is not None:
            self.tables = json.loads(content)  # whoever wrote it was this engine: its name has the digest

    def get(self, table: str, key: str) -> Any:
        """Return a value, None if there is none; it counts as used."""
        rows = self.tables.get(table, {})
        if key not in rows:
            return None
        value = rows[key] = rows.pop(key)
        return value

    def put(self, table: str, key: str, value: Value) -> None:
        """Keep a value."""
        rows = self.tables.setdefault(table, {})
        if rows.pop(key, None) != value:
            self._changed = True
            self._size += len(key) + len(repr(value))
        rows[key] = value
        if self.new is not None:
            self.new.append((table, key, value))
        if self._size > 2 * BYTES:  # of a process that stays, and in which a check is rarely finished
            self._bounded()

    def save(self) -> None:
        """Write what has changed; a failure is ignored."""
        if self._changed:
            MEMORIES.replace(self._key, self._bounded())
            self._changed = False

    def _bounded(self) -> bytes:
        """Give up what was used longest ago as far as the whole is too large, and return it as a text."""
        content = _text(self.tables)
        while len(content) > BYTES:
            self.tables = {name: dict(list(rows.items())[len(rows) // 4 + 1 :]) for name, rows in self.tables.items()}
            content = _text(self.tables)
        self._size = len(content)
        return content


def _text(tables: dict[str, dict[str, Any]]) -> bytes:
    return json.dumps(tables, separators=(",", ":")).encode()
