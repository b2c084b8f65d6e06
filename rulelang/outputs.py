"""Writes files and folders whole and for good: what is there afterwards is the old or the new, even after a power cut.

Enters: a path, its content. Leaves: the file or folder; OSError if it can't be written, and then nothing is left of it.
A file is written under another name beside its place (a draft), synced to the disk and put in its place; the folder is
synced too. A writer holds a lock on its draft, so that the drafts of writers that were killed are told from others, and
removed by the next one that writes the same file.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
DRAFT = ".draft"
NAME = 100
"""So much of a file's name is in that of its draft."""


def write_file(file: Path, content: str | bytes) -> None:
    """Write a file. A link is followed, the mode of a file that is there stays; pipes and devices are just written to.

    Raises:
        OSError: it can't be written; the old file is as it was.
    """
    data = content.encode(errors="replace") if isinstance(content, str) else content
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    target = Path(os.path.realpath(file))
    remove_drafts(target)
    draft = _draft_of(target)
    try:
        with open(os.open(draft, _CREATE, 0o666), "wb") as opened:
            _lock(opened.fileno())
            opened.write(data)
            if target.exists():
                draft.chmod(stat.S_IMODE(target.stat().st_mode))
            opened.flush()
            os.fsync(opened.fileno())
            draft.replace(target)
        sync_folder(target.parent)
    finally:
        with suppress(OSError):
            draft.unlink()


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Make a folder with files, by their paths in it.

    Raises:
        OSError: it is there already, or can't be written; then nothing of it is there.
    """
    target = Path(os.path.abspath(folder))
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
    missing = [parent for parent in target.parents if not parent.exists()]
    draft, handle = _draft_of(target), -1
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_drafts(target)
        draft.mkdir()
        handle = _locked_folder(draft)
        for name, content in files.items():
            path = draft / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
        draft.replace(target)
        sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        for parent in missing:
            with suppress(OSError):
                parent.rmdir()
        raise
    finally:
        if handle >= 0:
            os.close(handle)


def _locked_folder(folder: Path) -> int:
    """Open and lock a folder; return its descriptor, -1 where folders can't be opened."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return -1
    _lock(descriptor)
    return descriptor


def sync(descriptor: int) -> None:
    """Have the system write a file to the disk; nothing where it is no file."""
    with suppress(OSError):
        os.fsync(descriptor)


def sync_file(file: Path) -> None:
    """Have the system write a file, and its name, to the disk."""
    with suppress(OSError), file.open("rb+") as opened:
        sync(opened.fileno())
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Have the system write the names in a folder to the disk, where it can (Windows can't)."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_drafts(file: Path) -> None:
    """Remove the drafts of a file or folder that killed writers have left."""
    with suppress(OSError, ValueError):
        for draft in file.parent.glob(f".{_escaped(file.name[:NAME])}.{'[0-9a-f]' * 16}{DRAFT}"):
            with suppress(OSError):
                _remove_left(draft)


def _remove_left(draft: Path) -> None:
    """Remove a draft that nobody writes."""
    descriptor = os.open(draft, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        if _lock(descriptor):
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                shutil.rmtree(draft, ignore_errors=True)
            else:
                draft.unlink()
    finally:
        os.close(descriptor)


def _draft_of(target: Path) -> Path:
    """Return a name for a draft that nobody can guess."""
    return target.with_name(f".{target.name[:NAME]}.{os.urandom(8).hex()}{DRAFT}")


def _escaped(name: str) -> str:
    """Return a name as a pattern that it alone fits."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _lock(descriptor: int) -> bool:
    """Lock an open file; return whether that succeeded: not where another process has it, or nothing can be locked."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True
