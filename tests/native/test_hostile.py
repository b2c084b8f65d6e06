"""Hostile rulesets in native code: nothing outside of memory's bounds, nothing undefined, no answer that the
interpreter would not give.

What is endless, too deep, too large or too many is given up by native code; the interpreter then says what it was.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.runtime.outcome import Outcome
from rulelang.runtime.state import State
from tests.hostile.cases import RUNS
from tests.soak import soaking, times

from .hostile_acts import FUEL, RULESETS
from .sanitized import Watched, generators, outcome

pytestmark = pytest.mark.usefixtures("compiler")
GAMES, COMPARED = 400, 20
RUN_GAMES, FIRST, STEPPED = 2, 4, 3
LONG = {"endless, long", "a long chain of functions", "a long chain of rules"}
"""Compiling these takes as long as all others together; long chains have a test of their own."""


def compared(machine: Executor, native: Executor, games: int, folder: Path) -> Counter[str]:
    """How many games native code played to their end, and gave up; what came of them is what the interpreter says."""
    start = machine.new_state(logging=False)
    rngs = generators(games)
    assert native.native is not None
    (found,) = Watched(native.native, folder).play([(start, rngs)])
    counts: Counter[str] = Counter()
    for rng, one in list(zip(rngs, found, strict=True))[:COMPARED]:
        wanted = outcome(machine, start, rng)
        counts["given up" if one is None else "played"] += 1
        if one is None:
            counts["given up in vain"] += isinstance(wanted, Outcome)
        else:
            assert one == wanted
    return counts


def in_native_code(executor: Executor, start: State) -> Outcome | None:
    """What native code says of one game."""
    assert executor.native is not None
    (found,) = executor.native.playouts(start, [1]) or [None]
    return found


def load(folder: Path, name: str) -> rulelang.Ruleset:
    (folder / "g").mkdir()
    (folder / "g/ruleset.yaml").write_text(RULESETS[name], encoding="utf-8")
    return rulelang.load(folder / "g")


def first_of(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Mark all cases but the first for `--soak`: each compiles a program that watches itself."""
    return [pytest.param(*case, marks=pytest.mark.soak if number else ()) for number, case in enumerate(cases)]


@pytest.mark.parametrize(("name", "players"), first_of((name, 2 + number % 2) for number, name in enumerate(RULESETS)))
def test_hostile_acts(name: str, players: int, tmp_path: Path) -> None:
    """Games of all sorts of hostile acts end as they do in the interpreter, most of them in native code."""
    ruleset = load(tmp_path, name)
    machine, native = (ruleset.executor(players, backend=backend) for backend in ("interpreter", "native"))
    counts = compared(machine, native, GAMES, tmp_path)
    assert counts["played"] > COMPARED // 3
    assert not counts["given up in vain"]


@pytest.mark.parametrize("name", RULESETS)
def test_the_same_is_said(name: str, tmp_path: Path) -> None:
    """What is wrong with a rule is told in the words of the interpreter."""
    ruleset = load(tmp_path, name)
    machine, native = (ruleset.executor(2, backend=backend) for backend in ("interpreter", "native"))
    start = machine.new_state(logging=False)
    told = [outcome(machine, start, rng) for rng in generators(COMPARED, 1000)]
    assert [outcome(native, start, rng) for rng in generators(COMPARED, 1000)] == told
    assert any(isinstance(one, str) for one in told)


@pytest.mark.parametrize("name", first_of((name,) for name in [name for name in RUNS if name not in LONG][::2]))
def test_hostile_runs(name: str, tmp_path: Path) -> None:
    """The rulesets that go wrong when they are played do so in native code too, which then gives up."""
    (tmp_path / "g").mkdir()
    for file, data in RUNS[name].files.items():
        (tmp_path / "g" / file).write_bytes(data)
    program = rulelang.load(tmp_path / "g").program
    program = replace(program, fuel=min(program.fuel, FUEL))
    compared(Executor(program, 2), Executor(program, 2, backend="native"), RUN_GAMES, tmp_path)


@pytest.mark.parametrize("name", first_of((name,) for name in sorted(RULESETS, key="parts".__ne__)))
def test_single_steps(name: str, tmp_path: Path) -> None:
    """Step by step the same is offered, and goes wrong, as in the interpreter."""
    ruleset, wrong = load(tmp_path, name), 0
    for seed in range(FIRST, FIRST + times(STEPPED)):
        picker = random.Random(seed)
        games: list[Any] = []
        for backend in ("interpreter", "native"):
            try:
                games.append(ruleset.new_game(2, seed, backend=backend))
            except RuleError as error:
                games.append(str(error))
        while not isinstance(games[0], str) and not games[0].is_terminal():
            one, other = games
            seat, choice = picker.choice(one.current_players()), picker.random()
            found: list[Any] = []
            for state in (one, other):
                try:
                    actions = state.legal_actions(seat)
                    state.apply(actions[int(choice * len(actions))])
                    found.append((len(actions), state.hash(), state.scores()))
                except RuleError as error:
                    found.append(str(error))
            assert found[0] == found[1]
            if isinstance(found[0], str):
                wrong += 1
                break
        if isinstance(games[0], str):
            assert games[0] == games[1]
    assert wrong


CHAIN = """\
rulelang: 2
name: g
players: 2
variables: {n: {type: 0..999999999}}
rules: |
  play: n := f0()
"""


@pytest.mark.parametrize("length", [101, *soaking(50, 400)])
def test_long_chains(length: int, tmp_path: Path) -> None:
    """Functions that call each other in a long row are left to the interpreter, which finds some too deep."""
    rows = [f"  function f{k}() -> number = f{k + 1}() + n\n" for k in range(length)]
    (tmp_path / "ruleset.yaml").write_text(CHAIN + "".join(rows) + f"  function f{length}() -> number = 1\n")
    ruleset = rulelang.load(tmp_path)
    machine = ruleset.executor(2, backend="interpreter")
    start = machine.new_state(logging=False)
    native = ruleset.executor(2, backend="native")
    assert (in_native_code(native, start) is None) == (length > 100)
    assert outcome(native, start, 1) == outcome(machine, start, 1)


DEEP = """\
rulelang: 2
name: g
players: 2
limits: {depth: 1000}
variables: {n: {type: 0..999999999}}
rules: |
  play: f0(%s)
"""


@pytest.mark.parametrize("calls", [1, *soaking(30)])
def test_the_stack_of_c_has_an_end(calls: int, tmp_path: Path) -> None:
    """Rules that call each other in turn as deep as they may, with much to keep, are given up in time."""
    names = [f"x{k}" for k in range(40)]
    text = DEEP % ", ".join("1" for _ in names)
    for k in range(calls):
        text += f"  rule f{k}({', '.join(f'{name}: number' for name in names)}) up to 1000 deep:\n"
        text += f"    f{(k + 1) % calls}({', '.join(f'{name} + 1' for name in names)})\n"
        text += f"    n := {' + '.join(names)}\n"
    (tmp_path / "ruleset.yaml").write_text(text)
    ruleset = rulelang.load(tmp_path)
    machine, native = (ruleset.executor(2, backend=backend) for backend in ("interpreter", "native"))
    start = machine.new_state(logging=False)
    wanted = outcome(machine, start, 1)
    assert isinstance(wanted, str)
    assert in_native_code(native, start) is None
    assert outcome(native, start, 1) == wanted


@pytest.mark.parametrize("leaf", ["choice", *soaking("plain")])
def test_rules_that_wait_for_others(leaf: str, tmp_path: Path) -> None:
    """As many rules may wait for others as the ruleset says, in native code too."""
    act = "    turn of seat(0):\n      choose:\n        a: n += 1\n        b: n += 2\n"
    for length in (9, 10, 11):
        rows = [f"  rule f{k}:\n{act}      f{k + 1}()\n".replace("      f", "    f") for k in range(length)]
        last = f"  rule f{length}:\n" + (act if leaf == "choice" else "    n += 5\n")
        head = DEEP.replace("1000", "10").replace("(%s)", "()")
        folder = tmp_path / str(length)
        folder.mkdir()
        (folder / "ruleset.yaml").write_text(head + "".join(rows) + last)
        ruleset = rulelang.load(folder)
        machine, native = (ruleset.executor(2, backend=backend) for backend in ("interpreter", "native"))
        start = machine.new_state(logging=False)
        wanted = outcome(machine, start, 1)
        found = in_native_code(native, start)
        assert found == wanted if found is not None else outcome(native, start, 1) == wanted
        assert isinstance(wanted, str) or found is not None or length == 9


@pytest.mark.parametrize("what", ["function", "rule"])
def test_calls_that_double(what: str, tmp_path: Path) -> None:
    """Native code makes no more calls than fuel allows, although each of them does next to nothing."""
    doubling = "-> number = f{0}() + f{0}()" if what == "function" else ":\n    f{0}()\n    f{0}()"
    rows = [
        f"  {what} f{k}{'()' * (what == 'function')} {doubling.format(k + 1)}\n".replace(" :", ":") for k in range(45)
    ]
    last = "  function f45() -> number = n\n" if what == "function" else "  rule f45: n += 1\n"
    play = CHAIN if what == "function" else CHAIN.replace("n := f0()", "f0()")
    (tmp_path / "ruleset.yaml").write_text(play + "".join(rows) + last)
    native = rulelang.load(tmp_path).executor(2, backend="native")
    start = native.new_state(logging=False)
    assert in_native_code(native, start) is None
