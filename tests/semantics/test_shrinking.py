"""Functions that call themselves with ever shorter lists need no depth; all others do."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics, FuelError
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse
from tests.offenders import emptied, none, offenders

GAME = """\
rulelang: 2
name: shorter
players: 2
types: {Town: [ash, birch, cedar, elm]}
variables: {road: {type: Town?, per: Town}, n: {type: 0..99}}
limits: {depth: 20}
rules: |
  play:
    turn of seat(0):
      n := longest(ash, Town)
      n += choose a number from 0 to 1
  @
  function beside(t: Town) -> list of Town = Town where it != t
  score n: n + count(beside(ash)) + (1 if road[ash] is none else 0)
"""
PROVEN = {
    "of an element of the list": "max(longest(t, left - [t]) for t in left) otherwise count(beside(here))",
    "of some elements": "max(longest(t, left - [t]) for t in left where t != here) otherwise 0",
    "of what is asked to be in it": "1 + (max(longest(t, left - [t]) for t in beside(here) where t in left) otherwise 0)",
    "of one and others": "max(longest(t, left - [t] - [here]) for t in left) otherwise 0",
    "of some of what is left": "max(longest(t, left - [t] where it != here) for t in left) otherwise 0",
    "in each of several calls": (
        "max(longest(t, left - [t]) + (min(longest(u, left - [u]) for u in left) otherwise 0) for t in left) otherwise 0"
    ),
}
UNPROVEN = {
    "of nothing": "max(longest(t, left) for t in left) otherwise 0",
    "of what may not be in it": "max(longest(t, left - [t]) for t in beside(here)) otherwise 0",
    "of where one stands": "longest(here, left - [here]) if left is not empty else 0",
    "of one that comes back": "max(longest(t, (left - [t]) + [t]) for t in left) otherwise 0",
    "in one call of two": "max(longest(t, left - [t]) for t in left) otherwise longest(here, left)",
    "of what is left of a part": "max(longest(t, (left where it != t) - [t]) for t in left) otherwise 0",
}


def codes(text: str, folder: Path) -> list[str]:
    """The codes of what is wrong with a function."""
    function = f"function longest(here: Town, left: list of Town) -> number =\n    {text}"
    (folder / "ruleset.yaml").write_text(GAME.replace("@", function), encoding="utf-8")
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    assert ruleset is not None
    analyse(ruleset, diagnostics)
    return [finding.code for finding in diagnostics if finding.severity == "error"]


def test_only_ever_shorter_lists_need_no_depth(tmp_path: Path) -> None:
    """Six functions that come to an end, and six of which that is not certain."""

    def judged(name: str) -> None:
        expected = [] if name in PROVEN else ["recursion-depth"]
        assert codes((PROVEN | UNPROVEN)[name], emptied(tmp_path)) == expected

    none(offenders(judged, PROVEN | UNPROVEN))


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_it_goes_as_deep_as_the_list_is_long(tmp_path: Path, backend: str) -> None:
    """One for each of the four towns, and one where none is left: five; in a block too."""
    block = "function longest(here: Town, left: list of Town) -> number:\n"
    block += "    for t in left: return 1 + longest(t, left - [t])\n    return 1"
    (tmp_path / "ruleset.yaml").write_text(GAME.replace("@", block), encoding="utf-8")
    assert rulelang.load(tmp_path).new_game(backend=backend).observation(0)["variables"]["n"] == 5


def test_calls_within_calls_are_bounded_all_the_same(tmp_path: Path) -> None:
    """The limit of the ruleset bounds it: with `depth: 3` four towns are too many, and the error says so."""
    text = GAME.replace(
        "@", f"function longest(here: Town, left: list of Town) -> number = {PROVEN['of some elements']}"
    )
    (tmp_path / "ruleset.yaml").write_text(text.replace("depth: 20", "depth: 2"), encoding="utf-8")
    with pytest.raises(FuelError, match="more than 2 levels deep"):
        rulelang.load(tmp_path).new_game()
