"""Run a check again whenever a file that it reads changes.

Enters: rulesets, overlays and the check. Leaves: what the check prints, anew after each change, until Ctrl-C. Files are
polled by modification time, size and inode: that works on every system and file system, and needs no library.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from rulelang.cli.output import say

POLL_SECONDS = 0.5
_READ = ("*.yaml", "*.yml", "*.rule", "*.py", "scenarios/*.yaml", "variants/*/ruleset.yaml")
"""What decides, in a ruleset's folder, what `check` finds; a variant that is checked too is a folder of its own."""

Stamp = tuple[int, int, int]


def watch(check: Callable[[], int], paths: Callable[[], Iterable[str]], overlays: Sequence[str]) -> None:
    """Call `check` now and after every change of what it reads; ends by KeyboardInterrupt alone.

    Args:
        check: prints its findings.
        paths: the rulesets that are checked, as they are now: a variant may be added meanwhile.
        overlays: what is laid over each of them.
    """
    while True:
        # What is saved while the check runs is a change: the files are looked at before it.
        folders = folders_watched(paths(), overlays)
        before = stamps_of(folders)
        click.clear()
        check()
        sys.stdout.flush()
        say("Checks again when a file changes; Ctrl-C ends.")
        while stamps_of(folders) == before:
            time.sleep(POLL_SECONDS)


def folders_watched(paths: Iterable[str], overlays: Sequence[str]) -> set[Path]:
    """Return the folders of the rulesets, of all they extend and of the overlays; named ones too while they do not
    exist."""
    from rulelang.ruleset.loader import folders_read

    names = list(paths)
    return {Path(name).absolute() for name in (*names, *overlays)} | {
        folder for name in names for folder in folders_read(name, overlays)
    }


def stamps_of(folders: Iterable[Path]) -> dict[Path, Stamp]:
    """Return for each file that is read what tells it from what it was before."""
    stamps = {}
    for folder in folders:
        for pattern in _READ:
            for file in folder.glob(pattern):
                try:
                    status = file.stat()
                except OSError:  # removed since it was listed, or a link to nothing
                    continue
                stamps[file] = (status.st_mtime_ns, status.st_size, status.st_ino)
    return stamps
