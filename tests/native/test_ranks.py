"""Ranks are the same in both executors: of those who are still in, and of those who are out."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from rulelang.native.build import find_compiler
from tests.reference import YAML

from .compared import load

SEEDS = range(300)
(RULESET,) = [text for text in YAML if "\nname: ranked\n" in text]


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
