"""Options that are made one by one are those that are listed at once: in order, ids, texts, and what ends a choice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.interpreter import decisions
from rulelang.runtime import names
from rulelang.runtime.waiting import LongOptions
from rulelang.words import questions
from tests.game.test_many_subsets import game
from tests.shipped import shipped

HEARTS = Path(__file__).parents[2] / "benchmarks/games/hearts"

MENU = """\
rulelang: 2
name: menu
players: 2
kinds:
  Card: {attributes: {value: 1..12}, start: deck}
  Coin: {start: bowl}
pieces:
  Card: [{each: {value: 1..12}, id: "c{value}"}]
  Coin: [{id: penny, count: 4}, {id: shilling}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  bowl: {holds: Coin}
  hand: {holds: Card, per: player, visible: owner}
  till: {holds: Coin, per: player}
  bin: {holds: Card, final: true}
rules: |
  setup:
    for p in players: draw 5 from deck to p.hand
  play:
    for p in players:
      turn of p:
        move (choose any of hand) to bin
        move (choose up to 3 of bowl) to till
        move (anyway choose up to 1 of hand) to bin
        choose action:
          play(card in hand) when hand is not empty: move card to bin
          sell(n from 1 to 3): pass
          give(cards = 1 of hand, to in others) when hand is not empty: move cards to to.hand
          pay(coins = any of till): move coins to bowl
          wait: pass
  score hand: sum(hand.value)
"""


def positions(ruleset: rulelang.Ruleset, players: int, steps: int) -> Iterator[rulelang.State]:
    """Yield states of a random game at its decisions, played by the interpreter."""
    state, picker = ruleset.new_game(players, seed=3, backend="interpreter"), random.Random(5)
    for _ in range(steps):
        if state.is_terminal():
            return
        yield state
        state.apply(picker.choice(state.legal_actions()))


def described(state: rulelang.State) -> list[tuple[str, str, str, bool]]:
    """Return id, English and French text of all actions, and which of them only ends the choice."""
    actions = state.named(state.names).legal_actions()
    return [(action.id, action.text("en"), action.text("fr"), action.leaves) for action in actions]


@pytest.fixture
def menu(tmp_path: Path) -> rulelang.Ruleset:
    """A game that asks for collections, of which some have equal members, alone and in a menu."""
    (tmp_path / "ruleset.yaml").write_text(MENU, encoding="utf-8")
    return rulelang.load(tmp_path)


def test_long_listings_say_the_same(menu: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether options are listed at once or one by one, their ids, texts and order are the same, and an id finds its
    option."""
    games = [(menu, 2, 9), (shipped("reco"), 3, 12), (shipped("imaginarium"), 4, 25), (shipped(HEARTS), 4, 8)]
    one_by_one = 0
    for ruleset, players, steps in games:
        for state in positions(ruleset, players, steps):
            listed = described(state)
            with monkeypatch.context() as patched:
                patched.setattr(decisions, "LONG", 0)
                actions = state.named(state.names).legal_actions()
                assert isinstance(actions[0].offer.options, LongOptions)
                assert described(state) == listed
                one_by_one += isinstance(actions[0].offer.ids, names.LongIds)
                assert [actions[0].offer.find(id_) for id_, *_ in listed] == list(range(len(listed)))
    assert one_by_one > 20


def test_one_of_many_is_made_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 65,536 options the actions are made without ids and words; to take one by its id makes a few ids, and to read
    one makes as many texts as there are cards."""
    state = game(tmp_path, 16)
    made = {"option": 0, "id": 0, "text": 0}

    def counted(name: str, function: Any) -> Any:
        def count(*args: Any, **more: Any) -> Any:
            made[name] += 1
            return function(*args, **more)

        return count

    monkeypatch.setattr(decisions.DecisionCode, "option", counted("option", decisions.DecisionCode.option))
    monkeypatch.setattr(names, "option_id", counted("id", names.option_id))
    monkeypatch.setattr(questions.Questions, "option", counted("text", questions.Questions.option))
    actions = state.legal_actions()
    assert (len(actions), made) == (65_536, {"option": 0, "id": 0, "text": 0})
    id_ = actions[40_000].id
    assert made["option"] == made["id"] == 1
    # Each card alone, one card more, all of them, none; and each card and the option itself.
    assert actions[40_000].text().count(" and ") == 1
    assert made["text"] <= 16 + 16 + 2 + 1
    state.apply(id_)
    assert made["id"] <= 4
    assert made["option"] <= 10
    with pytest.raises(rulelang.IllegalAction, match="`play:choice=c99` is not offered"):
        state.apply("play:choice=c99")
    assert made["id"] <= 1_100
