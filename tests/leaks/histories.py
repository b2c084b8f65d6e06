"""Histories of small games, grouped by what a seat knows.

Enters: a ruleset, a generator of random numbers. Leaves: states; groups of states with equal information states.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import rulelang
from rulelang.diagnostics import Diagnostics, RuleError
from rulelang.game import Action, State
from rulelang.ruleset.loader import read_ruleset
from rulelang.semantics.check import analyse


def warnings_of(folder: Path) -> list[str]:
    """The codes of what `check` finds in a ruleset."""
    diagnostics = Diagnostics()
    ruleset, _, _ = read_ruleset(folder, diagnostics=diagnostics)
    if ruleset is not None:
        analyse(ruleset, diagnostics)
    return [diagnostic.code for diagnostic in diagnostics]


def known(state: State, seat: int) -> str:
    """All that a seat knows, as text; of a game that is over also the score sheet, which then is told to all."""
    sheets = [state.score_sheet(party).to_json() for party in range(len(state.parties)) if state.is_terminal()]
    return json.dumps([state.information_state(seat), sheets], sort_keys=True, default=str)


def actions(state: State) -> list[Action]:
    """What can happen next: the outcomes of chance, or what the lowest pending seat may choose."""
    return state.legal_actions(None if state.is_chance_node() else state.current_players()[0])


def after(state: State, action: Action) -> State | None:
    """The state after an action; None where a rule goes wrong."""
    new = state.clone()
    try:
        new.apply(action)
    except RuleError:
        return None
    return new


def histories(ruleset: rulelang.Ruleset, players: int, dice: random.Random, width: int, depth: int) -> list[State]:
    """States of a game with explicit chance: of each length at most `width` histories, spread at random."""
    level, reached = [ruleset.new_game(players, chance="explicit")], []
    for _ in range(depth):
        reached += level
        steps = [(state, action) for state in level if not state.is_terminal() for action in actions(state)]
        level = [
            new for new in (after(*step) for step in dice.sample(steps, min(width, len(steps)))) if new is not None
        ]
    return reached + level


def alike(states: Iterable[State], seat: int) -> list[list[State]]:
    """Groups of states that a seat can't tell apart, each with different states alone."""
    groups: dict[str, dict[str, State]] = defaultdict(dict)
    for state in states:
        groups[known(state, seat)].setdefault(state.hash(), state)
    return [list(group.values()) for group in groups.values() if len(group) > 1]
