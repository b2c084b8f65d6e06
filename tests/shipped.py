"""Rulesets that lie in the repository, each loaded and checked once by a process whichever tests ask for it: a large
one takes seconds."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.game.ruleset import Ruleset
from rulelang.resources import shipped_rulesets
from rulelang.ruleset import model
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.tree.shared import Analysed

ROOT = Path(__file__).parents[1]
CONFORMANCE = ROOT / "tests" / "conformance" / "rulesets"


@cache
def shipped(name: str | Path) -> Ruleset:
    """Return a ruleset by its name or folder."""
    return rulelang.load(name)


def conformance(name: str) -> Ruleset:
    """Return a ruleset of the conformance suite by its name."""
    return shipped(CONFORMANCE / name)


@cache
def written(folder: Path) -> model.WrittenRuleset:
    """Return what is written in a folder in which nothing is wrong."""
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    assert list(map(str, found)) == []
    assert ruleset is not None
    return ruleset


def rows_of(name: str) -> dict[str, model.PieceDecl]:
    """Return the rows of pieces of a shipped ruleset by their ids: to name tests by them nothing is loaded."""
    return {row.id: row for row in written(shipped_rulesets() / name).pieces}


@cache
def checked(folder: Path) -> Analysed:
    """Return what the checker makes of a folder in which it finds nothing."""
    analysed = shipped(folder).analysed
    assert list(map(str, analysed.shared.diagnostics)) == []
    return analysed
