"""Searches: their moves, their numbers, who may ask for them."""

from __future__ import annotations

import random

import pytest

from rulelang.diagnostics import UsageError
from rulelang.game import load
from rulelang.native.steps import NoMemoryError
from rulelang.search import Searcher, SearchOptions, Worlds
from rulelang.search.core import Core
from rulelang.search.finding import ordered
from rulelang.search.plain import PlainTree
from rulelang.simulate import simulate
from tests.search.posterior import middle
from tests.shipped import ROOT, conformance, shipped


def _found(state, options, iterations=120):
    found = Searcher(iterations, 5, options=options).search(state)
    return [(move.action.id, move.visits, move.value) for move in found.moves]


@pytest.mark.parametrize("rollout", ["uniform", "greedy"])
@pytest.mark.parametrize(
    ("name", "players"), [("tictactoe", 2), ("connect", 2), ("dice", 2), ("push", 2), ("endings", 3)]
)
def test_native_code_and_the_interpreter_find_the_same(name, players, rollout):
    """Where nobody has secrets: the same visits and values, which are whole numbers in both; of a searcher's second
    search too, which knows nothing of its first."""
    state, _ = middle(conformance(name), players, 1, 1)
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


def _wins(state):
    """The choices that win at once."""
    won = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        if after.is_terminal() and len(after.winners()) == 1:
            won.append(action.id)
    return won


def test_what_wins_at_once_is_taken_and_what_loses_is_not():
    """In twenty iterations, at all positions of random games of connect three: a row of three is completed; else, of
    choices after which the other completes one and others, one of the others."""
    ruleset, seen = conformance("connect"), {"wins": 0, "blocks": 0}
    for seed in range(12):
        state = ruleset.new_game(seed=seed)
        moves = random.Random(seed)
        while not state.is_terminal():
            safe = []
            for action in state.legal_actions():
                after = state.clone()
                after.apply(action)
                if after.is_terminal() or not _wins(after):
                    safe.append(action.id)
            good, sort = (_wins(state), "wins") if _wins(state) else (safe, "blocks")
            if 0 < len(good) < len(state.legal_actions()):
                seen[sort] += 1
                assert Searcher(20, seed).search(state).action.id in good
            state.apply(moves.choice(state.legal_actions()))
    assert seen["wins"] > 5
    assert seen["blocks"] > 5


MISER = """
rulelang: 2
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
    state = conformance("tictactoe").new_game()
    for square in ("a1", "b1", "a2", "b2"):
        state.apply(f"place:square={square}")
    found = Searcher(300).search(state, line=3)
    assert found.action.id == "place:square=a3"
    assert found.line == ((0, "place:square=a3"),)
    assert sum(move.visits for move in found.moves) == 300
    assert found.moves[0].visits > 290
    assert found.to_json()["moves"][0]["value"] > 0.9


def test_rivals_of_equal_rank_choose_at_once():
    """In decoupled UCT nobody knows what the others choose: each seat chooses in every iteration."""
    state = conformance("sealed").new_game(3)
    finds = {seat: Searcher(200, 3).search(state, seat) for seat in state.current_players()}
    assert all(sum(move.visits for move in found.moves) == 200 for found in finds.values())


@pytest.mark.parametrize("backend", ["native", "interpreter"])
def test_seats_that_choose_at_once_do_not_choose_in_step(backend):
    """Prizes of 2 and 1 are left, and both have the bids 1 and 2. To bid 1 first never gains more than to bid 2; where
    both seats try the same options in the same order neither finds that out."""
    state = shipped(ROOT / "benchmarks/games/goofspiel").new_game()
    for bid in (5, 4, 3):
        for seat in (0, 1):
            state.apply(f"play:bids=bid_{bid}@{seat}", seat)
    for seed in range(10):
        found = Searcher(200, seed, options=SearchOptions(backend=backend)).search(state, seed % 2)
        assert found.action.id == f"play:bids=bid_2@{seed % 2}"
        assert found.moves[0].value - found.moves[1].value > 0.2


STAKES = """
rulelang: 2
name: stakes
players: 2
types: {Sign: [rock, paper, scissors]}
variables: {shown: {type: "Sign?", per: player}}
rules: |
  play:
    let signs = together choose one of Sign
    for p in players: p.shown := signs[p]

  function won(a: player, b: player) -> number:
    if a.shown = rock and b.shown = scissors: return 1
    if a.shown = paper and b.shown = rock: return 2
    if a.shown = scissors and b.shown = paper: return 3
    return 0

  payoff: sum(won(you, q) - won(q, you) for q in players)
"""
"""Rock wins 1, paper 2, scissors 3. Whoever plays them with probabilities r, p, s leaves the other nothing to gain if
s = 2p (rock: s - 2p), 2r = 3s (paper: 2r - 3s) and r = 3p (scissors: 3p - r): 1/2, 1/6, 1/3."""


PENNIES = """
rulelang: 2
name: pennies
players: 2
types: {Side: [heads, tails]}
variables: {shown: {type: "Side?", per: player}}
rules: |
  play:
    let sides = together choose one of Side
    for p in players: p.shown := sides[p]

  function gained -> number:
    if seat(0).shown is none or seat(1).shown is none: return 0
    if seat(0).shown = heads and seat(1).shown = heads: return 10
    if seat(0).shown = tails and seat(1).shown = tails: return 1
    return -1

  payoff: gained() if you = seat(0) else -gained()
"""
"""Seat 0 gains 10 for two heads, 1 for two tails, else loses 1. With heads of probability h: 10h - (1 - h) is
1 - 2h,
whichever seat 1 shows, if h = 2/13."""


def _policy(folder, text, simultaneous, seat):
    """How often the seat should take each option, by 50,000 iterations."""
    folder.mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    found = Searcher(50_000, 1, options=SearchOptions(simultaneous=simultaneous)).search(load(folder).new_game(), seat)
    return {move.action.id.split("=")[1]: move.policy for move in found.moves}


def test_regret_matching_comes_to_a_mixed_equilibrium(tmp_path):
    """And decoupled UCT does not."""
    for seat in range(2):
        policy = _policy(tmp_path / "stakes", STAKES, "regret", seat)
        assert policy == pytest.approx({"rock": 1 / 2, "paper": 1 / 6, "scissors": 1 / 3}, abs=0.04)
    assert _policy(tmp_path / "pennies", PENNIES, "regret", 0)["heads"] == pytest.approx(2 / 13, abs=0.03)
    assert _policy(tmp_path / "pennies", PENNIES, "uct", 0)["heads"] > 2 / 13 + 0.05


def test_what_regret_matching_plays_is_drawn(tmp_path):
    """By the seed alone, and all that it should play is."""
    (tmp_path / "ruleset.yaml").write_text(STAKES, encoding="utf-8")
    state, options = load(tmp_path).new_game(), SearchOptions(simultaneous="regret")
    drawn = [Searcher(300, seed, options=options).choose(state, 0).id for seed in range(24)]
    assert set(drawn) == {"play:signs=rock", "play:signs=paper", "play:signs=scissors"}
    assert drawn == [Searcher(300, seed, options=options).choose(state, 0).id for seed in range(24)]


def test_regret_matching_is_the_same_in_native_code(tmp_path):
    """Number for number where both search the true state in one tree."""
    (tmp_path / "ruleset.yaml").write_text(STAKES, encoding="utf-8")
    executor, state = load(tmp_path).new_game().engine
    options = SearchOptions(simultaneous="regret", trees="single")
    core = Core(executor, options)
    core.secrets = False  # nobody has chosen yet, so that there is nothing to peek at
    native = core.search(state, 0, 7, 500)
    assert core.native
    plain = PlainTree(executor, state, 0, 7, options)
    plain.run(500)
    assert native == ordered(plain.stats(), 7)


def _by_hash(states):
    """Values that hang on all of a state."""
    return [[int(state.hash()[seat : seat + 4], 16) / 65535 for seat in range(state.players)] for state in states]


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize(
    ("name", "players"), [("tictactoe", 2), ("connect", 2), ("dice", 2), ("push", 2), ("endings", 3)]
)
def test_leaves_are_evaluated_as_by_the_interpreter(name, players, batch):
    """They are the same states, so that what hangs on their hashes is the same."""
    state, _ = middle(conformance(name), players, 1, 1)
    finds = [
        Searcher(100, 5, options=SearchOptions(backend=backend), evaluate=_by_hash, batch=batch).search(state)
        for backend in ("native", "interpreter")
    ]
    known = [[(move.action.id, move.visits, move.value) for move in found.moves] for found in finds]
    assert known[0] == known[1]


def test_what_is_evaluated_is_dealt_for_the_seat():
    """Each leaf is another world, in batches; with the true state exchanged for one of them nothing changes."""
    for name, players in (("leduc", 2), ("sealed", 3)):
        state, _ = middle(conformance(name), players, 3, 1)
        seat = state.current_players()[0]
        sizes: list[int] = []
        seen: set[str] = set()

        def evaluate(states, sizes=sizes, seen=seen):
            sizes.append(len(states))
            seen.update(leaf.hash() for leaf in states)
            return _by_hash(states)

        worlds, finds = Worlds(state, seat, 1), []
        for exchanged in (state, worlds.deal(), worlds.deal()):
            found = Searcher(100, 5, evaluate=evaluate, batch=32).search(exchanged, seat)
            finds.append([(move.action.id, move.visits, move.value) for move in found.moves])
        assert finds[0] == finds[1] == finds[2]
        assert 1 < max(sizes) <= 32
        assert len(seen) > 1


def test_the_search_goes_where_the_function_says():
    """Whoever has a stone in the middle is said to win: it is placed there most often."""

    def evaluate(states):
        middles = (leaf.observation(0)["zones"]["board[b2]"]["pieces"] for leaf in states)
        return [[float(stones == [f"stone@{seat}"]) for seat in range(2)] for stones in middles]

    found = Searcher(60, evaluate=evaluate, batch=4).search(conformance("tictactoe").new_game())
    assert found.action.id == "place:square=b2"
    assert found.moves[0].value == 1.0
    assert all(move.value < 1 for move in found.moves[1:])


@pytest.mark.parametrize("values", [[], [[0.5]], [[0.5, 2]], [[0.5, float("nan")]]])
def test_values_that_make_no_sense_are_refused(values):
    """Other than a number from 0 to 1 for each seat of each state."""
    state = conformance("tictactoe").new_game()
    with pytest.raises(UsageError, match="evaluate"):
        Searcher(1, evaluate=lambda states: values).search(state)
    assert Searcher(1, evaluate=_by_hash).search(state).iterations == 1
    with pytest.raises(UsageError, match="batch"):
        Searcher(batch=0)


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(simultaneous="regret"),
        SearchOptions(rollout="mast"),
        SearchOptions(rollout="greedy"),
        SearchOptions(trees="multiple"),
        SearchOptions(reuse=True),
    ],
)
def test_every_way_to_search_plays_a_game(options):
    """MAST, a tree for each seat, and trees that are kept from move to move."""
    state = conformance("peek").new_game(2, seed=4)
    searchers = [Searcher(50, 1, seat, options=options) for seat in range(2)]
    while not state.is_terminal():
        seat = state.current_players()[0]
        state.apply(searchers[seat].choose(state, seat), seat)
    assert state.scores()


def test_a_budget_of_time_ends():
    """At least one iteration is made, and it stops."""
    found = Searcher(10**8, seconds=0.02).search(conformance("tictactoe").new_game())
    assert 0 < found.iterations < 10**8


def test_bots_are_named():
    """`mcts:N` plays wherever a bot is named, the same for the same seed."""
    ruleset = conformance("kuhn")
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
        Searcher().search(conformance("tictactoe").new_game(), 1)


def test_a_search_without_memory_is_the_interpreters(monkeypatch):
    """Where native code gets none the interpreter searches, and that is said; where native code was asked for it is an
    error."""

    def refuse(*_, **__):
        raise NoMemoryError("there is not enough memory for this search")

    monkeypatch.setattr("rulelang.search.core.Tree", refuse)
    state = load("tests/conformance/rulesets/leduc").new_game(2, 1)
    with pytest.warns(RuntimeWarning, match="search uses the interpreter: there is not enough memory"):
        found = Searcher(8, 3).search(state)
    assert not found.native
    assert found.action in state.legal_actions()
    with pytest.raises(UsageError, match="not enough memory"):
        Searcher(8, 3, options=SearchOptions(backend="native")).search(state)
