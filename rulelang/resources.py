"""Where the data that is not Python lies.

Enters: the environment. Leaves: the folders `grammar/`, `rulesets/` and `docs/diagnostics/`, which stand beside the
package in a checkout and under `rulelang/_data/` in an installed wheel, and the user's cache folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    """Return a data folder of this name: in the installed package, or else in the source tree."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def grammar_path(name: str) -> Path:
    """Return the path of a file of the folder `grammar`, such as `rulelang.lark`."""
    return _folder("grammar") / name


def diagnostic_pages() -> Path:
    """Return the folder of the documentation pages for diagnostics, one for each code."""
    installed = _folder("diagnostics")
    return installed if installed.is_dir() else _PACKAGE.parent / "docs" / "diagnostics"


def shipped_rulesets() -> Path:
    """Return the folder of the rulesets that are distributed with the engine."""
    return _folder("rulesets")


def cache_folder() -> Path | None:
    """Return the root folder of the disk cache; None if caching is off, as when `RULELANG_CACHE` is empty."""
    chosen = os.environ.get("RULELANG_CACHE")
    if chosen is not None:
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(base) / "rulelang" if os.path.isabs(base) else None


def installing(extra: str) -> str:
    """Return the command that installs an extra: from the sources, as no index has the package."""
    return f"pip install '.[{extra}]' in the folder of the sources"
