"""The shipped rulesets, each loaded once by a process whichever tests ask for it: a large one takes half a second."""

from __future__ import annotations

from functools import cache

import rulelang
from rulelang.game.ruleset import Ruleset


@cache
def shipped(name: str) -> Ruleset:
    """Return a ruleset by its name."""
    return rulelang.load(name)
