"""The page about adding an operation is complete: done on a copy of the engine, it gives an operation that is verified,
printed and read back, played by the interpreter, and written as C."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.walk import walk

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "add_an_operation.md"
COPIED = ("rulelang", "grammar", "tests/interpreter")
TRIED = """
import rulelang
from rulelang.ir.errors import IrError
from rulelang.ir.reader import parse_program
from rulelang.ir.text import print_program
from rulelang.ir.verify import verify
from tests.interpreter import test_expressions as cases

assert rulelang.__file__.startswith({folder!r})
ruleset = rulelang.load("signs")
program = ruleset.program
assert parse_program(print_program(program)) == program
assert "(sign int" in print_program(program)
state = ruleset.new_game(players=2, seed=1, backend="interpreter")
seen = [state.scores()]
for choice in (4, 9):
    state.apply("win:n=" + str(choice))
    seen.append(state.scores())
assert seen == [[-1, -1], [0, -1], [0, 1]], seen
text = ruleset.executor(2, backend="native").native.text()
assert " > 0) - (" in text

cases.test_every_operation_has_a_case_and_a_builder()
own = [case for case in cases.CASES if case[0].op == "sign"]
for expr, wanted in own:
    machine = cases.machine_for(expr)
    assert machine.evaluate(cases.position(machine), 3) == wanted, expr
try:
    verify(parse_program(print_program(program).replace("(sign int", "(sign bool")))
except IrError:
    print(len(own), "case")
"""


def test_the_page_is_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its reader would: each change is made. Compiled files are copied too: only what changed is compiled anew."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("__init__.py", "offenders.py"):
        shutil.copy2(ROOT / "tests" / name, tmp_path / "tests")
    monkeypatch.chdir(tmp_path)
    assert walk(PAGE) == 0
    done = subprocess.run(
        [sys.executable, "-c", TRIED.format(folder=str(tmp_path))],
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1 case\n"), done.stderr


def test_lists_are_there() -> None:
    """Each list that may know an operation is in its module."""
    rows = re.findall(r"^\| (.*) in `(\S+\.py)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(rows) == 2
    for names, path in rows:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert all(re.search(rf"^ *(def )?{name}\b", text, re.M) for name in re.findall(r"`(\w+)`", names)), path
