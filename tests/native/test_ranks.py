"""Ranks are the same in both executors: of those who are still in, and of those who are out."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from rulelang.native.compilers import find_compiler
from tests.reference import YAML

from .compared import load

SEEDS = range(300)
(RULESET,) = [text for text in YAML if "\nname: ranked\n" in text]
PAID = RULESET.replace(
    """        if coins = 0:
          others_in := count(others)
          eliminate p
  winner: most coins
  tie: fewest others_in, then shared
""",
    """    turn of seat(0):
      choose:
        amounts: end the game with 2 * coins
        first: end the game won by seat(0)
        over: pass
  payoff: coins
""",
)


def expected(coins: tuple[int, ...]) -> tuple[int, ...]:
    """Who has more comes first; of those with none who went later."""
    keys = [(-n, 0 if n else -seat) for seat, n in enumerate(coins)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_ranks(tmp_path: Path) -> None:
    ruleset = load(tmp_path, RULESET)
    found = {}
    for coins in product(range(3), repeat=3):
        state = ruleset.new_game(players=3)
        for n in coins:
            state.apply(f"play:coins={n}")
        found[coins] = tuple(state.ranks())
    assert found == {coins: expected(coins) for coins in found}
    games = [list(ruleset.executor(3, {}, backend).games(SEEDS)) for backend in ("interpreter", "native")]
    assert games[0] == games[1]
    assert {tuple(game.ranks) for game in games[1]} == set(found.values())


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_ranks_by_what_each_gets(tmp_path: Path) -> None:
    """Where nothing else says who comes first, or who comes after those who were declared to have won."""
    ruleset = load(tmp_path, PAID)
    for coins, end in product(product(range(3), repeat=3), ("amounts", "first", "over")):
        state = ruleset.new_game(players=3)
        for n in coins:
            state.apply(f"play:coins={n}")
        state.apply(end)
        worth = (3, *coins[1:]) if end == "first" else coins
        assert state.ranks() == [1 + sum(other > n for other in worth) for n in worth], (coins, end)
    games = [list(ruleset.executor(3, {}, backend).games(SEEDS)) for backend in ("interpreter", "native")]
    assert games[0] == games[1]
