"""A player of Imaginarium who reserves what it can pay, uses its machines, and validates what it can; else at random.

Enters: a state and the seat that is asked. Leaves: one of its actions. It knows no more than the seat sees. Random
players ruin themselves (RULINGS R32): games between careful ones are as long as games between people, and reach more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache

from rulelang.game import Action, State
from tests.shipped import shipped

WORTH = {
    "validate": 100,
    "unveil": 100,
    "buy_point": 40,
    "repair": 30,
    "use": 30,
    "run": 30,
    "borrow": 30,
    "recruit": 12,
    "extract": 6,
    "trade": 3,
    "reorganise": 3,
    "dismantle": 2,
    "sell": 1,
    "buy": 1,
}
"""How much likelier an item of a menu is than one that is not listed; leaving a menu is not."""
BELT = {f"belt{n}": base for n, base in enumerate((4, 3, 3, 2, 2, 1, 1), 1)}
EXTRACTORS = {f"extractor{n}": n for n in (1, 2, 3)}


@cache
def levels() -> dict[str, int]:
    """The level of each machine."""
    rows = shipped("imaginarium").written.pieces
    return {row.id: int(row.attributes["level"].text) for row in rows if row.kind == "Machine"}


def choose(state: State, seat: int, picker: random.Random) -> Action:
    """What a careful player does."""
    actions = state.legal_actions(seat)
    if actions[0].id.startswith("send_tinker:"):
        return picker.choice(affordable(state, seat, actions) or actions)
    if actions[0].id.startswith("regroup:"):
        # With few places: some of the most crowded groupings.
        crowded = min(action.id.count("|") for action in actions)
        return picker.choice([action for action in actions if action.id.count("|") == crowded])
    weights = [WORTH.get(re.split(r"[:=]", action.id)[0], 1) for action in actions]
    return picker.choices(actions, weights)[0]


def affordable(state: State, seat: int, actions: Sequence[Action]) -> list[Action]:
    """Places whose machine can be paid with the charcoalium at hand, and the extractors."""
    seen = state.observation(seat)
    coal = seen["variables"][f"goods[{seat}]"]["coal"]
    found = []
    for action in actions:
        spot = action.data["arguments"]["spot"]
        if spot in EXTRACTORS:
            found.append(action)
        elif levels()[seen["zones"][f"belt[{spot}]"]["pieces"][0]] + BELT[spot] <= coal:
            found += [action] * 3
    return found


def played(players: int, seed: int, decisions: int = 5000) -> Iterator[tuple[State, int, Action]]:
    """A game between careful players: each state, who is asked, what it does; the state goes on after that."""
    state = shipped("imaginarium").new_game(players=players, seed=seed)
    picker = random.Random(seed)
    while not state.is_terminal() and state.decisions < decisions:
        seat = state.current_players()[0]
        action = choose(state, seat, picker)
        yield state, seat, action
        state.apply(action, seat)
