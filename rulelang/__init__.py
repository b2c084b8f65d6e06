"""Tabletop games written as data and played by one engine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulelang.diagnostics import (
        Diagnostic,
        FuelError,
        IllegalAction,
        ResampleError,
        RuleError,
        RulesetError,
        SaveError,
        UsageError,
    )
    from rulelang.game import Action, Decision, Ruleset, ScoreSheet, State, load

__version__ = "0.2.0"

__all__ = [
    "Action",
    "Decision",
    "Diagnostic",
    "FuelError",
    "IllegalAction",
    "ResampleError",
    "RuleError",
    "Ruleset",
    "RulesetError",
    "SaveError",
    "ScoreSheet",
    "State",
    "UsageError",
    "__version__",
    "load",
]

_GAME = frozenset({"Action", "Decision", "Ruleset", "ScoreSheet", "State", "load"})


def __getattr__(name: str) -> Any:
    """Imports what is asked for when it is asked for, so that `rulelang --help` starts at once."""
    if name not in __all__:
        raise AttributeError(f"module `rulelang` has no attribute `{name}`")
    return getattr(import_module("rulelang.game" if name in _GAME else "rulelang.diagnostics"), name)
