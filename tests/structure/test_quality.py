"""Formatting, lint and strict types are tests like any other; the README's commands are CI's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import soak

ROOT = Path(__file__).resolve().parents[2]
TOOLS = {
    "formatting": ["ruff", "format", "--check", "--diff", "."],
    "lint": ["ruff", "check", "."],
}
TYPES = """
import gc, sys

gc.disable()
gc.enable = gc.freeze = gc.unfreeze = lambda: None
sys.argv[0] = "mypy"

from mypy.__main__ import console_entry

console_entry()
"""
"""It takes a sixth of its time to look for garbage, and finds none."""


def run(*command: str) -> None:
    """Runs this Python in the root of the checkout; what it says is what the test says."""
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_sources_are_clean(tool: str) -> None:
    """The whole tree is formatted and lint-free; what is left out says why in pyproject.toml."""
    run("-m", *TOOLS[tool])


@pytest.mark.slow
def test_types_are_strict() -> None:
    """The whole tree is strictly typed; what is left out says why in pyproject.toml. Tests, a third of the time, are
    looked at with `--soak`: whatever they call is called whenever they run."""
    run("-c", TYPES, *(["rulelang", "benchmarks", "docs", "examples"] if soak.FACTOR == 1 else []))


def test_ci_runs_what_the_readme_says() -> None:
    """CI runs the README's command for the tests, word for word."""
    command = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert "pytest" in command
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
