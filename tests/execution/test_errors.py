"""What goes wrong in a rule goes wrong alike, with the same words and place, and what is endless ends."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.cli import run
from rulelang.diagnostics import FuelError, RuleError
from rulelang.native import find_compiler


def able() -> tuple[str, ...]:
    """The backends that can play here."""
    return ("interpreter", "native") if find_compiler() is not None else ("interpreter",)


@pytest.fixture
def pond(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small ruleset to break."""
    monkeypatch.chdir(tmp_path)
    assert run(["new", "pond"]) == 0
    return tmp_path / "pond"


def broken(folder: Path, line: str) -> None:
    """Puts a line into the rule of a turn."""
    file = folder / "pond.rule"
    text = file.read_text(encoding="utf-8").replace("  let card", f"  {line}\n  let card", 1)
    file.write_text(text, encoding="utf-8")


def errors(folder: Path) -> list[str]:
    """What each backend says of the first games."""
    ruleset = rulelang.load(folder)
    found = []
    for backend in able():
        executor = ruleset.executor(backend=backend)
        for seed in range(3):
            state = executor.new_state(seed, logging=False)
            with pytest.raises(RuleError) as caught:
                executor.random_playout(state)
            found.append(str(caught.value))
    return found


@pytest.mark.parametrize(
    "line",
    [
        "repeat 7 mod (count(tableau) - 1) times: pass",
        "repeat 0 * (900000000000000000 * count(tableau) * 20) times: pass",
    ],
)
def test_errors_of_rules(pond: Path, line: str) -> None:
    """A division by zero and an overflow are told alike, at the rule's line."""
    broken(pond, line)
    found = errors(pond)
    assert found == found[:3] * len(able())
    assert all("pond.rule:" in message for message in found)


def test_endless_rules_end(pond: Path) -> None:
    """A loop without an end uses up its fuel on every backend."""
    broken(pond, "while count(tableau) >= 0:\n    move tableau to tableau")
    ruleset = rulelang.load(pond)
    for backend in able():
        executor = ruleset.executor(backend=backend)
        with pytest.raises(FuelError):
            executor.random_playout(executor.new_state(0, logging=False))
