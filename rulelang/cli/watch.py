"""Repeat a check whenever a file that it reads changes.

Enters: rulesets, overlays and the check. Leaves: the output of the check, after each change anew, until Ctrl-C. Files
are polled by modification time, size and inode: that works on every system and file system, and needs no library.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from rulelang.cli.output import say

POLL_SECONDS = 0.5
_READ = ("*.yaml", "*.yml", "*.rule", "*.py", "scenarios/*.yaml", "variants/*/ruleset.yaml", "theme/*")
"""The files of a ruleset's folder that `check` reads, or pages show; a variant is a folder of its own."""

Stamp = tuple[int, int, int]


def watch(check: Callable[[], int], paths: Callable[[], Iterable[str]], overlays: Sequence[str]) -> None:
    """Call `check` now and after every change of the files that it reads, until KeyboardInterrupt.

    Args:
        check: prints its findings. paths: returns the rulesets that are checked now: a variant may be added meanwhile.
        overlays: laid over each of them.
    """
    while True:
        # Stamps are taken before the check: a file saved while it runs counts as changed.
        folders = folders_watched(paths(), overlays)
        before = stamps_of(folders)
        click.clear()
        check()
        sys.stdout.flush()
        say("Checks again when a file changes; Ctrl-C ends.")
        while stamps_of(folders) == before:
            time.sleep(POLL_SECONDS)


def folders_watched(paths: Iterable[str], overlays: Sequence[str]) -> set[Path]:
    """Return the folders of the rulesets, of all that they extend and of the overlays, whether they exist or not."""
    from rulelang.ruleset.loader import folders_read

    names = list(paths)
    return {Path(name).absolute() for name in (*names, *overlays)} | {
        folder for name in names for folder in folders_read(name, overlays)
    }


def stamps_of(folders: Iterable[Path]) -> dict[Path, Stamp]:
    """Return file -> stamp (modification time, size, inode) of all files that a check reads."""
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
