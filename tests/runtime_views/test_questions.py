"""Who is asked, by which rule and how often all seats see; what all histories of small games have in common with the
worlds of a seat, with a search and with `solve`.

`ASKED` has questions that rules and the engine ask, each after a secret choice of seat 0, which the others only learn
by who is asked.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import rulelang
from rulelang.runtime.canonical import state_hash
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice
from rulelang.runtime.sight import SPECTATOR
from rulelang.search import Searcher
from rulelang.search.solve import solve
from rulelang.table.recent_events import doings
from tests.soak import soaking
from tests.words.games import made

HEAD = """\
rulelang: 2
name: asked
players: 2
"""
ASKED = """\
types: {Good: {values: [nut, oil]}}
variables:
  way: {type: 0..7, per: player, visible: owner}
  x: {type: 0..1, per: player, visible: owner}
  purse: {type: bag of Good, per: player, visible: owner, size: owner, start: 1 nut + 1 oil}
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
GAMES = {
    "a piece shown between": """\
kinds: {Unit: {identity: true, variables: {life: {type: 0..2}}, start: den}}
pieces: {Unit: [{id: ant, per: player}]}
zones:
  den: {holds: Unit, per: player, visible: owner}
  field: {holds: Unit, visible: all}
variables: {guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): hide()
    turn of seat(1): guess := choose a number from 0 to 1
    end the game
  rule hide:
    for u in den: u.life := secretly choose a number from 0 to 2
    move den to field
    choose:
      on: pass
    for u in field: move u to den
    for u in den: u.life := secretly choose a number from 0 to 1
""",
    "some are asked at once": """\
types: {Sort: [ice, trap]}
kinds: {Card: {attributes: {sort: Sort}, start: deck}}
pieces: {Card: [{id: wall, sort: ice, count: 2}, {id: pit, sort: trap, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, per: player, visible: count}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    let x = together choose one of hand where it.sort = ice
    for p in players:
      if some c = x[p]: move c to p.row
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): guess := choose a number from 0 to 1
""",
    "all are asked at once": """\
types: {Sort: [ice, trap]}
kinds: {Card: {attributes: {sort: Sort}, start: deck}}
pieces: {Card: [{id: wall, sort: ice, count: 2}, {id: pit, sort: trap, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, per: player, visible: count}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    let x = anyway together secretly choose one of hand where it.sort = ice
    for p in players:
      if some c = x[p]: move c to p.row
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): guess := choose a number from 0 to 1
""",
    "private throws": """\
variables:
  x: {type: 0..3, per: player, visible: owner}
  y: {type: 0..3, per: player, visible: others}
  guess: {type: 0..1}
rules: |
  play:
    for p in players:
      p.x := roll 0 to 1
      p.y := roll 1 to 2
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    if x = 1: x := secretly choose a number from 2 to 3
    secretly choose:
      a when x > 1: pass
      b: pass
""",
    "a top card": """\
kinds: {Card: {attributes: {v: 1..2}, start: deck}}
pieces: {Card: [{id: a, v: 1, count: 2}, {id: b, v: 2, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  open: {holds: Card, order: pile, visible: top}
  hand: {holds: Card, per: player, visible: owner}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    move (secretly choose one of hand) to open
    draw 1 from deck to open secretly
    shuffle open
    if guess = 0: guess := choose a number from 0 to 1
    draw 1 from open to hand
""",
    "unseen places": """\
kinds: {Card: {attributes: {v: 1..2}, start: deck}}
pieces: {Card: [{id: a, v: 1, count: 2}, {id: b, v: 2, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  dark: {holds: Card, visible: nobody}
  pit: {holds: Card, visible: nobody}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    let n = secretly choose a number from 0 to 1
    if n = 1: move hand to dark
    move (secretly choose up to 1 of hand) to pit secretly
""",
    "limits": """\
types: {Sort: [ice, trap]}
kinds: {Card: {attributes: {sort: Sort}, start: deck}}
pieces: {Card: [{id: wall, sort: ice, count: 2}, {id: pit, sort: trap, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, visible: count}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    repeat 2 times:
      turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    secretly choose:
      lay(c in hand where it.sort = ice) once per game: move c to row secretly
      wait: pass
""",
    "two on a line": """\
variables:
  x: {type: 0..1, per: player, visible: owner}
  y: {type: 0..3, per: player, visible: owner}
  guess: {type: 0..1}
rules: |
  play:
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    x := secretly choose a number from 0 to 1
    keep((secretly choose a number from 1 to 2 where x = 0), (secretly choose a number from 1 to 2 where x = 1))
  rule keep(a: 0..3?, b: 0..3?):
    y := a otherwise (b otherwise 0)
""",
    "groupings": """\
kinds: {Tile: {attributes: {v: 1..2}, variables: {row: {type: 0..2}}, start: rack}}
pieces: {Tile: [{id: a, v: 1, per: player}, {id: b, v: 2, per: player}]}
zones: {rack: {holds: Tile, per: player, visible: owner}}
variables: {guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): arrange rack by row
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): arrange rack by row
""",
    "reveals": """\
variables: {x: {type: 0..3, per: player, visible: owner}, guess: {type: 0..1}}
rules: |
  play:
    for p in players: p.x := roll 0 to 3
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): guess := choose a number from 0 to 1
  rule act:
    x := secretly choose a number from 0 to 3
    reveal players where it.x = 3
    reveal x = 2 to seat(1)
    reveal x to you
""",
    "nobody knows": """\
types: {Suit: [red, blue]}
variables: {s: {type: "Suit?", visible: nobody}, who: {type: player, visible: nobody}, guess: {type: 0..1}}
rules: |
  play:
    who := random one of players
    s := random one of [red, blue]
    turn of seat(0): guess := choose a number from 0 to 1
    turn of seat(1): guess := choose a number from 0 to 1
    reveal who
    turn of seat(1): guess := choose a number from 0 to 1
""",
    "goods of a piece": """\
types: {Good: {values: [nut, oil]}}
kinds: {Unit: {identity: true, variables: {load: {type: bag of Good}}, start: home}}
pieces: {Unit: [{id: ant, count: 2}]}
zones:
  den: {holds: Unit, per: player, visible: owner}
  home: {holds: Unit}
variables: {guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): hide()
    turn of seat(1): guess := choose a number from 0 to 1
    end the game
  rule hide:
    move home to den
    for u in den: u.load += secretly choose 1 of (1 nut + 1 oil)
    move (secretly choose one of den) to home
    guess := choose a number from 0 to 1
    move home to den
""",
    "seen by the others": """\
kinds: {Card: {attributes: {v: 1..3}, start: deck}}
pieces: {Card: [{id: a, v: 1}, {id: b, v: 2}, {id: c, v: 3}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  brow: {holds: Card, per: player, visible: others}
  hand: {holds: Card, per: player, visible: owner}
variables: {guess: {type: 0..1}, x: {type: 0..3, per: player, visible: owner}}
rules: |
  play:
    shuffle deck
    for p in players: draw 1 from deck to p.brow
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
  rule act:
    x := secretly choose a number from 0 to (2 if any(c.v > 1 for c in next.brow) else 1)
    if x = 2: move next.brow to hand
    guess := choose a number from 0 to 1
""",
    "like individuals": """\
kinds: {Unit: {identity: true, variables: {life: {type: 0..1}}, start: den}}
pieces: {Unit: [{id: ant, count: 3}]}
zones:
  den: {holds: Unit}
  hand: {holds: Unit, per: player, visible: owner}
  bag: {holds: Unit, order: pile, visible: count}
variables: {guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): hide()
    turn of seat(1): guess := choose a number from 0 to 1
    end the game
  rule hide:
    for u in den: u.life := choose a number from 0 to 1
    move den to bag
    shuffle bag
    for p in players: draw 1 from bag to p.hand
    for u in hand: u.life := secretly choose a number from 0 to 1
    move hand to den
""",
    "marks": """\
kinds: {Unit: {identity: true, marks: [hot], start: den}}
pieces: {Unit: [{id: ant, per: player}]}
zones:
  den: {holds: Unit, per: player, visible: owner}
variables: {guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): hide()
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): guess := choose a number from 0 to 1
  rule hide:
    for u in den:
      secretly choose:
        heat: mark u.hot until before turn of you
        not_so: pass
""",
    "answers at once": """\
variables: {x: {type: 0..2, per: player, visible: owner}, guess: {type: 0..1}}
rules: |
  play:
    turn of seat(0): x := secretly choose a number from 0 to 2
    let b = together choose a number from 0 to x
    turn of seat(1): guess := choose a number from 0 to 1
    let c = together secretly choose up to 1 of (players where x > 0)
    turn of seat(1): guess := choose a number from 0 to 1
""",
    "drawn blindly": """\
kinds: {Card: {attributes: {v: 1..3}, start: deck}}
pieces: {Card: [{id: a, v: 1}, {id: b, v: 2}, {id: c, v: 3}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card, visible: count}
variables: {guess: {type: 0..1}}
rules: |
  play:
    shuffle deck
    turn of seat(0): act()
    turn of seat(1): guess := choose a number from 0 to 1
    turn of seat(0): guess := choose a number from 0 to 1
  rule act:
    draw 2 from deck to hand
    guess := choose a number from 0 to 1
    move (random one of hand) to row
    guess := choose a number from 0 to 1
    move (random one of hand) to next.hand
""",
}
"""Small games for two with secrets of other sorts."""
QUICK = ("a piece shown between", "some are asked at once")
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


def check_worlds(ruleset: rulelang.Ruleset, seat: int) -> None:
    """The worlds of each state are those that its seat can't tell from it: by `resample` and by rejection alone."""
    for states in information_sets(ruleset, seat):
        alike = {state.hash() for state in states}
        executor, position = states[0].engine
        sampler = Sampler(executor.interpreter, position, seat)

        def rejected(seed: int, sampler: Sampler = sampler) -> str:
            world = sampler.world(Dice(seed), 1000)
            assert world is not None
            return state_hash(world)

        deals: list[Callable[[int], str]] = [partial(_resampled, state, seat) for state in states[:2]]
        for deal in (*deals, rejected):
            found: set[str] = set()
            for seed in range(20 + 40 * len(alike)):
                found.add(deal(seed))
                if seed >= 6 and found >= alike:
                    break
            assert found == alike


def _resampled(state: rulelang.State, seat: int, seed: int) -> str:
    return state.resample(seat, seed).hash()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return made(tmp_path_factory.mktemp("asked"), HEAD + ASKED)


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
    assert any("Seat 0 has chosen." in doing.text for doing in doings(state, 1, state.story(1), "en"))
    state.apply("play:guess=0")
    assert state.observation(1)["asked"] is None


def test_worlds_are_the_histories_that_look_the_same(asked: rulelang.Ruleset) -> None:
    """Whatever was asked, the worlds of each seat are those with the same questions, and all of them."""
    for seat in (0, 1):
        check_worlds(asked, seat)


@pytest.mark.parametrize("name", [*QUICK, *soaking(*(name for name in GAMES if name not in QUICK))])
def test_worlds_of_secrets_of_all_sorts(tmp_path: Path, name: str) -> None:
    """As much as a seat has ever seen holds in its worlds, no more and no less, wherever somebody is asked."""
    ruleset = made(tmp_path, HEAD + GAMES[name])
    for seat in (0, 1):
        check_worlds(ruleset, seat)


def test_a_search_knows_no_more_than_its_seat(asked: rulelang.Ruleset) -> None:
    """The searches of all states that look the same to the seat are the same."""
    for states in information_sets(asked, 1):
        if states[0].current_players() == [1]:
            searches = [Searcher(50, seed=1, seat=1).search(state).to_json()["moves"] for state in states]
            assert searches.count(searches[0]) == len(searches)


ARGUED = (
    HEAD
    + """\
kinds: {Card: {attributes: {rank: 1..4}, start: deck}}
pieces: {Card: [{id: one, rank: 1}, {id: two, rank: 2}, {id: six, rank: 3, count: 2}]}
types: {Good: {values: [nut, oil]}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card}
variables:
  secret: {type: 0..3, per: player, visible: owner}
  last: {type: 0..19}
  kept: {type: 0..19, per: player, visible: owner}
rules: |
  play:
    move (deck where it.rank = 2) to table
    move (deck where it.rank = 1) to seat(1).hand
    turn of seat(1): secret := secretly choose a number from 2 to 3
    for theirs in seat(1).hand:
      for ours in table:
        turn of seat(0): wonder(4, 1 nut, ours, theirs, table, seat(1).secret)
  rule wonder(n: number, goods: bag of Good, ours: Card, theirs: Card, all: list of Card, hidden: number):
    last := choose a number from 1 to 3
    last := n + count(goods) + count(all) + ours.rank
    seat(1).kept := hidden + theirs.rank
"""
)


def test_who_is_asked_sees_what_the_rule_was_given(tmp_path: Path) -> None:
    """Its arguments as JSON, null for a piece in another's hand, without what the seat may not know; others see none of
    them, though all see where the question stands."""
    state = made(tmp_path, ARGUED).new_game()
    assert state.observation(1)["asked"]["arguments"] == {}
    assert "arguments" not in state.observation(0)["asked"]
    seen = []
    for secret in (2, 3):
        asking = state.clone()
        asking.apply(f"play:secret={secret}")
        seen.append(asking.observation(0))
        assert "arguments" not in asking.observation(1)["asked"]
        assert "arguments" not in asking.observation(SPECTATOR)["asked"]
    bag = {"nut": 1, "oil": 0}
    expected = {"you": 0, "n": 4, "goods": bag, "ours": "two", "theirs": None, "all": ["two"]}
    assert seen[0]["asked"]["arguments"] == expected
    assert seen[0] == seen[1]
