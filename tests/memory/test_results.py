"""Results that are not worked out again are what they would be: traces are complete, and edits are noticed."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

import rulelang
from rulelang.cli import rulelang as command
from rulelang.diagnostics import Diagnostics, RulesetError
from rulelang.game.situations import Suite
from rulelang.interpreter.blocks import Ended
from rulelang.ir.nodes import Block, End, Expr
from rulelang.ir.program import Program
from rulelang.memory.meaning import folder_at
from rulelang.memory.results import Parts
from rulelang.rerun import Rerun, rerun
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.scenarios import result_of, run_scenarios
from tests.memory.edits import edits
from tests.shipped import shipped
from tests.soak import soaking, times

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """R-ECO without its variants in a folder of its own, with an empty cache."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    without_variants = shutil.ignore_patterns("variants")
    return Path(shutil.copytree(ROOT / "rulesets" / "reco", tmp_path / "reco", ignore=without_variants))


def again(folder: Path, complete: bool = False) -> Rerun:
    """Run what may not pass as before, and keep what passed."""
    known = folder_at(str(folder))
    assert known is not None
    found = rerun(str(folder), known, complete)
    known.memory.save()
    assert found is not None
    return found


# ---- traces


def poisoned(program: Program, parts: Parts, trace: list[Any]) -> Program:
    """A program in which all that is not in a trace ends the game or has another value."""
    _, names, columns, *_ = trace
    kept = {*parts.procedures(names), *parts.of_tables}
    procedures = tuple(
        procedure
        if number in kept or number >= len(parts.program.procedures)
        else replace(procedure, blocks=(Block((), End()),))
        for number, procedure in enumerate(program.procedures)
    )
    rows = {(kind, column): int(bits, 16) for kind, column, bits in columns}
    kinds = list(program.kinds)
    for number, kind in enumerate(kinds):
        definitions = tuple(
            replace(
                definition,
                attributes=tuple(
                    value if rows.get((number, column), 0) >> row & 1 else _other(value)
                    for column, value in enumerate(definition.attributes)
                ),
            )
            for row, definition in enumerate(kind.definitions)
        )
        kinds[number] = replace(kind, definitions=definitions)
    return replace(program, procedures=procedures, kinds=tuple(kinds))


def _other(value: Expr) -> Expr:
    """Another value of the type."""
    if value.op != "const" or value.type not in ("int", "bool"):
        return value
    return replace(value, args=(1 - int(value.args[0]) if value.type == "bool" else int(value.args[0]) + 7,))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["reco", *soaking("", "ldd", "imaginarium", "droids")[1:]])
def test_a_trace_is_complete(name: str) -> None:
    """A scenario passes also where all that it did not reach is replaced."""
    ruleset = shipped(ROOT / "rulesets" / name)
    suite = Suite(ruleset, scenarios_of(ruleset.written, Diagnostics())).traced()
    parts = Parts(ruleset.program, ruleset.written)
    base = len(ruleset.program.procedures)
    sizes = []
    for code in suite.codes[:: max(1, len(suite.codes) // times(20))]:
        suite.reached.clear()
        result = result_of(suite, code)
        assert result.ok
        elements = {e for e in suite.reached if e[0] != "block" or int(e[1]) < base}
        numbers = {suite.procedure_numbers[named] for named in code.named}
        worded = any(expected.missing for expected in code.scenario.then)
        trace = parts.trace(elements, numbers, worded)
        assert parts.holds(trace)
        changed = suite.with_program(poisoned(suite.ruleset.program, parts, trace))
        assert result_of(changed, code) == result, code.scenario.name
        sizes.append(len(parts.procedures(trace[1])))
    assert min(sizes) < base * 0.7, "the traces leave something out"


def test_the_poison_kills() -> None:
    """With an empty trace the scenarios fail."""
    ruleset = shipped(ROOT / "rulesets" / "reco")
    suite = Suite(ruleset, scenarios_of(ruleset.written, Diagnostics())[:12])
    parts = Parts(ruleset.program, ruleset.written)
    changed = suite.with_program(poisoned(suite.ruleset.program, parts, parts.trace((), (), False)))
    passed = 0
    for code in suite.codes:
        with suppress(Ended):
            passed += result_of(changed, code).ok
    assert passed < 4


# ---- what is run again


def test_what_changed_is_run_alone(game: Path) -> None:
    """Nothing after a comment; after a figure some; after a rule that all come to all; after a scenario it."""
    whole = again(game)
    assert whole.run == len(whole.results) > 50
    rules, pieces = game / "reco.rule", game / "ruleset.yaml"
    scenario = sorted((game / "scenarios").glob("*.yaml"))[0]
    for path, old, new, least, most in (
        (rules, "\n", "\n# a comment\n", 0, 0),
        (pieces, "\n", "\n# a comment\n", 0, 0),
        (rules, "rule take_turn:", "function fresh -> number = 1\n\nrule take_turn:", 0, 0),
        (scenario, "  - name: ", "  - name: another ", 1, 1),
        (rules, "function fresh ->", "function c ->", 1, 20),  # scenarios have a `c` of their own
    ):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        found = again(game)
        assert least <= found.run <= most, path.name
        assert len(found.results) == len(whole.results)
    assert [result.name for result in found.results] == [result.name for result in run_scenarios(rulelang.load(game))]


@pytest.mark.parametrize("name", ["reco", *soaking("", "ldd", "imaginarium", "droids")[1:]])
def test_results_are_those_of_a_fresh_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After random edits that can be played."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    folder = Path(shutil.copytree(ROOT / "rulesets" / name, tmp_path / name))
    again(folder)
    compared = saved = 0
    for edit in edits(folder, Random(7), times(4)):
        known = folder_at(str(folder))
        try:
            ruleset = rulelang.load(folder)
        except RulesetError:
            continue
        assert known is not None
        fresh = list(run_scenarios(ruleset))
        found = rerun(str(folder), known, True)
        known.memory.save()
        if found is not None:
            assert list(found.results) == fresh, edit
            compared += 1
            saved += len(fresh) - found.run
    assert compared > 1
    assert saved > 50


def test_files_are_run_side_by_side(game: Path) -> None:
    """With the results of one process, in their order; what was learnt is known to the next run."""
    folder = folder_at(str(game))
    assert folder is not None
    found = rerun(str(game), folder, True, 2)
    folder.memory.save()
    assert found is not None
    assert list(found.results) == list(run_scenarios(rulelang.load(game)))
    assert again(game).run == 0


# ---- at the command line


def test_options(game: Path) -> None:
    """An unchanged suite says so; some by name; those that failed last; all."""

    def run(*options: str) -> tuple[int, list[str], str]:
        result = CliRunner().invoke(command, ["test", str(game), *options])
        *lines, last = result.stdout.strip().split("\n")
        return result.exit_code, [line for line in lines if line.startswith(("ok", "FAIL"))], last

    status, names, last = run()
    assert (status, last) == (0, f"{len(names)} passed, 0 failed")
    assert run() == (0, names, f"{last}; nothing has changed since")
    assert run("--no-cache") == (0, names, last)
    word = names[0].removeprefix("ok").strip()
    assert run("-k", word[:-1]) == (0, names[:1], "1 passed, 0 failed")
    assert run("-k", f"*{word[3:]}") == (0, names[:1], "1 passed, 0 failed")
    assert run("-k", "no such name") == (0, [], "no scenario is meant")
    assert run("--failed") == (0, [], "no scenario is meant")
    path = sorted((game / "scenarios").glob("*.yaml"))[0]
    text = path.read_text(encoding="utf-8")
    at = text.index("then:")
    path.write_text(text[:at] + re.sub(r"\d", "8", text[at:], count=1), encoding="utf-8")
    status, lines, last = run()
    failed = [line for line in lines if line.startswith("FAIL")]
    assert status == 1
    assert failed
    assert run("--failed")[1] == failed
    path.write_text(text, encoding="utf-8")
    assert run("--failed")[0] == 0
    assert run()[::2] == (0, f"{len(names)} passed, 0 failed; nothing has changed since")
