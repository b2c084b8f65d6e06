"""What a seat has seen happen as rows of numbers: worked out by hand for a small ruleset."""

from __future__ import annotations

import pytest

from rulelang.envs import PickGame, Spec, spec
from rulelang.runtime.event_rows import _ROWS, EVENT_NAMES, UNSEEN
from rulelang.runtime.state import DECLARED
from rulelang.runtime.views import _PARTS
from tests.words.games import made

MARKET = """\
rulelang: 2
name: market
players: 2
kinds:
  Card: {attributes: {rank: 1..3}, start: deck}
  Man: {variables: {strength: {type: 0..5, start: 1}}, start: camp}
pieces:
  Card: [{id: one, rank: 1}, {id: two, rank: 2}]
  Man: [{id: man, per: player}]
types: {Good: {values: [nut, oil]}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  heap: {holds: Card, order: pile, visible: top}
  camp: {holds: Man}
variables:
  purse: {type: bag of Good, per: player, start: 1 nut + 1 oil}
  coins: {type: 0..9, per: player}
rules: |
  setup:
    draw 1 from deck to seat(1).hand
    move deck to heap
  play:
    turn of seat(1): act()
    end the game won by seat(1)
  rule act():
    choose:
      lay(c in hand, paying 1 nut from purse):
        move c to heap
        coins += 2
        train(camp where it.owner = you)
        reveal coins to you.next
      else: pass
  rule train(men: list of Man):
    for m in men: m.strength := 3
"""
"""The pile starts with two at its bottom, so that seat 1 has one, which seat 0 sees when it lies on the heap."""

ONE, TWO, OWN_MAN, OTHER_MAN = range(4)
DECK, OWN, OTHER, HEAP = range(4)
SEEN = {
    0: [
        ("move", {"origin": DECK, "to": OTHER, "piece": UNSEEN, "value": 0}),
        ("move", {"origin": DECK, "to": HEAP, "piece": TWO, "value": 0}),
        ("begin", {"seat": 1, "value": 0}),
        ("choice", {"seat": 1, "value": 0, "subject": 0}),
        ("argument", {"seat": 1, "piece": UNSEEN, "subject": 0}),
        ("argument", {"seat": 1, "value": 1, "before": 0, "subject": 1}),  # 1 nut
        ("set", {"value": 0, "before": 1, "subject": "purse[+1]/nut"}),
        ("move", {"origin": OTHER, "to": HEAP, "piece": ONE, "value": 0}),
        ("set", {"value": 2, "before": 0, "subject": "coins[+1]"}),
        ("set", {"piece": OTHER_MAN, "value": 3, "before": 1, "subject": 1}),  # after the zone in its row
        ("reveal", {"value": 2, "subject": 0b01}),
        ("end", {"value": DECLARED, "before": 0b10}),
    ],
    1: [
        ("move", {"origin": DECK, "to": OWN, "piece": ONE, "value": 0}),
        ("move", {"origin": DECK, "to": HEAP, "piece": TWO, "value": 0}),
        ("begin", {"seat": 0, "value": 0}),
        ("choice", {"seat": 0, "value": 0, "subject": 0}),
        ("argument", {"seat": 0, "piece": ONE, "subject": 0}),
        ("argument", {"seat": 0, "value": 1, "before": 0, "subject": 1}),
        ("set", {"value": 0, "before": 1, "subject": "purse[+0]/nut"}),
        ("move", {"origin": OWN, "to": HEAP, "piece": ONE, "value": 0}),
        ("set", {"value": 2, "before": 0, "subject": "coins[+0]"}),
        ("set", {"piece": OWN_MAN, "value": 3, "before": 1, "subject": 1}),
        ("reveal", {"value": UNSEEN, "subject": 0b10}),
        ("end", {"value": DECLARED, "before": 0b01}),
    ],
}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    return spec(made(tmp_path_factory.mktemp("market"), MARKET))


@pytest.fixture(scope="module")
def played(market: Spec) -> PickGame:
    game = PickGame(market, seed=1)
    while not game.end:
        game.step(game.mask(1)[0])
    return game


@pytest.mark.parametrize("seat", SEEN)
def test_a_seat_is_told_what_it_has_seen(market: Spec, played: PickGame, seat: int) -> None:
    """Own and other things by distance; the rival's card is unseen until it lies on top."""
    slots = [slot for array in ("counts", "numbers") for f in market.fields if f.array == array for slot in f.slots]
    rows, count = played.events(seat)
    told = []
    for row in rows:
        values = {name: value for name, value in row._asdict().items() if name != "event" and value != -1}
        event = EVENT_NAMES[row.event]
        if event == "set" and "piece" not in values:
            values["subject"] = slots[row.subject]
        told.append((event, values))
    assert told == SEEN[seat]
    assert count == len(played.state.events(seat))


def test_the_last_rows_are_given(played: PickGame) -> None:
    """With the number of all events: ten, one of which has three rows."""
    rows, count = played.events(0, 2)
    assert [EVENT_NAMES[row.event] for row in rows] == ["reveal", "end"]
    assert count == 10


def test_each_kind_of_event_has_rows() -> None:
    """Whatever the log has is told as rows, but for what only shorter stories have."""
    assert {*_ROWS} == {*_PARTS} - {"bag", "moves"}
