"""Mistakes in games whose zones, pieces and numbers have names of their own: told once, in these names."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.diagnostics_trial.rounds import ROWS, Row
from tests.diagnostics_trial.test_trial import WORDS, findings
from tests.messages.said import block, unsaid
from tests.offenders import none

RULESETS = Path(__file__).with_name("rulesets")
GAMES = sorted({row.game for row in ROWS})
PARTS = 8


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULELANG_CACHE", "")


def test_the_games_are_right() -> None:
    assert {game: [str(d) for d in findings(RULESETS / game)] for game in GAMES} == {game: [] for game in GAMES}


@pytest.mark.parametrize("part", range(PARTS))
def test_mistakes(part: int, same_folder: Path) -> None:
    """One finding, with what to write in the ruleset's own names."""
    wrong, blocks = {}, []
    for row in ROWS[part::PARTS]:
        found = findings(spoilt(row, same_folder))
        blocks.append(block(found))
        said = [f"{d.message} | {d.hint}" for d in found]
        if len(said) != 1 or row.says not in said[0]:
            wrong[row.new] = said
    assert wrong == {}
    none(unsaid(WORDS, f"rounds {part}", blocks))


LAMPS = """\
rulelang: 2
name: lamps
players: 2
types: {Fuel: [wick, wax]}
kinds: {Lamp: {attributes: {fuel: Fuel}, start: box}}
pieces: {Lamp: [{id: dim, fuel: wick}]}
zones: {box: {holds: Lamp, order: pile}, shelf: {holds: Lamp, per: player}}
variables: {oil: {type: bag of Fuel, per: player}}
rules: |
  play:
    if any lamps in shelf is red: pass
"""


def test_attributes_that_are_goods(tmp_path: Path) -> None:
    """An attribute whose values bags count, too, stands in the place of `colour`."""
    (tmp_path / "ruleset.yaml").write_text(LAMPS, encoding="utf-8")
    assert "any(c.fuel = wick for c in shelf)" in next(d.hint for d in findings(tmp_path))


def spoilt(row: Row, folder: Path) -> Path:
    """Write a ruleset with a mistake; return where it is checked."""
    game = row.file.split("/")[0]
    shutil.rmtree(folder / game, ignore_errors=True)
    shutil.copytree(RULESETS / game, folder / game)
    path = folder / row.file
    text = path.read_text(encoding="utf-8")
    assert text.count(row.old) == 1, row.old
    path.write_text(text.replace(row.old, row.new), encoding="utf-8")
    return folder / row.game
