"""Where variants lie, what they are called, and which scenarios are theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rulelang.cli import rulelang as command
from rulelang.diagnostics import Diagnostics
from rulelang.game import load
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.scenarios import scenarios_of

from .games import BASE, findings, first_lines, write

FIVE = "rulelang: 2\nextends: tiny\nrules: |\n  function bonus -> number = 5\n"


def variant(folder: Path, name: str, text: str = FIVE) -> Path:
    """Writes a variant into the base's own folder."""
    place = folder / "tiny" / "variants" / name
    place.mkdir(parents=True)
    (place / "ruleset.yaml").write_text(text, encoding="utf-8")
    return place


def test_a_variant_in_the_folder_of_its_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It extends the ruleset it lies in by name, and is `GAME/NAME` for people."""
    write(tmp_path)
    variant(tmp_path, "five")
    monkeypatch.chdir(tmp_path)
    assert first_lines(Path("tiny/five"))["bonus"] == 5
    assert load("tiny/five").info.layers == ("tiny", "tiny/variants/five")
    assert load("tiny").info.variants == ("five",)
    assert load("tiny").info.layers == ("tiny",)


@pytest.mark.parametrize("base", ["tiny", "../..", "five", "tiny/five", "../five"])
def test_what_a_variant_may_extend(tmp_path: Path, base: str) -> None:
    """The ruleset around it, a variant beside it, by name or path."""
    write(tmp_path)
    variant(tmp_path, "five")
    place = variant(tmp_path, "six", f"rulelang: 2\nextends: {base}\nrules: |\n  function bonus -> number = 6\n")
    assert first_lines(place)["bonus"] == 6


def test_a_copy_extends_the_ruleset_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shipped ruleset of the same name does not hide the one that the variant lies in."""
    write(tmp_path / "shipped")
    write(tmp_path / "mine")
    text = BASE.replace("bonus -> number = 0", "bonus -> number = 3")
    (tmp_path / "mine" / "tiny" / "ruleset.yaml").write_text(text, encoding="utf-8")
    place = variant(tmp_path / "mine", "more", "rulelang: 2\nextends: tiny\n")
    for module in ("files", "loader"):
        monkeypatch.setattr(f"rulelang.ruleset.{module}.shipped_rulesets", lambda: tmp_path / "shipped")
    assert first_lines(place)["bonus"] == 3


def test_a_variant_leads_nowhere_else(tmp_path: Path) -> None:
    """From the folder of variants too, `extends` stays among the rulesets beside its base."""
    write(tmp_path / "root")
    write(tmp_path / "elsewhere")
    place = variant(tmp_path / "root", "away", "rulelang: 2\nextends: ../../../../elsewhere/tiny\n")
    assert [d.code for d in findings(place)] == ["ruleset-outside"]


def test_a_misspelt_variant_is_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of shipped variants are known."""
    write(tmp_path)
    variant(tmp_path, "five")
    monkeypatch.setattr("rulelang.ruleset.files.shipped_rulesets", lambda: tmp_path)
    assert first_lines(Path("tiny/five"))["bonus"] == 5
    (found,) = findings(Path("tiny/fife"))
    assert (found.code, found.hint) == ("ruleset-not-found", "did you mean `tiny/five`?")


def test_the_scenarios_of_what_was_named(tmp_path: Path) -> None:
    """A variant has its own scenarios; with overlays those of all that was named, but for players that are not left."""
    tiny, over = write(tmp_path, over="extends: tiny\nplayers: 2")
    for folder, players in ((tiny, 3), (over, 2)):
        (folder / "scenarios").mkdir()
        text = (
            f"rulelang: 2\nscenarios:\n  - {{name: of {folder.name}, given: {{players: {players}}}, then: ['1 = 1']}}\n"
        )
        text += f"  - {{name: any of {folder.name}, then: ['1 = 1']}}\n"
        (folder / "scenarios" / "a.yaml").write_text(text, encoding="utf-8")

    def names(path: Path, *overlays: Path) -> list[str]:
        found = Diagnostics()
        ruleset = load_ruleset(path, overlays, diagnostics=found)
        assert ruleset is not None
        return [scenario.name for scenario in scenarios_of(ruleset, found)]

    assert names(tiny) == ["of tiny", "any of tiny"]
    assert names(over) == ["of over", "any of over"]
    assert names(tiny, over) == ["any of tiny", "of over", "any of over"]


def test_an_overlay_is_not_blamed_for_scenarios_below_it(tmp_path: Path) -> None:
    """`check` says nothing of a scenario of the base that an overlay has changed, `test` does; its own are checked."""
    write(tmp_path)
    scenario = "rulelang: 2\nscenarios: [{name: trades, then: [{offered: 'pair:*'}]}]\n"
    overlay = variant(tmp_path, "fewer", "rulelang: 2\nextends: tiny\nrules: |\n  remove exchange pair in market\n")
    base = tmp_path / "tiny"

    def status(name: str) -> int:
        return CliRunner().invoke(command, [name, str(base), "--overlay", str(overlay)]).exit_code

    (base / "scenarios").mkdir()
    (base / "scenarios" / "basics.yaml").write_text(scenario, encoding="utf-8")
    assert (status("check"), status("test")) == (0, 1)
    (overlay / "scenarios").mkdir()
    (overlay / "scenarios" / "basics.yaml").write_text(scenario, encoding="utf-8")
    assert status("check") == 1
