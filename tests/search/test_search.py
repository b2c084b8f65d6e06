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


@pytest.mark.parametrize("rollout", ["uniform", "greedy"])
@pytest.mark.parametrize(("name", "players"), [("tictactoe", 2), ("dice", 2), ("push", 2), ("endings", 3)])
def test_native_code_and_the_interpreter_find_the_same(name, players, rollout):
    """Where nobody has secrets: the same visits and values, which are whole numbers in both; of a searcher's second
    search too, which knows nothing of its first."""
    state, _ = middle(load(f"{RULESETS}/{name}"), players, 1, 1)
    native, plain = (
        Searcher(120, 5, options=SearchOptions(backend=backend, rollout=rollout))
        for backend in ("native", "interpreter")
    )
    for _ in range(2):
        found, same = native.search(state), plain.search(state)
        assert found.native
        assert [(m.action.id, m.visits, m.value) for m in found.moves] == [
            (m.action.id, m.visits, m.value) for m in same.moves
        ]


MISER = """
rulelang: 1
name: miser
players: 2
variables: {most: {type: 0..50}, taken: {type: 0..50}}
rules: |
  play:
    turn of seat(0):
      choose:
        few: most := 10
        many: most := 15
    turn of seat(1):
      taken := choose a number from 0 to most else never
  payoff: taken if you = seat(1) else -taken
"""


@pytest.mark.parametrize("backend", ["native", "interpreter"])
def test_greedy_rollouts_take_the_most(tmp_path, backend):
    """Below the first move seat 1 takes all that it may, 10 or 15. So `many` has the least payoff that there is: 0; so
    has `few` if it is tried first, else 5 of the 30 between -15 and 15. Who plays at random comes to others."""
    (tmp_path / "ruleset.yaml").write_text(MISER, encoding="utf-8")
    state = load(tmp_path).new_game()

    def values(rollout, id_):
        options = SearchOptions(backend=backend, rollout=rollout)
        finds = [Searcher(2, seed, options=options).search(state) for seed in range(12)]
        return {move.value for found in finds for move in found.moves if move.action.id == id_}

    assert values("greedy", "many") == {0.0}
    assert values("greedy", "few") == {0.0, (5 << 20) // 30 / (1 << 20)}
    assert len(values("uniform", "few")) > 2


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


@pytest.mark.parametrize("backend", ["native", "interpreter"])
def test_seats_that_choose_at_once_do_not_choose_in_step(backend):
    """Prizes of 2 and 1 are left, and both have the bids 1 and 2. To bid 1 first never gains more than to bid 2; where
    both seats try the same options in the same order neither finds that out."""
    state = load("benchmarks/games/goofspiel").new_game()
    for bid in (5, 4, 3):
        for seat in (0, 1):
            state.apply(f"play:bids=bid_{bid}@{seat}", seat)
    for seed in range(10):
        found = Searcher(200, seed, options=SearchOptions(backend=backend)).search(state, seed % 2)
        assert found.action.id == f"play:bids=bid_2@{seed % 2}"
        assert found.moves[0].value - found.moves[1].value > 0.2


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(rollout="mast"),
        SearchOptions(rollout="greedy"),
        SearchOptions(trees="multiple"),
        SearchOptions(reuse=True),
    ],
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
    assert simulate(ruleset, games=1, bot="mcts:20:greedy").games == 1
    for name in ("mtcs:20", "mcts:greedy", "playouts:20:greedy", "mcts:20:best"):
        with pytest.raises(UsageError, match="mcts"):
            simulate(ruleset, games=1, bot=name)


def test_what_makes_no_sense_is_refused():
    """Names and numbers that there are not; a seat that is asked nothing."""
    with pytest.raises(UsageError, match="rollout"):
        SearchOptions(rollout="greediest")
    with pytest.raises(UsageError, match="exploration"):
        SearchOptions(exploration=-1)
    with pytest.raises(UsageError, match="iterations"):
        Searcher(0)
    with pytest.raises(UsageError, match="to choose"):
        Searcher().search(load(f"{RULESETS}/tictactoe").new_game(), 1)
