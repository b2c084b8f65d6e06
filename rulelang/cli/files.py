"""Writing of the files that a user names.

Enters: a path, a text. Leaves: the whole file, on the disk; or the old one and a UsageError that says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rulelang.diagnostics import UsageError
from rulelang.outputs import write_file, write_folder


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file: see `write_file`.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        write_file(file, content)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def make_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Make a folder with files: see `write_folder`.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        write_folder(folder, files)
    except FileExistsError:
        raise UsageError(f"`{folder}` exists already") from None
    except OSError as error:
        raise UsageError(f"`{folder}` can't be made: {error.strerror}") from None
