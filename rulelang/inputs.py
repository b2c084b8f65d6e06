"""Reads files that nobody vouches for: never waits for one, never takes more of it than its bound.

Enters: a path and a number of bytes. Leaves: the bytes of a regular file; OSError with the reason otherwise. Rulesets,
records, scripts and saved games are all read with it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class NotRegularError(OSError):
    """The path names a folder, a pipe, a socket or a device."""


class TooLargeError(OSError):
    """The file holds more bytes than its bound."""


def read_input(path: str | Path, most: int) -> bytes:
    """Read a regular file of at most `most` bytes; what is added to it meanwhile counts.

    The file is looked at after it was opened, so that nobody can exchange it in between, and opening a pipe does not
    wait for a writer. A link is followed: whoever must not follow one looks at the path before.

    Raises:
        NotRegularError: it is no regular file. TooLargeError: it is larger. OSError: it cannot be opened or read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except ValueError:  # a NUL in the path
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL)) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotRegularError(errno.EINVAL, "it is not a regular file")
        parts, left = [], most + 1
        while left and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    finally:
        os.close(descriptor)
    if not left:
        raise TooLargeError(errno.EFBIG, "it is too large")
    return b"".join(parts)
