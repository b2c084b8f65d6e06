"""Detection of changed rulesets, for `serve --watch`.

Enters: rulesets. Leaves: those whose files have changed since the last query, with their errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rulelang.cli.check import faults, with_variants
from rulelang.cli.watch import Stamp, folders_watched, stamps_of


class RulesetChanges:
    """A callable that returns the rulesets changed since its last call (at first all), with the errors of `check`."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._watched: dict[str, tuple[set[Path], dict[Path, Stamp]]] = {path: (set(), {}) for path in paths}

    def __call__(self) -> dict[str, str]:
        """Return path -> errors, empty if there are none, of each changed ruleset."""
        changed = {}
        for path, (folders, before) in self._watched.items():
            if not folders or stamps_of(folders) != before:
                # Stamps are taken before the check: a file saved while it runs counts as changed.
                folders = folders_watched(with_variants((path,), ()), ())
                self._watched[path] = folders, stamps_of(folders)
                changed[path] = faults(path)
        return changed
