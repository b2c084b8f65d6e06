"""What a card should cost: against prices that were worked out by hand."""

from __future__ import annotations

import json
import random
from math import inf
from pathlib import Path
from statistics import mean

import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang
from rulelang.game import load
from rulelang.lab.figures import Figures
from rulelang.lab.price import fairness, indifference, price
from rulelang.lab.statistics import Mean
from rulelang.lab.study import Setting, Study
from tests.lab.games import TEXTS, written
from tests.soak import soaking, times


def test_where_falling_effects_pass_zero() -> None:
    """Between two values in proportion; nowhere, where none or all are above it. Effects that rise by noise count as
    one."""

    def root(*effects: float) -> float:
        return indifference([1.0, 2.0, 3.0], [Mean([effect - 0.01, effect + 0.01] * 9) for effect in effects]).value

    assert root(0.3, 0.1, -0.3) == pytest.approx(2.25)
    assert root(0.2, -0.2, -0.3) == pytest.approx(1.5)
    assert root(0.1, 0.3, -0.2) == pytest.approx(2.5)  # 0.2 and 0.2
    assert (root(0.3, 0.2, 0.1), root(-0.1, -0.2, -0.3)) == (inf, -inf)


def test_intervals_of_prices_hold_the_truth() -> None:
    """Of effects that fall by 0.1 a value and pass 0 at 2.4, in thirty blocks each that are 0.4 apart: nine in ten at
    least; the price is never far off."""
    rng, held, found = random.Random(3), [], []
    for _ in range(times(40)):
        effects = [Mean(rng.gauss(0.24 - 0.1 * value, 0.4) for _ in range(30)) for value in range(6)]
        estimate = indifference([float(value) for value in range(6)], effects)
        held.append(estimate.low <= 2.4 <= estimate.high)
        found.append(min(max(estimate.value, 0.0), 5.0))
    assert mean(held) >= 0.88
    assert mean(found) == pytest.approx(2.4, abs=0.3)


@pytest.mark.slow
def test_the_price_of_a_card(tmp_path: Path) -> None:
    """Far too cheap and far too dear are told; each value has games of its own; what can't be priced is refused."""
    path = str(written(tmp_path / "stall", "stall"))
    command = ["lab", "price", path, "--card", "idol", "--figure", "cost=0,6,14", "--bot", "mcts:8", "--games", "300"]
    done = CliRunner().invoke(rulelang, [*command, "--format", "json"])
    told = json.loads(done.stdout)
    assert [point["verdict"] for point in told["points"]] == ["cheap", "open", "dear"]
    assert told["figure"] == "pieces.Card.idol.cost"
    assert told["games"] <= 300
    assert 0 <= told["price"]["value"] <= 14
    assert "fair at " in done.stderr
    refused = CliRunner().invoke(rulelang, ["lab", "price", path, "--card", "crown", "--figure", "idol.cost=1,2"])
    assert (refused.exit_code, "`always.crown` names no choice" in refused.output) == (2, True)


@pytest.mark.parametrize("card", soaking("idol", "gem", "ring"))
def test_fair_prices_are_found(card: str, tmp_path: Path) -> None:
    """Within one, and the interval holds the truth; in 1,500 games."""
    fair = {"idol": 6, "gem": 4, "ring": 2}[card]
    path = str(written(tmp_path / "stall", "stall"))
    variation = Figures(load(path)).variation(f"{card}.cost={max(fair - 3, 0)}..{fair + 3}")
    with Study() as study:
        *_, found = price(study, Setting(path, bots=("mcts:20",)), variation, card, 1500)
    assert found.price is not None
    assert abs(found.price.value - fair) <= 1
    assert found.price.low <= fair <= found.price.high


def test_whether_seats_are_alike(tmp_path: Path) -> None:
    """A head start is told, each number of players has its line."""
    change = ("    shuffle deck\n", "    shuffle deck\n    for p in players:\n      if p.seat = 0: p.coins += 40\n")
    assert change[0] in TEXTS["market"]
    path = str(written(tmp_path / "market", "market", [change, ("players: 2..4", "players: 2..3")]))
    command = ["lab", "fair", path, "--bot", "random", "--games", "200"]
    two, three = json.loads(CliRunner().invoke(rulelang, [*command, "--format", "json"]).stdout)["numbers"]
    assert (two["verdict"], three["verdict"]) == ("unfair", "unfair")
    assert two["seats"][0]["low"] > 0.6
    assert sum(two["ends"].values()) == two["games"] < 200
    assert "unfair" in CliRunner().invoke(rulelang, command).output


def test_nothing_is_fair_without_rivals(tmp_path: Path) -> None:
    """Of a game for one only its length and end are told."""
    path = written(tmp_path / "race", "race", [("players: 2..4", "players: 1..4")])
    with Study() as study:
        (alone,) = fairness(study, Setting(str(path)), [1], 16)
    assert (alone.verdict, alone.seats, alone.more) == ("", (), None)
    assert sum(alone.ends.values()) == alone.figures["turns"].games == 16
