"""What `then` can say of a position and the ends ahead of it: options, seats that are asked, ranks, hidden pieces."""

from __future__ import annotations

from pathlib import Path

import rulelang
from rulelang.scenarios import run_scenarios

YAML = """\
rulelang: 2
name: duel
title: {en: Duel}
players: 2..3
languages: [en]
kinds:
  Card: {attributes: {value: 1..3}, start: deck}
pieces:
  Card:
    - {id: one, value: 1}
    - {id: two, value: 2}
    - {id: three, value: 3}
zones:
  deck: {holds: Card, order: pile, visible: nobody}
  hand: {holds: Card, per: player, visible: owner}
variables:
  points: {type: 0..9, per: player}
  secret: {type: 0..9, visible: nobody}
rules: |
  setup:
    shuffle deck

  play:
    turn of seat(0): act()

  rule act:
    choose:
      stay: pass
      take: draw 1 from deck to hand
      guess(n from 1 to 2): points := roll n to 2
    if points >= 2: end the game

  score points: points
"""
"""After `shuffle` nobody knows the order of three cards; `guess(1)` scores 1 or 2, `guess(2)` scores 2."""

HOLDS = """\
rulelang: 2
scenarios:
  - name: exactly these options, so many of them, and who is asked
    then: [{options: [stay, take, "guess:n=*"]}, {options: 4}, {asked: [0]}]
  - name: nobody is asked at the end
    when: [stay]
    then: [{options: []}, {options: 0}, {asked: []}, {over: true}]
  - name: who comes to the end has ended nothing
    given: {do: "turn of seat(0): act()"}
    when: [stay]
    then: [{over: true}, {ended: false}]
  - name: a rule has ended it
    given: {do: "turn of seat(0): act()"}
    when: ["guess:n=2"]
    then: [{over: true}, {ended: true}]
  - name: conditions read what nobody has seen
    given: {variables: {secret: 4}}
    then: ["sum(deck.value) = 6", "any(c is two for c in deck)", "secret = 4", "count(top 3 of deck) = 3"]
  - name: a pile that was given in order
    given: {zones: {deck: [three, one, two]}}
    then: ["any(c is three for c in top 1 of deck)", "any(c is two for c in bottom 1 of deck)"]
  - name: second places are shared
    given: {players: 3, variables: {"seat(1).points": 2}}
    when: [stay]
    then: [{ranks: [2, 1, 2]}, {winners: [1]}]
  - name: a first place is shared, the next is the third
    given: {players: 3, variables: {"seat(1).points": 2, "seat(2).points": 2}}
    when: [stay]
    then: [{ranks: [3, 1, 1]}]
  - name: every end
    given: {variables: {"seat(1).points": 1}}
    then: [{ends: [{winners: [1], scores: [0, 1]}, {winners: [0, 1], ranks: [1, 1]}, {scores: [2, 1]}]}]
  - name: every end, with what is true in it
    given: {variables: {"seat(1).points": 1}}
    then:
      - ends:
          - {holds: "seat(0).points = 0 and secret = 0", winners: [1]}
          - {holds: "seat(0).points = 1"}
          - {holds: "seat(0).points = 2"}
  - name: the ends that one choice leaves to chance
    given: {variables: {"seat(1).points": 1}}
    when: ["guess:n=1"]
    then: [{ends: [{winners: [0, 1]}, {winners: [0]}]}]
"""

FAILS = {
    "then: [{options: [stay, take]}]": "more is offered than is listed: offered are `guess:n=1`, `guess:n=2`",
    'then: [{options: [stay, "guess:*"]}]': "more is offered than is listed: offered are `take`",
    "when: [stay]\n    then: [{options: [stay]}]": "`stay` is not offered: there is no decision",
    "then: [{options: 3}]": "3 options expected: offered are `stay`, `take`, `guess:n=1`, `guess:n=2`",
    "then: [{asked: [0, 1]}]": "asked is seat 0, not seat 0, 1",
    "then: [{asked: []}]": "asked is seat 0, not nobody",
    "when: [stay]\n    then: [{refused: take}]": "`take` is not refused: nobody is asked",
    'then: ["sum(deck.value) = 5"]': "this does not hold: `sum(deck.value) = 5`",
    "then: [{ranks: [1, 2]}]": "the ranks are [], not [1, 2]",
    "then: [{ends: [{scores: [0, 0]}, {scores: [1, 0]}]}]": (
        "an end is possible that is not listed: winners [0], scores [2, 0], ranks [1, 2]"
    ),
    "when: [stay]\n    then: [{ends: [{scores: [0, 0]}, {scores: [9, 0], winners: [0]}]}]": (
        "no end is possible with scores [9, 0], winners [0]"
    ),
    'when: [stay]\n    then: [{ends: [{scores: [0, 0]}, {holds: "secret = 7"}]}]': (
        "no end is possible with `secret = 7`"
    ),
    "when: [stay]\n    then: [{over: true}, {ended: true}]": "no rule has ended the game",
    'when: ["guess:n=2"]\n    then: [{ended: false}]': "a rule has ended the game",
    "then: [{options: [stat]}]": "no option is called `stat`",
    "then: [{asked: [5]}]": "nobody has the number 5: there are 2 players, from 0 to 1",
    "then: [{ends: [{ranks: [1]}]}]": "`ranks` has 1 number, and there are 2 players",
}


def write(folder: Path, scenarios: str) -> None:
    (folder / "scenarios").mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (folder / "scenarios" / "s.yaml").write_text(scenarios, encoding="utf-8")


def test_what_holds_passes(tmp_path: Path) -> None:
    """Each of these is worked out from the rules above."""
    write(tmp_path, HOLDS)
    assert [(r.name, r.message) for r in run_scenarios(rulelang.load(tmp_path)) if not r.ok] == []


def test_what_does_not_hold_is_told(tmp_path: Path) -> None:
    """Every failure says what is there instead."""
    rows = "".join(f"  - name: case {number}\n    {text}\n" for number, text in enumerate(FAILS))
    write(tmp_path, f"rulelang: 2\nscenarios:\n{rows}")
    results = list(run_scenarios(rulelang.load(tmp_path)))
    assert [(r.ok, wanted) for r, wanted in zip(results, FAILS.values(), strict=True) if r.ok] == []
    assert [r.message for r, wanted in zip(results, FAILS.values(), strict=True) if wanted not in r.message] == []
