"""Scenarios hold and recorded games go as recorded on every backend, step by step."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.cli import run
from rulelang.diagnostics import UsageError
from rulelang.game.situations import Suite
from rulelang.native import find_compiler
from rulelang.record import read_record, replay
from rulelang.scenarios import result_of, run_scenarios
from tests import soak
from tests.ldd import record_playthroughs as ldd
from tests.reco import record_playthroughs as reco
from tests.scenario_files import scenarios_in
from tests.shipped import shipped

ROOT = Path(__file__).parents[2]
RECORDS = [
    pytest.param(
        name,
        rules.file_of(*table),
        id=f"{name}-{table[0]}-{table[1]}",
        marks=() if table[0] == players else pytest.mark.soak,
    )
    for name, rules, players in (("reco", reco, 4), ("ldd", ldd, 2))
    for table in rules.TABLES
]
"""In the test command those of the layouts that other tests compile too."""


@pytest.mark.usefixtures("compiler")
def test_scenarios_in_native_code() -> None:
    """Those of R-ECO for three without options, with `--soak` all: five libraries."""
    chosen = [one for one in scenarios_in("reco") if soak.FACTOR > 1 or (one.players, one.options) == (3, {})]
    suite = Suite(shipped("reco"), chosen, "native")
    results = [result_of(suite, code) for code in suite.codes]
    assert len(results) == len(chosen) > 30
    assert {result.name: result.message for result in results if not result.ok} == {}


def test_scenarios_that_fail(tmp_path: Path) -> None:
    """The same is said of what does not hold, whatever runs it."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(POND, encoding="utf-8")
    (tmp_path / "scenarios/one.yaml").write_text(FAILING, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    wanted = [result.to_json() for result in run_scenarios(ruleset, "interpreter")]
    assert [bool(result["message"]) for result in wanted] == [False, True, True, True]
    if find_compiler() is not None:
        assert [result.to_json() for result in run_scenarios(ruleset, "native")] == wanted


@pytest.mark.parametrize("name", ["interpreter", "auto"])
def test_the_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`rulelang test` runs scenarios on the backend that is asked for."""
    assert run(["test", str(ROOT / "tests/fragments/trick"), "--backend", name]) == 0
    assert " passed, 0 failed" in capsys.readouterr().out


def test_no_such_backend(capsys: pytest.CaptureFixture[str]) -> None:
    """Another name is wrong usage."""
    assert run(["test", "reco", "--backend", "basic"]) == 2
    assert "basic" in capsys.readouterr().err
    with pytest.raises(UsageError, match="there is no backend `basic`"):
        shipped("reco").executor(backend="basic")


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(("ruleset", "file"), RECORDS)
def test_recorded_games(ruleset: str, file: Path) -> None:
    """Likewise in native code, which plays on from the states on the way as the interpreter does."""
    record = read_record(file.read_text(encoding="utf-8"))
    for number, state in enumerate(replay(record, rulelang.load(ruleset), "native")):
        if number % 25 == 0 and not state.is_terminal():
            executor, position = state.engine
            assert executor.native is not None
            position = position.clone()
            position.logging = False
            (found,) = executor.native.playouts(position, [position.rng]) or [None]
            assert found is not None
            executor.interpreter.random_playout(position)
            assert found.game == executor.game(position)


POND = """\
rulelang: 2
name: pond
players: 2
variables: {coins: {type: 0..9, per: player, start: 2}}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          spend(n from 1 to 3) when n <= coins: coins -= n
          roll_it: coins := roll 1 to 6
  score coins: coins
"""
FAILING = """\
rulelang: 2
scenarios:
  - name: it holds
    when: ["spend:n=2", "spend:n=1"]
    then: ["seat(0).coins = 0", {scores: [0, 1]}, {winners: [1]}, {over: true}]
  - name: it is refused
    when: ["spend:n=3"]
    then: [{over: true}]
  - name: it is otherwise
    when: ["spend:n=2", "roll_it", "pond:coins=4"]
    then: [{scores: [0, 5]}]
  - name: it was offered
    then: [{refused: "spend:n=2"}]
"""
