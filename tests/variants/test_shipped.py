"""The variants that are shipped: they check, their scenarios hold, and random games come to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.files import ruleset_names, variant_names
from rulelang.simulate import play_game
from tests import soak
from tests.remembered import remembered
from tests.scenario_files import judged
from tests.shipped import shipped
from tests.soak import times

from .games import findings

VARIANTS = [name for name in ruleset_names(shipped_rulesets()) if "/" in name]
GAMES = 10
GAMES_OF = {"ldd": 1, "imaginarium": 1}
"""Fewer of games that take longer; for the fewest players alone, without `--soak`."""


@pytest.mark.parametrize("name", VARIANTS)
@remembered()
def test_the_scenarios_of_a_shipped_variant_hold(name: str) -> None:
    """Each has scenarios of its own, and a strict check says nothing of it."""
    findings, results = judged(name)
    assert findings == []
    assert results
    assert {result.name: result.message for result in results if not result.ok} == {}


@pytest.mark.parametrize("name", VARIANTS)
def test_random_games_end(name: str) -> None:
    """At each number of players, and not by the limit of decisions."""
    ruleset = shipped(name)
    games = times(GAMES_OF.get(name.partition("/")[0], GAMES))
    few = name.partition("/")[0] in GAMES_OF and soak.FACTOR == 1
    for players in ruleset.players[:1] if few else ruleset.players:
        executor = ruleset.executor(players)
        longest = max(play_game(executor, seed).decisions for seed in range(games))
        assert 0 < longest < int(ruleset.info.limits["decisions"])


@pytest.mark.parametrize("options", [{"stack": 6}, {"stack": 7, "deck": 100}])
def test_two_players_with_every_option(options: dict[str, int | bool | str]) -> None:
    """The stacks of both sources play to an end, with 24 or 28 rewards."""
    ruleset = shipped("reco/two_players")
    executor = ruleset.executor(2, options)
    assert all(play_game(executor, seed).decisions < 400 for seed in range(GAMES))
    zones = ruleset.new_game(options=options).observation(0)["zones"]
    rewards = sum(zone["count"] for name, zone in zones.items() if name.startswith("rewards["))
    assert rewards == 4 * int(options["stack"])


def test_variants_of_one_game_combine() -> None:
    """The few-line variants go together, and with the game for two; `info` lists all of them."""
    assert variant_names(shipped_rulesets() / "reco") == ("hand_of_six", "more_than_four", "two_players")
    overlays = ["reco/hand_of_six", "reco/more_than_four"]
    assert findings(Path("reco"), *map(Path, overlays)) == []
    both = rulelang.load("reco/two_players", overlays)
    assert (both.players, len(both.info.layers)) == ((2,), 4)
    assert play_game(both.executor(2), 1).decisions > 0


def test_the_variants_of_les_derniers_droides_combine() -> None:
    """A short game with a harder start, chosen houses and other figures."""
    overlays = ["ldd/two_seasons", "ldd/hard_start", "ldd/chosen_houses", "ldd/true_figures_example"]
    assert variant_names(shipped_rulesets() / "ldd") == tuple(sorted(name.removeprefix("ldd/") for name in overlays))
    assert findings(Path("ldd"), *map(Path, overlays)) == []
    whole = rulelang.load("ldd", overlays)
    assert [play_game(whole.executor(players), 1).decisions > 0 for players in whole.players[::3]] == [True] * 2


def test_each_variant_is_a_few_lines() -> None:
    """What the small variants say fits on a card; other figures take a row for each card."""
    for name in ("two_seasons", "hard_start", "chosen_houses"):
        text = (shipped_rulesets() / "ldd" / "variants" / name / "ruleset.yaml").read_text(encoding="utf-8")
        said = text.partition("\nwords:")[0].splitlines()
        assert len([line for line in said if line.strip() and not line.startswith("#")]) <= 12
