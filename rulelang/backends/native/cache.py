"""Libraries that a compiler has made, kept in the user's cache folder so that each is made once.

Enters: keys, and the bytes that belong to them. Leaves: files that hold those bytes, whole. Loading a damaged library
can end the process, and loading another's runs another's code: so the folder counts only where nobody else can write
in it, and a file only if its bytes have the digest that its name says. What is found otherwise is removed. Files come
into the folder whole, under their final name. Failing to read or write is no error.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from rulelang.resources import cache_folder

SUFFIX = {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so")
MOST = 200
"""So many entries are kept, those used last: a library has some hundred KB."""
MOST_BYTES = 64 << 20
"""A larger file is not one of ours."""
RECENT, STALE = 3600, 3600
"""Seconds: when an entry's use is noted again; when a draft or a lock must have been left by a killed process."""
PATIENCE = 150.0
"""Seconds to wait for another process that makes the same library; it is not worth more than making it twice."""
ENTRY = re.compile(r"[0-9a-f]{32}\.([0-9a-f]{32}\.(so|dylib|dll)|note)")
LEFT = re.compile(r"[0-9a-f]{32}\.(.*\.draft|lock)")
"""With `ENTRY`, what files of ours are called: nothing else in the folder is ever deleted."""

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def digest_of(*parts: str | bytes) -> str:
    """A short name for these parts in this order."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d\n" % len(content))
        digest.update(content)
    return digest.hexdigest()[:32]


# ---- the folder


def folder() -> Path | None:
    """The folder of libraries, made where it is not there; None where there is none that only this user can change."""
    base = cache_folder()
    return None if base is None else _trusted(os.path.abspath(base / "native"))


@cache
def _trusted(name: str) -> Path | None:
    with suppress(OSError, RuntimeError, ValueError):
        place = Path(name)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = place.resolve(strict=True)
        found = [above.stat() for above in (place, *place.parents)]
        if stat.S_ISDIR(found[0].st_mode) and _is_ours(found[0]) and all(_is_safe(above) for above in found[1:]):
            return place
    return None


def _is_ours(found: os.stat_result) -> bool:
    """Whether nobody but this user (and root, who can do anything) may write there."""
    if not hasattr(os, "geteuid"):
        return True  # where users' folders are their own from the start
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & stat.S_IWOTH:
        return False
    return not found.st_mode & stat.S_IWGRP or _is_private_group(found.st_gid)


def _is_safe(above: os.stat_result) -> bool:
    """Whether nobody else may put another folder in the place of one that lies in this one."""
    return _is_ours(above) or (above.st_uid == 0 and bool(above.st_mode & stat.S_ISVTX))


@cache
def _is_private_group(number: int) -> bool:
    """Whether a group is this user's alone: many systems give each user one of the same name, and let it write."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


# ---- libraries


def is_there(key: str) -> bool:
    """Whether something is kept under this key; whether it is whole, `find` sees."""
    room = folder()
    return room is not None and bool(_named(room, key))


def find(key: str) -> Path | None:
    """The library that is kept under this key, with all its bytes; what is not that is removed."""
    room = folder()
    if room is None:
        return None
    for path in _named(room, key):
        content = _content(path)
        if content is not None and key.encode() in content and path.name.split(".")[1] == digest_of(content):
            _use(path)
            return path
        discard(path)
    return None


def keep(key: str, content: bytes) -> Path | None:
    """Keeps a library; None where that can't be done. Of two processes that keep the same, the last one's stays."""
    room = folder()
    path = None if room is None else room / f"{key}.{digest_of(content)}{SUFFIX}"
    return path if path is not None and _write(path, content) else None


def discard(path: Path) -> None:
    """Removes an entry, whatever lies in its place."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextmanager
def locked(key: str) -> Iterator[None]:
    """One process at a time makes what belongs to a key, others wait: each of many workers would take all processors
    for the same. Where files can't be locked, or another takes too long, it is made twice, which does no harm."""
    room = folder()
    handle = -1 if room is None else _lock(room / f"{key}.lock")
    try:
        yield
    finally:
        if handle >= 0 and room is not None:
            # Removed first: who waits for this very file then finds what was made; who comes later makes a new one.
            with suppress(OSError):
                (room / f"{key}.lock").unlink()
            os.close(handle)


def _lock(path: Path) -> int:
    try:
        import fcntl

        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except (ImportError, OSError):
        return -1
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() < end:
                time.sleep(0.02)
                continue
        except OSError:
            pass  # some network file systems lock nothing
        os.close(handle)
        return -1


# ---- notes


def note(key: str) -> str | None:
    """What was noted under this key."""
    room = folder()
    content = None if room is None else _content(room / f"{key}.note")
    if room is None or content is None:
        return None
    _use(room / f"{key}.note")
    return content.decode(errors="replace")


def keep_note(key: str, text: str) -> None:
    """Notes a line of text."""
    room = folder()
    if room is not None:
        _write(room / f"{key}.note", text.encode(errors="replace"))


# ---- files


def _named(room: Path, key: str) -> list[Path]:
    try:
        names = os.listdir(room)
    except OSError:
        return []
    return [room / name for name in names if name.startswith(key) and name.endswith(SUFFIX) and ENTRY.fullmatch(name)]


def _content(path: Path) -> bytes | None:
    """The bytes of a plain file that is ours; nothing else is waited for or followed."""
    try:
        handle = os.open(path, _OPEN)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or not _is_ours(found) or found.st_size > MOST_BYTES:
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


def _write(path: Path, content: bytes) -> bool:
    draft = path.with_name(f"{path.name[:32]}.{os.getpid()}.{os.urandom(4).hex()}.draft")
    try:
        with open(os.open(draft, _MAKE, 0o600), "wb") as file:
            file.write(content)
        os.replace(draft, path)
    except OSError:
        return False
    finally:
        with suppress(OSError):
            draft.unlink()
    _tidy(path.parent)
    return True


def _use(path: Path) -> None:
    """Notes that an entry is in use, so that it is not among the oldest."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > RECENT:
            os.utime(path)


def _tidy(room: Path) -> None:
    """Removes the entries that were used longest ago, if there are too many, and what killed processes left."""
    entries: list[tuple[float, str]] = []
    with suppress(OSError), os.scandir(room) as files:
        for file in files:
            left = LEFT.fullmatch(file.name)
            if left or ENTRY.fullmatch(file.name):
                with suppress(OSError):
                    changed = file.stat(follow_symlinks=False).st_mtime
                    if not left:
                        entries.append((changed, file.path))
                    elif time.time() - changed > STALE:
                        os.unlink(file.path)
    for _, name in sorted(entries)[: max(0, len(entries) - MOST)]:
        discard(Path(name))
