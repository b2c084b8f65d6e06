"""Games that all win or all lose: what simulations, comparisons, reports and the table say of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import rulelang
from rulelang.cli import rulelang as command
from rulelang.compare import compare
from rulelang.diagnostics import UsageError
from rulelang.lab.ladder import ladder
from rulelang.lab.report import Plan, report
from rulelang.lab.study import Setting, Study
from rulelang.table.names import Names
from rulelang.table.sheet import ending

RAFT = """\
rulelang: 2
name: raft
players: 2
languages: [en, fr]
variables: {logs: {type: 0..2, per: player}}
rules: |
  play:
    for p in players:
      turn of p: logs := choose a number from 0 to 2
  score logs: logs
  winner: all when sum(p.logs for p in players) >= NEEDED
"""
RIVALS = {"win_share", "shared", "margin", "close", "score_lead_changes", "lead_changes", "uniformity", "luck"}


@pytest.fixture(scope="module")
def rafts(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Of nine pairs of choices three reach 3 logs, one reaches 4."""
    folders = {needed: tmp_path_factory.mktemp(f"raft{needed}") for needed in (3, 4)}
    for needed, folder in folders.items():
        (folder / "ruleset.yaml").write_text(RAFT.replace("NEEDED", str(needed)), encoding="utf-8")
    return folders


def test_the_table_says_that_all_have_won_or_lost(rafts: dict[int, Path]) -> None:
    """In both languages; scores decide nothing."""
    said = {
        (2, 2): ("You and seat 1 win together.", "Victoire partagée : vous et joueur 1."),
        (0, 2): ("All have lost.", "Tous ont perdu."),
    }
    for choices, words in said.items():
        state = rulelang.load(rafts[3]).new_game(2, 1)
        for n in choices:
            state.apply(f"play:logs={n}")
        for lang, text in zip(("en", "fr"), words, strict=True):
            assert ending(state, Names(state, lang, 0)).replace("\u00a0", " ") == text
        assert state.events(0)[-1]["text"] == "The game is over: all have won, or all have lost."


def test_simulate_counts_the_games_that_all_win(rafts: dict[int, Path]) -> None:
    """One third of the games, not one sixth for each; nobody comes second."""
    output = CliRunner().invoke(command, ["simulate", str(rafts[3]), "--games", "300", "--seed", "1"]).output
    lines = output[output.index("seat  ") :].splitlines()
    assert lines[0].split() == ["seat", "mean", "score", "deviation"]
    assert len(lines[2].split()) == 3
    line = next(line for line in lines if line.startswith("all won"))
    assert 80 <= int(line.split()[2]) <= 120
    assert line.endswith(f"of 300 games: {int(line.split()[2]) / 3:.1f} %")


def test_compare_measures_the_games_that_all_win(rafts: dict[int, Path]) -> None:
    """From a third to a ninth, the same whoever is asked."""
    found = compare(rulelang.load(rafts[3]), rulelang.load(rafts[4]), games=400, seed=2)
    names = [measure.name for measure in found.measures]
    assert (names.count("won"), names.count("win_share")) == (1, 0)
    won = next(measure for measure in found.measures if measure.name == "won")
    assert won.a == pytest.approx(1 / 3, abs=0.07)
    assert won.b == pytest.approx(1 / 9, abs=0.05)


def test_the_report_has_no_rivals(rafts: dict[int, Path], tmp_path: Path) -> None:
    """How many games are won, and nothing of seats against each other; no ladder."""
    setting = Setting(str(rafts[3]))
    with Study(tmp_path / "games") as study:
        found = report(study, setting, Plan(games=200, bot="random", bot_games=0))
        figures = {figure.key.name: figure.estimate.value for figure in found.figures}
        assert figures["won"] == pytest.approx(1 / 3, abs=0.1)
        assert RIVALS & figures.keys() == set()
        assert {test.flaw for test in found.tests} & {"seat_bias", "runaway_leader"} == set()
        with pytest.raises(UsageError, match="all win or lose this game together"):
            next(iter(ladder(study, setting, (10, 20), 16)))
