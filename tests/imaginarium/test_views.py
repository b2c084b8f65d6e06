"""No seat learns what lies behind another's screen: views, options and what is dealt anew keep to what it has seen.

Enters: games between careful players, some decisions long. Leaves: nothing.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from rulelang.game import State

from .careful import played

HIDDEN = ("goods", "points")
"""Behind the screens (imaginarium-fr:27, 115)."""


def after(players: int, seed: int, decisions: int) -> State:
    """A game between careful players after so many decisions."""
    *_, (state, _, _) = played(players, seed, decisions + 1)
    return state


def with_other_goods(state: State, seat: int, more: int) -> State:
    """The same game, but every other seat has so many more of each good, and other points."""
    executor, position = state.engine
    position = position.clone()
    layout = executor.layout
    for number, table in enumerate(layout.program.variables):
        if table.name in HIDDEN:
            width = layout.var_width[number]
            for party in range(state.players):
                start = layout.var_base[number] + party * width
                for cell in range(start, start + width) if party != seat else ():
                    position.v[cell] += more
    return State(state.ruleset, executor, position)


def seen(state: State, seat: int) -> str:
    """All that a seat sees and may do, as text."""
    actions = [(action.id, action.text("en")) for action in state.legal_actions(seat)]
    return json.dumps(
        [state.observation(seat), state.information_state(seat), actions, state.story(seat)], sort_keys=True
    )


@pytest.mark.parametrize("players", [2, 5])
def test_a_view_names_nobody_elses_goods_points_and_projects(players: int) -> None:
    """Nor do the events that a seat is told of, by name or by number."""
    for state, _, _ in played(players, players, 101):
        if state.decisions % 50 == 0:
            for seat in range(players):
                check(state, seat)


def check(state: State, seat: int) -> None:
    """What lies behind a screen is in no view but its owner's."""
    view = state.observation(seat)
    for name in HIDDEN:
        assert [key for key in view["variables"] if key.startswith(f"{name}[")] == [f"{name}[{seat}]"]
    for other in range(state.players):
        assert ("pieces" in view["zones"][f"drawer[{other}]"]) == (other == seat)
    for event in state.events(seat):
        told: Any = event.get("variable", "")
        assert not told.startswith(HIDDEN) or told.endswith(f"[{seat}]"), event


@pytest.mark.parametrize("players", [2, 5])
def test_what_others_have_behind_their_screens_changes_nothing_for_a_seat(players: int) -> None:
    """Whatever others have, a seat sees the same and may do the same when it is asked."""
    for state, asked, _ in played(players, 10 + players, 90):
        if state.decisions % 15:
            continue
        for seat in {asked, (asked + 1) % players}:
            wanted = seen(state, seat)
            for more in (1, 7):
                other = with_other_goods(state, seat, more)
                assert other.hash() != state.hash()
                assert seen(other, seat) == wanted


def test_what_is_dealt_anew_is_only_what_a_seat_can_not_know() -> None:
    """Views stay, and where only the order of piles is open, which nobody knows, the whole game is the same."""
    state = after(3, 3, 12)
    for seat in range(3):
        deal = state.resample(seat, seat)
        assert deal.information_state(seat) == state.information_state(seat)
        assert [action.id for action in deal.legal_actions()] == [action.id for action in state.legal_actions()]
        assert deal.hash() == state.hash()


def test_secret_projects_are_dealt_anew_for_others_alone() -> None:
    """Who recruits the assistant of secret projects knows them; for another seat they may be any that are left
    (imaginarium-fr:537)."""
    state = after(3, 16, 16)
    owner = next(seat for seat in range(3) if state.observation(seat)["zones"][f"drawer[{seat}]"]["count"] == 2)
    mine = state.observation(owner)["zones"][f"drawer[{owner}]"]["pieces"]
    found = set()
    for number in range(3):
        kept = state.resample(owner, number)
        assert kept.observation(owner)["zones"][f"drawer[{owner}]"]["pieces"] == mine
        other = state.resample((owner + 1) % 3, number)
        found.add(tuple(other.observation(owner)["zones"][f"drawer[{owner}]"]["pieces"]))
    assert len(found) > 1
