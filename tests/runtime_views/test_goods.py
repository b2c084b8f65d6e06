"""Goods that move between bags, and bags of which one may only see how much they hold: each seat learns what it may."""

from __future__ import annotations

from typing import Any

import pytest

import rulelang
from rulelang import State
from rulelang.runtime.event_rows import EVENT_NAMES, UNSEEN, event_rows_of
from rulelang.runtime.fields import fields_of
from rulelang.runtime.views import entries
from rulelang.table.view import Value, everything, shares

YAML = """\
rulelang: 2
name: goods
players: 3
types: {Good: {values: [brick, wool]}}
kinds: {Cart: {variables: {load: {type: bag of Good}}, start: road}}
pieces: {Cart: [{id: cart}]}
zones:
  road: {holds: Cart}
  heap: {holds: Cart, per: player, visible: owner, size: owner}
variables:
  purse: {type: bag of Good, per: player, visible: owner, start: 2 brick + 1 wool}
  screen: {type: bag of Good, per: player, visible: owner, size: owner}
  dark: {type: bag of Good, visible: nobody, size: all}
  chest: {type: bag of Good, capacity: {total: 2}}
  box: {type: bag of Good, per: player, visible: owner, capacity: {each: 1}}
  bank: {type: bag of Good}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          rob: move (random 1 of next.purse) from next.purse to purse
          hide: move purse from purse to screen
          more: move 3 wool from purse to next.purse
          show: move purse from purse to chest
          fill: move purse from purse to box
          lose(paying 2 brick from purse): pass
          buy(paying 1 brick + 1 wool from purse to bank): pass
          hand(paying 1 wool from purse to next.purse): pass
          swap: purse := 1 brick + 2 wool
          gain: purse += 2 brick
          load: move 1 brick from purse to cart.load
          dark: move 1 wool from purse to dark
          self: move purse from purse to purse
  score goods: count(purse) + count(screen) + count(chest) + count(box) + count(bank) + cart.load.brick + count(dark)
  score heap: count(heap)
"""
ALL = {"brick": 2, "wool": 1}
OPEN = {"type": "goods", "from": "purse[0]"}
# What seat 0 does -> the events of goods that seat 0, seat 1 and seat 2 are told of, without where they come from.
TOLD: dict[str, tuple[Any, ...]] = {
    # seat 0 takes from seat 1: both see what, seat 2 that it was one
    "rob": (*[{"to": "purse[0]", "count": 1, "goods": "drawn"}] * 2, {"to": "purse[0]", "count": 1, "goods": None}),
    # what goes behind a screen comes from a purse that all may count
    "hide": ({"to": "screen[0]", "count": 3, "goods": ALL}, *[{"to": "screen[0]", "count": 3, "goods": None}] * 2),
    # there is one wool alone
    "more": (
        *[{"to": "purse[1]", "count": 1, "goods": {"brick": 0, "wool": 1}}] * 2,
        {"to": "purse[1]", "count": 1, "goods": None},
    ),
    # one of each finds room
    "fill": (
        {"to": "box[0]", "count": 2, "goods": {"brick": 1, "wool": 1}},
        *[{"to": "box[0]", "count": 2, "goods": None}] * 2,
    ),
    "lose:pay=brick+brick": ({"to": None, "count": 2, "goods": {"brick": 2, "wool": 0}},) * 3,
    "buy:pay=brick+wool": ({"to": "bank", "count": 2, "goods": {"brick": 1, "wool": 1}},) * 3,
    "load": ({"to": "cart.load", "count": 1, "goods": {"brick": 1, "wool": 0}},) * 3,
    "dark": (
        {"to": "dark", "count": 1, "goods": {"brick": 0, "wool": 1}},
        *[{"to": "dark", "count": 1, "goods": None}] * 2,
    ),
    "self": (None,) * 3,
}
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "native"])


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    folder = tmp_path_factory.mktemp("goods")
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    return rulelang.load(folder)


def after(game: rulelang.Ruleset, what: str, backend: str, seed: int = 0) -> State:
    """The game after a choice of seat 0."""
    state = game.new_game(players=3, seed=seed, backend=backend)
    state.apply(what)
    return state


def moved(state: State, seat: int) -> list[dict[str, Any]]:
    """The goods that a seat was told of."""
    kept = ("type", "from", "to", "count", "goods")
    return [{key: event[key] for key in kept} for event in state.events(seat) if event["type"] == "goods"]


@BACKENDS
def test_each_seat_is_told_what_it_may_see(game: rulelang.Ruleset, backend: str) -> None:
    """Who sees one of the bags sees what goes, who may count one how many; what is paid to nobody all see."""
    for what, told in TOLD.items():
        state = after(game, what, backend)
        again = game.state_from_json(state.to_json())
        for seat, expected in enumerate(told):
            found = moved(state, seat)
            if what == "rob":
                (unit,) = (event["value"] for event in state.events(None) if event["type"] == "chance")
                drawn = {"brick": int(unit == "brick"), "wool": int(unit == "wool")}
                expected = expected | {"from": "purse[1]", "goods": expected["goods"] and drawn}
            assert found == ([] if expected is None else [OPEN | expected]), (what, seat)
            assert moved(again, seat) == found


@BACKENDS
def test_what_is_rewritten_tells_how_much_it_holds(game: rulelang.Ruleset, backend: str) -> None:
    """Another bag of the same size tells others nothing, a larger one by how much."""
    for what, told in {"swap": [], "gain": [("purse[0]", 3, 5)]}.items():
        events = after(game, what, backend).events(1)
        assert [(e["variable"], e["old"], e["new"]) for e in events if e["type"] == "size"] == told
        assert not any(event["type"] == "set" for event in events)
    assert "your purse: +2 bricks" in told_to(after(game, "gain", backend), 0).lower()
    assert "seat 0's purse: +2 goods" in told_to(after(game, "gain", backend), 1).lower()


def told_to(state: State, seat: int | None) -> str:
    """The story of a game as a seat is told it."""
    return " ".join(event["text"] for event in state.story(seat))


@BACKENDS
def test_sizes_are_seen_by_those_who_may_count(game: rulelang.Ruleset, backend: str) -> None:
    """Of others' purses how many goods there are, of screens nothing; whoever looks on sees no more."""
    state = after(game, "hide", backend)
    seen = {seat: state.observation(seat) for seat in range(3)}
    assert seen[0]["sizes"] == {"purse[1]": 3, "purse[2]": 3, "dark": 0, "box[1]": 0, "box[2]": 0}
    assert seen[1]["sizes"] == {"purse[0]": 0, "purse[2]": 3, "dark": 0, "box[0]": 0, "box[2]": 0}
    assert seen[0]["variables"]["screen[0]"] == ALL
    assert not any(name.startswith("screen[0]") for part in ("sizes", "variables") for name in seen[1][part])
    assert [name for name in seen[1]["zones"] if name.startswith("heap")] == ["heap[1]"]
    assert everything(state)["sizes"] == {"dark": 0}
    assert shares(game, seen[0])["1"].singles["purse"] == Value({"Good": 3})


def test_a_total_lets_its_player_choose(game: rulelang.Ruleset) -> None:
    """Of three goods two find room in the chest: which, whoever acts chooses; what finds none stays."""
    state = after(game, "show", "native")
    assert [action.text() for action in state.legal_actions()] == ["move 2 bricks", "move 1 brick and 1 wool"]
    state.apply(state.legal_actions()[1])
    assert state.observation(0)["variables"]["purse[0]"] == {"brick": 1, "wool": 0}
    assert state.observation(2)["variables"]["chest"] == {"brick": 1, "wool": 1}
    assert "1 brick and 1 wool go from seat 0's purse to the chest" in told_to(state, 2)


def test_arrays_hold_sizes(game: rulelang.Ruleset) -> None:
    """Agents see how much the others' purses hold, each from its own seat."""
    state = after(game, "more", "interpreter")
    fields = fields_of(state._state.layout)
    for seat, sizes in enumerate(((4, 3), (3, 2), (2, 4))):
        counts, numbers = [0] * fields.counts, [0] * fields.numbers
        fields.write(state._state, seat, (1,), counts, numbers)
        arrays = {"counts": counts, "numbers": numbers}
        known = {field.name: arrays[field.array][field.offset] for field in fields.fields}
        assert (known["size:purse[+1]"], known["size:purse[+2]"]) == sizes


@BACKENDS
def test_worlds_keep_sizes_and_what_was_seen(game: rulelang.Ruleset, backend: str) -> None:
    """Seat 2 saw that one good went; in its worlds that is a brick or a wool, while all sizes are as they were."""
    state = after(game, "rob", backend)
    worlds = [state.resample(2, seed) for seed in range(24)]
    assert {tuple(world.observation(0)["variables"]["purse[0]"].values()) for world in worlds} == {(3, 1), (2, 2)}
    assert all(world.observation(2) == state.observation(2) for world in worlds)
    assert all(world.events(2) == state.events(2) for world in worlds)
    for seat in (0, 1):
        assert state.resample(seat, 1).hash() == state.hash()


def test_rows_of_events_tell_as_much(game: rulelang.Ruleset) -> None:
    """As numbers: from which bag to which, so many of which good, for who sees that; else how many of one unseen."""
    state = after(game, "hide", "interpreter")
    layout = state._state.layout
    rows = {
        seat: [row for _, entry in entries(state._state, seat) for row in event_rows_of(layout, seat).of(entry)]
        for seat in (0, 1)
    }
    own, other = ([row for row in rows[seat] if EVENT_NAMES[row.event] == "goods"] for seat in (0, 1))
    assert [(row.value, row.before) for row in own] == [(2, 0), (1, 1)]
    assert [(row.value, row.before, row.to) for row in other] == [(3, UNSEEN, -1)]
    gain = after(game, "gain", "interpreter")._state
    (told,) = (e for _, e in entries(gain, 1) if e[0] == "size")
    (row,) = event_rows_of(layout, 1).of(told)
    assert (EVENT_NAMES[row.event], row.value, row.before, row.subject) == ("set", 5, 3, other[0].origin)
