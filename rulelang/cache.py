"""Files that can be computed again, in the user's cache folder, verified before they are used.

Enters: keys (digests of everything that a content depends on) and the contents that belong to them. Leaves: those
contents, or files that hold them. Whoever can write an entry can run code (a library, a page's template) or change
what rules mean (a program), so one rule holds for all that is cached: a folder counts only where nobody but this user
can write, files are made under a name of their own (`O_EXCL | O_NOFOLLOW`) and put in place whole, and an entry is used
only if it is a plain file of ours whose content has the digest that its name says. Anything else is removed. Failing to
read or write is no error.
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
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rulelang.resources import cache_folder, grammar_path

MAX_BYTES = 64 << 20
"""A larger file is not one of ours."""
RECENT, STALE = 3600, 3600
"""Seconds: when an entry's use is noted again; when a draft or a lock must have been left by a killed process."""
PATIENCE = 150.0
"""Seconds to wait for another process that makes the same entry; it is not worth more than making it twice."""

_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def digest_of(*parts: str | bytes) -> str:
    """Return a digest of 32 hex digits over the given texts and byte strings, in their order."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        digest.update(b"%d\n" % len(content))
        digest.update(content)
    return digest.hexdigest()[:32]


@dataclass(frozen=True)
class CacheFolder:
    """One kind of cached content, in a folder of its own.

    Attributes:
        name: the folder's name under the user's cache folder.
        suffix: how names of entries end, with its dot.
        capacity: the number of entries above which those used longest ago are removed.
        beside: a folder of the engine's own in which it lies in place of the user's, as bytecode does.
    """

    name: str
    suffix: str
    capacity: int
    beside: Path | None = None

    def folder(self) -> Path | None:
        """Return the store's folder, created if missing; None if there is none that only this user can change."""
        base = cache_folder()
        if base is None or (self.beside is not None and sys.dont_write_bytecode):
            return None
        return _trusted(os.path.abspath(self.beside or base / self.name))

    def holds(self, key: str) -> bool:
        """Return whether an entry with this key exists, without verifying its content as `find` does."""
        return bool(self._entries(key))

    def find(self, key: str) -> Path | None:
        """Return the path of the entry with this key, its content verified; discard entries that fail verification."""
        verified = self._verified(key)
        return None if verified is None else verified[0]

    def load(self, key: str) -> bytes | None:
        """Return the content of the entry with this key, verified; discard entries that fail verification."""
        verified = self._verified(key)
        return None if verified is None else verified[1]

    def save(self, key: str, content: bytes) -> Path | None:
        """Store content under a key and return its path; None if it cannot be written.

        Of two processes that save the same, the last one's stays.
        """
        folder = self.folder()
        path = None if folder is None else folder / f"{key}.{digest_of(key, content)}{self.suffix}"
        if path is None or not _write(path, content):
            return None
        self._evict(path.parent)
        return path

    def replace(self, key: str, content: bytes) -> None:
        """Store content under a key in place of all that was there."""
        old, new = self._entries(key), self.save(key, content)
        for path in old:
            if new is not None and path != new:
                discard(path)

    def _verified(self, key: str) -> tuple[Path, bytes] | None:
        """Return path and content of the first entry for `key` whose name holds the digest of its content; discard the
        others."""
        for path in self._entries(key):
            content = _content(path)
            if content is not None and path.name == f"{key}.{digest_of(key, content)}{self.suffix}":
                _touch(path)
                return path, content
            discard(path)
        return None

    def _entries(self, key: str) -> list[Path]:
        """Return the paths of all entries whose name begins with `key`."""
        folder = self.folder()
        if folder is None:
            return []
        try:
            names = os.listdir(folder)
        except OSError:
            return []
        return [folder / name for name in names if name.startswith(key) and self._is_entry(name)]

    def _is_entry(self, name: str) -> bool:
        """Return whether a file name has the form of a cache entry, `KEY.DIGEST` and the suffix; no other file is
        evicted."""
        return re.fullmatch(rf"[0-9a-f]{{32}}\.[0-9a-f]{{32}}{re.escape(self.suffix)}", name) is not None

    def _evict(self, folder: Path) -> None:
        """Remove the least recently used entries beyond the store's capacity, and stale drafts and locks.

        The store shrinks to three quarters of its capacity at once, since scanning the folder costs more than one
        entry.
        """
        capacity = _more_than(self.capacity) if self is LIBRARIES else self.capacity
        with suppress(OSError):
            names = os.listdir(folder)
            if len(names) <= capacity and not any(map(_LEFT_OVER.fullmatch, names)):
                return
        entries: list[tuple[float, str]] = []
        with suppress(OSError), os.scandir(folder) as files:
            for file in files:
                is_left_over = _LEFT_OVER.fullmatch(file.name)
                if is_left_over or self._is_entry(file.name):
                    with suppress(OSError):
                        changed = file.stat(follow_symlinks=False).st_mtime
                        if not is_left_over:
                            entries.append((changed, file.path))
                        elif time.time() - changed > STALE:
                            os.unlink(file.path)
        if len(entries) > capacity:
            for _, name in sorted(entries)[: len(entries) - capacity * 3 // 4]:
                discard(Path(name))

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Hold the lock of a key, so that of several processes only one computes the entry.

        Where files cannot be locked, or the lock is not free in time, the entry is computed twice, which does no harm.
        """
        folder = self.folder()
        handle = -1 if folder is None else _lock(folder / f"{key}.lock")
        try:
            yield
        finally:
            if handle >= 0 and folder is not None:
                # Removed first: who waits for this very file then sees what was made; who comes later makes a new one.
                with suppress(OSError):
                    (folder / f"{key}.lock").unlink()
                os.close(handle)


def _more_than(usual: int) -> int:
    """Return a capacity: what the environment asks for, where that is more than the usual."""
    chosen = os.environ.get("RULELANG_CACHE_LIBRARIES", "")
    return max(usual, int(chosen)) if re.fullmatch("[0-9]{1,6}", chosen) else usual


GRAMMARS = CacheFolder("grammar", ".json", 8)
OWN_GRAMMAR = CacheFolder("grammar", ".json", 2, grammar_path("__pycache__"))
"""The tables of the engine's grammar, which take 0.6 s to make, a fifth of a first check: they are no user's."""
VALIDATED = CacheFolder("valid", ".ok", 1000)
PROGRAMS = CacheFolder("programs", ".json", 200)
COMPILERS = CacheFolder("compilers", ".txt", 50)
PAGES = CacheFolder("pages", ".jinja", 100)
LIBRARIES = CacheFolder("native", {"darwin": ".dylib", "win32": ".dll"}.get(sys.platform, ".so"), 200)
"""A library has some hundred KB."""

_LEFT_OVER = re.compile(r"[0-9a-f]{32}\.(.*\.draft|lock)")


def is_valid(key: str) -> bool:
    """Return whether `mark_valid` stored this key, in this process or an earlier one."""
    return VALIDATED.load(key) is not None


def mark_valid(key: str) -> None:
    """Store a key in the cache to say that the check it identifies found no fault."""
    VALIDATED.save(key, b"")


def discard(path: Path) -> None:
    """Remove a cache entry from disk, be it a file, a link or a folder; failures are ignored."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


# ---- folders


@cache
def _trusted(name: str) -> Path | None:
    """Create the cache folder if it is missing and return it; None if users other than root could change it or its
    parents."""
    with suppress(OSError, RuntimeError, ValueError):
        place = Path(name)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        place = place.resolve(strict=True)
        stats = [folder.stat() for folder in (place, *place.parents)]
        if stat.S_ISDIR(stats[0].st_mode) and _is_ours(stats[0]) and all(_is_safe(folder) for folder in stats[1:]):
            return place
    return None


def _is_ours(status: os.stat_result) -> bool:
    """Return whether, by its mode and owner, only this user and root may write to a file or folder."""
    if not hasattr(os, "geteuid"):
        return True  # where users' folders are their own from the start
    if status.st_uid not in (0, os.geteuid()) or status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_private_group(status.st_gid)


def _is_safe(above: os.stat_result) -> bool:
    """Return whether no other user may replace a subfolder of the folder with this status: ours, or sticky."""
    return _is_ours(above) or (above.st_uid == 0 and bool(above.st_mode & stat.S_ISVTX))


@cache
def _is_private_group(number: int) -> bool:
    """Return whether this user is the only member of a group; many systems give each user such a group."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


# ---- files


def _lock(path: Path) -> int:
    """Open a lock file and lock it, waiting for at most `PATIENCE` seconds; return its handle, -1 on failure."""
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


def _content(path: Path) -> bytes | None:
    """Return the bytes of a regular file that only this user may write; None for links, pipes and files too large."""
    try:
        handle = os.open(path, _OPEN)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not _is_ours(status) or status.st_size > MAX_BYTES:
            return None
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(handle)


def _write(path: Path, content: bytes) -> bool:
    """Write a file atomically by renaming a temporary one; return whether that succeeded."""
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
    return True


def _touch(path: Path) -> None:
    """Refresh the modification time of an entry, by which `_evict` orders entries."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > RECENT:
            os.utime(path)
