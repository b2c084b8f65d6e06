"""Sweeps and the search for values: against the same games played by hand, and optima that are known."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner

from benchmarks.tuning import CASES, measured
from rulelang.cli import rulelang
from rulelang.diagnostics import UsageError
from rulelang.game import load
from rulelang.lab.figures import Figures
from rulelang.lab.points import Field
from rulelang.lab.study import Setting, Study
from rulelang.lab.targets import target
from tests.soak import soaking

RACE, STALLS = (Path(__file__).parent / "games" / name for name in ("race", "stalls"))


def test_a_sweep_plays_variants_on_the_same_seeds(tmp_path: Path) -> None:
    """A point is what `simulate` makes of an overlay that is written by hand; differences are those of single games."""
    path = str(RACE)
    variations = [Figures(load(path)).variation(text) for text in ("goal=8,20", "head_start=0,3")]
    with Study(tmp_path / "games") as study, Field(study, Setting(path, seed=4), variations) as field:
        points = field.sweep(40, [target("seats=..0.1"), target("turns=5..6")])
    assert [dict(point.values) for point in points][1:3] == [
        {"function.goal": "8", "function.head_start": "3"},
        {"function.goal": "20", "function.head_start": "0"},
    ]
    (tmp_path / "by_hand").mkdir()
    text = "rulelang: 1\nrules: |\n  function goal -> 1..60 = 8\n  function head_start -> 0..12 = 3\n"
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
    aim = ["--target", "turn=1..2", "--vary", "goal=8", "--games", "2"]
    done = CliRunner().invoke(rulelang, ["lab", "sweep", str(RACE), *aim])
    assert (done.exit_code, "did you mean `turns`?" in done.output) == (2, True)


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
    with Study() as study, Field(study, Setting(path), ()) as field:
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
