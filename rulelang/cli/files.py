"""Atomic writing of the files that a user names.

Enters: a path, a text. Leaves: the whole file, or the old one: a process that is killed leaves no partial file.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from rulelang.diagnostics import UsageError

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write_whole(file: Path, text: str) -> None:
    """Write a text file atomically. A link is followed; a device or pipe is written to directly.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        if file.exists() and not file.is_file():
            file.write_text(text, encoding="utf-8", newline="\n")
            return
        target = Path(os.path.realpath(file))
        draft = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}")
        try:
            with open(os.open(draft, _CREATE, 0o666), "w", encoding="utf-8", newline="\n") as opened:
                opened.write(text)
            if target.exists():
                draft.chmod(stat.S_IMODE(target.stat().st_mode))
            draft.replace(target)
        finally:
            with suppress(OSError):
                draft.unlink()
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
