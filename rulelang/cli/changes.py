"""Which rulesets have changed, for who serves them (`serve --watch`).

Enters: rulesets. Leaves: those whose files have changed since it was asked last, with the errors that are in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rulelang.cli.check import faults, with_variants
from rulelang.cli.watch import Stamp, folders_watched, stamps_of


class Changes:
    """The rulesets whose files have changed since it was called last, the first time all; each with the errors that
    `check` finds in it and its variants, empty if there are none."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._watched: dict[str, tuple[set[Path], dict[Path, Stamp]]] = {path: (set(), {}) for path in paths}

    def __call__(self) -> dict[str, str]:
        """Return the paths of rulesets whose files have changed, each with what is wrong with it."""
        changed = {}
        for path, (folders, before) in self._watched.items():
            if not folders or stamps_of(folders) != before:
                # What is saved while the check runs is a change: the files are looked at before it.
                folders = folders_watched(with_variants((path,), ()), ())
                self._watched[path] = folders, stamps_of(folders)
                changed[path] = faults(path)
        return changed
