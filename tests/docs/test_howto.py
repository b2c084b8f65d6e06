"""Every how-to is a whole game: it checks without a finding, its scenarios pass, and it plays to the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang

PAGES = sorted(page for page in (Path(__file__).parents[2] / "docs" / "howto").glob("*.md") if page.stem != "index")
TOPICS = {"board", "discount", "exchange", "hidden_bid", "reacting_card", "solo_automaton", "teams"}


def write(page: Path, folder: Path) -> None:
    """The files of a page: what stands in its YAML blocks, the first one is `ruleset.yaml`."""
    for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        named = re.match(r"# file: (\S+)\n", text)
        file = folder / (named.group(1) if named else "ruleset.yaml")
        assert not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_how_to(page: Path, tmp_path: Path) -> None:
    """As a reader would: check it strictly, run its scenarios, format it, play games of every size."""
    folder = tmp_path / page.stem
    write(page, folder)
    players = re.search(r"^players: (.*)$", (folder / "ruleset.yaml").read_text(encoding="utf-8"), re.M)
    assert players is not None
    sizes = sorted({int(n) for n in re.findall(r"\d+", players.group(1))})
    commands = [["check", "--strict"], ["test"], ["fmt", "--check"]]
    commands += [["simulate", "--games", "40", "--players", str(n)] for n in sizes]
    for command in commands:
        done = CliRunner().invoke(rulelang, [command[0], str(folder), *command[1:]])
        assert done.exit_code == 0, f"{command}: {done.output}"


def test_every_topic_has_its_page() -> None:
    """The list of topics is kept, and each page carries scenarios."""
    assert {page.stem for page in PAGES} == TOPICS
    assert all("scenarios:" in page.read_text(encoding="utf-8") for page in PAGES)
