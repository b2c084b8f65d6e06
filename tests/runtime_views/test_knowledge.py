"""What a seat knows of places that it doesn't see, against all histories that it can't tell apart, and by hand."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang import State
from rulelang.diagnostics import SaveError
from rulelang.runtime.sight import OMNISCIENT
from tests.leaks.histories import actions, after
from tests.words.games import made

PEEKING = """\
rulelang: 2
name: peeking
players: 2
kinds: {Card: {start: deck}}
pieces: {Card: [{id: ace, count: 2}, {id: two, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
  play:
    for p in players:
      turn of p:
        choose:
          peek: reveal top of deck to you
          ask: reveal next.hand to you
          lend: move hand to next.hand
        draw 1 from deck to next.hand
  score aces: count(hand where it is ace)
"""
SECRETS = """\
rulelang: 2
name: secrets
players: 3
types: {Role: [king, spy], Good: [nut, oil]}
kinds: {Card: {start: hand}, Pawn: {identity: true, start: home}}
pieces:
  Card: [{id: low, per: player, count: 2}, {id: high, per: player}]
  Pawn: [{id: bow, per: player, count: 2}]
zones:
  hand: {holds: Card, per: player, visible: owner}
  pool: {holds: Card, visible: count}
  stack: {holds: Card, order: pile, visible: count}
  table: {holds: Card}
  home: {holds: Pawn, per: player, visible: owner}
  camp: {holds: Pawn}
variables:
  role: {type: Role, per: player, visible: owner, start: spy if you.seat = 1 else king}
  bid: {type: 0..9, per: player, visible: owner}
  purse: {type: bag of Good, per: player, visible: owner, start: 2 nut}
rules: |
  play:
    repeat:
      for p in players:
        turn of p:
          choose:
            show(card in hand): reveal card to next
            show_all: reveal hand to next
            lay(cards = 1 or more of hand): move cards to pool
            bury(card in hand): move card to stack
            blind: move (random 1 of pool) to table
            lift: draw 1 from stack to pool
            mix: shuffle stack
            turn_up: reveal stack to you
            tell: reveal role to next
            offer: reveal bid to next
            weigh: reveal purse to next
            march(pawn in home): reveal pawn to next
            leave(pawn in home): move pawn to camp
            done: end the game
          if you.seat = 2: bid := 1
  score none_left: 0
"""


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return made(tmp_path_factory.mktemp("secrets"), SECRETS)


def knows(state: State, seat: int) -> dict[str, Any]:
    """Zones and variables that a seat knows, in one."""
    known = state.observation(seat).get("known", {"zones": {}, "variables": {}})
    return {**known["zones"], **known["variables"]}


def told(state: State, seat: int) -> str:
    """All that a seat was told, as text, without what it knows of it still."""
    everything = state.information_state(seat)
    return json.dumps([everything["observation"] | {"known": None}, everything["events"]], sort_keys=True, default=str)


def played(ruleset: rulelang.Ruleset, *ids: str, backend: str = "interpreter") -> State:
    """The state after choices; what begins with `play:` is chance."""
    state = ruleset.new_game(players=ruleset.players[0], chance="explicit", backend=backend)
    for id_ in ids:
        state.apply(id_)
    return state


def test_a_seat_knows_what_it_was_shown_and_nothing_else(tmp_path: Path) -> None:
    """In all histories of a small game, what a seat knows lies there in each that it can't tell from the true one."""
    level = [made(tmp_path, PEEKING).new_game(chance="explicit")]
    groups: dict[tuple[int, str], list[State]] = defaultdict(list)
    while level:
        for state in level:
            for seat in range(2):
                groups[seat, told(state, seat)].append(state)
        steps = [(state, action) for state in level if not state.is_terminal() for action in actions(state)]
        level = [new for new in (after(*step) for step in steps) if new is not None]
    assert sum(len(states) for (seat, _), states in groups.items() if seat == 0) == 1 + 2 + 4 + 12 + 30 + 36
    exact = 0
    for (seat, _), states in groups.items():
        known = [knows(state, seat) for state in states]
        assert all(each == known[0] for each in known)
        for place, pieces in known[0].items():
            lying = [state.observation(OMNISCIENT)["zones"][place]["pieces"] for state in states]
            if place == "deck":  # the top first; what nobody has seen yet has no place
                assert all(want in (None, have) for there in lying for want, have in zip(pieces, there, strict=False))
            else:
                least = Counter(lying[0])
                for there in lying:
                    least &= Counter(there)
                assert Counter(pieces) <= least
                exact += Counter(pieces) == least
    assert exact >= 10


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_pieces_are_known_until_they_can_have_gone(secrets: rulelang.Ruleset, backend: str) -> None:
    """Of two low cards and a high one, shown to the next seat, two go unseen: one of them may be the high one."""
    state = played(secrets, "show_all", backend=backend)
    assert (knows(state, 0), knows(state, 2)) == ({}, {})
    assert knows(state, 1) == {"hand[0]": ["high@0", "low@0", "low@0"]}
    state.apply("lay:cards=low@1")
    assert knows(state, 1)["pool"] == ["low@1"]
    state.apply("blind")  # the one card there is seen to leave
    assert "pool" not in knows(state, 1)
    state.apply("lay:cards=low@0+low@0")  # of three known ones two go: at least one low one does, and one stays at most
    assert knows(state, 1) == {"pool": ["low@0"]}
    assert knows(state, 0) == {"pool": ["low@0", "low@0"]}
    state.apply("done")
    assert knows(state, 1) == {"pool": ["low@0"]}


def test_a_card_that_one_shows_lies_in_ones_hand(secrets: rulelang.Ruleset) -> None:
    """Chosen from one's own hand and shown to the next."""
    state = played(secrets, "show:card=high@0")
    assert knows(state, 1) == {"hand[0]": ["high@0"]}
    assert knows(state, 2) == {}
    assert [event["value"] for event in state.events(1) if event["type"] == "reveal"] == ["high@0"]


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_a_pile_is_known_by_places(secrets: rulelang.Ruleset, backend: str) -> None:
    """Who buries a card knows where it lies, until others lift it or the pile is shuffled."""
    state = played(secrets, "bury:card=low@0", "bury:card=high@1", "bury:card=low@2", backend=backend)
    assert [knows(state, seat) for seat in range(3)] == [
        {"stack": [None, None, "low@0"]}, {"stack": [None, "high@1"]}, {"stack": ["low@2"]},
    ]  # fmt: skip
    state.apply("turn_up")
    assert knows(state, 0) == {"stack": ["low@2", "high@1", "low@0"]}
    state.apply("lift")  # low@2 goes from the stack to the pool: seats 0 and 2 know that it does
    assert knows(state, 2) == {"pool": ["low@2"]}
    assert knows(state, 0) == {"stack": ["high@1", "low@0"], "pool": ["low@2"]}
    assert knows(state, 1) == {"stack": ["high@1"]}
    state.apply("mix")
    assert knows(state, 0) == {"pool": ["low@2"]}
    assert knows(state, 1) == {}


def test_a_value_is_known_while_no_rule_can_change_it(secrets: rulelang.Ruleset) -> None:
    """Roles and purses are never written in play, bids are."""
    state = played(secrets, "tell", "offer", "weigh")
    assert knows(state, 1) == {"role[0]": "king"}
    assert knows(state, 2) == {}
    assert knows(state, 0) == {"purse[2]": {"nut": 2, "oil": 0}}
    assert [event.get("of") for event in state.events(1) if event["type"] == "reveal"] == ["role[0]", None, None]
    assert knows(state.clone(), 1) == {"role[0]": "king"}


def test_individuals_of_one_row_are_not_told_apart(secrets: rulelang.Ruleset) -> None:
    """Of two pawns one is shown; when one of them leaves in sight, it may have been that one."""
    pawns = [action.id for action in played(secrets).legal_actions() if action.id.startswith(("march", "leave"))]
    march = next(id_ for id_ in pawns if id_.startswith("march"))
    for leave in (id_ for id_ in pawns if id_.startswith("leave")):
        state = played(secrets, march)
        assert knows(state, 1) == {"home[0]": ["bow@0"]}
        state.apply("offer")
        state.apply("offer")
        state.apply(leave)
        assert knows(state, 1) == {}


def test_what_is_known_is_read_back_and_has_a_place(secrets: rulelang.Ruleset) -> None:
    """A saved state knows as much; a save that shows what lies nowhere is refused."""
    state = played(secrets, "show_all", "tell")
    again = secrets.state_from_json(state.to_json())
    assert [knows(again, seat) for seat in range(3)] == [knows(state, seat) for seat in range(3)] != [{}] * 3
    text = state.to_json()
    place = text.rindex("[1]")
    with pytest.raises(SaveError):
        secrets.state_from_json(text[:place] + "[7]" + text[place + 3 :])
