"""Formatting, lint, strict types and the documentation are tests like any other; the README's commands are CI's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = {
    "formatting": ["ruff", "format", "--check", "--diff", "."],
    "lint": ["ruff", "check", "."],
    "types": ["mypy"],
}


def run(*command: str | Path) -> None:
    """Runs a module of this Python in the root of the checkout; what it says is what the test says."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_sources_are_clean(tool: str) -> None:
    """The whole tree is formatted, lint-free and strictly typed; what is left out says why in pyproject.toml."""
    run(*TOOLS[tool])


@pytest.mark.slow
def test_documentation_builds(tmp_path: Path) -> None:
    """The documentation builds without a warning: no dead reference, no page that nothing leads to. The site's own
    theme adds half of the time again, for a menu on each page."""
    quick = ("-D", "html_theme=basic", "-d", tmp_path / "trees")
    run("sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html", *quick, "docs", tmp_path / "html")
    assert (tmp_path / "html" / "language.html").is_file()


def test_ci_runs_what_the_readme_says() -> None:
    """CI runs the README's command for the tests, word for word."""
    command = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()[-1]
    assert "pytest" in command
    assert f"\n{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
