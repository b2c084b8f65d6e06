"""Functions that call each other in long rows, or each the next one many times: generated Python bounds what it writes
out, and what it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.backends.interpreter import Machine
from rulelang.backends.python import PythonMachine
from rulelang.diagnostics import FuelError

TEXT = """\
rulelang: 1
name: g
players: 2
variables: {{n: {{type: 0..999999999}}}}
rules: |
  play: n := f0(1)
{functions}
  function f{last}(x: number) -> number = x
"""
MUCH = 20_000
"""No function of these rulesets takes more text; written out, most would take thousands of times as much."""


def machine(folder: Path, body: str, length: int, backend: str) -> Machine:
    """A machine for functions of which each has this body; `f` stands for the next one."""
    rows = [f"  function f{k}(x: number) -> number = {body.replace('f(', f'f{k + 1}(')}" for k in range(length)]
    text = TEXT.format(functions="\n".join(rows), last=length)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder).machine(2, backend=backend)


@pytest.mark.parametrize(("body", "length", "wanted"), [("f(x + 1)", 300, 301), ("f(x) + f(x)", 12, 4096)])
def test_rows_of_functions(body: str, length: int, wanted: int, tmp_path: Path) -> None:
    """What the interpreter can call, generated Python can."""
    for backend in ("interpreter", "python"):
        found = machine(tmp_path, body, length, backend)
        state = found.new_state(logging=False)
        found.random_playout(state)
        assert state.v == [wanted]
        if isinstance(found, PythonMachine):
            assert len(found.text()) < MUCH


@pytest.mark.parametrize("times", [2, 10])
def test_calls_that_multiply(times: int, tmp_path: Path) -> None:
    """Twice 45 times, or ten times twelve times, is too much on both."""
    for backend in ("interpreter", "python"):
        found = machine(tmp_path, " + ".join(["f(x)"] * times), {2: 45, 10: 12}[times], backend)
        with pytest.raises(FuelError, match="no decision within the fuel"):
            found.random_playout(found.new_state(logging=False))
        if isinstance(found, PythonMachine):
            assert len(found.text()) < MUCH
