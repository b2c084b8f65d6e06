"""Choices of large decisions are found by what they are made of: worlds are the same as by looking through all options.

The bound above which that is done is taken down, so that games small enough to be enumerated do it at every decision.
"""

from __future__ import annotations

import time

import pytest

from rulelang.game import load
from rulelang.ismcts import procedures
from rulelang.ismcts.library import Tree
from rulelang.native.source import header
from rulelang.search import Searcher, SearchOptions, Worlds
from tests.search.posterior import fit, middle, posterior
from tests.soak import soaking, times

BOUND = "MOST_SCANNED = MOST_KEYS"
NOUNS = """
rulelang: 2
name: narrowed
players: 2
kinds: {Card: {attributes: {value: 1..5}, start: deck}}
pieces: {Card: [{each: {value: 1..5}, id: "c{value}"}]}
zones:
  deck: {holds: Card, order: pile, visible: nobody}
  hand: {holds: Card, per: player, visible: owner}
  aside: {holds: Card, per: player, visible: owner}
  table: {holds: Card}
variables: {n: {type: 0..9}}
rules: |
  play:
    shuffle deck
    draw 4 from deck to seat(0).hand
"""
WAITS = """
    turn of seat(1): wait()
  rule wait:
    choose:
      stay: pass
      go: pass
  score n: n
"""
ASIDE = """
    turn of seat(0): move (choose any of hand) to aside
"""
UNSEEN = """
    turn of seat(0): move (choose any of hand) to aside
    turn of seat(0): move (choose up to 1 of hand) to table
"""
SEEN = """
    turn of seat(0): move (choose any of hand) to table
"""
SECRET = """
    turn of seat(0):
      let given = secretly choose any of hand
      move given to table
"""
PRODUCT = """
    turn of seat(0):
      choose:
        play(cards = 2 of hand, k from 0 to 3 where k != 2):
          n := k
          move cards to table
        hide(cards = 1 or more of hand, card in hand):
          n := 4
          move cards to aside
        else: pass
"""
IN_TURN = """
    turn of seat(0): move (choose any of hand) to aside
    turn of seat(0): move (choose any of aside) to table
"""
COPIES = ('[{each: {value: 1..5}, id: "c{value}"}]', '[{each: {value: 1..2}, id: "c{value}", count: 3}]')
INDIVIDUALS = ("value: 1..5}, start: deck", "value: 1..5}, variables: {worn: {type: bool}}, start: deck")
"""Pieces stand in words by their number, as they look, or as one that is not seen; of some there are several."""

GAMES = {
    "unseen": (UNSEEN, ()),
    "seen": (SEEN, ()),
    "secret": (SECRET, ()),
    "product": (PRODUCT, ()),
    "in turn": (IN_TURN, ()),
    "copies aside": (ASIDE, (COPIES,)),
    "seen copies": (SEEN, (COPIES,)),
    "copies in turn": (IN_TURN, (COPIES,)),
    "individuals aside": (ASIDE, (COPIES, INDIVIDUALS)),
    "seen individuals": (SEEN, (COPIES, INDIVIDUALS)),
}


@pytest.fixture(params=["narrowed", *soaking("scanned")])
def narrowed(request, monkeypatch):
    """Native searches narrow every decision that they can, or none."""
    most = 1 if request.param == "narrowed" else 1 << 30

    def patched(name, *folder):
        return header(name, *folder).replace(BOUND, f"MOST_SCANNED = {most}")

    assert BOUND in header("narrowing", procedures.HEADERS)
    monkeypatch.setattr(procedures, "header", patched)


def _ruleset(path, body, changes):
    text = NOUNS + body + WAITS
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (path / "ruleset.yaml").write_text(text, encoding="utf-8")
    return load(path)


@pytest.mark.usefixtures("narrowed")
@pytest.mark.parametrize("name", GAMES)
def test_worlds_of_a_narrowed_decision_come_as_often_as_they_should(name, tmp_path):
    """Their frequencies fit the exact posterior, as those of a decision whose options are looked through."""
    ruleset = _ruleset(tmp_path, *GAMES[name])
    for seed in range(1, 1 + times(1)):
        state, choices = middle(ruleset, 2, seed, 9)
        exact, worlds, drawn = posterior(state, choices, 1), Worlds(state, 1, seed), []
        for _ in range(60):
            worlds.skip(2)
            drawn.append(worlds.deal().hash())
        assert fit(drawn, exact) > 0.001


GROUPS = """
rulelang: 2
name: groups
players: 2
kinds: {Tile: {attributes: {value: 1..3}, variables: {row: {type: 0..3}}, start: rack}}
pieces: {Tile: [{id: low, value: 1, count: 2}, {id: middle, value: 2}, {id: high, value: 3, count: 2}]}
zones: {rack: {holds: Tile}}
variables: {die: {type: 0..3, visible: nobody}}
rules: |
  play:
    die := roll 1 to 3
    turn of seat(0): arrange rack by row where GUARD
    turn of seat(1):
      choose:
        stay: pass
        go: pass
  score rows: sum(rack.row) + die
"""


@pytest.mark.usefixtures("narrowed")
@pytest.mark.parametrize("guard", ["sum(it.value) <= 5", "count(distinct(rack.row)) != 2"])
def test_a_grouping_that_was_seen_is_found_among_all(guard, tmp_path):
    """Whatever was grouped, a world with the same groups is found: of all, and of those that guards let through."""
    (tmp_path / "ruleset.yaml").write_text(GROUPS.replace("GUARD", guard), encoding="utf-8")
    first = load(tmp_path).new_game(2, seed=1)
    executor, _ = first.engine
    tree = Tree(executor.search_library())
    for action in first.legal_actions(0)[::3]:
        state = first.clone()
        state.apply(action, 0)
        tree.set_root(state.engine[1], 1, True)
        assert tree.sample_worlds(2) == 2


SUBSETS = """
rulelang: 2
name: subsets
players: 2
kinds: {Card: {attributes: {value: 1..40}, start: deck}}
pieces: {Card: [{each: {value: 1..40}, id: "c{value}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  bin: {holds: Card, final: true}
rules: |
  play:
    shuffle deck
    draw 16 from deck to seat(1).hand
    draw 16 from deck to seat(0).hand
    for p in players:
      turn of p: move (choose SIZE of hand) to bin
  score hand: sum(hand.value)
"""


@pytest.mark.parametrize(
    ("backend", "size", "place"), [("native", "any", -100), ("native", "10", 99), ("interpreter", "any", 999)]
)
def test_a_choice_among_65536_subsets_is_searched_in_time(backend, size, place, tmp_path):
    """Twenty iterations after a rival's choice of some of 16 cards do not look through all options for each world."""
    (tmp_path / "ruleset.yaml").write_text(SUBSETS.replace("SIZE", size), encoding="utf-8")
    state = load(tmp_path).new_game(2, seed=1)
    state.apply(state.legal_actions(0)[place], 0)
    searcher = Searcher(20, options=SearchOptions(backend=backend))
    if backend == "native":
        assert state.engine[0].search_library()  # compiled before time is taken
    begun = time.process_time()
    finding = searcher.search(state, 1)
    assert not finding.blind
    assert finding.iterations == 20
    assert time.process_time() - begun < 20  # without optimising; looking through all takes several times as long
