"""What pages name is there: files, names in them, and the form of decisions and of the changelog."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ruamel.yaml import YAML

from rulelang import __version__
from rulelang.cli import COMMANDS
from tests.offenders import none, offenders

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").rglob("*.md")) if not {"decisions", "_build"} & {*path.parts}),
]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
NAMED = re.compile(r"((?:`[A-Za-z_][\w.]*`(?:, | and )?)+)(?: \([^()]*\))? (?:in|of) `([\w./-]+\.(?:py|h))`")
FILE = re.compile(r"\.(?:py|h|md|toml|json|lark|js|css|html|txt)$")
FOLDERS = ("", "rulelang", "rulelang/semantics", "rulelang/native", "rulelang/native/c", "tests", "docs")
"""Where paths of pages begin."""
MADE_UP = re.compile(r"my_game|NAME|CODE|path/to|/GAME|^game/|\.\./|\.vscode|…")
"""In paths of examples."""


def located(path: str) -> Path | None:
    """The file or folder that a page means."""
    return next((ROOT / folder / path for folder in FOLDERS if (ROOT / folder / path).exists()), None)


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_files_are_there() -> None:
    """Each file that a page names lies where it says."""

    def there(page: Path) -> None:
        paths = [path for path in PATH.findall(text_of(page)) if FILE.search(path) and not MADE_UP.search(path)]
        lost = [path for path in dict.fromkeys(paths) if located(path) is None]
        assert not lost, ", ".join(lost)

    none(offenders(there, PAGES))


def test_names_are_in_their_files() -> None:
    """Where a page says that a name is in a file, it stands there."""

    def named(page: Path) -> None:
        lost = []
        for names, path in NAMED.findall(text_of(page)):
            file = located(path)
            if file is None:
                continue  # told above
            words = [name.rpartition(".")[2] for name in re.findall(r"`([\w.]+)`", names)]
            lost += [f"{word} in {path}" for word in words if not re.search(rf"\b{word}\b", text_of(file))]
        assert not lost, ", ".join(lost)

    none(offenders(named, PAGES))


def test_decisions_have_number_status_and_date() -> None:
    """`# NNN: TITLE`, then whether it is in force, and since when."""

    def dated(path: Path) -> None:
        title, empty, status, *_ = text_of(path).split("\n")
        assert title.startswith(f"# {path.name[:3]}: "), title
        assert not empty
        assert re.fullmatch(r"Status: .+\. \d{1,2} [A-Z][a-z]+ \d{4}\.", status), status

    none(offenders(dated, DECISIONS))


def test_hooks_are_commands() -> None:
    """What pre-commit runs in other repositories is there, and the page shows each hook."""
    hooks = YAML(typ="safe").load(text_of(ROOT / ".pre-commit-hooks.yaml"))
    assert [hook["entry"].split()[0] for hook in hooks] == ["rulelang"] * len(hooks)
    assert {hook["entry"].split()[1] for hook in hooks} <= set(COMMANDS)
    page = text_of(ROOT / "docs" / "howto" / "editor.md")
    assert [hook["id"] for hook in hooks if f"- id: {hook['id']}\n" not in page] == []


def test_the_changelog_is_by_version() -> None:
    """The newest comes first, and is the version that the package has; each that is released has its date."""
    headings = re.findall(r"^## (.*)$", text_of(ROOT / "CHANGELOG.md"), re.M)
    versions = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+)(?: \((unreleased|\d{4}-\d\d-\d\d)\))?", each) for each in headings]
    assert None not in versions, headings
    numbers = [tuple(map(int, found.groups()[:3])) for found in versions if found]
    assert numbers == sorted(numbers, reverse=True)
    assert headings[0].split(" ")[0] == __version__


def test_rows_of_the_map_have_the_cells_of_their_table() -> None:
    """A row that stands in another table, or lost its beginning, has fewer or more."""
    tables = re.findall(r"(?:^\|.*\n)+", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.M)
    rows = [
        row for table in tables for row in table.splitlines() if row.count(" |") != table.split("\n")[0].count(" |")
    ]
    assert len(tables) > 3
    none(rows)
