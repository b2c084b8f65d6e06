"""The runner of a ruleset's own tests: situations, choices, expectations, and what it says when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import Result, run_scenarios
from tests.shipped import shipped

YAML = """\
rulelang: 2
name: cave
title: {en: Cave}
players: 2..3
languages: [en]
kinds:
  Card: {attributes: {value: 1..9}, start: deck, active: [hand]}
  Robot: {start: home, variables: {load: {type: 0..5}}}
pieces:
  Card:
    - {id: one, value: 1, count: 4}
    - {id: two, value: 2, count: 2}
    - {id: nine, value: 9, start: "vault", rules: "scores: 5"}
  Robot:
    - {id: robot, per: player}
zones:
  deck:  {holds: Card, order: pile, visible: count, refill: gone}
  gone:  {holds: Card, visible: all}
  hand:  {holds: Card, per: player, visible: owner, capacity: 3}
  vault: {holds: Card, order: pile, visible: all}
  home:  {holds: Robot, visible: all}
  field: {holds: Robot, visible: all}
variables:
  coins: {type: 0..9, per: player}
  chief: {type: player}
  shaken: {type: bool}
"""

RULE = """\
rulelang 2

setup:
  shuffle deck
  for p in players: draw 1 from deck to p.hand

play:
  turn of seat(1): act()

rule act:
  choose:
    draw_card:
      draw 1 from deck to hand
      coins := roll 1 to 6
    spend(n from 1 to 3) when n <= coins: coins -= n

score cards: sum(hand.value)
"""


def run(tmp_path: Path, scenario: str) -> Result:
    """The result of one scenario, given as the lines below its name."""
    folder = tmp_path / "cave"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (folder / "cave.rule").write_text(RULE, encoding="utf-8")
    lines = "\n".join(f"    {line}" for line in scenario.splitlines())
    text = f"rulelang: 2\nscenarios:\n  - name: it\n{lines}\n"
    (folder / "scenarios" / "one.yaml").write_text(text, encoding="utf-8")
    (result,) = run_scenarios(rulelang.load(folder))
    return result


def test_the_scenarios_of_a_shipped_ruleset_pass() -> None:
    """All of R-ECO's hold; each says what it cites."""
    results = list(run_scenarios(shipped("reco")))
    assert [result.message for result in results if not result.ok] == []
    assert len(results) >= 48
    assert all(result.cites for result in results)


@pytest.mark.parametrize(
    "scenario",
    [
        # What is not given is as after the setup: 6 cards, 2 in hands.
        'then: ["count(deck) = 4", "count(seat(0).hand) = 1", {over: false}]',
        # Given zones are filled from what was emptied and from where pieces start; the rest is shuffled into the deck.
        """\
given: {zones: {"seat(0).hand": [2 two], "seat(1).hand": []}}
then: ["sum(seat(0).hand.value) = 4", "count(deck) = 4", "count(seat(1).hand) = 0"]""",
        # A pile is given from its top.
        """\
given: {zones: {deck: [two, one], "seat(0).hand": [], "seat(1).hand": []}, do: "draw 1 from deck to seat(0).hand"}
then: ["sum(seat(0).hand.value) = 2", "count(gone) = 4"]""",
        # A row's own start is where its piece comes from.
        'given: {zones: {"seat(0).hand": [nine]}}\nthen: ["vault is empty", "sum(seat(0).hand.value) = 9"]',
        # Pieces of a player go to the owner's zones, else any of them.
        'given: {zones: {field: [2 robot]}}\nthen: ["count(field) = 2", "home is empty"]',
        # Variables, also of seats and of truth; the third seat exists where there are three players.
        """\
given: {players: 3, variables: {"seat(2).coins": 4, chief: seat(2), shaken: true}}
then: ["chief.coins = 4", "shaken", "chief = seat(2)"]""",
        # Variables of pieces.
        """\
given: {zones: {field: [robot]}, variables: {}, do: "for r in field: r.load := 3"}
then: ["sum(field.load) = 3"]""",
        # Chance that is listed happens; the choices are patterns.
        """\
given: {variables: {"seat(1).coins": 0}}
when: ["draw_*", "act:coins=5"]
then: ["seat(1).coins = 5", "count(seat(1).hand) = 2", {over: true}]""",
        # The setup's chance can be listed when nothing is given.
        'when: ["setup:draw=two", "setup:draw=two"]\nthen: ["sum(h.value for h in seat(0).hand) = 2"]',
        # What is refused, and what is said to be missing for it.
        """\
then:
  - {refused: "spend:n=2", missing: "needs `n <= coins`: n is 2, coins is 0"}
  - {refused: "spend:*", missing: "*n is 3*"}""",
        # A choice that is made where it is offered.
        """\
given: {variables: {"seat(1).coins": 2}}
when: [{maybe: "spend:n=3"}, {maybe: "act:coins=*"}, {maybe: "spend:n=2"}]
then: [{over: true}, "seat(1).coins = 0"]""",
        'when: [draw_card, {maybe: "act:coins=4"}, {maybe: "spend:n=1"}]\nthen: ["seat(1).coins = 4"]',
        # A choice can name its seat.
        'when: [{seat: 1, id: "draw_card"}]\nthen: [{over: true}]',
        # Options, events, scores and winners.
        """\
given: {zones: {"seat(0).hand": [one], "seat(1).hand": [two]}, variables: {"seat(1).coins": 2}}
when: ["spend:n=1"]
then:
  - {event: "set:variable=coins?1?,old=2,new=1"}
  - {event: "begin:scope=turn,seat=1"}
  - {scores: [1, 2]}
  - {winners: [1]}""",
        """\
given: {zones: {"seat(0).hand": [one], "seat(1).hand": [nine, one]}}
then: [{lines: {cards: [1, 10], nine: [0, 5]}}, {scores: [1, 15]}]""",
        """\
given: {variables: {"seat(1).coins": 2}}
then: [{offered: "spend:n=2"}, {refused: "spend:n=3"}, {offered: "draw_card"}]""",
    ],
)
def test_what_holds_passes(tmp_path: Path, scenario: str) -> None:
    """Each of these situations is as its comment says."""
    result = run(tmp_path, scenario)
    assert result.message == ""
    assert result.ok


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ('then: ["count(deck) = 5"]', r"^this does not hold: .*count\(deck\) = 5"),
        ("then: [{over: true}]", "the game is not over"),
        ("then: [{scores: [7, 7]}]", r"the scores are \[\d, \d\], not \[7, 7\]"),
        ("then: [{lines: {cards: [7, 7]}}]", r"the scores of `cards` are \[\d, \d\], not \[7, 7\]"),
        ("then: [{lines: {card: [7, 7]}}]", "no score line is called `card`"),
        ('then: [{offered: "spend:n=1"}]', "`spend:n=1` is not offered: offered are `draw_card`"),
        ('then: [{refused: "draw*"}]', r"`draw\*` is offered"),
        ('then: [{refused: "spend:n=2", missing: "lacks*"}]', r"not refused because of `lacks\*`: .*coins is 0"),
        ("then: [{refused: hide, missing: lacks}]", "no option is called `hide`"),
        ('when: [draw_card]\nthen: [{refused: "spend:*", missing: lacks}]', "nobody is asked"),
        ('then: [{event: "eliminate*"}]', "no event matches"),
        ('when: ["spend:n=2"]\nthen: [{over: true}]', "`spend:n=2` is not offered"),
        ("when: [draw_card, draw_card]\nthen: [{over: true}]", "can't be chosen: the game is over"),
        ('when: [{seat: 0, id: "draw_card"}]\nthen: [{over: true}]', "seat 0 is not asked, but seat 1"),
        ('given: {zones: {"seat(0).hand": [3 two]}}\nthen: [{over: true}]', "one.yaml:4:.*: 3 `two` wanted, 2 exist"),
        (
            'given: {zones: {"seat(0).hand": [two], vault: [2 two]}}\nthen: [{over: true}]',
            "3 `two` are wanted here and above, and 2 exist",
        ),
        ('given: {zones: {"seat(0).hand": [robot]}}\nthen: [{over: true}]', "no Card is called `robot`"),
        (
            'given: {zones: {"seat(0).hand": [3 one, two], "seat(1).hand": []}}\nthen: [{over: true}]',
            "one.yaml:4:.*`seat.0..hand` holds 3 at most, and 4 are given",
        ),
        (
            "given: {zones: {deck: [one], gone: []}}\nthen: [{over: true}]",
            "left over: `deck`, their start, is given",
        ),
        ('given: {zones: {vault: [], "seat(0).hand": []}}\nthen: [{over: true}]', "1 `nine` left over"),
        ('given: {variables: {"seat(0).coins": 12}}\nthen: [{over: true}]', "12"),
        ("given: {options: {speed: 3}}\nthen: [{over: true}]", "there is no option `speed`"),
        ("given: {players: 5}\nthen: [{over: true}]", "not for 5 players, but for 2, 3"),
        ('then: ["count(dck) = 5"]', "name-unknown.*dck"),
        ('then: ["count(hand) = 5"]', "you-missing"),
        ('given: {do: "act()"}\nthen: [{over: true}]', "you-missing"),
        ('then: ["count(seat(2).hand) = 1"]', "there is no seat 2 with 2 players"),
        ('then: ["count(deck"]', "one.yaml:4:"),
        ('given: {do: "turn of seat(0): coins := 12"}\nthen: [{over: true}]', "12"),
    ],
)
def test_what_does_not_hold_is_told(tmp_path: Path, scenario: str, message: str) -> None:
    """A failing scenario says what is wrong, in words that lead to the line."""
    result = run(tmp_path, scenario)
    assert not result.ok
    assert re.search(message, result.message), result.message


def test_a_failure_has_the_line_of_what_does_not_hold(tmp_path: Path) -> None:
    """One place, the expectation's; of a case, its row, with the expectation's line beside it."""
    result = run(tmp_path, 'then:\n  - "1 = 1"\n  - "count(deck) = 5"')
    assert (result.line, result.message.splitlines()[0]) == (6, "this does not hold: `count(deck) = 5`")
    cases = 'cases:\n  - {n: 5}\nthen:\n  - "count(deck) = $n"'
    result = run(tmp_path / "cases", cases)
    assert (result.line, result.message.splitlines()[0]) == (5, "line 7: this does not hold: `count(deck) = 5`")


def test_results_lead_to_their_file(tmp_path: Path) -> None:
    """A result has the scenario's file, line and citations, with the keys of the command."""
    result = run(tmp_path, "then: [{over: false}]")
    assert (result.line, Path(result.file).name) == (3, "one.yaml")
    assert set(result.to_json()) == {"name", "file", "line", "ok", "message", "cites"}


def test_the_same_seed_gives_the_same_situation(tmp_path: Path) -> None:
    """Unlisted chance follows the scenario's seed: other seeds deal other hands."""
    messages = set()
    for seed in range(6):
        scenario = f"given: {{seed: {seed}}}\nthen: [{{scores: [0, 0]}}]"
        first = run(tmp_path / f"a{seed}", scenario).message
        assert run(tmp_path / f"b{seed}", scenario).message == first
        messages.add(first)
    assert len(messages) > 1


def test_a_bag_that_is_given_more_than_it_holds_is_told_with_its_place(tmp_path: Path) -> None:
    """What other variables are given counts, whichever comes first; nothing is lost silently."""
    (tmp_path / "ruleset.yaml").write_text(
        """\
rulelang: 2
name: bags
players: 2
types: {Part: {values: [nut, oil]}}
variables:
  more: {type: bag of Part, per: player}
  shed: {type: bag of Part, per: player, capacity: {nut: 2 + more.nut}}
  cellar: {type: bag of Part, capacity: {total: 4}}
rules: |
  play: pass
  score n: shed.nut + cellar.oil
""",
        encoding="utf-8",
    )
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "bags.yaml").write_text(
        """\
rulelang: 2
scenarios:
  - {name: too many nuts, given: {variables: {"seat(0).shed": 3 nut}}, then: [{over: true}]}
  - {name: room, given: {variables: {"seat(0).shed": 3 nut, "seat(0).more": 1 nut}}, then: ["seat(0).shed = 3 nut"]}
  - name: too many in all
    given:
      variables:
        cellar: 3 nut + 2 oil
    then: [{over: true}]
  - {name: one, given: {variables: {cellar: 1 nut}}, then: ["6 div cellar.nut = 6"]}
  - {name: none, given: {variables: {cellar: 0 nut}}, then: ["6 div cellar.nut = 6"]}
  - {name: nobody, given: {variables: {cellar: 1 coin}}, then: [{over: true}]}
  - {name: nothing, given: {variables: {cellar: 1 coin}}, then: [{over: true}]}
""",
        encoding="utf-8",
    )
    *results, checked, divides, divided, first, second = run_scenarios(rulelang.load(tmp_path))
    assert [(r.ok, r.line, r.message) for r in results] == [
        (False, 3, "`seat(0).shed` is given more than it holds: `3 nut`"),
        (True, 4, ""),
    ]
    message = (
        "bags.yaml:8:17: error[capacity-start]: `cellar` is given 5 goods in all, and holds 4\n"
        "  hint: give fewer, or raise the `capacity`"
    )
    assert (checked.ok, checked.message.endswith(message)) == (False, True)
    # What two scenarios say in the same words is told of each where it stands.
    assert divides.ok
    assert divided.message.endswith("bags.yaml:11:63)")
    assert "bags.yaml:12:" in first.message
    assert "bags.yaml:13:" in second.message


STANDINGS = """\
rulelang: 2
name: purses
players: [2, 3]
variables: {coins: {type: 0..20, per: player}}
positions: {purses: {of: [coins], most: 9}}
rules: |
  play:
    for p in players:
      turn of p: coins += choose a number from 0 to 4
  score coins: coins
  score luck: 2
  winner: fewest coins
"""
UNASKED = """\
rulelang: 2
scenarios:
  - name: what the rules never ask for
    given:
      players: 3
      variables: {"seat(0).coins": 3, "seat(1).coins": 4, "seat(2).coins": 3}
      do: |
        remember purses
        if total_score(seat(0)) = 5: seat(0).coins += 1
        if shared_ranks(seat(0)) = [2, 3]: seat(1).coins += 2
    then: ["total_score(seat(1)) = 8", "rank(seat(2)) = 1", "shared_ranks(seat(0)) = [2]", "seen(purses) = 0"]
  - name: an end that pays
    given: {players: 2, variables: {"seat(0).coins": 4}, do: "end the game with 3 if you = seat(0) else 1"}
    then: [{winners: [0]}, {over: true}]
"""


def test_scenarios_ask_what_the_rules_never_ask(tmp_path: Path) -> None:
    """3, 4, 3 coins: the first has 5 points, hence 4 coins, and shares the second place with the second seat, whose 6
    coins are 8 points; then it is second alone. What was written down was before. Fewest coins win, or what an end
    pays."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(STANDINGS, encoding="utf-8")
    (tmp_path / "scenarios" / "all.yaml").write_text(UNASKED, encoding="utf-8")
    assert [(result.ok, result.message) for result in run_scenarios(rulelang.load(tmp_path))] == [(True, "")] * 2


def test_no_rank_where_nobody_comes_first(tmp_path: Path) -> None:
    """As in the rules."""
    text = STANDINGS.partition("  score")[0]
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "scenarios" / "all.yaml").write_text(UNASKED, encoding="utf-8")
    first, second = run_scenarios(rulelang.load(tmp_path))
    assert "`rank` goes by `winner`" in first.message
    assert second.ok, second.message
