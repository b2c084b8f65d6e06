"""Rulesets as environments of learning programs: PettingZoo, Gymnasium, OpenSpiel, batches of games.

Enters: a ruleset, a number of players. Leaves: `spec`, what is chosen from and seen, by name, without playing;
`PickGame`, one game as picks and arrays; `Batch`, many of them in native code; adapters `aec`, `parallel`,
`gym`, `openspiel`, of which each imports its library when it is called (the extra `envs`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulelang.envs.batch import Batch
    from rulelang.envs.core import PickGame
    from rulelang.envs.specs import Spec, SpecChanges, spec

_MODULES = {"Spec": "specs", "SpecChanges": "specs", "spec": "specs", "PickGame": "core", "Batch": "batch"}

__all__ = ["Batch", "PickGame", "Spec", "SpecChanges", "spec"]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module `rulelang.envs` has no attribute `{name}`")
    return getattr(import_module(f"rulelang.envs.{_MODULES[name]}"), name)
