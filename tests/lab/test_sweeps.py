"""Sweeps and the search for values: against the same games played by hand, and optima that are known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean

import click
import pytest
from click.testing import CliRunner

from benchmarks.tuning import CASES, measured
from rulelang.cli import rulelang
from rulelang.cli.lab_sweeps import sweep_
from rulelang.diagnostics import UsageError
from rulelang.game import load
from rulelang.lab.figures import Figures
from rulelang.lab.measures import FIGURES, check_measure, measures
from rulelang.lab.study import Setting, Study
from rulelang.lab.sweeps import SweptField
from rulelang.lab.targets import target
from tests.soak import soaking

RACE, STALLS = (Path(__file__).parent / "games" / name for name in ("race", "stalls"))


def test_a_sweep_plays_variants_on_the_same_seeds(tmp_path: Path) -> None:
    """A point is what `simulate` makes of an overlay that is written by hand; differences are those of single games."""
    path = str(RACE)
    variations = [Figures(load(path)).variation(text) for text in ("goal=8,20", "head_start=0,3")]
    with Study(tmp_path / "games") as study, SweptField(study, Setting(path, seed=4), variations) as field:
        points = field.sweep(40, [target("seats=..0.1"), target("turns=5..6")])
    assert [dict(point.values) for point in points][1:3] == [
        {"function.goal": "8", "function.head_start": "3"},
        {"function.goal": "20", "function.head_start": "0"},
    ]
    (tmp_path / "by_hand").mkdir()
    text = "rulelang: 2\nrules: |\n  function goal -> 1..60 = 8\n  function head_start -> 0..12 = 3\n"
    (tmp_path / "by_hand" / "ruleset.yaml").write_text(text, encoding="utf-8")
    with Study() as other:
        settings = [Setting(path, seed=4), Setting(path, (str(tmp_path / "by_hand"),), seed=4)]
        other.play([(setting, 40) for setting in settings])
        before, after = ([row["turns"] for row in other.rows(setting, 40)] for setting in settings)
    turns = next(m.estimate for m in points[1].measures if m.key.name == "turns")
    more = next(m.estimate for m in points[1].differences if m.key.name == "turns")
    assert turns.value == pytest.approx(fmean(after))
    assert more.value == pytest.approx(fmean(after) - fmean(before))
    spread = abs(points[1].means["win_share", 0, ""] - points[1].means["win_share", 1, ""])
    far = max(spread - 0.1, 0) / 0.1 + max(5 - turns.value, turns.value - 6, 0)
    assert points[1].miss == pytest.approx(far)
    nearest = min(points, key=lambda point: point.miss or 0.0)
    assert nearest.best


def test_what_can_not_be_is_told_before_games_are_played(tmp_path: Path) -> None:
    """A value that the checker refuses, and a measure that there is not."""
    done = CliRunner().invoke(
        rulelang, ["lab", "sweep", str(STALLS), "--vary", "gold.cost=1,20", "--out", str(tmp_path)]
    )
    assert done.exit_code == 2
    assert "pieces.Card.gold.cost=20 can't be" in done.output
    assert not list((tmp_path / "games").glob("*"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("turn", "no measure `turn`; there are win_share.SEAT, .*used.CARD.*did you mean `turns`?"),
        ("turns.3", "no measure `turns.3`; there are "),
        ("worth.nosuch", "`worth.nosuch` names no card: `worth.CARD` is of .*gold"),
        ("picked.gold", "no measure `picked.gold`; there are "),  # bots that search have it
        ("without.nosuch", "`without.nosuch` names no choice: `without.CHOICE` is of .*gold.*buy"),
        ("gold.buy", "no measure `gold.buy`; there are "),  # `compare` prints it so
        ("gap", "no measure `gap`; there are "),  # bots that search have it
        ("used.nosuch", "`used.nosuch` names no card: `used.CARD` is of .*gold"),
        ("taken.nosuch", "`taken.nosuch` names no action: `taken.ACTION` is of .*buy"),
        ("win_share.2", "`win_share.2` names no seat: `win_share.SEAT` is of 0, 1"),
    ],
)
def test_a_name_that_no_measure_has_is_refused_before_games_are_played(name: str, said: str, tmp_path: Path) -> None:
    """In what is shown and in targets, with a list of those there are."""
    for option in (["--show", name], ["--target", f"{name}=1..2"]):
        command = ["lab", "sweep", str(STALLS), "--vary", "gold.cost=4", "--out", str(tmp_path), *option]
        done = CliRunner().invoke(rulelang, command)
        said_all = said if option[0] == "--show" else said.replace("there are ", "there are seats, ")
        assert done.exit_code == 2
        assert re.search(said_all, done.output), done.output
    assert not list((tmp_path / "games").glob("*"))


def test_a_target_is_one_measure_and_a_table_may_have_all() -> None:
    """`used` shows each card; as a target it lacks the card. What no game has stands as a column all the same."""
    command = ["lab", "sweep", str(STALLS), "--vary", "gold.cost=4", "--games", "2"]
    done = CliRunner().invoke(rulelang, [*command, "--target", "used=1"])
    assert (done.exit_code, "`used` names no card" in done.output) == (2, True)
    done = CliRunner().invoke(rulelang, [*command, "--show", "taken", "--show", "win_share.1"])
    assert done.exit_code == 0
    assert {"taken.buy", "win_share.1"} <= set(done.output.splitlines()[0].split())


def test_worth_and_forced_play_are_measures_like_others(tmp_path: Path) -> None:
    """Shown, and aimed at, beside those of single games: worth as a report has it, forced play by games of its own.
    `lab figures` lists them, the shell completes them."""
    names = ["worth.gold", "without.buy", "always.buy", "used.gold"]
    command = ["lab", "sweep", str(STALLS), "--vary", "gold.cost=4", "--games", "20", "--out", str(tmp_path)]
    shown = [part for name in names for part in ("--show", name)]
    done = CliRunner().invoke(rulelang, [*command, *shown, "--target", "always.buy=0..1", "--format", "json"])
    (point,) = json.loads(done.stdout)["points"]
    values = {f"{m['name']}.{m['of']}": m for m in point["measures"]}
    assert all(-1 <= values[name]["low"] <= values[name]["value"] <= values[name]["high"] <= 1 for name in names)
    assert [values[name]["games"] for name in names[1:3]] == [20, 20]
    setting = Setting(str(STALLS), always=((0, "action", "buy"),))
    with Study(tmp_path) as study:
        assert study.file(setting).exists()
        forced, free = (list(study.rows(own, 10)) for own in (setting, Setting(str(STALLS), features=("trace",))))
    assert sum(map(bool, (a["winners"] != b["winners"] for a, b in zip(forced, free, strict=True)))) > 0
    refused = CliRunner().invoke(rulelang, [*command, "--show", "without"])
    assert (refused.exit_code, "`without` is of one card or action" in refused.output) == (2, True)
    listed = CliRunner().invoke(rulelang, ["lab", "figures", str(STALLS), "--format", "json"])
    assert {*names, "seats", "picked.gold"} <= json.loads(listed.stdout)["measures"].keys()
    context = click.Context(sweep_)
    context.params = {"path": str(STALLS)}
    option = next(one for one in sweep_.params if one.name == "targets")
    assert [item.value for item in option.shell_complete(context, "without.g")] == ["without.gold="]


@pytest.mark.parametrize(("players", "bot"), [(1, "random"), (2, "random"), (2, "mcts:2")])
def test_the_table_of_measures_has_what_games_have(players: int, bot: str, tmp_path: Path) -> None:
    """Each figure of traced games is in the table, and only by the feature that it names."""
    text = (STALLS / "ruleset.yaml").read_text(encoding="utf-8").replace("players: 2", "players: 1..2")
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    with Study() as study:
        executor = study.executor(Setting(str(tmp_path), players=players))
        for feature in ("trace", "odds"):
            setting = Setting(str(tmp_path), players=players, bots=(bot,), features=(feature,))
            study.play([(setting, 4)])
            for found in measures(study.rows(setting, 4)):
                key = found.key
                assert FIGURES[key.name].feature in ("", feature)
                name = f"{key.name}.{key.of or key.seat}" if FIGURES[key.name].of else key.name
                check_measure(executor, name, bot != "random", single=True)


def test_a_plain_optimum_is_found(tmp_path: Path) -> None:
    """Of the lengths of the way only 20 gives about ten turns: worked out from 3.5 steps a turn. The same command again
    plays nothing anew and says the same."""
    pytest.importorskip("sklearn")
    command = ["lab", "tune", str(RACE), "--target", "turns=10..11", "--may-move", "goal=5..40/5", "--games", "400"]
    command += ["--check-games", "100", "--out", str(tmp_path / "games"), "--format", "json"]
    runs = [CliRunner().invoke(rulelang, command) for _ in range(2)]
    told = json.loads(runs[0].stdout)
    assert told["values"] == {"function.goal": "20"}
    assert told["after"]["miss"] < 0.5
    assert runs[1].stdout == runs[0].stdout


def test_a_large_grid_is_not_listed() -> None:
    """More combinations than can be played are refused by a sweep."""
    path = str(RACE)
    variations = [Figures(load(path)).variation(text) for text in ("goal=1..60", "head_start=0..12")]
    many = [*variations, *variations]
    with Study() as study, SweptField(study, Setting(path), ()) as field:
        field.variations = tuple(many)
        with pytest.raises(UsageError, match="608400 combinations"):
            field.sweep(1)


@pytest.mark.parametrize("name", soaking(*CASES))
def test_a_tenth_of_the_games_will_do(name: str) -> None:
    """`tune` reaches 95 % of the best of an exhaustive sweep in the median of seeds, with a tenth of its games."""
    pytest.importorskip("sklearn")
    cases = sorted(measured(name, range(3)), key=lambda case: case.gained)
    assert all(case.games <= case.swept / 10 for case in cases)
    assert cases[1].gained >= 0.95
