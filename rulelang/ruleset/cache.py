"""Remembers, between runs, what was found valid, so that a second run need not find it again.

Enters: hex keys that stand for contents. Leaves: whether a key was remembered. Empty files in the user's cache folder.
Failing to read or write them is no error.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from rulelang.resources import cache_folder

MAX_KEYS = 1000
KEY = re.compile(r"[0-9a-f]{64}")
"""What an entry is called: nothing else in the folder is ever deleted."""


def is_remembered(key: str) -> bool:
    """Whether `remember` was called with this key, in this run or an earlier one."""
    folder = cache_folder()
    return folder is not None and os.path.exists(folder / "valid" / key)


def remember(key: str) -> None:
    """Remembers a key; when there are too many, all older ones are forgotten."""
    folder = cache_folder()
    if folder is None:
        return
    valid = folder / "valid"
    with suppress(OSError):
        valid.mkdir(parents=True, exist_ok=True)
        old = os.listdir(valid)
        if len(old) >= MAX_KEYS:
            for name in filter(KEY.fullmatch, old):
                (valid / name).unlink()
        (valid / key).touch()
