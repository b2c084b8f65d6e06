"""Functions that call each other in long rows, or each the next one many times: native code bounds what it inlines, and
what it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import FuelError
from rulelang.execution.executor import Executor
from rulelang.native import find_compiler
from tests.soak import soaking

TEXT = """\
rulelang: 2
name: g
players: 2
variables: {{n: {{type: 0..999999999}}}}
rules: |
  play: n := f0(1)
{functions}
  function f{last}(x: number) -> number = x
"""
MUCH = 300_000
"""The text of none of these rulesets is longer; written out, most would take thousands of times as much."""


def executors(folder: Path, body: str, length: int) -> list[Executor]:
    """The executors of functions of which each has this body; `f` stands for the next one."""
    rows = [f"  function f{k}(x: number) -> number = {body.replace('f(', f'f{k + 1}(')}" for k in range(length)]
    text = TEXT.format(functions="\n".join(rows), last=length)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    able = ("interpreter", "native") if find_compiler() is not None else ("interpreter",)
    found = [rulelang.load(folder).executor(2, backend=backend) for backend in able]
    assert all(len(executor.native.c) < MUCH for executor in found if executor.native is not None)
    return found


@pytest.mark.parametrize(("body", "length", "wanted"), [("f(x + 1)", 300, 301), ("f(x) + f(x)", 12, 4096)])
def test_rows_of_functions(body: str, length: int, wanted: int, tmp_path: Path) -> None:
    """What the interpreter can call, it can where native code gives up too."""
    for executor in executors(tmp_path, body, length):
        state = executor.new_state(logging=False)
        executor.random_playout(state)
        assert state.v == [wanted]


@pytest.mark.parametrize("times", [2, *soaking(10)])
def test_calls_that_multiply(times: int, tmp_path: Path) -> None:
    """Twice 45 times, or ten times twelve times, is too much on both."""
    for executor in executors(tmp_path, " + ".join(["f(x)"] * times), {2: 45, 10: 12}[times]):
        with pytest.raises(FuelError, match="no decision within the fuel"):
            executor.random_playout(executor.new_state(logging=False))
