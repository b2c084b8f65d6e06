"""Luck and skill: of games that are all luck, or have none, the figures say so."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.lab.report import Plan, report
from rulelang.lab.skill import skill, strategy, strategy_settings
from rulelang.lab.statistics import explained
from rulelang.lab.study import Setting, Study, share
from tests.lab.games import written


def luck(study: Study, path: Path, deals: int) -> float:
    """What deals explain of the share of the win of seat 0, each played eight times by random bots."""
    setting = Setting(str(path), players=2, deals=deals)
    study.play([(setting, 8 * deals)])
    groups: list[list[float]] = [[] for _ in range(deals)]
    for row in study.rows(setting, 8 * deals):
        groups[row["game"] % deals].append(share(row, 0))
    return explained(groups).value


def test_luck_is_that_of_its_source(tmp_path: Path) -> None:
    """A coin decides all, whether or not dice are rolled before it that nobody looks at; where nothing is drawn luck
    decides nothing, although winners differ."""
    with Study() as study:
        found = {game: luck(study, written(tmp_path / game, game), 6) for game in ("coin", "dummy", "count")}
    assert (found["coin"], found["dummy"]) == (1, 1)
    assert found["count"] < 0.3


@pytest.mark.slow
def test_thinking_pays_or_does_not(tmp_path: Path) -> None:
    """The same luck with and without a bot that thinks: nothing, and nearly all; the best choice alone does as well."""
    with Study() as study:
        luck, count = (Setting(str(written(tmp_path / game, game)), players=2) for game in ("dummy", "count"))
        assert skill(study, luck, "mcts:4", 10).mean == 0
        assert skill(study, count, "mcts:30", 10).mean > 0.8
        shares = strategy(study, strategy_settings(count, "mcts:30", "up"), 4)
        assert shares.games == 8
        assert shares.mean > 0.4  # nobody can do better than all ups, so that it shares the win


@pytest.mark.soak
@pytest.mark.parametrize(
    ("game", "flaws"), [("coin", {"no_skill"}), ("dummy", {"no_skill"}), ("count", {"one_strategy", "useless_action"})]
)
def test_reports_of_twins(game: str, flaws: set[str], tmp_path: Path) -> None:
    """No drama, no change of the lead, no clarity where there is none; the hypotheses about thinking hold or fail."""
    with Study() as study:
        found = report(study, Setting(str(written(tmp_path / game, game)), players=2), Plan(2000, "mcts:100", 100))
    assert {test.flaw for test in found.findings} == flaws
    for sample, figure, most in (
        ("best", "drama", 0.05),
        ("odds", "drama", 0.05),
        ("odds", "lead_changes", 0.1),
        ("best", "gap", 0.03),
    ):
        value = found.figure(sample, figure)
        assert game == "count" or value is None or value.value < most, figure
    if game != "count":
        decided = found.figure("odds", "decided")
        assert decided is not None
        assert decided.value > 0.97
