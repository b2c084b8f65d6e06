"""Positions: tops of piles, all the rest of a kind, a position opened by a program, what its seats know."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

import rulelang
from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import RulesetError, UsageError
from rulelang.scenarios import run_scenarios
from rulelang.semantics.check import analyse

YAML = """\
rulelang: 2
name: market
title: {en: Market, fr: Marché}
players: 2
languages: [en, fr]
kinds:
  Card: {attributes: {value: 1..3}, start: deck}
  Cart: {start: yard, variables: {load: {type: 0..5}}}
pieces:
  Card:
    - {id: one, value: 1, count: 3}
    - {id: two, value: 2, count: 2}
    - {id: three, value: 3}
  Cart:
    - {id: cart, per: player}
zones:
  deck: {holds: Card, order: pile, visible: count}
  shown: {holds: Card, order: pile, visible: top}
  row: {holds: Card, visible: all}
  hand: {holds: Card, per: player, visible: owner, capacity: 2}
  yard: {holds: Cart, visible: all}
  road: {holds: Cart, visible: all}
variables:
  coins: {type: 0..9, per: player}
rules: |
  setup:
    shuffle deck

  play:
    turn of seat(0): act()

  rule act:
    choose:
      stay: pass
      pick(card in row): move card to hand
      drop: draw 1 from shown to hand
      ride(cart in road): move cart to yard
      draw_card: draw 1 from deck to hand

  score coins: coins
"""

HOLDS = """\
rulelang: 2
scenarios:
  - name: named pieces on top, the rest below
    given: {zones: {deck: {top: [three, one]}}}
    then: ["count(deck) = 6", "any(c is three for c in top 1 of deck)", "sum(c.value for c in top 2 of deck) = 4"]
  - name: another zone takes its pieces from below
    given: {zones: {deck: {top: [two]}, "seat(0).hand": [two]}}
    when: [draw_card]
    then: ["sum(seat(0).hand.value) = 4", "count(deck) = 4", "sum(deck.value) = 6"]
  - name: all the rest of a kind
    given: {zones: {deck: [two], row: rest, "seat(0).hand": [three]}}
    then: ["count(row) = 4", "sum(row.value) = 5", "count(deck) = 1", {options: [stay, drop, draw_card, "pick:*"]}]
  - name: all the rest in a pile that is shuffled
    given: {zones: {row: [three, one], deck: rest}}
    then: ["count(deck) = 4", "sum(deck.value) = 6"]
  - name: pieces on top with their variables
    given: {zones: {road: [{piece: cart@1, load: 3}]}}
    then: ["sum(road.load) = 3"]
"""

FAILS = {
    "{row: {top: [one]}}": "`row` is no pile, and has no top",
    "{row: rest, deck: rest}": "all the rest lies in `row`, which leaves none for `deck`",
    '{"seat(0).hand": rest}': "`hand[0]` holds 2 pieces at most",
    "{deck: {top: [4 one]}}": "4 `one` wanted, 3 exist",
    "{deck: {bottom: [one]}}": "schema-",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("market")
    (path / "scenarios").mkdir()
    (path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (path / "scenarios" / "a.yaml").write_text(HOLDS, encoding="utf-8")
    rows = "".join(f"  - {{name: '{i}', given: {{zones: {z}}}, then: ['true']}}\n" for i, z in enumerate(FAILS))
    (path / "scenarios" / "b.yaml").write_text(f"rulelang: 2\nscenarios:\n{rows}", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def ruleset(folder: Path) -> rulelang.Ruleset:
    return rulelang.load(folder)


def test_tops_and_all_the_rest(ruleset: rulelang.Ruleset) -> None:
    """What holds passes; each mistake is one failure of its own, a file's too, and the others run all the same."""
    results = list(run_scenarios(ruleset))
    assert [(r.name, r.message) for r in results if r.file.endswith("a.yaml") and not r.ok] == []
    failed = {r.name: r.message for r in results if r.file.endswith("b.yaml")}
    wanted = {str(number): part for number, part in enumerate(FAILS.values())}
    assert failed.keys() == wanted.keys()
    assert [(name, failed[name]) for name, part in wanted.items() if part not in failed[name]] == []
    assert len(results) == 10


GIVEN = {
    "seed": 3,
    "zones": {
        "row": ["one", "2 two"],
        "shown": ["three"],
        "seat(0).hand": ["one"],
        "road": [{"piece": "cart@1", "load": 2}],
    },
    "variables": {"seat(1).coins": 4},
}


def test_a_position_is_a_state_like_any_other(ruleset: rulelang.Ruleset) -> None:
    """It is played on, saved and loaded; what is left over lies in the deck: one of six cards."""
    state = ruleset.position(GIVEN)
    assert state.ruleset is ruleset
    assert state.scores() == [0, 4]
    assert [action.id for action in state.legal_actions()] == [
        "stay", "pick:card=one", "pick:card=two", "drop", "ride:cart=cart@1", "draw_card"
    ]  # fmt: skip
    again = ruleset.state_from_json(state.to_json())
    assert again.hash() == state.hash()
    assert again.information_state(1) == state.information_state(1)
    again.apply("pick:card=two")
    assert again.observation(1)["zones"]["row"] == {"count": 2, "pieces": ["one", "two"]}
    assert again.is_terminal()
    assert ruleset.position(GIVEN, chance="explicit").hash() == state.hash()
    done = ruleset.position({"zones": {"row": "rest"}, "do": "turn of seat(1):\n  act()"})
    assert done.current_players() == [1]
    done.apply("pick:card=three")
    assert done.observation(1)["zones"]["hand[1]"]["pieces"] == ["three"]
    assert ruleset.position({"seed": 5}).hash() == ruleset.new_game(seed=5).hash()


def test_what_lies_in_the_open_is_known_to_all(ruleset: rulelang.Ruleset) -> None:
    """Seat 1 sees the row and the top of `shown`, not the hand of seat 0; so it is told, also when a piece moves on."""
    state = ruleset.position(GIVEN)
    told = {event["zone"]: (event["pieces"], event["text"]) for event in state.events(1) if event["type"] == "given"}
    assert told == {
        "deck": ([None], "In the deck: a card."),
        "shown": (["three"], "In the shown: the three."),
        "row": (["one", "two", "two"], "In the row: a one and 2 twos."),
        "hand[0]": ([None], "In seat 0's hand: a card."),
        "yard": (["cart@0"], "In the yard: seat 0's cart."),
        "road": (["cart@1"], "In the road: your cart."),
    }
    assert "a one" in next(e["text"] for e in state.events(0) if e.get("zone") == "hand[0]")
    assert next(e["text"] for e in state.events(1, lang="fr") if e.get("zone") == "shown").startswith("Dans ")
    dropped = state.clone()
    dropped.apply("drop")
    assert dropped.events(1)[-2]["pieces"] == ["three"]
    state.apply("ride:cart=cart@1")
    assert [event["arguments"] for event in state.events(1) if event["type"] == "choice"] == [{"cart": "cart@1"}]


def test_what_a_seat_does_not_see_of_a_position_is_dealt_anew(ruleset: rulelang.Ruleset) -> None:
    """Seat 1 sees a one and two twos in the row and a three shown: seat 0's card and the one in the deck are two ones,
    so nothing can differ. Without the row, six cards less the three may lie in the hand of seat 0."""
    state = ruleset.position(GIVEN)
    assert {state.resample(1, seed).hash() for seed in range(4)} == {state.hash()}
    open_ = ruleset.position({"zones": {"shown": ["three"], "seat(0).hand": ["one"], "seat(1).hand": ["two"]}})
    hands = set()
    for seed in range(40):
        other = open_.resample(1, seed)
        assert other.information_state(1) == open_.information_state(1)
        hands.add(tuple(other.observation(0)["zones"]["hand[0]"]["pieces"]))
        again = other.resample(0, seed)
        assert again.observation(0) == other.observation(0)
    assert hands == {("one",), ("two",)}
    assert all(open_.resample(0, seed).observation(0) == open_.observation(0) for seed in range(4))


def test_what_came_after_a_position_is_kept_in_mind(ruleset: rulelang.Ruleset) -> None:
    """Seat 0 rides its cart with a load; that of seat 1 and all that lies in the open stay as they are."""
    state = ruleset.position({"zones": {"row": ["two"], "seat(0).hand": ["one"]}}, chance="explicit")
    state.apply("pick:card=two")
    for seed in range(8):
        other = state.resample(1, seed)
        assert "two" in other.observation(0)["zones"]["hand[0]"]["pieces"]
        assert other.information_state(1) == state.information_state(1)


def test_the_ruleset_is_checked_once_for_all_positions(folder: Path) -> None:
    """What is given anew is compiled with the ruleset as checked; what was given lately is not compiled again."""
    ruleset = rulelang.load(folder)
    do = {"zones": {"row": "rest"}, "do": "turn of seat(1):\n  act()"}
    with (
        patch("rulelang.semantics.check.analyse", wraps=analyse) as checked,
        patch("rulelang.game.situations.compile_ruleset", wraps=compile_ruleset) as compiled,
    ):
        states = [ruleset.position(given) for given in (GIVEN, do, GIVEN, do, {"zones": {"row": ["two"]}})]
        assert (checked.call_count, compiled.call_count) == (1, 3)
    assert states[0].hash() == states[2].hash()
    assert states[1].hash() == states[3].hash()
    assert ruleset.new_game().hash() == rulelang.load(folder).new_game().hash()


def test_what_does_not_fit_is_told(ruleset: rulelang.Ruleset) -> None:
    """Mistakes of a program have the findings of a scenario file."""
    with pytest.raises(RulesetError, match="no Card is called `four`"):
        ruleset.position({"zones": {"row": ["four"]}})
    with pytest.raises(RulesetError, match="schema-"):
        ruleset.position({"zone": {"row": ["one"]}})
    with pytest.raises(RulesetError, match="not for 5 players"):
        ruleset.position({"players": 5})
    with pytest.raises(UsageError, match="holds 2 pieces at most"):
        ruleset.position({"zones": {"seat(0).hand": "rest"}})
    with pytest.raises(UsageError, match="chance is"):
        ruleset.position({}, chance="loaded")
