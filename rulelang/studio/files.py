"""The files of a ruleset as the studio shows, reads and writes them; no other file is touched.

Enters: a folder, names that a page sends. Leaves: texts; files on the disk, when they are saved.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from rulelang.diagnostics import UsageError
from rulelang.inputs import TooLargeError, read_input
from rulelang.limits import ENTRIES, FILE_BYTES
from rulelang.outputs import write_file

SUFFIXES = (".yaml", ".rule", ".md")
"""Ends of the names of files that are shown."""
Stamp = tuple[int, int]
"""Time of the last change in ns, and size in bytes."""


def tree(folder: Path) -> dict[str, Stamp]:
    """Return the files of a folder by their names in it, in order: a folder's own before those below it."""
    return dict(sorted(_found(folder, folder), key=lambda row: (row[0].count("/"), row[0] != "ruleset.yaml", row[0])))


def _found(folder: Path, root: Path, seen: int = 0) -> Iterator[tuple[str, Stamp]]:
    for entry in os.scandir(folder):
        seen += 1
        if seen > ENTRIES:
            return
        if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _found(Path(entry.path), root, seen)
        elif entry.name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False):
            status = entry.stat()
            yield Path(entry.path).relative_to(root).as_posix(), (status.st_mtime_ns, status.st_size)


def read(folder: Path, name: str) -> str:
    """Return the text of a file, with `\\n` at the ends of lines.

    Raises:
        UsageError: it can't be read, or is no text.
    """
    try:
        return read_input(path_in(folder, name), FILE_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, TooLargeError, UnicodeDecodeError) as error:
        raise UsageError(f"`{name}` can't be read: {error}") from None


def write(folder: Path, name: str, text: str) -> None:
    """Write a file, whole and on the disk.

    Raises:
        UsageError: it can't be written.
    """
    path = path_in(folder, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    except OSError as error:
        raise UsageError(f"`{name}` can't be written: {error.strerror}") from None


def path_in(folder: Path, name: str) -> Path:
    """Return the path of a file that may be read and written.

    Raises:
        UsageError: it leads out of the folder, or is no file of a ruleset.
    """
    parts = name.split("/")
    plain = name.isprintable() and all(part and not part.startswith(".") and "\\" not in part for part in parts)
    if not plain or not name.endswith(SUFFIXES) or not Path(os.path.realpath(folder / name)).is_relative_to(folder):
        raise UsageError(f"`{name[:80]}` is no file of this ruleset")
    return folder / name
