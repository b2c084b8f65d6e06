"""Every how-to is a whole game: it checks without a finding, its scenarios pass, and it plays to the end.

A page with commands is walked, as the tutorial is; what it leaves in the folder of its name is the game.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang
from rulelang.game import load
from tests.docs.walk import walk
from tests.remembered import remembered

NO_GAMES = {
    "index", "agent", "editor", "studio", "theme", "evening", "testers", "server", "upgrading", "front_end",
    "add_an_operation", "add_a_language",
}  # fmt: skip
PAGES = sorted(
    page for page in (Path(__file__).parents[2] / "docs" / "howto").glob("*.md") if page.stem not in NO_GAMES
)
TOPICS = set(
    "area_control auction balance board deck_building deduction discount drafting exchange golden_files "
    "hidden_bid hidden_roles own_scenario programming push_your_luck reacting_card response_stack route_building "
    "short_game solo_automaton strong_bot teams tile_laying trick_taking worker_placement".split()
)

LONG = {"own_scenario", "short_game"}
"""Their commands go through a large game again and again; with `--soak`."""


def write(page: Path, folder: Path) -> None:
    """The files of a page: what stands in its YAML blocks, the first one is `ruleset.yaml`."""
    for text in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
        named = re.match(r"# file: (\S+)\n", text)
        file = folder / (named.group(1) if named else "ruleset.yaml")
        assert not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "topic", [pytest.param(page.stem, marks=pytest.mark.soak if page.stem in LONG else ()) for page in PAGES]
)
@remembered("docs/howto", "tests/docs")
def test_how_to(topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a reader would: check it strictly, run its scenarios, format it, play a game of the fewest and the most."""
    (page,) = (page for page in PAGES if page.stem == topic)
    if page.stem == "balance":
        pytest.importorskip("sklearn", reason="`lab tune` is an extra")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / page.stem
    if "```console" in page.read_text(encoding="utf-8"):
        assert walk(page) > 0
    else:
        write(page, folder)
    sizes = load(folder).players
    commands = [["check", "--strict"], ["test"], ["fmt", "--check"]]
    commands += [["simulate", "--games", "1", "--players", str(n)] for n in sorted({sizes[0], sizes[-1]})]
    said = page.read_text(encoding="utf-8")
    for command in commands:
        if f"$ rulelang {' '.join([*command, page.stem])}\n" in said:
            continue  # walked
        done = CliRunner().invoke(rulelang, [command[0], str(folder), *command[1:]])
        assert done.exit_code == 0, f"{command}: {done.output}"


def test_every_topic_has_its_page() -> None:
    """The list of topics is kept, and each page carries scenarios."""
    assert {page.stem for page in PAGES} == TOPICS
    assert all("scenarios:" in page.read_text(encoding="utf-8") for page in PAGES)
