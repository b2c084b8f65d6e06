"""Where the data that is not Python lies.

Enters: nothing. Leaves: the folders `grammar/` and `rulesets/`, which stand beside the package in a checkout and under
`rulelang/_data/` in an installed wheel.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def _folder(name: str) -> Path:
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name


def grammar_path(name: str) -> Path:
    """The file `name` of `grammar/`, such as `rulelang.lark`."""
    return _folder("grammar") / name


def shipped_rulesets() -> Path:
    """The folder whose subfolders are the rulesets that come with the engine."""
    return _folder("rulesets")
