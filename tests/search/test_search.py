"""Searches: their moves, their numbers, who may ask for them."""

from __future__ import annotations

import pytest

from rulelang.diagnostics import UsageError
from rulelang.game import load
from rulelang.search import Searcher, SearchOptions
from rulelang.simulate import simulate
from tests.search.posterior import middle

RULESETS = "tests/conformance/rulesets"


def _found(state, options, iterations=120):
    found = Searcher(iterations, 5, options=options).search(state)
    return [(move.action.id, move.visits, move.value) for move in found.moves]


@pytest.mark.parametrize(("name", "players"), [("tictactoe", 2), ("dice", 2), ("push", 2)])
def test_native_code_and_the_interpreter_find_the_same(name, players):
    """Where nobody has secrets: the same visits and values, which are whole numbers in both."""
    state, _ = middle(load(f"{RULESETS}/{name}"), players, 1, 1)
    assert _found(state, SearchOptions(backend="native")) == _found(state, SearchOptions(backend="interpreter"))


def test_it_wins_where_it_can_and_says_why():
    """A row of three is completed, and the line that is expected begins with that."""
    state = load(f"{RULESETS}/tictactoe").new_game()
    for square in ("a1", "b1", "a2", "b2"):
        state.apply(f"place:square={square}")
    found = Searcher(300).search(state, line=3)
    assert found.action.id == "place:square=a3"
    assert found.line == ((0, "place:square=a3"),)
    assert found.moves[0].visits > found.moves[-1].visits
    assert found.to_json()["moves"][0]["value"] > 0.9


def test_rivals_of_equal_rank_choose_at_once():
    """In decoupled UCT nobody knows what the others choose: each seat chooses in every iteration."""
    state = load(f"{RULESETS}/sealed").new_game(3)
    finds = {seat: Searcher(200, 3).search(state, seat) for seat in state.current_players()}
    assert all(sum(move.visits for move in found.moves) == 200 for found in finds.values())


@pytest.mark.parametrize(
    "options", [SearchOptions(rollout="mast"), SearchOptions(trees="multiple"), SearchOptions(reuse=True)]
)
def test_every_way_to_search_plays_a_game(options):
    """MAST, a tree for each seat, and trees that are kept from move to move."""
    state = load(f"{RULESETS}/peek").new_game(2, seed=4)
    searchers = [Searcher(50, 1, seat, options=options) for seat in range(2)]
    while not state.is_terminal():
        seat = state.current_players()[0]
        state.apply(searchers[seat].choose(state, seat), seat)
    assert state.scores()


def test_a_budget_of_time_ends():
    """At least one iteration is made, and it stops."""
    found = Searcher(10**8, seconds=0.02).search(load(f"{RULESETS}/tictactoe").new_game())
    assert 0 < found.iterations < 10**8


def test_bots_are_named():
    """`mcts:N` plays wherever a bot is named, the same for the same seed."""
    ruleset = load(f"{RULESETS}/kuhn")
    assert simulate(ruleset, games=3, bot="mcts:20").seats == simulate(ruleset, games=3, bot="mcts:20").seats
    with pytest.raises(UsageError, match="mcts"):
        simulate(ruleset, games=1, bot="mtcs:20")


def test_what_makes_no_sense_is_refused():
    """Names and numbers that there are not; a seat that is asked nothing."""
    with pytest.raises(UsageError, match="rollout"):
        SearchOptions(rollout="greedy")
    with pytest.raises(UsageError, match="exploration"):
        SearchOptions(exploration=-1)
    with pytest.raises(UsageError, match="iterations"):
        Searcher(0)
    with pytest.raises(UsageError, match="to choose"):
        Searcher().search(load(f"{RULESETS}/tictactoe").new_game(), 1)
