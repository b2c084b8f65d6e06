"""Who is asked, by which rule and how often all seats see; what all histories of small games have in common with the
worlds of a seat, with a search and with `solve`.

`ASKED` has questions that rules and the engine ask, each after a secret choice of seat 0, which the others only learn
by who is asked.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

import rulelang
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice
from rulelang.search import Searcher
from rulelang.search.solve import solve
from rulelang.table.news import doings

ASKED = """\
rulelang: 1
name: asked
players: 2
resources: {Good: {values: [nut, oil]}}
variables:
  way: {type: 0..7, per: player, visible: owner}
  x: {type: 0..1, per: player, visible: owner}
  purse: {type: bag of Good, per: player, visible: owner, start: 1 nut + 1 oil}
  guess: {type: 0..1}
rules: |
  play:
    turn of seat(0): hide()
    turn of seat(1): guess := choose a number from 0 to 1
    let truth = seat(0).x
    reveal truth
    if truth = guess: end the game won by seat(1)
    end the game won by seat(0)
  rule hide:
    way := secretly choose a number from 0 to 7
    if way = 1 or way = 2: x := secretly choose a number from 0 to 1
    if way = 3:
      x := secretly choose a number from 0 to 1
      x := secretly choose a number from 0 to 1
    if way = 4: elsewhere()
    if way = 5:
      secretly choose:
        low: pass
        high: x := 1
    if way = 6:
      pay 1 any Good from purse: pass
      else: pass
  rule elsewhere:
    x := secretly choose a number from 0 to 1
"""
SETS = {"asked once": (2, 2), "again": (4, 4), "three times": (4, 2), "elsewhere": (2, 2), "a menu": (2, 2)}
"""What seat 1 may have seen when it is asked: how many histories there are, and how many states they lead to. 0 and 7
ask nothing more, 1 and 2 the same; of 3 the first answer is forgotten."""
PAID = [(1, 1), (1, 1)]
"""What is paid is seen, by all, as is the purse that it leaves not."""


def histories(state: rulelang.State) -> Iterator[rulelang.State]:
    """The states of all histories from a state on, this one first."""
    yield state
    moves: list[tuple[int | None, rulelang.Action]] = [(None, outcome) for outcome, _ in state.chance_outcomes()]
    for asked in state.current_players()[:1]:
        moves += [(asked, action) for action in state.legal_actions(asked)]
    for seat, action in moves:
        after = state.clone()
        after.apply(action, seat)
        yield from histories(after)


def information_sets(ruleset: rulelang.Ruleset, seat: int) -> list[list[rulelang.State]]:
    """All histories in which somebody is asked, by what the seat has seen and done."""
    sets: dict[str, list[rulelang.State]] = defaultdict(list)
    for state in histories(ruleset.new_game(chance="explicit")):
        if state.current_players():
            sets[json.dumps(state.information_state(seat), sort_keys=True)].append(state)
    return list(sets.values())


def check_worlds(ruleset: rulelang.Ruleset, seat: int, seeds: int) -> None:
    """The worlds of each state are those that its seat can't tell from it: by `resample` and by rejection alone."""
    for states in information_sets(ruleset, seat):
        alike = {state.hash() for state in states}
        for state in states:
            assert {state.resample(seat, seed).hash() for seed in range(seeds)} == alike
        executor, position = states[0].engine
        sampler = Sampler(executor.interpreter, position, seat)
        worlds = [sampler.world(Dice(seed), 1000) for seed in range(seeds)]
        assert {state_hash(world) for world in worlds if world is not None} == alike


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    folder = tmp_path_factory.mktemp("asked")
    (folder / "ruleset.yaml").write_text(ASKED, encoding="utf-8")
    return rulelang.load(folder)


def test_all_see_who_is_asked_and_how_often(asked: rulelang.Ruleset) -> None:
    """What seat 1 knows when it is asked tells the rule that asked seat 0, and how often, not what it answered."""
    sets = [states for states in information_sets(asked, 1) if states[0].current_players() == [1]]
    sizes = [(len(states), len({state.hash() for state in states})) for states in sets]
    assert Counter(sizes) == Counter([*SETS.values(), *PAID])
    solution = solve(asked)
    assert len([row for row in solution.policy if row["seat"] == 1]) == len(sets)


def test_a_question_of_another_is_told_without_its_answer(asked: rulelang.Ruleset) -> None:
    """Events, story, news and the pending question name the seat and the rule; only the seat knows the answer."""
    state = asked.new_game()
    for id_ in ("hide:way=4", "elsewhere:x=1"):
        assert state.observation(1)["current"] == [0]
        assert state.observation(1)["asked"]["rule"] == id_.partition(":")[0]
        state.apply(id_)
    assert state.observation(0)["asked"]["rule"] == "play"
    for told in (state.events, state.story):
        seen = [event for event in told(1) if event["type"] in ("choice", "commit")]
        assert [(event["type"], event["seat"], event["rule"]) for event in seen] == [
            ("commit", 0, "hide"), ("commit", 0, "elsewhere"),
        ]  # fmt: skip
        assert {event["text"] for event in seen} == {"Seat 0 has chosen."}
        assert [event["type"] for event in told(0)].count("choice") == 2
    assert any("Seat 0 has chosen." in doing.text for doing in doings(state, 1, 0, "en"))
    state.apply("play:guess=0")
    assert state.observation(1)["asked"] is None


def test_worlds_are_the_histories_that_look_the_same(asked: rulelang.Ruleset) -> None:
    """Whatever was asked, the worlds of each seat are those with the same questions, and all of them."""
    for seat in (0, 1):
        check_worlds(asked, seat, 16)


def test_a_search_knows_no_more_than_its_seat(asked: rulelang.Ruleset) -> None:
    """The searches of all states that look the same to the seat are the same."""
    for states in information_sets(asked, 1):
        if states[0].current_players() == [1]:
            searches = [Searcher(50, seed=1, seat=1).search(state).to_json()["moves"] for state in states]
            assert searches.count(searches[0]) == len(searches)
