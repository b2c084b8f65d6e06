"""`rulelang upgrade`: what version 1 said otherwise is said as version 2 does, means the same, and stays so."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

import rulelang.cli
from rulelang.upgrade import upgraded
from tests.upgrade.sample import FORMER, NOW


def run(*arguments: str) -> Result:
    """Run a command line."""
    return CliRunner().invoke(rulelang.cli.rulelang, list(arguments))


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """The folder of the game in version 1."""
    for name, text in FORMER.items():
        file = tmp_path / "lamps" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "lamps"


def files(folder: Path) -> dict[str, str]:
    """The texts of a folder's files, by their paths in it."""
    return {str(f.relative_to(folder)): f.read_text(encoding="utf-8") for f in sorted(folder.rglob("*")) if f.is_file()}


def course(folder: Path) -> list[object]:
    """What is offered, taken and scored in some games of a ruleset."""
    told: list[object] = []
    for seed in range(4):
        chance = Random(seed)
        state = rulelang.load(folder).new_game(players=2, seed=seed)
        while state.current_players():
            actions = state.legal_actions()
            told += [action.id for action in actions]
            state.apply(chance.choice(actions))
        told.append(state.scores())
    return told


def test_ends_of_lines_stay(game: Path) -> None:
    """Files as other systems write them are rewritten with the ends of lines that they have."""
    for file in (f for f in game.rglob("*") if f.is_file()):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert run("upgrade", str(game)).exit_code == 0
    written = {str(f.relative_to(game)): f.read_bytes() for f in game.rglob("*") if f.is_file()}
    assert written == {name: text.replace("\n", "\r\n").encode() for name, text in NOW.items()}


def test_comments_of_sections_that_become_one_stay(tmp_path: Path) -> None:
    """Those behind the braces of `resources:` and `types:`."""
    text = "rulelang: 1\nname: said\nplayers: 2\nresources: {Good: [nut, oil]}   # goods\nTYPES\nrules: |\n"
    text += "  play:\n    for p in players:\n      turn of p: hue := choose a Hue\n"
    text += "  score n: count(purse) + (1 if hue = red else 0)\n"
    text += "variables: {purse: {type: bag of Good}, hue: {type: Hue}}\n"
    for types, now in (
        ("types: {Hue: [red, blue]}", "types: {Hue: [red, blue], Good: [nut, oil]}   # goods"),
        ("types: {Hue: [red, blue]} # hues", "types: {Hue: [red, blue], Good: [nut, oil]}   # hues   # goods"),
        ("types:\n  Hue: [red, blue]", "types:\n  # goods\n  Hue: [red, blue]\n  Good: [nut, oil]"),
    ):
        (tmp_path / "ruleset.yaml").write_text(text.replace("TYPES", types), encoding="utf-8")
        assert run("upgrade", str(tmp_path)).exit_code == 0
        assert now in (tmp_path / "ruleset.yaml").read_text(encoding="utf-8")


def test_files_are_rewritten_and_mean_the_same(game: Path) -> None:
    """Only the words change, in all files of the ruleset and its variant; games are those from before."""
    folders = (game, game / "variants" / "two_wishes")
    before = [course(folder) for folder in folders]
    result = run("upgrade", str(game))
    assert result.exit_code == 0, result.output
    assert files(game) == NOW
    assert [course(folder) for folder in folders] == before
    assert run("check", "--strict", str(game)).exit_code == 0
    assert upgraded(str(game)).texts == {}


def test_nothing_is_written_where_that_is_asked(game: Path) -> None:
    """`--check` names the files, `--diff` prints them."""
    checked, diff = run("upgrade", "--check", str(game)), run("upgrade", "--diff", str(game))
    assert (checked.exit_code, diff.exit_code) == (1, 0)
    assert checked.output.count("would be changed") == len(FORMER)
    assert "\n+      wish := choose one of Colour where it != green else never   # not green\n" in diff.output
    assert files(game) == FORMER


def test_version_one_is_played_with_a_warning(game: Path) -> None:
    """One warning for the ruleset and one for its variant, and nothing else."""
    output = run("check", str(game)).output
    assert re.findall(r"(?:error|warning)\[([a-z-]+)\]", output) == ["version-old", "version-old"]
    assert f"`rulelang upgrade {game}` rewrites it" in output


def test_a_ruleset_with_errors_is_refused(game: Path) -> None:
    """Nothing is written, as nothing is known of what it means."""
    rules = game / "lamps.rule"
    rules.write_text(FORMER["lamps.rule"].replace("+ oil", "+ oli"), encoding="utf-8")
    result = run("upgrade", str(game))
    assert (result.exit_code, "name-unknown" in result.output) == (1, True)
    assert files(game)["ruleset.yaml"] == FORMER["ruleset.yaml"]
