"""The checks take time in proportion to how many handlers an event has, whatever their timing."""

from __future__ import annotations

from cProfile import Profile
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse, lint
from tests.offenders import emptied, none, offenders

GAME = """\
rulelang: 2
name: many
players: 2..4
kinds: {Card: {attributes: {value: 0..999}, active: [row], start: deck}}
pieces:
  Card:
@
zones:
  deck: {holds: Card, order: pile, visible: count}
  row: {holds: Card, per: player}
variables: {coins: {type: 0..9999, per: player}}
rules: |
  event tick(m: 0..9): pass
  quantity price(p: player) -> number = 1
  play:
    for p in players:
      turn of p:
        draw 1 from deck to row
        tick(price(p) mod 9)
        coins += choose a number from 0 to 1
  score coins: coins + sum(row.value)
"""
RULES = {
    "after": "after tick(m) when you = owner and m > #: owner.coins += 1",
    "before": "before tick(m) when you = owner and m > #: owner.coins += 1",
    "may after": "may after tick(m) when you = owner and m > #: owner.coins += 1",
    "instead": "instead of tick(m) when you = owner and m > #: owner.coins += 1",
    "may instead": "may instead of tick(m) when you = owner and m > # once per turn: owner.coins += 1",
    "proceed": "instead of tick(m) when you = owner and m > #:\n          owner.coins += 1\n          proceed",
    "quantity": "modify price(p) when p.coins > #: plus 1",
    "at least": "modify price(p) when p.coins > #: at least 2",
    "at most": "modify price(p) when p.coins > #: at most 2",
    "set to": "modify price(p) when p.coins > # priority @: set to 2",
}
NONE, FEW, MANY = 1, 11, 21


def calls(rules: str, number: int, folder: Path) -> int:
    """How many functions are called to check a game with so many pieces that have these rules."""
    rows = (
        f"    - id: c{n}\n      value: {n}\n      rules: |\n        {rules.replace('#', str(n % 5)).replace('@', str(n))}\n"
        for n in range(number)
    )
    (folder / "ruleset.yaml").write_text(GAME.replace("@", "".join(rows).rstrip()), encoding="utf-8")
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    assert ruleset is not None
    with Profile(subcalls=False, builtins=False) as counted:
        analysed = analyse(ruleset, diagnostics)
        if analysed is not None:
            lint(analysed, diagnostics)
    assert analysed is not None, list(map(str, diagnostics))
    return sum(entry.callcount for entry in counted.getstats())


@pytest.mark.slow
def test_the_checks_are_linear_in_the_handlers_of_an_event(same_folder: Path) -> None:
    """Twice as many handlers take about twice as many calls beyond those of a game with one, with each timing."""

    def linear(name: str) -> None:
        none_, few, many = (calls(RULES[name], number, emptied(same_folder)) for number in (NONE, FEW, MANY))
        assert many - none_ < 2.2 * (few - none_)

    calls(RULES["after"], NONE, emptied(same_folder))  # what a process does once
    none(offenders(linear, RULES))


BOUNDS = """\
rulelang: 2
name: bounds
players: 1
variables: {coins: {type: 0..9999, per: player}}
rules: |
  quantity price(p: player) -> number = 1
@
  play:
    for p in players: p.coins := max(price(p), 0)
  score coins: coins
"""


def test_many_modifiers_are_each_applied(same_folder: Path) -> None:
    """The highest priority sets 9, which plus makes 10; the strictest of the bounds count that have their condition."""
    modifiers = [f"priority {n}: set to {n}" for n in range(1, 10)]
    modifiers += ["when p.coins > 0 priority 99: set to 99", ": plus 1"]
    modifiers += [f": at least {n}" for n in range(3, 21)] + ["when p.coins > 0: at least 50"]
    modifiers += [f": at most {n}" for n in range(30, 11, -1)] + ["when p.coins > 0: at most 2"]
    for last, expected in ((11, 10), (11 + 18, 20), (len(modifiers), 12)):
        lines = "\n".join(f"  modify price(p) {text}" for text in modifiers[:last])
        (same_folder / "ruleset.yaml").write_text(BOUNDS.replace("@", lines), encoding="utf-8")
        state = rulelang.load(same_folder).new_game(backend="interpreter")
        assert state.scores() == [expected]
