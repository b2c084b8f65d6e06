"""Remembers, between runs, what was found valid, so that a second run need not find it again.

Enters: hex keys that stand for contents. Leaves: whether a key was remembered. Empty files in the user's cache folder;
the environment's `RULELANG_CACHE` names another folder, or none when it is empty. Failing to read or write it is no
error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

MAX_KEYS = 1000


def cache_folder() -> Path | None:
    """Where RuleLang keeps what it can compute again; None for nowhere."""
    chosen = os.environ.get("RULELANG_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(base) / "rulelang" if os.path.isabs(base) else None


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
            for name in old:
                (valid / name).unlink()
        (valid / key).touch()
