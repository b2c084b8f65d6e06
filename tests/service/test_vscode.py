"""The extension for VS Code: its grammars, its version, what it starts; built whole with `--soak`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rulelang import __version__
from rulelang.cli import COMMANDS

EXTENSION = Path(__file__).resolve().parents[2] / "editors" / "vscode"


def test_its_grammars_have_the_words_of_the_highlighter() -> None:
    """They are what `make_grammar.py` writes."""
    code = "import make_grammar as m; assert all(p.read_text(encoding='utf-8') == t for p, t in m.texts().items())"
    done = subprocess.run([sys.executable, "-c", code], cwd=EXTENSION, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run editors/vscode/make_grammar.py\n{done.stderr}"


def test_what_it_says_of_the_program_is_so() -> None:
    """Its version, the commands it starts, the arguments of a launch as the page has them."""
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
    source = (EXTENSION / "src" / "extension.ts").read_text(encoding="utf-8")
    started = {*re.findall(r'\["([a-z]+)"', source), *re.findall(r'inTerminal\("([a-z]+)"', source)}
    assert {"lsp", "debug", "serve", "play", "simulate", "test"} <= started
    assert started <= {*COMMANDS}
    page = (EXTENSION.parents[1] / "docs" / "howto" / "editor.md").read_text(encoding="utf-8")
    launch = package["contributes"]["debuggers"][0]["configurationAttributes"]["launch"]["properties"]
    table = page.partition("| argument | |")[2].partition("\n\n")[0]
    assert {*re.findall(r"`(\w+)`(?=[^|]*\|)", table)} >= {*launch}


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm")
def test_it_can_be_built(tmp_path: Path) -> None:
    """Types are checked, the bundle and the package are made."""
    folder = Path(shutil.copytree(EXTENSION, tmp_path / "vscode", ignore=shutil.ignore_patterns("node_modules")))
    for step in (["npm", "install", "--no-audit", "--no-fund"], ["npm", "run", "package"]):
        subprocess.run(step, cwd=folder, check=True, capture_output=True)
    assert (folder / "rulelang.vsix").stat().st_size > 10_000
