"""The documentation says what is: its code blocks are read or run, and it names what the public surface has.

Whole rulesets of the language reference are checked and played in tests/docs/.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import rulelang
from rulelang.cli import COMMANDS
from rulelang.cli import rulelang as program
from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset.groups import ungrouped
from rulelang.ruleset.loader import SCHEMA
from rulelang.ruleset.nodes import NOTHING
from rulelang.ruleset.scenarios import SCHEMA as SCENARIOS
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.search.solve import solve
from rulelang.syntax import LANGUAGE_VERSION, parse_block, parse_piece_text, parse_rule_file
from rulelang.syntax.scan import Place
from tests.reference import CHAPTERS, EXAMPLES

ROOT = Path(__file__).resolve().parents[2]
API, CLI, README = (ROOT / f for f in ("docs/api.md", "docs/cli.md", "README.md"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(*pages: Path) -> list[Any]:
    """The fenced blocks of pages with their language, named by the line they start at."""
    found = []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for m in FENCE.finditer(text):
            line = text.count("\n", 0, m.start(2)) + 1
            found.append(pytest.param(m.group(1), m.group(2), id=f"{page.stem}-{line}"))
    return found


def rule_faults(text: str) -> list[list[str]]:
    """What is wrong with a text when it is read as declarations, as rule text of a piece, and as statements."""
    file = text if text.startswith("rulelang") else f"rulelang {LANGUAGE_VERSION}\n{text}"
    readings = (
        lambda found: parse_rule_file(Source("example", file), found),
        lambda found: parse_piece_text(Place(Source("example", text)), text, found),
        lambda found: parse_block(Place(Source("example", text)), text, found),
    )
    faults = []
    for read in readings:
        found = Diagnostics()
        read(found)
        faults.append([str(d) for d in found])
    return faults


def yaml_faults(text: str) -> list[str]:
    """What does not fit the schema of rulesets, or of scenarios; a section alone is taken as part of a file."""
    found = Diagnostics()
    whole = text if re.search(r"^rulelang:", text, re.MULTILINE) else f"rulelang: {LANGUAGE_VERSION}\n{text}"
    tree = read_yaml(Source("example", whole), found)
    if tree is not None:
        tree, _ = ungrouped(tree, NOTHING, True, found)
        validate(tree, SCENARIOS if tree.get("scenarios") is not None else SCHEMA, found)
    return [f"{d} {d.hint}" for d in found]


@pytest.mark.parametrize(("language", "text"), blocks(*CHAPTERS, EXAMPLES))
def test_blocks_are_the_language(language: str, text: str) -> None:
    """Every block says what it holds and is that: YAML that fits its schema, or rules that parse."""
    assert language in {"yaml", "rule"}
    if language == "yaml":
        assert yaml_faults(text) == []
    else:
        assert [] in rule_faults(text), rule_faults(text)


def test_faults_are_seen() -> None:
    """The readings above do refuse: a section that does not exist, a statement that is none."""
    assert yaml_faults("zoness: {}\n") != []
    assert [] not in rule_faults("move to hand deck")


@pytest.mark.parametrize(("language", "text"), blocks(API, README))
def test_python_examples_run(language: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The Python examples of the API page and the README run and print something."""
    if language == "python":
        exec(compile(text, "example", "exec"), {})
        assert capsys.readouterr().out


def test_extras_are_installed_from_the_sources() -> None:
    """No page or message says `pip install 'rulelang[web]'`: no index has the package."""
    texts = [
        README,
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs").rglob("*.ipynb"),
        *(ROOT / "rulelang").rglob("*.py"),
        *(ROOT / "rulelang").rglob("*.toml"),
    ]
    assert [
        str(path.relative_to(ROOT)) for path in texts if re.search(r"rulelang\[[a-z]+\]", path.read_text("utf-8"))
    ] == []


def test_the_game_of_the_readme_is_whole(tmp_path: Path) -> None:
    """The ruleset that the README shows has ten lines, passes `check`, and who begins wins: 21 is one more than a
    multiple of 4."""
    (text,) = (block.values[1] for block in blocks(README) if block.values[0] == "yaml")
    assert len(text.splitlines()) == 10
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert CliRunner().invoke(program, ["check", "--strict", str(tmp_path)]).exit_code == 0
    assert solve(rulelang.load(str(tmp_path))).value == (1, -1)


@pytest.mark.parametrize("kind", [rulelang.Ruleset, rulelang.State, rulelang.Decision, rulelang.Action])
def test_api_page_names_what_there_is(kind: type) -> None:
    """Everything that the API page says of a ruleset, state, decision or action is there."""
    page = API.read_text(encoding="utf-8")
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    named = set(re.findall(rf"\b{kind.__name__.lower()}\.(\w+)", page))
    assert len(named) >= 3
    assert named - fields - set(dir(kind)) == set()


def test_api_page_names_the_package() -> None:
    """Every name of the package stands on the page."""
    page = API.read_text(encoding="utf-8")
    assert [name for name in rulelang.__all__ if name not in page and not name.startswith("_")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_command_page_is_complete(name: str) -> None:
    """The page of commands has a section for every command that names each of its options."""
    section = re.search(
        rf"^### `rulelang {name}\b.*?(?=^##|\Z)", CLI.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert section is not None
    command = program.get_command(click.Context(program), name)
    assert command is not None
    options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    assert [option for option in sorted(options) if f"`{option}" not in section.group()] == []
