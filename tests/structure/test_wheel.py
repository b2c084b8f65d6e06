"""What is installed: the wheel carries the grammar and the rulesets, and the engine finds them there."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]

DATA = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("grammar", "rulesets")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
)
PAGES = [f"diagnostics/{path.name}" for path in (ROOT / "docs" / "diagnostics").glob("*.md")]
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "rulelang").rglob("*.py"))
HEADERS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "rulelang").rglob("*.*")
    if path.suffix in (".h", ".toml", ".css", ".html", ".js", ".LICENSE", ".yaml", ".rule", ".md")
)


def python(*arguments: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the checkout, with nothing fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_carries_engine_grammar_and_rulesets(wheel: Path) -> None:
    """Every module, header and file of templates, the type marker, grammar/, rulesets/, pages of messages; no more."""
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {*MODULES, *HEADERS, "rulelang/py.typed", *(f"rulelang/_data/{name}" for name in DATA + PAGES)} <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"rulelang"}


def test_installed_engine_plays_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    """Installed, the engine reads its own grammar and rulesets, not those of a checkout, and plays one by its name."""
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)  # as pip does, which takes seconds
    script = """
from rulelang.resources import grammar_path, shipped_rulesets
print(grammar_path("rulelang.lark"), shipped_rulesets(), flush=True)
from rulelang.__main__ import main
main()
"""
    data = site / "rulelang" / "_data"
    game = ("play", "reco", "--players", "3", "--seat", "0=random", "--bot", "random")
    places, said = python("-c", script, *game, cwd=tmp_path, PYTHONPATH=str(site)).split("\n", 1)
    assert places.split() == [str(data / "grammar" / "rulelang.lark"), str(data / "rulesets")]
    assert "The game is over" in said


def test_source_distribution_carries_all(tmp_path: Path) -> None:
    """The source distribution holds what the wheel is built from, and the tests."""
    python("-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)
    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    pages = {"README.md", "LICENSE", "CHANGELOG.md", "docs/language/index.md"}
    assert {*MODULES, *HEADERS, *DATA, *pages, "pyproject.toml"} <= names
    assert any(name.startswith("tests/") for name in names)
