"""`random N at once of C` of pieces with identity, of which several are alike, and of bags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from math import comb, prod
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import RuleError
from rulelang.runtime.rejection import Sampler
from rulelang.runtime.rng import Dice
from rulelang.runtime.views import observation

TEXT = """
rulelang: 2
name: men
players: 2
kinds: {Man: {identity: true, attributes: {rank: 1..3}, start: camp}}
pieces:
  Man: [{id: guard, rank: 1, count: 3}, {id: scout, rank: 3, count: 2}]
zones:
  camp: {holds: Man}
  hand: {holds: Man, per: player}
rules: |
  play:
    for p in players:
      turn of p: move (random 2 at once of camp) to hand
  score hand: sum(hand.rank)
"""


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_men_that_are_alike_are_one_outcome(backend: str, tmp_path: Path) -> None:
    """Of 10 pairs of 3 guards and 2 scouts 3 are guards, 6 mixed, one scouts; of a guard and two scouts 2 are mixed."""
    (tmp_path / "ruleset.yaml").write_text(TEXT, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, chance="explicit", backend=backend)
    weights = {action.id.partition("=")[2]: weight for action, weight in state.chance_outcomes()}
    assert weights == {"guard+guard": Fraction(3, 10), "guard+scout": Fraction(6, 10), "scout+scout": Fraction(1, 10)}
    state.apply("play:random=guard+guard")
    weights = {action.id.partition("=")[2]: weight for action, weight in state.chance_outcomes()}
    assert weights == {"guard+scout": Fraction(2, 3), "scout+scout": Fraction(1, 3)}
    state.apply("play:random=guard+scout")
    assert state.scores() == [2, 4]


DRAWN = """
rulelang: 2
name: drawn
players: 2
kinds: {Man: {identity: true, attributes: {rank: 1..3}, start: deck}}
pieces:
  Man: [{id: guard, rank: 1, count: 3}, {id: scout, rank: 3, count: 2}]
zones:
  deck: {holds: Man, order: pile, visible: count}
  hand: {holds: Man, per: player}
rules: |
  setup: shuffle deck
  play:
    draw 3 at once from deck to seat(0).hand
    draw 2 at once from deck to seat(1).hand
  score hand: sum(hand.rank)
"""


def endings(state: rulelang.State, probability: Fraction) -> Iterator[tuple[tuple[float, ...], Fraction]]:
    """Yield the scores of each ending of a game of pure chance with its probability."""
    if state.is_terminal():
        yield tuple(state.scores()), probability
    for action, weight in state.chance_outcomes() if state.is_chance_node() else ():
        after = state.clone()
        after.apply(action)
        yield from endings(after, probability * weight)


def test_men_that_are_alike_are_drawn_to_the_last(tmp_path: Path) -> None:
    """What an outcome leaves certain is taken as one like it: all deals come out as often as of five single men."""
    (tmp_path / "ruleset.yaml").write_text(DRAWN, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, chance="explicit", backend="interpreter")
    probabilities: dict[tuple[float, ...], Fraction] = {}
    for scores, probability in endings(state, Fraction(1)):
        probabilities[scores] = probabilities.get(scores, Fraction(0)) + probability
    deals = Counter((a + b + c, d + e) for a, b, c, d, e in permutations((1, 1, 1, 3, 3)))
    assert probabilities == {scores: Fraction(times, 120) for scores, times in deals.items()}


DEALT = """
rulelang: 2
name: dealt
players: 2
kinds: {Card: {attributes: {rank: 1..40}, start: deck}}
pieces:
  Card: [CARDS]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card}
rules: |
  setup: shuffle deck
  play:
    for p in players: draw 5 at once from deck to p.hand
    for p in players:
      turn of p: move (choose one of hand) to table
  score hand: sum(hand.rank)
""".replace("CARDS", ", ".join(f"{{id: c{rank}, rank: {rank}}}" for rank in range(1, 41)))


@pytest.mark.parametrize(("text", "turns"), [(TEXT, 0), (DEALT, 0), (DEALT, 1)])
def test_worlds_are_sampled_without_a_compiler(text: str, turns: int, tmp_path: Path) -> None:
    """A game that drew one by one, as sampled chance does, is replayed, also where no list holds what may be drawn."""
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, seed=1)
    for _ in range(turns):
        state.apply(state.legal_actions()[0])
    executor, position = state.engine
    for seat in (0, 1):
        world = Sampler(executor.interpreter, position.clone(), seat).world(Dice(3), 2000)
        assert world is not None
        seen = [observation(each, seat) for each in (position, world)]
        assert seen[0] == seen[1]


HELD = {"brick": 5, "wool": 3, "ore": 2}
PURSE = """
rulelang: 2
name: purses
players: 2
types: {Good: [brick, wool, ore]}
options: {many: {values: [0, 1, 3, 4, 9, 10, 12], default: 3}}
variables: {purse: {type: bag of Good, per: player, visible: owner}}
rules: |
  setup:
    for p in players: p.purse += 5 brick + 3 wool + 2 ore
  play:
    turn of seat(0):
      let first = random many at once of purse
      purse -= first
      next.purse += first
      let second = random 2 at once of purse
      purse -= second
      next.purse += second
  score left: 100 * purse.brick + 10 * purse.wool + purse.ore
"""


def ways(held: dict[str, int], many: int) -> dict[str, Fraction]:
    """The multivariate hypergeometric distribution of so many units, by their names."""
    drawn = {}
    for counts in product(*(range(units + 1) for units in held.values())):
        if sum(counts) == many:
            name = "+".join(sorted(good for good, n in zip(held, counts, strict=True) for _ in range(n)))
            chances = prod(comb(units, n) for units, n in zip(held.values(), counts, strict=True))
            drawn[name] = Fraction(chances, comb(sum(held.values()), many))
    return drawn


@pytest.fixture(scope="module")
def purses(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    """The game of purses."""
    folder = tmp_path_factory.mktemp("purses")
    (folder / "ruleset.yaml").write_text(PURSE, encoding="utf-8")
    return rulelang.load(folder)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
@pytest.mark.parametrize("many", [0, 1, 3, 4, 9, 10, 12])
def test_units_of_a_bag(purses: rulelang.Ruleset, many: int, backend: str) -> None:
    """Each distinct bag is one outcome, as likely as its units; of none, and of all there are, there is no chance."""
    state = purses.new_game(2, options={"many": many}, chance="explicit", backend=backend)
    held = dict(HELD)
    for draw in ("first", "second"):
        number = min(many if draw == "first" else 2, sum(held.values()))
        wanted = ways(held, number)
        if len(wanted) > 1:
            outcomes = state.chance_outcomes()
            assert {action.id.removeprefix(f"play:{draw}="): weight for action, weight in outcomes} == wanted
            taken = sorted(wanted)[len(wanted) // 2]
            state.apply(f"play:{draw}={taken}")
        else:
            (taken,) = wanted
        for good in held:
            held[good] -= taken.split("+").count(good)
    assert state.is_terminal()
    assert state.scores()[0] == 100 * held["brick"] + 10 * held["wool"] + held["ore"]


def test_a_sampled_game_is_the_same_unit_by_unit(purses: rulelang.Ruleset, tmp_path: Path) -> None:
    """With each seed the same goods are drawn as without `at once`, in both executors; each seat's worlds agree."""
    (tmp_path / "ruleset.yaml").write_text(PURSE.replace(" at once", ""), encoding="utf-8")
    single = rulelang.load(tmp_path)
    scores = [
        [game.new_game(2, seed=seed, backend=backend).scores() for seed in range(40)]
        for game, backend in ((purses, "interpreter"), (purses, "native"), (single, "interpreter"))
    ]
    assert scores[0] == scores[1] == scores[2]
    assert len({tuple(each) for each in scores[0]}) > 5
    for game, seat in product((purses, single), (0, 1)):
        executor, position = game.new_game(2, seed=5).engine
        world = Sampler(executor.interpreter, position.clone(), seat).world(Dice(3), 2000)
        assert world is not None
        assert observation(world, seat) == observation(position, seat)


def test_more_bags_than_can_be_listed(tmp_path: Path) -> None:
    """Of ten kinds with ten units each there are more than 20,000 bags of ten: sampled alone."""
    kinds = [f"g{n}" for n in range(10)]
    text = PURSE.replace("[brick, wool, ore]", f"[{', '.join(kinds)}]").replace("many at once", "10 at once")
    text = text.replace("5 brick + 3 wool + 2 ore", " + ".join(f"10 {kind}" for kind in kinds))
    text = text.replace("100 * purse.brick + 10 * purse.wool + purse.ore", "count(purse)")
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    assert ruleset.new_game(2, seed=1).scores() == [88, 112]
    with pytest.raises(RuleError, match="more than 20000 outcomes"):
        ruleset.new_game(2, chance="explicit").chance_outcomes()
