"""What the benchmarks stand on: every race has its contestants, and the C that compile times are compared with is C."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.handwritten import native, repeated

try:
    native.compiler()
except native.NoCompilerError as error:
    pytest.skip(f"{error}; nothing can be raced", allow_module_level=True)

LINES = repeated.SOURCE.read_text(encoding="utf-8").count("\n")


def test_every_race_has_its_contestants() -> None:
    """Nobody is named in a race who can't play, and nobody plays for nothing; in native code as many games are played
    as were asked for."""
    with native.built() as program:
        playing = run.contestants(run.Settings(1, 10, 10, program))
        assert set(playing) == {name for race in run.RACES for name in (race.one, race.other)}
        assert playing["reco native"]().games == run.GAMES_OF_C * 10


@pytest.mark.parametrize("copies", [1, 3])
def test_repeated_c_compiles_and_has_its_length(copies: int, tmp_path: Path) -> None:
    """Copies of one file, told apart by the numbers at the ends of their names, compile together."""
    text = repeated.repeated(copies * LINES + LINES // 3)
    assert text.count("\n") == copies * LINES
    source = tmp_path / "by_hand.c"
    source.write_text(text, encoding="utf-8")
    subprocess.run([native.compiler(), "-std=gnu11", "-fsyntax-only", str(source)], check=True)


def test_a_short_file_is_one_copy() -> None:
    """There is never less than a whole one, and all that it defines has its number."""
    text = repeated.repeated(1)
    assert text.count("\n") == LINES
    assert {name for name in repeated.names(text) if not name.endswith("_0")} == set()


def test_parts_of_checking() -> None:
    """What checks and lints take is told as ratios."""
    rows = list(run.checks(run.Settings(1, 1, 1, None)))
    assert [row.value.endswith(" x") and float(row.value.split()[0]) > 0 for row in rows] == [True, True]
